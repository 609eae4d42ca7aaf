// Triangles as a surface: whether they enclose a volume, which, and the skin of tetrahedra. Lists
// of vertex indices, 3 or 4 each; nothing about springs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/vec3.hpp"

namespace twang::core {

// Its length is the area; it points to where the corners are seen counter-clockwise.
inline Vec3 area_vector(const std::uint32_t* triangle, const Vec3* x) {
    const Vec3 a = x[triangle[0]];
    return 0.5 * cross(x[triangle[1]] - a, x[triangle[2]] - a);
}

// Every side meets exactly one other side, which runs the opposite way. Not for no triangles.
bool is_closed(std::span<const std::uint32_t> triangles);

// What a closed surface encloses, in m^3; below 0 when it is inside out.
double enclosed_volume(std::span<const std::uint32_t> triangles, const Vec3* x);

// A side of one triangle or of several.
struct Side {
    std::uint32_t a, b;     // a < b
    std::uint32_t triangle; // the first that has it
};
// Each side of the triangles once, by ascending vertices.
std::vector<Side> sides_of(std::span<const std::uint32_t> triangles);

// The triangles that belong to one tetrahedron only, seen counter-clockwise from outside.
std::vector<std::uint32_t> skin_of(std::span<const std::uint32_t> tetrahedra, const Vec3* x);

} // namespace twang::core
