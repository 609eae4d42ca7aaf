// Interaction with bodies: drags a picked point with the mouse, pins, unpins and cuts. The only
// file of the demo that calls the engine's grabs, pins and cuts. In a comparison every change is
// applied to the bodies of both runs.
#ifndef TWANG_DEMO_DRAG_HPP
#define TWANG_DEMO_DRAG_HPP

#include "simulation/simulation.hpp"
#include "view/picking.hpp"

namespace twang::demo {

class Drag {
public:
    // Begins a drag. A pinned vertex is moved with its pin; any other point is pulled by a grab, a
    // soft spring.
    void take(Simulation& simulation, const Hit& hit);
    void move(Simulation& simulation, Point to); // in world coordinates, like Hit::at
    void let_go(Simulation& simulation);

    bool holds(const Simulation& simulation) const {
        return active_ && generation_ == simulation.generation();
    }
    const Grip& grip() const { return grip_; }
    Point at() const { return at_; } // the target of the drag

private:
    bool active_ = false;
    std::uint64_t generation_ = 0;
    Grip grip_;
    std::size_t run_ = 0; // index of the run whose offset `at_` includes
    bool by_pin_ = false;
    Point at_;
};

// Pins the picked vertex at its position, or unpins it if it is pinned.
void toggle_pin(Simulation& simulation, const Hit& hit);

// Cuts along the way of the pointer: what is seen to cross the line from its last place to `at`,
// past bodies that move in between. The first call of a stroke only places the blade.
void cut_to(Simulation& simulation, const OrbitCamera& camera, Point at, float aspect);
void end_cut(Simulation& simulation);

} // namespace twang::demo

#endif // TWANG_DEMO_DRAG_HPP
