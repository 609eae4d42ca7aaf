// One step of implicit Euler as a textbook writes it: arrays in the caller's numbering, scalar
// double loops that scatter over the springs, and a library for the linear system. The engine is
// compared with this code, and checked against it.
// Local-global after Liu et al. 2013, "Fast Simulation of Mass-Spring Systems".
#pragma once

#include <memory>
#include <vector>

#include <twang/twang.hpp>

#include "rivals/rivals.hpp"

namespace bench {

using twang::Vec3;

// g(x) = sum inertia/2 |x - y|^2 + sum k/2 (|x_a - x_b| - r)^2 + sum pin_weight/2 |x - target|^2
struct Problem {
    std::vector<twang::SpringDef> springs;
    std::vector<double> inertia; // mass / h^2
    std::vector<Vec3> y;
    std::vector<double> pin_weights; // 0: not pinned
    std::vector<Vec3> targets;
    std::vector<Vec3> x; // start
};

// Returns g at problem.x and stores its gradient.
double scatter(const Problem& problem, std::vector<Vec3>& gradient);

// Returns the lower triangle of Q = inertia + springs + pins.
Matrix system_matrix(const Problem& problem);

// The paper's loop: projects every spring to its rest length, sums the right side b of these
// projections, inertia and pins, and solves Q x = b.
class Textbook {
public:
    Textbook(Problem problem, const DirectSolver& solver);
    void iterate();
    const std::vector<Vec3>& x() const { return problem_.x; }

private:
    Problem problem_;
    const DirectSolver& solver_;
    std::vector<Vec3> sums_;
    std::vector<double> right_, solution_;
};

} // namespace bench
