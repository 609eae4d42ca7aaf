// Allocation of the Workspace, bounds of the rounding error, centres of mass, and the report.
#include "solver/context.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace twang::core {

Workspace::Workspace(std::size_t n)
    : x(n), y(n), weights(n), forces(n), gradient(n), direction(n), float_direction(n), sum(n) {}

Status Workspace::prepare(const Model& model, twang_solver solver) {
    const std::size_t n = model.vertex_count();
    const bool factors = solver == TWANG_SOLVER_NEWTON || solver == TWANG_SOLVER_LINEAR ||
                         solver == TWANG_SOLVER_STATIC;
    if (factors || solver == TWANG_SOLVER_NEWTON_CG) trial = VertexArray<Vec3>(n);
    std::unique_ptr<DirectHessian>& place = solver == TWANG_SOLVER_LINEAR ? linear : direct;
    if (!factors || place) return TWANG_OK;
    curve.resize(model.springs.size());
    if (9 * model.pattern.rows.size() > 2'000'000'000)
        return fail(TWANG_TOO_LARGE, "the full Hessian of %zu vertices is too large to factor", n);
    auto made = std::make_unique<DirectHessian>();
    made->pattern = hessian_pattern(model);
    made->values.resize(made->pattern.rows.size());
    const Form form = solver == TWANG_SOLVER_LINEAR ? Form::ldlt : Form::llt;
    if (const Status s = made->factor.analyse(made->pattern, form); s != TWANG_OK) return s;
    place = std::move(made);
    return TWANG_OK;
}

void Workspace::fit(const System& system, const twang_solver_def& settings) {
    solve = SolveScratch(system);
    if (settings.solver == TWANG_SOLVER_NEWTON_CG) fit_conjugate(system);
    if (settings.solver != TWANG_SOLVER_LOCAL_GLOBAL) return;
    if (settings.acceleration != TWANG_ACCELERATION_NONE) fit_acceleration(system);
    coarse = CoarseStep(system.coarse, system.is_float());
    fine_grid = CoarseStep(system.fine_grid, system.is_float());
}

void Workspace::fit_contacts(const System& system, const twang_solver_def& settings, bool between) {
    contacts.fit(x.size(), between ? system.key.model.get() : nullptr);
    if (settings.solver == TWANG_SOLVER_LOCAL_GLOBAL) fit_acceleration(system);
}

void Workspace::fit_acceleration(const System& system) {
    const std::size_t n = x.size();
    if (trial.size() == 0) trial = VertexArray<Vec3>(n);
    if (system.is_float() && fast.g.size() == 0) fast = AcceleratedArrays<Float4>(n);
    if (!system.is_float() && exact.g.size() == 0) exact = AcceleratedArrays<Vec3>(n);
}

void Workspace::fit_conjugate(const System& system) {
    const std::size_t n = x.size();
    if (system.suits_kernels() && conjugate_fast.gradient.size() == 0)
        conjugate_fast = ConjugateArrays<Float4>(n);
    if (!system.suits_kernels() && conjugate_exact.gradient.size() == 0)
        conjugate_exact = ConjugateArrays<Vec3>(n);
    fit_hessians(system, system.suits_kernels());
}

void Workspace::fit_hessians(const System& system, bool fast) {
    const Model& model = *system.key.model;
    if (fast && hessian_slots.size() == 0)
        hessian_slots = AlignedArray<HessianSlot>(model.gather.slots.size());
    if (!fast) curve.resize(model.springs.size());
}

namespace {

double rounding(const SolveContext& context, double g, double relative_error,
                double rounding_unit) {
    return relative_error * std::abs(g) +
           rounding_unit * std::sqrt(2.0 * std::abs(g) * context.objective.model.stiffest);
}

} // namespace

double float_rounding(const SolveContext& context, double g) {
    return rounding(context, g, 1e-9, 2.5e-7);
}

double double_rounding(const SolveContext& context, double g) {
    return rounding(context, g, 1e-14, 5e-16);
}

namespace {

void keep_component_centres(SolveContext& context) {
    const Objective& o = context.objective;
    Components& components = *context.pieces;
    VertexArray<Vec3>& x = context.work.x;
    std::fill(components.sum.begin(), components.sum.end(), Vec3{});
    // mark 1: a pin, a grab or a contact holds the component.
    std::fill(components.mark.begin(), components.mark.end(), char{0});
    for (const std::uint32_t i : o.pins.list()) components.mark[components.of[i]] = 1;
    for (const Grab& grab : o.system.grabs())
        for (int corner = 0; corner < 3; ++corner)
            if (grab.weights[corner] != 0.0)
                components.mark[components.of[grab.vertices[corner]]] = 1;
    if (o.contacts)
        o.contacts->for_each([&](const Contact& c) {
            if (c.normal_force(c.point.at(x.data())) > 0.0)
                for (int k = 0; k < c.point.count; ++k)
                    components.mark[components.of[c.point.vertices[k]]] = 1;
        });
    if (context.touched)
        for (std::size_t i = 0; i < x.size(); ++i)
            if (context.touched[i]) components.mark[components.of[i]] = 1;
    std::fill(components.weight.begin(), components.weight.end(), 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        components.sum[components.of[i]] += o.weights[i] * (x[i] - o.y[i]);
        components.weight[components.of[i]] += o.weights[i];
    }
    for (std::size_t i = 0; i < x.size(); ++i)
        if (const std::uint32_t component = components.of[i]; !components.mark[component])
            x[i] -= (1.0 / components.weight[component]) * components.sum[component];
    context.clock.lap(&twang_stage_ms::accelerate);
}

} // namespace

void keep_centre(SolveContext& context) {
    if (context.pieces) return keep_component_centres(context);
    const Objective& o = context.objective;
    if (!o.pins.list().empty() || !o.system.grabs().empty() || o.contacts || context.touched)
        return;
    VertexArray<Vec3>& x = context.work.x;
    const auto sum = [&](auto&& f) { return context.work.sum(context.jobs, x.size(), f); };
    const double total_weight = sum([&](std::size_t i) { return o.weights[i]; });
    const auto mean = [&](double Vec3::*axis) {
        return sum([&](std::size_t i) { return o.weights[i] * (x[i].*axis - o.y[i].*axis); }) /
               total_weight;
    };
    const Vec3 drift{mean(&Vec3::x), mean(&Vec3::y), mean(&Vec3::z)};
    for (Vec3& p : x) p -= drift;
    context.clock.lap(&twang_stage_ms::accelerate);
}

double inertia_share(const SolveContext& context) {
    return inertia_square(context.objective.system.base().key) / context.work.integrator.square();
}

bool record(SolveContext& context, double objective, double move) {
    twang_report& report = context.report;
    // The sum of all later moves, if each is shorter by the same factor; at least `move`.
    const double last_move = report.residual * context.h;
    report.error_estimate = move == 0.0 ? 0.0
                            : report.iterations > 0 && move < last_move
                                ? std::max(move, move * move / (last_move - move))
                                : std::numeric_limits<double>::infinity();
    report.residual = move / context.h;
    if (context.on_iteration) {
        const twang_iteration now{context.body, report.iterations, objective, report.residual};
        context.on_iteration(context.user, &now);
    }
    ++report.iterations;
    report.converged = report.residual < context.settings.tolerance;
    if (report.converged || context.settings.budget_ms == 0.0) return report.converged;
    const double now = context.clock.since_begin();
    const double next = now + (now - std::exchange(context.last_record, now));
    return next > context.settings.budget_ms;
}

} // namespace twang::core
