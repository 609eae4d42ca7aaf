// Contact between bodies, and of a body with itself. Vertices are spheres, see
// contact/vertex_spheres.hpp. Two vertices a and b that meet get a contact (contact/contact.hpp)
// with the point p = x_a - x_b and the plane n . p >= r_a + r_b. Bodies that touch are minimised
// together, see joint.hpp. lambda and tau are kept per pair of vertices from step to step. A body
// that does not move in this step is a wall. Bodies whose solver does not minimise the objective
// are left to the caller (world/touching_bodies.hpp).
#pragma once

#include <span>
#include <vector>

#include "contact/vertex_spheres.hpp"
#include "geometry/rigid_motion.hpp"
#include "solver/joint.hpp"

namespace twang::core {

// Two vertices, each by the slot of its body in the world and its index; (body_a, a) is the lesser.
struct VertexPair {
    std::uint32_t body_a, a, body_b, b;
    auto operator<=>(const VertexPair&) const = default;
};
// The state of a contact between two vertices that is kept for the next step.
struct PairForce {
    VertexPair pair;
    double normal; // N: lambda
    Vec3 friction; // N: tau
    Vec3 pull;     // m/s^2: acceleration of the point relative to y, without contacts of pairs
    bool slides;
    bool both_moved;       // false: one of the vertices was pinned, or its body asleep
    bool separates_slowly; // the vertices were placed into each other, and have not separated yet
};

// The contacts of bodies that are minimised together, or of one body with itself. A vertex may have
// several contacts, so start() finds the forces of all contacts together.
class PairList : public ContactList {
public:
    void reserve(std::size_t contacts);
    void clear();
    // `last` names the pair of the contact; lambda is 0 for a new pair.
    void add(const Contact& contact, const PairForce& last);
    // Finds lambda and tau with which all points would stick or separate, if only inertia and
    // `pull` of the last step moved the vertices: by warm-started projected Gauss-Seidel (Moreau
    // 1988, Jean 1999; the sequential impulses of games). square: (gamma h)^2 in s^2. moves:
    // scratch with a vector per vertex.
    void start(double square, Vec3* moves);
    // After a solve that ended at x: takes lambda, tau and pull there, for the next step. size: of
    // the body in m; square and moves as in start().
    void settle(const Vec3* x, double size, double square, Vec3* moves);
    template <class F>
    void for_each_touching_pair(F&& f) const { // f(force); after settle
        for (std::size_t k = 0; k < list_.size(); ++k)
            if (list_[k].lambda > 0.0) f(forces_[k]);
    }

private:
    static void move(const Contact& c, Vec3 force, Vec3* moves);
    void clear_moves(Vec3* moves) const;

    std::vector<PairForce> forces_; // per contact: of the last step; after settle(), of this step
};

// The least distance of two vertices that did not start nearer; a fraction of the sum of the radii.
inline constexpr double min_distance_fraction = 0.9;

// The pairs of vertices that meet in a substep, the groups of bodies that these pairs connect, and
// the forces of pairs from the last substep.
class BodyContacts {
public:
    // A body with vertex spheres, in one substep.
    struct InPlay {
        BodySpheres spheres;
        std::uint32_t slot;         // in the world
        SolveContext* context;      // null: the body is not minimised in this step
        bool moves;                 // false: the body is asleep, and a wall
        const char* held;           // per vertex: whether pinned
        std::uint32_t group = none; // index of the group; none: the body touches nothing
        std::size_t first = 0;      // index of vertex 0 in the joint arrays
    };
    // Bodies that are minimised together: a range of members_.
    struct Group {
        std::size_t begin, end;
    };
    static constexpr std::uint32_t none = 0xFFFFFFFFu;

    // Makes room: up to these numbers of spheres and bodies there is no further allocation.
    void reserve(std::size_t spheres, std::size_t bodies);

    // Starts a substep.
    void clear();
    // Adds a body; bodies are added in the order of their slots.
    void add(const InPlay& body);
    bool empty() const { return bodies_.empty(); }
    // Finds the pairs that meet on their ways from x_n to x, and the groups of bodies.
    void find(Jobs& jobs);
    std::size_t group_count() const { return groups_.size(); }
    std::span<const std::uint32_t> members(std::size_t group) const; // indices in bodies()
    std::span<const InPlay> bodies() const { return bodies_; }
    // Returns whether contacts between two bodies are part of a minimised objective.
    bool is_solved(std::uint32_t a, std::uint32_t b) const { return minimiser(a, b) != none; }
    // Per vertex of a body: whether another vertex may touch this vertex; after mark_touched(),
    // whether another vertex does.
    const char* touched(std::uint32_t body) const {
        return touched_.data() + vertex_spheres_.first_sphere(body);
    }
    VertexSpheres& vertex_spheres() { return vertex_spheres_; }

    // Collects the contacts of a group in a list that has room for these contacts.
    void collect(std::size_t group, PairList& list) const;
    // After settle(): marks the vertices of a group that are touched.
    void mark_touched(std::size_t group, const PairList& list);
    // After settle(): keeps the forces of a group for the next substep.
    void store(const PairList& list);
    // After all groups: drops the forces of pairs that no longer touch.
    void finish() { forces_.swap(next_forces_); }

    // lambda and tau of pairs that touched in the last substep.
    std::vector<PairForce>& forces() { return forces_; }
    const std::vector<PairForce>& forces() const { return forces_; }
    // Drops all forces of a body that was removed or teleported.
    void forget(std::uint32_t slot);
    // Rotates the forces of a body with itself, and drops its forces with other bodies, after the
    // body was turned.
    void turn(std::uint32_t slot, const Rotation& turn);

private:
    void index_forces();
    PairForce last_force(std::uint32_t sphere_a, const VertexPair& pair) const;
    void make_groups();
    void sort_pairs();
    std::uint32_t root(std::uint32_t body);
    // Returns the first of two bodies whose objective has their contacts; `none` where neither body
    // is minimised, or where one is not minimised but moves.
    std::uint32_t minimiser(std::uint32_t a, std::uint32_t b) const;
    std::uint32_t minimiser(const NearPair& pair) const {
        return minimiser(vertex_spheres_.spheres()[pair.a].body,
                         vertex_spheres_.spheres()[pair.b].body);
    }
    Contact make_contact(NearPair pair, PairForce& last) const;

    std::vector<InPlay> bodies_;
    std::vector<std::uint32_t> roots_;   // per body: parent in the union-find forest of groups
    std::vector<std::uint32_t> members_; // indices in bodies_, group by group
    std::vector<Group> groups_;
    VertexSpheres vertex_spheres_;
    std::span<const NearPair> pairs_;
    std::vector<std::uint32_t> pair_start_, pair_order_; // pairs_ by group
    std::vector<std::uint16_t> contact_count_;           // contacts per sphere
    std::vector<char> touched_;                          // per sphere
    std::vector<PairForce> forces_, next_forces_;
    std::vector<std::uint32_t> force_start_, force_order_; // forces_ by the first sphere
    std::vector<std::uint32_t> body_in_slot_;              // index in bodies_, per slot
};

} // namespace twang::core
