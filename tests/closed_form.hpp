// How a vertex moves that no spring pulls, step by step, as textbooks have it: implicit Euler, and
// two-step backward differences (BDF2), whose first step is one of implicit Euler.
#pragma once

#include <array>
#include <cmath>

#include "base/vec3.hpp"

namespace twang::test {

inline constexpr std::array integrators{TWANG_IMPLICIT_EULER, TWANG_BDF2};

inline const char* integrator_name(twang_integrator integrator) {
    return integrator == TWANG_BDF2 ? "bdf2" : "implicit_euler";
}

// Solvers without an objective have a way of their own, which moves free vertices as implicit Euler
// does.
inline twang_integrator taken(twang_integrator integrator, twang_solver solver) {
    const bool own = solver == TWANG_SOLVER_LINEAR || solver == TWANG_SOLVER_SYMPLECTIC;
    return own ? TWANG_IMPLICIT_EULER : integrator;
}

class FreeVertex {
public:
    core::Vec3 x{}, v{};

    explicit FreeVertex(twang_integrator integrator, double h = 1.0 / 60.0, double damping = 0.0)
        : a_(integrator == TWANG_BDF2 ? 1.0 / 3.0 : 0.0), h_(h), decay_(std::exp(-damping * h)) {}
    // It has been where it is for a while: the next step is not its first.
    void rest() { step({}); }
    void step(core::Vec3 acceleration, int count = 1) {
        using namespace core;
        for (int k = 0; k < count; ++k) {
            const double a = started_ ? a_ : 0.0, gamma_h = (1.0 - a) * h_;
            const Vec3 v1 = v + a * (v - decay_ * v_) + gamma_h * acceleration;
            const Vec3 x1 = x + a * (x - x_) + gamma_h * v1;
            x_ = x;
            v_ = v;
            x = x1;
            v = decay_ * v1;
            started_ = true;
        }
    }

private:
    double a_, h_, decay_;
    bool started_ = false;
    core::Vec3 x_{}, v_{}; // one step before
};

// m: how far it falls from rest in so many steps of 1/60 s.
inline double fall(int steps, twang_integrator integrator = TWANG_BDF2) {
    FreeVertex vertex(integrator);
    vertex.step({0.0, -9.8, 0.0}, steps);
    return -vertex.x.y;
}

} // namespace twang::test
