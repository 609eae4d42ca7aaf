// The one script of a frame, for one body, in parts: admitted by the world's own thread, then
// begun, solved and finished by any, so that bodies of a crowd can be solved side by side, and
// bodies that touch together.
#pragma once

#include <new>
#include <optional>

#include "solver/joint.hpp"
#include "world/apply_changes.hpp"
#include "world/frame.hpp"

namespace twang::core {

// Of a body whose substep has just ended: where its vertices were at its start.
const Vec3* start_of(const Frame& frame, const Body& body);

class BodyStep {
public:
    BodyStep(const Frame& frame, twang_body handle, Body& body)
        : frame_(frame), handle_(handle), body_(body), last_(body.report) {}

    void admit();
    void begin(Jobs& jobs); // push, predict, contacts; once
    void solve();           // project, solve, accelerate; once
    void solve_missed();    // again, if vertices have crossed what they did not seem to reach
    void finish();          // collide, commit
    // After a failure the body keeps the state it had, with the reason in its report, and is
    // disabled.
    Status status() const { return status_; }
    // Runs f() as a part of the step: what it throws or returns is the step's status.
    template <class F>
    void guard(F&& f);

    Body& body() { return body_; }
    bool touches = false; // it is solved together with what it touches
    std::uint32_t slot() const { return handle_.index; }
    // Its solver iterates on the objective; the others are one-step methods, and meet what they
    // touch at the end of the step only.
    bool minimises() const;
    // From begin to finish; null where the step has failed.
    SolveContext* context() { return status_ == TWANG_OK && context_ ? &*context_ : nullptr; }

    // solve_missed in parts: gives vertices that have crossed a collider contacts too; true where
    // there are any. Then the step can be solved again from its start,
    bool find_missed();
    void restart();
    // and those that cross something even then are put in front of it.
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
