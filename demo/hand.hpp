// The visitor's hand: takes hold of a place on a body, pulls it about and lets go; pins, unpins and
// cuts. The only file of the demo that knows by which calls of the engine that is done. Where a
// scene is shown twice, both bodies feel the same hand.
#ifndef TWANG_DEMO_HAND_HPP
#define TWANG_DEMO_HAND_HPP

#include "picking.hpp"
#include "show.hpp"

namespace twang::demo {

class Hand {
public:
    // A pinned vertex is moved with its pin; everything else is held softly.
    void take(Show& show, const Hit& hit);
    void move(Show& show, Point to); // in the world, as Hit has it
    void let_go(Show& show);

    bool holds(const Show& show) const { return holding_ && generation_ == show.generation(); }
    const Grip& grip() const { return grip_; }
    Point at() const { return at_; } // where it pulls to

private:
    bool holding_ = false;
    std::uint64_t generation_ = 0;
    Grip grip_;
    std::size_t act_ = 0; // in whose place `at_` is
    bool by_pin_ = false;
    Point at_;
};

// Pins the vertex nearest to the place where it is, or lets it go if it was pinned.
void toggle_pin(Show& show, const Hit& hit);

// Cuts every spring that is seen to cross the line from one place in the picture to another.
void cut(Show& show, const OrbitCamera& camera, Point from, Point to, float aspect);

} // namespace twang::demo

#endif // TWANG_DEMO_HAND_HPP
