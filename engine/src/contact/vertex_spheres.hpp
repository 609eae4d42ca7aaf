// Vertices as balls: which of them come near each other in a step. Those of one body count too,
// neighbours excepted. The way of a ball from its start to its end is taken as straight, and both
// ends count, so that it does not matter which body moved first. What becomes of the pairs is the
// business of body_contact.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/jobs.hpp"
#include "model/model.hpp"

namespace twang::core {

// What a body contributes.
struct Balls {
    const Model* model;
    const LiveSprings* own_springs; // null: the model's
    const Vec3* from;               // at the start of the step
    const Vec3* to;                 // at its end
    double radius;                  // m, > 0
    double friction;                // mu
};

struct Ball {
    Vec3 from, to;
    double radius, friction;
    std::uint32_t body, vertex;
};

// Balls a < b, and where they touch first: or, where they do not, come closest.
struct NearPair {
    std::uint32_t a, b;
    Vec3 side; // from b to a, of length 1
};

Status check_particles(double radius, double friction);

class Particles {
public:
    // For so many balls there will be no allocation.
    void reserve(std::size_t balls);
    void clear();
    void add(const Balls& body);
    // The pairs that come closer than the sum of their radii and a little more, in a fixed order.
    std::span<const NearPair> find(Jobs& jobs);
    // With other ends of the ways than were given: whether pairs() has all that come closer than
    // this share of the sum of their radii even so. If it does, balls() has these ends.
    bool move_ends(std::span<const Vec3* const> to, double share);

    std::span<const Ball> balls() const { return balls_; }
    std::span<const NearPair> pairs() const { return pairs_; } // as found last
    std::uint32_t first_ball(std::uint32_t body) const { return first_[body]; }

private:
    // A ball as the grid knows it: at the middle of its way, seen by one who goes as all do in the
    // mean.
    struct Seat {
        Vec3 middle;
        double spread; // m: how far its ends are from there
        std::uint32_t ball;
        std::int32_t cell[3];
    };
    void seat_all();
    void fold_grid();
    std::size_t index_of(std::int32_t x, std::int32_t y, std::int32_t z) const {
        return (std::size_t(z) * cells_[1] + y) * cells_[0] + x;
    }
    bool is_near(const Ball& a, const Ball& b, Vec3& side) const;
    bool excluded(const Ball& a, const Ball& b) const;
    void look_among(const Seat& seat, std::size_t begin, std::size_t end, NearPair* found,
                    std::uint8_t& count) const;
    void look_around(std::size_t seat);

    std::vector<Ball> balls_;
    std::vector<Balls> bodies_;
    std::vector<std::uint32_t> first_; // ball, per body
    std::vector<Seat> seats_, unsorted_;
    std::vector<std::uint32_t> start_;   // of a cell, in seats_
    std::vector<NearPair> room_, pairs_; // a seat's share of room_ is its own
    std::vector<std::uint8_t> found_;
    double cell_ = 1.0; // m
    std::int32_t cells_[3] = {3, 3, 3};
    double largest_ = 0.0, smallest_ = 0.0; // m: radius
};

} // namespace twang::core
