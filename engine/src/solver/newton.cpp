// Projected Newton, the reference solver: H p = -grad g with the full Hessian H, in which every
// spring's block is projected to positive semi-definite. One factorisation per iteration on a
// symbolic analysis that is made once, and a back-tracking line search (newton.hpp).
#include "solver/newton.hpp"

namespace twang::core {

namespace {

// Fills work.direction with -H^-1 grad g.
Status direct_direction(SolveContext& context) {
    Workspace& work = context.work;
    DirectHessian& direct = *work.direct;
    compute_spring_hessians(context.objective, work.x.data(), true, work.curve.data(),
                            context.jobs);
    assemble_hessian(context.objective, work.curve.data(), 0.0, direct.pattern,
                     direct.values.data(), context.jobs);
    for (std::size_t i = 0; i < work.direction.size(); ++i) work.direction[i] = -work.gradient[i];
    context.clock.lap(&twang_stage_ms::local_step);
    if (const Status s = direct.factor.factorise(direct.values.data()); s != TWANG_OK) return s;
    const Status status = direct.factor.solve(&work.direction.data()->x);
    context.clock.lap(&twang_stage_ms::global_step);
    return status;
}

} // namespace

Status newton(SolveContext& context) {
    Joint joint(context);
    Descent descent(joint, context.work.gradient, context.work.direction);
    return descent.run([&] { return direct_direction(context); });
}

} // namespace twang::core
