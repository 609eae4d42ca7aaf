// The tour: four scenes one after the other in one film, a picture of each, and a table of times.
// What `./demo/run` shows where there is no screen.
#ifndef TWANG_DEMO_TOUR_HPP
#define TWANG_DEMO_TOUR_HPP

#include "options.hpp"

namespace twang::demo {

// Writes into the folder options.tour; returns the program's exit code.
int run_tour(const Options& options);

} // namespace twang::demo

#endif // TWANG_DEMO_TOUR_HPP
