#include "suites/accuracy.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>

#include "suites/inside.hpp"
#include "suites/suites.hpp"

namespace bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int first_frame = 10; // by then everything moves
constexpr double finest = 1e-4; // the smallest error that is asked for

// Records every iteration of a step. The exact objective takes a pass over the springs, which is
// little beside an iteration of Newton; local-global is run twice, once for that and once for time.
struct Recorder {
    const twang::io::Stage& stage;
    bool exact;
    Descent descent{{}, {0.0}};
    Clock::time_point begin = Clock::now();

    // Called at the end of an iteration, with g at its start.
    static void record(void* user, const twang_iteration* iteration) {
        Recorder& self = *static_cast<Recorder*>(user);
        const std::chrono::duration<double, std::milli> passed = Clock::now() - self.begin;
        self.descent.ms.push_back(passed.count());
        if (self.descent.g.empty()) self.descent.g.push_back(iteration->objective);
        if (self.exact) self.descent.g.push_back(exact_objective(self.stage));
    }
};

Descent record_step(twang::io::Stage& stage, const std::vector<std::byte>& state, bool exact) {
    check(stage.world.restore(state));
    Recorder recorder{stage, exact};
    check(stage.world.set_iteration_callback(Recorder::record, &recorder));
    recorder.begin = Clock::now();
    const twang::Status status = stage.world.step();
    check(stage.world.set_iteration_callback(nullptr, nullptr));
    check(status);
    return recorder.descent;
}

using Snapshot = std::vector<std::byte>;

// The states at the start of some frames. Five iterations leave an error of about 1e-4.
std::vector<Snapshot> play(twang::io::Stage& stage, int frames) {
    check(stage.world.set_solver({TWANG_SOLVER_NEWTON_CG, 5, 1e-3}));
    for (int frame = 0; frame < first_frame; ++frame) check(stage.step());
    std::vector<Snapshot> states;
    for (int frame = 0; frame < frames; ++frame) {
        Snapshot state(stage.world.snapshot_size());
        check(stage.world.save(state));
        states.push_back(std::move(state));
        check(stage.step());
        check(stage.step());
    }
    return states;
}

Descent descend(twang::io::Stage& stage, const Snapshot& state, const Method& method) {
    Descent descent = record_step(stage, state, true);
    if (method.solver == TWANG_SOLVER_LOCAL_GLOBAL)
        descent.ms = record_step(stage, state, false).ms;
    return descent;
}

class Measurement {
public:
    Measurement(const twang::io::Scene& scene, const Effort& effort)
        : effort_(effort), stage_(start(scene, 1, 0)), states_(play(stage_, effort.frames)) {
        result_.best.assign(states_.size(), INFINITY);
    }

    // All frames by one method, with more iterations where few do not suffice.
    void run(const Method& method) {
        std::vector<Descent>& all = result_.descents[method.name];
        all.resize(states_.size());
        const int limit = effort_.most_iterations(method);
        for (int most = method.first_iterations;; most = std::min(3 * most, limit)) {
            check(stage_.world.set_solver(settings(method, most)));
            for (std::size_t frame = 0; frame < states_.size(); ++frame) {
                if (is_done(all[frame], frame)) continue;
                all[frame] = descend(stage_, states_[frame], method);
                const auto& g = all[frame].g;
                result_.best[frame] =
                    std::min(result_.best[frame], *std::min_element(g.begin(), g.end()));
            }
            if (most >= limit) return;
        }
    }
    const Accuracy& result() const { return result_; }

private:
    bool is_done(const Descent& descent, std::size_t frame) const {
        return !descent.g.empty() && result_.error(descent, frame, descent.g.size() - 1) < finest;
    }

    Effort effort_;
    twang::io::Stage stage_;
    std::vector<Snapshot> states_;
    Accuracy result_;
};

} // namespace

double Accuracy::error(const Descent& descent, std::size_t frame, std::size_t iteration) const {
    return (descent.g[iteration] - best[frame]) / (descent.g[0] - best[frame]);
}

Accuracy::Way Accuracy::way_to(double level, const std::string& method) const {
    Way mean{true, 0.0, 0.0};
    const std::vector<Descent>& all = descents.at(method);
    for (std::size_t frame = 0; frame < all.size(); ++frame) {
        std::size_t k = 0;
        while (k < all[frame].g.size() && error(all[frame], frame, k) > level) ++k;
        if (k == all[frame].g.size()) return {false, 0.0, 0.0};
        mean.ms += all[frame].ms[k] / all.size();
        mean.iterations += static_cast<double>(k) / all.size();
    }
    return mean;
}

int Effort::most_iterations(const Method& method) const {
    return quick && method.solver != TWANG_SOLVER_NEWTON_CG ? method.most_iterations / 4
                                                            : method.most_iterations;
}

Accuracy measure_accuracy(const twang::io::Scene& scene, const Effort& effort) {
    Measurement measurement(scene, effort);
    // Newton-CG first and to the end: it finds the minimum that all are measured by.
    const auto is_first = [](const Method& method) {
        return method.solver == TWANG_SOLVER_NEWTON_CG;
    };
    for (const Method& method : methods)
        if (is_first(method)) measurement.run(method);
    for (const Method& method : methods)
        if (!is_first(method) && (effort.with_newton || method.solver != TWANG_SOLVER_NEWTON))
            measurement.run(method);
    return measurement.result();
}

void write_curves(const Accuracy& accuracy, const std::string& scene, const std::string& path) {
    std::ofstream file(path, std::ios::app);
    if (file.tellp() == 0) file << "scene,method,iteration,ms,error\n";
    for (const Method& method : methods) {
        if (!accuracy.descents.contains(method.name)) continue;
        const std::vector<Descent>& all = accuracy.descents.at(method.name);
        std::size_t longest = 0;
        for (const Descent& descent : all) longest = std::max(longest, descent.g.size());
        // Every iteration at first, then a few per decade.
        for (std::size_t k = 1; k < longest; k += 1 + k / 20) {
            double log_ms = 0.0, log_error = 0.0;
            for (std::size_t frame = 0; frame < all.size(); ++frame) {
                const std::size_t at = std::min(k, all[frame].g.size() - 1);
                log_ms += std::log(std::max(1e-6, all[frame].ms[at]));
                log_error += std::log(std::max(1e-12, accuracy.error(all[frame], frame, at)));
            }
            char line[200];
            std::snprintf(line, sizeof line, "%s,%s,%zu,%.6g,%.6g\n", scene.c_str(), method.name, k,
                          std::exp(log_ms / all.size()), std::exp(log_error / all.size()));
            file << line;
        }
    }
}

} // namespace bench
