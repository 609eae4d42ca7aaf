// Groups of vertices that lie close together at rest, and bounds on the distance from a group to a
// shape: the broad phase of the search for contacts.
//
// The elimination order does not serve as groups: that order separates neighbours, and 32
// consecutive vertices of it may be a strip as long as the body. make_vertex_groups halves the rest
// shape along its longest axis until `size` vertices are left. Groups are made once per model and
// depend only on the rest positions.
//
// A rejection is conservative: a rejected point is farther from the shape than its reach, even if
// the distance is computed in another order of operations. About other points a Rejection says
// nothing. So a search that measures only points that are not rejected has the same result to the
// last bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/vec3.hpp"

namespace twang::core {

struct VertexGroups {
    static constexpr std::size_t size = 32; // vertices per group; the last group may have fewer
    std::vector<std::uint32_t> vertices;    // group by group; the most central vertex first

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

// The points of a group as arrays of x, y and z, for loops over eight at a time. The first point is
// the most central.
struct GroupPoints {
    static constexpr std::size_t lanes = 8;
    std::size_t count = 0; // a multiple of `lanes`: copies of the last point fill up
    alignas(64) double x[VertexGroups::size];
    alignas(64) double y[VertexGroups::size];
    alignas(64) double z[VertexGroups::size];

    GroupPoints(std::span<const std::uint32_t> vertices, const Vec3* positions);
    // Returns a sphere about the first point that holds all points.
    BoundingSphere bounds() const;
};

// Tests the points of a group against a shape. `reach` is the distance within which a point
// matters; by_...() computes `excess`.
struct Rejection {
    alignas(64) double reach[VertexGroups::size];  // m; one per point, copies included
    alignas(64) double excess[VertexGroups::size]; // above 0: farther from the shape than the reach

    bool rejects(std::size_t point) const { return excess[point] > 0.0; } // false for a NaN
    // Tests against a sphere in all its places on a path of `arm`: a capsule.
    void by_capsule(const GroupPoints& points, Vec3 centre, Vec3 arm, double radius);
    // Tests against the half-space below a plane.
    void by_plane(const GroupPoints& points, Vec3 centre, Vec3 normal);
    // Tests against a box about `middle`, rotated about `centre`.
    void by_box(const GroupPoints& points, Vec3 centre, const Rotation& turn, Vec3 middle,
                Vec3 half);
};

} // namespace twang::core
