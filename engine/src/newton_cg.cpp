// Newton whose systems are solved by conjugate gradients, preconditioned by the constant factor of
// Q: no factorisation in the frame. The Hessian is applied spring by spring, never assembled; by
// the fast kernels where they suit. (With the coarse correction besides, the same accuracy takes as
// many iterations, each dearer: what is left after a few is not smooth.)
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "newton.hpp"

namespace twang::core {

namespace {

constexpr int most_inner_iterations = 200;

template <class V>
class ConjugateGradients {
public:
    ConjugateGradients(SolveContext& context, ConjugateArrays<V>& arrays)
        : context_(context), work_(context.work), a_(arrays), objective_(context.objective) {}

    // Solves H direction = -gradient until the error, in the norm of Q^-1, falls to a share
    // of the start. Truncated at any time, it is a descent direction.
    void find_direction() {
        take_curves();
        each_vertex([&](std::size_t i) {
            a_.residual[i] = negative(a_.gradient[i]);
            a_.direction[i] = {};
        });
        std::copy(a_.residual.begin(), a_.residual.end(), a_.preconditioned.begin());
        context_.clock.lap(&twang_stage_ms::project);
        double rz = precondition();
        std::copy(a_.preconditioned.begin(), a_.preconditioned.end(), a_.search.begin());
        // Loose at first, tighter as the outer iterations converge: superlinear in the end.
        const double start = std::sqrt(rz);
        if (context_.report.iterations == 0) first_start_ = start;
        const double target = std::min(0.1, std::sqrt(start / first_start_));
        for (int k = 0; k < most_inner_iterations && std::sqrt(rz) > target * start; ++k) {
            const double curvature = times();
            if (!(curvature > 0.0)) break;
            const Real alpha = static_cast<Real>(rz / curvature);
            each_vertex([&](std::size_t i) {
                add(a_.direction[i], alpha, a_.search[i]);
                add(a_.residual[i], -alpha, a_.product[i]);
                a_.preconditioned[i] = a_.residual[i];
            });
            context_.clock.lap(&twang_stage_ms::project);
            const double next = precondition();
            const Real beta = static_cast<Real>(next / rz);
            rz = next;
            each_vertex([&](std::size_t i) {
                const V search = a_.search[i];
                a_.search[i] = a_.preconditioned[i];
                add(a_.search[i], beta, search);
            });
            context_.clock.lap(&twang_stage_ms::solve);
            ++context_.report.inner_iterations;
        }
    }

private:
    using Real = decltype(V::x);
    static constexpr bool is_fast = std::is_same_v<V, Float4>;

    static V negative(V v) {
        v.x = -v.x, v.y = -v.y, v.z = -v.z;
        return v;
    }
    static void add(V& sum, Real factor, const V& v) {
        sum.x += factor * v.x, sum.y += factor * v.y, sum.z += factor * v.z;
    }
    template <class F>
    void each_vertex(F&& f) {
        context_.jobs.ranges(work_.x.size(), BlockSum::block, [&](std::size_t i, std::size_t end) {
            for (; i < end; ++i) f(i);
        });
    }

    // The Hessian at x.
    void take_curves() {
        if constexpr (is_fast)
            curves(objective_, work_.x.data(), work_.curve_slots.data(), context_.jobs);
        else
            curves(objective_, work_.x.data(), true, work_.curve.data(), context_.jobs);
    }

    // product := H search. Returns search . H search.
    double times() {
        double curvature = 0.0;
        if constexpr (is_fast)
            curvature = hessian_times(objective_, work_.curve_slots.data(), a_.search.data(),
                                      a_.product.data(), context_.jobs, work_.sum);
        else
            hessian_times(objective_, work_.curve.data(), 0.0, a_.search.data(), a_.product.data(),
                          context_.jobs);
        return is_fast ? curvature : core::product(context_, a_.search, a_.product);
    }

    // Turns preconditioned, which is the residual, into what it says. Returns their product.
    double precondition() {
        solve(objective_.system, work_.solve, context_.jobs, a_.preconditioned.data());
        objective_.system.keep_held(a_.preconditioned.data());
        return core::product(context_, a_.residual, a_.preconditioned);
    }

    SolveContext& context_;
    Workspace& work_;
    ConjugateArrays<V>& a_;
    const Objective& objective_;
    double first_start_ = 0.0; // the starting error in the first iteration of the step
};

template <class V>
Status run(SolveContext& context, ConjugateArrays<V>& arrays) {
    ConjugateGradients<V> inner(context, arrays);
    Descent descent(context, arrays.gradient, arrays.direction);
    const Status status = descent.run([&] {
        inner.find_direction();
        return TWANG_OK;
    });
    keep_centre(context);
    return status;
}

} // namespace

Status newton_cg(SolveContext& context) {
    return context.objective.system.base().suits_kernels()
               ? run(context, context.work.conjugate_fast)
               : run(context, context.work.conjugate_exact);
}

} // namespace twang::core
