#include "world/touching_bodies.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

// Distance below which a moving body wakes a sleeping one, in sums of their two radii.
constexpr double wake_distance = 1.1;
// Cosine between the directions from sphere to sphere, now and at the start; below, the spheres
// went round or through each other.
constexpr double min_side_cosine = 0.3;
// Gauss-Seidel rounds per pass; each pass ends with the response of the colliders.
constexpr int separation_rounds = 4, separation_passes = 3;
// Contacts allocated in advance, per vertex in the mean; more are allocated when needed.
constexpr std::size_t contacts_per_vertex = 3;

constexpr Bounds empty_bounds{
    {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0.0};

void extend(Bounds& bounds, const Vec3* x, std::size_t count) {
    Vec3 &low = bounds.low, &high = bounds.high;
    for (std::size_t i = 0; i < count; ++i) {
        low = least(low, x[i]);
        high = greatest(high, x[i]);
    }
}

bool all_finite(const VertexArray<Vec3>& x) {
    return std::all_of(x.begin(), x.end(), [](Vec3 p) { return finite(p); });
}

// The context of a step under way whose solver minimises; else null.
SolveContext* minimised_context(BodyStep* step) {
    return step && step->minimises() ? step->context() : nullptr;
}

} // namespace

Bounds bounds_of(const Body& body) {
    Bounds bounds = empty_bounds;
    bounds.radius = body.vertex_radius;
    if (bounds.radius > 0.0) extend(bounds, body.x.data(), body.x.size());
    return bounds;
}

bool may_touch(const Body& sleeper, const Bounds& there) {
    return there.radius > 0.0 &&
           sleeper.sleep.is_near(there.low, there.high,
                                 wake_distance * (there.radius + sleeper.vertex_radius));
}

void TouchingBodies::reserve(std::span<Body* const> bodies) {
    std::size_t spheres = 0, places = 0;
    for (Body* body : bodies) {
        spheres += body->x.size();
        places += joint_size(body->x.size());
        body->self_contacts.reserve(contacts_per_vertex * body->x.size());
    }
    contacts_.reserve(spheres, bodies.size());
    members_.reserve(bodies.size());
    in_play_.reserve(bodies.size());
    bounds_.reserve(bodies.size());
    parts_.reserve(bodies.size());
    offsets_.reserve(spheres);
    end_positions_.reserve(bodies.size());
    if (bodies.size() < 2) return;
    group_contacts_.reserve(contacts_per_vertex * spheres);
    arrays_.reserve(places, bodies.size());
}

void TouchingBodies::clear() {
    members_.clear();
    in_play_.clear();
    contacts_.clear();
    all_asleep_ = true;
}

void TouchingBodies::add(std::uint32_t slot, Body& body, BodyStep* step) {
    members_.push_back({slot, &body, step});
    all_asleep_ = all_asleep_ && !step;
}

void TouchingBodies::find(Jobs& jobs) {
    bounds_.clear();
    for (const Member& m : members_) {
        if (!m.step || !m.step->context()) continue;
        Bounds& own = bounds_.emplace_back(bounds_of(*m.body));
        extend(own, m.body->work.x.data(), m.body->x.size());
    }
    for (const Member& m : members_) {
        Body& body = *m.body;
        const bool awake = m.step && m.step->context();
        if (!awake && (m.step || std::none_of(bounds_.begin(), bounds_.end(),
                                              [&](const Bounds& b) { return may_touch(body, b); })))
            continue;
        in_play_.push_back(m);
        contacts_.add(
            {{body.model.get(), body.own_springs.get(), body.x.data(),
              awake ? body.work.x.data() : body.x.data(), body.vertex_radius, body.vertex_friction},
             m.slot,
             minimised_context(m.step),
             awake,
             body.pins.held().data()});
    }
    contacts_.find(jobs);
    for (std::size_t group = 0; group < contacts_.group_count(); ++group)
        for (const std::uint32_t k : contacts_.members(group)) {
            in_play_[k].step->touches = true;
            in_play_[k].step->context()->touched = contacts_.touched(k);
        }
}

// Solves a group: by local-global if all its bodies use local-global, otherwise by newton-cg.
Status TouchingBodies::minimise(std::span<const std::uint32_t> members, PairList& list,
                                Jobs& jobs) {
    Workspace& first = in_play_[members[0]].body->work;
    const double square = first.integrator.square();
    list.start(square, (members.size() == 1 ? first.trial : arrays_.trial).data());
    const bool is_local_global = std::all_of(members.begin(), members.end(), [&](std::uint32_t k) {
        return in_play_[k].body->settings.solver == TWANG_SOLVER_LOCAL_GLOBAL;
    });
    const auto solve = [&](Joint& joint) {
        return is_local_global ? local_global(joint) : newton_cg(joint);
    };
    if (members.size() == 1) {
        SolveContext& context = *in_play_[members[0]].step->context();
        context.clock.skip();
        Joint joint(context, list.empty() ? nullptr : &list);
        return solve(joint);
    }
    parts_.clear();
    for (const std::uint32_t k : members)
        parts_.push_back({in_play_[k].step->context(), contacts_.bodies()[k].first});
    twang_stage_ms ms{};
    StageClock clock(ms);
    Status status;
    {
        Joint joint(parts_, list, arrays_, jobs, clock);
        status = solve(joint);
    }
    const double all = static_cast<double>(arrays_.x.size());
    for (const Joint::Part& part : parts_) {
        const double share = static_cast<double>(part.context->work.x.size()) / all;
        for (auto stage : all_stages) part.context->clock.charge(stage, share * ms.*stage);
        part.context->clock.skip();
    }
    return status;
}

// Solves a group, and once more if vertices crossed a collider that was not predicted to be in
// reach. If the result is not finite, each body is solved as if it touched none, so that only the
// body at fault fails.
Status TouchingBodies::solve_group(std::size_t group, PairList& list, Jobs& jobs) {
    const std::span<const std::uint32_t> members = contacts_.members(group);
    contacts_.collect(group, list);
    if (const Status s = minimise(members, list, jobs); s != TWANG_OK) return s;
    bool missed = false;
    for (const std::uint32_t k : members) missed = in_play_[k].step->find_missed() || missed;
    if (missed) {
        for (const std::uint32_t k : members) in_play_[k].step->restart();
        if (const Status s = minimise(members, list, jobs); s != TWANG_OK) return s;
        for (const std::uint32_t k : members) in_play_[k].step->clamp_missed();
    }
    if (std::all_of(members.begin(), members.end(),
                    [&](std::uint32_t k) { return all_finite(in_play_[k].body->work.x); }))
        return TWANG_OK;
    list.clear();
    for (const std::uint32_t k : members) {
        in_play_[k].step->restart();
        in_play_[k].step->solve();
        in_play_[k].step->solve_missed();
    }
    return TWANG_OK;
}

void TouchingBodies::solve(std::size_t group, Jobs& jobs) {
    const std::span<const std::uint32_t> members = contacts_.members(group);
    const bool is_single = members.size() == 1;
    PairList& list = is_single ? in_play_[members[0]].body->self_contacts : group_contacts_;
    BodyStep& lead = *in_play_[members[0]].step;
    lead.guard([&] { return solve_group(group, list, jobs); });
    for (const std::uint32_t k : members.subspan(1))
        in_play_[k].step->guard([&] { return lead.status(); });
    if (lead.status() != TWANG_OK) return list.clear();

    Body& first = lead.body();
    if (!is_single)
        gather(
            members, [](Body & body) -> auto& { return body.work.x; }, arrays_.x);
    list.settle((is_single ? first.work.x : arrays_.x).data(), first.model->size,
                first.work.integrator.square(),
                (is_single ? first.work.trial : arrays_.trial).data());
    contacts_.mark_touched(group, list);
    if (!is_single) contacts_.store(list);
    for (const std::uint32_t k : members) {
        Body& body = *in_play_[k].body;
        const char* touched = contacts_.touched(k);
        const auto count = std::count(touched, touched + body.x.size(), char{1});
        body.history.touched = count > 0;
        in_play_[k].step->finish();
        body.report.contacts += static_cast<std::int32_t>(count);
    }
    limit_separation_velocity(members, list);
}

// Limits the separation velocities of contacts: vertices that were pushed apart must not keep the
// push as speed.
void TouchingBodies::limit_separation_velocity(std::span<const std::uint32_t> members,
                                               const PairList& list) {
    Body& first = *in_play_[members[0]].body;
    const double h = first.work.integrator.h;
    // The scratch of a single body is unused between steps.
    VertexArray<Vec3>& limited = members.size() == 1 ? first.work.direction : arrays_.trial;
    gather(
        members, [](Body & body) -> auto& { return body.v; }, limited);
    list.limit_separation_velocity(h, limited.data());
    for (const std::uint32_t k : members) {
        VertexArray<Vec3>& v = in_play_[k].body->v;
        const Vec3* own = limited.data() + contacts_.bodies()[k].first;
        // Velocities that are not finite are not taken over: those of commit() are.
        if (std::all_of(own, own + v.size(), fits_float)) std::copy_n(own, v.size(), v.data());
    }
    for (const std::uint32_t k : members) show(*in_play_[k].body);
}

// Copies an array of each member to its place in the array of the group.
template <class Of>
void TouchingBodies::gather(std::span<const std::uint32_t> members, Of&& of,
                            VertexArray<Vec3>& all) const {
    for (const std::uint32_t k : members) {
        const VertexArray<Vec3>& own = of(*in_play_[k].body);
        std::copy(own.begin(), own.end(), all.data() + contacts_.bodies()[k].first);
    }
}

// Gauss-Seidel over the pairs that are too close, moved in inverse proportion to their masses.
void TouchingBodies::separate(const Frame& frame) {
    for (std::size_t group = 0; group < contacts_.group_count(); ++group)
        if (BodyStep* step = single_step(group)) contacts_.store(step->body().self_contacts);
    contacts_.finish();
    VertexSpheres& vertex_spheres = contacts_.vertex_spheres();
    end_positions_.clear();
    for (const Member& m : in_play_) end_positions_.push_back(m.body->x.data());
    if (!vertex_spheres.move_ends(end_positions_, 1.0)) {
        vertex_spheres.clear();
        for (const Member& m : in_play_) {
            Body& body = *m.body;
            const bool moved = m.step && m.step->status() == TWANG_OK;
            vertex_spheres.add({body.model.get(), body.own_springs.get(),
                                moved ? start_of(frame, body) : body.x.data(), body.x.data(),
                                body.vertex_radius, body.vertex_friction});
        }
        vertex_spheres.find(frame.jobs);
    }
    const std::span<const NearPair> pairs = vertex_spheres.pairs();
    const std::span<const VertexSphere> spheres = vertex_spheres.spheres();
    bool any = false;
    for (int pass = 0; pass < separation_passes; ++pass) {
        offsets_.assign(spheres.size(), Vec3{});
        bool too_close = false;
        for (int round = 0; round < separation_rounds; ++round) {
            bool in_round = false;
            for (const NearPair& pair : pairs) in_round = separate_pair(pair, spheres) || in_round;
            if (!in_round) break;
            too_close = true;
        }
        if (!too_close) break;
        any = true;
        for (std::uint32_t k = 0; k < in_play_.size(); ++k) apply_offsets(frame, k);
        for (const NearPair& pair : pairs) limit_pair_velocity(pair, spheres);
    }
    if (!any) return;
    for (const Member& m : in_play_)
        if (m.step) show(*m.body);
}

// 1/kg; 0: the vertex is not moved, as it is pinned, asleep or of a failed step.
double TouchingBodies::inverse_mass(const VertexSphere& sphere) const {
    const Member& m = in_play_[sphere.body];
    const bool yields =
        m.step && m.step->status() == TWANG_OK && !m.body->pins.holds(sphere.vertex);
    return yields ? 1.0 / m.body->model->masses[sphere.vertex] : 0.0;
}

// Adds the offsets that move a pair apart; returns whether it was too close.
bool TouchingBodies::separate_pair(const NearPair& pair, std::span<const VertexSphere> spheres) {
    const VertexSphere &a = spheres[pair.a], &b = spheres[pair.b];
    const double inverse_mass_a = inverse_mass(a), inverse_mass_b = inverse_mass(b);
    if (inverse_mass_a + inverse_mass_b == 0.0) return false;
    const Vec3 off = (in_play_[a.body].body->x[a.vertex] + offsets_[pair.a]) -
                     (in_play_[b.body].body->x[b.vertex] + offsets_[pair.b]);
    const double distance = length(off), reach = a.radius + b.radius;
    // A sphere that went round or through the other is moved back to its side.
    const Vec3 normal =
        dot(off, pair.side) > min_side_cosine * distance ? (1.0 / distance) * off : pair.side;
    const bool solved = contacts_.is_solved(a.body, b.body);
    const double target =
        std::min((solved ? min_distance_fraction : 1.0) * reach, length(a.from - b.from));
    const double depth = target - dot(off, normal);
    if (!(depth > 0.0)) return false;
    Vec3 push = depth * normal;
    if (!solved) { // friction; contact forces of solved pairs include it
        const Vec3 relative_move = off - (a.from - b.from),
                   slip = relative_move - dot(relative_move, normal) * normal;
        const double max_slip = std::min(a.friction, b.friction) * depth, size = length(slip);
        push -= (size > max_slip ? max_slip / size : 1.0) * slip;
    }
    const double share = inverse_mass_a / (inverse_mass_a + inverse_mass_b);
    offsets_[pair.a] += share * push;
    offsets_[pair.b] -= (1.0 - share) * push;
    return true;
}

// Moves the vertices of a body by their offsets, and out of colliders.
void TouchingBodies::apply_offsets(const Frame& frame, std::uint32_t k) {
    Body& body = *in_play_[k].body;
    const Vec3* moved = &offsets_[contacts_.vertex_spheres().first_sphere(k)];
    if (std::none_of(moved, moved + body.x.size(), [](Vec3 m) { return dot(m, m) > 0.0; })) return;
    VertexArray<Vec3>& x = body.work.direction; // unused between steps
    for (std::size_t i = 0; i < body.x.size(); ++i) {
        x[i] = body.x[i] + moved[i];
        if (!finite(x[i])) return; // leaves the body as it is, too close
    }
    const char* held = body.pins.held().data();
    const PreviousMotion at_rest{start_of(frame, body), nullptr, 0.0}; // so: static friction
    collide(frame.obstacles, min_thickness_fraction, {x.data(), x.size()}, at_rest, held,
            body.model->groups, frame.jobs);
    for (std::size_t i = 0; i < body.x.size(); ++i)
        if (!fits_float(x[i]) ||
            !fits_float(body.v[i] + (1.0 / frame.time_step) * (x[i] - body.x[i])))
            return;
    for (std::size_t i = 0; i < body.x.size(); ++i) {
        const Vec3 added = x[i] - body.x[i];
        body.v[i] += (1.0 / frame.time_step) * added;
        body.history.displacement[i] += added;
        body.x[i] = x[i];
    }
    body.history.touched = true;
    body.report.max_penetration =
        deepest(frame.obstacles, {body.x.data(), body.x.size()}, held, body.model->groups);
}

// Removes the separation velocity of a pair that was moved apart.
void TouchingBodies::limit_pair_velocity(const NearPair& pair,
                                         std::span<const VertexSphere> spheres) {
    if (offsets_[pair.a] == Vec3{} && offsets_[pair.b] == Vec3{}) return;
    const VertexSphere &a = spheres[pair.a], &b = spheres[pair.b];
    const double inverse_mass_a = inverse_mass(a), inverse_mass_b = inverse_mass(b);
    if (inverse_mass_a + inverse_mass_b == 0.0) return;
    Body &body_a = *in_play_[a.body].body, &body_b = *in_play_[b.body].body;
    const Vec3 off = body_a.x[a.vertex] - body_b.x[b.vertex];
    if (!(length(off) < 1.01 * (a.radius + b.radius))) return;
    const double separation_speed = dot(body_a.v[a.vertex] - body_b.v[b.vertex], direction(off));
    if (!(separation_speed > 0.0)) return;
    const double share = inverse_mass_a / (inverse_mass_a + inverse_mass_b);
    const Vec3 v_a = body_a.v[a.vertex] - (share * separation_speed) * direction(off);
    const Vec3 v_b = body_b.v[b.vertex] + ((1.0 - share) * separation_speed) * direction(off);
    if (!fits_float(v_a) || !fits_float(v_b)) return;
    body_a.v[a.vertex] = v_a;
    body_b.v[b.vertex] = v_b;
}

void TouchingBodies::wake_touched() {
    const std::span<const VertexSphere> spheres = contacts_.vertex_spheres().spheres();
    for (const NearPair& pair : contacts_.vertex_spheres().pairs()) {
        Body &a = *in_play_[spheres[pair.a].body].body, &b = *in_play_[spheres[pair.b].body].body;
        if (a.sleep.is_asleep() == b.sleep.is_asleep()) continue;
        Body &sleeper = a.sleep.is_asleep() ? a : b, &other = a.sleep.is_asleep() ? b : a;
        if (other.sleep.still_steps() == 0) wake(sleeper);
    }
}

} // namespace twang::core
