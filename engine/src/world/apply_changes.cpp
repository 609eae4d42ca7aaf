#include "world/apply_changes.hpp"

#include <algorithm>

namespace twang::core {

namespace {

// With more pins changed since the factor was made, another factor is cheaper than the Schur
// complement.
constexpr std::size_t max_pin_changes = 16;

// Key of the system that the body needs as its settings, pins and springs are now.
SystemKey wanted_key(const Frame& frame, double time_step, const Body& body) {
    SystemKey key{body.model,       body.energy, frame.pin_method, frame.precision,
                  frame.arithmetic, time_step,   body.pins.held()};
    key.integrator = wanted_integrator(frame, body);
    if (body.own_springs) key.stiffness = body.own_springs->next_stiffness();
    return key;
}

// The body steps with this system from here on.
void adopt_system(const Frame& frame, std::shared_ptr<const System> system, Body& body) {
    if (system != body.system.shared()) {
        frame.factor_service.retire(std::exchange(body.previous, body.system.shared()));
        if (!body.start_system) body.start_system = system;
        if (system->key.stiffness) body.own_springs->apply_stiffness(*system->key.stiffness);
        body.system.rebase(std::move(system));
    }
    body.refit = body.changed = true;
    ++body.factorings;
}

// Makes the factor within this step, or takes it from the cache.
Status factor_now(const Frame& frame, Body& body) {
    body.stale = true;
    body.pending.reset();
    std::shared_ptr<const System> system;
    if (const Status s = frame.systems.fetch(wanted_key(frame, frame.time_step, body), system);
        s != TWANG_OK)
        return s;
    adopt_system(frame, std::move(system), body);
    body.stale = body.wants_system = false;
    return TWANG_OK;
}

// Moves a completed Schur update out of pending_update, and drops updates of requests that are no
// longer pending. Whether an update is complete depends on the machine's speed; an update changes
// no bit of the result, only where its columns are computed.
void collect_pending_update(Body& body) {
    if (body.pending_update && body.pending_update->done())
        body.finished_update = std::move(body.pending_update);
    for (auto* known : {&body.pending_update, &body.finished_update})
        if (*known && (*known)->order != body.pending) known->reset();
}

// Lets the factor service compute the Schur update of the pins and grabs on the requested factor,
// so that the frame that adopts the factor need not compute it.
void start_pending_update(const Frame& frame, Body& body) {
    collect_pending_update(body); // keeps updates of the current request only
    if (!body.update_outdated || !body.pending || body.pending_update ||
        !frame.factor_service.threaded() || !body.pending->done() ||
        body.pending->status != TWANG_OK)
        return;
    std::vector<Grab> grabs = body.grabs.list();
    if (!grabs.empty() || body.pins.held() != body.pending->key.held)
        body.pending_update = frame.factor_service.fit(body.pending, body.pins.held(),
                                                       std::move(grabs), body.finished_update);
    body.update_outdated = false;
}

// Whether the body can adopt the requested factor without waiting. For TWANG_WHEN_READY.
bool is_ready(const Frame& frame, const Body& body) {
    if (!frame.factor_service.is_ready(*body.pending)) return false;
    const bool fits = body.finished_update || (!body.pending_update && !body.update_outdated);
    return fits || !frame.factor_service.threaded() || body.pending->status != TWANG_OK;
}

bool is_due(const Frame& frame, const Body& body) {
    if (!body.pending || body.pending->key.time_step != frame.time_step) return false;
    if (body.system.base().key.time_step != frame.time_step) return true;
    return frame.refactor_delay == TWANG_WHEN_READY ? is_ready(frame, body)
                                                    : body.report.steps >= body.due;
}

// Waits for the requested factor and adopts it, with the Schur columns known for it.
Status take_pending(const Frame& frame, Body& body) {
    frame.factor_service.wait(*body.pending);
    const std::shared_ptr<FactorRequest> request = std::move(body.pending);
    body.pending.reset();
    if (request->status == TWANG_OUT_OF_MEMORY) {
        body.wants_system = true;
        return fail(TWANG_OUT_OF_MEMORY, "not enough memory for another factor");
    }
    if (request->status != TWANG_OK) return fail(request->status, "%s", request->reason.c_str());
    if (!frame.systems.find(request->key)) frame.systems.add(request->system);
    const bool is_another = request->system != body.system.shared();
    adopt_system(frame, request->system, body);
    if (is_another && body.finished_update)
        body.system.reuse_columns_of(body.finished_update->live);
    return TWANG_OK;
}

void request_system(const Frame& frame, double time_step, Body& body) {
    body.pending = submit(frame.systems, frame.factor_service, wanted_key(frame, time_step, body));
    body.due = body.report.steps + steps_until_due(frame, body.x.size());
    body.wants_system = false;
    body.update_outdated = true;
}

// Pins that differ from those that a factor was made with.
struct PinChanges {
    std::size_t all = 0, releases = 0;
};
PinChanges count_changes(const std::vector<char>& made, const std::vector<char>& held) {
    PinChanges count;
    for (std::size_t i = 0; i < held.size(); ++i) {
        count.all += held[i] != made[i];
        count.releases += made[i] && !held[i];
    }
    return count;
}

// Sets wants_system if the pins need another factor than the current and the requested one. Returns
// whether the factor has to be made within this step.
bool pins_need_factor(Body& body) {
    const SystemKey& made = body.system.base().key;
    const PinChanges now = count_changes(made.held, body.pins.held());
    const PinChanges later =
        body.pending ? count_changes(body.pending->key.held, body.pins.held()) : now;
    if (later.all > max_pin_changes || later.releases > 0) body.wants_system = true;
    // Before the first step a factorisation delays no frame, and Schur columns would cost time in
    // every step.
    const std::size_t max_changes =
        body.report.steps == 0 ? max_schur_columns : UpdatedSystem::max_changes(body.x.size());
    return now.all + GrabSlots::max_grabs > max_changes;
}

// Whether a spring's next stiffness differs from the one that the current factor was made with.
bool stiffness_differs(const Body& body) {
    if (!body.own_springs) return false;
    const auto& made = body.system.base().key.stiffness;
    for (std::size_t s = 0; s < body.model->springs.size(); ++s)
        if (body.own_springs->next_stiffness(s) !=
            (made ? (*made)[s] : body.model->springs[s].stiffness))
            return true;
    return false;
}

// The integrator that the requested factor is made for, or else the current factor.
twang_integrator next_integrator(const Body& body) {
    return (body.pending ? body.pending->key : body.system.base().key).integrator;
}

// Moves the targets of the grabs evenly over the substeps.
void move_grabs(const Frame& frame, Body& body) {
    const double fraction = static_cast<double>(frame.substep + 1) / frame.substeps_to_targets;
    std::size_t index = 0;
    for (GrabSlots::Slot& slot : body.grabs.slots) {
        if (!slot.in_use) continue;
        const bool arrives = frame.substep + 1 == frame.substeps_to_targets;
        const Vec3 target = slot.grab.target;
        const Vec3 now = arrives ? target : slot.from + fraction * (target - slot.from);
        body.system.move_grab(index++, now);
        if (frame.substep + 1 == frame.substeps) slot.from = now;
    }
}

} // namespace

twang_integrator wanted_integrator(const Frame& frame, const Body& body) {
    const bool penalised = std::any_of(frame.obstacles.begin(), frame.obstacles.end(),
                                       [](const Obstacle& o) { return o.def.penalty > 0.0; });
    const bool lags = body.own.pressure != 0.0 || penalised;
    return lags ? TWANG_IMPLICIT_EULER : body.settings.integrator;
}

std::uint64_t steps_until_due(const Frame& frame, std::size_t vertices) {
    if (frame.refactor_delay >= 0) return frame.refactor_delay;
    return 12 + vertices / 200; // some tenths of a second for cloth, at 60 steps/s
}

Status apply_changes(const Frame& frame, Body& body) {
    body.changed |=
        body.pins.apply_changes(body.x.data(), frame.substep, frame.substeps_to_targets);
    collect_pending_update(body);
    const bool to_start = std::exchange(body.wants_start_system, false);
    if (to_start && body.start_system && body.start_system->key.time_step == frame.time_step)
        adopt_system(frame, body.start_system, body);
    else if (to_start)
        body.stale = true;
    else if (is_due(frame, body))
        if (const Status s = take_pending(frame, body); s != TWANG_OK) return s;

    const bool has_system = body.system.shared() != nullptr;
    bool at_once = !has_system || body.stale || body.system.base().key.time_step != frame.time_step;
    if (has_system && next_integrator(body) != wanted_integrator(frame, body)) {
        body.wants_system = true;
        at_once |= body.report.steps == 0;
    }
    if (has_system && body.changed) at_once |= pins_need_factor(body);
    if (at_once || (body.wants_system && frame.refactor_delay == 0))
        if (const Status s = factor_now(frame, body); s != TWANG_OK) return s;

    if (body.refit) {
        body.work.fit(body.system.base(), body.settings);
        body.changed = true; // the coarse system has to take over the holds again
    }
    if (body.changed) {
        body.update_outdated = true;
        body.system.apply_changes(body.pins.held(), body.grabs.list(), body.work.solve, frame.jobs);
        const System& system = body.system.base();
        const std::vector<CoarseHold> holds = body.system.coarse_holds();
        body.work.coarse.hold(system.coarse, holds);
        body.work.fine_grid.hold(system.fine_grid, holds);
    }
    move_grabs(frame, body);
    body.refit = body.changed = false;
    if (body.wants_system && !body.pending) request_system(frame, frame.time_step, body);
    start_pending_update(frame, body);
    return TWANG_OK;
}

void request_time_step(const Frame& frame, double seconds, Body& body) {
    body.changed |= body.pins.apply_set_changes(
        body.x.data()); // the key needs the pins of this step, not of the last
    request_system(frame, seconds, body);
}

void cancel_time_step(Body& body) {
    body.pending.reset();
    body.wants_system = stiffness_differs(body);
    body.changed = true; // so that the pins are compared with the factor again
}

} // namespace twang::core
