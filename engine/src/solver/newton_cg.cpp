// Newton-CG: projected Newton whose systems H p = -grad g are solved by conjugate gradients,
// preconditioned by the constant factor of Q, so that no matrix is factored in a frame. H is
// applied spring by spring and never assembled, by the fast kernels where these suit. The
// preconditioner has no coarse correction: with it the same accuracy takes as many iterations, each
// more expensive, because the error after a few iterations is not smooth.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "solver/newton.hpp"

namespace twang::core {

namespace {

constexpr int max_inner_iterations = 200;

template <class V>
class ConjugateGradients {
public:
    ConjugateGradients(Joint& joint, ConjugateArrays<V>& arrays) : joint_(joint), a_(arrays) {}

    // Solves H direction = -gradient until the residual, in the norm of Q^-1, falls to a fraction
    // of the initial one. After any number of iterations `direction` is a descent direction.
    void find_direction() {
        joint_.compute_hessians<V>();
        each_vertex([&](std::size_t i) {
            a_.residual[i] = negative(a_.gradient[i]);
            a_.direction[i] = {};
        });
        std::copy(a_.residual.begin(), a_.residual.end(), a_.preconditioned.begin());
        joint_.clock.lap(&twang_stage_ms::local_step);
        double rz = precondition();
        std::copy(a_.preconditioned.begin(), a_.preconditioned.end(), a_.search.begin());
        // The tolerance is loose at first and gets tighter as the outer iterations converge, which
        // makes the final convergence superlinear (Dembo, Eisenstat and Steihaug 1982).
        const double start_error = std::sqrt(rz);
        if (first_error_ == 0.0) first_error_ = start_error;
        const double tolerance = std::min(0.1, std::sqrt(start_error / first_error_));
        for (int k = 0; k < max_inner_iterations && std::sqrt(rz) > tolerance * start_error; ++k) {
            const double curvature = joint_.hessian_times(a_.search, a_.product);
            if (!(curvature > 0.0)) break;
            const Real alpha = static_cast<Real>(rz / curvature);
            each_vertex([&](std::size_t i) {
                add(a_.direction[i], alpha, a_.search[i]);
                add(a_.residual[i], -alpha, a_.product[i]);
                a_.preconditioned[i] = a_.residual[i];
            });
            joint_.clock.lap(&twang_stage_ms::local_step);
            const double next = precondition();
            const Real beta = static_cast<Real>(next / rz);
            rz = next;
            each_vertex([&](std::size_t i) {
                const V search = a_.search[i];
                a_.search[i] = a_.preconditioned[i];
                add(a_.search[i], beta, search);
            });
            joint_.clock.lap(&twang_stage_ms::global_step);
            joint_.count_inner_iteration();
        }
    }

private:
    using Real = decltype(V::x);

    static V negative(V v) {
        v.x = -v.x, v.y = -v.y, v.z = -v.z;
        return v;
    }
    static void add(V& sum, Real factor, const V& v) {
        sum.x += factor * v.x, sum.y += factor * v.y, sum.z += factor * v.z;
    }
    template <class F>
    void each_vertex(F&& f) {
        joint_.jobs.ranges(joint_.size(), BlockSum::block, [&](std::size_t i, std::size_t end) {
            for (; i < end; ++i) f(i);
        });
    }

    // preconditioned := Q^-1 residual, where preconditioned is a copy of the residual on entry.
    // Returns residual . preconditioned.
    double precondition() {
        joint_.solve(a_.preconditioned);
        joint_.zero_pinned(a_.preconditioned);
        return joint_.product(a_.residual, a_.preconditioned);
    }

    Joint& joint_;
    ConjugateArrays<V>& a_;
    double first_error_ = 0.0; // start_error in the first outer iteration of the step
};

template <class V>
Status run(Joint& joint, ConjugateArrays<V>& arrays) {
    ConjugateGradients<V> inner(joint, arrays);
    Descent descent(joint, arrays.gradient, arrays.direction);
    const Status status = descent.run([&] {
        inner.find_direction();
        return TWANG_OK;
    });
    joint.finish();
    return status;
}

} // namespace

Status newton_cg(Joint& joint) {
    return joint.suits_kernels() ? run(joint, joint.conjugate<Float4>())
                                 : run(joint, joint.conjugate<Vec3>());
}

} // namespace twang::core
