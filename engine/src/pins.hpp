// Which vertices of a body are held, and where. Changes are queued by the caller and admitted at
// the start of a step; whether the set itself changed, and with it Q, or only targets, is known
// here. How a pin enters Q is the system's business, how it pulls the objective's.
#pragma once

#include <cstdint>
#include <vector>

#include "vec3.hpp"

namespace twang::core {

class Pins {
public:
    explicit Pins(std::size_t vertex_count)
        : held_(vertex_count, 0),
          next_held_(vertex_count, 0),
          targets_(vertex_count),
          next_targets_(vertex_count) {
        list_.reserve(vertex_count); // admitting never allocates either
    }

    void pin(std::uint32_t vertex, Vec3 target) {
        next_held_[vertex] = 1;
        next_targets_[vertex] = target;
        moved_ = true;
    }
    void unpin(std::uint32_t vertex) { next_held_[vertex] = 0; }
    bool will_hold(std::uint32_t vertex) const { return next_held_[vertex]; }
    Vec3 next_target(std::uint32_t vertex) const { return next_targets_[vertex]; }

    // Takes in what was queued. True when the set of held vertices is another one now.
    bool admit() {
        if (moved_) targets_ = next_targets_;
        moved_ = false;
        if (held_ == next_held_) return false;
        list_.clear();
        for (std::uint32_t i = 0; i < next_held_.size(); ++i)
            if (next_held_[i]) list_.push_back(i);
        held_ = next_held_;
        return true;
    }

    const std::vector<char>& held() const { return held_; }
    const std::vector<std::uint32_t>& list() const { return list_; } // of held vertices, ascending
    bool holds(std::size_t vertex) const { return held_[vertex]; }
    Vec3 target(std::size_t vertex) const { return targets_[vertex]; }

private:
    std::vector<char> held_, next_held_;
    std::vector<Vec3> targets_, next_targets_; // whole lists: queueing never allocates
    std::vector<std::uint32_t> list_;
    bool moved_ = false;
};

} // namespace twang::core
