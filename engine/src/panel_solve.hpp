// The global step on panels: forward and backward, three right-hand sides as xyz0 per vertex, in
// place, without allocating, by several workers where the factor is large enough.
#pragma once

#include "jobs.hpp"
#include "panels.hpp"

namespace twang::core {

// Memory for a solve; one per body, since a system may be shared.
template <class Real>
struct PanelScratch {
    PanelScratch() = default;
    explicit PanelScratch(const Panels& panels);

    std::vector<AlignedArray<Real>> tops;  // per task: what it adds to the top
    std::vector<AlignedArray<Real>> rooms; // per task and one for the top: a supernode's vectors
};

// The loops over one supernode, in a form the machine has. Stored is float, double or, for half
// precision, std::uint16_t.
template <class Stored, class Real>
struct PanelKernels {
    void (*forward)(const Supernode&, const Stored* p, const std::int32_t* rows, Real* inner,
                    Real* top);
    void (*backward)(const Supernode&, const Stored* p, const Real* d, const std::int32_t* rows,
                     Real* v, Real* room);
};

template <class Stored, class Real>
PanelKernels<Stored, Real> plain_kernels();
template <class Stored, class Real>
PanelKernels<Stored, Real> avx2_kernels();

// v := Q^-1 v, four numbers per vertex, the last unused. Eight more vertices follow the last, which
// padding reads and writes.
void panel_solve(const Panels& panels, float* v, PanelScratch<float>& scratch, Jobs& jobs);
void panel_solve(const Panels& panels, double* v, PanelScratch<double>& scratch, Jobs& jobs);

} // namespace twang::core
