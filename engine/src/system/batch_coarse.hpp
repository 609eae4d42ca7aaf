// The coarse correction of CoarseStep for eight bodies side by side that share a CoarseSystem: the
// weights are read once for all. The bits are those of each body alone. For AVX2; called only where
// the machine has it.
#pragma once

#include "base/lanes.hpp"
#include "system/coarse.hpp"

namespace twang::core {

class SideCoarse {
public:
    // Makes room; allocates only for a larger system than any before.
    void fit(const CoarseSystem& system);
    // Assembles and factors U^T H U at x, with so much of the system's inertia. Bit k of the
    // result: it is positive definite for body k, which has no correction otherwise.
    unsigned prepare(const CoarseSystem& system, const double* x, double inertia);
    // q += U ((U^T H U)^-1 - (U^T Q U)^-1) U^T r.
    void add(const CoarseSystem& system, const float* r, float* q);
    // q := U (U^T H U)^-1 U^T r.
    void solve(const CoarseSystem& system, const float* r, float* q);
    // For the bodies of the mask p := what was added last, less q: the plain correction as a step.
    void take_plain(const CoarseSystem& system, const float* q, unsigned mask, float* p) const;

private:
    AlignedArray<float> parts_;         // of the moments of a group, by place in a pack of springs
    AlignedArray<float> moments_;       // of a group
    AlignedArray<float> sums_;          // six per block of the shape
    AlignedArray<double> hessian_;      // nine per block: for bodies 0 ... 3, then 4 ... 7
    AlignedArray<double> coefficients_; // x, y, z of every node: the same
    AlignedArray<double> constant_;
};

// Its parts. Of six numbers xx, xy, xz, yy, yz, zz each has abreast lanes.
inline constexpr std::size_t six_stride = 6 * abreast;
void side_moments(const CoarseLists& lists, const CoarseGroup& group, const double* x, float* parts,
                  float* moments);
void side_spread(const CoarseGroup& group, const float* moments, float* blocks);
void side_fill(const CoarseSystem& system, const float* blocks, double inertia, double* hessian);
unsigned side_factor(const SkylineShape& shape, double* hessian);
void side_restrict(const CoarseSystem& system, const float* r, double* coefficients);
void side_skyline(const SkylineShape& shape, const double* hessian, double* x);
void side_skyline(const SkylineShape& shape, const std::vector<SkylineBlock<1>>& blocks, double* x);
// a -= b, of `count` numbers.
void side_subtract(std::size_t count, double* a, const double* b);
void side_prolong(const CoarseSystem& system, const double* coefficients, float* q);
void side_take_plain(const CoarseSystem& system, const double* coefficients, const float* q,
                     unsigned mask, float* p);

} // namespace twang::core
