// live: how even frames stay while a game changes things. Every run times the same number of frames
// in which nothing changes just before, so that the machine's own unevenness is seen beside it.
#include <time.h>

#include <algorithm>
#include <chrono>

#include "suites.hpp"

namespace bench {

namespace {

using Clock = std::chrono::steady_clock;
// True in frames in which something changes.
using Change = std::function<bool(twang::io::Stage& stage, int frame)>;

constexpr int frames = 360;
constexpr int warm_up = 30;

struct Frames {
    std::vector<double> ms;
    std::vector<double> cpu_ms;      // of this thread: without what others did on its core
    double admit = 0.0, solve = 0.0; // ms: to take in a change, of a global step; medians
};

double cpu_ms() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

Frames run(twang::io::Stage& stage, const Change& change) {
    Frames result;
    std::vector<double> solves, admits;
    for (int frame = 0; frame < frames; ++frame) {
        const double cpu_begin = cpu_ms();
        const auto begin = Clock::now();
        const bool changed = change(stage, frame);
        check(stage.step());
        const std::chrono::duration<double, std::milli> passed = Clock::now() - begin;
        result.cpu_ms.push_back(cpu_ms() - cpu_begin);
        const twang::Report report = stage.body.report();
        result.ms.push_back(passed.count());
        if (changed) admits.push_back(report.ms.admit);
        solves.push_back(report.ms.solve / report.iterations);
    }
    result.solve = median(solves);
    result.admit = median(admits);
    return result;
}

void add_live(Suite& suite, const std::string& name, const Workload& workload, int repeats,
              const std::function<Change()>& make_change) {
    suite.add_manual(name, repeats, guarded([=](benchmark::State& state) {
                         twang::io::Stage stage = start(workload.make(), 1, warm_up);
                         const Frames quiet = run(stage, [](auto&&...) { return false; });
                         check(stage.body.reset());
                         for (int frame = 0; frame < warm_up; ++frame) check(stage.step());
                         const Frames live = run(stage, make_change());
                         const auto worst = [](const std::vector<double>& ms) {
                             return *std::max_element(ms.begin(), ms.end());
                         };
                         for (auto _ : state) state.SetIterationTime(1e-3 * median(live.ms));
                         state.counters["n"] = stage.body.precomputation().n;
                         state.counters["median_ms"] = median(live.ms);
                         state.counters["worst_ms"] = worst(live.ms);
                         state.counters["median_cpu_ms"] = median(live.cpu_ms);
                         state.counters["worst_cpu_ms"] = worst(live.cpu_ms);
                         state.counters["quiet_median_ms"] = median(quiet.ms);
                         state.counters["quiet_worst_ms"] = worst(quiet.ms);
                         state.counters["quiet_worst_cpu_ms"] = worst(quiet.cpu_ms);
                         state.counters["admit_ms"] = live.admit;
                         state.counters["global_step_ms"] = live.solve;
                         state.counters["factorings"] = stage.body.precomputation().factorings;
                     }));
}

// Vertices here and there, always the same ones.
std::uint32_t somewhere(int k, std::size_t n) {
    return static_cast<std::uint32_t>((2654435761u * static_cast<std::uint64_t>(k + 1)) % n);
}

// A pin every tenth frame, a dozen at a time, the oldest let go again; once also one of those the
// factor was made with.
Change pins() {
    return [](twang::io::Stage& stage, int frame) {
        const std::size_t n = stage.body.vertex_count();
        if (frame == 200) check(stage.body.unpin(0));
        if (frame % 10 != 0) return false;
        check(stage.body.pin(somewhere(frame / 10, n)));
        if (frame >= 120) check(stage.body.unpin(somewhere(frame / 10 - 12, n)));
        return true;
    };
}

// A hand that takes hold of the cloth and moves it about.
Change drag() {
    auto hand = std::make_shared<twang::Grab>();
    return [hand](twang::io::Stage& stage, int frame) {
        const std::size_t vertex = stage.body.vertex_count() * 3 / 4;
        const float* at = &stage.body.positions()[3 * vertex];
        if (frame % 120 == 0)
            *hand = stage.body.grab({.vertices = {static_cast<std::uint32_t>(vertex)},
                                     .target = {at[0], at[1], at[2]},
                                     .stiffness = 500.0});
        if (frame % 120 == 100) check(hand->release());
        if (frame % 120 < 100)
            check(hand->move_to({at[0], at[1] + 0.02 * (frame % 120 < 50), at[2] + 0.01}));
        return frame % 120 > 0 && frame % 120 < 100; // moved and no more
    };
}

Change time_step() {
    return [](twang::io::Stage& stage, int frame) {
        if (frame % 120 == 0)
            check(stage.world.set_time_step(frame % 240 == 0 ? 1.0 / 120.0 : 1.0 / 60.0));
        return frame % 120 == 0;
    };
}

// Cuts from the lower edge upwards, and a limit that lets the rest tear under its weight.
Change tear() {
    return [](twang::io::Stage& stage, int frame) {
        if (frame == 0) check(stage.body.set_tear_strain(0.5));
        if (frame % 60 != 0) return false;
        const auto at = [&](std::size_t vertex) {
            const float* p = &stage.body.positions()[3 * vertex];
            return twang::Vec3{p[0], p[1], p[2]};
        };
        const std::size_t n = stage.body.vertex_count(), side = 100;
        const twang::Vec3 below = at(n - side + 10 + frame / 5), above = at(n / 2 + 10 + frame / 5);
        check(stage.body.cut({{below.x, below.y, below.z - 0.5},
                              {above.x, above.y, above.z - 0.5},
                              {0.0, 0.0, 1.0}}));
        return true;
    };
}

// What so many pins by Schur complement cost in every frame.
void add_constraints(Suite& suite, const std::string& name, const Workload& workload, int repeats,
                     int count) {
    suite.add_manual(
        name, repeats, guarded([=](benchmark::State& state) {
            twang::io::Stage without = start(workload.make(), 1, warm_up);
            twang::io::Stage with = start(workload.make(), 1, warm_up);
            for (int k = 0; k < count; ++k)
                check(with.body.pin(somewhere(k, with.body.vertex_count())));
            std::vector<double> plain, held;
            for (int frame = 0; frame < 60; ++frame)
                for (auto [stage, times] : {std::pair{&without, &plain}, {&with, &held}}) {
                    check(stage->step());
                    const twang::Report r = stage->body.report();
                    times->push_back((r.ms.project + r.ms.solve + r.ms.accelerate) / r.iterations);
                }
            for (auto _ : state) state.SetIterationTime(1e-3 * median(held));
            state.counters["constraints"] = count;
            state.counters["ratio"] = median(held) / median(plain);
        }));
}

} // namespace

Group live_group(const Workload& workload, const Options& options) {
    const int repeats = options.quick ? 1 : 3;
    const auto add = [=](Suite& suite) {
        const std::string live = "live/" + workload.name + '/';
        add_live(suite, live + "pin", workload, repeats, pins);
        add_live(suite, live + "drag", workload, repeats, drag);
        add_live(suite, live + "time-step", workload, repeats, time_step);
        add_live(suite, live + "tear", workload, repeats, tear);
        add_constraints(suite, live + "16-pins", workload, repeats, 16);
    };
    return {"live: " + workload.name, add};
}

} // namespace bench
