// The folder model/ owns what follows from the caller's mesh alone: the validated spring network,
// its elimination ordering, the pattern of Q, the surface, the coarse spaces (coarse_grid.hpp) and
// the embedding of fine meshes (embedding.hpp). With e_a the unit vector of vertex a, springs enter
// Q as
//   sum_s k_s (e_a - e_b) (e_a - e_b)^T,
// so Q has an entry for every vertex and for every pair of vertices with a spring.
// A Model is immutable and shared by many bodies. Its vertices are renumbered once, here, to the
// elimination ordering, so that no solver ever permutes. The caller's numbering is used only where
// data crosses the API, through to_user. The folder does not know time steps, pins, forces,
// contacts or solvers. The connected components of a torn body (components.hpp) are its only
// mutable state.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/vec3.hpp"
#include "geometry/surface.hpp"
#include "geometry/vertex_groups.hpp"
#include "linear/cholesky.hpp"
#include "model/coarse_grid.hpp"
#include "springs/spring_set.hpp"

namespace twang::core {

// Result of build.cpp: checked, in the caller's numbering. Each pair of vertices has at most one
// spring.
struct Network {
    std::vector<Vec3> positions;
    std::vector<double> masses;
    std::vector<Spring> springs;
    std::vector<std::uint32_t> triangles;  // 3 each
    std::vector<std::uint32_t> tetrahedra; // 4 each
    int dimension = 2;                     // 1 lines, 2 surfaces, 3 volumes
    twang_model_notes notes{};
};

// Edge of the surface between two vertices. In a model without triangles: a structural spring.
struct Edge {
    static constexpr std::uint32_t none = 0xFFFFFFFFu;
    std::uint32_t a, b;
    std::uint32_t spring;   // index of the spring between a and b, or none
    std::uint32_t triangle; // index of a triangle with this edge, or none
};

struct Model : SpringSet {
    std::vector<Vec3> rest_positions;
    std::vector<double> masses;
    std::vector<std::uint32_t> triangles;  // 3 each
    std::vector<std::uint32_t> tetrahedra; // 4 each
    Lists<std::uint32_t> corners;          // per vertex, indices of its entries in `triangles`
    std::vector<Edge> edges;               // in an order independent of the elimination ordering
    Pattern pattern;                       // of Q
    CoarseSpace coarse;
    CoarseSpace fine_grid; // on a finer grid, for flat bodies without contacts
    VertexGroups groups;
    std::vector<std::uint32_t> to_user;  // [elimination index] = caller's index
    std::vector<std::uint32_t> to_inner; // [caller's index] = elimination index
    double total_mass = 0.0;
    double size = 0.0;        // diagonal of the bounding box
    double stiffest = 0.0;    // J: the largest k r^2 of a spring
    double rest_volume = 0.0; // m^3, inside the triangles; < 0: inside out; 0: they are open
    double order_ms = 0.0;
    std::uint64_t identity = 0; // hash of the data above that a snapshot depends on
    twang_model_notes notes{};

    std::size_t vertex_count() const { return masses.size(); }
};

Status make_model(Network&& network, std::shared_ptr<const Model>& model);

// Mixes a word into a 64-bit hash, for state hashes and identities.
inline std::uint64_t hash_mix(std::uint64_t hash, std::uint64_t word) {
    hash ^= word + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2);
    hash *= 0xff51afd7ed558ccdull;
    return hash ^ (hash >> 32);
}
std::uint64_t hash_doubles(std::uint64_t hash, const double* values, std::size_t count);

} // namespace twang::core
