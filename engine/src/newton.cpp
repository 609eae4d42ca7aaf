// The reference: full Hessian with every spring's block projected to positive semi-definite, one
// factorisation per iteration on a symbolic analysis that is made once, back-tracking line search.
#include "newton.hpp"

#include <cmath>

namespace twang::core {

namespace {

// A predicted fall below this share of g drowns in the rounding of g: there the line search would
// judge noise, while the Newton step itself is at its most reliable.
constexpr double rounding_share = 1e-13;
constexpr double fair_share = 1e-4;
constexpr int most_halvings = 40;

Status direct_direction(SolveContext& context) {
    Workspace& work = context.work;
    DirectHessian& direct = *work.direct;
    assemble_hessian(context.objective, work.curve.data(), 0.0, direct.pattern,
                     direct.values.data(), context.jobs);
    if (context.contacts) context.contacts->stiffen(direct.pattern, direct.values.data());
    context.clock.lap(&twang_stage_ms::project);
    if (const Status s = direct.factor.factorise(direct.values.data()); s != TWANG_OK) return s;
    for (std::size_t i = 0; i < work.direction.size(); ++i) work.direction[i] = -work.gradient[i];
    const Status status = direct.factor.solve(&work.direction.data()->x);
    context.clock.lap(&twang_stage_ms::solve);
    return status;
}

} // namespace

double line_search(SolveContext& context, double g, double slope) {
    Workspace& work = context.work;
    double fraction = 1.0;
    for (int halving = 0; halving < most_halvings; ++halving, fraction *= 0.5) {
        for (std::size_t i = 0; i < work.x.size(); ++i)
            work.trial[i] = work.x[i] + fraction * work.direction[i];
        double rubbed = 0.0;
        if (context.contacts) {
            context.contacts->clamp(work.trial);
            rubbed = context.contacts->work(work.x, work.trial);
        }
        const bool noise = -slope <= rounding_share * std::abs(g);
        if (noise || value(context.objective, work.trial.data(), context.jobs, work.sum) + rubbed <=
                         g + fair_share * fraction * slope) {
            work.x.swap(work.trial);
            return fraction;
        }
    }
    return 0.0;
}

Status descend(SolveContext& context, Status (*find_direction)(SolveContext& context)) {
    Workspace& work = context.work;
    for (int iteration = 0; iteration < context.settings.iterations; ++iteration) {
        const double g = evaluate(context.objective, work.x.data(), work.gradient.data(),
                                  context.jobs, work.sum);
        if (context.contacts) context.contacts->bear(work.x, work.gradient);
        curves(context.objective, work.x.data(), true, work.curve.data(), context.jobs);
        context.clock.lap(&twang_stage_ms::project);
        if (const Status s = find_direction(context); s != TWANG_OK) return s;
        if (context.contacts) {
            context.contacts->cut(work.direction);
            context.contacts->snap(work.x, work.direction);
        }
        const double slope = product(context, work.gradient, work.direction);
        if (!std::isfinite(slope) || !std::isfinite(g))
            return fail(TWANG_DIVERGED, "the objective is no longer finite");
        const double fraction = slope < 0.0 ? line_search(context, g, slope) : 0.0;
        const bool done = record(context, g, largest(work.direction));
        context.clock.lap(&twang_stage_ms::accelerate);
        if (done || fraction == 0.0) break;
    }
    return TWANG_OK;
}

Status newton(SolveContext& context) { return descend(context, direct_direction); }

} // namespace twang::core
