// The first stage of a frame, and the only place besides creation where a body's system changes:
// queued pins and grabs enter the live system by Schur complement, and where that will not do, or
// springs changed, another system is ordered in the background and taken when it is due. The body
// steps on what it has meanwhile.
#pragma once

#include "world/frame.hpp"

namespace twang::core {

Status admit(const Frame& frame, Body& body);

// Orders a system for another time step, to be taken when the world takes that.
void order_time_step(const Frame& frame, double seconds, Body& body);
// That time step is not going to come: what else its system was ordered for is ordered again.
void forget_time_step(Body& body);

// The integrator of the body's settings; implicit Euler where stiff forces lag behind by a step, of
// a gas inside or of a penalty, for that drives oscillations which only implicit Euler damps.
twang_integrator wanted_integrator(const Frame& frame, const Body& body);

// Steps between an order and its taking: a function of the size alone, so that results do not
// depend on how fast the machine is.
std::uint64_t steps_until_due(const Frame& frame, std::size_t vertices);

} // namespace twang::core
