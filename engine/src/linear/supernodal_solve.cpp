// Runs the panel loops over tasks and the top: forward from the leaves to the root of the
// elimination tree, backward from the root to the leaves.
#include "linear/supernodal_solve.hpp"

#include <algorithm>

#include "base/cpu.hpp"

namespace twang::core {

namespace {

template <class Stored, class Real>
const PanelKernels<Stored, Real>& kernels() {
    static const PanelKernels<Stored, Real> chosen =
        cpu_has_avx2() ? avx2_kernels<Stored, Real>() : scalar_kernels<Stored, Real>();
    return chosen;
}

template <class Stored, class Real>
void forward(const Panels& panels, const Stored* p, Real* v, PanelScratch<Real>& scratch,
             Jobs& jobs, const PanelPaths* paths) {
    const PanelKernels<Stored, Real>& k = kernels<Stored, Real>();
    std::fill_n(v + 4 * std::size_t(panels.n), 32, Real{0});
    const auto visit = [&](int s, Real* top) {
        if (paths && !paths->visit(s)) return;
        const Supernode& node = panels.supernodes[s];
        k.forward(node, p + node.panel, panels.rows.data() + node.rows, v, top);
    };
    jobs.tasks(panels.tasks.size(), [&](std::size_t t) {
        Real* top = scratch.tops[t].data();
        for (const auto& [begin, end] : panels.top_columns)
            std::fill(top + 4 * begin, top + 4 * end, Real{0});
        std::fill(top + 4 * std::size_t(panels.n), top + 4 * std::size_t(panels.n) + 4, Real{0});
        for (const int s : panels.tasks[t]) visit(s, top);
    });
    for (std::size_t t = 0; t < panels.tasks.size(); ++t)
        for (const auto& [begin, end] : panels.top_columns)
            for (int i = 4 * begin; i < 4 * end; ++i) v[i] += scratch.tops[t].data()[i];
    for (const int s : panels.top) visit(s, v);
}

template <class Stored, class Real>
void backward(const Panels& panels, const Stored* p, const Real* d, Real* v,
              PanelScratch<Real>& scratch, Jobs& jobs, const PanelPaths* paths) {
    const PanelKernels<Stored, Real>& k = kernels<Stored, Real>();
    std::fill_n(v + 4 * std::size_t(panels.n), 32, Real{0});
    const auto visit = [&](int s, Real* buffer) {
        if (paths && !paths->visit(s)) return;
        const Supernode& node = panels.supernodes[s];
        k.backward(node, p + node.panel, d + node.diagonal, panels.rows.data() + node.rows, v,
                   buffer);
    };
    for (auto s = panels.top.rbegin(); s != panels.top.rend(); ++s)
        visit(*s, scratch.rooms.back().data());
    jobs.tasks(panels.tasks.size(), [&](std::size_t t) {
        for (auto s = panels.tasks[t].rbegin(); s != panels.tasks[t].rend(); ++s)
            visit(*s, scratch.rooms[t].data());
    });
}

// Scales v; panels in half precision are those of a scaled Q.
void scale(const Panels& panels, float* v) {
    for (std::size_t i = 0; i < panels.scale.size(); ++i)
        for (int axis = 0; axis < 4; ++axis) v[4 * i + axis] *= panels.scale[i];
}

} // namespace

template <class Real>
PanelScratch<Real>::PanelScratch(const Panels& panels) {
    for (std::size_t t = 0; t < panels.tasks.size(); ++t)
        tops.emplace_back(4 * (std::size_t(panels.n) + 1));
    // Vertices of the columns and of the rows below as blocks of eight x, y, z, then the new
    // columns as xyz0.
    const std::size_t buffer_size =
        24 * std::size_t(panels.max_blocks + blocks_for(panels.widest) + 1) +
        4 * (panels.widest + 8);
    for (std::size_t t = 0; t < panels.tasks.size() + 1; ++t) rooms.emplace_back(buffer_size);
}

template struct PanelScratch<float>;
template struct PanelScratch<double>;

void panel_forward(const Panels& panels, float* v, PanelScratch<float>& scratch, Jobs& jobs,
                   const PanelPaths* paths) {
    if (!panels.p_half.data())
        return forward(panels, panels.p_float.data(), v, scratch, jobs, paths);
    scale(panels, v);
    forward(panels, panels.p_half.data(), v, scratch, jobs, paths);
}

void panel_forward(const Panels& panels, double* v, PanelScratch<double>& scratch, Jobs& jobs,
                   const PanelPaths* paths) {
    forward(panels, panels.p_double.data(), v, scratch, jobs, paths);
}

void panel_backward(const Panels& panels, float* v, PanelScratch<float>& scratch, Jobs& jobs,
                    const PanelPaths* paths) {
    const float* d = panels.d_float.data();
    if (!panels.p_half.data())
        return backward(panels, panels.p_float.data(), d, v, scratch, jobs, paths);
    backward(panels, panels.p_half.data(), d, v, scratch, jobs, paths);
    scale(panels, v);
}

void panel_backward(const Panels& panels, double* v, PanelScratch<double>& scratch, Jobs& jobs,
                    const PanelPaths* paths) {
    backward(panels, panels.p_double.data(), panels.d_double.data(), v, scratch, jobs, paths);
}

void multiply_diagonal(const Panels& panels, const Supernode& node, const double* columns,
                       double* out) {
    const int blocks = blocks_for(node.width);
    const auto multiply = [&](const auto* d) {
        std::fill_n(out, node.width, 0.0);
        for (int column = 0; column < node.width; ++column)
            for (int b = 0; b < blocks; ++b) {
                const auto* d_rows = d + place_of(b, blocks, node.width, column);
                for (int i = 0; i < std::min(8, node.width - 8 * b); ++i)
                    out[8 * b + i] += d_rows[i] * columns[column];
            }
    };
    if (panels.d_double.size() > 0)
        multiply(panels.d_double.data() + node.diagonal);
    else
        multiply(panels.d_float.data() + node.diagonal);
}

} // namespace twang::core
