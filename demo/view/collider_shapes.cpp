#include "view/collider_shapes.hpp"

#include <numbers>

#include "simulation/surface.hpp"

namespace twang::demo {
namespace {

void append(std::vector<float>& list, Point p) { list.insert(list.end(), {p.x, p.y, p.z}); }

// Makes a capsule: the convex hull of two balls, one about the origin and one about `end`, with the
// poles along the axis. If one ball contains the other, the result is the larger ball.
SolidShape make_capsule(float radius, float end_radius, Point end, int slices, int stacks) {
    SolidShape shape;
    const float taper = radius - end_radius, reach = length(end);
    const bool is_ball = reach <= std::fabs(taper);
    if (is_ball && taper < 0) radius = end_radius;
    if (is_ball && taper > 0) end_radius = radius;
    const Point first = is_ball && taper < 0 ? end : Point{};
    const Point last = is_ball && taper > 0 ? Point{} : end;
    // The angle to the axis at which the cone between the balls touches both.
    const float touching = std::acos(is_ball ? 0.0f : taper / reach);
    const Point axis = normalized(reach > 0 ? end : Point{0, 1, 0});
    const Point side =
        normalized(cross(axis, std::fabs(axis.x) < 0.9f ? Point{1, 0, 0} : Point{0, 0, 1}));
    const Point other = cross(axis, side);
    const auto ring = [&](float polar, Point middle, float size) {
        for (int i = 0; i <= slices; ++i) {
            const float turn = 2 * std::numbers::pi_v<float> * i / slices;
            const Point normal = std::cos(polar) * axis +
                                 (std::sin(polar) * std::cos(turn)) * other +
                                 (std::sin(polar) * std::sin(turn)) * side;
            append(shape.normals, normal);
            append(shape.positions, middle + size * normal);
        }
    };
    const int half = stacks / 2;
    for (int j = 0; j <= half; ++j) ring(touching * j / half, last, end_radius);
    // The row of quads between the rings above and those below is the cone between the balls.
    for (int j = 0; j <= half; ++j) {
        ring(touching + (std::numbers::pi_v<float> - touching) * j / half, first, radius);
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

double end_radius_of(const ColliderDef& def) {
    return def.end_radius == TWANG_SAME ? def.radius : def.end_radius;
}

} // namespace

SolidShape make_unit_ball(int slices, int stacks) { return make_capsule(1, 1, {}, slices, stacks); }

SolidShape make_shape(const ColliderDef& def) {
    // Contact keeps vertices at the collider's thickness from its surface. 60 % of the thickness is
    // drawn as part of the collider, so that a resting cloth has no visible gap.
    const auto drawn = [&](double radius) {
        return static_cast<float>(radius + 0.6 * def.thickness);
    };
    switch (def.shape) {
    case TWANG_SHAPE_SPHERE: return make_capsule(drawn(def.radius), drawn(def.radius), {}, 48, 24);
    case TWANG_SHAPE_CAPSULE:
        return make_capsule(drawn(def.radius), drawn(end_radius_of(def)),
                            point(def.end) - point(def.centre), 48, 24);
    case TWANG_SHAPE_BOX: return make_box(point(def.half_extents));
    case TWANG_SHAPE_MESH: return make_mesh_shape(def);
    case TWANG_SHAPE_PLANE: break;
    }
    return {};
}

float distance_to(const ColliderDef& def, Point arm) {
    switch (def.shape) {
    case TWANG_SHAPE_SPHERE: return length(arm) - static_cast<float>(def.radius);
    case TWANG_SHAPE_MESH: break; // too slow: needs a search for the nearest triangle
    case TWANG_SHAPE_PLANE: return dot(arm, normalized(point(def.normal)));
    case TWANG_SHAPE_CAPSULE: {
        // A capsule is the union of balls about axis points with linearly varying radius; t is the
        // parameter of the ball nearest to the point.
        const Point axis = point(def.end) - point(def.centre);
        const auto radius = static_cast<float>(def.radius);
        const float taper = radius - static_cast<float>(end_radius_of(def));
        const float square = std::max(dot(axis, axis), 1e-20f);
        const float cone = std::sqrt(std::max(square - taper * taper, 1e-20f));
        const float foot = dot(arm, axis) / square;
        const float from_axis = length(arm - foot * axis);
        float t = std::clamp(foot - from_axis * taper / (cone * std::sqrt(square)), 0.0f, 1.0f);
        if (taper * taper >= square) t = taper > 0 ? 0.0f : 1.0f;
        return length(arm - t * axis) - radius + t * taper;
    }
    case TWANG_SHAPE_BOX: {
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
