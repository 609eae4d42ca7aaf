// Symplectic Euler: v := v + h a(x), x := x + h v. A step is cheap and solves no system. If h is
// too large for the stiffness, the motion explodes and the step fails. Pins are exact here,
// whatever the pin method: a penalty is a spring too stiff for any explicit step.
#include <cmath>

#include "solver/context.hpp"

namespace twang::core {

namespace {

constexpr double max_spring_length = 1e6; // in body sizes; with a longer spring the step fails

bool has_exploded(const Objective& o, const VertexArray<Vec3>& x) {
    const double limit = max_spring_length * o.model.size;
    for (const Spring& spring : o.springs.springs)
        if (spring.stiffness > 0.0 && !(length(x[spring.a] - x[spring.b]) <= limit))
            return o.model.size > 0.0;
    return false;
}

} // namespace

Status explicit_euler(SolveContext& context) {
    Workspace& work = context.work;
    const Objective& objective = context.objective;
    const double h = context.h;
    // At x_n the gradient of g is M (x_n - y) / h^2 + grad E = -M v / h - f + grad E.
    const double g =
        evaluate(objective, work.x.data(), work.gradient.data(), context.jobs, work.sum);
    context.clock.lap(&twang_stage_ms::local_step);
    for (std::size_t i = 0; i < work.x.size(); ++i)
        work.x[i] = objective.pins.holds(i)
                        ? objective.pins.target(i)
                        : context.x_n[i] - (h * h / objective.model.masses[i]) * work.gradient[i];
    if (has_exploded(objective, work.x))
        return fail(TWANG_DIVERGED,
                    "symplectic Euler exploded: the time step of %g s is too long for this "
                    "stiffness",
                    h);
    double move = 0.0;
    for (std::size_t i = 0; i < work.x.size(); ++i)
        move = std::max(move, length(work.x[i] - context.x_n[i]));
    record(context, g, move);
    context.report.converged = 1;
    context.clock.lap(&twang_stage_ms::global_step);
    return TWANG_OK;
}

} // namespace twang::core
