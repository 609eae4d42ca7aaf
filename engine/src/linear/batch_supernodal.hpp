// The global step for bodies side by side that share a factor: eight right-hand sides in one pass
// over it. Every lane does what panel_solve does for one body, in the same order.
#pragma once

#include "base/lanes.hpp"
#include "linear/supernodal.hpp"

namespace twang::core {

// Whether this factor, on this machine, is worth it: small enough for one worker, in float.
bool suits_side_panels(const Panels& panels);
// v := Q^-1 v. `v` has room for eight more vertices, for padding, and `fresh` for as many numbers
// as side_room says.
std::size_t side_room(const Panels& panels);
void side_solve(const Panels& panels, float* v, float* fresh);

// The loops for AVX2; called only where the machine has it. `padding` is what padding names in the
// list of rows.
void side_forward(const Supernode& node, const float* p, const std::int32_t* rows,
                  std::int32_t padding, float* v);
void side_backward(const Supernode& node, const float* p, const float* d, const std::int32_t* rows,
                   std::int32_t padding, float* v, float* fresh);

} // namespace twang::core
