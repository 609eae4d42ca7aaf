// The one script of a frame, for one body, in four parts: admitted by the world's own thread, then
// begun, solved and finished by any, so that bodies of a crowd can be solved together.
#pragma once

#include <optional>

#include "admit.hpp"
#include "frame.hpp"
#include "joint.hpp"

namespace twang::core {

// Of a body whose substep has just ended: where its vertices were at its start.
const Vec3* start_of(const Frame& frame, const Body& body);

class BodyStep {
public:
    BodyStep(const Frame& frame, twang_body handle, Body& body)
        : frame_(frame), handle_(handle), body_(body), last_(body.report) {}

    void admit();
    void begin(Jobs& jobs); // push, predict, contacts
    void solve();           // project, solve, accelerate
    void finish();          // collide, commit
    // After a failure the body keeps the state it had, with the reason in its report, and is
    // disabled.
    Status status() const { return status_; }

    Body& body() { return body_; }
    // From begin to finish; null where the step has failed.
    SolveContext* context() { return status_ == TWANG_OK && context_ ? &*context_ : nullptr; }

private:
    template <class F>
    void guard(F&& f);
    void solve_missed();
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
    Status status_ = TWANG_OK;
};

} // namespace twang::core
