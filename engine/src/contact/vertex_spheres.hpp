// Broad phase for vertices as spheres: finds the pairs that come near each other in a step. Pairs
// within one body count too, except neighbours. The path of a sphere from its start to its end is
// taken as straight, and both ends count, so that the order in which bodies moved does not matter.
// The contacts of the pairs are made in solver/body_contact.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/jobs.hpp"
#include "model/model.hpp"

namespace twang::core {

// The spheres of one body.
struct BodySpheres {
    const Model* model;
    const BodySprings* own_springs; // null: the model's
    const Vec3* from;               // at the start of the step
    const Vec3* to;                 // at its end
    double radius;                  // m, > 0
    double friction;                // mu
};

struct VertexSphere {
    Vec3 from, to;
    double radius, friction;
    std::uint32_t body, vertex;
};

// Spheres a < b, and the direction in which they first touch or, if they do not touch, are closest.
struct NearPair {
    std::uint32_t a, b;
    Vec3 side; // from b to a, of length 1
};

Status check_vertex_spheres(double radius, double friction);

class VertexSpheres {
public:
    // Makes room: no allocation follows for up to this many spheres.
    void reserve(std::size_t spheres);
    void clear();
    void add(const BodySpheres& body);
    // Finds the pairs that come closer than the sum of their radii plus a margin, in a fixed order.
    std::span<const NearPair> find(Jobs& jobs);
    // Replaces the ends of the paths, if pairs() then still has all pairs that come closer than
    // `share` times the sum of their radii. Returns whether this is so; if not, spheres() keeps its
    // ends.
    bool move_ends(std::span<const Vec3* const> to, double share);

    std::span<const VertexSphere> spheres() const { return spheres_; }
    std::span<const NearPair> pairs() const { return pairs_; } // of the last find()
    std::uint32_t first_sphere(std::uint32_t body) const { return first_[body]; }

private:
    // A sphere in the grid: at the midpoint of its path, in a frame that moves with the mean of all
    // spheres.
    struct GridEntry {
        Vec3 midpoint;
        double half_path; // m: distance of the ends of the path from the midpoint
        std::uint32_t sphere;
        std::int32_t cell[3];
    };
    void sort_into_cells();
    void choose_cell_counts();
    std::size_t index_of(std::int32_t x, std::int32_t y, std::int32_t z) const {
        return (std::size_t(z) * cell_counts_[1] + y) * cell_counts_[0] + x;
    }
    bool is_near(const VertexSphere& a, const VertexSphere& b, Vec3& side) const;
    bool excluded(const VertexSphere& a, const VertexSphere& b) const;
    void test_range(const GridEntry& entry, std::size_t begin, std::size_t end, NearPair* found,
                    std::uint8_t& count) const;
    void test_neighbour_cells(std::size_t entry);

    std::vector<VertexSphere> spheres_;
    std::vector<BodySpheres> bodies_;
    std::vector<std::uint32_t> first_; // index of the first sphere, per body
    std::vector<GridEntry> entries_, unsorted_;
    std::vector<std::uint32_t> cell_start_;    // index in entries_, per cell
    std::vector<NearPair> pair_slots_, pairs_; // each entry has its own part of pair_slots_
    std::vector<std::uint8_t> pair_counts_;
    double cell_size_ = 1.0; // m
    std::int32_t cell_counts_[3] = {3, 3, 3};
    double largest_radius_ = 0.0, smallest_radius_ = 0.0; // m
};

} // namespace twang::core
