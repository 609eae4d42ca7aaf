// Stage apply_changes of a frame: brings a body's system, Q and its factor, up to date with what
// the caller changed.
// Pins and grabs enter by a Schur complement on the factor at hand, exactly and in the same step
// (see system/schur_update.hpp). Changed springs, another time step, or too many changed pins need
// another factor: it is requested from the factor service and adopted a fixed number of steps
// later. Until then the body steps on the factor at hand.
// Besides the creation of a body and a restored snapshot, no other code replaces a body's system.
#pragma once

#include "world/frame.hpp"

namespace twang::core {

Status apply_changes(const Frame& frame, Body& body);

// Requests a factor of Q for another time step. The body adopts that factor in the step in which
// the world takes the new time step.
void request_time_step(const Frame& frame, double seconds, Body& body);
// Cancels that request, because the time step was set back. Changes that its factor would have
// covered are requested again.
void cancel_time_step(Body& body);

// Returns the integrator of the body's settings, or implicit Euler where the body has a gas
// pressure or the world a penalty sphere: both forces are stiff and one step late, which drives
// oscillations that only implicit Euler damps.
twang_integrator wanted_integrator(const Frame& frame, const Body& body);

// Steps from a factor request to the adoption of its factor: a function of the vertex count alone,
// so that results do not depend on the speed of the machine.
std::uint64_t steps_until_due(const Frame& frame, std::size_t vertices);

} // namespace twang::core
