// The reference: full Hessian with every spring's block projected to positive semi-definite, one
// factorisation per iteration on a symbolic analysis that is made once, back-tracking line search.
#include "solver/newton.hpp"

namespace twang::core {

namespace {

Status direct_direction(SolveContext& context) {
    Workspace& work = context.work;
    DirectHessian& direct = *work.direct;
    curves(context.objective, work.x.data(), true, work.curve.data(), context.jobs);
    assemble_hessian(context.objective, work.curve.data(), 0.0, direct.pattern,
                     direct.values.data(), context.jobs);
    for (std::size_t i = 0; i < work.direction.size(); ++i) work.direction[i] = -work.gradient[i];
    context.clock.lap(&twang_stage_ms::project);
    if (const Status s = direct.factor.factorise(direct.values.data()); s != TWANG_OK) return s;
    const Status status = direct.factor.solve(&work.direction.data()->x);
    context.clock.lap(&twang_stage_ms::solve);
    return status;
}

} // namespace

Status newton(SolveContext& context) {
    Joint joint(context);
    Descent descent(joint, context.work.gradient, context.work.direction);
    return descent.run([&] { return direct_direction(context); });
}

} // namespace twang::core
