// The global step on L by columns in double: forward and backward substitution for three right-hand
// sides (x, y, z) at once, in place, without allocation.
#pragma once

#include "base/vec3.hpp"
#include "linear/cholesky.hpp"

namespace twang::core {

// Solves L L^T x = b in place.
void triangular_solve(const LowerFactor& lower, Vec3* b);
// Solve L x = b and L^T x = b in place.
void triangular_forward(const LowerFactor& lower, Vec3* b);
void triangular_backward(const LowerFactor& lower, Vec3* b);

} // namespace twang::core
