// What a finished run has to tell; report and summary print it, each in its own way.
#ifndef TWANG_DEMO_RECORD_HPP
#define TWANG_DEMO_RECORD_HPP

#include <string>

#include <twang/io.hpp>

#include "timings.hpp"

namespace twang::demo {

struct Record {
    ModelInfo model{};
    Precomputation precomputation{};
    Timings timings;     // of the frames that succeeded
    Report last{};       // of the last of them
    Measures measures{}; // of the state the run ended in
    std::string status;  // "OK", a failed step's status such as "DIVERGED", or "INTERRUPTED"
    std::size_t broken_springs = 0; // of all bodies, at the end
    std::size_t torn_triangles = 0; // that have lost a side
    double max_penetration = 0.0;   // m, the deepest of all frames
    double seconds = 0.0;           // on the clock, from the first frame to the last

    double precomputation_ms() const {
        const Precomputation& p = precomputation;
        return p.order_ms + p.assemble_ms + p.factor_ms + p.pack_ms;
    }
};

} // namespace twang::demo

#endif // TWANG_DEMO_RECORD_HPP
