// truth: the distance of falling cloth from its exact motion and the time per frame, by every
// method.
#pragma once

#include <string>
#include <vector>

#include "suites/motion.hpp"
#include "suites/suite.hpp"

namespace bench {

struct TruthMethod {
    std::string name;
    std::vector<int> iterations; // each is an entry of its own
    twang::SolverDef solver{};
    int substeps = 1;
    int max_side = 1000;  // larger cloths take too long
    bool is_slow = false; // timed once, in a group of its own
    bool by_bullet = false;

    Setting setting(int iterations) const;
};

const std::vector<TruthMethod>& truth_methods();
std::vector<int> truth_sides(bool quick);
// "truth/32/default/2"
std::string truth_name(int side, const std::string& method, int iterations);
// Time of the default / time of implicit Euler; NaN unless both were measured.
double default_to_euler(const Results& results, int side, int iterations);

} // namespace bench
