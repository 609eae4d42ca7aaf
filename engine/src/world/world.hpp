// A world: bodies and colliders by handle, and what they share (workers, factors of Q,
// surroundings, time). step() runs one time step for all bodies, in these stages:
//   adopt the time step -> place colliders -> per substep: apply_changes, solve, separate -> sleep
// advance() turns frame times into whole steps.
// Handles carry the serial number of the world, a slot and its generation, so that a handle of a
// destroyed object is told from that of its successor.
// This folder decides when and in which order things are computed. The formulas of springs,
// systems, contact and solvers are in the folders above; the C API is not known here.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "model/embedding.hpp"
#include "world/crowd.hpp"
#include "world/touching_bodies.hpp"

namespace twang::core {

// Slots that count how often they were used, to tell handles of destroyed objects from new ones.
template <class T>
class Slots {
public:
    struct Slot {
        std::uint32_t generation = 0;
        std::unique_ptr<T> item;
    };
    // Puts the item into a free slot, with a new generation. Returns the index of the slot.
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
    std::uint32_t serial; // part of every handle: rejects another world's handles
    Jobs jobs;
    SystemCache systems;
    FactorService factor_service;
    Slots<Body> bodies;
    Slots<Obstacle> obstacles;
    Crowd crowd;
    std::vector<Body*> bodies_with_spheres; // enabled ones, in the current step
    std::vector<Obstacle> placed_obstacles; // the obstacles as they move in the current substep
    TouchingBodies touching;                // bodies with vertex spheres, in the current substep
    Surroundings surroundings;
    double damping;                  // 1/s
    EmbeddingScratch carry_scratch;  // for twang_embedding_write
    double next_time_step;           // s: the one that was set; def.time_step is the one in use
    double requested_time_step;      // s: the one that the bodies have requested factors for
    std::uint64_t time_step_due = 0; // number of the step that adopts requested_time_step
    std::uint64_t steps = 0;         // taken so far
    int steps_ahead = 1;             // steps until all targets are reached, this one included
    double left_over = 0.0;          // s: time that advance() has not used yet
    twang_iteration_callback on_iteration = nullptr;
    void* user = nullptr;                  // argument of on_iteration
    mutable std::atomic<bool> busy{false}; // a call is inside the world

    Frame frame(int substep = 0);
    // Share of the next time step that advance() has saved up, 0 ... 1.
    double fraction() const;
    double upcoming_time_step() const; // s, of the next step
};

std::uint64_t state_hash(const World& world); // hash of all bodies and of the contacts between them
void wake_all(World& world);
// Wakes the sleeping bodies that may have touched the vertex spheres within `was`, which moved away
// or were destroyed.
void wake_around(World& world, const Bounds& was);

Status check_world(const twang_world_def& def);
Status check_time_step(double seconds);
Status check_damping(double damping);

Status find(const World& world, twang_body handle, Body*& body);
Status find(const World& world, twang_collider handle, Obstacle*& obstacle);

Status add_body(World& world, std::shared_ptr<const Model> model, const twang_body_def& def,
                twang_body& handle);

// Takes one time step for all bodies; returns the first failure among them. Pins, grabs and
// colliders move evenly to their targets in `steps_ahead` steps, of which this is the first.
Status step(World& world, int steps_ahead = 1);
// Takes the steps that fit in `seconds` and the time left over; `steps` counts them, `dropped` (s)
// is the time beyond max_catch_up.
Status advance(World& world, double seconds, std::int32_t& steps, double& dropped);

twang_report report(const World& world);

} // namespace twang::core
