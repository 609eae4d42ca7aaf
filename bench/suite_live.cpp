// live: how even frames stay while a game changes things. A single frame shows what else the
// machine did at that moment; but frame k is the same work in every run, so every script is run
// several times and each frame counts with its median over the runs. A run in which nothing changes
// shows how uneven the machine itself is.
#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "live_scripts.hpp"

namespace bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int warm_up = 30; // frames

struct Stage {
    const char* name;
    double twang_stage_ms::*ms; // null: what is not in the step, the calls that change something
};
constexpr Stage stages[] = {{"change", nullptr},
                            {"admit", &twang_stage_ms::admit},
                            {"push", &twang_stage_ms::push},
                            {"predict", &twang_stage_ms::predict},
                            {"project", &twang_stage_ms::project},
                            {"solve", &twang_stage_ms::solve},
                            {"accelerate", &twang_stage_ms::accelerate},
                            {"collide", &twang_stage_ms::collide},
                            {"commit", &twang_stage_ms::commit}};

// Milliseconds, by frame.
using Series = std::vector<double>;

struct Frames {
    Series all, cpu; // cpu: of this thread, without what others did on its core
    std::array<Series, std::size(stages)> by_stage;
    Series prepare;        // one entry
    Series admits, solves; // to take in a change, where there was one; a global step
    double worst_single = 0.0;
    int factorings = 0;
};

double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double cpu_ms() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

std::size_t place_of_worst(const Series& ms) {
    return std::max_element(ms.begin(), ms.end()) - ms.begin();
}
double worst(const Series& ms) { return ms[place_of_worst(ms)]; }

Frames run_once(const Workload& workload, const LiveScript& script) {
    twang::io::Stage stage = start(workload.make(), 1, warm_up);
    const Change change = script.make();
    Frames result;
    const auto loading = Clock::now();
    if (script.prepare) script.prepare(stage);
    result.prepare.push_back(ms_since(loading));
    for (int frame = 0; frame < live_frames; ++frame) {
        const double cpu_begin = cpu_ms();
        const auto begin = Clock::now();
        const bool changed = live_frame(change, stage, frame);
        const double passed = ms_since(begin);
        result.cpu.push_back(cpu_ms() - cpu_begin);
        result.all.push_back(passed);
        const twang::Report report = stage.body.report();
        for (std::size_t k = 0; k < std::size(stages); ++k)
            result.by_stage[k].push_back(stages[k].ms ? report.ms.*stages[k].ms
                                                      : passed - report.total_ms);
        if (changed) result.admits.push_back(report.ms.admit);
        result.solves.push_back(report.ms.solve / report.iterations);
    }
    result.worst_single = worst(result.all);
    result.factorings = stage.body.precomputation().factorings;
    return result;
}

// Of every entry its median over the runs.
Series medians(const std::vector<Frames>& runs, const std::function<Series(const Frames&)>& of) {
    std::vector<Series> all;
    for (const Frames& run : runs) all.push_back(of(run));
    Series result, one;
    for (std::size_t k = 0; k < all.front().size(); ++k) {
        one.clear();
        for (const Series& series : all) one.push_back(series[k]);
        result.push_back(median(one));
    }
    return result;
}

Frames run(const Workload& workload, const LiveScript& script, int times) {
    std::vector<Frames> runs;
    for (int k = 0; k < times; ++k) runs.push_back(run_once(workload, script));
    Frames result;
    result.all = medians(runs, [](const Frames& f) { return f.all; });
    result.cpu = medians(runs, [](const Frames& f) { return f.cpu; });
    result.prepare = medians(runs, [](const Frames& f) { return f.prepare; });
    result.admits = medians(runs, [](const Frames& f) { return f.admits; });
    result.solves = medians(runs, [](const Frames& f) { return f.solves; });
    for (std::size_t k = 0; k < std::size(stages); ++k)
        result.by_stage[k] = medians(runs, [=](const Frames& f) { return f.by_stage[k]; });
    for (const Frames& f : runs)
        result.worst_single = std::max(result.worst_single, f.worst_single);
    result.factorings = runs.front().factorings;
    return result;
}

void add_live(Suite& suite, const Workload& workload, const LiveScript& script, int times,
              const std::shared_ptr<Lazy<Frames>>& quiet) {
    const std::string name = "live/" + workload.name + '/' + script.name;
    suite.add_manual(name, 1, guarded([=](benchmark::State& state) {
                         const Frames live = run(workload, script, times);
                         const Frames& still = quiet->get();
                         for (auto _ : state) state.SetIterationTime(1e-3 * median(live.all));
                         auto& counters = state.counters;
                         counters["n"] = static_cast<double>(workload.vertices);
                         counters["median_ms"] = median(live.all);
                         counters["worst_ms"] = worst(live.all);
                         counters["worst_single_ms"] = live.worst_single;
                         counters["median_cpu_ms"] = median(live.cpu);
                         counters["worst_cpu_ms"] = worst(live.cpu);
                         counters["quiet_median_ms"] = median(still.all);
                         counters["quiet_worst_ms"] = worst(still.all);
                         counters["quiet_worst_single_ms"] = still.worst_single;
                         counters["quiet_worst_cpu_ms"] = worst(still.cpu);
                         counters["prepare_ms"] = live.prepare[0];
                         counters["admit_ms"] = median(live.admits);
                         counters["global_step_ms"] = median(live.solves);
                         counters["factorings"] = live.factorings;
                         const std::size_t place = place_of_worst(live.all);
                         counters["worst_frame"] = static_cast<double>(place);
                         for (std::size_t k = 0; k < std::size(stages); ++k)
                             counters[std::string("worst_more_") + stages[k].name] =
                                 live.by_stage[k][place] - median(live.by_stage[k]);
                     }));
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
    const int repeats = options.quick ? 1 : 3, runs = options.quick ? 2 : 7;
    const auto quiet =
        std::make_shared<Lazy<Frames>>([=] { return run(workload, live_scripts().front(), runs); });
    const auto add = [=](Suite& suite) {
        for (const LiveScript& script : live_scripts().subspan(1))
            add_live(suite, workload, script, runs, quiet);
        add_constraints(suite, "live/" + workload.name + "/16-pins", workload, repeats, 16);
    };
    return {"live: " + workload.name, add};
}

} // namespace bench
