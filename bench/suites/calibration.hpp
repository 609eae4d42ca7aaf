// Is this machine quiet enough to judge by? Measured before and after everything else.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct Calibration {
    double cache_gbs = 0.0, cache_spread = 0.0;   // reading 4 MB again and again
    double memory_gbs = 0.0, memory_spread = 0.0; // reading 64 MB
    double scaling = 0.0;                         // two cores against one, on plain arithmetic
    std::string complaint() const;                // empty: quiet
    std::string text() const;
};

Calibration calibrate();

} // namespace bench
