// What keeps balls apart at the end of a step, when every body has moved by itself. Pairs that came
// too close get forces, none of which pulls, and each body yields to them as it would have done in
// its step: by Q^-1, so that a vertex that is pushed takes its neighbourhood along, as heavy as it
// is, and no spring is stretched much. With J the directions of the contacts, W = J Q^-1 J^T over
// all bodies and g the gaps, the forces f solve
//   f >= 0,  g + W f >= 0,  f (g + W f) = 0
// by a few conjugate gradients at a time on the contacts that press, preconditioned by J Q J^T.
// Friction (Coulomb) comes with them. Obstacles that vertices lie on are contacts like the others;
// held vertices and sleeping bodies do not give way. Nothing gets faster by leaving an overlap that
// was there at the start: that is undone a little in every step, in positions only.
#pragma once

#include <span>
#include <vector>

#include "colliders.hpp"
#include "live_system.hpp"
#include "particles.hpp"

namespace twang::core {

// A body that balls belong to.
struct Yielding {
    const LiveSystem* system; // null: it gives no way
    const SpringSet* springs;
    const double* masses;
    const char* held;
    SolveScratch* solve;
    VertexArray<Vec3>* reply; // room for a solve
    std::uint32_t first;      // ball
};

class Parting {
public:
    // For so many balls there will be no allocation.
    void reserve(std::size_t balls);
    // Bodies in the order of the particles'. h in seconds. False when nothing has to be moved.
    bool part(const Particles& particles, std::span<const NearPair> pairs,
              std::span<const Yielding> bodies, std::span<const Obstacle> obstacles, double h,
              Jobs& jobs);

    // Of a ball: how far contact moves it, what of this is no motion, and whether it touches.
    Vec3 move(std::uint32_t ball) const { return move_[ball]; }
    Vec3 release(std::uint32_t ball) const { return release_[ball]; }
    bool touches(std::uint32_t ball) const { return touches_[ball] != 0; }

private:
    static constexpr std::uint32_t none = 0xFFFFFFFFu;
    struct Contact {
        std::uint32_t a, b;      // balls; none: an obstacle
        Vec3 side, normal;       // towards a: at first touch, and now
        Vec3 foot;               // obstacle: a point of its surface
        double target;           // m: how far apart along the normal, at least
        double reach;            // m: the same without an overlap at the start
        double friction;         // mu
        Vec3 carried;            // m: how far an obstacle moved
        Vec3 force, change;      // N, on a
        double share_a, share_b; // of a gap that is closed by either, in the preconditioner
        double gap;              // m
        Vec3 slip;               // m
        bool presses;
    };

    void collect(std::span<const NearPair> pairs);
    void collect_obstacles(std::span<const Obstacle> obstacles);
    void weigh();
    double look(); // m: the deepest; finds normals, gaps and what presses
    bool push(double& scale);
    void propose(double scale);
    void tidy();
    void let_go();
    Vec3 at(std::uint32_t ball) const { return balls_[ball].to + move_[ball]; }
    Vec3 apart(const Contact& c) const { return at(c.a) - (c.b == none ? c.foot : at(c.b)); }
    // The moves that forces_ lead to, in reply_.
    void respond();
    void times_q();
    void precondition();
    Vec3 between(const Contact& c, const std::vector<Vec3>& v) const {
        return c.b == none ? v[c.a] : v[c.a] - v[c.b];
    }

    std::span<const Ball> balls_;
    std::span<const Yielding> bodies_;
    Jobs* jobs_ = nullptr;
    Jobs alone_{1};
    double inertia_ = 0.0; // 1/s^2: of a kilogram
    std::vector<Contact> list_;
    std::vector<double> precond_;                       // per contact
    std::vector<char> involved_;                        // per body
    std::vector<Vec3> move_, release_, forces_, reply_; // per ball
    std::vector<double> give_, stiffness_;              // m/N, N/m
    std::vector<std::uint16_t> count_;                  // contacts
    std::vector<char> touches_;
};

} // namespace twang::core
