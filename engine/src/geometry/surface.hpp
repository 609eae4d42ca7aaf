// Surfaces of triangles: whether a surface is closed, the volume inside, the list of sides, and the
// surface of a mesh of tetrahedra. Meshes are lists of vertex indices, 3 per triangle and 4 per
// tetrahedron; this file knows nothing about springs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/vec3.hpp"

namespace twang::core {

// Returns a vector whose length is the area of the triangle, m^2. The vector points to the side
// from which the corners are seen counter-clockwise.
inline Vec3 area_vector(const std::uint32_t* triangle, const Vec3* x) {
    const Vec3 a = x[triangle[0]];
    return 0.5 * cross(x[triangle[1]] - a, x[triangle[2]] - a);
}

// Returns whether every side of a triangle coincides with exactly one side of another, of the
// opposite direction. False without triangles.
bool is_closed(std::span<const std::uint32_t> triangles);

// Returns the volume inside a closed surface, m^3; negative if the surface is inside out.
double enclosed_volume(std::span<const std::uint32_t> triangles, const Vec3* x);

// A side of one or more triangles.
struct Side {
    std::uint32_t a, b;     // a < b
    std::uint32_t triangle; // the first triangle with this side
};
// Returns each side of the triangles once, ordered by (a, b).
std::vector<Side> sides_of(std::span<const std::uint32_t> triangles);

// Returns the triangles that belong to only one tetrahedron, counter-clockwise seen from outside.
std::vector<std::uint32_t> skin_of(std::span<const std::uint32_t> tetrahedra, const Vec3* x);

} // namespace twang::core
