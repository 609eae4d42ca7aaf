// live: how even frames stay while a game changes things. A single frame shows what else the
// machine did at that moment, and it may be so busy that half of the frames take half as long
// again. But frame k is the same work in every run, so every script is run many times: a frame's
// least over the runs is what its work takes; its median is what it typically takes on this
// machine. A script in which nothing changes shows how uneven the machine itself is.
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

// How often a script is run: until no frame's least has fallen by more than `settled` in `last`
// runs, at most `most` times.
struct Repeats {
    int last, most;
};
constexpr double settled = 0.02;

struct Stage {
    const char* name;
    double twang_stage_ms::*ms; // null: what is not in the step, the calls that change something
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
    Series prepare;        // one entry
    Series admits, solves; // to take in a change, where there was one; a global step
    int factorings = 0;
};

struct Figures {
    Frames least;
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
        if (changed) result.admits.push_back(report.ms.apply_changes);
        result.solves.push_back(report.ms.global_step / report.iterations);
    }
    result.factorings = stage.body.precomputation().factorings;
    return result;
}

double least(const Series& ms) { return *std::min_element(ms.begin(), ms.end()); }

// Of every entry one figure over all runs.
Series over_runs(const std::vector<Frames>& runs, const std::function<Series(const Frames&)>& of,
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
    Series least;
    for (int unchanged = 0; unchanged < repeats.last && std::ssize(runs) < repeats.most;) {
        ++unchanged;
        runs.push_back(run_once(workload, script));
        const Series& now = runs.back().all;
        least.resize(now.size(), std::numeric_limits<double>::infinity());
        for (std::size_t k = 0; k < now.size(); ++k) {
            if (now[k] < (1.0 - settled) * least[k]) unchanged = 0;
            least[k] = std::min(least[k], now[k]);
        }
    }
    return runs;
}

Figures run(const Workload& workload, const LiveScript& script, Repeats repeats) {
    const std::vector<Frames> runs = run_until_settled(workload, script, repeats);
    const auto all = [](const Frames& f) { return f.all; };
    Figures result;
    result.least.all = over_runs(runs, all, least);
    result.least.prepare = over_runs(
        runs, [](const Frames& f) { return f.prepare; }, least);
    result.least.admits = over_runs(
        runs, [](const Frames& f) { return f.admits; }, least);
    result.least.solves = over_runs(
        runs, [](const Frames& f) { return f.solves; }, least);
    for (std::size_t k = 0; k < std::size(stages); ++k)
        result.least.by_stage[k] = over_runs(
            runs, [=](const Frames& f) { return f.by_stage[k]; }, least);
    result.least.factorings = runs.front().factorings;
    result.typical = over_runs(runs, all, [](const Series& ms) { return median(ms); });
    for (const Frames& f : runs) result.worst_single = std::max(result.worst_single, worst(f.all));
    result.runs = runs.size();
    return result;
}

// Appends a row for every frame, and the head where the file is new.
void write_frames(const Figures& figures, const char* script, const std::string& path) {
    const bool is_new = !std::filesystem::exists(path);
    std::ofstream file(path, std::ios::app);
    if (is_new) file << "script,frame,least_ms,typical_ms\n";
    for (std::size_t k = 0; k < figures.typical.size(); ++k)
        file << script << ',' << k << ',' << figures.least.all[k] << ',' << figures.typical[k]
             << '\n';
}

using Measure = std::function<Figures(const LiveScript& script)>;

void add_live(Suite& suite, const Workload& workload, const LiveScript& script,
              const Measure& measure, const std::shared_ptr<Lazy<Figures>>& quiet) {
    const std::string name = "live/" + workload.name + '/' + script.name;
    suite.add_manual(name, 1, guarded([=](benchmark::State& state) {
                         const Figures figures = measure(script);
                         const Frames& live = figures.least;
                         const Figures& still = quiet->get();
                         for (auto _ : state) state.SetIterationTime(1e-3 * median(live.all));
                         auto& counters = state.counters;
                         counters["n"] = static_cast<double>(workload.vertices);
                         counters["runs"] = static_cast<double>(figures.runs);
                         counters["least_median_ms"] = median(live.all);
                         counters["least_worst_ms"] = worst(live.all);
                         counters["median_ms"] = median(figures.typical);
                         counters["worst_ms"] = worst(figures.typical);
                         counters["worst_single_ms"] = figures.worst_single;
                         counters["quiet_least_median_ms"] = median(still.least.all);
                         counters["quiet_least_worst_ms"] = worst(still.least.all);
                         counters["quiet_median_ms"] = median(still.typical);
                         counters["quiet_worst_ms"] = worst(still.typical);
                         counters["quiet_worst_single_ms"] = still.worst_single;
                         counters["quiet_runs"] = static_cast<double>(still.runs);
                         counters["prepare_ms"] = live.prepare[0];
                         counters["apply_changes_ms"] = median(live.admits);
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
                    times->push_back((r.ms.local_step + r.ms.global_step + r.ms.accelerate) /
                                     r.iterations);
                }
            for (auto _ : state) state.SetIterationTime(1e-3 * median(held));
            state.counters["constraints"] = count;
            state.counters["ratio"] = median(held) / median(plain);
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
