// A run without a window: simulates the scene's frames, writes the trajectory, the report and the
// .obj files, and prints the summary.
#ifndef TWANG_DEMO_RUN_HEADLESS_HPP
#define TWANG_DEMO_RUN_HEADLESS_HPP

#include <twang/io.hpp>

#include "app/options.hpp"

namespace twang::demo {

// Runs the scene, to which the options are already applied. Returns the program's exit code.
int run_headless(const Options& options, const io::Scene& scene);

} // namespace twang::demo

#endif // TWANG_DEMO_RUN_HEADLESS_HPP
