// The input, state and output of a solver: one SolveContext per body and step, and the body's
// Workspace, whose memory is allocated when a body or its solver is set up and never during a step.
// The solvers are free functions of a SolveContext, listed at the end, or of a Joint (joint.hpp).
#pragma once

#include <chrono>
#include <cmath>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "contact/contact_projection.hpp"
#include "model/components.hpp"
#include "solver/acceleration.hpp"
#include "solver/objective.hpp"
#include "system/integrator.hpp"

namespace twang::core {

inline constexpr double twang_stage_ms::*all_stages[] = {
    &twang_stage_ms::apply_changes, &twang_stage_ms::external_forces, &twang_stage_ms::predict,
    &twang_stage_ms::local_step,    &twang_stage_ms::global_step,     &twang_stage_ms::accelerate,
    &twang_stage_ms::contact,       &twang_stage_ms::commit};

// Charges the time since the last lap to a stage of the frame.
class StageClock {
public:
    explicit StageClock(twang_stage_ms& ms) : ms_(ms), begin_(Clock::now()), last_(begin_) {}
    double since_begin() const { // ms
        return std::chrono::duration<double, std::milli>(Clock::now() - begin_).count();
    }
    void skip() { last_ = Clock::now(); } // charges the time since the last lap to no stage
    void charge(double twang_stage_ms::*stage, double ms) { ms_.*stage += ms; }
    void lap(double twang_stage_ms::*stage) {
        const Clock::time_point now = Clock::now();
        ms_.*stage += std::chrono::duration<double, std::milli>(now - last_).count();
        last_ = now;
    }

private:
    using Clock = std::chrono::steady_clock;
    twang_stage_ms& ms_;
    Clock::time_point begin_, last_;
};

// The 3n x 3n Hessian with its symbolic analysis, for the solvers that factor the Hessian.
struct DirectHessian {
    Pattern pattern;
    std::vector<double> values;
    Factor factor;
};

// Arrays of an accelerated solve, in the precision of the system: Float4 or Vec3.
template <class V>
struct AcceleratedArrays {
    using Real = decltype(V::x);
    VertexArray<V> g, g_old, q, q_old, p;
    Memory<Real> memory;

    AcceleratedArrays() = default;
    explicit AcceleratedArrays(std::size_t n)
        : g(n), g_old(n), q(n), q_old(n), p(n), memory(n * reals_per_vertex) {}
    // Sets the number of vertices, at most the constructor's.
    void use(std::size_t n) {
        for (VertexArray<V>* array : {&g, &g_old, &q, &q_old, &p}) array->use(n);
        memory.use(n * reals_per_vertex);
    }

private:
    static constexpr std::size_t reals_per_vertex = sizeof(V) / sizeof(Real);
};

// Arrays of newton-cg, in the precision of its kernels: Float4 or Vec3.
template <class V>
struct ConjugateArrays {
    VertexArray<V> gradient, direction, search, residual, preconditioned, product;

    ConjugateArrays() = default;
    explicit ConjugateArrays(std::size_t n)
        : gradient(n), direction(n), search(n), residual(n), preconditioned(n), product(n) {}
    void use(std::size_t n) {
        for (VertexArray<V>* array :
             {&gradient, &direction, &search, &residual, &preconditioned, &product})
            array->use(n);
    }
};

struct Workspace {
    VertexArray<Vec3> x;         // m: the iterate
    VertexArray<Vec3> y;         // m: the inertial target
    VertexArray<double> weights; // N/m: inertia times mass
    VertexArray<Vec3> forces;    // N
    VertexArray<Vec3> gradient;
    VertexArray<Vec3> direction;
    VertexArray<Float4> float_direction; // direction, for the fast kernels
    VertexArray<Vec3> trial;
    std::vector<SpringHessian> curve;
    AlignedArray<HessianSlot> hessian_slots; // curve, for the fast kernels
    std::unique_ptr<DirectHessian> direct;   // L L^T, for newton and static
    std::unique_ptr<DirectHessian> linear;   // L D L^T, for linear
    BlockSum sum;
    SolveScratch solve;                   // scratch of solves with the body's system
    Integrator integrator{0.0, 1.0, 1.0}; // of this step, for vertices that touch no collider
    bool uniform_weights = true;          // true: `integrator` applies to all vertices
    AcceleratedArrays<Float4> fast;
    AcceleratedArrays<Vec3> exact;
    ConjugateArrays<Float4> conjugate_fast;
    ConjugateArrays<Vec3> conjugate_exact;
    CoarseStep coarse, fine_grid;
    Contacts contacts;

    explicit Workspace(std::size_t n);
    // Makes room for a solver; keeps the room of other solvers. Only the constructor,
    // this function and the three below allocate.
    Status prepare(const Model& model, twang_solver solver);
    // Makes room for a system that is new, or that was not used with these settings before.
    void fit(const System& system, const twang_solver_def& settings);
    // Makes room for contacts. In contact, unaccelerated local-global uses the line search, and so
    // the arrays, of the accelerated one. between: with contacts of points between vertices.
    void fit_contacts(const System& system, const twang_solver_def& settings, bool between);
    // Makes room for the Hessians of newton-cg, for the fast kernels or in double.
    void fit_hessians(const System& system, bool fast);

private:
    void fit_acceleration(const System& system);
    void fit_conjugate(const System& system);
};

struct SolveContext {
    // Input
    const Objective& objective;
    const twang_solver_def& settings;
    double h;        // s
    const Vec3* x_n; // m: positions at the start of the step
    const Vec3* v_n; // m/s: velocities at the start of the step
    Jobs& jobs;
    void (*on_iteration)(void* user, const twang_iteration* iteration);
    void* user;
    twang_body body; // passed to on_iteration
    // State
    Workspace& work;    // work.x: the initial guess on entry, the solution on return
    Components* pieces; // connected components of a torn body; null: the body is whole
    // Output
    StageClock& clock;
    twang_report& report;     // the fields from iterations to error_estimate
    double last_record = 0.0; // ms from the start of the step to the last record()
    // Per vertex: whether another vertex pushes this one in the step; null: no vertex is pushed.
    const char* touched = nullptr;
};

// Returns the length of the longest vector; NaN if any vector has a NaN.
template <class Vectors>
double longest(const Vectors& v) {
    double max_square = 0.0;
    for (const auto& a : v) {
        const double square = dot(widen(a), widen(a));
        if (!(square <= max_square)) max_square = square; // keeps a NaN
    }
    return std::sqrt(max_square);
}
// Records an iteration that moved vertices by at most `move`. Returns true when this iteration is
// the last: the tolerance is met (report.converged), or another would not fit into the budget.
bool record(SolveContext& context, double objective, double move);

// The first iterations of a step change the Hessian most. In iterations 0 ... renewed_iterations
// the coarse Hessian is assembled anew, and their steps do not enter the L-BFGS memory.
inline constexpr int renewed_iterations = 2;
// The fine coarse grid (model/coarse_grid.hpp) is for bodies without contacts, and only with at
// least min_iterations_on_fine_grid iterations.
inline bool has_iterations_for_fine_grid(const twang_solver_def& settings) {
    return settings.iterations >= min_iterations_on_fine_grid;
}

// Bounds of the rounding error of g, computed in float and in double. A length r has the error
// e r, so the energy of a spring with the extension x, k/2 x^2, has the error k x e r. Over springs
// whose errors have random signs the sum is e sqrt(sum (k x r)^2), at most e sqrt(2 g max k r^2).
double float_rounding(const SolveContext& context, double g);
double double_rounding(const SolveContext& context, double g);

// Returns the inertia of the step, for vertices that touch no collider, divided by that in Q. The
// ratio is below 1 where Q was factored for a larger a (system/integrator.hpp).
double inertia_share(const SolveContext& context);

// Moves the centre of mass of x to that of y, for a body, or each component of a torn body, that no
// pin, grab or contact holds: springs cannot move this centre. Corrects rounding errors, and the
// error of unfinished iterations on a factor in which the components are still connected.
void keep_centre(SolveContext& context);

Status newton(SolveContext& context);
Status linear_implicit(SolveContext& context);
Status explicit_euler(SolveContext& context);
Status statics(SolveContext& context);

} // namespace twang::core
