// The global step for a crowd: up to eight right-hand sides of bodies that share a factor, in one
// pass over it. Vertices lie side by side, x y z of eight bodies each; every lane does what
// panel_solve does for one body, in the same order, so that the bits are those of the body alone.
#pragma once

#include "gather.hpp"
#include "panels.hpp"

namespace twang::core {

class PanelBatch {
public:
    static constexpr int most = 8;

    PanelBatch() = default;
    // Whether this factor, on this machine, is worth it: small enough for one worker, in float.
    static bool suits(const Panels& panels);
    // Makes room; allocates only for a larger factor than any before.
    void fit(const Panels& panels);
    // v[i] := Q^-1 v[i] for `count` bodies, 2 to 8.
    void solve(const Panels& panels, Float4* const* v, int count);

private:
    AlignedArray<float> v_;     // 24 per vertex, eight more vertices for padding
    AlignedArray<float> fresh_; // eight times 24 per column of a supernode
};

// The same for bodies that lie side by side already: 24 numbers per vertex, eight more vertices
// for padding, and `fresh` with batch_room numbers.
inline std::size_t batch_room(const Panels& panels) { return 192 * std::size_t(panels.widest); }
void batch_solve(const Panels& panels, float* v, float* fresh);

// The loops for AVX2; called only where the machine has it.
void batch_read(const Float4* const* v, int count, std::size_t n, float* to);
void batch_write(const float* from, int count, std::size_t n, Float4* const* v);
// `padding` is what padding names in the list of rows.
void batch_forward(const Supernode& node, const float* p, const std::int32_t* rows,
                   std::int32_t padding, float* v);
void batch_backward(const Supernode& node, const float* p, const float* d, const std::int32_t* rows,
                    std::int32_t padding, float* v, float* fresh);

} // namespace twang::core
