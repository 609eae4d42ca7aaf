// busy: a frame of the bunny by one worker and by two, while 0, 1 or 2 other threads run busy
// loops. All combinations take turns of some frames each, so that a disturbance affects all of
// them. p99_ms is the 99th percentile over all frames.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "suites/suites.hpp"

namespace bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int max_workers = 2, max_loops = 2;
constexpr int turn_frames = 60;    // of one turn
constexpr int warm_up_frames = 5;  // frames before each turn: loops start, caches fill
constexpr int turns_per_reset = 3; // then the scene starts again

// Threads that each keep a core busy.
class BusyLoops {
public:
    explicit BusyLoops(int count) {
        for (int k = 0; k < count; ++k)
            threads_.emplace_back([this] {
                while (!stopping_.load(std::memory_order_relaxed)) {
                }
            });
    }
    ~BusyLoops() {
        stopping_ = true;
        for (std::thread& thread : threads_) thread.join();
    }

private:
    std::atomic<bool> stopping_{false};
    std::vector<std::thread> threads_;
};

// Milliseconds of every frame, indexed by workers - 1 and by loops.
using Frames = std::array<std::array<std::vector<double>, max_loops + 1>, max_workers>;

Frames measure(int rounds) {
    const twang::io::Scene scene = shipped_scene("bunny");
    std::vector<twang::io::Stage> stages;
    for (int workers = 1; workers <= max_workers; ++workers)
        stages.push_back(start(scene, workers, 0));
    Frames frames;
    for (int round = 0; round < rounds; ++round)
        for (int loops = 0; loops <= max_loops; ++loops) {
            const BusyLoops busy(loops);
            for (int order = 0; order < max_workers; ++order) {
                const int k = (order + round) % max_workers;
                twang::io::Stage& stage = stages[k];
                if (round % turns_per_reset == 0 && loops == 0) check(stage.body.reset());
                for (int frame = 0; frame < warm_up_frames + turn_frames; ++frame) {
                    const auto begin = Clock::now();
                    check(stage.step());
                    const std::chrono::duration<double, std::milli> passed = Clock::now() - begin;
                    if (frame >= warm_up_frames) frames[k][loops].push_back(passed.count());
                }
            }
        }
    return frames;
}

double percentile(std::vector<double> values, double share) {
    const auto place = values.begin() +
                       static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

} // namespace

Group busy_group(const Options& options) {
    const int rounds = options.quick ? 2 : 12;
    const auto add = [=](Suite& suite) {
        const auto all = std::make_shared<Lazy<Frames>>([=] { return measure(rounds); });
        for (int workers = 1; workers <= max_workers; ++workers)
            for (int loops = 0; loops <= max_loops; ++loops) {
                const std::string name =
                    "busy/" + std::to_string(workers) + '/' + std::to_string(loops);
                suite.add_manual(name, 1, guarded([=](benchmark::State& state) {
                                     const std::vector<double>& ms = all->get()[workers - 1][loops];
                                     for (auto _ : state) state.SetIterationTime(1e-3 * median(ms));
                                     state.counters["p99_ms"] = percentile(ms, 0.99);
                                     state.counters["worst_ms"] = percentile(ms, 1.0);
                                     state.counters["frames"] = static_cast<double>(ms.size());
                                 }));
            }
    };
    return {"busy: bunny beside busy loops", add};
}

} // namespace bench
