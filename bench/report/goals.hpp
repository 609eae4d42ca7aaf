// The goals that the engine is measured by, and whether these results reach them. Goals whose
// figures were not measured are left out.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "suites/suite.hpp"
#include "suites/workloads.hpp"

namespace bench {

struct Goal {
    std::string number; // "1" to "10", or a word
    std::string text;
    std::string where; // which scene
    std::string figure;
    bool reached;
    bool timed; // a noisy machine cannot tell
};

std::vector<Goal> judge(const Results& results, const std::vector<Workload>& workloads);

// e of the y = c x^e that fits best; NaN for fewer than two points.
using Points = std::vector<std::pair<double, double>>;
double exponent(const Points& points);
// Time against n over the cloths up to so many vertices: "solve/" and "/twang/1", say.
Points cloth_points(const Results& results, const std::string& before, const std::string& after,
                    double most = 1e9);

} // namespace bench
