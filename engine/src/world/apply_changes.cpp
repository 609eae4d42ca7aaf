#include "world/apply_changes.hpp"

#include <algorithm>

namespace twang::core {

namespace {

// More pins changed since the factor was made than this, and another factor is cheaper.
constexpr std::size_t most_live_pins = 16;

SystemKey wanted_key(const Frame& frame, double time_step, const Body& body) {
    SystemKey key{body.model,       body.energy, frame.pin_method, frame.precision,
                  frame.arithmetic, time_step,   body.pins.held()};
    key.integrator = wanted_integrator(frame, body);
    if (body.own_springs) key.stiffness = body.own_springs->next_stiffness();
    return key;
}

// From here on the body steps with this system.
void take(const Frame& frame, std::shared_ptr<const System> system, Body& body) {
    if (system != body.system.shared()) {
        frame.refactory.retire(std::exchange(body.previous, body.system.shared()));
        if (!body.start_system) body.start_system = system;
        if (system->key.stiffness) body.own_springs->take_stiffness(*system->key.stiffness);
        body.system.rebase(std::move(system));
    }
    body.refit = body.changed = true;
    ++body.factorings;
}

Status make_now(const Frame& frame, Body& body) {
    body.stale = true;
    body.pending.reset();
    std::shared_ptr<const System> system;
    if (const Status s = frame.systems.fetch(wanted_key(frame, frame.time_step, body), system);
        s != TWANG_OK)
        return s;
    take(frame, std::move(system), body);
    body.stale = body.wants_system = false;
    return TWANG_OK;
}

// Fitting goes on while the order waits to be taken. What becomes of it depends on the machine's
// speed, and changes no bit.
void collect_fitting(Body& body) {
    if (body.fitting && body.fitting->done()) body.fitted = std::move(body.fitting);
    for (auto* known : {&body.fitting, &body.fitted})
        if (*known && (*known)->order != body.pending) known->reset();
}

void fit_pending(const Frame& frame, Body& body) {
    collect_fitting(body); // of the order there is now
    if (!body.unfitted || !body.pending || body.fitting || !frame.refactory.threaded() ||
        !body.pending->done() || body.pending->status != TWANG_OK)
        return;
    std::vector<Grab> grabs = body.grabs.list();
    if (!grabs.empty() || body.pins.held() != body.pending->key.held)
        body.fitting =
            frame.refactory.fit(body.pending, body.pins.held(), std::move(grabs), body.fitted);
    body.unfitted = false;
}

bool is_ready(const Frame& frame, const Body& body) {
    if (!frame.refactory.is_ready(*body.pending)) return false;
    const bool fits = body.fitted || (!body.fitting && !body.unfitted);
    return fits || !frame.refactory.threaded() || body.pending->status != TWANG_OK;
}

bool is_due(const Frame& frame, const Body& body) {
    if (!body.pending || body.pending->key.time_step != frame.time_step) return false;
    if (body.system.base().key.time_step != frame.time_step) return true;
    return frame.refactor_delay == TWANG_WHEN_READY ? is_ready(frame, body)
                                                    : body.report.steps >= body.due;
}

Status take_pending(const Frame& frame, Body& body) {
    frame.refactory.wait(*body.pending);
    const std::shared_ptr<Order> order = std::move(body.pending);
    body.pending.reset();
    if (order->status == TWANG_OUT_OF_MEMORY) {
        body.wants_system = true;
        return fail(TWANG_OUT_OF_MEMORY, "not enough memory for another factor");
    }
    if (order->status != TWANG_OK) return fail(order->status, "%s", order->reason.c_str());
    if (!frame.systems.find(order->key)) frame.systems.add(order->system);
    const bool is_another = order->system != body.system.shared();
    take(frame, order->system, body);
    if (is_another && body.fitted) body.system.learn_from(body.fitted->live);
    return TWANG_OK;
}

void order(const Frame& frame, double time_step, Body& body) {
    body.pending = submit(frame.systems, frame.refactory, wanted_key(frame, time_step, body));
    body.due = body.report.steps + steps_until_due(frame, body.x.size());
    body.wants_system = false;
    body.unfitted = true;
}

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

// Whether the pins ask for another factor soon, other than the one that is on its way, and whether
// at once.
bool weigh_pins(Body& body) {
    const SystemKey& made = body.system.base().key;
    const PinChanges now = count_changes(made.held, body.pins.held());
    const PinChanges later =
        body.pending ? count_changes(body.pending->key.held, body.pins.held()) : now;
    if (later.all > most_live_pins || later.releases > 0) body.wants_system = true;
    // Before the first step there is nothing to disturb, and columns are cheaper in every step.
    const std::size_t most =
        body.report.steps == 0 ? most_live_columns : LiveSystem::most_changes(body.x.size());
    return now.all + GrabSlots::most > most;
}

// Whether springs are to become other than the system has them.
bool springs_differ(const Body& body) {
    if (!body.own_springs) return false;
    const auto& made = body.system.base().key.stiffness;
    for (std::size_t s = 0; s < body.model->springs.size(); ++s)
        if (body.own_springs->next_stiffness(s) !=
            (made ? (*made)[s] : body.model->springs[s].stiffness))
            return true;
    return false;
}

twang_integrator integrator_to_come(const Body& body) {
    return (body.pending ? body.pending->key : body.system.base().key).integrator;
}

void move_grabs(const Frame& frame, Body& body) {
    const double way = static_cast<double>(frame.substep + 1) / frame.until_there;
    std::size_t place = 0;
    for (GrabSlots::Slot& slot : body.grabs.slots) {
        if (!slot.in_use) continue;
        const bool arrives = frame.substep + 1 == frame.until_there;
        const Vec3 target = slot.grab.target;
        const Vec3 now = arrives ? target : slot.from + way * (target - slot.from);
        body.system.move_grab(place++, now);
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
    return 12 + vertices / 200; // some tenths of a second for cloth, at 60 steps a second
}

Status admit(const Frame& frame, Body& body) {
    body.changed |= body.pins.admit(body.x.data(), frame.substep, frame.until_there);
    collect_fitting(body);
    const bool back = std::exchange(body.to_start, false);
    if (back && body.start_system && body.start_system->key.time_step == frame.time_step)
        take(frame, body.start_system, body);
    else if (back)
        body.stale = true;
    else if (is_due(frame, body))
        if (const Status s = take_pending(frame, body); s != TWANG_OK) return s;

    const bool has_system = body.system.shared() != nullptr;
    bool at_once = !has_system || body.stale || body.system.base().key.time_step != frame.time_step;
    if (has_system && integrator_to_come(body) != wanted_integrator(frame, body)) {
        body.wants_system = true;
        at_once |= body.report.steps == 0;
    }
    if (has_system && body.changed) at_once |= weigh_pins(body);
    if (at_once || (body.wants_system && frame.refactor_delay == 0))
        if (const Status s = make_now(frame, body); s != TWANG_OK) return s;

    if (body.refit) {
        body.work.fit(body.system.base(), body.settings);
        body.changed = true; // the coarse step is new too
    }
    if (body.changed) {
        body.unfitted = true;
        body.system.admit(body.pins.held(), body.grabs.list(), body.work.solve, frame.jobs);
        const System& system = body.system.base();
        const std::vector<CoarseHold> holds = body.system.coarse_holds();
        body.work.coarse.hold(system.coarse, holds);
        body.work.coarse_in_air.hold(system.coarse_in_air, holds);
    }
    move_grabs(frame, body);
    body.refit = body.changed = false;
    if (body.wants_system && !body.pending) order(frame, frame.time_step, body);
    fit_pending(frame, body);
    return TWANG_OK;
}

void order_time_step(const Frame& frame, double seconds, Body& body) {
    body.changed |= body.pins.admit_set(body.x.data()); // of this step, not of the last
    order(frame, seconds, body);
}

void forget_time_step(Body& body) {
    body.pending.reset();
    body.wants_system = springs_differ(body);
    body.changed = true; // so that pins are weighed again
}

} // namespace twang::core
