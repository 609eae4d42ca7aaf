// The time integrator of the solvers that minimise an objective: two-step backward differences,
//   x1 - x0 - a (x0 - x_) = gamma h v1,   v1 - v0 - a (v0 - v_) = gamma h (f - grad E)/m,
//   gamma = 1 - a,
// from the states x0, v0 now and x_, v_ one step before. a = 0 is implicit Euler, of first order;
// a = 1/3 is BDF2, of second order (Choi and Ko 2002, "Stable but responsive cloth"); all between
// are A-stable. A step is the minimum of the objective g with inertia 1/(gamma h)^2 and
//   y = x0 + a (x0 - x_) + gamma h (v0 + a (v0 - v_)) + (gamma h)^2 f/m.
// Everything is written with differences of states, so that a body at rest stays bitwise still.
//
// Damping d is exact for free flight: backward differences are taken of exp(d t) v, which is
// constant there. So the v of a step is stored damped, multiplied by c = exp(-d h), and v_ is
// damped once more after each further step.
//
// Solvers with few iterations should start at y without its force term. Any correction between 0
// and the full Newton step then acts as the exact step of softer springs, and remains A-stable.
// From x0 + h v0, a = 1/3 is unstable with one iteration.
#pragma once

#include "base/arrays.hpp"
#include "base/vec3.hpp"

namespace twang::core {

struct Integrator {
    double a;     // 0 ... 1/3
    double h;     // s, the time step
    double decay; // c, of velocities in a step

    double gamma_h() const { return (1.0 - a) * h; }
    double square() const { return gamma_h() * gamma_h(); } // s^2: 1 / inertia
    // Without forces: v1, and the move x1 - x0, which equals y - x0. displacement: x0 - x_.
    Vec3 coasting_velocity(Vec3 v0, Vec3 v_) const { return v0 + a * (v0 - v_); }
    Vec3 coast(Vec3 displacement, Vec3 v0, Vec3 v_) const {
        return a * displacement + gamma_h() * coasting_velocity(v0, v_);
    }
    // Returns v1 for the move x1 - x0.
    Vec3 velocity(Vec3 move, Vec3 displacement) const {
        return (decay / gamma_h()) * (move - a * displacement);
    }
};

// Returns the largest a of an integrator. Q is factored with this a, because Q then bounds the
// Hessian of every smaller a.
double largest_a(twang_integrator integrator);
// Returns a for a numerical damping from 0 (BDF2) to 1 (implicit Euler).
double a_of(twang_integrator integrator, double numerical_damping);
// Returns exp(-x) for x >= 0 from basic operations: the C library's exp differs in its last bit
// between machines.
double exp_minus(double x);

// Contact force on a vertex at the end of a step.
struct ContactForce {
    double normal = 0.0; // N; 0: the vertex was not touched
    Vec3 against{};      // N: -s, which balances the springs, see contact/contact.hpp
    double share = 0.0;  // beta, see contact/contact.hpp
    bool slides = false;
};

// The same for a point between vertices, see contact/surface_points.hpp.
struct PointForce {
    std::uint32_t element; // of the model: edges, then triangles
    ContactForce force;
};

// State one step before, for the next step. Recorded in every step, whatever the integrator, so
// that the integrator can be changed between steps.
struct History {
    VertexArray<Vec3> displacement; // m: x0 - x_
    VertexArray<Vec3> velocity;     // m/s: v_, damped since
    VertexArray<ContactForce> contact;
    std::vector<PointForce> points; // by ascending elements
    double time_step = 0.0; // s, of that step; 0: no history, and the next step is implicit Euler
    bool touched = false;   // vertex spheres pushed some of the vertices

    explicit History(std::size_t n) : displacement(n), velocity(n), contact(n) {}
    void forget();
    // Starts a history without a previous step: as if all vertices had always moved with v.
    void begin(const VertexArray<Vec3>& v, double h);
    // Shifts the history as if vertex i had always been faster by dv.
    void shift(std::size_t i, Vec3 dv) {
        displacement[i] += time_step * dv;
        velocity[i] += dv;
    }
};

} // namespace twang::core
