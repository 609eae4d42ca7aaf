// Bodies that touch bodies, or themselves, in a substep: who is in play, which of them are solved
// together, and what they take over. Bodies whose solver does not minimise are put apart at the end
// of the substep, and so is what came closer than contact forces should have let it.
#pragma once

#include <span>
#include <vector>

#include "solver/body_contact.hpp"
#include "world/step.hpp"

namespace twang::core {

// Where the balls of a body are; of one that has none, nowhere.
struct Bounds {
    Vec3 low, high;
    double radius; // m, of the balls; 0: there are none
};
Bounds bounds_of(const Body& body);
// Whether a body that sleeps may touch what is there.
bool may_touch(const Body& sleeper, const Bounds& there);

class TouchingBodies {
public:
    // Memory for balls and contacts of all bodies that have them.
    void reserve(std::span<Body* const> bodies);

    // A substep: bodies with balls in the order of their slots; `step` is null for those asleep.
    void clear();
    void add(std::uint32_t slot, Body& body, BodyStep* step);
    bool empty() const { return none_awake_; }
    // After begin() of all that are awake, and solve() of those that do not minimise.
    void find(Jobs& jobs);
    std::size_t group_count() const { return contacts_.group_count(); }
    // The step of a group of one; null where there are several.
    BodyStep* alone(std::size_t group) const {
        const auto members = contacts_.members(group);
        return members.size() == 1 ? in_play_[members[0]].step : nullptr;
    }
    // The awake bodies' steps.
    template <class F>
    void for_each_step(F&& f) const {
        for (const Member& m : members_)
            if (m.step) f(*m.step);
    }
    // Solves a group and finishes its steps. Groups of one may be solved at the same time.
    void solve(std::size_t group, Jobs& jobs);
    // After all steps: puts apart what is too close even so.
    void separate(const Frame& frame);
    // What sleeps holds like a wall, until something that moves touches it.
    void wake_touched();

    BodyContacts& contacts() { return contacts_; }
    const BodyContacts& contacts() const { return contacts_; }

private:
    struct Member {
        std::uint32_t slot;
        Body* body;
        BodyStep* step;
    };

    Status minimise(std::span<const std::uint32_t> members, PairList& list, Jobs& jobs);
    Status solve_group(std::size_t group, PairList& list, Jobs& jobs);
    void limit_separation_velocity(std::span<const std::uint32_t> members, const PairList& list);
    template <class Of>
    void gather(std::span<const std::uint32_t> members, Of&& of, VertexArray<Vec3>& all) const;
    double give(const Ball& ball) const;
    bool put_apart(const NearPair& pair, std::span<const Ball> balls);
    void take_over(const Frame& frame, std::uint32_t k);
    void part_velocities(const NearPair& pair, std::span<const Ball> balls);

    bool none_awake_ = true;
    std::vector<Member> members_; // that may be in play
    std::vector<Member> in_play_; // as in contacts_
    std::vector<Bounds> bounds_;  // of those that are awake, and of their ways
    BodyContacts contacts_;
    PairList between_; // the contacts of several bodies
    JointArrays arrays_;
    std::vector<Joint::Part> parts_;
    std::vector<const Vec3*> ends_; // per body: where its vertices are at the end of the substep
    std::vector<Vec3> moved_;       // per ball, to separate them
};

} // namespace twang::core
