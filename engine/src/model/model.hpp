// A validated, immutable spring network in elimination order, shared by many bodies. Vertices are
// renumbered once, here, so that no solver ever permutes; the caller's numbering is met only where
// data crosses the border, through to_user.
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

// What build.cpp hands over: checked, in the caller's numbering. Springs are unique pairs.
struct Network {
    std::vector<Vec3> positions;
    std::vector<double> masses;
    std::vector<Spring> springs;
    std::vector<std::uint32_t> triangles;  // 3 each
    std::vector<std::uint32_t> tetrahedra; // 4 each
    int dimension = 2;                     // 1 lines, 2 surfaces, 3 volumes
    twang_model_notes notes{};
};

// Between two vertices, of the surface; of a model without triangles a structural spring.
struct Edge {
    static constexpr std::uint32_t none = 0xFFFFFFFFu;
    std::uint32_t a, b;
    std::uint32_t spring;   // the one between them, or none
    std::uint32_t triangle; // one that has the edge, or none
};

struct Model : SpringSet {
    std::vector<Vec3> rest_positions;
    std::vector<double> masses;
    std::vector<std::uint32_t> triangles;  // 3 each
    std::vector<std::uint32_t> tetrahedra; // 4 each
    Lists<std::uint32_t> corners;          // per vertex, entries of `triangles` that name it
    std::vector<Edge> edges;               // in an order that does not depend on this one
    Pattern pattern;                       // of Q
    CoarseSpace coarse;
    CoarseSpace coarse_in_air; // on a fine grid
    VertexGroups groups;
    std::vector<std::uint32_t> to_user;  // [elimination order] = the caller's number
    std::vector<std::uint32_t> to_inner; // the inverse
    double total_mass = 0.0;
    double size = 0.0;        // diagonal of the bounding box
    double stiffest = 0.0;    // J: the largest k r^2 of a spring
    double rest_volume = 0.0; // that the triangles enclose, < 0 if inside out; 0: they are open
    double order_ms = 0.0;
    std::uint64_t identity = 0; // hash of all of the above that matters to a snapshot
    twang_model_notes notes{};

    std::size_t vertex_count() const { return masses.size(); }
};

Status make_model(Network&& network, std::shared_ptr<const Model>& model);

// A 64-bit hash of words, for state hashes and identities.
inline std::uint64_t hash_mix(std::uint64_t hash, std::uint64_t word) {
    hash ^= word + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2);
    hash *= 0xff51afd7ed558ccdull;
    return hash ^ (hash >> 32);
}
std::uint64_t hash_doubles(std::uint64_t hash, const double* values, std::size_t count);

} // namespace twang::core
