// The forces that hold pinned vertices in place: all that pulls at them in the objective's
// gradient. A solver that stops early leaves some gradient at free vertices too; the pins bear
// equal shares of that, so that together they always account for all momentum that does not come
// from outside. What is left at vertices that touch an obstacle is what that bears, and no business
// of the pins.
#pragma once

#include "contact/contact_projection.hpp"
#include "solver/objective.hpp"

namespace twang::core {

// Adds `share` of them to `holding`, per vertex. Inertia and external forces are taken at x,
// springs at `stretched`. `touched`: per vertex, whether another vertex pushes it; null: none is.
void add_reactions(const Objective& objective, const Contacts& contacts, const char* touched,
                   const Vec3* x, const Vec3* stretched, double share, Vec3* holding);

} // namespace twang::core
