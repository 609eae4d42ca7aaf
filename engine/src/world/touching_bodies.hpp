// Bodies that touch other bodies or themselves in a substep: which bodies are near, which are
// solved together (see solver/body_contact.hpp for the contact forces), and what each body takes
// from the joint solve.
// At the end of the substep vertex spheres that are still too close are moved apart: those of
// bodies whose solver does not minimise, and those that came closer than contact forces should have
// allowed.
#pragma once

#include <span>
#include <vector>

#include "solver/body_contact.hpp"
#include "world/step.hpp"

namespace twang::core {

// Bounding box of the centres of the vertex spheres of a body; empty without spheres.
struct Bounds {
    Vec3 low, high;
    double radius; // m, of the vertex spheres; 0: none
};
Bounds bounds_of(const Body& body);
// Whether a sleeping body may touch spheres within the bounds.
bool may_touch(const Body& sleeper, const Bounds& there);

class TouchingBodies {
public:
    // Allocates for the spheres and contacts of these bodies.
    void reserve(std::span<Body* const> bodies);

    // Registers the bodies of a substep, in the order of their slots; `step` is null for sleeping
    // bodies.
    void clear();
    void add(std::uint32_t slot, Body& body, BodyStep* step);
    bool empty() const { return all_asleep_; }
    // Finds contacts and groups. To be called after begin() of all awake bodies, and after solve()
    // of those that do not minimise.
    void find(Jobs& jobs);
    std::size_t group_count() const { return contacts_.group_count(); }
    // The step of a group with one body; null for larger groups.
    BodyStep* single_step(std::size_t group) const {
        const auto members = contacts_.members(group);
        return members.size() == 1 ? in_play_[members[0]].step : nullptr;
    }
    // Calls f(step) for the awake bodies.
    template <class F>
    void for_each_step(F&& f) const {
        for (const Member& m : members_)
            if (m.step) f(*m.step);
    }
    // Solves a group and finishes its steps. Groups of one body may be solved in parallel.
    void solve(std::size_t group, Jobs& jobs);
    // After all steps: moves vertex spheres apart that are still too close.
    void separate(const Frame& frame);
    // Wakes sleeping bodies that touch a moving one. Until then a sleeping body acts as a fixed
    // obstacle.
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
    double inverse_mass(const VertexSphere& sphere) const;
    bool separate_pair(const NearPair& pair, std::span<const VertexSphere> spheres);
    void apply_offsets(const Frame& frame, std::uint32_t k);
    void limit_pair_velocity(const NearPair& pair, std::span<const VertexSphere> spheres);

    bool all_asleep_ = true;
    std::vector<Member> members_; // registered in this substep
    std::vector<Member> in_play_; // those that may touch; in the order of contacts_
    std::vector<Bounds> bounds_;  // of the awake bodies, start and end of the substep
    BodyContacts contacts_;
    PairList group_contacts_; // contacts of a group of several bodies
    JointArrays arrays_;      // of a group of several bodies
    std::vector<Joint::Part> parts_;
    std::vector<const Vec3*> end_positions_; // per body: vertex positions at the end of the substep
    std::vector<Vec3> offsets_;              // m, per sphere: offsets found by separate()
};

} // namespace twang::core
