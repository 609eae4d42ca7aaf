// Equilibrium: the minimum of sum E_spring - sum f_i . x_i, and the pins' and grabs' energies.
// Newton with projected Hessian and line search, damped by a mass term, (H + shift M) p = -grad g,
// that is reduced as the solve converges (pseudo-transient continuation, Kelley and Keyes 1998):
// slack cloth has no stiffness across its surface, so that undamped Newton has no step. Near the
// minimum the exact Hessian is positive definite and replaces the projected one, with which
// convergence would be slow where springs are compressed.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "solver/newton.hpp"

namespace twang::core {

namespace {

// Returns an error if no minimum exists. The energy of springs is bounded below, so g is bounded
// unless a net force acts on a connected part of the body that no pin or grab holds. Parts are
// connected by springs with stiffness > 0.
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
    std::vector<Vec3> net_force(n);
    std::vector<double> total_force(n, 0.0);
    std::vector<char> held(n, 0);
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t r = root(i);
        net_force[r] += o.forces[i];
        total_force[r] += length(o.forces[i]);
        held[r] |= o.pins.holds(i);
    }
    for (const Grab& grab : o.system.grabs())
        for (int k = 0; k < 3; ++k)
            if (grab.weights[k] > 0.0) held[root(grab.vertices[k])] = 1;
    for (std::uint32_t i = 0; i < n; ++i)
        if (root(i) == i && !held[i] && length(net_force[i]) > 1e-9 * total_force[i])
            return fail(TWANG_NO_EQUILIBRIUM,
                        "the part of the body around vertex %u has no pin, and a force of %g N "
                        "drives it away",
                        o.model.to_user[i], length(net_force[i]));
    return TWANG_OK;
}

// Fills work.direction with -(H + shift M)^-1 grad g, H projected or exact.
Status find_direction(SolveContext& context, bool projected, double shift) {
    Workspace& work = context.work;
    DirectHessian& direct = *work.direct;
    compute_spring_hessians(context.objective, work.x.data(), projected, work.curve.data(),
                            context.jobs);
    assemble_hessian(context.objective, work.curve.data(), shift, direct.pattern,
                     direct.values.data(), context.jobs);
    context.clock.lap(&twang_stage_ms::local_step);
    Status status = direct.factor.factorise(direct.values.data());
    if (status == TWANG_OK) {
        for (std::size_t i = 0; i < work.x.size(); ++i) work.direction[i] = -work.gradient[i];
        status = direct.factor.solve(&work.direction.data()->x);
    }
    context.clock.lap(&twang_stage_ms::global_step);
    return status;
}

constexpr int pause_after_indefinite = 8; // iterations before the exact Hessian is tried again

} // namespace

Status statics(SolveContext& context) {
    if (const Status s = check_existence(context); s != TWANG_OK) return s;
    Workspace& work = context.work;
    const double first_shift = 1.0 / (context.h * context.h);
    // 1/s^2. The minimum keeps the matrix regular where a mode is free.
    const double min_shift = 1e-9 * first_shift;
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
        // A damped step may be short because of the damping alone. A short step proves equilibrium
        // only with almost no damping, or where no step lowers the energy.
        const bool proves_equilibrium = shift <= 1e3 * min_shift || fraction == 0.0;
        const bool last = record(context, g, move), is_short = context.report.converged;
        context.report.converged = (is_short && proves_equilibrium) || move == 0.0;
        context.clock.lap(&twang_stage_ms::accelerate);
        if (context.report.converged || (last && !is_short)) return TWANG_OK;
        if (fraction == 1.0)
            shift = std::max(shift * 0.1, min_shift);
        else if (fraction < 0.25)
            shift = std::min(shift * 10.0, 1e6 * first_shift);
    }
    // Without a tolerance, a fixed number of iterations was asked for.
    if (context.settings.tolerance == 0.0) return TWANG_OK;
    return fail(TWANG_NO_EQUILIBRIUM,
                "no equilibrium within %d iterations; vertices still move %g m an iteration",
                context.settings.iterations, context.report.residual * context.h);
}

} // namespace twang::core
