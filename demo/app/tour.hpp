// The tour: four scenes one after the other in one film, a picture of each scene, and a table of
// the median milliseconds to simulate and to draw a frame. `./demo/run` without arguments makes the
// tour where there is no display.
#ifndef TWANG_DEMO_TOUR_HPP
#define TWANG_DEMO_TOUR_HPP

#include "app/options.hpp"

namespace twang::demo {

// Writes the files into the folder options.tour. Returns the program's exit code.
int run_tour(const Options& options);

} // namespace twang::demo

#endif // TWANG_DEMO_TOUR_HPP
