// The objective of one body in one step, used by every solver and checked by finite differences:
//   g(x) = sum w_i/2 |x_i - y_i|^2  +  sum E_spring  -  sum f_i . x_i
//          +  sum w_p/2 |x_p - target_p|^2  +  sum k_g/2 |point_g(x) - target_g|^2
//          +  contact potentials, see contacts.hpp
// The letters, here and in the solvers: x positions, y the inertial target, w = m / (gamma h)^2 the
// weights of inertia (see integrator.hpp for both), h the time step, M the masses, Q the system
// matrix. A step has its forces inside y; a static problem has no inertia and its forces in f.
// Everything is gathered per vertex in one fixed order and summed over fixed blocks: the result
// does not depend on the number of workers.
#pragma once

#include <vector>

#include "base/jobs.hpp"
#include "contact/contact_projection.hpp"
#include "springs/hessian_kernels.hpp"
#include "springs/spring.hpp"
#include "system/pins.hpp"
#include "system/schur_update.hpp"

namespace twang::core {

struct Objective {
    const Model& model;
    const SpringSet& springs; // the model's, or the body's own
    const LiveSystem& system; // for the weights of pins, the eliminated vertices and grabs
    const Pins& pins;
    twang_energy energy;
    const Vec3* y;         // used where there is inertia
    const Vec3* forces;    // null: none
    const double* weights; // N/m, of inertia, per vertex; a VertexArray, like y. Null: no inertia
    Contacts* contacts = nullptr; // null: none in reach
};

// Sums over vertices without depending on how they are shared out.
class BlockSum {
public:
    static constexpr std::size_t block = 512;
    static constexpr std::size_t small_block = gather_block; // for f's of eight vertices
    explicit BlockSum(std::size_t count) : parts_(count / block + 2) {}

    // Sums f(i) over [0, count), in parallel; count / Block must not exceed the constructor's.
    template <std::size_t Block = block, class F>
    double operator()(Jobs& jobs, std::size_t count, F&& f) {
        jobs.ranges(count, Block, [&](std::size_t begin, std::size_t end) {
            for (std::size_t first = begin; first < end; first += Block) {
                double sum = 0.0;
                for (std::size_t i = first; i < std::min(first + Block, end); ++i) sum += f(i);
                parts_[first / Block] = sum;
            }
        });
        double total = 0.0;
        for (std::size_t part = 0; part < (count + Block - 1) / Block; ++part)
            total += parts_[part];
        return total;
    }

    // The largest f(i), of numbers >= 0; NaN if there is one.
    template <class F>
    double largest(Jobs& jobs, std::size_t count, F&& f) {
        jobs.ranges(count, block, [&](std::size_t begin, std::size_t end) {
            for (std::size_t first = begin; first < end; first += block) {
                double most = 0.0;
                for (std::size_t i = first; i < std::min(first + block, end); ++i)
                    if (const double value = f(i); !(value <= most)) most = value;
                parts_[first / block] = most;
            }
        });
        double most = 0.0;
        for (std::size_t part = 0; part < (count + block - 1) / block; ++part)
            if (!(parts_[part] <= most)) most = parts_[part];
        return most;
    }

private:
    std::vector<double> parts_;
};

// g(x) and its gradient; eliminated vertices have none.
double evaluate(const Objective& objective, const Vec3* x, Vec3* gradient, Jobs& jobs,
                BlockSum& sum);
// The same for hooke with inertia and without forces, on the fast kernels, whose springs are good
// to a float's digits, or computed in double and then rounded. x and gradient are VertexArrays.
enum class Springs { fast, exact };
double evaluate(const Objective& objective, const Vec3* x, Float4* gradient, Jobs& jobs,
                BlockSum& sum, Springs springs = Springs::fast);
double value(const Objective& objective, const Vec3* x, Jobs& jobs, BlockSum& sum);

// The curvature of every spring and contact at x; of springs projected or as it is.
void curves(const Objective& objective, const Vec3* x, bool projected, SpringCurve* curve,
            Jobs& jobs);
// result = (Hessian + shift M) p, from curves.
void hessian_times(const Objective& objective, const SpringCurve* curve, double shift,
                   const Vec3* p, Vec3* result, Jobs& jobs);
// The same for hooke with inertia, on the fast kernels: the projected curvature, as many slots as
// the springs' gather has, and p . Hessian p with the product. x, p and result are VertexArrays; p
// is 0 at eliminated vertices.
void curves(const Objective& objective, const Vec3* x, CurveSlot* slots, Jobs& jobs);
double hessian_times(const Objective& objective, const CurveSlot* slots, const Float4* p,
                     Float4* result, Jobs& jobs, BlockSum& sum);

// The 3n x 3n Hessian: coordinates of a vertex side by side, lower triangle.
Pattern hessian_pattern(const Model& model);
// Its values plus shift M, from curves.
void assemble_hessian(const Objective& objective, const SpringCurve* curve, double shift,
                      const Pattern& pattern, double* values, Jobs& jobs);

} // namespace twang::core
