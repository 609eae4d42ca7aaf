// The coarse unknowns of a body, for the two-level correction of system/coarse.hpp: the nodes of a
// regular grid along the principal axes of the rest shape. The grid has the extent of the body, and
// one node along an axis in which the body is flat. A vertex follows the corners of its grid cell
// by multilinear weights, x_i = sum_c u_ic X_c, so that the coarse space contains every linear
// motion. A body that is too small for a grid has one node, which translates the body.
//
// A body has two coarse spaces. The coarser grid is the most stable with few iterations: where
// contacts act or a cloth is folded, a fine grid reacts too strongly to forces at single vertices,
// and three iterations then stretch the cloth twice as much. Without contacts, and with
// min_iterations_on_fine_grid or more, flat bodies use the fine grid: errors that the coarser grid
// cannot represent would remain there and suppress folds.
#pragma once

#include <cstdint>
#include <vector>

#include "base/vec3.hpp"

namespace twang::core {

// Regular grid of nodes along three axes.
struct CoarseGrid {
    Vec3 axes[3]{};      // unit vectors, the longest extent first
    Vec3 origin{};       // position of node 0
    double spacing[3]{}; // m, between nodes along each axis; 0 where there is one node
    int counts[3]{1, 1, 1};

    int nodes() const { return counts[0] * counts[1] * counts[2]; }
    int corners() const; // per cell: 1, 2, 4 or 8
    // Returns the cell that contains a point, or the nearest cell.
    std::uint32_t cell_at(Vec3 point) const;
    // Finds the corners of a cell and their multilinear weights at a point, which may lie outside
    // the cell.
    void find_corners(std::uint32_t cell, Vec3 point, std::uint16_t* nodes, double* weights) const;
    Vec3 node_at(int node) const;
};

struct CoarseSpace {
    static constexpr int max_nodes = 196; // of the fine grid
    CoarseGrid grid;
    int nodes = 0;
    int corners = 0;                 // of a cell
    std::vector<std::uint16_t> node; // per vertex: `corners` nodes
    std::vector<float> weight;       // per vertex: their weights
    std::vector<std::uint32_t> cell; // per vertex
    // If true, a spring between two cells takes the weights of one of these cells at both ends.
    bool one_cell_per_spring = false;

    std::size_t vertices() const { return cell.size(); }
};

// Limits of the coarser grid. A node must stand for several vertices, or the coarse solve would
// repeat the fine one.
inline constexpr int max_coarse_nodes = 49;
inline constexpr std::size_t min_vertices_per_coarse_node = 28;
inline constexpr int min_iterations_on_fine_grid = 5;

CoarseSpace make_coarse_space(const std::vector<Vec3>& rest_positions, bool in_air);

} // namespace twang::core
