// One step of implicit Euler as a textbook writes it: plain arrays in the caller's numbering,
// scalar double loops that scatter over the springs, and a library for the linear system. What the
// engine is compared with, and checked against.
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
    std::vector<double> pin_weights; // 0: free
    std::vector<Vec3> targets;
    std::vector<Vec3> x; // where to start
};

// g and its gradient at problem.x.
double scatter(const Problem& problem, std::vector<Vec3>& gradient);

// Q = inertia + springs + pins, lower triangle.
Matrix system_matrix(const Problem& problem);

// The paper's loop: project every spring to its rest length, then x = Q^-1 (what that asks for).
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
