// Falling cloth and the test of its motion. Too few iterations make cloth stretch or move in slow
// motion; an integrator with damping makes it miss its swing. A setting passes only if both stretch
// and motion are right.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "suites/motion.hpp"

namespace bench {

struct FallRun {
    AtFrames rms{INFINITY, INFINITY, INFINITY}; // m, distance from the exact motion
    Stretch stretch;                            // the largest of frames 240 to 300
    bool moves_truly() const { return is_true_motion(rms); }
    bool is_stiff() const { return stretch.max < 0.10 && stretch.mean < 0.02; }
};

class Fall {
public:
    // Reads the exact motion from `folder`, or computes and stores it there. Throws
    // std::runtime_error.
    Fall(int side, const std::string& folder);

    // Runs 300 frames from the start; ends at frame 30, 60 or 90 if the motion is not true there.
    FallRun run(const Setting& setting) const;
    // Returns the milliseconds of each of the first frames; nothing else is measured.
    std::vector<double> time_frames(const Setting& setting, int frames) const;

    struct Passing {
        Setting setting;
        FallRun run;
    };
    // Finds the fewest iterations that pass; empty if 100 do not.
    std::optional<Passing> search(Setting setting) const;

private:
    twang::io::Scene scene_;
    StretchGauge gauge_;
    ExactMotion exact_;
};

} // namespace bench
