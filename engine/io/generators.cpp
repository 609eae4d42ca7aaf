// Grids, ropes, blocks, balloons and jellies. See generators.hpp.
#include "generators.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace twang::io {

namespace {

void append(std::vector<double>& positions, Vec3 p) {
    positions.insert(positions.end(), {p.x, p.y, p.z});
}

// Corners on the unit sphere, by square roots alone: sines differ in their last bit between
// machines.
std::vector<Vec3> icosahedron() {
    const double root = std::sqrt(5.0), height = 1.0 / root, ring = 2.0 / root;
    const std::array<double, 5> cosine = {1.0, (root - 1.0) / 4.0, (-root - 1.0) / 4.0,
                                          (-root - 1.0) / 4.0, (root - 1.0) / 4.0};
    const double sine1 = std::sqrt(10.0 + 2.0 * root) / 4.0;
    const double sine2 = std::sqrt(10.0 - 2.0 * root) / 4.0;
    const std::array<double, 5> sine = {0.0, sine1, sine2, -sine2, -sine1};
    std::vector<Vec3> corners = {{0.0, -1.0, 0.0}};
    for (int i = 0; i < 5; ++i) corners.push_back({ring * cosine[i], -height, ring * sine[i]});
    for (int i = 0; i < 5; ++i) corners.push_back({-ring * cosine[i], height, -ring * sine[i]});
    corners.push_back({0.0, 1.0, 0.0});
    return corners;
}

using Triangles = std::vector<std::uint32_t>;

// Corners 1 ... 5 are the lower ring; corner 6 + i lies opposite corner 1 + i.
Triangles icosahedron_faces() {
    Triangles faces;
    for (std::uint32_t i = 0; i < 5; ++i) {
        const std::uint32_t next = (i + 1) % 5, low = 1 + i, low_next = 1 + next;
        const std::uint32_t above = 6 + (i + 3) % 5, above_before = 6 + (i + 2) % 5;
        faces.insert(faces.end(), {0, low, low_next, low, above, low_next, low, above_before, above,
                                   above_before, 11, above});
    }
    return faces;
}

// Divides each triangle in four, with new vertices at the middles of the sides, moved onto the
// sphere.
Triangles divide(const Triangles& faces, std::vector<Vec3>& corners) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
        const auto [found, is_new] =
            middles.try_emplace(std::minmax(a, b), static_cast<std::uint32_t>(corners.size()));
        if (is_new) {
            const Vec3 p = corners[a], q = corners[b];
            const Vec3 sum{p.x + q.x, p.y + q.y, p.z + q.z};
            const double length = std::sqrt(sum.x * sum.x + sum.y * sum.y + sum.z * sum.z);
            corners.push_back({sum.x / length, sum.y / length, sum.z / length});
        }
        return found->second;
    };
    Triangles divided;
    for (std::size_t f = 0; f < faces.size(); f += 3) {
        const std::uint32_t a = faces[f], b = faces[f + 1], c = faces[f + 2];
        const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
        divided.insert(divided.end(), {a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca});
    }
    return divided;
}

} // namespace

Mesh make_grid(const ClothDef& def) {
    Mesh mesh;
    const std::size_t count = std::size_t{def.columns} * def.rows;
    mesh.positions.reserve(3 * count);
    mesh.texture.reserve(2 * count);
    mesh.quads.reserve(4 * count);
    for (std::uint32_t row = 0; row < def.rows; ++row) {
        for (std::uint32_t column = 0; column < def.columns; ++column) {
            const double c = def.spacing * column, r = def.spacing * row;
            append(mesh.positions, {def.origin.x + c * def.across.x + r * def.down.x,
                                    def.origin.y + c * def.across.y + r * def.down.y,
                                    def.origin.z + c * def.across.z + r * def.down.z});
            mesh.texture.push_back(static_cast<double>(column) / (def.columns - 1));
            mesh.texture.push_back(1.0 - static_cast<double>(row) / (def.rows - 1));
        }
    }
    for (std::uint32_t row = 0; row + 1 < def.rows; ++row) {
        for (std::uint32_t column = 0; column + 1 < def.columns; ++column) {
            const std::uint32_t corner = row * def.columns + column;
            const std::uint32_t below = corner + def.columns;
            mesh.quads.insert(mesh.quads.end(), {corner, below, below + 1, corner + 1});
        }
    }
    return mesh;
}

Mesh make_rope(std::uint32_t vertices, Vec3 from, Vec3 to) {
    Mesh mesh;
    for (std::uint32_t i = 0; i < vertices; ++i) {
        const double t = static_cast<double>(i) / (vertices - 1);
        append(mesh.positions, {from.x + t * (to.x - from.x), from.y + t * (to.y - from.y),
                                from.z + t * (to.z - from.z)});
        mesh.polylines.push_back(i);
    }
    return mesh;
}

Mesh make_block(std::array<std::uint32_t, 3> cells, Vec3 size, Vec3 origin) {
    const std::array<std::uint32_t, 3> strides = {1, cells[0] + 1, (cells[0] + 1) * (cells[1] + 1)};
    // A path along the three axes, in one of six orders, leads from the lowest corner of a cell to
    // the highest; its four corners are one tetrahedron. An odd order is mirrored: two corners are
    // swapped.
    struct Walk {
        std::array<std::uint8_t, 3> axes;
        bool odd;
    };
    constexpr std::array<Walk, 6> walks = {{{{0, 1, 2}, false},
                                            {{1, 2, 0}, false},
                                            {{2, 0, 1}, false},
                                            {{0, 2, 1}, true},
                                            {{2, 1, 0}, true},
                                            {{1, 0, 2}, true}}};
    Mesh mesh;
    for (std::uint32_t k = 0; k <= cells[2]; ++k) {
        for (std::uint32_t j = 0; j <= cells[1]; ++j) {
            for (std::uint32_t i = 0; i <= cells[0]; ++i) {
                append(mesh.positions,
                       {origin.x + size.x * i / cells[0], origin.y + size.y * j / cells[1],
                        origin.z + size.z * k / cells[2]});
                if (i == cells[0] || j == cells[1] || k == cells[2]) continue;
                const std::uint32_t lowest = i + strides[1] * j + strides[2] * k;
                for (const Walk& walk : walks) {
                    std::uint32_t first = lowest + strides[walk.axes[0]];
                    std::uint32_t second = first + strides[walk.axes[1]];
                    const std::uint32_t highest = second + strides[walk.axes[2]];
                    if (walk.odd) std::swap(first, second);
                    mesh.tetrahedra.insert(mesh.tetrahedra.end(), {lowest, first, second, highest});
                }
            }
        }
    }
    return mesh;
}

Mesh make_balloon(const Balloon& balloon) {
    std::vector<Vec3> corners = icosahedron();
    Mesh mesh;
    mesh.triangles = icosahedron_faces();
    for (std::uint32_t i = 0; i < balloon.subdivisions; ++i)
        mesh.triangles = divide(mesh.triangles, corners);
    const Vec3 centre = balloon.centre;
    for (const Vec3& p : corners)
        append(mesh.positions, {centre.x + balloon.radius * p.x, centre.y + balloon.radius * p.y,
                                centre.z + balloon.radius * p.z});
    if (balloon.string_vertices > 0) mesh.polylines.push_back(0);
    for (std::uint32_t i = 1; i <= balloon.string_vertices; ++i) {
        mesh.polylines.push_back(mesh.vertex_count());
        append(mesh.positions,
               {centre.x, centre.y - balloon.radius - balloon.string * i / balloon.string_vertices,
                centre.z});
    }
    return mesh;
}

Mesh make_jelly(const JellyDef& def) {
    Mesh mesh = make_block({def.across, def.up, def.across}, {2.0, 1.0, 2.0}, {-1.0, 0.0, -1.0});
    constexpr double flute = 0.07; // half the depth of a flute, as a share of the radius
    for (std::size_t i = 0; i < mesh.positions.size(); i += 3) {
        double& x = mesh.positions[i];
        double& y = mesh.positions[i + 1];
        double& z = mesh.positions[i + 2];
        const double from_middle = std::fmax(std::fabs(x), std::fabs(z)); // 1 on the sides
        const double round = from_middle > 0.0 ? from_middle / std::hypot(x, z) : 0.0;
        const double u = round * x, v = round * z; // maps concentric squares to circles
        const double wave = 0.5 - 0.5 * std::cos(def.flutes * std::atan2(v, u));
        const double taper = 1.0 - 0.3 * y - 0.08 * y * y * y * y;
        const double reach = def.radius * taper * (1.0 - 2.0 * flute * wave * from_middle);
        const double dome = 1.0 - 0.12 * y * (u * u + v * v);
        x = def.base.x + reach * u;
        y = def.base.y + def.height * y * dome;
        z = def.base.z + reach * v;
    }
    return mesh;
}

} // namespace twang::io
