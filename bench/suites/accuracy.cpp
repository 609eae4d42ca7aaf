// Records the objective of every method, iteration by iteration. See accuracy.hpp.
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

constexpr int first_frame = 10;         // recorded from here, where the whole scene moves
constexpr double smallest_level = 1e-4; // a method stops below this error

// Records every iteration of a step. The exact objective takes a pass over the springs, which is
// short compared with a Newton iteration. Local-global is run twice: once with the objective, once
// for its time.
struct Recorder {
    const twang::io::Stage& stage;
    bool exact;
    Descent descent{{}, {0.0}};
    Clock::time_point begin = Clock::now();

    // Called at the end of an iteration, with the g of its start.
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

// Returns snapshots at the start of `frames` frames, every second one. Five Newton-CG iterations
// per frame leave an error of about 1e-4.
std::vector<Snapshot> record_states(twang::io::Stage& stage, int frames) {
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

Descent record_descent(twang::io::Stage& stage, const Snapshot& state, const Method& method) {
    Descent descent = record_step(stage, state, true);
    if (method.solver == TWANG_SOLVER_LOCAL_GLOBAL)
        descent.ms = record_step(stage, state, false).ms;
    return descent;
}

class Measurement {
public:
    Measurement(const twang::io::Scene& scene, const Effort& effort)
        : effort_(effort),
          stage_(start(scene, 1, 0)),
          states_(record_states(stage_, effort.frames)) {
        result_.best.assign(states_.size(), INFINITY);
    }

    // Runs all frames by one method. Triples the iterations until every error is below
    // smallest_level, up to the limit.
    void run(const Method& method) {
        std::vector<Descent>& all = result_.descents[method.name];
        all.resize(states_.size());
        const int limit = effort_.max_iterations(method);
        for (int iterations = method.first_iterations;;
             iterations = std::min(3 * iterations, limit)) {
            check(stage_.world.set_solver(settings(method, iterations)));
            for (std::size_t frame = 0; frame < states_.size(); ++frame) {
                if (is_done(all[frame], frame)) continue;
                all[frame] = record_descent(stage_, states_[frame], method);
                const auto& g = all[frame].g;
                result_.best[frame] =
                    std::min(result_.best[frame], *std::min_element(g.begin(), g.end()));
            }
            if (iterations >= limit) return;
        }
    }
    const Accuracy& result() const { return result_; }

private:
    bool is_done(const Descent& descent, std::size_t frame) const {
        return !descent.g.empty() &&
               result_.error(descent, frame, descent.g.size() - 1) < smallest_level;
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

Accuracy::Cost Accuracy::cost_to_reach(double level, const std::string& method) const {
    Cost mean{true, 0.0, 0.0};
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

int Effort::max_iterations(const Method& method) const {
    return quick && method.solver != TWANG_SOLVER_NEWTON_CG ? method.max_iterations / 4
                                                            : method.max_iterations;
}

Accuracy measure_accuracy(const twang::io::Scene& scene, const Effort& effort) {
    Measurement measurement(scene, effort);
    // Newton-CG runs first, to convergence: it finds the minimum g* of every error.
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
        // Writes the first 20 iterations, then steps of 5 to 10 %.
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
