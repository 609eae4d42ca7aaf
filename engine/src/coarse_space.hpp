// The coarse unknowns of a body: the nodes of a regular grid laid along the main axes of its rest
// shape, as wide as it is, flat where it is flat. A vertex follows the corners of its grid cell by
// multilinear weights, so that every linear motion is among the coarse ones. A body that is too
// small for a grid has one node, and moves with it.
#pragma once

#include <cstdint>
#include <vector>

#include "vec3.hpp"

namespace twang::core {

struct CoarseSpace {
    // More would follow the motion closer and cost more than they save.
    static constexpr int most_nodes = 49;
    int nodes = 0;
    int corners = 0;                 // of a cell: 1, 2, 4 or 8
    std::vector<std::uint16_t> node; // per vertex: `corners` nodes
    std::vector<float> weight;       // per vertex: their weights
    std::vector<std::uint32_t> cell; // per vertex
    Vec3 axes[3];                    // unit vectors, the longest extent first
};

// A node should stand for several vertices, or the fine unknowns would be solved for twice.
inline constexpr std::size_t least_vertices_per_node = 28;

CoarseSpace make_coarse_space(const std::vector<Vec3>& rest_positions);

} // namespace twang::core
