// Falling cloth, and whether it falls as it should: too few iterations make it stretch, or move in
// slow motion, and an integrator that damps makes it miss its swing. A setting passes only if
// stretch and motion are both right.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "suites/motion.hpp"

namespace bench {

struct FallRun {
    AtFrames rms{INFINITY, INFINITY, INFINITY}; // m from the exact motion
    Stretch stretch;                            // the worst of frames 240 to 300
    bool moves_truly() const { return is_true(rms); }
    bool is_stiff() const { return stretch.max < 0.10 && stretch.mean < 0.02; }
};

class Fall {
public:
    // The exact motion is kept in `folder`. Throws std::runtime_error.
    Fall(int side, const std::string& folder);

    // From the start, by 300 frames, or fewer where the motion is not true.
    FallRun run(const Setting& setting) const;
    // The first so many frames, for their time alone.
    std::vector<double> time_frames(const Setting& setting, int frames) const;

    struct Found {
        Setting setting;
        FallRun run;
    };
    // The fewest iterations that pass; nothing where 100 do not.
    std::optional<Found> search(Setting setting) const;

private:
    twang::io::Scene scene_;
    StretchGauge gauge_;
    ExactMotion exact_;
};

} // namespace bench
