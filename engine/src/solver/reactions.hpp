// The forces that hold pinned vertices in place: at each pinned vertex, the gradient of the
// objective without its pin. A solver that stops early leaves a residual gradient at free vertices
// too. Each pin gets an equal share of that residual, so that the pin reactions always account for
// all momentum that does not come from outside. The gradient at vertices that touch a collider or
// another vertex is the contact force, and is not part of the residual.
#pragma once

#include "contact/contact_projection.hpp"
#include "solver/objective.hpp"

namespace twang::core {

// Adds `share` times the reactions, in N, to pin_reactions, per vertex. Inertia and external forces
// are taken at x, springs at `stretched`. touched: per vertex, whether another vertex pushes this
// vertex; null: no vertex is pushed.
void add_reactions(const Objective& objective, const Contacts& contacts, const char* touched,
                   const Vec3* x, const Vec3* stretched, double share, Vec3* pin_reactions);

} // namespace twang::core
