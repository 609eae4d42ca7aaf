// The figures of the report, drawn by gnuplot as SVG.
#pragma once

#include <string>
#include <vector>

#include "suites/suite.hpp"

namespace bench {

struct Plot {
    std::string file; // relative to the folder of results
    std::string caption;
};

bool has_gnuplot();
// Draws the plots for which there are results. error_scene: the scene of the error curves.
std::vector<Plot> draw_plots(const Results& results, const std::string& folder,
                             const std::string& error_scene);

} // namespace bench
