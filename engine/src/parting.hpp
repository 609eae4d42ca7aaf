// What keeps balls apart at the end of a step, when every body has moved by itself. Pairs that came
// too close get forces, which push and rub (Coulomb) and never pull, so that none is closer in the
// end than it may be. A vertex that is pushed takes its neighbourhood along: alone it would be too
// light to stop anything, and be torn out of its springs. So moves are spread over the springs, a
// few vertices far, in a way that keeps the momentum. With G that response, J the directions of the
// contacts and g the gaps, the forces f solve
//   f >= 0,  g + J G J^T f >= 0,  f (g + J G J^T f) = 0
// by projected conjugate gradients. In the next step bodies feel the same forces from the start,
// for only their springs know how a weight is borne that hangs beside what it lies on. Obstacles
// that vertices lie on are contacts like the others; held vertices and sleeping bodies do not give
// way. Nothing gets faster by leaving an overlap that was there at the start: that is undone little
// by little, in positions only.
#pragma once

#include <span>
#include <vector>

#include "colliders.hpp"
#include "particles.hpp"

namespace twang::core {

// A body that balls belong to.
struct Yielding {
    bool yields;
    const SpringSet* springs;
    const double* masses;
    const char* held;
    const Vec3* leaning; // N: what balls pushed with in the last step, and it has felt in this
    std::uint32_t first; // ball
};

class Parting {
public:
    // For so many balls and ends of springs there will be no allocation.
    void reserve(std::size_t balls, std::size_t links);
    // Bodies in the order of the particles'; a step of h seconds. False when nobody is moved.
    bool part(const Particles& particles, std::span<const NearPair> pairs,
              std::span<const Yielding> bodies, std::span<const Obstacle> obstacles, double h,
              Jobs& jobs);

    // Of a ball: how far contact moves it, and how far it goes besides, out of an old overlap.
    Vec3 move(std::uint32_t ball) const { return move_[ball]; }
    Vec3 release(std::uint32_t ball) const { return release_[ball]; }
    // N: what other balls pushed it with, as the next step should know it.
    Vec3 force(std::uint32_t ball) const { return pushed_[ball]; }
    bool touches(std::uint32_t ball) const { return touches_[ball] != 0; }

private:
    static constexpr std::uint32_t none = 0xFFFFFFFFu;
    struct Contact {
        std::uint32_t a, b; // balls; none: an obstacle
        Vec3 side, normal;  // towards a: at first touch, and now
        double target;      // m: how far apart along the normal, at least
        double reach;       // m: the same without an overlap at the start
        double friction;    // mu
        double gap;         // m, to the target
        Vec3 miss;          // m: gap and slip in this step, to be undone
        Vec3 force;         // N, on a
        Vec3 search;        // N: the way to a better one
        bool presses;
    };
    // What a ball lies on.
    struct Ground {
        Vec3 foot, moved; // m: a point of its surface, and its way in this step
    };
    void collect(std::span<const NearPair> pairs);
    void collect_obstacles(std::span<const Obstacle> obstacles);
    void weigh();
    bool leans() const;
    double look();
    double propose(double scale);
    bool push(double& scale);
    void tidy();
    void let_go();
    void note();
    void respond();
    void spread();

    // What either end of a contact gets.
    void add(const Contact& c, Vec3 to_a, Vec3 to_b, std::vector<Vec3>& sums) const {
        sums[c.a] += to_a;
        if (c.b != none) sums[c.b] += to_b;
    }
    double give(const Contact& c) const { return give_[c.a] + (c.b == none ? 0.0 : give_[c.b]); }
    // How many contacts the busier of the two ends has: they share what it does.
    double sharing(const Contact& c) const {
        return std::max(count_[c.a], c.b == none ? count_[c.a] : count_[c.b]);
    }

    std::span<const Ball> balls_;
    std::span<const Yielding> bodies_;
    Jobs* jobs_ = nullptr;
    double square_ = 0.0; // s^2: the time step's
    double stride_ = 0.0; // of the searches, to be added to the forces
    double worth_ = 0.0, old_worth_ = 0.0, crossed_ = 0.0; // J: misses times wishes
    std::vector<Contact> list_;
    std::vector<Ground> ground_;          // per ball, where there is one
    std::vector<char> involved_;          // per body: it has contacts, or had
    std::vector<std::size_t> weights_of_; // per body
    std::vector<double> weights_;         // per link: of the other's move in a vertex's own
    std::vector<Vec3> move_, release_, pushed_, forces_, reply_, room_; // per ball
    std::vector<Vec3> at_, way_; // per ball: where it is, and how it came there; see look
    std::vector<double> give_;   // m/N; 0: firm
    std::vector<std::uint16_t> count_;
    std::vector<char> touches_;
};

} // namespace twang::core
