// The one script of a frame, for one body.
#pragma once

#include "admit.hpp"
#include "frame.hpp"

namespace twang::core {

// On failure the body keeps the state it had, with the reason in its report, and is disabled.
Status step(const Frame& frame, twang_body handle, Body& body);

} // namespace twang::core
