#include "collider_shapes.hpp"

#include <numbers>

#include "surface.hpp"

namespace twang::demo {
namespace {

void append(std::vector<float>& list, Point p) { list.insert(list.end(), {p.x, p.y, p.z}); }

// A ball of this radius whose upper half is moved by `end`, along which its poles lie: a capsule.
SolidShape make_capsule(float radius, Point end, int slices, int stacks) {
    SolidShape shape;
    const Point axis = normalized(length(end) > 0 ? end : Point{0, 1, 0});
    const Point side =
        normalized(cross(axis, std::fabs(axis.x) < 0.9f ? Point{1, 0, 0} : Point{0, 0, 1}));
    const Point other = cross(axis, side);
    const auto ring = [&](float polar, Point middle) {
        for (int i = 0; i <= slices; ++i) {
            const float turn = 2 * std::numbers::pi_v<float> * i / slices;
            const Point normal = std::cos(polar) * axis +
                                 (std::sin(polar) * std::cos(turn)) * other +
                                 (std::sin(polar) * std::sin(turn)) * side;
            append(shape.normals, normal);
            append(shape.positions, middle + radius * normal);
        }
    };
    for (int j = 0; j <= stacks; ++j) {
        const float polar = std::numbers::pi_v<float> * j / stacks;
        ring(polar, 2 * j <= stacks ? end : Point{});
        if (2 * j == stacks) ring(polar, {}); // the equator twice, with the cylinder between
    }
    const std::uint32_t row = slices + 1;
    const std::uint32_t rows = static_cast<std::uint32_t>(shape.positions.size() / 3) / row;
    for (std::uint32_t j = 0; j + 1 < rows; ++j) {
        for (std::uint32_t i = 0; i + 1 < row; ++i) {
            const std::uint32_t a = j * row + i, b = a + row;
            shape.triangles.insert(shape.triangles.end(), {a, b + 1, b, a, a + 1, b + 1});
        }
    }
    return shape;
}

SolidShape make_box(Point half) {
    SolidShape shape;
    for (int axis = 0; axis < 3; ++axis) {
        for (const float sign : {-1.0f, 1.0f}) {
            const float unit[3] = {axis == 0 ? sign : 0, axis == 1 ? sign : 0,
                                   axis == 2 ? sign : 0};
            const Point normal = point(unit);
            const Point u = {unit[1] * unit[1], unit[2] * unit[2], unit[0] * unit[0]};
            const Point v = cross(normal, u);
            const auto first = static_cast<std::uint32_t>(shape.positions.size() / 3);
            for (const auto& [s, t] :
                 {std::pair{-1.f, -1.f}, {1.f, -1.f}, {1.f, 1.f}, {-1.f, 1.f}}) {
                const Point corner = normal + s * u + t * v;
                append(shape.positions, {half.x * corner.x, half.y * corner.y, half.z * corner.z});
                append(shape.normals, normal);
            }
            shape.triangles.insert(shape.triangles.end(),
                                   {first, first + 1, first + 2, first, first + 2, first + 3});
        }
    }
    return shape;
}

SolidShape make_mesh_shape(const ColliderDef& def) {
    SolidShape shape;
    shape.positions.assign(def.positions, def.positions + 3 * std::size_t{def.vertex_count});
    shape.triangles.assign(def.triangles, def.triangles + 3 * std::size_t{def.triangle_count});
    smooth_normals(shape.positions, shape.triangles, shape.normals);
    return shape;
}

} // namespace

SolidShape make_unit_ball(int slices, int stacks) { return make_capsule(1, {}, slices, stacks); }

SolidShape make_shape(const ColliderDef& def) {
    // What keeps its distance lies on what is drawn: most of the thickness is drawn with it.
    const auto radius = static_cast<float>(def.radius + 0.6 * def.thickness);
    switch (def.shape) {
    case TWANG_SPHERE: return make_capsule(radius, {}, 48, 24);
    case TWANG_CAPSULE: return make_capsule(radius, point(def.end) - point(def.centre), 48, 24);
    case TWANG_BOX: return make_box(point(def.half_extents));
    case TWANG_MESH: return make_mesh_shape(def);
    case TWANG_PLANE: break;
    }
    return {};
}

float distance_to(const ColliderDef& def, Point arm) {
    switch (def.shape) {
    case TWANG_SPHERE: return length(arm) - static_cast<float>(def.radius);
    case TWANG_MESH: break; // not worth a search for the nearest triangle
    case TWANG_PLANE: return dot(arm, normalized(point(def.normal)));
    case TWANG_CAPSULE: {
        const Point axis = point(def.end) - point(def.centre);
        const float along =
            std::clamp(dot(arm, axis) / std::max(dot(axis, axis), 1e-20f), 0.0f, 1.0f);
        return length(arm - along * axis) - static_cast<float>(def.radius);
    }
    case TWANG_BOX: {
        const Point half = point(def.half_extents);
        const Point out = {std::fabs(arm.x) - half.x, std::fabs(arm.y) - half.y,
                           std::fabs(arm.z) - half.z};
        const float inside = std::min(0.0f, std::max({out.x, out.y, out.z}));
        return length(highest(out, {})) + inside;
    }
    }
    return 1e30f;
}

} // namespace twang::demo
