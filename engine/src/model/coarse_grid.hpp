// The coarse unknowns of a body: the nodes of a regular grid laid along the main axes of its rest
// shape, as wide as it is, flat where it is flat. A vertex follows the corners of its grid cell by
// multilinear weights, so that every linear motion is among the coarse ones. A body that is too
// small for a grid has one node, and moves with it.
//
// A body has two of them. On the coarser grid few iterations are steadiest: where contacts act or
// a cloth is folded, a fine one takes too seriously what it sees at single vertices, and three
// iterations stretch the cloth twice as much. In the air, with iterations enough, flat bodies move
// on a fine grid: what the coarse one does not see is left undone there, and holds back folds.
#pragma once

#include <cstdint>
#include <vector>

#include "base/vec3.hpp"

namespace twang::core {

// Nodes along three axes.
struct CoarseGrid {
    Vec3 axes[3]{};      // unit vectors, the longest extent first
    Vec3 origin{};       // where node 0 is
    double spacing[3]{}; // m, of the nodes along the axes; 0 where there is one
    int counts[3]{1, 1, 1};

    int nodes() const { return counts[0] * counts[1] * counts[2]; }
    int corners() const; // of a cell: 1, 2, 4 or 8
    // The cell that a point is in, or the nearest.
    std::uint32_t cell_at(Vec3 point) const;
    // The corners of a cell and their multilinear weights at a point, which may be outside.
    void find_corners(std::uint32_t cell, Vec3 point, std::uint16_t* nodes, double* weights) const;
    Vec3 node_at(int node) const;
};

struct CoarseSpace {
    static constexpr int most_nodes = 196; // of the fine grid
    CoarseGrid grid;
    int nodes = 0;
    int corners = 0;                 // of a cell
    std::vector<std::uint16_t> node; // per vertex: `corners` nodes
    std::vector<float> weight;       // per vertex: their weights
    std::vector<std::uint32_t> cell; // per vertex
    // A spring from one cell to another takes the weights of one of them at both ends.
    bool one_cell_per_spring = false;

    std::size_t vertices() const { return cell.size(); }
};

// Of the coarser grid. A node stands for several vertices, or the fine unknowns would be solved for
// twice.
inline constexpr int most_coarse_nodes = 49;
inline constexpr std::size_t least_vertices_per_coarse_node = 28;
inline constexpr int fewest_iterations_in_air = 5;

CoarseSpace make_coarse_space(const std::vector<Vec3>& rest_positions, bool in_air);

} // namespace twang::core
