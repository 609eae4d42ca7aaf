// truth: the error of falling cloth against its exact motion, and its time per frame.
#include <algorithm>
#include <optional>

#include "rivals/rivals.hpp"
#include "suites/suites.hpp"
#include "suites/truth.hpp"

namespace bench {

namespace {

// A falling cloth and its exact motion.
struct Truth {
    Truth(int side, const std::string& folder)
        : scene(falling_cloth(side)), gauge(scene), exact(exact_motion(side, folder)) {}
    twang::io::Scene scene;
    StretchGauge gauge;
    ExactMotion exact;
};
using TruthPointer = std::shared_ptr<Lazy<Truth>>;

std::vector<double> play(const Truth& truth, const TruthMethod& method, int iterations,
                         const FrameObserver& observe) {
    const int frames = true_frames.back();
    if (method.by_bullet) return play_bullet(truth.scene, iterations, frames, observe);
    return play(truth.scene, method.setting(iterations), frames, observe);
}

struct Measured {
    AtFrames rms{};
    double max_stretch = 0.0;
};

Measured measure(const Truth& truth, const TruthMethod& method, int iterations) {
    Measured m;
    play(truth, method, iterations, [&](int frame, const std::vector<double>& xyz) {
        truth.exact.compare(frame, xyz, m.rms);
        m.max_stretch = std::max(m.max_stretch, truth.gauge.measure(xyz).max);
        return true;
    });
    return m;
}

// Errors come from one run, times from others in which nothing happens between the frames.
void add_truth(Suite& suite, int side, const TruthMethod& method, int iterations, int repeats,
               const TruthPointer& truth) {
    const auto measured = std::make_shared<std::optional<Measured>>();
    suite.add_manual(truth_name(side, method.name, iterations), repeats,
                     guarded([=](benchmark::State& state) {
                         const Truth& t = truth->get();
                         if (!*measured) *measured = measure(t, method, iterations);
                         const double ms = median(play(t, method, iterations, {}));
                         for (auto _ : state) state.SetIterationTime(1e-3 * ms);
                         state.counters["n"] = side * side;
                         state.counters["iterations"] = iterations;
                         state.counters["substeps"] = method.substeps;
                         state.counters["max_stretch"] = (*measured)->max_stretch;
                         count_errors(state, (*measured)->rms);
                     }));
}

void add_exact(Suite& suite, int side, const TruthPointer& truth) {
    suite.add_manual(
        truth_name(side, "exact", exact_substeps(side)), 1, guarded([=](benchmark::State& state) {
            const ExactMotion& exact = truth->get().exact;
            for (auto _ : state) state.SetIterationTime(1e-3 * exact.frame_ms);
            state.counters["n"] = side * side;
            state.counters["substeps"] = exact_substeps(side);
            state.counters["other_substeps"] = other_substeps(side);
            for (std::size_t i = 0; i < exact.change.size(); ++i)
                state.counters["change_" + std::to_string(true_frames[i])] = exact.change[i];
        }));
}

Group make_group(const std::string& name, int side, bool is_slow, const Options& options) {
    const std::string folder = options.out;
    const int repeats = is_slow ? 1 : options.quick ? 3 : 9;
    const auto add = [=](Suite& suite) {
        const auto truth = std::make_shared<Lazy<Truth>>([=] { return Truth(side, folder); });
        if (is_slow) add_exact(suite, side, truth);
        for (const TruthMethod& method : truth_methods()) {
            if (method.is_slow != is_slow || side > method.max_side) continue;
            if (method.by_bullet && !has_bullet()) continue;
            for (const int iterations : method.iterations)
                add_truth(suite, side, method, iterations, repeats, truth);
        }
    };
    return {name + std::to_string(side), add};
}

} // namespace

Group truth_group(int side, const Options& options) {
    return make_group("truth: ", side, false, options);
}

Group slow_truth_group(int side, const Options& options) {
    return make_group("truth, slow: ", side, true, options);
}

} // namespace bench
