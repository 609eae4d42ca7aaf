// Which vertices of a body are held, and where. Changes are queued by the caller and admitted at
// the start of a step; whether the set itself changed, and with it Q, or only targets, is known
// here. How a pin enters Q is the system's business, how it pulls the objective's.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/vec3.hpp"

namespace twang::core {

class Pins {
public:
    explicit Pins(std::size_t vertex_count)
        : held_(vertex_count, 0),
          next_held_(vertex_count, 0),
          targets_(vertex_count),
          next_targets_(vertex_count),
          starts_(vertex_count) {
        list_.reserve(vertex_count); // admitting never allocates either
    }

    // Both: false where that is how it is, or is going to be, in any case.
    bool pin(std::uint32_t vertex, Vec3 target) {
        if (next_held_[vertex] && next_targets_[vertex] == target) return false;
        next_held_[vertex] = 1;
        next_targets_[vertex] = target;
        return moved_ = true;
    }
    bool unpin(std::uint32_t vertex) { return std::exchange(next_held_[vertex], 0); }
    bool will_hold(std::uint32_t vertex) const { return next_held_[vertex]; }
    Vec3 next_target(std::uint32_t vertex) const { return next_targets_[vertex]; }

    // Everything about one vertex at once: held so far, and at which target; from the next step on.
    // Where others are held than before, list_anew has to follow.
    void assign(std::uint32_t vertex, bool held, Vec3 target, bool next_held, Vec3 next_target) {
        held_[vertex] = held;
        targets_[vertex] = target;
        next_held_[vertex] = next_held;
        next_targets_[vertex] = next_target;
        moved_ = true;
    }

    // Takes in what was queued. True when the set of held vertices is another one now.
    bool admit(const Vec3* x, int substep = 0, int substeps = 1) {
        const bool another = admit_set(x);
        move(substep, substeps);
        return another;
    }
    // Of that, the set of held vertices; those that are new to it are held at x until their
    // targets move.
    bool admit_set(const Vec3* x) {
        if (held_ == next_held_) return false;
        for (std::uint32_t i = 0; i < next_held_.size(); ++i)
            if (next_held_[i] && !held_[i]) targets_[i] = x[i];
        held_ = next_held_;
        list_anew();
        return true;
    }
    void list_anew() {
        list_.clear();
        for (std::uint32_t i = 0; i < held_.size(); ++i)
            if (held_[i]) list_.push_back(i);
    }

    const std::vector<char>& held() const { return held_; }
    const std::vector<std::uint32_t>& list() const { return list_; } // of held vertices, ascending
    bool holds(std::size_t vertex) const { return held_[vertex]; }
    Vec3 target(std::size_t vertex) const { return targets_[vertex]; }

private:
    // The targets move evenly over the substeps of a step and arrive in the last.
    void move(int substep, int substeps) {
        if (substep == 0) {
            moving_ |= moved_;
            moved_ = false;
            if (moving_ && substeps > 1) starts_ = targets_;
        }
        if (!moving_) return;
        if (substep + 1 < substeps) {
            const double way = static_cast<double>(substep + 1) / substeps;
            for (const std::uint32_t i : list_)
                targets_[i] = starts_[i] + way * (next_targets_[i] - starts_[i]);
        } else {
            targets_ = next_targets_;
            moving_ = false;
        }
    }

    std::vector<char> held_, next_held_;
    std::vector<Vec3> targets_, next_targets_; // whole lists: queueing never allocates
    std::vector<Vec3> starts_;                 // targets_ before the first substep
    std::vector<std::uint32_t> list_;
    bool moved_ = false;  // targets are queued
    bool moving_ = false; // and taken in, but not all have arrived
};

} // namespace twang::core
