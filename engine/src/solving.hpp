// What every solver works on: one context per body and step, and the body's scratch memory, which
// is allocated when a body or its solver is set up and never during a step. The solvers are free
// functions over this; they are listed at the end.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "objective.hpp"

namespace twang::core {

// Charges the time since the last lap to a stage of the frame.
class StageClock {
public:
    explicit StageClock(twang_stage_ms& ms) : ms_(ms), last_(Clock::now()) {}
    void lap(double twang_stage_ms::*stage) {
        const Clock::time_point now = Clock::now();
        ms_.*stage += std::chrono::duration<double, std::milli>(now - last_).count();
        last_ = now;
    }

private:
    using Clock = std::chrono::steady_clock;
    twang_stage_ms& ms_;
    Clock::time_point last_;
};

// The 3n x 3n Hessian with its analysis, for the solvers that factor it.
struct DirectHessian {
    Pattern pattern;
    std::vector<double> values;
    Factor factor;
};

struct Workspace {
    std::vector<Vec3> x;      // the iterate
    std::vector<Vec3> y;      // the inertial target
    std::vector<Vec3> forces; // N
    std::vector<Vec3> gradient;
    std::vector<Vec3> direction;
    std::vector<Vec3> trial;
    std::vector<Vec3> residual, preconditioned, product; // conjugate gradients
    double first_start = 0.0; // their starting error in the first iteration of the step
    std::vector<SpringCurve> curve;
    std::unique_ptr<DirectHessian> direct; // L L^T, for newton and static
    std::unique_ptr<DirectHessian> linear; // L D L^T, for linear
    BlockSum sum;

    explicit Workspace(std::size_t n);
    // Makes room for a solver, beside what others have; the only allocation besides the
    // constructor.
    Status prepare(const Model& model, twang_solver solver);
};

struct SolveContext {
    // Input
    const Objective& objective;
    const twang_solver_def& settings;
    double h;
    const Vec3* x_n; // positions at the start of the step
    const Vec3* v_n;
    Jobs& jobs;
    void (*on_iteration)(void* user, const twang_iteration* iteration);
    void* user;
    twang_body body; // for on_iteration
    // State
    Workspace& work; // work.x: the first guess in, the solution out
    // Output
    StageClock& clock;
    twang_report& report; // iterations, inner_iterations, projected_systems, converged, residual
};

// Of v: the longest vector, and the scalar product with w; both independent of the worker count.
double largest(const std::vector<Vec3>& v);
double product(SolveContext& context, const std::vector<Vec3>& v, const std::vector<Vec3>& w);

// Records an iteration that moved vertices by at most `move`. True when the tolerance is met.
bool record(SolveContext& context, double objective, double move);

Status local_global(SolveContext& context);
Status newton(SolveContext& context);
Status newton_cg(SolveContext& context);
Status linear_implicit(SolveContext& context);
Status explicit_euler(SolveContext& context);
Status statics(SolveContext& context);

} // namespace twang::core
