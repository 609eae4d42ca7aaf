// The global step for a batch of eight bodies that share a factor: 24 right-hand sides in one pass
// over the panels. Each body has the operations of panel_solve in the same order, so the same bits.
#pragma once

#include "base/lanes.hpp"
#include "linear/supernodal.hpp"

namespace twang::core {

// Returns whether batch_solve can be used: AVX2, panels in float, and a factor without tasks, small
// enough for one worker.
bool supports_batch(const Panels& panels);
// Solves Q x = v in place. `v` has eight more vertices at the end, for padding, and `partial_sums`
// has batch_scratch_size numbers.
std::size_t batch_scratch_size(const Panels& panels);
void batch_solve(const Panels& panels, float* v, float* partial_sums);

// The loops over one supernode; need AVX2. `padding` is the entry of the list of rows that marks
// padding.
void batch_forward(const Supernode& node, const float* p, const std::int32_t* rows,
                   std::int32_t padding, float* v);
void batch_backward(const Supernode& node, const float* p, const float* d, const std::int32_t* rows,
                    std::int32_t padding, float* v, float* partial_sums);

} // namespace twang::core
