// One substep of one body, in the stages of the frame:
//   apply_changes -> external_forces -> predict -> find_contacts -> solver -> collide -> commit
// apply_changes() runs on the thread that called into the world. begin(), solve() and finish() run
// on any worker, so that the bodies of a crowd are solved in parallel or in batches, and bodies
// that touch are solved together. Only the order of the stages is written here; the formulas are in
// solver/ and contact/.
#pragma once

#include <new>
#include <optional>

#include "solver/joint.hpp"
#include "world/apply_changes.hpp"
#include "world/frame.hpp"

namespace twang::core {

// Positions of the vertices at the start of the substep that has just ended.
const Vec3* start_of(const Frame& frame, const Body& body);

class BodyStep {
public:
    BodyStep(const Frame& frame, twang_body handle, Body& body)
        : frame_(frame), handle_(handle), body_(body), last_(body.report) {}

    void apply_changes();
    void begin(Jobs& jobs); // external forces, prediction, contacts; repeated calls do nothing
    void solve();           // runs the solver; repeated calls do nothing
    void solve_missed(); // solves again if vertices crossed a collider that was not predicted to be
                         // in reach
    void finish();       // collision response, tearing, new state
    // After a failure the body keeps the state from before the substep and is disabled; its report
    // holds the reason.
    Status status() const { return status_; }
    // Runs f() as part of the step: a status other than OK or an exception fails the step.
    template <class F>
    void guard(F&& f);

    Body& body() { return body_; }
    bool touches = false; // the body is solved together with the bodies it touches, or with itself
    std::uint32_t slot() const { return handle_.index; }
    // Whether the solver minimises the objective, contact included. The other solvers are one-step
    // methods, corrected for contact at the end of the step only.
    bool minimises() const;
    // Valid from begin() to finish(); null where the step has failed.
    SolveContext* context() { return status_ == TWANG_OK && context_ ? &*context_ : nullptr; }

    // The parts of solve_missed(). find_missed() adds contacts for vertices that crossed a collider
    // without one; returns whether there are any. restart() then goes back to the start of the
    // solve.
    bool find_missed();
    void restart();
    // Moves vertices that crossed a collider even in the repeated solve to the side they came from.
    void clamp_missed();

private:
    void run();
    void end();

    const Frame& frame_;
    twang_body handle_;
    Body& body_;
    twang_report last_;
    Jobs* jobs_ = nullptr;
    std::optional<StageClock> clock_;
    std::optional<Contacts::Input> contacts_input_;
    std::optional<Objective> objective_;
    std::optional<SolveContext> context_;
    bool solved_ = false;
    Status status_ = TWANG_OK;
};

template <class F>
void BodyStep::guard(F&& f) {
    if (status_ != TWANG_OK) return;
    try {
        status_ = f();
    } catch (const std::bad_alloc&) {
        status_ = fail(TWANG_OUT_OF_MEMORY, "not enough memory for a step");
    } catch (const std::exception& e) { // thrown by the caller's callback
        status_ = fail(TWANG_INTERNAL, "%s", e.what());
    } catch (...) {
        status_ = fail(TWANG_INTERNAL, "unknown exception");
    }
    if (status_ != TWANG_OK) end();
}

} // namespace twang::core
