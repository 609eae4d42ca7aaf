// The coarse correction of CoarseStep for a batch of eight bodies that share a CoarseSystem: the
// weights are read once for all eight. The result equals that of each body alone, bit for bit. For
// AVX2; called only where the machine has AVX2.
#pragma once

#include "base/lanes.hpp"
#include "system/coarse.hpp"

namespace twang::core {

class BatchCoarse {
public:
    // Makes room for a system; allocates only for a larger system than any before.
    void fit(const CoarseSystem& system);
    // Assembles and factors U^T H U at x, with `inertia` as a fraction of the system's. Bit k of
    // the result: the matrix is positive definite for body k, which has no correction otherwise.
    unsigned prepare(const CoarseSystem& system, const double* x, double inertia);
    // q += U ((U^T H U)^-1 - (U^T Q U)^-1) U^T r.
    void add(const CoarseSystem& system, const float* r, float* q);
    // q := U (U^T H U)^-1 U^T r.
    void solve(const CoarseSystem& system, const float* r, float* q);
    // For the bodies of the mask: p := the correction added last - q. This is the step without the
    // coarse correction.
    void unaccelerated_step(const CoarseSystem& system, const float* q, unsigned mask,
                            float* p) const;

private:
    AlignedArray<float> parts_;         // partial moments of a group, per lane of a spring pack
    AlignedArray<float> moments_;       // of a group
    AlignedArray<float> sums_;          // six per block of the shape
    AlignedArray<double> hessian_;      // nine per block: for bodies 0 ... 3, then 4 ... 7
    AlignedArray<double> coefficients_; // x, y, z per node, in the same order
    AlignedArray<double> constant_;
};

// Stages of BatchCoarse. Each of the six numbers xx, xy, xz, yy, yz, zz has batch_width lanes.
inline constexpr std::size_t six_stride = 6 * batch_width;
void batch_moments(const CoarseLists& lists, const CoarseGroup& group, const double* x,
                   float* parts, float* moments);
void batch_scatter(const CoarseGroup& group, const float* moments, float* blocks);
void batch_fill(const CoarseSystem& system, const float* blocks, double inertia, double* hessian);
unsigned batch_factor(const SkylineShape& shape, double* hessian);
void batch_restrict(const CoarseSystem& system, const float* r, double* coefficients);
void batch_skyline(const SkylineShape& shape, const double* hessian, double* x);
void batch_skyline(const SkylineShape& shape, const std::vector<SkylineBlock<1>>& blocks,
                   double* x);
// a -= b, of `count` numbers.
void batch_subtract(std::size_t count, double* a, const double* b);
void batch_prolong(const CoarseSystem& system, const double* coefficients, float* q);
void batch_unaccelerated_step(const CoarseSystem& system, const double* coefficients,
                              const float* q, unsigned mask, float* p);

} // namespace twang::core
