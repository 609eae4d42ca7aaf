// truth: how far falling cloth is from its exact motion, and what that costs, by every way to play
// it.
#pragma once

#include <string>
#include <vector>

#include "suites/motion.hpp"
#include "suites/suite.hpp"

namespace bench {

struct TruthMethod {
    std::string name;
    std::vector<int> iterations; // each an entry of its own
    twang::SolverDef solver{};
    int substeps = 1;
    int most_side = 1000; // with larger cloths it takes too long
    bool is_slow = false; // timed once, after the others
    bool by_bullet = false;

    Setting setting(int iterations) const;
};

const std::vector<TruthMethod>& truth_methods();
std::vector<int> truth_sides(bool quick);
// "truth/32/default/2"
std::string truth_name(int side, const std::string& method, int iterations);
// Time of the default / time of implicit Euler; NaN where one was not measured.
double default_to_euler(const Results& results, int side, int iterations);

} // namespace bench
