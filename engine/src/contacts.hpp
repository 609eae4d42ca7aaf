// Contact inside the iterations of a step. Found at its start, swept along the way of each vertex:
// whoever meets an obstacle, or may, gets a plane to stay in front of and an anchor, where it would
// be if it stuck. (At its end those are found that were pulled into something nevertheless.) Every
// iteration then takes out of the gradient what the obstacle bears
// (the push into it, and sideways at most mu times as much: Coulomb), and keeps the correction
// within what it allows, see holding.hpp. So Q stays as it is, nobody feels a force that is not
// there, and what is at rest stays so. Friction counts in the objective as mu times push times
// slip.
//
// Who touches, sticks or slides is decided before each iteration. In local-global by the forces
// that the last correction predicts, borne - kept: long before the iterations have converged the
// gradient is full of springs that are stretched for nothing, and friction in their measure would
// hold a whole cloth. Newton's corrections converge at once, so there the gradient decides: a
// vertex touches if by itself, with all of its springs, it would go to the plane; what slides
// comes to rest only when it is led back past its anchor.
#pragma once

#include <span>
#include <vector>

#include "colliders.hpp"
#include "holding.hpp"

namespace twang::core {

struct Contact {
    enum class State : char { free, slides, sticks };
    std::uint32_t vertex;
    State state;
    Vec3 normal;     // of the plane
    double offset;   // normal . x >= offset
    Vec3 anchor;     // on the plane
    double carried;  // m: how far the obstacle comes along the normal
    double grip;     // mu up to which it sticks
    double friction; // mu when it slides
    double inertia;  // N/m: mass / h^2
    double limit;    // N: what friction can do
    double drop;     // m: how far below the plane it would go by itself, or go on
    Vec3 borne;      // N: what the obstacle bears of the gradient
    Vec3 kept;       // N: the force that kept the last correction to what it allows
    Vec3 way;        // where it slides to
    double turning;  // N/m: how stiffly friction resists another way, for Newton

    double gap(Vec3 at) const { return dot(normal, at) - offset; }
    Vec3 slip(Vec3 at) const {
        const Vec3 off = at - anchor;
        return off - dot(off, normal) * normal;
    }
    // To the anchor where it sticks, else to the plane.
    Vec3 way_back(Vec3 at) const {
        return state == State::sticks ? anchor - at : -gap(at) * normal;
    }
    // The part of a move that is neither up nor along its way.
    Vec3 aside(Vec3 move) const { return move - dot(move, normal) * normal - dot(move, way) * way; }
    // The part of a move that it does not allow.
    Vec3 barred(Vec3 move) const {
        return state == State::free     ? Vec3{}
               : state == State::sticks ? move
                                        : dot(move, normal) * normal;
    }
};

// What contact looks at during a step.
struct Touch {
    Elastic body;
    std::span<const Obstacle> obstacles;
    Arrival arrival; // at the start of the step
    const Vec3* y;   // the inertial target
    const char* held;
    double size; // m, of the body
    const VertexGroups& groups;
};

class Contacts {
public:
    // Room for a body of n vertices, so many links and its system; allocates the first time only.
    void fit(std::size_t n, std::size_t links, bool is_float);
    // Finds the contacts of vertices that are on their way from x_n to x, and puts x in front of
    // them. `touch` must last until the step ends.
    void find(const Touch& touch, VertexArray<Vec3>& x);
    // In addition those of vertices that have crossed something on their way to x, if any is in it
    // deeper than by its thickness, or through: springs may have pulled them into what they did not
    // seem to reach. True when there are any.
    bool find_missed(const VertexArray<Vec3>& x);
    // Of vertices that start at x anew.
    void put_in_front(VertexArray<Vec3>& x);
    void clear() { list_.clear(); }
    bool empty() const { return list_.empty(); }
    std::size_t touching() const; // vertices, after the last iteration
    template <class F>
    void for_each_touching(F&& f) const { // f(vertex)
        for (const Contact& contact : list_)
            if (contact.state != Contact::State::free) f(contact.vertex);
    }

    // Before the first iteration: those touch that are where their inertia and the forces on them
    // would press them to the plane.
    void guess(const VertexArray<Vec3>& x);
    // Before the others: by the gradient at x and the forces of the last `hold`, friction with the
    // lesser push of the two. Returns how many began or ceased to touch or stick.
    template <class V>
    std::size_t judge(const VertexArray<Vec3>& x, const VertexArray<V>& gradient);
    // By the gradient at x alone, and by what slid before.
    template <class V>
    void decide(const VertexArray<Vec3>& x, const VertexArray<V>& gradient);

    // Takes the reactions out of the gradient at x.
    template <class V>
    void bear(const VertexArray<Vec3>& x, VertexArray<V>& gradient);
    // Makes a correction of x, Q^-1 v, keep to what the contacts allow.
    template <class V>
    void hold(const VertexArray<Vec3>& x, VertexArray<V>& correction);
    // Only cuts off what they do not allow.
    template <class V>
    void cut(VertexArray<V>& correction) const;
    // Adds to a move from x the way back to the planes and anchors.
    template <class V>
    void snap(const VertexArray<Vec3>& x, VertexArray<V>& move) const;
    // Puts a trial position in front of all planes.
    void clamp(VertexArray<Vec3>& trial) const;
    // J: what friction takes on the way from x to trial.
    double work(const VertexArray<Vec3>& x, const VertexArray<Vec3>& trial) const;
    // How steeply what the obstacles bear falls on the way back to planes and anchors.
    template <class V>
    double slope(const VertexArray<Vec3>& x, const VertexArray<V>& move) const;
    // Adds to a Hessian times p what friction adds to the Hessian; without what the contacts bar.
    template <class V>
    void rub(const VertexArray<V>& p, VertexArray<V>& product) const;
    // Adds that to a Hessian, coordinates side by side, and a penalty that leads what the contacts
    // bar back to planes and anchors, likewise to the right-hand side.
    void stiffen(const Pattern& pattern, const VertexArray<Vec3>& x, double* values,
                 VertexArray<Vec3>& rhs) const;
    // What the coarse correction should know of.
    std::span<const CoarseBar> bars();
    // Nobody leaves faster than the obstacle comes: what only came from leaving its inside, or from
    // sliding over the plane where the obstacle is round, is taken out of the velocities.
    void calm(double h, VertexArray<Vec3>& velocity) const;

private:
    // How far vertices have gone into an obstacle that are to have a contact with it.
    enum class Crossed { maybe, at_all, deeply };
    void search(const VertexArray<Vec3>& x, Crossed crossed);
    void collect(); // what was found, as a list
    void search_among(std::span<const std::uint32_t> vertices, const VertexArray<Vec3>& x,
                      Crossed crossed);

    const Touch* touch_ = nullptr;
    std::vector<Contact> found_; // per vertex
    std::vector<char> has_;
    std::vector<Contact> list_;
    std::vector<CoarseBar> bars_;
    std::vector<Barred> barred_; // of the list, those that touch
    Holding holding_;
};

} // namespace twang::core
