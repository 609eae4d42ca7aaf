// Equilibrium: the minimum of the springs' energy less the work of the external forces. Newton with
// projected Hessian and line search, damped by a mass term that is withdrawn as it converges
// (pseudo-transient continuation): slack cloth has no stiffness across, and pure Newton no step.
// Near the answer the Hessian as it is turns positive definite, and takes over: where springs are
// compressed the projected one would creep.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "solver/newton.hpp"

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
    for (const Spring& spring : o.springs.springs)
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
    for (const Grab& grab : o.system.grabs())
        for (int k = 0; k < 3; ++k)
            if (grab.weights[k] > 0.0) held[root(grab.vertices[k])] = 1;
    for (std::uint32_t i = 0; i < n; ++i)
        if (root(i) == i && !held[i] && length(net[i]) > 1e-9 * total[i])
            return fail(TWANG_NO_EQUILIBRIUM,
                        "the part of the body around vertex %u has no pin, and a force of %g N "
                        "drives it away",
                        o.model.to_user[i], length(net[i]));
    return TWANG_OK;
}

// Fills work.direction from the Hessian plus shift M, projected or not.
Status find_direction(SolveContext& context, bool projected, double shift) {
    Workspace& work = context.work;
    DirectHessian& direct = *work.direct;
    curves(context.objective, work.x.data(), projected, work.curve.data(), context.jobs);
    assemble_hessian(context.objective, work.curve.data(), shift, direct.pattern,
                     direct.values.data(), context.jobs);
    context.clock.lap(&twang_stage_ms::project);
    Status status = direct.factor.factorise(direct.values.data());
    if (status == TWANG_OK) {
        for (std::size_t i = 0; i < work.x.size(); ++i) work.direction[i] = -work.gradient[i];
        status = direct.factor.solve(&work.direction.data()->x);
    }
    context.clock.lap(&twang_stage_ms::solve);
    return status;
}

constexpr int pause_after_indefinite = 8; // iterations before the exact Hessian is tried again

} // namespace

Status statics(SolveContext& context) {
    if (const Status s = check_existence(context); s != TWANG_OK) return s;
    Workspace& work = context.work;
    const double first_shift = 1.0 / (context.h * context.h);
    const double least_shift = 1e-9 * first_shift; // keeps the Hessian regular where a mode is free
    double shift = first_shift;
    int pause = pause_after_indefinite;
    Joint joint(context);
    Descent descent(joint, work.gradient, work.direction);
    double fraction = 0.0;
    for (int iteration = 0; iteration < context.settings.iterations; ++iteration) {
        if (fraction == 0.0) descent.look();
        const double g = descent.objective();
        Status status = TWANG_FACTOR_FAILED;
        if (pause-- <= 0) {
            status = find_direction(context, false, shift);
            if (status == TWANG_FACTOR_FAILED) pause = pause_after_indefinite;
        }
        if (status == TWANG_FACTOR_FAILED) status = find_direction(context, true, shift);
        if (status != TWANG_OK) return status;

        const double slope = descent.slope(), move = longest(work.direction);
        fraction = slope < 0.0 ? descent.search(slope) : 0.0;
        // A damped step may be short for that reason alone: it proves equilibrium only where
        // nothing lowers the energy any more.
        const bool telling = shift <= 1e3 * least_shift || fraction == 0.0;
        const bool last = record(context, g, move), is_short = context.report.converged;
        context.report.converged = (is_short && telling) || move == 0.0;
        context.clock.lap(&twang_stage_ms::accelerate);
        if (context.report.converged || (last && !is_short)) return TWANG_OK;
        if (fraction == 1.0)
            shift = std::max(shift * 0.1, least_shift);
        else if (fraction < 0.25)
            shift = std::min(shift * 10.0, 1e6 * first_shift);
    }
    if (context.settings.tolerance == 0.0) return TWANG_OK; // so many iterations were asked for
    return fail(TWANG_NO_EQUILIBRIUM,
                "no equilibrium within %d iterations; vertices still move %g m an iteration",
                context.settings.iterations, context.report.residual * context.h);
}

} // namespace twang::core
