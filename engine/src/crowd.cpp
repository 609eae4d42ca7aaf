#include "crowd.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace twang::core {

namespace {

// Below this a body is better off with one worker of its own than with a share of all.
constexpr std::size_t large = 3000; // vertices
// With fewer, lanes stay empty and one by one is faster.
constexpr std::size_t fewest_side_by_side = 5;

bool same_kind(const Body& a, const Body& b) { return a.system.shared() == b.system.shared(); }

// False where there is no memory for it: one by one needs no more.
bool make_room(SideBySide& room, const System& system) {
    try {
        room.fit(system);
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

} // namespace

void Crowd::add(const Frame& frame, twang_body handle, Body& body) {
    steps_.emplace_back(frame, handle, body);
}

void Crowd::admit_all() {
    large_.clear();
    small_.clear();
    for (BodyStep& step : steps_) {
        step.admit();
        if (step.status() != TWANG_OK) continue;
        (step.body().x.size() < large ? small_ : large_).push_back(&step);
    }
}

// Bodies with the same factor side by side, then cut into units that keep all workers busy.
void Crowd::share_out(int workers) {
    units_.clear();
    std::sort(small_.begin(), small_.end(), [](BodyStep* a, BodyStep* b) {
        const auto place = [](BodyStep* s) {
            return std::pair(s->body().system.shared().get(), s);
        };
        return place(a) < place(b);
    });
    for (std::size_t begin = 0, end; begin < small_.size(); begin = end) {
        end = begin + 1;
        while (end < small_.size() && same_kind(small_[begin]->body(), small_[end]->body())) ++end;
        const std::size_t count = end - begin;
        const std::size_t size =
            std::clamp<std::size_t>((count + workers - 1) / workers, 1, abreast);
        for (std::size_t first = begin; first < end; first += size)
            units_.push_back({first, std::min(first + size, end)});
    }
    if (rooms_.size() < std::size_t(workers)) rooms_.resize(workers);
    // Now and not when their bodies leave the contacts that keep them apart.
    for (std::size_t u = 0; u < units_.size(); ++u) {
        const Body& first = small_[units_[u].begin]->body();
        if (units_[u].end - units_[u].begin >= fewest_side_by_side &&
            SideBySide::suits(first.system.base(), first.settings))
            make_room(rooms_[u % workers], first.system.base());
    }
}

// Solves those of a unit that can be solved together, if they are enough. Bit k: body k of it.
unsigned Crowd::solve_together(const Unit& unit, SideBySide& room) const {
    SolveContext* together[abreast];
    std::size_t places[abreast], count = 0;
    for (std::size_t k = unit.begin; k < unit.end; ++k) {
        SolveContext* context = small_[k]->context();
        if (!context || small_[k]->touches || !SideBySide::suits(*context)) continue;
        if (count > 0 && !SideBySide::together(*together[0], *context)) continue;
        places[count] = k - unit.begin;
        together[count++] = context;
    }
    unsigned solved = 0;
    if (count < fewest_side_by_side || !make_room(room, together[0]->objective.system.base()))
        return solved;
    const unsigned done = room.solve({together, count});
    for (std::size_t k = 0; k < count; ++k)
        if (done >> k & 1) solved |= 1u << places[k];
    return solved;
}

void Crowd::run(const Unit& unit, SideBySide& room) {
    for (std::size_t k = unit.begin; k < unit.end; ++k) small_[k]->begin(alone_);
    const unsigned solved = solve_together(unit, room);
    for (std::size_t k = unit.begin; k < unit.end; ++k) {
        if (small_[k]->touches) continue;
        if (!(solved >> (k - unit.begin) & 1)) small_[k]->solve();
        small_[k]->solve_missed();
        small_[k]->finish();
    }
}

// What bodies touch is found when all that have balls have begun, and those that do not minimise
// have moved.
void Crowd::begin_touching(TouchingBodies& touching, Jobs& jobs, bool shared) {
    if (touching.empty()) return;
    const auto begin = [](BodyStep& step, Jobs& with) {
        step.begin(with);
        if (!step.minimises()) step.solve();
    };
    begun_.clear();
    touching.for_each_step([&](BodyStep& step) {
        if (step.body().x.size() < large)
            begun_.push_back(&step);
        else
            begin(step, jobs);
    });
    const auto task = [&](std::size_t k) { begin(*begun_[k], alone_); };
    if (shared)
        jobs.tasks(begun_.size(), task);
    else
        for (std::size_t k = 0; k < begun_.size(); ++k) task(k);
    touching.find(jobs);
}

const Body* Crowd::step(const Frame& frame, TouchingBodies& touching) {
    admit_all();
    // A caller's callback is called on its own thread.
    const bool shared = !frame.on_iteration;
    const int workers = shared ? frame.jobs.workers() : 1;
    share_out(workers); // before anything moves: it may need memory
    begin_touching(touching, frame.jobs, shared);
    for (BodyStep* step : large_) {
        step->begin(frame.jobs);
        if (step->touches) continue;
        step->solve();
        step->solve_missed();
        step->finish();
    }
    groups_.clear();
    for (std::size_t group = 0; group < touching.group_count(); ++group) {
        BodyStep* alone = touching.alone(group);
        if (alone && alone->body().x.size() < large)
            groups_.push_back(group);
        else
            touching.solve(group, frame.jobs);
    }
    // tasks() gives every workers-th to the same worker.
    const auto task = [&](std::size_t k) {
        if (k < units_.size())
            run(units_[k], rooms_[k % workers]);
        else
            touching.solve(groups_[k - units_.size()], alone_);
    };
    const std::size_t tasks = units_.size() + groups_.size();
    if (shared)
        frame.jobs.tasks(tasks, task);
    else
        for (std::size_t k = 0; k < tasks; ++k) task(k);
    if (!touching.empty()) touching.separate(frame);
    for (BodyStep& step : steps_)
        if (step.status() != TWANG_OK) return &step.body();
    return nullptr;
}

} // namespace twang::core
