// twang.h: changes while a body runs. Pin targets, grabs, scaled springs, tearing and cuts.
#include <algorithm>
#include <cmath>

#include "api/handles.hpp"

using namespace twang::core;

namespace {

Status check_grab_target(Vec3 target) {
    if (!finite(target)) return fail(TWANG_NOT_FINITE, "the target of the grab is not finite");
    if (!fits_float(target))
        return fail(TWANG_OUT_OF_RANGE, "the target of the grab is too large for float");
    return TWANG_OK;
}

Status check_grab(const Body& body, const twang_grab_def& def) {
    for (int k = 0; k < 3; ++k) {
        if (const Status s = check_vertex(body, def.vertices[k]); s != TWANG_OK) return s;
        if (!std::isfinite(def.weights[k]))
            return fail(TWANG_NOT_FINITE, "weight %d of the grab is %g", k, def.weights[k]);
        if (def.weights[k] < 0.0)
            return fail(TWANG_OUT_OF_RANGE, "weight %d of the grab is %g; it must be at least 0", k,
                        def.weights[k]);
    }
    if (const Status s = check_grab_target(def.target); s != TWANG_OK) return s;
    if (!std::isfinite(def.stiffness))
        return fail(TWANG_NOT_FINITE, "the stiffness of the grab is %g", def.stiffness);
    if (def.stiffness <= 0.0)
        return fail(TWANG_OUT_OF_RANGE, "the stiffness of the grab is %g; it must be above 0",
                    def.stiffness);
    if (def.stiffness > GrabSlots::max_stiffness)
        return fail(TWANG_OUT_OF_RANGE,
                    "the stiffness of the grab is %.9g N/m; it must be at most %g", def.stiffness,
                    GrabSlots::max_stiffness);
    const double sum = def.weights[0] + def.weights[1] + def.weights[2];
    if (!(sum > 0.0) || !std::isfinite(sum))
        return fail(TWANG_OUT_OF_RANGE, "the weights of the grab add up to %g", sum);
    return TWANG_OK;
}

Status find_grab(Body& body, twang_grab handle, GrabSlots::Slot*& slot) {
    if (handle.index >= body.grabs.slots.size() || handle.generation == 0 ||
        handle.generation > body.grabs.slots[handle.index].max_generation)
        return fail(TWANG_INVALID_ARGUMENT, "the grab handle is not of this body");
    slot = &body.grabs.slots[handle.index];
    if (!slot->in_use || slot->generation != handle.generation)
        return fail(TWANG_STALE_HANDLE, "the grab was released");
    return TWANG_OK;
}

// Checks the scales, then calls f(springs, index, scale) for every spring named; f returns whether
// it changed anything.
template <class F>
Status scale_springs(twang_world* world, twang_body handle, const char* what,
                     const uint32_t* springs, const double* scales, size_t count, F&& f) {
    if (!scales && count > 0) return missing("scales");
    return inside<Body>(world, handle, [&](World&, Body& body) {
        const std::size_t all = body.model->springs.size();
        if (!springs && count != all)
            return fail(TWANG_INVALID_ARGUMENT, "an array of %zu springs for a body of %zu", count,
                        all);
        for (std::size_t k = 0; k < count; ++k) {
            if (springs && springs[k] >= all)
                return fail(TWANG_INDEX_OUT_OF_RANGE, "entry %zu names spring %u of %zu", k,
                            springs[k], all);
            if (!std::isfinite(scales[k]))
                return fail(TWANG_NOT_FINITE, "%s scale %zu is %g", what, k, scales[k]);
            if (scales[k] < 0.0)
                return fail(TWANG_OUT_OF_RANGE, "%s scale %zu is %g; it must be at least 0", what,
                            k, scales[k]);
            const double scaled = scales[k] * f.of(body.model->springs[springs ? springs[k] : k]);
            if (!std::isfinite(scaled))
                return fail(TWANG_OUT_OF_RANGE, "%s scale %zu is %g: too much for its spring", what,
                            k, scales[k]);
            if (scaled == 0.0 && f.must_be_above_0(body))
                return fail(TWANG_OUT_OF_RANGE, "%s scale %zu is %g; stvk needs more than 0", what,
                            k, scales[k]);
        }
        BodySprings& own = body_springs(body);
        bool changed = false;
        for (std::size_t k = 0; k < count; ++k)
            changed |= f(own, springs ? springs[k] : k, scales[k]);
        if (!changed) return Status{TWANG_OK};
        wake(body);
        return f.done(body);
    });
}

} // namespace

twang_status twang_default_grab(twang_grab_def* def) {
    if (!def) return missing("def");
    *def = twang_grab_def{};
    return TWANG_OK;
}

twang_status twang_body_set_pin_targets(twang_world* world, twang_body body,
                                        const uint32_t* vertices, const double* xyz, size_t count) {
    if (count > 0 && !vertices) return missing("vertices");
    if (count > 0 && !xyz) return missing("xyz");
    return inside<Body>(world, body, [&](World&, Body& b) {
        for (std::size_t k = 0; k < count; ++k) {
            if (const Status s = check_vertex(b, vertices[k]); s != TWANG_OK) return s;
            for (int axis = 0; axis < 3; ++axis)
                if (!std::isfinite(xyz[3 * k + axis]))
                    return fail(TWANG_NOT_FINITE, "the target of vertex %u is %g", vertices[k],
                                xyz[3 * k + axis]);
            if (const double* p = xyz + 3 * k; !fits_float({p[0], p[1], p[2]}))
                return fail(TWANG_OUT_OF_RANGE,
                            "the target of vertex %u is (%g, %g, %g), too large for float",
                            vertices[k], p[0], p[1], p[2]);
        }
        bool changed = false;
        for (std::size_t k = 0; k < count; ++k)
            changed |= b.pins.pin(b.model->to_inner[vertices[k]],
                                  {xyz[3 * k], xyz[3 * k + 1], xyz[3 * k + 2]});
        if (changed) wake(b);
        return Status{TWANG_OK};
    });
}

twang_status twang_body_grab(twang_world* world, twang_body body, const twang_grab_def* def,
                             twang_grab* grab) {
    if (!def) return missing("def");
    if (!grab) return missing("grab");
    return inside<Body>(world, body, [&](World&, Body& b) {
        if (const Status s = check_grab(b, *def); s != TWANG_OK) return s;
        const auto in_use = [](const GrabSlots::Slot& slot) { return slot.in_use; };
        const auto& slots = b.grabs.slots;
        if (std::count_if(slots.begin(), slots.end(), in_use) >= TWANG_MAX_GRABS)
            return fail(TWANG_TOO_LARGE, "a body can be grabbed at %d points at a time",
                        TWANG_MAX_GRABS);
        Grab made{{}, {}, def->target, def->stiffness};
        const double sum = def->weights[0] + def->weights[1] + def->weights[2];
        for (int k = 0; k < 3; ++k) {
            made.vertices[k] = b.model->to_inner[def->vertices[k]];
            made.weights[k] = def->weights[k] / sum;
        }
        const std::uint32_t index = b.grabs.add(made);
        *grab = {index, slots[index].generation};
        b.changed = true;
        wake(b);
        return Status{TWANG_OK};
    });
}

twang_status twang_body_move_grab(twang_world* world, twang_body body, twang_grab grab,
                                  twang_vec3 target) {
    return inside<Body>(world, body, [&](World&, Body& b) {
        GrabSlots::Slot* slot = nullptr;
        if (const Status s = find_grab(b, grab, slot); s != TWANG_OK) return s;
        if (const Status s = check_grab_target(target); s != TWANG_OK) return s;
        if (replace(slot->grab.target, target)) wake(b);
        return Status{TWANG_OK};
    });
}

twang_status twang_body_release(twang_world* world, twang_body body, twang_grab grab) {
    return inside<Body>(world, body, [&](World&, Body& b) {
        GrabSlots::Slot* slot = nullptr;
        if (const Status s = find_grab(b, grab, slot); s != TWANG_OK) return s;
        slot->in_use = false;
        b.changed = true;
        wake(b);
        return Status{TWANG_OK};
    });
}

twang_status twang_body_scale_rest_lengths(twang_world* world, twang_body body,
                                           const uint32_t* springs, const double* scales,
                                           size_t count) {
    struct Rest {
        double of(const Spring& spring) { return spring.rest_length; }
        bool must_be_above_0(const Body& b) { return b.energy == TWANG_STVK; }
        bool operator()(BodySprings& own, std::size_t s, double scale) {
            const double last = own.rest_scale(s);
            own.scale_rest(s, scale);
            return own.rest_scale(s) != last;
        }
        Status done(Body&) { return TWANG_OK; }
    };
    return scale_springs(world, body, "rest length", springs, scales, count, Rest{});
}

twang_status twang_body_scale_stiffness(twang_world* world, twang_body body,
                                        const uint32_t* springs, const double* scales,
                                        size_t count) {
    struct Stiffness {
        double of(const Spring& spring) { return spring.stiffness; }
        bool must_be_above_0(const Body&) { return false; }
        bool operator()(BodySprings& own, std::size_t s, double scale) {
            const double last = own.next_stiffness(s);
            own.scale_stiffness(s, scale);
            return own.next_stiffness(s) != last;
        }
        Status done(Body& b) {
            b.wants_system = true;
            return TWANG_OK;
        }
    };
    return scale_springs(world, body, "stiffness", springs, scales, count, Stiffness{});
}

twang_status twang_body_set_tear_strain(twang_world* world, twang_body body, double strain) {
    return inside<Body>(world, body, [&](World&, Body& b) {
        if (!std::isfinite(strain)) return fail(TWANG_NOT_FINITE, "tear strain is %g", strain);
        if (strain < 0.0)
            return fail(TWANG_OUT_OF_RANGE, "tear strain is %g; it must be at least 0", strain);
        if (strain > 0.0) body_springs(b);
        if (replace(b.torn.limit, strain)) wake(b);
        return Status{TWANG_OK};
    });
}

twang_status twang_body_cut(twang_world* world, twang_body body, const twang_blade_def* blade,
                            uint32_t* broken) {
    if (!blade) return missing("blade");
    return inside<Body>(world, body, [&](World&, Body& b) {
        const BladeEdge from{blade->from, blade->along};
        const BladeEdge to{blade->to,
                           length(blade->to_along) == 0.0 ? blade->along : blade->to_along};
        for (const Vec3& v : {from.at, from.along, to.at, to.along})
            if (!finite(v)) return fail(TWANG_NOT_FINITE, "a vector of the blade is not finite");
        if (length(from.along) == 0.0)
            return fail(TWANG_OUT_OF_RANGE, "the blade goes along 0 0 0");
        VertexArray<Vec3> positions; // at the start of the sweep
        if (blade->from_positions) {
            if (blade->vertex_count != b.x.size())
                return fail(TWANG_INVALID_ARGUMENT,
                            "the blade has positions of %u vertices for a body of %zu",
                            blade->vertex_count, b.x.size());
            positions = VertexArray<Vec3>(b.x.size());
            const Status s =
                copy_in(*b.model, "the blade's position", blade->from_positions, positions);
            if (s != TWANG_OK) return s;
        }
        BodySprings& own = body_springs(b);
        const std::size_t count =
            cut(*b.model, blade->from_positions ? positions.data() : b.x.data(), b.x.data(),
                Blade(from, to), own, b.torn);
        if (count > 0) {
            b.wants_system = true;
            wake(b);
        }
        if (broken) *broken = static_cast<std::uint32_t>(count);
        return Status{TWANG_OK};
    });
}

twang_status twang_body_broken_springs(const twang_world* world, twang_body body, uint32_t* count) {
    if (!count) return missing("count");
    return inside<Body>(world, body, [&](const World&, Body& b) {
        *count = b.own_springs ? static_cast<std::uint32_t>(b.own_springs->broken_count()) : 0;
        return Status{TWANG_OK};
    });
}

twang_status twang_body_copy_broken_springs(const twang_world* world, twang_body body,
                                            uint8_t* broken, size_t count) {
    if (!broken) return missing("broken");
    return inside<Body>(world, body, [&](const World&, Body& b) {
        const std::size_t all = b.model->springs.size();
        if (count != all)
            return fail(TWANG_INVALID_ARGUMENT, "an array of %zu springs for a body of %zu", count,
                        all);
        for (std::size_t s = 0; s < all; ++s)
            broken[s] = b.own_springs && b.own_springs->is_broken(s);
        return Status{TWANG_OK};
    });
}

twang_status twang_body_copy_torn_triangles(const twang_world* world, twang_body body,
                                            uint8_t* torn, size_t count) {
    if (!torn) return missing("torn");
    return inside<Body>(world, body, [&](const World&, Body& b) {
        const std::size_t all = b.model->triangles.size() / 3;
        if (count != all)
            return fail(TWANG_INVALID_ARGUMENT, "an array of %zu triangles for a body of %zu",
                        count, all);
        for (std::size_t k = 0; k < all; ++k) torn[k] = b.own_springs && b.torn.triangles[k];
        return Status{TWANG_OK};
    });
}

twang_status twang_body_take_torn_triangles(twang_world* world, twang_body body,
                                            uint32_t* triangles, size_t room, size_t* count) {
    if (!triangles && room > 0) return missing("triangles");
    if (!count) return missing("count");
    return inside<Body>(world, body, [&](World&, Body& b) {
        std::vector<std::uint32_t>& fresh = b.torn.fresh;
        const std::size_t given = std::min(room, fresh.size());
        std::copy_n(fresh.begin(), given, triangles);
        fresh.erase(fresh.begin(), fresh.begin() + given);
        *count = given;
        return Status{TWANG_OK};
    });
}
