// A run with a window: opens it and shows frames until it is closed.
#ifndef TWANG_DEMO_RUN_WINDOW_HPP
#define TWANG_DEMO_RUN_WINDOW_HPP

#include <twang/io.hpp>

#include "options.hpp"

namespace twang::demo {

// The scene with the options already laid over it. Returns the program's exit code.
int run_window(const Options& options, const io::Scene& scene);

} // namespace twang::demo

#endif // TWANG_DEMO_RUN_WINDOW_HPP
