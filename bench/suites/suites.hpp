// The groups of benchmarks, one family per file.
#pragma once

#include <string>
#include <vector>

#include "suites/motion.hpp"
#include "suites/suite.hpp"
#include "suites/workloads.hpp"

namespace bench {

Group kernel_group(const Workload& workload, const Options& options);   // solve, project, iteration
Group frame_group(const Workload& workload, const Options& options);    // frame, precompute
Group accuracy_group(const Workload& workload, const Options& options); // accuracy
Group live_group(const Workload& workload, const Options& options);     // live
Group crowd_group(const Options& options);                              // crowd
Group busy_group(const Options& options);                               // busy
Group fall_group(int side, const Options& options);                     // fall
Group bullet_group(int side, const Options& options);                   // bullet
// truth: the ways of local-global, which take turns, and all that is slower.
Group truth_group(int side, const Options& options);
Group slow_truth_group(int side, const Options& options);
Group energy_group();                                                  // energy
Group contact_group(const std::string& scene, const Options& options); // contact

// Above these sizes a frame of direct Newton takes minutes: it is left out there. Volumes fill its
// Hessian much more than surfaces do.
inline constexpr std::size_t most_of_surface = 12'000, most_of_volume = 2'000;
inline bool suits_direct(const Workload& workload) {
    return workload.vertices <= (workload.is_volume ? most_of_volume : most_of_surface);
}

// A scene in a world of its own, stepped by so many frames of the default solver so that it moves.
// Its pins are penalties, which all rivals can do. Throws std::runtime_error.
twang::io::Stage start(const twang::io::Scene& scene, int workers, int frames);

// What the engine has answered; throws std::runtime_error where it is not OK.
void check(twang::Status status);

// Counters rms_30, rms_60 and rms_90.
void count_errors(benchmark::State& state, const AtFrames& rms);

// Runs f(state) and turns what it throws into the benchmark's error.
Suite::Function guarded(Suite::Function f);

} // namespace bench
