// The pinned vertices of a body and their targets. The caller queues changes, which are applied at
// the start of a step. This class tells changes of the set, which change Q, from changes of targets
// only. The system decides how a pin enters Q, the objective how a pin pulls.
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
        list_.reserve(vertex_count); // applying changes never allocates either
    }

    // Return false when the pin already has that state, queued changes included.
    bool pin(std::uint32_t vertex, Vec3 target) {
        if (next_held_[vertex] && next_targets_[vertex] == target) return false;
        next_held_[vertex] = 1;
        next_targets_[vertex] = target;
        return targets_queued_ = true;
    }
    bool unpin(std::uint32_t vertex) { return std::exchange(next_held_[vertex], 0); }
    bool will_hold(std::uint32_t vertex) const { return next_held_[vertex]; }
    Vec3 next_target(std::uint32_t vertex) const { return next_targets_[vertex]; }

    // Sets the state of one vertex: held now and at which target; held from the next step on and at
    // which target. If this changes which vertices are held, rebuild_list() has to follow.
    void assign(std::uint32_t vertex, bool held, Vec3 target, bool next_held, Vec3 next_target) {
        held_[vertex] = held;
        targets_[vertex] = target;
        next_held_[vertex] = next_held;
        next_targets_[vertex] = next_target;
        targets_queued_ = true;
    }

    // Applies the queued changes. Returns true when the set of held vertices has changed.
    bool apply_changes(const Vec3* x, int substep = 0, int substeps = 1) {
        const bool another = apply_set_changes(x);
        move(substep, substeps);
        return another;
    }
    // Applies only the queued changes of the set. A vertex that is newly held stays at x until its
    // target moves.
    bool apply_set_changes(const Vec3* x) {
        if (held_ == next_held_) return false;
        for (std::uint32_t i = 0; i < next_held_.size(); ++i)
            if (next_held_[i] && !held_[i]) targets_[i] = x[i];
        held_ = next_held_;
        rebuild_list();
        return true;
    }
    // Rebuilds the list of held vertices.
    void rebuild_list() {
        list_.clear();
        for (std::uint32_t i = 0; i < held_.size(); ++i)
            if (held_[i]) list_.push_back(i);
    }

    const std::vector<char>& held() const { return held_; }
    const std::vector<std::uint32_t>& list() const { return list_; } // of held vertices, ascending
    bool holds(std::size_t vertex) const { return held_[vertex]; }
    Vec3 target(std::size_t vertex) const { return targets_[vertex]; }

private:
    // Moves the targets evenly over the substeps of a step; the last substep reaches the queued
    // targets.
    void move(int substep, int substeps) {
        if (substep == 0) {
            targets_moving_ |= targets_queued_;
            targets_queued_ = false;
            if (targets_moving_ && substeps > 1) starts_ = targets_;
        }
        if (!targets_moving_) return;
        if (substep + 1 < substeps) {
            const double way = static_cast<double>(substep + 1) / substeps;
            for (const std::uint32_t i : list_)
                targets_[i] = starts_[i] + way * (next_targets_[i] - starts_[i]);
        } else {
            targets_ = next_targets_;
            targets_moving_ = false;
        }
    }

    std::vector<char> held_, next_held_;
    std::vector<Vec3> targets_, next_targets_; // full size: queueing never allocates
    std::vector<Vec3> starts_;                 // targets_ before the first substep
    std::vector<std::uint32_t> list_;
    bool targets_queued_ = false; // targets are queued
    bool targets_moving_ = false; // queued targets are applied, but not all reached
};

} // namespace twang::core
