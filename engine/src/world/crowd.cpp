#include "world/crowd.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace twang::core {

namespace {

// Smaller bodies are faster with one worker each than with all workers on one body.
constexpr std::size_t min_large = 3000; // vertices
// Smaller batches leave lanes empty: solving their bodies one by one is faster.
constexpr std::size_t min_batch = 5;

// Estimate of the cost of a step; decides the order of tasks only.
std::size_t cost_of(const Body& body) {
    return body.x.size() * static_cast<std::size_t>(std::max(1, int(body.settings.iterations)));
}

bool same_factor(const Body& a, const Body& b) { return a.system.shared() == b.system.shared(); }

// Returns false without memory for it; bodies are then solved one by one, which needs no more.
bool fit_batch(Batch& batch, const System& system) {
    try {
        batch.fit(system);
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

} // namespace

void Crowd::add(const Frame& frame, twang_body handle, Body& body) {
    steps_.emplace_back(frame, handle, body);
}

void Crowd::apply_all_changes() {
    large_.clear();
    small_.clear();
    for (BodyStep& step : steps_) {
        step.apply_changes();
        if (step.status() != TWANG_OK) continue;
        (step.body().x.size() < min_large ? small_ : large_).push_back(&step);
    }
}

// Sorts the small bodies by their factor and cuts them into units, small enough to keep all workers
// busy. Batches are allocated here for any number of workers up to the maximum: a later step may
// have more workers, or more bodies to batch when they leave contact.
void Crowd::make_units(int workers, int max_workers) {
    const std::size_t batch_count = std::min<std::size_t>(max_workers, small_.size() / min_batch);
    if (batches_.size() < batch_count) batches_.resize(batch_count);
    units_.clear();
    std::sort(small_.begin(), small_.end(), [](BodyStep* a, BodyStep* b) {
        const auto key = [](BodyStep* s) { return std::pair(s->body().system.shared().get(), s); };
        return key(a) < key(b);
    });
    for (std::size_t begin = 0, end; begin < small_.size(); begin = end) {
        end = begin + 1;
        while (end < small_.size() && same_factor(small_[begin]->body(), small_[end]->body()))
            ++end;
        const std::size_t count = end - begin;
        const Body& first_body = small_[begin]->body();
        if (count >= min_batch && Batch::suits(first_body.system.base(), first_body.settings))
            for (Batch& batch : batches_) fit_batch(batch, first_body.system.base());
        const std::size_t size =
            std::clamp<std::size_t>((count + workers - 1) / workers, 1, batch_width);
        for (std::size_t first = begin; first < end; first += size)
            units_.push_back({first, std::min(first + size, end)});
    }
}

// Lists the units and the groups of one small body that touches itself, by decreasing cost.
void Crowd::list_tasks(const TouchingBodies& touching) {
    tasks_.clear();
    for (std::size_t u = 0; u < units_.size(); ++u) {
        std::size_t cost = 0;
        for (std::size_t k = units_[u].begin; k < units_[u].end; ++k)
            if (!small_[k]->touches) cost += cost_of(small_[k]->body());
        tasks_.push_back({cost, true, u});
    }
    for (std::size_t group = 0; group < touching.group_count(); ++group)
        if (BodyStep* step = touching.single_step(group); step && step->body().x.size() < min_large)
            tasks_.push_back({cost_of(step->body()), false, group});
    std::sort(tasks_.begin(), tasks_.end(),
              [](const Task& a, const Task& b) { return a.cost > b.cost; });
}

// Returns a batch that no other task uses; there are as many as tasks can run at the same time.
std::size_t Crowd::acquire_batch() {
    for (std::size_t k = 0;; k = (k + 1) % batches_.size())
        if (!batch_in_use_[k].exchange(true, std::memory_order_acquire)) return k;
}

// Solves the bodies of a unit that suit one batch, if there are at least min_batch. Bit k of the
// result: body k of the unit is solved.
unsigned Crowd::solve_batch(const Unit& unit) {
    SolveContext* contexts[batch_width];
    std::size_t positions[batch_width], count = 0;
    for (std::size_t k = unit.begin; k < unit.end; ++k) {
        SolveContext* context = small_[k]->context();
        if (!context || small_[k]->touches || !Batch::suits(*context)) continue;
        if (count > 0 && !Batch::together(*contexts[0], *context)) continue;
        positions[count] = k - unit.begin;
        contexts[count++] = context;
    }
    unsigned solved = 0, done = 0;
    if (count < min_batch) return solved;
    const std::size_t batch = acquire_batch();
    if (fit_batch(batches_[batch], contexts[0]->objective.system.base()))
        done = batches_[batch].solve({contexts, count});
    batch_in_use_[batch].store(false, std::memory_order_release);
    for (std::size_t k = 0; k < count; ++k)
        if (done >> k & 1) solved |= 1u << positions[k];
    return solved;
}

void Crowd::run(const Unit& unit) {
    for (std::size_t k = unit.begin; k < unit.end; ++k) small_[k]->begin(one_worker_);
    const unsigned solved = solve_batch(unit);
    for (std::size_t k = unit.begin; k < unit.end; ++k) {
        if (small_[k]->touches) continue;
        if (!(solved >> (k - unit.begin) & 1)) small_[k]->solve();
        small_[k]->solve_missed();
        small_[k]->finish();
    }
}

// Finds what bodies touch, after all bodies with vertex spheres have begun, and those whose solver
// does not minimise have moved.
void Crowd::begin_touching(TouchingBodies& touching, Jobs& jobs, bool shared) {
    if (touching.empty()) return;
    const auto begin = [](BodyStep& step, Jobs& with) {
        step.begin(with);
        if (!step.minimises()) step.solve();
    };
    small_touching_.clear();
    touching.for_each_step([&](BodyStep& step) {
        if (step.body().x.size() < min_large)
            small_touching_.push_back(&step);
        else
            begin(step, jobs);
    });
    std::sort(small_touching_.begin(), small_touching_.end(),
              [](BodyStep* a, BodyStep* b) { return cost_of(a->body()) > cost_of(b->body()); });
    const auto task = [&](std::size_t k) { begin(*small_touching_[k], one_worker_); };
    if (shared)
        jobs.tasks(small_touching_.size(), task);
    else
        for (std::size_t k = 0; k < small_touching_.size(); ++k) task(k);
    touching.find(jobs);
}

const Body* Crowd::step(const Frame& frame, TouchingBodies& touching) {
    apply_all_changes();
    // The caller's callback must run on the caller's thread.
    const bool shared = !frame.on_iteration;
    // Allocates before anything moves.
    make_units(shared ? 1 + frame.jobs.helpers() : 1, frame.jobs.workers());
    begin_touching(touching, frame.jobs, shared);
    for (BodyStep* step : large_) {
        step->begin(frame.jobs);
        if (step->touches) continue;
        step->solve();
        step->solve_missed();
        step->finish();
    }
    for (std::size_t group = 0; group < touching.group_count(); ++group) {
        BodyStep* step = touching.single_step(group);
        if (!step || step->body().x.size() >= min_large) touching.solve(group, frame.jobs);
    }
    list_tasks(touching);
    const auto task = [&](std::size_t k) {
        if (tasks_[k].is_unit)
            run(units_[tasks_[k].index]);
        else
            touching.solve(tasks_[k].index, one_worker_);
    };
    if (shared)
        frame.jobs.tasks(tasks_.size(), task);
    else
        for (std::size_t k = 0; k < tasks_.size(); ++k) task(k);
    if (!touching.empty()) touching.separate(frame);
    for (BodyStep& step : steps_)
        if (step.status() != TWANG_OK) return &step.body();
    return nullptr;
}

} // namespace twang::core
