// The figures of a finished headless run, as report.hpp writes and summary.hpp prints them.
#ifndef TWANG_DEMO_RECORD_HPP
#define TWANG_DEMO_RECORD_HPP

#include <string>

#include <twang/io.hpp>

#include "app/timings.hpp"

namespace twang::demo {

struct Record {
    ModelInfo model{};
    Precomputation precomputation{};
    Timings timings;     // of the frames whose step succeeded
    Report last{};       // of the last such frame
    Measures measures{}; // of the final state
    std::string status;  // "OK", a failed step's status such as "DIVERGED", or "INTERRUPTED"
    std::size_t broken_springs = 0; // of all bodies, at the end
    std::size_t torn_triangles = 0; // triangles with at least one broken side
    double max_penetration = 0.0;   // m, the maximum over all frames
    double seconds = 0.0;           // wall clock, of all frames

    double precomputation_ms() const {
        const Precomputation& p = precomputation;
        return p.order_ms + p.assemble_ms + p.factor_ms + p.pack_ms;
    }
};

} // namespace twang::demo

#endif // TWANG_DEMO_RECORD_HPP
