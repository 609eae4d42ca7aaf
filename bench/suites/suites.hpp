// The groups of benchmarks, one family per file, and helpers of all suites.
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
// truth: the methods by local-global, interleaved, and the slower methods.
Group truth_group(int side, const Options& options);
Group slow_truth_group(int side, const Options& options);
Group energy_group();                                                  // energy
Group contact_group(const std::string& scene, const Options& options); // contact

// Above these sizes a frame of direct Newton takes minutes and is left out. The factor of a
// volume's Hessian has far more fill-in than that of a surface's.
inline constexpr std::size_t max_surface_vertices = 12'000, max_volume_vertices = 2'000;
inline bool suits_direct(const Workload& workload) {
    return workload.vertices <= (workload.is_volume ? max_volume_vertices : max_surface_vertices);
}

// Instantiates a scene in a world of its own and steps it by `frames` frames of the default solver,
// so that it moves. Pins are penalties, which all compared methods support. Throws
// std::runtime_error.
twang::io::Stage start(const twang::io::Scene& scene, int workers, int frames);

// Throws std::runtime_error with the engine's message unless the status is TWANG_OK.
void check(twang::Status status);

// Sets the counters rms_30, rms_60 and rms_90 (m).
void count_errors(benchmark::State& state, const AtFrames& rms);

// Runs f(state) and turns an exception into the benchmark's error.
Suite::Function guarded(Suite::Function f);

} // namespace bench
