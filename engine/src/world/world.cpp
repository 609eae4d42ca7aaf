#include "world/world.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

constexpr int max_substeps = 1000;    // per step
constexpr double max_time_step = 1e6; // s; beyond, inertia is lost in the springs' rounding

// A serial number other than 0.
std::uint32_t next_serial() {
    static std::atomic<std::uint32_t> count{0};
    std::uint32_t serial = ++count;
    return serial ? serial : ++count;
}

template <class T, class Handle>
Status find_in(const World& world, const Slots<T>& slots, Handle handle, const char* what,
               T*& item) {
    if (handle.world != world.serial || handle.index >= slots.all().size() ||
        handle.generation == 0 || handle.generation > slots.all()[handle.index].generation)
        return fail(TWANG_INVALID_ARGUMENT, "the %s handle is not of this world", what);
    const auto& slot = slots.all()[handle.index];
    if (handle.generation < slot.generation || !slot.item)
        return fail(TWANG_STALE_HANDLE, "the %s in slot %u was destroyed", what, handle.index);
    item = slot.item.get();
    return TWANG_OK;
}

template <class F>
void for_each_body(World& world, F&& f) {
    for (auto& slot : world.bodies.all())
        if (slot.item && slot.item->report.enabled) f(*slot.item);
}

// Requests factors for a new time step from all bodies; the world adopts the time step when they
// are due, so that no step has to wait for a factor. A time step that is set meanwhile is requested
// after that one is adopted: otherwise a time step that is set again and again would never be
// adopted.
void request_time_step(World& world, const Frame& frame) {
    std::uint64_t delay = 0;
    for_each_body(world, [&](Body& body) {
        request_time_step(frame, world.next_time_step / world.def.substeps, body);
        delay = std::max(delay, steps_until_due(frame, body.x.size()));
    });
    world.requested_time_step = world.next_time_step;
    world.time_step_due = world.steps + delay;
}

// Requests or adopts the time step that was set, see request_time_step.
void update_time_step(World& world) {
    if (world.def.time_step == world.next_time_step) {
        if (world.requested_time_step != world.next_time_step) // set back before it was adopted
            for_each_body(world, [](Body& body) { cancel_time_step(body); });
        world.requested_time_step = world.next_time_step;
        return;
    }
    const Frame frame = world.frame();
    if (frame.refactor_delay == 0) {
        world.def.time_step = world.requested_time_step = world.next_time_step;
        return;
    }
    if (world.requested_time_step == world.def.time_step) request_time_step(world, frame);
    bool due = world.steps >= world.time_step_due;
    if (frame.refactor_delay == TWANG_WHEN_READY) {
        due = true;
        for_each_body(world, [&](Body& body) {
            due = due && (!body.pending || frame.factor_service.is_ready(*body.pending));
        });
    }
    if (due) world.def.time_step = world.requested_time_step;
}

// Places the obstacles for one of the substeps, on a path of so many steps.
void place_obstacles(World& world, int substep, int substeps, int steps) {
    world.placed_obstacles.clear();
    for (const auto& slot : world.obstacles.all()) {
        if (!slot.item) continue;
        world.placed_obstacles.push_back(in_substep(*slot.item, substep, substeps, steps));
    }
}

// Wakes sleeping bodies that a moving obstacle comes near to; clears the reports of the others,
// which do no work in this step.
void check_sleepers(World& world) {
    for (auto& slot : world.bodies.all()) {
        if (!slot.item || !slot.item->sleep.is_asleep()) continue;
        Body& body = *slot.item;
        if (body.sleep.is_disturbed(world.placed_obstacles)) {
            wake(body);
            continue;
        }
        const twang_report last = body.report;
        body.report = {};
        body.report.status = last.status;
        body.report.enabled = last.enabled;
        body.report.steps = last.steps;
        body.report.asleep = body.report.converged = 1;
    }
}

bool has_vertex_spheres(const Body& body) {
    return body.vertex_radius > 0.0 && body.report.enabled;
}

// Lists the bodies with vertex spheres and reserves memory for their contacts.
void reserve_body_contacts(World& world) {
    std::vector<Body*>& bodies = world.bodies_with_spheres;
    bodies.clear();
    for (const auto& slot : world.bodies.all())
        if (slot.item && has_vertex_spheres(*slot.item)) bodies.push_back(slot.item.get());
    if (!bodies.empty()) world.touching.reserve(bodies);
}

// Registers the bodies with vertex spheres, in the order of their slots.
void register_touching(World& world) {
    world.touching.clear();
    if (world.bodies_with_spheres.empty()) return;
    const std::span<BodyStep> steps = world.crowd.steps();
    std::size_t next = 0;
    for (std::uint32_t index = 0; index < world.bodies.all().size(); ++index) {
        Body* body = world.bodies.all()[index].item.get();
        const bool steps_now = next < steps.size() && &steps[next].body() == body;
        BodyStep* step = steps_now ? &steps[next++] : nullptr;
        if (body && has_vertex_spheres(*body) && (step || body->sleep.is_asleep()))
            world.touching.add(index, *body, step);
    }
}

void put_to_sleep(World& world) {
    if (world.def.sleep_speed == 0.0) return;
    const bool gusty = world.surroundings.blows() && world.surroundings.gusts.speed > 0.0;
    for (auto& slot : world.bodies.all()) {
        if (!slot.item || !slot.item->report.enabled || slot.item->sleep.is_asleep()) continue;
        Body& body = *slot.item;
        if (gusty && !body.model->triangles.empty()) continue; // gusts change all the time
        if (!body.sleep.fall_asleep(body.x, body.v, world.def.sleep_speed, world.def.sleep_steps))
            continue;
        stop_motion(body);
    }
}

} // namespace

World::World(const twang_world_def& definition)
    : def(definition),
      serial(next_serial()),
      jobs(definition.workers, definition.jobs),
      factor_service(definition.workers != 0, definition.jobs, definition.allocator),
      surroundings{.gravity = definition.gravity},
      damping(definition.damping),
      next_time_step(definition.time_step),
      requested_time_step(definition.time_step) {}

double World::upcoming_time_step() const {
    return def.refactor_delay == 0 ? next_time_step : def.time_step;
}

Frame World::frame(int substep) {
    return {def.time_step / def.substeps,
            substep,
            def.substeps,
            def.substeps * steps_ahead,
            damping,
            def.pin_method,
            def.precision,
            def.arithmetic,
            surroundings,
            placed_obstacles,
            systems,
            factor_service,
            def.refactor_delay,
            jobs,
            on_iteration,
            user};
}

double World::fraction() const { return std::min(left_over / upcoming_time_step(), 1.0); }

std::uint64_t state_hash(const World& world) {
    std::uint64_t hash = 0;
    for (const auto& slot : world.bodies.all())
        if (slot.item) hash = hash_mix(hash, state_hash(*slot.item));
    const auto user = [&](std::uint32_t body, std::uint32_t vertex) {
        return static_cast<double>(world.bodies.all()[body].item->model->to_user[vertex]);
    };
    for (const PairForce& f : world.touching.contacts().forces()) {
        const double numbers[] = {static_cast<double>(f.pair.body_a),
                                  user(f.pair.body_a, f.pair.a),
                                  static_cast<double>(f.pair.body_b),
                                  user(f.pair.body_b, f.pair.b),
                                  f.normal,
                                  f.friction.x,
                                  f.friction.y,
                                  f.friction.z,
                                  f.pull.x,
                                  f.pull.y,
                                  f.pull.z,
                                  double(f.slides)};
        hash = hash_doubles(hash, numbers, std::size(numbers));
    }
    return hash;
}

void wake_all(World& world) {
    for (auto& slot : world.bodies.all())
        if (slot.item) wake(*slot.item);
}

void wake_around(World& world, const Bounds& was) {
    for (auto& slot : world.bodies.all())
        if (slot.item && slot.item->vertex_radius > 0.0 && slot.item->sleep.is_asleep() &&
            may_touch(*slot.item, was))
            wake(*slot.item);
}

Status check_time_step(double seconds) {
    if (!std::isfinite(seconds)) return fail(TWANG_NOT_FINITE, "time step is %g s", seconds);
    if (seconds <= 0.0)
        return fail(TWANG_OUT_OF_RANGE, "time step is %g s; it must be above 0", seconds);
    if (seconds > max_time_step)
        return fail(TWANG_OUT_OF_RANGE, "time step is %g s; it must be at most %g", seconds,
                    max_time_step);
    return TWANG_OK;
}

Status check_damping(double damping) {
    if (!std::isfinite(damping)) return fail(TWANG_NOT_FINITE, "damping is %g", damping);
    if (damping < 0.0)
        return fail(TWANG_OUT_OF_RANGE, "damping is %g; it must be at least 0", damping);
    return TWANG_OK;
}

Status check_world(const twang_world_def& def) {
    if (const Status s = check_time_step(def.time_step); s != TWANG_OK) return s;
    if (!finite(def.gravity)) return fail(TWANG_NOT_FINITE, "gravity is not finite");
    if (def.workers != TWANG_ALL_CORES && (def.workers < 0 || def.workers > TWANG_MAX_WORKERS))
        return fail(TWANG_OUT_OF_RANGE, "%d workers; 0 to %d, or TWANG_ALL_CORES", def.workers,
                    TWANG_MAX_WORKERS);
    if (def.pin_method != TWANG_PIN_PENALTY && def.pin_method != TWANG_PIN_ELIMINATION)
        return fail(TWANG_INVALID_ARGUMENT, "pin method %d", static_cast<int>(def.pin_method));
    if (def.precision < TWANG_PRECISION_FLOAT || def.precision > TWANG_PRECISION_BEST)
        return fail(TWANG_INVALID_ARGUMENT, "precision %d", static_cast<int>(def.precision));
    if (def.arithmetic != TWANG_ARITHMETIC_FAST && def.arithmetic != TWANG_ARITHMETIC_PORTABLE)
        return fail(TWANG_INVALID_ARGUMENT, "arithmetic %d", static_cast<int>(def.arithmetic));
    if (const Status s = check_damping(def.damping); s != TWANG_OK) return s;
    if (def.max_catch_up < 1)
        return fail(TWANG_OUT_OF_RANGE, "max_catch_up is %d; at least 1 is needed",
                    def.max_catch_up);
    if (!def.jobs.submit != !def.jobs.wait)
        return fail(TWANG_INVALID_ARGUMENT, "a job system needs both submit and wait");
    if (const Status s = check_allocator(def.allocator); s != TWANG_OK) return s;
    if (def.refactor_delay < TWANG_WHEN_READY)
        return fail(TWANG_OUT_OF_RANGE,
                    "refactor_delay is %d; at least 0, TWANG_BY_SIZE or TWANG_WHEN_READY",
                    def.refactor_delay);
    if (def.substeps < 1 || def.substeps > max_substeps)
        return fail(TWANG_OUT_OF_RANGE, "%d substeps; 1 to %d are possible", def.substeps,
                    max_substeps);
    if (!std::isfinite(def.sleep_speed))
        return fail(TWANG_NOT_FINITE, "sleep_speed is %g m/s", def.sleep_speed);
    if (def.sleep_speed < 0.0)
        return fail(TWANG_OUT_OF_RANGE, "sleep_speed is %g m/s; it must be at least 0",
                    def.sleep_speed);
    if (def.sleep_steps < 1)
        return fail(TWANG_OUT_OF_RANGE, "sleep_steps is %d; at least 1 is needed", def.sleep_steps);
    return check_solver(def.solver, TWANG_HOOKE);
}

Status find(const World& world, twang_body handle, Body*& body) {
    return find_in(world, world.bodies, handle, "body", body);
}

Status find(const World& world, twang_collider handle, Obstacle*& obstacle) {
    return find_in(world, world.obstacles, handle, "collider", obstacle);
}

Status add_body(World& world, std::shared_ptr<const Model> model, const twang_body_def& def,
                twang_body& handle) {
    if (def.energy != TWANG_HOOKE && def.energy != TWANG_STVK)
        return fail(TWANG_INVALID_ARGUMENT, "energy %d", static_cast<int>(def.energy));
    if (def.energy == TWANG_STVK)
        for (std::size_t s = 0; s < model->springs.size(); ++s)
            if (model->springs[s].rest_length == 0.0)
                return fail(TWANG_OUT_OF_RANGE,
                            "stvk needs a rest length above 0, spring %zu has 0", s);
    if (def.pin_count > 0 && !def.pins)
        return fail(TWANG_INVALID_ARGUMENT, "pins is null but pin_count is %u", def.pin_count);

    if (const Status s = check_vertex_spheres(def.vertex_radius, def.vertex_friction);
        s != TWANG_OK)
        return s;

    auto body = std::make_unique<Body>(std::move(model), def.energy);
    body->vertex_radius = def.vertex_radius;
    body->vertex_friction = def.vertex_friction;
    const twang_solver_def& settings = def.solver ? *def.solver : world.def.solver;
    if (const Status s = set_solver(*body, settings); s != TWANG_OK) return s;
    if (def.positions)
        if (const Status s = copy_in(*body->model, "position", def.positions, body->x);
            s != TWANG_OK)
            return s;
    if (def.velocities)
        if (const Status s = copy_in(*body->model, "velocity", def.velocities, body->v);
            s != TWANG_OK)
            return s;
    body->start_held.assign(body->x.size(), 0);
    for (std::uint32_t i = 0; i < def.pin_count; ++i) {
        if (def.pins[i] >= body->x.size())
            return fail(TWANG_INDEX_OUT_OF_RANGE, "pin %u names vertex %u of %zu", i, def.pins[i],
                        body->x.size());
        const std::uint32_t vertex = body->model->to_inner[def.pins[i]];
        body->pins.pin(vertex, body->x[vertex]);
        body->start_held[vertex] = 1;
    }
    body->start_x = body->x;
    body->start_v = body->v;
    if (const Status s = apply_changes(world.frame(), *body); s != TWANG_OK) return s;
    publish(*body);
    const std::uint32_t index = world.bodies.add(std::move(body));
    handle = {world.serial, index, world.bodies.all()[index].generation};
    return TWANG_OK;
}

Status step(World& world, int steps_ahead) {
    update_time_step(world);
    world.steps_ahead = steps_ahead;
    place_obstacles(world, 0, 1, steps_ahead);
    check_sleepers(world);
    reserve_body_contacts(world); // allocates before anything moves
    ++world.steps;
    const Body* failed = nullptr; // the first body that failed
    for (int substep = 0; substep < world.def.substeps; ++substep) {
        place_obstacles(world, substep, world.def.substeps, steps_ahead);
        const Frame frame = world.frame(substep);
        world.crowd.clear();
        for (std::uint32_t index = 0; index < world.bodies.all().size(); ++index) {
            auto& slot = world.bodies.all()[index];
            if (!slot.item || !slot.item->report.enabled || slot.item->sleep.is_asleep()) continue;
            world.crowd.add(frame, {world.serial, index, slot.generation}, *slot.item);
        }
        register_touching(world);
        const Body* body = world.crowd.step(frame, world.touching);
        if (!failed) failed = body;
        world.surroundings.time += frame.time_step;
    }
    world.touching.wake_touched();
    auto placed = world.placed_obstacles.begin(); // the poses of the last substep
    for (auto& slot : world.obstacles.all())
        if (slot.item) {
            slot.item->last = slot.item->now;
            slot.item->now = (placed++)->next;
        }
    put_to_sleep(world);
    world.steps_ahead = 1;
    return failed ? fail(failed->report.status, "%s", failed->reason) : TWANG_OK;
}

Status advance(World& world, double seconds, std::int32_t& steps, double& dropped) {
    if (!std::isfinite(seconds)) return fail(TWANG_NOT_FINITE, "cannot advance by %g s", seconds);
    if (seconds < 0.0)
        return fail(TWANG_OUT_OF_RANGE, "cannot advance by %g s: time goes forward", seconds);
    if (seconds == 0.0) return TWANG_OK; // also when a shorter time step has made steps due
    world.left_over += seconds;
    double h = 0.0; // s, of the next step
    // Relative tolerance of 1e-9, so that rounding does not skip a step in frames of exactly h.
    const auto due = [&] {
        update_time_step(world);
        h = world.def.time_step;
        return world.left_over >= h * (1.0 - 1e-9);
    };
    // Steps that this call will take from here on, as far as known.
    const auto steps_ahead = [&] {
        const double max_steps = world.def.max_catch_up - steps;
        return static_cast<int>(std::clamp(std::floor(world.left_over / h + 1e-9), 1.0, max_steps));
    };
    Status first = TWANG_OK;
    for (; due() && steps < world.def.max_catch_up; ++steps) {
        const Status s = step(world, steps_ahead());
        if (first == TWANG_OK) first = s;
        world.left_over = std::max(world.left_over - h, 0.0);
    }
    if (due()) {
        const double kept = std::fmod(world.left_over, h);
        dropped = world.left_over - kept;
        world.left_over = kept;
    }
    return first;
}

twang_report report(const World& world) {
    twang_report sum{};
    sum.enabled = 1;
    sum.converged = 1;
    sum.asleep = 1;
    int bodies = 0;
    for (const auto& slot : world.bodies.all()) {
        if (!slot.item) continue;
        const twang_report& r = slot.item->report;
        if (sum.status == TWANG_OK) sum.status = r.status;
        sum.enabled &= r.enabled;
        sum.converged &= r.converged;
        sum.asleep &= r.asleep;
        ++bodies;
        sum.steps = std::max(sum.steps, r.steps);
        sum.iterations += r.iterations;
        sum.inner_iterations += r.inner_iterations;
        sum.rejected_steps += r.rejected_steps;
        sum.projected_systems += r.projected_systems;
        sum.residual = std::max(sum.residual, r.residual);
        sum.error_estimate = std::max(sum.error_estimate, r.error_estimate);
        sum.kinetic_energy += kinetic_energy(*slot.item);
        sum.elastic_energy += elastic_energy(*slot.item);
        sum.contacts += r.contacts;
        sum.max_penetration = std::max(sum.max_penetration, r.max_penetration);
        sum.total_ms += r.total_ms;
        for (auto stage : all_stages) sum.ms.*stage += r.ms.*stage;
    }
    sum.asleep &= bodies > 0;
    return sum;
}

} // namespace twang::core
