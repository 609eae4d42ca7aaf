// Contact with colliders as a soft force in the objective: an augmented Lagrangian (Hestenes 1969;
// for friction Alart and Curnier 1991) whose multipliers are carried over from step to step, so
// that Q stays as it is and an iteration in contact costs what it costs in the air. Contacts are
// found once a step: a vertex that meets a collider, or may, gets a plane (normal n, offset) and an
// anchor, where it would be if it stuck. With
//   gap(x) = n . x - offset,   slip(x) = the tangential part of x - anchor,
//   kappa  = beta (w + sum k), the stiffness of the contact, a share of what the vertex has in Q,
// the collider pushes with
//   f(x) = max(0, lambda - kappa gap(x)),              potential f^2 / (2 kappa),
// and rubs with the negative of
//   t(x) = tau + kappa slip(x), cut to the length mu f,  potential: Huber's function of |t|.
// mu f is set before each iteration and kept during it: then t has a potential. lambda and tau are
// the f and t with which the vertex would stick, its springs pulling as they did at the end of the
// last step: there w (x - y) + s + t - f n = 0, so that
//   tau - lambda n = -s + w (y - anchor),   -s = (t - f n + w (x - y)) of the last step,
// 0 for a new contact, which first stops what inertia and external forces bring.
#pragma once

#include <span>
#include <vector>

#include "coarse.hpp"
#include "colliders.hpp"
#include "integrator.hpp"
#include "lanes.hpp"
#include "spring_set.hpp"

namespace twang::core {

struct Contact {
    std::uint32_t vertex;
    Vec3 normal;
    double offset;           // normal . x >= offset
    Vec3 anchor;             // on the plane
    double rise;             // m: how far the collider comes along the normal during the step
    double static_friction;  // mu up to which the vertex sticks, in this step
    double kinetic_friction; // mu where it slides
    bool stuck;              // it starts at its anchor if it sticks
    double share;            // beta
    double stiffness;        // N/m: kappa
    double lambda;           // N
    Vec3 tau;                // N
    bool slides;
    double friction_limit; // N: mu f
    Vec3 against;          // N: -s, after settle()
    Sym3 curvature;        // N/m: of both potentials, where linearise() was asked last

    double gap(Vec3 at) const { return dot(normal, at) - offset; }
    Vec3 slip(Vec3 at) const {
        const Vec3 off = at - anchor;
        return off - dot(off, normal) * normal;
    }
    double normal_force(Vec3 at) const { return std::max(0.0, lambda - stiffness * gap(at)); }
    Vec3 sticking_force(Vec3 at) const { return tau + stiffness * slip(at); }
    Vec3 friction_force(Vec3 at) const { // t
        const Vec3 t = sticking_force(at);
        const double size = length(t);
        return size > friction_limit ? (friction_limit / size) * t : t;
    }
    double friction_energy(Vec3 at) const {
        const double t = length(sticking_force(at)), limit = friction_limit;
        return (t > limit ? limit * (t - 0.5 * limit) : 0.5 * t * t) / stiffness;
    }
    double friction() const { return slides ? kinetic_friction : static_friction; } // mu
    // Static friction holds up to its mu, and what slides once more when kinetic friction can.
    void apply_coulomb(Vec3 at) {
        const double f = normal_force(at);
        slides = length(sticking_force(at)) > friction() * f;
        friction_limit = friction() * f;
    }
    Vec3 in_front(Vec3 at) const { // of the plane
        const double depth = gap(at);
        return depth < 0.0 ? at - depth * normal : at;
    }
    double energy(Vec3 at) const {
        const double f = normal_force(at);
        return 0.5 * f * f / stiffness + friction_energy(at);
    }
    Vec3 gradient(Vec3 at) const { return friction_force(at) - normal_force(at) * normal; }
};

class Contacts {
public:
    struct Input {
        const SpringSet& springs;
        const double* weights; // N/m, of inertia
        Jobs& jobs;
        std::span<const Obstacle> obstacles;
        Arrival arrival;            // at the start of the step
        const Vec3* y;              // the inertial target
        const ContactForce* forces; // at the end of the last step
        const char* held;
        double size; // m, of the body
        const VertexGroups& groups;
    };

    // Room for a body of n vertices; allocates the first time only.
    void fit(std::size_t n);
    // Finds the contacts of vertices that are on their way from x_n to x. `input` must last until
    // the step ends.
    void find(const Input& input, const VertexArray<Vec3>& x);
    // In addition those of vertices that have crossed something on their way to x, if any is in it
    // deeper than by its thickness, or through: springs may have pulled them into what they did not
    // seem to reach. True when there are any.
    bool find_missed(const VertexArray<Vec3>& x);
    // Starts a solve: lambda and tau by the last step.
    void start();
    void clear() { list_.clear(); }
    bool empty() const { return list_.empty(); }
    // Moves x to where the forces of start() would have it: to its anchor what has stuck and
    // sticks, in front of its plane the rest.
    void place(VertexArray<Vec3>& x) const;

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
    template <class F>
    void for_each(F&& f) const { // f(contact)
        for (const Contact& c : list_) f(c);
    }
    // The same for the coarse correction, of contacts that push.
    std::span<const CoarseConstraint> constraints();

    // After a solve that ended at x: lambda and tau become the forces there.
    void settle(const Vec3* x);
    // What the next step needs of them, per vertex.
    void store(ContactForce* forces) const;
    template <class F>
    void for_each_touching(F&& f) const { // f(vertex); after settle
        for (const Contact& c : list_)
            if (c.lambda > 0.0) f(c.vertex);
    }
    std::size_t touching() const; // vertices, likewise
    // Puts x in front of all planes.
    void clamp(VertexArray<Vec3>& x) const;
    // Limits the velocity at which a vertex leaves a collider to the collider's own: a vertex that
    // was projected out of a collider, or slid over a round one, must not keep that as speed.
    void limit_separation_velocity(double h, VertexArray<Vec3>& velocity) const;

private:
    // How far vertices have gone into a collider that are to have a contact with it.
    enum class Crossed { maybe, at_all, deeply };
    void search(const VertexArray<Vec3>& x, Crossed crossed);
    void collect(); // what was found, as a list
    void search_among(std::span<const std::uint32_t> vertices, const VertexArray<Vec3>& x,
                      Crossed crossed);

    const Input* input_ = nullptr;
    std::vector<Contact> found_; // per vertex
    std::vector<char> has_;
    std::vector<Contact> list_;
    std::vector<CoarseConstraint> constraints_;
};

} // namespace twang::core
