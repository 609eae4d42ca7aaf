// The one script of a frame, for one body.
#pragma once

#include <span>

#include "body.hpp"
#include "colliders.hpp"
#include "forces.hpp"

namespace twang::core {

// What a world lends to the step of a body.
struct Frame {
    double time_step; // of a substep
    int substep, substeps;
    double damping; // 1/s
    twang_pin_method pin_method;
    twang_precision precision;
    twang_arithmetic arithmetic;
    const Surroundings& surroundings;
    std::span<const Obstacle> obstacles;
    SystemCache& systems;
    Jobs& jobs;
    twang_iteration_callback on_iteration;
    void* user;
};

// On failure the body keeps the state it had, with the reason in its report, and is disabled.
Status step(const Frame& frame, twang_body handle, Body& body);

// Takes in queued pins and fetches the system that they and the time step ask for.
Status admit(const Frame& frame, Body& body);

} // namespace twang::core
