#include "coarse_space.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "jacobi.hpp"

namespace twang::core {

namespace {

struct Extent {
    double low, high;
    double size() const { return high - low; }
};

// Nodes along each axis (longest first) for cells as near to cubes as can be.
std::array<int, 3> count_nodes(const std::array<Extent, 3>& extents, std::size_t vertices) {
    const int most = std::min<int>(
        CoarseSpace::most_nodes,
        static_cast<int>(std::min<std::size_t>(vertices, 100000) / least_vertices_per_node));
    for (int along = most; along >= 2; --along) {
        const double spacing = extents[0].size() / (along - 1);
        std::array<int, 3> counts{along, 1, 1};
        for (int axis = 1; axis < 3; ++axis)
            if (extents[axis].size() > 0.5 * spacing)
                counts[axis] = 1 + std::max(1, int(std::lround(extents[axis].size() / spacing)));
        if (counts[0] * counts[1] * counts[2] <= most) return counts;
    }
    return {1, 1, 1};
}

} // namespace

CoarseSpace make_coarse_space(const std::vector<Vec3>& x) {
    CoarseSpace space;
    const std::size_t n = x.size();
    Vec3 centre{};
    for (const Vec3& p : x) centre += (1.0 / static_cast<double>(n)) * p;
    std::vector<double> spread(9, 0.0);
    for (const Vec3& p : x) {
        const Vec3 d = p - centre;
        const double c[3] = {d.x, d.y, d.z};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) spread[3 * i + j] += c[i] * c[j];
    }
    const std::vector<double> v = jacobi_eigenvectors(spread, 3, 1e-9);
    for (int k = 0; k < 3; ++k) space.axes[k] = {v[k], v[3 + k], v[6 + k]};
    const auto extent_along = [&](Vec3 axis) {
        Extent extent{0.0, 0.0};
        for (const Vec3& p : x) {
            const double t = dot(axis, p - centre);
            extent = {std::min(extent.low, t), std::max(extent.high, t)};
        }
        return extent;
    };
    for (const int k : {0, 1, 0}) // longest first; equal ones keep their order
        if (extent_along(space.axes[k]).size() < extent_along(space.axes[k + 1]).size())
            std::swap(space.axes[k], space.axes[k + 1]);
    std::array<Extent, 3> extents;
    for (int axis = 0; axis < 3; ++axis) extents[axis] = extent_along(space.axes[axis]);
    const std::array<int, 3> counts =
        extents[0].size() > 0.0 ? count_nodes(extents, n) : std::array<int, 3>{1, 1, 1};

    space.corners = 1;
    for (const int count : counts) space.corners *= count > 1 ? 2 : 1;
    space.node.reserve(n * space.corners);
    space.weight.reserve(n * space.corners);
    space.cell.reserve(n);
    for (const Vec3& p : x) {
        int base[3];
        double part[3];
        for (int axis = 0; axis < 3; ++axis) {
            const double t = (dot(space.axes[axis], p - centre) - extents[axis].low) /
                             std::max(extents[axis].size(), 1e-300) * (counts[axis] - 1);
            base[axis] = std::clamp(static_cast<int>(t), 0, std::max(counts[axis] - 2, 0));
            part[axis] = counts[axis] > 1 ? std::clamp(t - base[axis], 0.0, 1.0) : 0.0;
        }
        const auto index = [&](int i, int j, int k) { return (i * counts[1] + j) * counts[2] + k; };
        space.cell.push_back(index(base[0], base[1], base[2]));
        for (int corner = 0; corner < 8; ++corner) {
            const int up[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
            double weight = 1.0;
            bool inside = true;
            for (int axis = 0; axis < 3; ++axis) {
                inside = inside && (up[axis] == 0 || counts[axis] > 1);
                weight *= up[axis] ? part[axis] : 1.0 - part[axis];
            }
            if (!inside) continue;
            space.node.push_back(static_cast<std::uint16_t>(
                index(base[0] + up[0], base[1] + up[1], base[2] + up[2])));
            space.weight.push_back(static_cast<float>(weight));
        }
    }
    space.nodes = counts[0] * counts[1] * counts[2];
    return space;
}

} // namespace twang::core
