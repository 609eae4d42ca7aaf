// Sides and faces are matched by sorting their vertex indices.
#include "geometry/surface.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

namespace twang::core {

bool is_closed(std::span<const std::uint32_t> triangles) {
    if (triangles.empty()) return false;
    const auto side = [&](std::size_t corner, bool reversed) {
        const std::size_t next = corner % 3 == 2 ? corner - 2 : corner + 1;
        const std::uint64_t a = triangles[corner], b = triangles[next];
        return reversed ? (b << 32) | a : (a << 32) | b;
    };
    std::vector<std::uint64_t> sides(triangles.size()), reversed(triangles.size());
    for (std::size_t c = 0; c < triangles.size(); ++c)
        sides[c] = side(c, false), reversed[c] = side(c, true);
    std::sort(sides.begin(), sides.end());
    std::sort(reversed.begin(), reversed.end());
    return sides == reversed && std::adjacent_find(sides.begin(), sides.end()) == sides.end();
}

std::vector<Side> sides_of(std::span<const std::uint32_t> triangles) {
    std::vector<Side> sides;
    for (std::uint32_t c = 0; c < triangles.size(); ++c) {
        const auto [a, b] = std::minmax(triangles[c], triangles[c % 3 == 2 ? c - 2 : c + 1]);
        sides.push_back({a, b, c / 3});
    }
    std::sort(sides.begin(), sides.end(), [](const Side& s, const Side& t) {
        return std::tie(s.a, s.b, s.triangle) < std::tie(t.a, t.b, t.triangle);
    });
    sides.erase(std::unique(sides.begin(), sides.end(),
                            [](const Side& s, const Side& t) { return s.a == t.a && s.b == t.b; }),
                sides.end());
    return sides;
}

double enclosed_volume(std::span<const std::uint32_t> triangles, const Vec3* x) {
    if (triangles.empty()) return 0.0;
    const Vec3 origin = x[triangles[0]]; // a vertex: no digits are lost far from the world's origin
    double sum = 0.0;
    for (std::size_t t = 0; t < triangles.size(); t += 3)
        sum += dot(x[triangles[t]] - origin, area_vector(&triangles[t], x));
    return sum / 3.0;
}

std::vector<std::uint32_t> skin_of(std::span<const std::uint32_t> tetrahedra, const Vec3* x) {
    using Face = std::array<std::uint32_t, 3>;
    std::vector<Face> faces, keys;
    for (std::size_t t = 0; t < tetrahedra.size(); t += 4) {
        const std::uint32_t *v = &tetrahedra[t], a = v[0];
        std::uint32_t b = v[1], c = v[2];
        const std::uint32_t d = v[3];
        if (dot(cross(x[b] - x[a], x[c] - x[a]), x[d] - x[a]) < 0.0) std::swap(b, c);
        for (const Face& face : {Face{a, c, b}, Face{a, b, d}, Face{a, d, c}, Face{b, c, d}}) {
            faces.push_back(face);
            keys.push_back(face);
            std::sort(keys.back().begin(), keys.back().end());
        }
    }
    std::vector<std::uint32_t> by_key(faces.size());
    std::iota(by_key.begin(), by_key.end(), 0u);
    std::sort(by_key.begin(), by_key.end(),
              [&](std::uint32_t i, std::uint32_t j) { return keys[i] < keys[j]; });
    std::vector<char> is_boundary(faces.size(), 1);
    for (std::size_t i = 1; i < by_key.size(); ++i)
        if (keys[by_key[i]] == keys[by_key[i - 1]])
            is_boundary[by_key[i]] = is_boundary[by_key[i - 1]] = 0;
    std::vector<std::uint32_t> skin;
    for (std::size_t f = 0; f < faces.size(); ++f)
        if (is_boundary[f]) skin.insert(skin.end(), faces[f].begin(), faces[f].end());
    return skin;
}

} // namespace twang::core
