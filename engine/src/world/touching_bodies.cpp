#include "world/touching_bodies.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

constexpr double touching_reach =
    1.1;                       // sums of two radii: closer, a sleeping body feels the other move
constexpr double turned = 0.3; // cosine: beyond, a ball went round or through the other
constexpr int separation_rounds = 4, separation_passes = 3; // colliders push back after each pass
// In the mean, per vertex; more are allocated where they are needed.
constexpr std::size_t usual_contacts = 3;

constexpr Bounds nowhere{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0.0};

void widen(Bounds& bounds, const Vec3* x, std::size_t count) {
    Vec3 &low = bounds.low, &high = bounds.high;
    for (std::size_t i = 0; i < count; ++i) {
        low = least(low, x[i]);
        high = greatest(high, x[i]);
    }
}

bool all_finite(const VertexArray<Vec3>& x) {
    return std::all_of(x.begin(), x.end(), [](Vec3 p) { return finite(p); });
}

// Whether a step is under way, and its body is solved by the objective.
SolveContext* minimised_context(BodyStep* step) {
    return step && step->minimises() ? step->context() : nullptr;
}

} // namespace

Bounds bounds_of(const Body& body) {
    Bounds bounds = nowhere;
    bounds.radius = body.particle_radius;
    if (bounds.radius > 0.0) widen(bounds, body.x.data(), body.x.size());
    return bounds;
}

bool may_touch(const Body& sleeper, const Bounds& there) {
    return there.radius > 0.0 &&
           sleeper.sleep.is_near(there.low, there.high,
                                 touching_reach * (there.radius + sleeper.particle_radius));
}

void TouchingBodies::reserve(std::span<Body* const> bodies) {
    std::size_t balls = 0, places = 0;
    for (Body* body : bodies) {
        balls += body->x.size();
        places += joint_places(body->x.size());
        body->self_contacts.reserve(usual_contacts * body->x.size());
    }
    contacts_.reserve(balls, bodies.size());
    members_.reserve(bodies.size());
    in_play_.reserve(bodies.size());
    bounds_.reserve(bodies.size());
    parts_.reserve(bodies.size());
    moved_.reserve(balls);
    ends_.reserve(bodies.size());
    if (bodies.size() < 2) return;
    between_.reserve(usual_contacts * balls);
    arrays_.reserve(places, bodies.size());
}

void TouchingBodies::clear() {
    members_.clear();
    in_play_.clear();
    contacts_.clear();
    none_awake_ = true;
}

void TouchingBodies::add(std::uint32_t slot, Body& body, BodyStep* step) {
    members_.push_back({slot, &body, step});
    none_awake_ = none_awake_ && !step;
}

void TouchingBodies::find(Jobs& jobs) {
    bounds_.clear();
    for (const Member& m : members_) {
        if (!m.step || !m.step->context()) continue;
        Bounds& own = bounds_.emplace_back(bounds_of(*m.body));
        widen(own, m.body->work.x.data(), m.body->x.size());
    }
    for (const Member& m : members_) {
        Body& body = *m.body;
        const bool awake = m.step && m.step->context();
        if (!awake && (m.step || std::none_of(bounds_.begin(), bounds_.end(),
                                              [&](const Bounds& b) { return may_touch(body, b); })))
            continue;
        in_play_.push_back(m);
        contacts_.add({{body.model.get(), body.own_springs.get(), body.x.data(),
                        awake ? body.work.x.data() : body.x.data(), body.particle_radius,
                        body.particle_friction},
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

// Bodies of several solvers that touch are all solved by newton-cg, unless all are by local-global.
Status TouchingBodies::minimise(std::span<const std::uint32_t> members, PairList& list,
                                Jobs& jobs) {
    Workspace& first = in_play_[members[0]].body->work;
    const double square = first.integrator.square();
    list.start(square, (members.size() == 1 ? first.trial : arrays_.trial).data());
    const bool is_local_global = std::all_of(members.begin(), members.end(), [&](std::uint32_t k) {
        return in_play_[k].body->settings.solver == TWANG_LOCAL_GLOBAL;
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

// Of a group: solves, and once more if vertices have crossed a collider unseen. Numbers that are no
// longer finite stay in the body they come from: then each is solved as if it touched none.
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
    const bool alone = members.size() == 1;
    PairList& list = alone ? in_play_[members[0]].body->self_contacts : between_;
    BodyStep& lead = *in_play_[members[0]].step;
    lead.guard([&] { return solve_group(group, list, jobs); });
    for (const std::uint32_t k : members.subspan(1))
        in_play_[k].step->guard([&] { return lead.status(); });
    if (lead.status() != TWANG_OK) return list.clear();

    Body& first = lead.body();
    if (!alone)
        gather(
            members, [](Body & body) -> auto& { return body.work.x; }, arrays_.x);
    list.settle((alone ? first.work.x : arrays_.x).data(), first.model->size,
                first.work.integrator.square(), (alone ? first.work.trial : arrays_.trial).data());
    contacts_.mark_touched(group, list);
    if (!alone) contacts_.store(list);
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

// What was pushed apart must not keep that as speed.
void TouchingBodies::limit_separation_velocity(std::span<const std::uint32_t> members,
                                               const PairList& list) {
    Body& first = *in_play_[members[0]].body;
    const double h = first.work.integrator.h;
    if (members.size() == 1) {
        list.limit_separation_velocity(h, first.v.data());
    } else {
        gather(
            members, [](Body & body) -> auto& { return body.v; }, arrays_.trial);
        list.limit_separation_velocity(h, arrays_.trial.data());
        for (const std::uint32_t k : members) {
            VertexArray<Vec3>& v = in_play_[k].body->v;
            std::copy_n(arrays_.trial.data() + contacts_.bodies()[k].first, v.size(), v.data());
        }
    }
    for (const std::uint32_t k : members) show(*in_play_[k].body);
}

// Copies an array of each member to its place among all.
template <class Of>
void TouchingBodies::gather(std::span<const std::uint32_t> members, Of&& of,
                            VertexArray<Vec3>& all) const {
    for (const std::uint32_t k : members) {
        const VertexArray<Vec3>& own = of(*in_play_[k].body);
        std::copy(own.begin(), own.end(), all.data() + contacts_.bodies()[k].first);
    }
}

// Gauss-Seidel over the pairs that are too close, moved by their masses.
void TouchingBodies::separate(const Frame& frame) {
    for (std::size_t group = 0; group < contacts_.group_count(); ++group)
        if (BodyStep* step = alone(group)) contacts_.store(step->body().self_contacts);
    contacts_.finish();
    Particles& particles = contacts_.particles();
    ends_.clear();
    for (const Member& m : in_play_) ends_.push_back(m.body->x.data());
    if (!particles.move_ends(ends_, 1.0)) {
        particles.clear();
        for (const Member& m : in_play_) {
            Body& body = *m.body;
            const bool moved = m.step && m.step->status() == TWANG_OK;
            particles.add({body.model.get(), body.own_springs.get(),
                           moved ? start_of(frame, body) : body.x.data(), body.x.data(),
                           body.particle_radius, body.particle_friction});
        }
        particles.find(frame.jobs);
    }
    const std::span<const NearPair> pairs = particles.pairs();
    const std::span<const Ball> balls = particles.balls();
    bool any = false;
    for (int pass = 0; pass < separation_passes; ++pass) {
        moved_.assign(balls.size(), Vec3{});
        bool too_close = false;
        for (int round = 0; round < separation_rounds; ++round) {
            bool in_round = false;
            for (const NearPair& pair : pairs) in_round = put_apart(pair, balls) || in_round;
            if (!in_round) break;
            too_close = true;
        }
        if (!too_close) break;
        any = true;
        for (std::uint32_t k = 0; k < in_play_.size(); ++k) take_over(frame, k);
        for (const NearPair& pair : pairs) part_velocities(pair, balls);
    }
    if (!any) return;
    for (const Member& m : in_play_)
        if (m.step) show(*m.body);
}

// m/(N s^2); 0: it does not yield.
double TouchingBodies::give(const Ball& ball) const {
    const Member& m = in_play_[ball.body];
    const bool yields = m.step && m.step->status() == TWANG_OK && !m.body->pins.holds(ball.vertex);
    return yields ? 1.0 / m.body->model->masses[ball.vertex] : 0.0;
}

bool TouchingBodies::put_apart(const NearPair& pair, std::span<const Ball> balls) {
    const Ball &a = balls[pair.a], &b = balls[pair.b];
    const double give_a = give(a), give_b = give(b);
    if (give_a + give_b == 0.0) return false;
    const Vec3 off = (in_play_[a.body].body->x[a.vertex] + moved_[pair.a]) -
                     (in_play_[b.body].body->x[b.vertex] + moved_[pair.b]);
    const double distance = length(off), reach = a.radius + b.radius;
    // A ball that went round or through the other comes back to its side.
    const Vec3 normal =
        dot(off, pair.side) > turned * distance ? (1.0 / distance) * off : pair.side;
    const bool solved = contacts_.is_solved(a.body, b.body);
    const double target = std::min((solved ? kept_reach : 1.0) * reach, length(a.from - b.from));
    const double depth = target - dot(off, normal);
    if (!(depth > 0.0)) return false;
    Vec3 push = depth * normal;
    if (!solved) { // nothing else has rubbed
        const Vec3 way = off - (a.from - b.from), slip = way - dot(way, normal) * normal;
        const double most = std::min(a.friction, b.friction) * depth, size = length(slip);
        push -= (size > most ? most / size : 1.0) * slip;
    }
    const double share = give_a / (give_a + give_b);
    moved_[pair.a] += share * push;
    moved_[pair.b] -= (1.0 - share) * push;
    return true;
}

void TouchingBodies::take_over(const Frame& frame, std::uint32_t k) {
    Body& body = *in_play_[k].body;
    const Vec3* moved = &moved_[contacts_.particles().first_ball(k)];
    if (std::none_of(moved, moved + body.x.size(), [](Vec3 m) { return dot(m, m) > 0.0; })) return;
    VertexArray<Vec3>& x = body.work.direction; // free between steps
    for (std::size_t i = 0; i < body.x.size(); ++i) {
        x[i] = body.x[i] + moved[i];
        if (!finite(x[i])) return; // rather close than nowhere
    }
    const char* held = body.pins.held().data();
    const Arrival at_rest{start_of(frame, body), nullptr, 0.0}; // how they came is forgotten
    collide(frame.obstacles, kept_thickness, {x.data(), x.size()}, at_rest, held,
            body.model->groups, frame.jobs);
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

// Of a pair that was put apart: no speed away from each other.
void TouchingBodies::part_velocities(const NearPair& pair, std::span<const Ball> balls) {
    if (moved_[pair.a] == Vec3{} && moved_[pair.b] == Vec3{}) return;
    const Ball &a = balls[pair.a], &b = balls[pair.b];
    const double give_a = give(a), give_b = give(b);
    if (give_a + give_b == 0.0) return;
    Body &body_a = *in_play_[a.body].body, &body_b = *in_play_[b.body].body;
    const Vec3 off = body_a.x[a.vertex] - body_b.x[b.vertex];
    if (!(length(off) < 1.01 * (a.radius + b.radius))) return;
    const double leaving = dot(body_a.v[a.vertex] - body_b.v[b.vertex], direction(off));
    if (!(leaving > 0.0)) return;
    const double share = give_a / (give_a + give_b);
    body_a.v[a.vertex] -= (share * leaving) * direction(off);
    body_b.v[b.vertex] += ((1.0 - share) * leaving) * direction(off);
}

void TouchingBodies::wake_touched() {
    const std::span<const Ball> balls = contacts_.particles().balls();
    for (const NearPair& pair : contacts_.particles().pairs()) {
        Body &a = *in_play_[balls[pair.a].body].body, &b = *in_play_[balls[pair.b].body].body;
        if (a.sleep.is_asleep() == b.sleep.is_asleep()) continue;
        Body &sleeper = a.sleep.is_asleep() ? a : b, &other = a.sleep.is_asleep() ? b : a;
        if (other.sleep.still_steps() == 0) wake(sleeper);
    }
}

} // namespace twang::core
