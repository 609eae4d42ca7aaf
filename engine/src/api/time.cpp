// twang.h: time, positions between two steps, teleports, sleep.
#include "api/handles.hpp"
#include "base/strided.hpp"

using namespace twang::core;

twang_status twang_world_get_time(const twang_world* world, double* seconds) {
    if (!seconds) return missing("seconds");
    return inside(world, [&](const World& w) {
        *seconds = w.surroundings.time;
        return TWANG_OK;
    });
}

twang_status twang_body_copy_interpolated(const twang_world* world, twang_body body, float* xyz,
                                          size_t stride) {
    if (!xyz) return missing("xyz");
    return inside<Body>(world, body, [&](const World& w, Body& b) {
        if (const Status s = check_stride(stride); s != TWANG_OK) return s;
        const StridedFloats out{xyz, stride};
        const double t = w.fraction();
        for (std::size_t i = 0; i < b.x.size(); ++i)
            out.put(b.model->to_user[i], b.before[i] + t * (b.x[i] - b.before[i]));
        return TWANG_OK;
    });
}

twang_status twang_body_teleport(twang_world* world, twang_body body, twang_quaternion rotation,
                                 twang_vec3 pivot, twang_vec3 translation) {
    return inside<Body>(world, body, [&](World& w, Body& b) {
        if (const Status s = check_rotation(rotation); s != TWANG_OK) return s;
        if (!finite(pivot)) return fail(TWANG_NOT_FINITE, "the pivot is not finite");
        if (!finite(translation)) return fail(TWANG_NOT_FINITE, "the translation is not finite");
        const Bounds was = bounds_of(b);
        const Rotation turn = rotation_by(rotation);
        const Status s = teleport(b, turn, pivot, translation);
        if (s != TWANG_OK) return s;
        wake_around(w, was);
        w.touching.contacts().turn(body.index, turn);
        return s;
    });
}

twang_status twang_body_wake(twang_world* world, twang_body body) {
    return inside<Body>(world, body, [](World&, Body& b) {
        wake(b);
        return TWANG_OK;
    });
}

twang_status twang_body_sleep(twang_world* world, twang_body body) {
    return inside<Body>(world, body, [](World&, Body& b) {
        if (!b.sleep.is_asleep()) {
            b.sleep.sleep(b.x);
            stop_motion(b);
        }
        return TWANG_OK;
    });
}
