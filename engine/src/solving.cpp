#include "solving.hpp"

#include <cmath>

namespace twang::core {

Workspace::Workspace(std::size_t n) : x(n), y(n), forces(n), gradient(n), direction(n), sum(n) {}

Status Workspace::prepare(const Model& model, twang_solver solver) {
    const std::size_t n = model.vertex_count();
    const bool factors = solver == TWANG_NEWTON || solver == TWANG_LINEAR || solver == TWANG_STATIC;
    const bool iterates = solver == TWANG_NEWTON_CG;
    if (factors || iterates) {
        curve.resize(model.springs.size());
        trial.resize(n);
    }
    if (iterates) {
        residual.resize(n);
        preconditioned.resize(n);
        product.resize(n);
    }
    std::unique_ptr<DirectHessian>& place = solver == TWANG_LINEAR ? linear : direct;
    if (!factors || place) return TWANG_OK;
    if (9 * model.pattern.rows.size() > 2'000'000'000)
        return fail(TWANG_TOO_LARGE, "the full Hessian of %zu vertices is too large to factor", n);
    auto made = std::make_unique<DirectHessian>();
    made->pattern = hessian_pattern(model);
    made->values.resize(made->pattern.rows.size());
    const Form form = solver == TWANG_LINEAR ? Form::ldlt : Form::llt;
    if (const Status s = made->factor.analyse(made->pattern, form); s != TWANG_OK) return s;
    place = std::move(made);
    return TWANG_OK;
}

double largest(const std::vector<Vec3>& v) {
    double most = 0.0;
    for (const Vec3& a : v) {
        const double square = dot(a, a);
        if (!(square <= most)) most = square; // keeps a NaN
    }
    return std::sqrt(most);
}

double product(SolveContext& context, const std::vector<Vec3>& v, const std::vector<Vec3>& w) {
    return context.work.sum(context.jobs, v.size(), [&](std::size_t i) { return dot(v[i], w[i]); });
}

bool record(SolveContext& context, double objective, double move) {
    twang_report& report = context.report;
    report.residual = move / context.h;
    if (context.on_iteration) {
        const twang_iteration now{context.body, report.iterations, objective, report.residual};
        context.on_iteration(context.user, &now);
    }
    ++report.iterations;
    report.converged = report.residual < context.settings.tolerance;
    return report.converged;
}

} // namespace twang::core
