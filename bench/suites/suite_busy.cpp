// busy: a frame of the bunny by one worker and by two, while other threads keep so many cores busy.
// All take turns, some frames each, so that a disturbance hits everybody. p99_ms is the 99th
// percentile over all frames.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "suites/suites.hpp"

namespace bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int most_workers = 2, most_loops = 2;
constexpr int turn = 60;  // frames
constexpr int settle = 5; // frames before them: the loops have begun, the memory is warm
constexpr int cycle = 3;  // turns after which the scene starts again

// Threads that do nothing, as fast as they can.
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

// Milliseconds of every frame, by workers - 1 and loops.
using Frames = std::array<std::array<std::vector<double>, most_loops + 1>, most_workers>;

Frames measure(int rounds) {
    const twang::io::Scene scene = shipped_scene("bunny");
    std::vector<twang::io::Stage> stages;
    for (int workers = 1; workers <= most_workers; ++workers)
        stages.push_back(start(scene, workers, 0));
    Frames frames;
    for (int round = 0; round < rounds; ++round)
        for (int loops = 0; loops <= most_loops; ++loops) {
            const BusyLoops busy(loops);
            for (int at = 0; at < most_workers; ++at) {
                const int k = (at + round) % most_workers;
                twang::io::Stage& stage = stages[k];
                if (round % cycle == 0 && loops == 0) check(stage.body.reset());
                for (int frame = 0; frame < settle + turn; ++frame) {
                    const auto begin = Clock::now();
                    check(stage.step());
                    const std::chrono::duration<double, std::milli> passed = Clock::now() - begin;
                    if (frame >= settle) frames[k][loops].push_back(passed.count());
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
        for (int workers = 1; workers <= most_workers; ++workers)
            for (int loops = 0; loops <= most_loops; ++loops) {
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
