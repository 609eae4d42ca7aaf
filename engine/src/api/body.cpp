// twang.h: bodies. Creation, pins, forces on a vertex, solver, state, reports.
#include "api/handles.hpp"

using namespace twang::core;

namespace {

// Copies xyz to positions or velocities, then calls after(body).
Status set_state(twang_world* world, twang_body handle, VertexArray<Vec3> Body::*state,
                 const char* what, const double* xyz, std::size_t vertex_count,
                 void (*after)(Body&)) {
    if (!xyz) return missing("xyz");
    return inside<Body>(world, handle, [&](World& w, Body& body) {
        if (const Status s = check_count(body, vertex_count); s != TWANG_OK) return s;
        const Bounds was = bounds_of(body);
        if (const Status s = copy_in(*body.model, what, xyz, body.*state); s != TWANG_OK) return s;
        wake_around(w, was);
        w.touching.contacts().forget(handle.index);
        after(body);
        return TWANG_OK;
    });
}

Status get_state(const twang_world* world, twang_body handle, VertexArray<Vec3> Body::*state,
                 double* xyz, std::size_t vertex_count) {
    if (!xyz) return missing("xyz");
    return inside<Body>(world, handle, [&](const World&, Body& body) {
        if (const Status s = check_count(body, vertex_count); s != TWANG_OK) return s;
        copy_out(*body.model, body.*state, xyz);
        return TWANG_OK;
    });
}

const float* get_floats(const twang_world* world, twang_body handle,
                        std::vector<float> Body::*state) {
    const float* data = nullptr;
    inside<Body>(world, handle, [&](const World&, Body& body) {
        data = (body.*state).data();
        return TWANG_OK;
    });
    return data;
}

} // namespace

twang_status twang_body_create(twang_world* world, const twang_model* model,
                               const twang_body_def* def, twang_body* body) {
    if (!model) return missing("model");
    if (!def) return missing("def");
    if (!body) return missing("body");
    return inside(world, [&](World& w) { return add_body(w, model->model, *def, *body); });
}

twang_status twang_body_destroy(twang_world* world, twang_body body) {
    return inside<Body>(world, body, [&](World& w, Body& b) {
        wake_around(w, bounds_of(b));
        w.touching.contacts().forget(body.index);
        w.bodies.all()[body.index].item.reset();
        return TWANG_OK;
    });
}

twang_status twang_body_pin(twang_world* world, twang_body body, uint32_t vertex) {
    return at_vertex(world, body, vertex, [&](Body& b, std::uint32_t i) {
        if (b.pins.pin(i, b.x[i])) wake(b);
        return TWANG_OK;
    });
}

twang_status twang_body_pin_at(twang_world* world, twang_body body, uint32_t vertex,
                               twang_vec3 target) {
    return at_vertex(world, body, vertex, [&](Body& b, std::uint32_t i) {
        if (!finite(target))
            return fail(TWANG_NOT_FINITE, "the target of vertex %u is (%g, %g, %g)", vertex,
                        target.x, target.y, target.z);
        if (!fits_float(target))
            return fail(TWANG_OUT_OF_RANGE,
                        "the target of vertex %u is (%g, %g, %g), too large for float", vertex,
                        target.x, target.y, target.z);
        if (b.pins.pin(i, target)) wake(b);
        return TWANG_OK;
    });
}

twang_status twang_body_unpin(twang_world* world, twang_body body, uint32_t vertex) {
    return at_vertex(world, body, vertex, [&](Body& b, std::uint32_t i) {
        if (b.pins.unpin(i)) wake(b);
        return TWANG_OK;
    });
}

twang_status twang_body_is_pinned(const twang_world* world, twang_body body, uint32_t vertex,
                                  int32_t* pinned) {
    if (!pinned) return missing("pinned");
    return at_vertex(world, body, vertex, [&](Body& b, std::uint32_t i) {
        *pinned = b.pins.will_hold(i);
        return TWANG_OK;
    });
}

twang_status twang_body_add_force(twang_world* world, twang_body body, uint32_t vertex,
                                  twang_vec3 force) {
    return at_vertex(world, body, vertex, [&](Body& b, std::uint32_t i) {
        if (!finite(force))
            return fail(TWANG_NOT_FINITE, "the force on vertex %u is (%g, %g, %g)", vertex, force.x,
                        force.y, force.z);
        if (force == Vec3{}) return TWANG_OK;
        b.user_forces[i] += force;
        b.has_user_forces = true;
        wake(b);
        return TWANG_OK;
    });
}

twang_status twang_body_set_solver(twang_world* world, twang_body body,
                                   const twang_solver_def* solver) {
    if (!solver) return missing("solver");
    return inside<Body>(world, body, [&](World&, Body& b) {
        const twang_solver_def last = b.settings;
        const Status s = set_solver(b, *solver);
        if (s == TWANG_OK && !same(last, *solver)) wake(b);
        return s;
    });
}

twang_status twang_body_set_vertex_spheres(twang_world* world, twang_body body, double radius,
                                           double friction) {
    return inside<Body>(world, body, [&](World& w, Body& b) {
        if (const Status s = check_vertex_spheres(radius, friction); s != TWANG_OK) return s;
        wake_around(w, bounds_of(b));
        w.touching.contacts().forget(body.index);
        b.vertex_radius = radius;
        b.vertex_friction = friction;
        wake(b);
        return TWANG_OK;
    });
}

twang_status twang_body_set_positions(twang_world* world, twang_body body, const double* xyz,
                                      size_t vertex_count) {
    return set_state(world, body, &Body::x, "position", xyz, vertex_count, publish);
}

twang_status twang_body_set_velocities(twang_world* world, twang_body body, const double* xyz,
                                       size_t vertex_count) {
    // Positions between the last two steps, for drawing, stay as they were.
    return set_state(world, body, &Body::v, "velocity", xyz, vertex_count, [](Body& b) {
        b.history.forget();
        show(b);
        wake(b);
    });
}

twang_status twang_body_reset(twang_world* world, twang_body body) {
    return inside<Body>(world, body, [&](World& w, Body& b) {
        wake_around(w, bounds_of(b));
        w.touching.contacts().forget(body.index);
        reset(b);
        return TWANG_OK;
    });
}

const float* twang_body_positions(const twang_world* world, twang_body body) {
    return get_floats(world, body, &Body::float_positions);
}

const float* twang_body_velocities(const twang_world* world, twang_body body) {
    return get_floats(world, body, &Body::float_velocities);
}

twang_status twang_body_vertex_count(const twang_world* world, twang_body body, uint32_t* count) {
    if (!count) return missing("count");
    return inside<Body>(world, body, [&](const World&, Body& b) {
        *count = static_cast<std::uint32_t>(b.x.size());
        return TWANG_OK;
    });
}

twang_status twang_body_copy_positions(const twang_world* world, twang_body body, double* xyz,
                                       size_t vertex_count) {
    return get_state(world, body, &Body::x, xyz, vertex_count);
}

twang_status twang_body_copy_velocities(const twang_world* world, twang_body body, double* xyz,
                                        size_t vertex_count) {
    return get_state(world, body, &Body::v, xyz, vertex_count);
}

twang_status twang_body_get_report(const twang_world* world, twang_body body,
                                   twang_report* report) {
    if (!report) return missing("report");
    return inside<Body>(world, body, [&](const World&, Body& b) {
        *report = b.report;
        report->kinetic_energy = kinetic_energy(b);
        report->elastic_energy = elastic_energy(b);
        return TWANG_OK;
    });
}

twang_status twang_body_get_precomputation(const twang_world* world, twang_body body,
                                           twang_precomputation* precomputation) {
    if (!precomputation) return missing("precomputation");
    return inside<Body>(world, body, [&](const World& w, Body& b) {
        const System& system = b.system.base();
        int shared_by = 0;
        for (const auto& slot : w.bodies.all())
            shared_by += slot.item && slot.item->system.shared() == b.system.shared();
        *precomputation = {static_cast<std::uint32_t>(b.model->pattern.n),
                           b.model->pattern.rows.size(),
                           system.l_nonzeros,
                           system.bytes(),
                           b.model->order_ms,
                           system.assemble_ms,
                           system.factor_ms,
                           system.pack_ms,
                           system.precision,
                           shared_by,
                           b.factorings};
        return TWANG_OK;
    });
}

twang_status twang_body_measure(const twang_world* world, twang_body body,
                                twang_measures* measures) {
    if (!measures) return missing("measures");
    return inside<Body>(world, body, [&](const World&, Body& b) {
        *measures = measure(b);
        return TWANG_OK;
    });
}
