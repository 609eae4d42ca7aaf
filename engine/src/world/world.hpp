// Bodies and obstacles by handle, and what they share: workers, systems, surroundings, time.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "model/embedding.hpp"
#include "world/crowd.hpp"
#include "world/touching_bodies.hpp"

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
    std::vector<Body*> with_balls; // enabled ones, for the step
    std::vector<Obstacle> in_play; // the obstacles side by side, for the step
    TouchingBodies touching;       // and the bodies whose vertices keep off each other
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

std::uint64_t state_hash(const World& world); // of all bodies, and of contacts between them
void wake_all(World& world);
// Wakes those whose balls touch what was there: it is gone, or went elsewhere.
void wake_around(World& world, const Bounds& was);

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
