// The global step on panels: forward and backward, three right-hand sides as xyz0 per vertex, in
// place, without allocating, by several workers where the factor is large enough.
#pragma once

#include "base/jobs.hpp"
#include "linear/supernodal.hpp"

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

// From some vertices up the elimination tree: the supernodes that a solve has to visit where the
// others have no right-hand side and are not asked for.
class PanelPaths {
public:
    void reserve(std::size_t vertices) { on_.reserve(vertices); }
    void start(const Panels& panels) { on_.assign(panels.supernodes.size(), 0); }
    void add(const Panels& panels, std::uint32_t vertex) {
        for (int s = panels.supernode_of[vertex]; s >= 0 && !on_[s]; s = panels.parent[s])
            on_[s] = 1;
    }
    bool visit(int supernode) const { return on_[supernode]; }

private:
    std::vector<char> on_;
};

// The two halves of a solve: with Q^-1 = F^T D F, F and F^T D. The second needs what is asked for
// to be on the paths. See below.
void panel_forward(const Panels& panels, float* v, PanelScratch<float>& scratch, Jobs& jobs,
                   const PanelPaths* paths);
void panel_forward(const Panels& panels, double* v, PanelScratch<double>& scratch, Jobs& jobs,
                   const PanelPaths* paths);
void panel_backward(const Panels& panels, float* v, PanelScratch<float>& scratch, Jobs& jobs,
                    const PanelPaths* paths);
void panel_backward(const Panels& panels, double* v, PanelScratch<double>& scratch, Jobs& jobs,
                    const PanelPaths* paths);
// v := Q^-1 v, four numbers per vertex, the last unused. Eight more vertices follow the last, which
// padding reads and writes. With paths, v has to be 0 elsewhere and is not solved for there.
template <class Real>
void panel_solve(const Panels& panels, Real* v, PanelScratch<Real>& scratch, Jobs& jobs,
                 const PanelPaths* paths = nullptr) {
    panel_forward(panels, v, scratch, jobs, paths);
    panel_backward(panels, v, scratch, jobs, paths);
}
// D on the columns of a supernode, one number to each.
void panel_weigh(const Panels& panels, const Supernode& node, const double* columns, double* out);

} // namespace twang::core
