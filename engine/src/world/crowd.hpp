// The steps of many bodies. Large ones come one after the other, each with all workers; small ones
// are shared out, and those that share a factor are solved together, up to eight side by side. None
// of this changes a bit of anybody's result.
#pragma once

#include <array>
#include <atomic>
#include <vector>

#include "solver/batch.hpp"
#include "world/touching_bodies.hpp"

namespace twang::core {

class Crowd {
public:
    void clear() { steps_.clear(); }
    // Both frame and body must last until the step is over.
    void add(const Frame& frame, twang_body handle, Body& body);
    // In the order they were added; they stay where they are until the next clear().
    std::span<BodyStep> steps() { return steps_; }
    // All of them; the first body that failed, or null.
    const Body* step(const Frame& frame, TouchingBodies& touching);

private:
    struct Unit {
        std::size_t begin, end; // in small_
    };
    // Either of units_ or a group of bodies that touch.
    struct Task {
        std::size_t cost; // roughly
        bool is_unit;
        std::size_t index;
    };
    void admit_all();
    void share_out(int workers, int most);
    void begin_touching(TouchingBodies& touching, Jobs& jobs, bool shared);
    void list_tasks(const TouchingBodies& touching);
    unsigned solve_together(const Unit& unit);
    void run(const Unit& unit);
    std::size_t take_room();

    std::vector<BodyStep> steps_;
    std::vector<BodyStep*> large_, small_, begun_;
    std::vector<Unit> units_;
    std::vector<Task> tasks_;
    std::vector<SideBySide> rooms_; // as many as may be needed at the same time
    std::array<std::atomic<bool>, TWANG_MAX_WORKERS> taken_{}; // of the rooms
    Jobs alone_{1};
};

} // namespace twang::core
