#include "world/forces.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace twang::core {

namespace {

constexpr double max_compression = 16.0; // rest volume / volume

// Force of the air on one triangle, see forces.hpp. The lift is along the part of the normal across
// the wind, so that it takes no power from the air.
AirOnTriangle air_force_on(const std::uint32_t* triangle, const Surroundings& s, Vec3 wind,
                           const ForceInput& body) {
    const Vec3 normal = area_vector(triangle, body.x);
    const double area = length(normal);
    if (!(area > 0.0)) return {};
    const Vec3* v = body.v;
    const Vec3 mean = (1.0 / 3.0) * (v[triangle[0]] + v[triangle[1]] + v[triangle[2]]);
    const Vec3 air = wind - mean;
    const double along = dot(air, normal);
    Vec3 force = (s.drag * along / area) * normal;
    if (const double square = dot(air, air); s.lift > 0.0 && square > 0.0)
        force += (s.lift * along / area) * (normal - (along / square) * air);
    return {(1.0 / 3.0) * force, area};
}

// The part of the force of the air that exceeds its limits, at a vertex of this mass in triangles
// of this area.
Vec3 excess_force(const Surroundings& s, Vec3 push, double area, double mass, double h, Vec3 air) {
    const double reach =
        h * (s.drag + s.lift) * area / (3.0 * mass); // 1: the vertex comes to move with the air
    Vec3 kept = reach > 1.0 ? (1.0 / reach) * push : push;
    if (s.lift > s.drag && h > 0.0) {
        const Vec3 left = air - (h / mass) * kept;
        const double before = length(air), after = length(left);
        if (after > before) kept = (mass / h) * (air - (before / after) * left);
    }
    return push - kept;
}

Status check_at_least(const char* name, double value, double minimum) {
    if (!std::isfinite(value)) return fail(TWANG_NOT_FINITE, "%s is %g", name, value);
    if (value < minimum)
        return fail(TWANG_OUT_OF_RANGE, "%s is %g; it must be at least %g", name, value, minimum);
    return TWANG_OK;
}

} // namespace

Status check_air(const twang_air_def& air) {
    if (!finite(air.velocity)) return fail(TWANG_NOT_FINITE, "wind is not finite");
    constexpr double min_gust_extent =
        1e-6; // s, m of a gust, so that their count does not overflow
    for (const auto& [name, value, minimum] :
         {std::tuple{"drag", air.drag, 0.0}, std::tuple{"lift", air.lift, 0.0},
          std::tuple{"gusts", air.gusts, 0.0},
          std::tuple{"gust_seconds", air.gust_seconds, min_gust_extent},
          std::tuple{"gust_metres", air.gust_metres, min_gust_extent}})
        if (const Status s = check_at_least(name, value, minimum); s != TWANG_OK) return s;
    return TWANG_OK;
}

Surroundings with_air(Surroundings surroundings, const twang_air_def& air) {
    surroundings.wind = air.velocity;
    surroundings.drag = air.drag;
    surroundings.lift = air.lift;
    surroundings.gusts = {air.gusts, air.gust_seconds, air.gust_metres, air.gust_seed};
    return surroundings;
}

double pressure_at(const Model& model, double rest_pressure, const Vec3* x) {
    if (rest_pressure == 0.0) return 0.0;
    const double volume = enclosed_volume(model.triangles, x) / model.rest_volume;
    return rest_pressure / std::max(volume, 1.0 / max_compression);
}

void push(const ForceInput& body, const Surroundings& s, const OwnForces& own,
          AirOnTriangle* on_triangles, Vec3* forces, Jobs& jobs) {
    const Model& model = body.model;
    const Vec3 gravity = own.gravity_scale * s.gravity;
    const bool blows = s.blows(), gusty = blows && s.gusts.speed > 0.0;
    // Points outward for both orientations of the triangles.
    const double outward = std::copysign(1.0 / 3.0, model.rest_volume);
    const double pressure = outward * pressure_at(model, own.pressure * own.gas, body.x);
    const bool has_air_or_pressure = blows || pressure != 0.0;
    // Without gusts all corners of a triangle have the same share, computed once per triangle.
    if (blows && !gusty)
        jobs.ranges(model.triangles.size() / 3, 512, [&](std::size_t begin, std::size_t end) {
            for (std::size_t t = begin; t < end; ++t)
                on_triangles[t] = air_force_on(&model.triangles[3 * t], s, s.wind, body);
        });
    // Adds air and pressure to the force on a vertex.
    const auto add_air_and_pressure = [&](std::size_t i, Vec3 wind, Vec3& force) {
        AirOnTriangle sum{};
        for (const auto* c = model.corners.begin(i); c != model.corners.end(i); ++c) {
            const std::uint32_t* triangle = &model.triangles[*c / 3 * 3];
            if (blows && !(body.torn && body.torn[*c / 3])) {
                const AirOnTriangle air =
                    gusty ? air_force_on(triangle, s, wind, body) : on_triangles[*c / 3];
                force += air.share;
                sum.share += air.share;
                sum.area += air.area;
            }
            if (pressure != 0.0) force += pressure * area_vector(triangle, body.x);
        }
        if (sum.area > 0.0)
            force -= excess_force(s, sum.share, sum.area, model.masses[i], body.time_step,
                                  wind - body.v[i]);
    };
    jobs.ranges(model.vertex_count(), 512, [&](std::size_t begin, std::size_t end) {
        GustField gusts(s.gusts, s.time);
        for (std::size_t i = begin; i < end; ++i) {
            Vec3 force = model.masses[i] * gravity;
            if (body.user_forces) force += body.user_forces[i];
            // The share of each corner is computed from the wind at that corner.
            if (has_air_or_pressure)
                add_air_and_pressure(i, gusty ? s.wind + gusts.at(body.x[i]) : s.wind, force);
            forces[i] = force;
        }
    });
}

} // namespace twang::core
