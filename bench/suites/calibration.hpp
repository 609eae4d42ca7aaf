// Measures whether the machine is quiet enough to judge times. Run before and after all suites.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct Calibration {
    double cache_gbs = 0.0, cache_spread = 0.0;   // reading 4 MB repeatedly
    double memory_gbs = 0.0, memory_spread = 0.0; // reading 64 MB
    double scaling = 0.0;                         // throughput of two cores / one, arithmetic only
    std::string complaint() const;                // empty: the machine is quiet
    std::string text() const;
};

Calibration calibrate();

} // namespace bench
