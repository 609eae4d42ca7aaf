// Newton whose systems are solved by conjugate gradients, preconditioned by the constant factor of
// Q: no factorisation in the frame. The Hessian is applied spring by spring, never assembled.
#include <algorithm>
#include <cmath>

#include "newton.hpp"

namespace twang::core {

namespace {

constexpr int most_inner_iterations = 200;

// Solves H p = -gradient until the error, in the norm of Q^-1, falls to `target` of the start.
// Truncated at any time, p is a descent direction.
Status cg_direction(SolveContext& context) {
    Workspace& work = context.work;
    const LiveSystem& system = context.objective.system;
    const std::size_t n = work.x.size();
    const auto precondition = [&] {
        std::copy(work.residual.begin(), work.residual.end(), work.preconditioned.begin());
        solve(system, work.solve, context.jobs, work.preconditioned.data());
        if (context.contacts) context.contacts->cut(work.preconditioned);
        return product(context, work.residual, work.preconditioned);
    };
    VertexArray<Vec3>& p = work.direction;
    VertexArray<Vec3>& search = work.trial;
    for (std::size_t i = 0; i < n; ++i) {
        work.residual[i] = -work.gradient[i];
        p[i] = {};
    }
    double rz = precondition();
    std::copy(work.preconditioned.begin(), work.preconditioned.end(), search.begin());
    // Loose at first, tighter as the outer iterations converge: superlinear in the end.
    const double start = std::sqrt(rz);
    if (context.report.iterations == 0) work.first_start = start;
    const double target = std::min(0.1, std::sqrt(start / work.first_start));
    for (int inner = 0; inner < most_inner_iterations && std::sqrt(rz) > target * start; ++inner) {
        hessian_times(context.objective, work.curve.data(), 0.0, search.data(), work.product.data(),
                      context.jobs);
        if (context.contacts) context.contacts->cut(work.product);
        const double curvature = product(context, search, work.product);
        if (!(curvature > 0.0)) break;
        const double alpha = rz / curvature;
        for (std::size_t i = 0; i < n; ++i) {
            p[i] += alpha * search[i];
            work.residual[i] -= alpha * work.product[i];
        }
        context.clock.lap(&twang_stage_ms::project);
        const double next = precondition();
        context.clock.lap(&twang_stage_ms::solve);
        const double beta = next / rz;
        rz = next;
        for (std::size_t i = 0; i < n; ++i) search[i] = work.preconditioned[i] + beta * search[i];
        ++context.report.inner_iterations;
    }
    return TWANG_OK;
}

} // namespace

Status newton_cg(SolveContext& context) { return descend(context, cg_direction); }

} // namespace twang::core
