#include "world/snapshot_check.hpp"

#include <cmath>
#include <initializer_list>

#include "world/apply_changes.hpp"

namespace twang::core {

using namespace snapshot_format;

namespace {

struct Requirement {
    const char* what;
    bool met;
};

Status require(const char* element, std::size_t index,
               std::initializer_list<Requirement> requirements) {
    for (const Requirement& each : requirements)
        if (!each.met)
            return fail(TWANG_BAD_SNAPSHOT, "%s %zu of the snapshot has no legal %s", element,
                        index, each.what);
    return TWANG_OK;
}

bool at_least(double low, double value) { return std::isfinite(value) && value >= low; }
bool above(double low, double value) { return std::isfinite(value) && value > low; }

template <class... Flags>
bool are_flags(Flags... flags) {
    return ((flags == 0 || flags == 1) && ...);
}

bool is_time_step(double seconds) { return check_time_step(seconds) == TWANG_OK; }

// The key of the system in use, or of the requested one.
bool is_system(const SystemState& state, bool own_springs) {
    return are_flags(state.has_stiffness) && (own_springs || !state.has_stiffness) &&
           (state.integrator == TWANG_IMPLICIT_EULER || state.integrator == TWANG_BDF2) &&
           is_time_step(state.time_step);
}

bool is_nothing(const SystemState& state) {
    return state.time_step == 0.0 && state.has_stiffness == 0 && state.integrator == 0;
}

bool is_status(std::int32_t status, std::int32_t enabled) {
    return status >= 0 && status < TWANG_STATUS_COUNT &&
           enabled == (status == TWANG_OK || status == TWANG_OUT_OF_MEMORY);
}

// A body without a strain limit has 0 passes.
bool is_strain_limit(double max_strain, std::int32_t passes) {
    if (passes == 0) return max_strain == 0.0;
    return passes > 0 && passes <= 1000 && above(0.0, max_strain);
}

// A pending system is due in at most as many steps as when it was requested.
bool is_due_in_time(World& world, const Body& body, const BodyHeader& saved) {
    return !saved.pending.exists || saved.due <= saved.steps ||
           saved.due - saved.steps <= steps_until_due(world.frame(), body.x.size());
}

Status check_settings(World& world, const Body& body, const BodyHeader& saved) {
    const bool own = saved.own_springs != 0;
    return require(
        "body", saved.index,
        {{"flag", are_flags(saved.wants_system, saved.stale, saved.wants_start_system,
                            saved.own_springs, saved.asleep, saved.touched)},
         {"status", is_status(saved.status, saved.enabled)},
         {"system",
          saved.system.exists == 1 && saved.system.reserved == 0 && is_system(saved.system, own)},
         {"pending system",
          are_flags(saved.pending.exists) && saved.pending.reserved == 0 &&
              (saved.pending.exists ? is_system(saved.pending, own) : is_nothing(saved.pending))},
         {"step for its pending system", is_due_in_time(world, body, saved)},
         {"springs of its own for its reset", own || !saved.wants_start_system},
         {"springs of its own for its torn triangles", own || saved.fresh_count == 0},
         {"tear strain", at_least(0.0, saved.tear_limit) && (own || saved.tear_limit == 0.0)},
         {"number of still steps", saved.still_steps >= 0},
         {"gravity scale", std::isfinite(saved.own.gravity_scale)},
         {"pressure", at_least(0.0, saved.own.pressure) &&
                          (saved.own.pressure == 0.0 || body.model->rest_volume != 0.0)},
         {"gas", at_least(0.0, saved.own.gas) && saved.own.gas <= 1.0},
         {"strain limit", is_strain_limit(saved.max_strain, saved.strain_passes)},
         {"vertex spheres",
          at_least(0.0, saved.vertex_radius) && at_least(0.0, saved.vertex_friction)},
         {"last time step",
          saved.history_time_step == 0.0 || is_time_step(saved.history_time_step)}});
}

// The caller's force is a sum, which may be infinite: then the next step fails, as it does without
// a snapshot.
Status check_vertex(std::size_t index, const VertexState& v, const BodyHeader& saved) {
    return require(
        "vertex", index,
        {{"position", fits_float(v.x) && fits_float(v.before)},
         {"velocity", fits_float(v.v)},
         {"last move", finite(v.displacement) && finite(v.last_v)},
         {"pin", fits_float(v.target) && fits_float(v.next_target) && finite(v.pin_reaction)},
         {"contact", finite(v.contact_against) && at_least(0.0, v.contact_normal) &&
                         at_least(0.0, v.contact_share)},
         {"flag", are_flags(v.held, v.next_held, v.made_held, v.pending_held, v.contact_slides,
                            v.reserved) &&
                      v.reserved == 0 && v.pending_held <= saved.pending.exists}});
}

Status check_spring(std::size_t index, const SpringState& s, const Body& body,
                    const BodyHeader& saved) {
    const double rest = s.rest_scale * body.model->springs[index].rest_length;
    const auto is_made = [](bool exists, double stiffness) {
        return exists ? at_least(0.0, stiffness) : stiffness == 0.0;
    };
    return require(
        "spring", index,
        {{"rest length", at_least(0.0, s.rest_scale) && std::isfinite(rest) &&
                             (body.energy == TWANG_HOOKE || rest > 0.0)},
         {"stiffness", at_least(0.0, s.stiffness) && at_least(0.0, s.next_stiffness)},
         {"stiffness in its system", is_made(saved.system.has_stiffness, s.made_stiffness) &&
                                         is_made(saved.pending.has_stiffness, s.pending_stiffness)},
         {"flag", are_flags(s.broken)},
         {"stiffness 0, though broken",
          !s.broken || (s.stiffness == 0.0 && s.next_stiffness == 0.0)}});
}

Status check_grab(std::size_t index, const GrabState& g, const Body& body) {
    bool exist = true, weighted = true;
    for (int k = 0; k < 3; ++k) {
        exist = exist && g.vertices[k] < body.x.size();
        weighted = weighted && at_least(0.0, g.weights[k]);
    }
    const double sum = g.weights[0] + g.weights[1] + g.weights[2];
    return require(
        "grab", index,
        {{"generation", g.generation > 0},
         {"flag", are_flags(g.in_use) && g.reserved == 0},
         {"vertex", exist},
         {"weights", weighted && std::abs(sum - 1.0) < 1e-9},
         {"target", fits_float(g.target) && fits_float(g.from)},
         {"stiffness", above(0.0, g.stiffness) && g.stiffness <= GrabSlots::max_stiffness}});
}

Status check_points(Reader& reader, const Body& body, const BodyHeader& saved) {
    const std::size_t elements = body.model->edges.size() + body.model->triangles.size() / 3;
    std::size_t next = 0; // points are stored by ascending elements
    for (std::size_t k = 0; k < saved.point_count; ++k) {
        const auto point = reader.get<PointState>();
        if (const Status s =
                require("contact between vertices,", k,
                        {{"edge or triangle", point.element >= next && point.element < elements},
                         {"forces", above(0.0, point.normal) && above(0.0, point.share) &&
                                        finite(point.against)},
                         {"flag", are_flags(point.slides)}});
            s != TWANG_OK)
            return s;
        next = std::size_t{point.element} + 1;
    }
    return TWANG_OK;
}

} // namespace

Status check_times(const World& world, const Header& header) {
    const Surroundings& air = header.surroundings;
    const twang_air_def def{air.wind,          air.drag,         air.lift,      air.gusts.speed,
                            air.gusts.seconds, air.gusts.metres, air.gusts.seed};
    const std::uint64_t delay =
        world.def.refactor_delay >= 0 ? world.def.refactor_delay : std::uint64_t{1} << 32;
    for (const double seconds :
         {header.time_step, header.next_time_step, header.requested_time_step})
        if (!is_time_step(seconds))
            return fail(TWANG_BAD_SNAPSHOT, "a time step of the snapshot is %g s", seconds);
    if (header.requested_time_step != header.time_step && header.time_step_due > header.steps &&
        header.time_step_due - header.steps > delay)
        return fail(TWANG_BAD_SNAPSHOT, "the next time step of the snapshot is never due");
    if (!at_least(0.0, header.left_over))
        return fail(TWANG_BAD_SNAPSHOT, "the snapshot has %g s left over", header.left_over);
    if (!at_least(0.0, header.damping))
        return fail(TWANG_BAD_SNAPSHOT, "the damping of the snapshot is %g", header.damping);
    if (!finite(air.gravity) || !at_least(0.0, air.time) || check_air(def) != TWANG_OK)
        return fail(TWANG_BAD_SNAPSHOT, "gravity, air or time of the snapshot is out of range");
    return TWANG_OK;
}

Status check_body(World& world, const Body& body, const BodyHeader& saved, Reader reader) {
    if (const Status s = check_settings(world, body, saved); s != TWANG_OK) return s;
    for (std::size_t i = 0; i < saved.vertex_count; ++i)
        if (const Status s = check_vertex(i, reader.get<VertexState>(), saved); s != TWANG_OK)
            return s;
    for (std::size_t k = 0; k < saved.spring_count; ++k)
        if (const Status s = check_spring(k, reader.get<SpringState>(), body, saved); s != TWANG_OK)
            return s;
    for (std::size_t k = 0; k < saved.grab_count; ++k)
        if (const Status s = check_grab(k, reader.get<GrabState>(), body); s != TWANG_OK) return s;
    reader.skip(saved.fresh_count * sizeof(std::uint64_t));
    return check_points(reader, body, saved);
}

Status check_pose(std::size_t collider, const ObstacleState& saved) {
    for (const Pose& pose : {saved.last, saved.now, saved.next}) {
        const Quaternion q = pose.rotation;
        const double square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        if (const Status s = require("collider", collider,
                                     {{"place", finite(pose.centre) && finite(pose.arm)},
                                      {"rotation", std::abs(square - 1.0) < 1e-9}});
            s != TWANG_OK)
            return s;
    }
    return TWANG_OK;
}

Status check_pair(const World& world, std::size_t index, const PairState& saved) {
    const auto model_of = [&](std::uint32_t body) -> const Model* {
        const auto& slots = world.bodies.all();
        return body < slots.size() && slots[body].item ? slots[body].item->model.get() : nullptr;
    };
    const Model *a = model_of(saved.body_a), *b = model_of(saved.body_b);
    const bool exist = a && b && saved.a < a->vertex_count() && saved.b < b->vertex_count();
    return require(
        "contact between bodies,", index,
        {{"vertices", exist},
         {"order", exist && VertexPair{saved.body_a, a->to_inner[saved.a], 0, 0} <
                                VertexPair{saved.body_b, b->to_inner[saved.b], 0, 0}},
         {"forces", at_least(0.0, saved.normal) && finite(saved.friction) && finite(saved.pull)},
         {"flag", are_flags(saved.slides, saved.both_moved, saved.separates_slowly) &&
                      saved.reserved == 0}});
}

} // namespace twang::core
