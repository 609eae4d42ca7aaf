// live: how constant the time of a frame stays while a game changes things. A single frame also
// shows what else the machine did at that moment; the machine may be so busy that half of the
// frames take 1.5 times as long. But frame k does the same work in every run, so every script is
// run many times. The minimum of a frame over the runs ("least") is the time of its work; the
// median ("typical") is its usual time on this machine. A script without changes ("quiet") shows
// how uneven the machine itself is.
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>

#include "suites/live_scripts.hpp"

namespace bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int warm_up = 30; // frames

// Limits of the number of runs of a script: until no minimum of a frame has fallen by more than
// `settled_fraction` in `unchanged_runs` successive runs, at most `max_runs`.
struct Repeats {
    int unchanged_runs, max_runs;
};
constexpr double settled_fraction = 0.02;

struct Stage {
    const char* name;
    double twang_stage_ms::*ms; // null: outside the step, the calls that make the changes
};
constexpr Stage stages[] = {{"change", nullptr},
                            {"apply_changes", &twang_stage_ms::apply_changes},
                            {"external_forces", &twang_stage_ms::external_forces},
                            {"predict", &twang_stage_ms::predict},
                            {"local_step", &twang_stage_ms::local_step},
                            {"global_step", &twang_stage_ms::global_step},
                            {"accelerate", &twang_stage_ms::accelerate},
                            {"contact", &twang_stage_ms::contact},
                            {"commit", &twang_stage_ms::commit}};

// Milliseconds, by frame.
using Series = std::vector<double>;

struct Frames {
    Series all;
    std::array<Series, std::size(stages)> by_stage;
    Series prepare;                    // one entry, ms
    Series apply_changes, global_step; // of frames with a change; of one global step
    int factorings = 0;
};

struct Figures {
    Frames smallest;
    Series typical;
    double worst_single = 0.0;
    std::size_t runs = 0;
};

double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
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
        const auto begin = Clock::now();
        const bool changed = live_frame(change, stage, frame);
        const double passed = ms_since(begin);
        result.all.push_back(passed);
        const twang::Report report = stage.body.report();
        for (std::size_t k = 0; k < std::size(stages); ++k)
            result.by_stage[k].push_back(stages[k].ms ? report.ms.*stages[k].ms
                                                      : passed - report.total_ms);
        if (changed) result.apply_changes.push_back(report.ms.apply_changes);
        result.global_step.push_back(report.ms.global_step / report.iterations);
    }
    result.factorings = stage.body.precomputation().factorings;
    return result;
}

double smallest(const Series& ms) { return *std::min_element(ms.begin(), ms.end()); }

// Reduces each entry of a series over all runs to one number.
Series reduce_runs(const std::vector<Frames>& runs, const std::function<Series(const Frames&)>& of,
                   double (*figure)(const Series&)) {
    std::vector<Series> all;
    for (const Frames& run : runs) all.push_back(of(run));
    Series result, one;
    for (std::size_t k = 0; k < all.front().size(); ++k) {
        one.clear();
        for (const Series& series : all) one.push_back(series[k]);
        result.push_back(figure(one));
    }
    return result;
}

std::vector<Frames> run_until_settled(const Workload& workload, const LiveScript& script,
                                      Repeats repeats) {
    std::vector<Frames> runs;
    Series smallest;
    for (int unchanged = 0;
         unchanged < repeats.unchanged_runs && std::ssize(runs) < repeats.max_runs;) {
        ++unchanged;
        runs.push_back(run_once(workload, script));
        const Series& now = runs.back().all;
        smallest.resize(now.size(), std::numeric_limits<double>::infinity());
        for (std::size_t k = 0; k < now.size(); ++k) {
            if (now[k] < (1.0 - settled_fraction) * smallest[k]) unchanged = 0;
            smallest[k] = std::min(smallest[k], now[k]);
        }
    }
    return runs;
}

Figures run(const Workload& workload, const LiveScript& script, Repeats repeats) {
    const std::vector<Frames> runs = run_until_settled(workload, script, repeats);
    const auto all = [](const Frames& f) { return f.all; };
    Figures result;
    result.smallest.all = reduce_runs(runs, all, smallest);
    result.smallest.prepare = reduce_runs(
        runs, [](const Frames& f) { return f.prepare; }, smallest);
    result.smallest.apply_changes = reduce_runs(
        runs, [](const Frames& f) { return f.apply_changes; }, smallest);
    result.smallest.global_step = reduce_runs(
        runs, [](const Frames& f) { return f.global_step; }, smallest);
    for (std::size_t k = 0; k < std::size(stages); ++k)
        result.smallest.by_stage[k] = reduce_runs(
            runs, [=](const Frames& f) { return f.by_stage[k]; }, smallest);
    result.smallest.factorings = runs.front().factorings;
    result.typical = reduce_runs(runs, all, [](const Series& ms) { return median(ms); });
    for (const Frames& f : runs) result.worst_single = std::max(result.worst_single, worst(f.all));
    result.runs = runs.size();
    return result;
}

// Appends a row for every frame, after a header if the file is new.
void write_frames(const Figures& figures, const char* script, const std::string& path) {
    const bool is_new = !std::filesystem::exists(path);
    std::ofstream file(path, std::ios::app);
    if (is_new) file << "script,frame,least_ms,typical_ms\n";
    for (std::size_t k = 0; k < figures.typical.size(); ++k)
        file << script << ',' << k << ',' << figures.smallest.all[k] << ',' << figures.typical[k]
             << '\n';
}

using Measure = std::function<Figures(const LiveScript& script)>;

void add_live(Suite& suite, const Workload& workload, const LiveScript& script,
              const Measure& measure, const std::shared_ptr<Lazy<Figures>>& quiet) {
    const std::string name = "live/" + workload.name + '/' + script.name;
    suite.add_manual(name, 1, guarded([=](benchmark::State& state) {
                         const Figures figures = measure(script);
                         const Frames& live = figures.smallest;
                         const Figures& quiet_figures = quiet->get();
                         for (auto _ : state) state.SetIterationTime(1e-3 * median(live.all));
                         auto& counters = state.counters;
                         counters["n"] = static_cast<double>(workload.vertices);
                         counters["runs"] = static_cast<double>(figures.runs);
                         counters["least_median_ms"] = median(live.all);
                         counters["least_worst_ms"] = worst(live.all);
                         counters["median_ms"] = median(figures.typical);
                         counters["worst_ms"] = worst(figures.typical);
                         counters["worst_single_ms"] = figures.worst_single;
                         counters["quiet_least_median_ms"] = median(quiet_figures.smallest.all);
                         counters["quiet_least_worst_ms"] = worst(quiet_figures.smallest.all);
                         counters["quiet_median_ms"] = median(quiet_figures.typical);
                         counters["quiet_worst_ms"] = worst(quiet_figures.typical);
                         counters["quiet_worst_single_ms"] = quiet_figures.worst_single;
                         counters["quiet_runs"] = static_cast<double>(quiet_figures.runs);
                         counters["prepare_ms"] = live.prepare[0];
                         counters["apply_changes_ms"] = median(live.apply_changes);
                         counters["global_step_ms"] = median(live.global_step);
                         counters["factorings"] = live.factorings;
                         const std::size_t place = place_of_worst(live.all);
                         counters["worst_frame"] = static_cast<double>(place);
                         for (std::size_t k = 0; k < std::size(stages); ++k)
                             counters[std::string("worst_more_") + stages[k].name] =
                                 live.by_stage[k][place] - median(live.by_stage[k]);
                     }));
}

// Adds the cost per iteration of `count` pins that are applied by a Schur complement.
void add_constraints(Suite& suite, const std::string& name, const Workload& workload, int repeats,
                     int count) {
    suite.add_manual(
        name, repeats, guarded([=](benchmark::State& state) {
            twang::io::Stage without = start(workload.make(), 1, warm_up);
            twang::io::Stage with = start(workload.make(), 1, warm_up);
            for (int k = 0; k < count; ++k)
                check(with.body.pin(scattered_vertex(k, with.body.vertex_count())));
            std::vector<double> free_ms, pinned_ms;
            for (int frame = 0; frame < 60; ++frame)
                for (auto [stage, times] : {std::pair{&without, &free_ms}, {&with, &pinned_ms}}) {
                    check(stage->step());
                    const twang::Report r = stage->body.report();
                    times->push_back((r.ms.local_step + r.ms.global_step + r.ms.accelerate) /
                                     r.iterations);
                }
            for (auto _ : state) state.SetIterationTime(1e-3 * median(pinned_ms));
            state.counters["constraints"] = count;
            state.counters["ratio"] = median(pinned_ms) / median(free_ms);
        }));
}

} // namespace

Group live_group(const Workload& workload, const Options& options) {
    const int repeats = options.quick ? 1 : 3;
    const Repeats runs = options.quick ? Repeats{2, 2} : Repeats{5, 24};
    const std::string path = options.out + "/live.csv";
    const Measure measure = [=](const LiveScript& script) {
        Figures figures = run(workload, script, runs);
        write_frames(figures, script.name, path);
        return figures;
    };
    const auto quiet =
        std::make_shared<Lazy<Figures>>([=] { return measure(live_scripts().front()); });
    const auto add = [=](Suite& suite) {
        for (const LiveScript& script : live_scripts().subspan(1))
            add_live(suite, workload, script, measure, quiet);
        add_constraints(suite, "live/" + workload.name + "/16-pins", workload, repeats, 16);
    };
    return {"live: " + workload.name, add};
}

} // namespace bench
