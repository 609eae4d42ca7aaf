#include "surface.hpp"

#include <algorithm>

namespace twang::core {

bool is_closed(std::span<const std::uint32_t> triangles) {
    if (triangles.empty()) return false;
    const auto side = [&](std::size_t corner, bool turned) {
        const std::size_t next = corner % 3 == 2 ? corner - 2 : corner + 1;
        const std::uint64_t a = triangles[corner], b = triangles[next];
        return turned ? (b << 32) | a : (a << 32) | b;
    };
    std::vector<std::uint64_t> sides(triangles.size()), turned(triangles.size());
    for (std::size_t c = 0; c < triangles.size(); ++c)
        sides[c] = side(c, false), turned[c] = side(c, true);
    std::sort(sides.begin(), sides.end());
    std::sort(turned.begin(), turned.end());
    return sides == turned && std::adjacent_find(sides.begin(), sides.end()) == sides.end();
}

double enclosed_volume(std::span<const std::uint32_t> triangles, const Vec3* x) {
    if (triangles.empty()) return 0.0;
    const Vec3 origin = x[triangles[0]]; // near by: no digits are lost far from the world's origin
    double sum = 0.0;
    for (std::size_t t = 0; t < triangles.size(); t += 3)
        sum += dot(x[triangles[t]] - origin, area_vector(&triangles[t], x));
    return sum / 3.0;
}

} // namespace twang::core
