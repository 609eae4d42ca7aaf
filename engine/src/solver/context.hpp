// What every solver works on: one context per body and step, and the body's scratch memory, which
// is allocated when a body or its solver is set up and never during a step. The solvers are free
// functions over this; they are listed at the end.
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
    &twang_stage_ms::admit,   &twang_stage_ms::push,  &twang_stage_ms::predict,
    &twang_stage_ms::project, &twang_stage_ms::solve, &twang_stage_ms::accelerate,
    &twang_stage_ms::collide, &twang_stage_ms::commit};

// Charges the time since the last lap to a stage of the frame.
class StageClock {
public:
    explicit StageClock(twang_stage_ms& ms) : ms_(ms), begin_(Clock::now()), last_(begin_) {}
    double since_begin() const { // ms
        return std::chrono::duration<double, std::milli>(Clock::now() - begin_).count();
    }
    void skip() { last_ = Clock::now(); } // what has passed is not ours
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

// The 3n x 3n Hessian with its analysis, for the solvers that factor it.
struct DirectHessian {
    Pattern pattern;
    std::vector<double> values;
    Factor factor;
};

// What acceleration needs besides, in the numbers the system is stored in.
template <class V>
struct AcceleratedArrays {
    using Real = decltype(V::x);
    VertexArray<V> g, g_old, q, q_old, p;
    Memory<Real> memory;

    AcceleratedArrays() = default;
    explicit AcceleratedArrays(std::size_t n)
        : g(n), g_old(n), q(n), q_old(n), p(n), memory(n * numbers) {}
    // For so many vertices, at most the constructor's.
    void use(std::size_t n) {
        for (VertexArray<V>* array : {&g, &g_old, &q, &q_old, &p}) array->use(n);
        memory.use(n * numbers);
    }

private:
    static constexpr std::size_t numbers = sizeof(V) / sizeof(Real); // of a vertex
};

// What newton-cg needs, likewise.
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
    VertexArray<Vec3> x;         // the iterate
    VertexArray<Vec3> y;         // the inertial target
    VertexArray<double> weights; // inertia times mass
    VertexArray<Vec3> forces;    // N
    VertexArray<Vec3> gradient;
    VertexArray<Vec3> direction;
    VertexArray<Float4> float_direction; // the same for the fast kernels
    VertexArray<Vec3> trial;
    std::vector<SpringCurve> curve;
    AlignedArray<CurveSlot> curve_slots;   // the same for the fast kernels
    std::unique_ptr<DirectHessian> direct; // L L^T, for newton and static
    std::unique_ptr<DirectHessian> linear; // L D L^T, for linear
    BlockSum sum;
    SolveScratch solve;                   // for the body's system
    Integrator integrator{0.0, 1.0, 1.0}; // of this step, where no collider is touched
    bool even_weights = true;             // it is that of all vertices
    AcceleratedArrays<Float4> fast;
    AcceleratedArrays<Vec3> exact;
    ConjugateArrays<Float4> conjugate_fast;
    ConjugateArrays<Vec3> conjugate_exact;
    CoarseStep coarse, coarse_in_air;
    Contacts contacts;

    explicit Workspace(std::size_t n);
    // Makes room for a solver, beside what others have; the only allocation besides the
    // constructor.
    Status prepare(const Model& model, twang_solver solver);
    // And for a system that is new, or was not used with these settings before.
    void fit(const System& system, const twang_solver_def& settings);
    // And for contact, for which plain local-global takes the safeguards of an accelerated one.
    // `between`: of points between vertices as well.
    void fit_contacts(const System& system, const twang_solver_def& settings, bool between);
    // And for newton-cg, on the fast kernels or not.
    void fit_curves(const System& system, bool fast);

private:
    void fit_acceleration(const System& system);
    void fit_conjugate(const System& system);
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
    Pieces* pieces;  // null: the body is whole
    // Output
    StageClock& clock;
    twang_report& report;     // iterations to error_estimate
    double last_record = 0.0; // ms since the step began
    // Per vertex: whether another one pushes it in this step; null: none is pushed.
    const char* touched = nullptr;
};

// The length of the longest.
template <class Vectors>
double longest(const Vectors& v) {
    double most = 0.0;
    for (const auto& a : v) {
        const double square = dot(widen(a), widen(a));
        if (!(square <= most)) most = square; // keeps a NaN
    }
    return std::sqrt(most);
}
// Records an iteration that moved vertices by at most `move`. True when it was the last: the
// tolerance is met (report.converged), or another iteration would not fit into the budget.
bool record(SolveContext& context, double objective, double move);

// The first iterations of a step change the Hessian most: the coarse one is made anew in each, and
// what they taught is not remembered.
inline constexpr int unsettled_iterations = 2;
// The fine grid of coarse_space.hpp is for bodies in the air, with iterations enough.
inline bool has_iterations_for_fine_grid(const twang_solver_def& settings) {
    return settings.iterations >= fewest_iterations_in_air;
}

// By how much g may be wrong where it was computed in float, and in double. A length r is good to e
// r, so that the energy of a spring, k/2 x^2, is wrong by k x e r; over springs whose errors are as
// often up as down, that makes e sqrt(sum (k x r)^2), which is at most e sqrt(2 g max k r^2).
double float_rounding(const SolveContext& context, double g);
double double_rounding(const SolveContext& context, double g);

// The inertia of most vertices in the step as a share of the system's: below 1 where Q was made for
// a larger a.
double inertia_share(const SolveContext& context);

// Springs cannot move the centre of a body, or of a piece of one, that nothing holds or touches:
// what rounding did to it is undone, and what iterations left undone on a factor that still joins
// the pieces.
void keep_centre(SolveContext& context);

Status newton(SolveContext& context);
Status linear_implicit(SolveContext& context);
Status explicit_euler(SolveContext& context);
Status statics(SolveContext& context);

} // namespace twang::core
