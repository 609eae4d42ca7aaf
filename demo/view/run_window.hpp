// A run with a window: opens the window and shows frames until the user closes it.
#ifndef TWANG_DEMO_RUN_WINDOW_HPP
#define TWANG_DEMO_RUN_WINDOW_HPP

#include <twang/io.hpp>

#include "app/options.hpp"

namespace twang::demo {

// Shows the scene, to which the options are already applied. Returns the program's exit code.
int run_window(const Options& options, const io::Scene& scene);

} // namespace twang::demo

#endif // TWANG_DEMO_RUN_WINDOW_HPP
