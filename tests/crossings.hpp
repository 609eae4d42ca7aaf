// How far layers of cloth go through each other: edges of one mesh that cross triangles of another,
// or of the same mesh where they share no vertex.
#pragma once

#include <array>
#include <map>
#include <set>

#include "contact_scenes.hpp"

namespace twang::test {

struct Layer {
    std::vector<Vec3> x;
    std::vector<std::array<std::uint32_t, 3>> triangles;
    std::vector<std::array<std::uint32_t, 2>> edges;
};

// A grid of quads in rows, each cut in two.
inline Layer grid_layer(std::vector<Vec3> x, std::uint32_t columns) {
    Layer layer{std::move(x), {}, {}};
    const auto rows = static_cast<std::uint32_t>(layer.x.size()) / columns;
    for (std::uint32_t row = 0; row < rows; ++row)
        for (std::uint32_t column = 0; column < columns; ++column) {
            const std::uint32_t i = row * columns + column;
            if (column + 1 < columns) layer.edges.push_back({i, i + 1});
            if (row + 1 < rows) layer.edges.push_back({i, i + columns});
            if (column + 1 == columns || row + 1 == rows) continue;
            layer.triangles.push_back({i, i + 1, i + columns + 1});
            layer.triangles.push_back({i, i + columns + 1, i + columns});
        }
    return layer;
}

// Whether the segment p q goes through the triangle a b c, by signed volumes.
inline bool crosses(Vec3 p, Vec3 q, Vec3 a, Vec3 b, Vec3 c) {
    const auto volume = [](Vec3 u, Vec3 v, Vec3 w) { return dot(u, core::cross(v, w)); };
    const double above = volume(p - a, b - a, c - a), below = volume(q - a, b - a, c - a);
    if ((above > 0.0) == (below > 0.0)) return false;
    const double ab = volume(q - p, a - p, b - p), bc = volume(q - p, b - p, c - p),
                 ca = volume(q - p, c - p, a - p);
    return (ab > 0.0) == (bc > 0.0) && (bc > 0.0) == (ca > 0.0);
}

// Edges of `one` through triangles of `other`, sought in a grid of cells.
inline int count_crossings(const Layer& one, const Layer& other) {
    double cell = 0.0;
    for (const auto& [a, b] : one.edges) cell = std::max(cell, length(one.x[a] - one.x[b]));
    for (const auto& t : other.triangles)
        for (int k = 0; k < 3; ++k)
            cell = std::max(cell, length(other.x[t[k]] - other.x[t[(k + 1) % 3]]));
    const auto cells = [&](std::initializer_list<Vec3> points, auto&& f) {
        Vec3 low = *points.begin(), high = low;
        for (const Vec3& p : points) low = core::least(low, p), high = core::greatest(high, p);
        for (int i = std::floor(low.x / cell); i <= std::floor(high.x / cell); ++i)
            for (int j = std::floor(low.y / cell); j <= std::floor(high.y / cell); ++j)
                for (int k = std::floor(low.z / cell); k <= std::floor(high.z / cell); ++k)
                    f(std::array<int, 3>{i, j, k});
    };
    std::map<std::array<int, 3>, std::vector<std::size_t>> grid;
    for (std::size_t t = 0; t < other.triangles.size(); ++t) {
        const auto& [a, b, c] = other.triangles[t];
        cells({other.x[a], other.x[b], other.x[c]}, [&](auto at) { grid[at].push_back(t); });
    }
    int count = 0;
    std::set<std::size_t> near;
    for (const auto& [p, q] : one.edges) {
        near.clear();
        cells({one.x[p], one.x[q]}, [&](auto at) {
            if (const auto found = grid.find(at); found != grid.end())
                near.insert(found->second.begin(), found->second.end());
        });
        for (const std::size_t t : near) {
            const auto& [a, b, c] = other.triangles[t];
            const auto meets = [&](std::uint32_t i) { return i == a || i == b || i == c; };
            if (&one == &other && (meets(p) || meets(q))) continue;
            count += crosses(one.x[p], one.x[q], other.x[a], other.x[b], other.x[c]);
        }
    }
    return count;
}

// Between all layers, and within each.
inline int count_crossings(const std::vector<Layer>& layers) {
    int count = 0;
    for (const Layer& one : layers)
        for (const Layer& other : layers) count += count_crossings(one, other);
    return count;
}

} // namespace twang::test
