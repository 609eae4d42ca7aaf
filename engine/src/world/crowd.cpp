#include "world/crowd.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace twang::core {

namespace {

// Below this a body is better off with one worker of its own than with a share of all.
constexpr std::size_t large = 3000; // vertices
// With fewer, lanes stay empty and one by one is faster.
constexpr std::size_t fewest_side_by_side = 5;

// Roughly, and only for the order of tasks.
std::size_t cost_of(const Body& body) {
    return body.x.size() * static_cast<std::size_t>(std::max(1, int(body.settings.iterations)));
}

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

// Bodies with the same factor side by side, then cut into units that keep so many workers busy.
// Rooms are made for any number of workers up to `most`, now: more may come in a later step, or
// bodies leave the contacts that keep them apart.
void Crowd::share_out(int workers, int most) {
    const std::size_t rooms = std::min<std::size_t>(most, small_.size() / fewest_side_by_side);
    if (rooms_.size() < rooms) rooms_.resize(rooms);
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
        const Body& kind = small_[begin]->body();
        if (count >= fewest_side_by_side && SideBySide::suits(kind.system.base(), kind.settings))
            for (SideBySide& room : rooms_) make_room(room, kind.system.base());
        const std::size_t size =
            std::clamp<std::size_t>((count + workers - 1) / workers, 1, abreast);
        for (std::size_t first = begin; first < end; first += size)
            units_.push_back({first, std::min(first + size, end)});
    }
}

// Units, and groups of one small body that touches itself: the costliest first.
void Crowd::list_tasks(const TouchingBodies& touching) {
    tasks_.clear();
    for (std::size_t u = 0; u < units_.size(); ++u) {
        std::size_t cost = 0;
        for (std::size_t k = units_[u].begin; k < units_[u].end; ++k)
            if (!small_[k]->touches) cost += cost_of(small_[k]->body());
        tasks_.push_back({cost, true, u});
    }
    for (std::size_t group = 0; group < touching.group_count(); ++group)
        if (BodyStep* alone = touching.alone(group); alone && alone->body().x.size() < large)
            tasks_.push_back({cost_of(alone->body()), false, group});
    std::sort(tasks_.begin(), tasks_.end(),
              [](const Task& a, const Task& b) { return a.cost > b.cost; });
}

// A room that no other task is in: there are as many as tasks can run at the same time.
std::size_t Crowd::take_room() {
    for (std::size_t k = 0;; k = (k + 1) % rooms_.size())
        if (!taken_[k].exchange(true, std::memory_order_acquire)) return k;
}

// Solves those of a unit that can be solved together, if they are enough. Bit k: body k of it.
unsigned Crowd::solve_together(const Unit& unit) {
    SolveContext* together[abreast];
    std::size_t places[abreast], count = 0;
    for (std::size_t k = unit.begin; k < unit.end; ++k) {
        SolveContext* context = small_[k]->context();
        if (!context || small_[k]->touches || !SideBySide::suits(*context)) continue;
        if (count > 0 && !SideBySide::together(*together[0], *context)) continue;
        places[count] = k - unit.begin;
        together[count++] = context;
    }
    unsigned solved = 0, done = 0;
    if (count < fewest_side_by_side) return solved;
    const std::size_t room = take_room();
    if (make_room(rooms_[room], together[0]->objective.system.base()))
        done = rooms_[room].solve({together, count});
    taken_[room].store(false, std::memory_order_release);
    for (std::size_t k = 0; k < count; ++k)
        if (done >> k & 1) solved |= 1u << places[k];
    return solved;
}

void Crowd::run(const Unit& unit) {
    for (std::size_t k = unit.begin; k < unit.end; ++k) small_[k]->begin(alone_);
    const unsigned solved = solve_together(unit);
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
    std::sort(begun_.begin(), begun_.end(),
              [](BodyStep* a, BodyStep* b) { return cost_of(a->body()) > cost_of(b->body()); });
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
    // Before anything moves: it may need memory.
    share_out(shared ? 1 + frame.jobs.helpers() : 1, frame.jobs.workers());
    begin_touching(touching, frame.jobs, shared);
    for (BodyStep* step : large_) {
        step->begin(frame.jobs);
        if (step->touches) continue;
        step->solve();
        step->solve_missed();
        step->finish();
    }
    for (std::size_t group = 0; group < touching.group_count(); ++group) {
        BodyStep* alone = touching.alone(group);
        if (!alone || alone->body().x.size() >= large) touching.solve(group, frame.jobs);
    }
    list_tasks(touching);
    const auto task = [&](std::size_t k) {
        if (tasks_[k].is_unit)
            run(units_[tasks_[k].index]);
        else
            touching.solve(tasks_[k].index, alone_);
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
