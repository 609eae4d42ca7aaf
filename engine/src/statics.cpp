// Equilibrium: the minimum of the springs' energy less the work of the external forces. Newton with
// projected Hessian and line search, damped by a mass term that is withdrawn as it converges
// (pseudo-transient continuation): slack cloth has no stiffness across, and pure Newton no step.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "newton.hpp"

namespace twang::core {

namespace {

// Springs only pull back, so the energy is bounded below unless a part of the body that hangs on no
// pin is pushed somewhere. Parts are held together by springs with stiffness.
Status check_existence(const SolveContext& context) {
    const Objective& o = context.objective;
    const std::size_t n = o.model.vertex_count();
    std::vector<std::uint32_t> part(n);
    std::iota(part.begin(), part.end(), 0u);
    const auto root = [&](std::uint32_t i) {
        while (part[i] != i) i = part[i] = part[part[i]];
        return i;
    };
    for (const Spring& spring : o.model.springs)
        if (spring.stiffness > 0.0) part[root(spring.a)] = root(spring.b);
    std::vector<Vec3> net(n);
    std::vector<double> total(n, 0.0);
    std::vector<char> held(n, 0);
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t r = root(i);
        net[r] += o.forces[i];
        total[r] += length(o.forces[i]);
        held[r] |= o.pins.holds(i);
    }
    for (std::uint32_t i = 0; i < n; ++i)
        if (root(i) == i && !held[i] && length(net[i]) > 1e-9 * total[i])
            return fail(TWANG_NO_EQUILIBRIUM,
                        "the part of the body around vertex %u has no pin, and a force of %g N "
                        "drives it away",
                        o.model.to_user[i], length(net[i]));
    return TWANG_OK;
}

} // namespace

Status statics(SolveContext& context) {
    if (const Status s = check_existence(context); s != TWANG_OK) return s;
    Workspace& work = context.work;
    DirectHessian& direct = *work.direct;
    const Objective& o = context.objective;
    const double first_shift = 1.0 / (context.h * context.h);
    const double least_shift = 1e-9 * first_shift; // keeps the Hessian regular where a mode is free
    double shift = first_shift;
    for (int iteration = 0; iteration < context.settings.iterations; ++iteration) {
        const double g =
            evaluate(o, work.x.data(), work.gradient.data(), context.jobs, work.sum);
        curves(o, work.x.data(), true, work.curve.data(), context.jobs);
        assemble_hessian(o, work.curve.data(), shift, direct.pattern, direct.values.data(),
                         context.jobs);
        context.clock.lap(&twang_stage_ms::project);
        if (const Status s = direct.factor.factorise(direct.values.data()); s != TWANG_OK)
            return s;
        for (std::size_t i = 0; i < work.x.size(); ++i) work.direction[i] = -work.gradient[i];
        direct.factor.solve(&work.direction.data()->x);
        context.clock.lap(&twang_stage_ms::solve);
        const double slope = product(context, work.gradient, work.direction);
        const double move = largest(work.direction);
        const double fraction = slope < 0.0 ? line_search(context, g, slope) : 0.0;
        // A damped step is short for that reason alone: only an undamped one can prove equilibrium.
        const bool undamped = shift <= 1e3 * least_shift;
        const bool small = record(context, g, move);
        context.report.converged = small && undamped;
        context.clock.lap(&twang_stage_ms::accelerate);
        if (context.report.converged || move == 0.0) {
            context.report.converged = 1;
            return TWANG_OK;
        }
        if (fraction == 1.0)
            shift = std::max(shift * 0.1, least_shift);
        else if (fraction < 0.25)
            shift = std::min(shift * 10.0, 1e6 * first_shift);
        if (fraction == 0.0 && undamped && small) return TWANG_OK;
    }
    if (context.settings.tolerance == 0.0) return TWANG_OK; // so many iterations were asked for
    return fail(TWANG_NO_EQUILIBRIUM,
                "no equilibrium within %d iterations; vertices still move %g m an iteration",
                context.settings.iterations, context.report.residual * context.h);
}

} // namespace twang::core
