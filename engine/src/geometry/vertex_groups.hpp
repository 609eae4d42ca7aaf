// Vertices that lie close together at rest, in groups, and bounds on how near a group may be to a
// shape: what a search for contacts asks before it measures any distance.
//
// Elimination order takes neighbours apart: groups of it are strips as long as the body. Vertex
// groups come from halving the rest shape along its longest axis until `size` are left. They are
// made once per model and depend on the rest positions alone.
//
// A rejection is sure: a point that is rejected is farther from the shape than its reach, also when
// the distance is computed in another order of operations. Of the other points nothing is known. So
// a search that measures only what is not rejected finds the same to the last bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/vec3.hpp"

namespace twang::core {

struct VertexGroups {
    static constexpr std::size_t size = 32; // of all groups but the last
    std::vector<std::uint32_t> vertices;    // group by group; in each, the most central comes first

    std::size_t count() const { return (vertices.size() + size - 1) / size; }
    std::span<const std::uint32_t> operator[](std::size_t group) const {
        const std::size_t begin = group * size;
        return std::span(vertices).subspan(begin, std::min(size, vertices.size() - begin));
    }
};

VertexGroups make_vertex_groups(std::span<const Vec3> rest_positions);

struct BoundingSphere {
    Vec3 centre{};
    double radius = 0.0;
};

// The points of a group, coordinate by coordinate, for loops over eight at a time. The first one is
// in the middle.
struct GroupPoints {
    static constexpr std::size_t lanes = 8;
    std::size_t count = 0; // a multiple of `lanes`: the last point is repeated
    alignas(64) double x[VertexGroups::size];
    alignas(64) double y[VertexGroups::size];
    alignas(64) double z[VertexGroups::size];

    GroupPoints(std::span<const std::uint32_t> vertices, const Vec3* positions);
    BoundingSphere bounds() const;
};

// For each point of a group: how near it must be to a shape to matter, and whether it is not.
struct Rejection {
    alignas(64) double reach[VertexGroups::size];  // m; one per point, the repeated ones included
    alignas(64) double excess[VertexGroups::size]; // above 0: the point is farther than its reach

    bool rejects(std::size_t point) const { return excess[point] > 0.0; } // not for a NaN
    // Against a ball and all places that it takes on a way of `arm`,
    void by_capsule(const GroupPoints& points, Vec3 centre, Vec3 arm, double radius);
    // what lies below a plane,
    void by_plane(const GroupPoints& points, Vec3 centre, Vec3 normal);
    // and a box about `middle`, which is turned about `centre`.
    void by_box(const GroupPoints& points, Vec3 centre, const Turn& turn, Vec3 middle, Vec3 half);
};

} // namespace twang::core
