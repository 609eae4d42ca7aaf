// accuracy: time and iterations until the error of a step has fallen to each level.
#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "suites/accuracy.hpp"
#include "suites/suites.hpp"

namespace bench {

namespace {

// Returns the number of frames: fewer for scenes in which Newton takes seconds per frame.
int frame_count(const Workload& workload, const Options& options) {
    const int max_frames = options.quick ? 6 : 10;
    const int affordable = static_cast<int>((options.quick ? 6'000 : 30'000) / workload.vertices);
    return std::clamp(affordable, 1, max_frames);
}

} // namespace

Group accuracy_group(const Workload& workload, const Options& options) {
    const std::string curves = options.out + "/accuracy.csv";
    const Effort effort{frame_count(workload, options), suits_direct(workload), options.quick};
    const auto add = [=](Suite& suite) {
        const auto accuracy = std::make_shared<Lazy<Accuracy>>([=] {
            Accuracy made = measure_accuracy(workload.make(), effort);
            write_curves(made, workload.name, curves);
            return made;
        });
        for (const Method& method : methods) {
            if (method.solver == TWANG_SOLVER_NEWTON && !effort.with_newton) continue;
            for (const char* level : error_levels)
                suite.add_manual(
                    "accuracy/" + workload.name + '/' + method.name + '/' + level, 1,
                    guarded([=](benchmark::State& state) {
                        const auto cost =
                            accuracy->get().cost_to_reach(std::atof(level), method.name);
                        if (!cost.reached)
                            throw std::runtime_error("not reached within " +
                                                     std::to_string(effort.max_iterations(method)) +
                                                     " iterations");
                        for (auto _ : state) state.SetIterationTime(1e-3 * cost.ms);
                        state.counters["n"] = static_cast<double>(workload.vertices);
                        state.counters["iterations"] = cost.iterations;
                        state.counters["frames"] = effort.frames;
                    }));
        }
    };
    return {"accuracy: " + workload.name, add};
}

} // namespace bench
