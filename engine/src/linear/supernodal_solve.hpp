// The global step, Q x = b, on supernodal panels: forward and backward for three right-hand sides,
// stored as xyz0 per vertex. In place, without allocation, and with several workers where the
// factor has tasks.
#pragma once

#include "base/jobs.hpp"
#include "linear/supernodal.hpp"

namespace twang::core {

// Memory for a solve. Each body has its own, because bodies may share a factor.
template <class Real>
struct PanelScratch {
    PanelScratch() = default;
    explicit PanelScratch(const Panels& panels);

    std::vector<AlignedArray<Real>> tops;  // per task: sums that the task adds to the top
    std::vector<AlignedArray<Real>> rooms; // per task and one for the top: vectors of one supernode
};

// The loops over one supernode for one instruction set. Stored is float, double or, for half
// precision, std::uint16_t.
template <class Stored, class Real>
struct PanelKernels {
    void (*forward)(const Supernode&, const Stored* p, const std::int32_t* rows, Real* inner,
                    Real* top);
    void (*backward)(const Supernode&, const Stored* p, const Real* d, const std::int32_t* rows,
                     Real* v, Real* buffer);
};

template <class Stored, class Real>
PanelKernels<Stored, Real> scalar_kernels();
template <class Stored, class Real>
PanelKernels<Stored, Real> avx2_kernels();

// Paths from some vertices to the root of the elimination tree: the supernodes that a solve must
// visit when all other vertices have a zero right-hand side and their solution is not needed.
class PanelPaths {
public:
    void reserve(std::size_t vertices) { on_path_.reserve(vertices); }
    void start(const Panels& panels) { on_path_.assign(panels.supernodes.size(), 0); }
    void add(const Panels& panels, std::uint32_t vertex) {
        for (int s = panels.supernode_of[vertex]; s >= 0 && !on_path_[s]; s = panels.parent[s])
            on_path_[s] = 1;
    }
    bool visit(int supernode) const { return on_path_[supernode]; }

private:
    std::vector<char> on_path_;
};

// The two halves of a solve: with Q^-1 = F^T D F, panel_forward applies F and panel_backward F^T D.
// Backward needs all wanted vertices on the paths. See panel_solve for v.
void panel_forward(const Panels& panels, float* v, PanelScratch<float>& scratch, Jobs& jobs,
                   const PanelPaths* paths);
void panel_forward(const Panels& panels, double* v, PanelScratch<double>& scratch, Jobs& jobs,
                   const PanelPaths* paths);
void panel_backward(const Panels& panels, float* v, PanelScratch<float>& scratch, Jobs& jobs,
                    const PanelPaths* paths);
void panel_backward(const Panels& panels, double* v, PanelScratch<double>& scratch, Jobs& jobs,
                    const PanelPaths* paths);
// Solves Q x = v in place. v has four numbers per vertex, the last unused, and eight more vertices
// at the end, which padding reads and writes. With paths, v must be 0 outside the paths, and the
// solution is only valid on them.
template <class Real>
void panel_solve(const Panels& panels, Real* v, PanelScratch<Real>& scratch, Jobs& jobs,
                 const PanelPaths* paths = nullptr) {
    panel_forward(panels, v, scratch, jobs, paths);
    panel_backward(panels, v, scratch, jobs, paths);
}
// Multiplies the columns of a supernode, one number each, by its D.
void multiply_diagonal(const Panels& panels, const Supernode& node, const double* columns,
                       double* out);

} // namespace twang::core
