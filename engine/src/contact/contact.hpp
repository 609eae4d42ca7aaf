// Contact as a soft force in the objective: an augmented Lagrangian (Hestenes 1969; for friction
// Alart and Curnier 1991) whose multipliers are carried over from step to step, so that Q stays as
// it is and an iteration in contact costs what it costs in the air. A contact is between a point of
// a body, p(x) = sum w_k x_k, and a plane (normal n, offset) with an anchor, where the point would
// be if it stuck. Of two vertices that meet, p is their difference. With
//   gap(p) = n . p - offset,   slip(p) = the tangential part of p - anchor,
//   kappa  = beta support, the stiffness of the contact, a share of what p has in Q,
// the plane pushes with
//   f(p) = max(0, lambda - kappa gap(p)),              potential f^2 / (2 kappa),
// and rubs with the negative of
//   t(p) = tau + kappa slip(p), cut to the length mu f,  potential: Huber's function of |t|.
// mu f is set before each iteration and kept during it: then t has a potential. lambda and tau are
// the f and t with which p would stick, the springs pulling as they did at the end of the last
// step: there w (p - y) + s + t - f n = 0, with w and y the inertia and the inertial target of p,
// so that
//   tau - lambda n = -s + w (y - anchor),   -s = (t - f n + w (p - y)) of the last step,
// 0 for a new contact, which first stops what inertia and external forces bring.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/lanes.hpp"
#include "system/coarse.hpp"
#include "system/integrator.hpp"

namespace twang::core {

struct Contact {
    // Set by whoever finds it
    ContactPoint point;
    double
        mobility[ContactPoint::most]; // how a push along n is shared: the sum of w_k times it is 1
    Vec3 normal;
    double offset;           // normal . p >= offset
    Vec3 anchor;             // on the plane
    double rise;             // m: how far the plane comes along the normal during the step
    double static_friction;  // mu up to which it sticks, in this step
    double kinetic_friction; // mu where it slides
    double inertia;          // N/m: w
    double support;          // N/m: w and the springs at p
    Vec3 y;                  // m: the inertial target of p
    ContactForce last;       // at the end of the last step

    // Set by start(), and the forces again by settle()
    bool stuck;       // it starts at its anchor if it sticks
    double share;     // beta
    double stiffness; // N/m: kappa
    double lambda;    // N
    Vec3 tau;         // N
    bool slides;
    double friction_limit; // N: mu f
    Vec3 against;          // N: -s
    Sym3 curvature;        // N/m: of both potentials, where linearise() was asked last

    // Starts a solve: how it goes on from the last step,
    void begin();
    // and lambda and tau, the part of -lambda n + tau = `wanted` that a contact can bear.
    void take_force(Vec3 wanted);

    double gap(Vec3 p) const { return dot(normal, p) - offset; }
    Vec3 slip(Vec3 p) const {
        const Vec3 off = p - anchor;
        return off - dot(off, normal) * normal;
    }
    double normal_force(Vec3 p) const { return std::max(0.0, lambda - stiffness * gap(p)); }
    Vec3 sticking_force(Vec3 p) const { return tau + stiffness * slip(p); }
    Vec3 friction_force(Vec3 p) const { // t
        const Vec3 t = sticking_force(p);
        const double size = length(t);
        return size > friction_limit ? (friction_limit / size) * t : t;
    }
    double friction_energy(Vec3 p) const {
        const double t = length(sticking_force(p)), limit = friction_limit;
        return (t > limit ? limit * (t - 0.5 * limit) : 0.5 * t * t) / stiffness;
    }
    double friction() const { return slides ? kinetic_friction : static_friction; } // mu
    // Static friction holds up to its mu, and what slides once more when kinetic friction can.
    void apply_coulomb(Vec3 p) {
        const double f = normal_force(p);
        slides = length(sticking_force(p)) > friction() * f;
        friction_limit = friction() * f;
    }
    double energy(Vec3 p) const {
        const double f = normal_force(p);
        return 0.5 * f * f / stiffness + friction_energy(p);
    }
    Vec3 gradient(Vec3 p) const { return friction_force(p) - normal_force(p) * normal; }
};

// Contacts and what solvers ask of them. x and the arrays beside it are those of the body, or of
// the bodies, that the vertices of the contacts belong to.
class ContactList {
public:
    void clear() { list_.clear(); }
    bool empty() const { return list_.empty(); }
    std::size_t size() const { return list_.size(); }
    template <class F>
    void for_each(F&& f) const { // f(contact)
        for (const Contact& c : list_) f(c);
    }

    // Starts a solve: lambda and tau by the last step.
    void start();
    // Moves x to where the forces of start() would have it: to its anchor what has stuck and
    // sticks, in front of its plane the rest.
    void place(Vec3* x) const;
    // Before an iteration: mu f at x. Brings the gradient at x up to date, and returns what the
    // change adds to the objective.
    template <class V>
    double update_friction_limits(const Vec3* x, V* gradient);
    // The potentials at x; adds their gradient.
    template <class V>
    double add_gradient(const Vec3* x, V* gradient) const;
    double energy(const Vec3* x) const;
    // Takes the Hessian of the potentials at x, positive semi-definite, for what follows.
    void linearise(const Vec3* x);
    // Adds it times p to result; returns what that adds to p . result.
    template <class V>
    double add_hessian_product(const V* p, V* result) const;
    // The same for the coarse correction, of contacts that push.
    std::span<const CoarseConstraint> constraints();

    // After a solve that ended at x: lambda and tau become the forces there; `size` is that of the
    // body in m.
    void settle(const Vec3* x, double size);
    template <class F>
    void for_each_touching(F&& f) const { // f(contact), of those that push; after settle
        for (const Contact& c : list_)
            if (c.lambda > 0.0) f(c);
    }
    // Puts x in front of all planes.
    void clamp(Vec3* x) const;
    // Limits the velocity at which a point leaves a plane to the plane's own: what was pushed out
    // of a collider, or slid over a round one, must not keep that as speed.
    void limit_separation_velocity(double h, Vec3* velocity) const;

protected:
    void reserve(std::size_t contacts);
    // Moves the vertices of a contact so that p moves along its normal.
    static void push(const Contact& c, double way, Vec3* x);

    std::vector<Contact> list_;

private:
    std::vector<CoarseConstraint> constraints_;
};

} // namespace twang::core
