// Runs falling cloth and searches the fewest iterations. See fall.hpp.
#include "suites/fall.hpp"

#include <stdexcept>

#include "suites/workloads.hpp"

namespace bench {

Fall::Fall(int side, const std::string& folder)
    : scene_(falling_cloth(side)), gauge_(scene_), exact_(exact_motion(side, folder)) {}

FallRun Fall::run(const Setting& setting) const {
    FallRun run;
    const auto observe = [&](int frame, const std::vector<double>& xyz) {
        exact_.compare(frame, xyz, run.rms);
        if (frame >= 240) run.stretch.keep_worst(gauge_.measure(xyz));
        const int i = true_frame_index(frame);
        return i < 0 || run.rms[i] <= true_limits[i];
    };
    try {
        play(scene_, setting, 300, observe);
    } catch (const std::runtime_error&) { // the motion exploded
        run.rms.fill(INFINITY);
    }
    return run;
}

std::vector<double> Fall::time_frames(const Setting& setting, int frames) const {
    return play(scene_, setting, frames);
}

std::optional<Fall::Passing> Fall::search(Setting setting) const {
    for (const int iterations : {1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100}) {
        setting.solver.iterations = iterations;
        const FallRun run = this->run(setting);
        if (run.moves_truly() && run.is_stiff()) return Passing{setting, run};
    }
    return {};
}

} // namespace bench
