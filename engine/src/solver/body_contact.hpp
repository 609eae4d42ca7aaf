// Contact between bodies, and of a body with itself. Vertices are balls (see particles.hpp); two
// that meet get a contact (see contact.hpp) whose point is the difference of their positions and
// whose plane keeps them apart by the sum of their radii. Bodies that touch are minimised together
// (see joint.hpp). lambda and tau are kept per pair of vertices from step to step. A body that does
// not move in this step is a wall; one whose solver does not minimise is left to
// separate_pairs.hpp.
#pragma once

#include <span>
#include <vector>

#include "contact/vertex_spheres.hpp"
#include "geometry/rigid_motion.hpp"
#include "solver/joint.hpp"

namespace twang::core {

// Two vertices, by the slots of their bodies in the world; the first is the lesser.
struct VertexPair {
    std::uint32_t body_a, a, body_b, b;
    auto operator<=>(const VertexPair&) const = default;
};
// What the next step needs to know of a contact between two vertices.
struct PairForce {
    VertexPair pair;
    double normal; // N: lambda
    Vec3 friction; // N: tau
    Vec3 pull;     // m/s^2: what all but contacts of pairs did to the point, inertia apart
    bool slides;
    bool both_moved; // else one of them was held, or asleep
    bool emerges;    // they were put into each other, and have not come apart yet
};

// The contacts of bodies that are minimised together, or of one with itself. A vertex may have
// several: their forces at the start of a step are found together, see start().
class PairList : public ContactList {
public:
    void reserve(std::size_t contacts);
    void clear();
    // `last`: with the pair, and lambda 0 if it is new.
    void add(const Contact& contact, const PairForce& last);
    // lambda and tau with which all points would stick, or part, moved by inertia and by what
    // pulled at them in the last step: by projected Gauss-Seidel (Moreau 1988, Jean 1999; the
    // sequential impulses of games), warm-started. `square`: (gamma h)^2. `moves` is room for a
    // vector per vertex.
    void start(double square, Vec3* moves);
    void settle(const Vec3* x, double size, double square, Vec3* moves);
    template <class F>
    void for_each_touching_pair(F&& f) const { // f(force); after settle
        for (std::size_t k = 0; k < list_.size(); ++k)
            if (list_[k].lambda > 0.0) f(forces_[k]);
    }

private:
    static void move(const Contact& c, Vec3 force, Vec3* moves);
    void clear_moves(Vec3* moves) const;

    std::vector<PairForce> forces_; // of each contact: of the last step, and of this after settle
};

// Of the sum of two radii: as near as two vertices come, where they did not start nearer.
inline constexpr double kept_reach = 0.9;

class BodyContacts {
public:
    struct InPlay {
        Balls balls;
        std::uint32_t slot;    // in the world
        SolveContext* context; // null: it is not minimised in this step
        bool moves;
        const char* held;
        std::uint32_t group = none; // of those minimised together; none: it touches nothing
        std::size_t first = 0;      // place in the joint arrays
    };
    // Bodies that are minimised together, one after the other in members().
    struct Group {
        std::size_t begin, end;
    };
    static constexpr std::uint32_t none = 0xFFFFFFFFu;

    // For so many balls there will be no allocation.
    void reserve(std::size_t balls, std::size_t bodies);

    // A substep: bodies in play in the order of their slots,
    void clear();
    void add(const InPlay& body);
    bool empty() const { return bodies_.empty(); }
    // then the pairs that meet on their ways from x_n to x, and who has to be minimised with whom.
    void find(Jobs& jobs);
    std::size_t group_count() const { return groups_.size(); }
    std::span<const std::uint32_t> members(std::size_t group) const; // indices of bodies
    std::span<const InPlay> bodies() const { return bodies_; }
    // Whether contacts between two bodies are part of what is minimised.
    bool is_solved(std::uint32_t a, std::uint32_t b) const { return minimiser(a, b) != none; }
    // Per vertex of a body: whether it may be touched; after mark_touched(), whether it is.
    const char* touched(std::uint32_t body) const {
        return touched_.data() + particles_.first_ball(body);
    }
    Particles& particles() { return particles_; }

    // The contacts of a group, in a list that has room for them.
    void collect(std::size_t group, PairList& list) const;
    // After settle(): who is touched in a group, and what the next step needs to know.
    void mark_touched(std::size_t group, const PairList& list);
    void store(const PairList& list);
    // After the groups: forgets what no longer touches.
    void finish() { forces_.swap(next_forces_); }

    // lambda and tau of pairs that touched in the last substep.
    std::vector<PairForce>& forces() { return forces_; }
    const std::vector<PairForce>& forces() const { return forces_; }
    // A body is gone, or was put elsewhere.
    void forget(std::uint32_t slot);
    // It was turned: so are the forces inside it, the others are forgotten.
    void turn(std::uint32_t slot, const Turn& turn);

private:
    void index_forces();
    PairForce last_force(std::uint32_t ball_a, const VertexPair& pair) const;
    void make_groups();
    void sort_pairs();
    std::uint32_t root(std::uint32_t body);
    // Of two bodies the first that minimises their contacts; none where there is none, or the other
    // moves in another way.
    std::uint32_t minimiser(std::uint32_t a, std::uint32_t b) const;
    std::uint32_t minimiser(const NearPair& pair) const {
        return minimiser(particles_.balls()[pair.a].body, particles_.balls()[pair.b].body);
    }
    Contact make_contact(NearPair pair, PairForce& last) const;

    std::vector<InPlay> bodies_;
    std::vector<std::uint32_t> roots_;   // per body: one it is minimised with
    std::vector<std::uint32_t> members_; // group by group
    std::vector<Group> groups_;
    Particles particles_;
    std::span<const NearPair> pairs_;
    std::vector<std::uint32_t> pair_start_, pair_order_; // of pairs_, by group
    std::vector<std::uint16_t> count_;                   // contacts per ball
    std::vector<char> touched_;                          // per ball
    std::vector<PairForce> forces_, next_forces_;
    std::vector<std::uint32_t> force_start_, force_order_; // of forces_, by the first ball
    std::vector<std::uint32_t> body_in_slot_;              // index in bodies_
};

} // namespace twang::core
