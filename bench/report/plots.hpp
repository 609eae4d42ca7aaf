// The figures of the report, by gnuplot, as SVG.
#pragma once

#include <string>
#include <vector>

#include "suites/suite.hpp"

namespace bench {

struct Plot {
    std::string file; // in the folder of the results
    std::string caption;
};

bool has_gnuplot();
// Those for which there are figures. error_scene: whose curves of error against time are shown.
std::vector<Plot> draw_plots(const Results& results, const std::string& folder,
                             const std::string& error_scene);

} // namespace bench
