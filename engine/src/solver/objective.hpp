// The objective of one body in one step, used by every solver and checked by finite differences:
//   g(x) = sum w_i/2 |x_i - y_i|^2  +  sum E_spring  -  sum f_i . x_i
//          +  sum w_p/2 |x_p - target_p|^2  +  sum k_g/2 |point_g(x) - target_g|^2
//          +  contact potentials, see contact/contact.hpp
// over vertices i, springs, pinned vertices p and grabs g. The letters, here and in the solvers:
// x positions, y the inertial target, w = m / (gamma h)^2 the weights of inertia (for y and gamma
// see system/integrator.hpp), h the time step, M the masses, Q the system matrix. A time step has
// its forces inside y; a static problem has no inertia and its forces in f.
// Terms are gathered per vertex in one fixed order and summed over fixed blocks: the result does
// not depend on the number of workers.
//
// The folder solver/ owns the minimisation of g for one body, or for several in contact, and the
// integrators that take one step without minimising. The folder may not know of frames, worlds or
// the API.
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
    const SpringSet& springs;    // of the model, or of the body if its springs have changed
    const UpdatedSystem& system; // gives the weights of pins, eliminated vertices and grabs
    const Pins& pins;
    twang_energy energy;
    const Vec3* y;         // m; used only with inertia
    const Vec3* forces;    // N; null: no forces
    const double* weights; // N/m, of inertia, per vertex; a VertexArray, like y. Null: no inertia
    Contacts* contacts = nullptr; // null: no collider in reach
};

// Sums over vertices in fixed blocks, so that the result does not depend on the number of workers.
class BlockSum {
public:
    static constexpr std::size_t block = 512;
    static constexpr std::size_t group_block = gather_block; // where f(i) covers eight vertices
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

    // Returns the largest f(i), for f(i) >= 0; NaN if any f(i) is NaN.
    template <class F>
    double largest(Jobs& jobs, std::size_t count, F&& f) {
        jobs.ranges(count, block, [&](std::size_t begin, std::size_t end) {
            for (std::size_t first = begin; first < end; first += block) {
                double maximum = 0.0;
                for (std::size_t i = first; i < std::min(first + block, end); ++i)
                    if (const double value = f(i); !(value <= maximum)) maximum = value;
                parts_[first / block] = maximum;
            }
        });
        double maximum = 0.0;
        for (std::size_t part = 0; part < (count + block - 1) / block; ++part)
            if (!(parts_[part] <= maximum)) maximum = parts_[part];
        return maximum;
    }

private:
    std::vector<double> parts_;
};

// Returns g(x) and fills its gradient, which is 0 at eliminated vertices.
double evaluate(const Objective& objective, const Vec3* x, Vec3* gradient, Jobs& jobs,
                BlockSum& sum);
// The same for hooke springs with inertia and without forces, with the gradient in float. x and
// gradient are VertexArrays. fast: the kernels compute springs to a float's digits; exact: springs
// are computed in double and the gradient is rounded.
enum class Springs { fast, exact };
double evaluate(const Objective& objective, const Vec3* x, Float4* gradient, Jobs& jobs,
                BlockSum& sum, Springs springs = Springs::fast);
// Returns g(x) alone.
double value(const Objective& objective, const Vec3* x, Jobs& jobs, BlockSum& sum);

// Computes the Hessian of every spring and contact at x. projected: the block of each spring is
// projected to positive semi-definite.
void compute_spring_hessians(const Objective& objective, const Vec3* x, bool projected,
                             SpringHessian* curve, Jobs& jobs);
// result := (Hessian + shift M) p, with the spring Hessians from compute_spring_hessians().
void hessian_times(const Objective& objective, const SpringHessian* curve, double shift,
                   const Vec3* p, Vec3* result, Jobs& jobs);
// The same for hooke springs with inertia, by the fast kernels, with projected blocks. There are as
// many slots as springs.gather has. The product also returns p . Hessian p. x, p and result are
// VertexArrays; p is 0 at eliminated vertices.
void compute_spring_hessians(const Objective& objective, const Vec3* x, HessianSlot* slots,
                             Jobs& jobs);
double hessian_times(const Objective& objective, const HessianSlot* slots, const Float4* p,
                     Float4* result, Jobs& jobs, BlockSum& sum);

// Returns the pattern of the 3n x 3n Hessian: x, y, z of a vertex are adjacent; lower triangle.
Pattern hessian_pattern(const Model& model);
// Fills the values of Hessian + shift M, with the spring Hessians from compute_spring_hessians().
// The Hessians of grabs and contacts are lumped into the diagonal 3x3 blocks.
void assemble_hessian(const Objective& objective, const SpringHessian* curve, double shift,
                      const Pattern& pattern, double* values, Jobs& jobs);

} // namespace twang::core
