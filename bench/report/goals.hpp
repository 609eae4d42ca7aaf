// The goals of the engine and whether the results reach them. A goal without measurements is left
// out.
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
    std::string where; // the scene
    std::string figure;
    bool reached;
    bool timed; // a time, not judged on a noisy machine
};

std::vector<Goal> judge(const Results& results, const std::vector<Workload>& workloads);

// Returns e of the least-squares fit y = c x^e in logarithms; NaN for fewer than two points.
using Points = std::vector<std::pair<double, double>>;
double exponent(const Points& points);
// Returns (n, ms) of the cloths with at most `max_vertices` vertices, from entries named before +
// "cloth<side>" + after: "solve/" and "/twang/1", say.
Points cloth_points(const Results& results, const std::string& before, const std::string& after,
                    double max_vertices = 1e9);

} // namespace bench
