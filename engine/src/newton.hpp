// The frame of a Newton method: directions from the caller, back-tracking line search, stopping.
#pragma once

#include "solving.hpp"

namespace twang::core {

// Backs off from work.x + work.direction until the objective falls by a fair share of what `slope`
// (gradient . direction, below 0) promises, and moves work.x there. Returns the fraction of the
// direction taken; 0 when no fraction helps. `g` is the objective at work.x.
double line_search(SolveContext& context, double g, double slope);

// Minimises the objective from work.x. `find_direction` fills work.direction from work.gradient and
// the projected work.curve.
Status descend(SolveContext& context, Status (*find_direction)(SolveContext& context));

} // namespace twang::core
