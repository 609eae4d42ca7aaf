// The folder contact/ owns colliders and their distances (collider.hpp), the search for contacts
// (contact_projection.hpp, surface_points.hpp, vertex_spheres.hpp) and, in this file, contact as a
// force in the objective: an augmented Lagrangian (Hestenes 1969; for friction Alart and Curnier
// 1991). The multipliers are carried over from step to step, so that Q stays unchanged and an
// iteration with contacts costs as much as one without. The folder does not know solvers, bodies or
// worlds.
//
// A contact is between a point of a body, p(x) = sum_k w_k x_k, and a plane (normal n, offset) with
// an anchor, the position of p if p sticks. For two vertices in contact, p is their difference.
// With
//   gap(p) = n . p - offset,   slip(p) = the tangential part of p - anchor,
//   kappa  = beta support, the stiffness of the contact, a fraction of the stiffness of p in Q,
// the normal force along n is
//   f(p) = max(0, lambda - kappa gap(p)),              potential f^2 / (2 kappa),
// and the friction force is the negative of
//   t(p) = tau + kappa slip(p), clamped to length mu f,  potential: Huber's function of |t|.
// mu f is set before each iteration and kept constant during it, because only then t has a
// potential. lambda and tau are the f and t with which p would stick if the springs pulled as at
// the end of the last step. There w (p - y) + s + t - f n = 0, with w and y the inertia and the
// inertial target of p and s the gradient of the springs, so that
//   tau - lambda n = -s + w (y - anchor),   -s = (t - f n + w (p - y)) of the last step.
// For a new contact -s is set to 0: its first forces stop what inertia and external forces bring.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/lanes.hpp"
#include "system/coarse.hpp"
#include "system/integrator.hpp"

namespace twang::core {

struct Contact {
    // Set by the search
    ContactPoint point;
    double mobility[ContactPoint::most]; // of vertex k per move of p; sum_k w_k mobility_k = 1
    Vec3 normal;
    double offset;           // normal . p >= offset
    Vec3 anchor;             // on the plane, where p would be if it stuck
    double rise;             // m: displacement of the plane along n during the step
    double static_friction;  // mu up to which p sticks, in this step
    double kinetic_friction; // mu of a sliding contact
    double inertia;          // N/m: w
    double support;          // N/m: w plus the springs at p
    Vec3 y;                  // m: the inertial target of p
    ContactForce last;       // at the end of the last step

    // Set by start(); settle() updates the forces
    bool stuck;       // place() moves p to its anchor if p sticks
    double share;     // beta
    double stiffness; // N/m: kappa
    double lambda;    // N
    Vec3 tau;         // N
    bool slides;
    double friction_limit; // N: mu f
    Vec3 against;          // N: -s
    Sym3 curvature;        // N/m: Hessian of both potentials at the last linearise()

    // Starts a solve: sets stuck, beta and kappa from the last step.
    void begin();
    // Sets lambda and tau to the part of tau - lambda n = `wanted` inside the friction cone.
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
    // Updates the sliding state and mu f at p. A sticking contact slides beyond static_friction
    // times f; a sliding one sticks again where kinetic friction suffices.
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

// Contacts with the operations that solvers need. x and the other arrays are per vertex of the
// body, or of the bodies, that the contacts belong to.
class ContactList {
public:
    void clear() { list_.clear(); }
    bool empty() const { return list_.empty(); }
    std::size_t size() const { return list_.size(); }
    template <class F>
    void for_each(F&& f) const { // calls f(contact)
        for (const Contact& c : list_) f(c);
    }

    // Starts a solve: sets lambda and tau from the last step.
    void start();
    // Moves x to the positions that belong to the forces of start(): to the anchor if p stuck and
    // still sticks, else in front of the plane.
    void place(Vec3* x) const;
    // Sets mu f from x, before an iteration. Updates the gradient at x, and returns the change of
    // the objective.
    template <class V>
    double update_friction_limits(const Vec3* x, V* gradient);
    // Returns the potentials at x, and adds their gradient.
    template <class V>
    double add_gradient(const Vec3* x, V* gradient) const;
    double energy(const Vec3* x) const;
    // Stores the Hessian of the potentials at x, positive semi-definite, for the two calls below.
    void linearise(const Vec3* x);
    // Adds the stored Hessian times p to result; returns p . Hessian p.
    template <class V>
    double add_hessian_product(const V* p, V* result) const;
    // Returns the stored Hessians of contacts that push, for the coarse correction.
    std::span<const CoarseConstraint> constraints();

    // Ends a solve at x: lambda and tau become the forces there. `size` is that of the body in m.
    void settle(const Vec3* x, double size);
    // Calls f(contact) for contacts that push, after settle().
    template <class F>
    void for_each_touching(F&& f) const {
        for (const Contact& c : list_)
            if (c.lambda > 0.0) f(c);
    }
    // Moves x in front of all planes.
    void clamp(Vec3* x) const;
    // Limits the separation velocity of each contact to the plane's own: a vertex that was
    // projected out of a collider, or slid over a round one, must not keep the projection as speed.
    void limit_separation_velocity(double h, Vec3* velocity) const;

protected:
    void reserve(std::size_t contacts);
    // Moves the vertices of a contact so that p moves by `distance` along its normal.
    static void push(const Contact& c, double distance, Vec3* x);

    std::vector<Contact> list_;

private:
    std::vector<CoarseConstraint> constraints_;
};

} // namespace twang::core
