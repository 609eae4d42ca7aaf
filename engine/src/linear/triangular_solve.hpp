// The global step: forward and backward substitution with L, three right-hand sides (x, y, z) at
// once, in place, without allocating. Plain columns in double.
#pragma once

#include "base/vec3.hpp"
#include "linear/cholesky.hpp"

namespace twang::core {

// b := (L L^T)^-1 b
void triangular_solve(const LowerFactor& lower, Vec3* b);
// The halves of that: L^-1 b and L^-T b.
void triangular_forward(const LowerFactor& lower, Vec3* b);
void triangular_backward(const LowerFactor& lower, Vec3* b);

} // namespace twang::core
