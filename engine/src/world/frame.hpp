// What a world lends to the step of a body.
#pragma once

#include <span>

#include "contact/collider.hpp"
#include "world/body.hpp"
#include "world/forces.hpp"

namespace twang::core {

struct Frame {
    double time_step; // of a substep
    int substep, substeps;
    int until_there; // substeps from the first of this step to where targets are reached
    double damping;  // 1/s
    twang_pin_method pin_method;
    twang_precision precision;
    twang_arithmetic arithmetic;
    const Surroundings& surroundings;
    std::span<const Obstacle> obstacles;
    SystemCache& systems;
    Refactory& refactory;
    int refactor_delay; // steps, TWANG_BY_SIZE or TWANG_WHEN_READY; 0: in the step
    Jobs& jobs;
    twang_iteration_callback on_iteration;
    void* user;
};

} // namespace twang::core
