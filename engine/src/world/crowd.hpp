// The steps of all bodies of a world, shared out among the workers. Large bodies are solved one
// after the other, each by all workers. Small ones are solved in parallel, one worker each; those
// that share a factor are solved in batches of up to 8 (see solver/batch.hpp). How bodies are
// shared out changes no bit of a result.
#pragma once

#include <array>
#include <atomic>
#include <vector>

#include "solver/batch.hpp"
#include "world/touching_bodies.hpp"

namespace twang::core {

class Crowd {
public:
    void clear() { steps_.clear(); }
    // The frame and the body must outlive the step.
    void add(const Frame& frame, twang_body handle, Body& body);
    // In the order they were added; the addresses are valid until the next clear().
    std::span<BodyStep> steps() { return steps_; }
    // Takes the steps of all bodies. Returns the first body that failed, or null.
    const Body* step(const Frame& frame, TouchingBodies& touching);

private:
    struct Unit {
        std::size_t begin, end; // range of small_; a batch, or a few bodies
    };
    // Index of a unit, or of a group of bodies that touch.
    struct Task {
        std::size_t cost; // estimate: vertices x iterations
        bool is_unit;
        std::size_t index;
    };
    void apply_all_changes();
    void make_units(int workers, int max_workers);
    void begin_touching(TouchingBodies& touching, Jobs& jobs, bool shared);
    void list_tasks(const TouchingBodies& touching);
    unsigned solve_batch(const Unit& unit);
    void run(const Unit& unit);
    std::size_t acquire_batch();

    std::vector<BodyStep> steps_;
    std::vector<BodyStep*> large_, small_, small_touching_;
    std::vector<Unit> units_;
    std::vector<Task> tasks_;
    std::vector<Batch> batches_; // scratch; one for each batch that runs at a time
    std::array<std::atomic<bool>, TWANG_MAX_WORKERS> batch_in_use_{}; // per batch: in use
    Jobs one_worker_{1};
};

} // namespace twang::core
