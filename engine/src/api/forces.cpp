// twang.h: forces, impulses, gravity scale, pressure and strain limit of a body.
#include <algorithm>
#include <cmath>

#include "api/handles.hpp"

using namespace twang::core;

twang_status twang_body_add_forces(twang_world* world, twang_body body, const double* xyz,
                                   size_t vertex_count) {
    if (!xyz) return missing("xyz");
    return inside<Body>(world, body, [&](World&, Body& b) {
        if (const Status s = check_count(b, vertex_count); s != TWANG_OK) return s;
        for (std::size_t i = 0; i < 3 * vertex_count; ++i)
            if (!std::isfinite(xyz[i]))
                return fail(TWANG_NOT_FINITE, "the force on vertex %zu has %g", i / 3, xyz[i]);
        if (std::all_of(xyz, xyz + 3 * vertex_count, [](double f) { return f == 0.0; }))
            return TWANG_OK;
        for (std::size_t i = 0; i < vertex_count; ++i) {
            const double* force = xyz + 3 * std::size_t{b.model->to_user[i]};
            b.user_forces[i] += Vec3{force[0], force[1], force[2]};
        }
        b.has_user_forces = true;
        wake(b);
        return TWANG_OK;
    });
}

twang_status twang_body_add_impulse(twang_world* world, twang_body body, uint32_t vertex,
                                    twang_vec3 impulse) {
    return at_vertex(world, body, vertex, [&](Body& b, std::uint32_t i) {
        if (!finite(impulse))
            return fail(TWANG_NOT_FINITE, "the impulse on vertex %u is (%g, %g, %g)", vertex,
                        impulse.x, impulse.y, impulse.z);
        const Vec3 velocity = b.v[i] + (1.0 / b.model->masses[i]) * impulse;
        if (!fits_float(velocity))
            return fail(TWANG_OUT_OF_RANGE, "the impulse on vertex %u is too large", vertex);
        if (b.pins.will_hold(i) || impulse == Vec3{}) return TWANG_OK;
        b.history.shift(i, velocity - b.v[i]);
        b.v[i] = velocity;
        wake(b);
        float* shown = &b.float_velocities[3 * std::size_t{vertex}];
        shown[0] = static_cast<float>(velocity.x);
        shown[1] = static_cast<float>(velocity.y);
        shown[2] = static_cast<float>(velocity.z);
        return TWANG_OK;
    });
}

twang_status twang_body_set_gravity_scale(twang_world* world, twang_body body, double scale) {
    return inside<Body>(world, body, [&](World&, Body& b) {
        if (!std::isfinite(scale)) return fail(TWANG_NOT_FINITE, "gravity scale is %g", scale);
        if (replace(b.own.gravity_scale, scale)) wake(b);
        return TWANG_OK;
    });
}

twang_status twang_body_set_pressure(twang_world* world, twang_body body, double pascals) {
    return inside<Body>(world, body, [&](World&, Body& b) {
        if (!std::isfinite(pascals)) return fail(TWANG_NOT_FINITE, "pressure is %g Pa", pascals);
        if (pascals < 0.0)
            return fail(TWANG_OUT_OF_RANGE, "pressure is %g Pa; it must be at least 0", pascals);
        if (b.model->rest_volume == 0.0)
            return fail(TWANG_UNSUPPORTED,
                        "the triangles of the body enclose no volume: pressure escapes");
        if (replace(b.own.pressure, pascals)) wake(b);
        return TWANG_OK;
    });
}

twang_status twang_body_set_max_strain(twang_world* world, twang_body body, double max_strain,
                                       int32_t passes) {
    return inside<Body>(world, body, [&](World&, Body& b) {
        if (!std::isfinite(max_strain))
            return fail(TWANG_NOT_FINITE, "max_strain is %g", max_strain);
        if (max_strain < 0.0)
            return fail(TWANG_OUT_OF_RANGE, "max_strain is %g; it must be at least 0", max_strain);
        if (passes < 1 || passes > 1000)
            return fail(TWANG_OUT_OF_RANGE, "%d passes; 1 to 1000 are possible", passes);
        const int wanted = max_strain > 0.0 ? passes : 0;
        if (b.strain_limit.most() == max_strain && b.strain_limit.passes() == wanted)
            return TWANG_OK;
        b.strain_limit = wanted > 0 ? StrainLimit(*b.model, max_strain, passes) : StrainLimit();
        wake(b);
        return TWANG_OK;
    });
}
