// Linearly implicit Euler: (M + h^2 K) v' = M v + h f, K the unprojected Hessian at the start of
// the step (Baraff and Witkin 1998). This is one full Newton step on the objective from there.
// Where the matrix is not positive definite (compressed springs), K is projected instead, and
// report.projected_systems is 1.
#include "solver/context.hpp"

namespace twang::core {

Status linear_implicit(SolveContext& context) {
    Workspace& work = context.work;
    DirectHessian& direct = *work.linear;
    const double g =
        evaluate(context.objective, work.x.data(), work.gradient.data(), context.jobs, work.sum);
    Status status = TWANG_FACTOR_FAILED;
    for (const bool projected : {false, true}) {
        compute_spring_hessians(context.objective, work.x.data(), projected, work.curve.data(),
                                context.jobs);
        assemble_hessian(context.objective, work.curve.data(), 0.0, direct.pattern,
                         direct.values.data(), context.jobs);
        context.clock.lap(&twang_stage_ms::local_step);
        context.report.projected_systems = projected;
        status = direct.factor.factorise(direct.values.data());
        context.clock.lap(&twang_stage_ms::global_step);
        if (status != TWANG_FACTOR_FAILED) break;
    }
    if (status != TWANG_OK) return status;
    for (std::size_t i = 0; i < work.direction.size(); ++i) work.direction[i] = -work.gradient[i];
    if (const Status s = direct.factor.solve(&work.direction.data()->x); s != TWANG_OK) return s;
    for (std::size_t i = 0; i < work.x.size(); ++i) work.x[i] += work.direction[i];
    context.clock.lap(&twang_stage_ms::global_step);
    record(context, g, longest(work.direction));
    return TWANG_OK;
}

} // namespace twang::core
