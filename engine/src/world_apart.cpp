// Bodies that touch bodies: which of them take part, and what they take over.
#include <algorithm>
#include <cmath>

#include "world.hpp"

namespace twang::core {

namespace {

constexpr double touching = 1.1; // sums of two radii: closer, a sleeping body feels the other move

bool has_balls(const Body& body) { return body.particle_radius > 0.0 && body.report.enabled; }

void widen(Bounds& bounds, const Vec3* x, std::size_t count) {
    Vec3 &low = bounds.low, &high = bounds.high;
    for (std::size_t i = 0; i < count; ++i) {
        low = least(low, x[i]);
        high = greatest(high, x[i]);
    }
}

constexpr Bounds nowhere{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0.0};

// Whether a body that sleeps may touch what is there.
bool may_touch(const Body& sleeper, const Bounds& there) {
    return there.radius > 0.0 &&
           sleeper.sleep.is_near(there.low, there.high,
                                 touching * (there.radius + sleeper.particle_radius));
}

void add_to_play(Apart& apart, Body& body, const Vec3* from, bool yields) {
    const std::uint32_t first =
        apart.particles.add({body.model.get(), body.own_springs.get(), from, body.x.data(),
                             body.particle_radius, body.particle_friction});
    apart.bodies.push_back(&body);
    apart.yielding.push_back({yields, &body.springs(), body.model->masses.data(),
                              body.pins.held().data(), body.leaning.data(), first});
}

// Those that are awake, and of those asleep the ones they may touch.
void bring_into_play(World& world, const Frame& frame) {
    Apart& apart = world.apart;
    apart.particles.clear();
    apart.bodies.clear();
    apart.yielding.clear();
    apart.bounds.clear();
    Bounds all = nowhere;
    for (auto& slot : world.bodies.all()) {
        if (!slot.item || !has_balls(*slot.item) || slot.item->sleep.is_asleep()) continue;
        Body& body = *slot.item;
        const bool moved = body.report.status == TWANG_OK;
        const Vec3* from = moved ? start_of(frame, body) : body.x.data();
        add_to_play(apart, body, from, moved);
        Bounds& own = apart.bounds.emplace_back(bounds_of(body));
        widen(own, from, body.x.size());
        widen(all, &own.low, 1);
        widen(all, &own.high, 1);
        all.radius = std::max(all.radius, own.radius);
    }
    for (auto& slot : world.bodies.all()) {
        if (!slot.item || !has_balls(*slot.item) || !slot.item->sleep.is_asleep()) continue;
        Body& body = *slot.item;
        if (may_touch(body, all) &&
            std::any_of(apart.bounds.begin(), apart.bounds.end(),
                        [&](const Bounds& other) { return may_touch(body, other); }))
            add_to_play(apart, body, body.x.data(), false);
    }
}

// What sleeps holds like a wall, until something that moves touches it.
void wake_touched(Apart& apart, std::span<const NearPair> pairs) {
    const std::span<const Ball> balls = apart.particles.balls();
    for (const NearPair& pair : pairs) {
        Body &a = *apart.bodies[balls[pair.a].body], &b = *apart.bodies[balls[pair.b].body];
        if (a.sleep.is_asleep() == b.sleep.is_asleep()) continue;
        Body &sleeper = a.sleep.is_asleep() ? a : b, &other = a.sleep.is_asleep() ? b : a;
        if (other.sleep.still_steps() == 0) wake(sleeper);
    }
}

void take_over(World& world, const Frame& frame, std::size_t k) {
    Apart& apart = world.apart;
    Body& body = *apart.bodies[k];
    const Yielding& yielding = apart.yielding[k];
    if (!yielding.yields) return;
    const Integrator& integrator = body.work.integrator;
    const char* held = body.pins.held().data();
    VertexArray<Vec3>& parted = body.work.direction; // free between steps
    std::int32_t touching = 0;
    bool moved = false;
    for (std::uint32_t i = 0; i < body.x.size(); ++i) {
        const Vec3 move = apart.parting.move(yielding.first + i),
                   release = apart.parting.release(yielding.first + i);
        parted[i] = body.x[i] + move + release;
        if (!finite(parted[i])) return; // rather close than nowhere
        moved = moved || dot(move, move) > 0.0 || dot(release, release) > 0.0;
        touching += apart.parting.touches(yielding.first + i);
    }
    body.report.contacts += touching;
    for (std::uint32_t i = 0; i < body.x.size(); ++i)
        body.leaning[i] = apart.parting.force(yielding.first + i);
    if (!moved) return;
    const Arrival at_rest{start_of(frame, body), nullptr, 0.0}; // how they came is forgotten
    collide(frame.obstacles, kept_thickness, {parted.data(), parted.size()}, at_rest, held,
            body.model->groups, frame.jobs);
    for (std::uint32_t i = 0; i < body.x.size(); ++i) {
        const Vec3 release = apart.parting.release(yielding.first + i);
        const Vec3 added = parted[i] - release - body.x[i];
        body.v[i] += integrator.velocity(added, {});
        body.history.displacement[i] += added;
        body.x[i] = parted[i];
    }
    body.report.max_penetration =
        deepest(frame.obstacles, {body.x.data(), body.x.size()}, held, body.model->groups);
    show(body);
}

} // namespace

Bounds bounds_of(const Body& body) {
    Bounds bounds = nowhere;
    bounds.radius = body.particle_radius;
    if (bounds.radius > 0.0) widen(bounds, body.x.data(), body.x.size());
    return bounds;
}

void wake_around(World& world, const Bounds& was) {
    for (auto& slot : world.bodies.all())
        if (slot.item && slot.item->particle_radius > 0.0 && slot.item->sleep.is_asleep() &&
            may_touch(*slot.item, was))
            wake(*slot.item);
}

void make_room_for_balls(World& world) {
    std::size_t count = 0, bodies = 0, links = 0;
    for (const auto& slot : world.bodies.all())
        if (slot.item && slot.item->particle_radius > 0.0) {
            ++bodies;
            count += slot.item->x.size();
            links += slot.item->springs().links.items.size();
        }
    if (count == 0) return;
    world.apart.particles.reserve(count);
    world.apart.parting.reserve(count, links);
    world.apart.bodies.reserve(bodies);
    world.apart.yielding.reserve(bodies);
    world.apart.bounds.reserve(bodies);
}

void keep_apart(World& world, const Frame& frame) {
    const auto begin = std::chrono::steady_clock::now();
    Apart& apart = world.apart;
    bring_into_play(world, frame);
    if (apart.bodies.empty()) return;
    const std::span<const NearPair> pairs = apart.particles.find(frame.jobs);
    if (apart.parting.part(apart.particles, pairs, apart.yielding, frame.obstacles, frame.time_step,
                           frame.jobs))
        for (std::size_t k = 0; k < apart.bodies.size(); ++k) take_over(world, frame, k);
    if (frame.substep + 1 == frame.substeps) wake_touched(apart, pairs);
    // The time is everybody's, by the number of balls.
    const std::chrono::duration<double, std::milli> passed =
        std::chrono::steady_clock::now() - begin;
    const double each = passed.count() / static_cast<double>(apart.particles.balls().size());
    for (Body* body : apart.bodies) {
        const double ms = each * static_cast<double>(body->x.size());
        body->report.ms.collide += ms;
        body->report.total_ms += ms;
    }
}

} // namespace twang::core
