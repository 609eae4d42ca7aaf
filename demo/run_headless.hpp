// A run without a window: simulate, write trajectory and report, print the summary.
#ifndef TWANG_DEMO_RUN_HEADLESS_HPP
#define TWANG_DEMO_RUN_HEADLESS_HPP

#include <twang/io.hpp>

#include "options.hpp"

namespace twang::demo {

// The scene with the options already laid over it. Returns the program's exit code.
int run_headless(const Options& options, const io::Scene& scene);

} // namespace twang::demo

#endif // TWANG_DEMO_RUN_HEADLESS_HPP
