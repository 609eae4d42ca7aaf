// Grid counts from the extents of the rest shape, and the multilinear weights of the vertices.
#include "model/coarse_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "linear/jacobi.hpp"

namespace twang::core {

namespace {

// Limits of the fine grid: vertices per node, and vertices of a body large enough for a fine grid.
constexpr std::size_t min_vertices_per_fine_node = 12, min_vertices_for_fine_grid = 100;
// Fraction of the spacing: nearer points lie on the plane of nodes.
constexpr double node_plane_tolerance = 1e-6;

struct Extent {
    double low, high;
    double size() const { return high - low; }
};

// Returns the number of nodes along each axis (longest first) for cells as near to cubes as
// possible.
std::array<int, 3> count_nodes(const std::array<Extent, 3>& extents, int max_count) {
    for (int along = max_count; along >= 2 && extents[0].size() > 0.0; --along) {
        const double spacing = extents[0].size() / (along - 1);
        std::array<int, 3> counts{along, 1, 1};
        for (int axis = 1; axis < 3; ++axis)
            if (extents[axis].size() > 0.5 * spacing)
                counts[axis] = 1 + std::max(1, int(std::lround(extents[axis].size() / spacing)));
        if (counts[0] * counts[1] * counts[2] <= max_count) return counts;
    }
    return {1, 1, 1};
}

} // namespace

int CoarseGrid::corners() const {
    int corners = 1;
    for (const int count : counts) corners *= count > 1 ? 2 : 1;
    return corners;
}

std::uint32_t CoarseGrid::cell_at(Vec3 point) const {
    std::uint32_t cell = 0;
    for (int axis = 0; axis < 3; ++axis) {
        int base = 0;
        if (counts[axis] > 1) {
            const double along = dot(axes[axis], point - origin) / spacing[axis];
            base = static_cast<int>(std::clamp(along, 0.0, counts[axis] - 2.0));
        }
        cell = cell * counts[axis] + base;
    }
    return cell;
}

void CoarseGrid::find_corners(std::uint32_t cell, Vec3 point, std::uint16_t* nodes,
                              double* weights) const {
    int base[3];
    double part[3] = {};
    for (int axis = 2; axis >= 0; --axis) {
        base[axis] = static_cast<int>(cell % counts[axis]);
        cell /= counts[axis];
        if (counts[axis] == 1) continue;
        part[axis] = dot(axes[axis], point - origin) / spacing[axis] - base[axis];
        if (const double whole = std::round(part[axis]);
            std::abs(part[axis] - whole) < node_plane_tolerance)
            part[axis] = whole;
    }
    for (int corner = 0; corner < 8; ++corner) {
        double weight = 1.0;
        bool inside = true;
        int node = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const int up = corner >> axis & 1;
            inside = inside && (up == 0 || counts[axis] > 1);
            weight *= up ? part[axis] : 1.0 - part[axis];
            node = node * counts[axis] + base[axis] + up;
        }
        if (!inside) continue;
        *nodes++ = static_cast<std::uint16_t>(node);
        *weights++ = weight;
    }
}

Vec3 CoarseGrid::node_at(int node) const {
    Vec3 point = origin;
    for (int axis = 2; axis >= 0; --axis) {
        point += (node % counts[axis] * spacing[axis]) * axes[axis];
        node /= counts[axis];
    }
    return point;
}

CoarseSpace make_coarse_space(const std::vector<Vec3>& x, bool in_air) {
    CoarseSpace space;
    CoarseGrid& grid = space.grid;
    const std::size_t n = x.size();
    Vec3 centre{};
    for (const Vec3& p : x) centre += (1.0 / static_cast<double>(n)) * p;
    std::vector<double> covariance(9, 0.0);
    for (const Vec3& p : x) {
        const Vec3 d = p - centre;
        const double c[3] = {d.x, d.y, d.z};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) covariance[3 * i + j] += c[i] * c[j];
    }
    const std::vector<double> v = jacobi_eigenvectors(covariance, 3, 1e-9);
    for (int k = 0; k < 3; ++k) grid.axes[k] = {v[k], v[3 + k], v[6 + k]};
    const auto extent_along = [&](Vec3 axis) {
        Extent extent{0.0, 0.0};
        for (const Vec3& p : x) {
            const double t = dot(axis, p - centre);
            extent = {std::min(extent.low, t), std::max(extent.high, t)};
        }
        return extent;
    };
    for (const int k : {0, 1, 0}) // longest first; equal extents keep their order
        if (extent_along(grid.axes[k]).size() < extent_along(grid.axes[k + 1]).size())
            std::swap(grid.axes[k], grid.axes[k + 1]);
    std::array<Extent, 3> extents;
    grid.origin = centre;
    for (int axis = 0; axis < 3; ++axis) {
        extents[axis] = extent_along(grid.axes[axis]);
        grid.origin += extents[axis].low * grid.axes[axis];
    }

    const auto nodes_for = [&](int max_count, std::size_t vertices_per_node) {
        return count_nodes(
            extents, static_cast<int>(std::min<std::size_t>(max_count, n / vertices_per_node)));
    };
    std::array<int, 3> counts = nodes_for(max_coarse_nodes, min_vertices_per_coarse_node);
    if (in_air && counts[2] == 1 && n >= min_vertices_for_fine_grid) {
        counts = nodes_for(CoarseSpace::max_nodes, min_vertices_per_fine_node);
        space.one_cell_per_spring = true;
    }
    for (int axis = 0; axis < 3; ++axis) {
        grid.counts[axis] = counts[axis];
        grid.spacing[axis] = counts[axis] > 1 ? extents[axis].size() / (counts[axis] - 1) : 0.0;
    }
    space.nodes = grid.nodes();
    space.corners = grid.corners();
    space.node.resize(n * space.corners);
    space.weight.reserve(n * space.corners);
    for (std::size_t i = 0; i < n; ++i) {
        double weights[8];
        space.cell.push_back(grid.cell_at(x[i]));
        grid.find_corners(space.cell.back(), x[i], &space.node[i * space.corners], weights);
        for (int c = 0; c < space.corners; ++c)
            space.weight.push_back(static_cast<float>(std::clamp(weights[c], 0.0, 1.0)));
    }
    return space;
}

} // namespace twang::core
