// Inputs of a substep that a world shares with the steps of all its bodies: time step, settings,
// surroundings, obstacles, factors, workers. A Frame refers to the world, and lives for one
// substep.
#pragma once

#include <span>

#include "contact/collider.hpp"
#include "world/body.hpp"
#include "world/forces.hpp"

namespace twang::core {

struct Frame {
    double time_step; // s, of a substep
    int substep, substeps;
    int substeps_to_targets; // substeps from the first of this step until targets are reached
    double damping;          // 1/s
    twang_pin_method pin_method;
    twang_precision precision;
    twang_arithmetic arithmetic;
    const Surroundings& surroundings;
    std::span<const Obstacle> obstacles; // as they move in this substep
    SystemCache& systems;
    FactorService& factor_service;
    int refactor_delay; // steps, TWANG_BY_SIZE or TWANG_WHEN_READY; 0: factor within the step
    Jobs& jobs;
    twang_iteration_callback on_iteration;
    void* user; // argument of on_iteration
};

} // namespace twang::core
