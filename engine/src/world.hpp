// Bodies and obstacles by handle, and what they share: workers, systems, surroundings, time.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "crowd.hpp"
#include "embedding.hpp"
#include "parting.hpp"

namespace twang::core {

// Slots that remember how often they were used, so that an old handle is told from a new one.
template <class T>
class Slots {
public:
    struct Slot {
        std::uint32_t generation = 0;
        std::unique_ptr<T> item;
    };
    // Index of a free slot, with a new generation.
    std::uint32_t add(std::unique_ptr<T> item) {
        std::uint32_t index = 0;
        while (index < slots_.size() && slots_[index].item) ++index;
        if (index == slots_.size()) slots_.emplace_back();
        ++slots_[index].generation;
        slots_[index].item = std::move(item);
        return index;
    }
    std::vector<Slot>& all() { return slots_; }
    const std::vector<Slot>& all() const { return slots_; }

private:
    std::vector<Slot> slots_;
};

// Where the balls of a body are; of one that has none, nowhere.
struct Bounds {
    Vec3 low, high;
    double radius; // m, of the balls; 0: there are none
};

// What keeping balls apart works on in a substep.
struct Apart {
    Particles particles;
    Parting parting;
    std::vector<Body*> bodies;      // that have balls in play
    std::vector<Yielding> yielding; // the same
    std::vector<Bounds> bounds;     // of those that are awake, and of their ways
};

struct World {
    explicit World(const twang_world_def& def);

    twang_world_def def;
    std::uint32_t serial; // tells handles of different worlds apart
    Jobs jobs;
    SystemCache systems;
    Refactory refactory;
    Slots<Body> bodies;
    Slots<Obstacle> obstacles;
    Crowd crowd;
    std::vector<Obstacle> in_play; // the obstacles side by side, for the step
    Apart apart;                   // the vertices that keep off each other, likewise
    Surroundings surroundings;
    double damping; // 1/s
    CarryScratch carrying;
    double next_time_step;
    double ordered_time_step;        // for which the bodies have ordered their systems
    std::uint64_t time_step_due = 0; // the step in which it is taken
    std::uint64_t steps = 0;
    int steps_ahead = 1; // until pins, grabs and obstacles reach their targets, this one included
    double left_over = 0.0; // s that advance has not used yet
    twang_iteration_callback on_iteration = nullptr;
    void* user = nullptr;
    mutable std::atomic<bool> busy{false};

    Frame frame(int substep = 0);
    // How much of the next time step advance has saved up, 0 ... 1.
    double fraction() const;
    double upcoming_time_step() const; // of the next step
};

void wake_all(World& world);
Bounds bounds_of(const Body& body);
// Wakes those whose balls touch what was there: it is gone, or went elsewhere.
void wake_around(World& world, const Bounds& was);

// Balls of all bodies: memory for them, and what keeps them apart at the end of a substep.
void make_room_for_balls(World& world);
void keep_apart(World& world, const Frame& frame);

Status check_world(const twang_world_def& def);
Status check_time_step(double seconds);
Status check_damping(double damping);

Status find(const World& world, twang_body handle, Body*& body);
Status find(const World& world, twang_collider handle, Obstacle*& obstacle);

Status add_body(World& world, std::shared_ptr<const Model> model, const twang_body_def& def,
                twang_body& handle);

// One time step for all; the first failure among them. What has a target goes there evenly in so
// many steps, of which this is the first.
Status step(World& world, int steps_ahead = 1);
Status advance(World& world, double seconds, std::int32_t& steps, double& dropped);

twang_report report(const World& world);

} // namespace twang::core
