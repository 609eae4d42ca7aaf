// The steps of many bodies. Large ones come one after the other, each with all workers; small ones
// are shared out, and those that share a factor are solved together, up to eight side by side. None
// of this changes a bit of anybody's result.
#pragma once

#include <vector>

#include "side_by_side.hpp"
#include "touching.hpp"

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
    void admit_all();
    void share_out(int workers);
    void begin_touching(TouchingBodies& touching, Jobs& jobs, bool shared);
    unsigned solve_together(const Unit& unit, SideBySide& room) const;
    void run(const Unit& unit, SideBySide& room);

    std::vector<BodyStep> steps_;
    std::vector<BodyStep*> large_, small_, begun_;
    std::vector<std::size_t> groups_; // of bodies that touch themselves alone
    std::vector<Unit> units_;
    std::vector<SideBySide> rooms_; // one per worker
    Jobs alone_{1};
};

} // namespace twang::core
