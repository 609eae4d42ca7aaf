// All tables but those of contact and motion, and the description of the machine. See report.hpp.
#include "report/report.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <ctime>
#include <fstream>
#include <thread>
#include <utility>

#include "report/table.hpp"
#include "suites/live_scripts.hpp"
#include "suites/methods.hpp"
#include "suites/suites.hpp"

namespace bench {

namespace {

std::string solves(const Results& results, const std::vector<Workload>& workloads) {
    Table table({"scene", "n", "springs", "L nonzeros", "twang", "half", "double", "eigen",
                 "cholmod", "stream", "eigen/twang", "cholmod/twang", "twang/stream", "2 workers"});
    for (const Workload& workload : workloads) {
        const std::string path = "solve/" + workload.name + '/';
        const double own = results.ms(path + "twang/1");
        const auto ms = [&](const char* who) { return results.ms(path + who); };
        const auto counter = [&](const char* what) {
            return brief(results.counter(path + "twang/1", what));
        };
        if (!results.find(path + "twang/1")) continue;
        table.add({workload.name, counter("n"), counter("springs"), counter("l_nonzeros"),
                   brief(own), brief(ms("twang-half/1")), brief(ms("twang-double/1")),
                   brief(ms("eigen/1")), brief(ms("cholmod/1")), brief(ms("stream/1")),
                   times(ms("eigen/1") / own), times(ms("cholmod/1") / own),
                   times(own / ms("stream/1")), times(own / ms("twang/2"))});
    }
    return section(
        "The global step",
        "Milliseconds of one solve with three right-hand sides, one worker; `stream` only "
        "reads the bytes that `twang` (float) touches.",
        table);
}

std::string projections(const Results& results, const std::vector<Workload>& workloads) {
    Table table(
        {"scene", "twang", "scatter", "stream", "scatter/twang", "twang/stream", "2 workers"});
    for (const Workload& workload : workloads) {
        const std::string path = "project/" + workload.name + '/';
        const double own = results.ms(path + "twang/1"), scatter = results.ms(path + "scatter/1"),
                     stream = results.ms(path + "stream/1");
        if (results.find(path + "twang/1"))
            table.add({workload.name, brief(own), brief(scatter), brief(stream),
                       times(scatter / own), times(own / stream),
                       times(own / results.ms(path + "twang/2"))});
    }
    return section(
        "The local step",
        "Milliseconds of one gradient with energy; `scatter` is a scalar double loop over "
        "the springs.",
        table);
}

std::string iterations(const Results& results, const std::vector<Workload>& workloads) {
    Table table({"scene", "twang", "textbook", "textbook/twang", "2 workers"});
    for (const Workload& workload : workloads) {
        const std::string path = "iteration/" + workload.name + '/';
        const double own = results.ms(path + "twang/1"), textbook = results.ms(path + "textbook/1");
        if (results.find(path + "twang/1"))
            table.add({workload.name, brief(own), brief(textbook), times(textbook / own),
                       times(own / results.ms(path + "twang/2"))});
    }
    return section("A whole iteration",
                   "Milliseconds of one plain local-global iteration; `textbook` is a scalar loop "
                   "and Eigen's SimplicialLLT.",
                   table);
}

std::string frames(const Results& results, const std::vector<Workload>& workloads) {
    const char* solvers[] = {"local-global", "newton-cg", "newton",
                             "linear",       "static",    "symplectic"};
    Table table({"scene", "workers", "local-global", "newton-cg", "newton", "linear", "static",
                 "symplectic"});
    for (const Workload& workload : workloads)
        for (const char* workers : {"1", "2"}) {
            std::vector<std::string> row{workload.name, workers};
            bool is_there = false;
            for (const char* solver : solvers) {
                const std::string name = "frame/" + workload.name + '/' + solver + '/' + workers;
                const Entry* entry = results.find(name);
                is_there = is_there || entry;
                row.push_back(!entry ? "" : entry->error.empty() ? brief(entry->ms) : "failed");
            }
            if (is_there) table.add(row);
        }
    return section(
        "A frame",
        "Milliseconds at default settings. newton, newton-cg and static run until no vertex moves "
        "by "
        "more than 1e-6 m/s; they and linear are left out where a frame takes minutes. Symplectic "
        "Euler fails where springs are too stiff for it.",
        table);
}

std::string accuracies(const Results& results, const std::vector<Workload>& workloads) {
    Table table({"scene", "method", "1e-1", "1e-2", "1e-3", "1e-4"});
    for (const Workload& workload : workloads)
        for (const Method& method : methods) {
            std::vector<std::string> row{workload.name, method.name};
            bool is_there = false;
            for (const char* level : error_levels) {
                const std::string name =
                    "accuracy/" + workload.name + '/' + method.name + '/' + level;
                const Entry* entry = results.find(name);
                is_there = is_there || entry;
                row.push_back(!entry ? ""
                              : entry->error.empty()
                                  ? brief(entry->ms) + " (" +
                                        brief(results.counter(name, "iterations")) + ")"
                                  : entry->error);
            }
            if (is_there) table.add(row);
        }
    return section("Accuracy",
                   "Milliseconds (iterations) until (g - g*) / (g0 - g*) has fallen below, means "
                   "over frames of the moving scene, one worker; scenes of up to " +
                       std::to_string(max_surface_vertices) + " vertices. The default is " +
                       default_method() + ".",
                   table);
}

// Returns the worst frame and the stage whose time exceeds its median by most.
std::string reason_for_worst(const Results& results, const std::string& name) {
    const std::string prefix = "worst_more_";
    std::string stage;
    double largest_ms = 0.0;
    for (const auto& [counter, ms] : results.find(name)->counters)
        if (counter.starts_with(prefix) && ms > largest_ms)
            largest_ms = ms, stage = counter.substr(prefix.size());
    return brief(results.counter(name, "worst_frame")) + ": " + stage + " +" + brief(largest_ms);
}

std::string changes(const Results& results) {
    Table table({"change", "median", "worst", "ratio", "worst single", "least: median", "worst",
                 "ratio", "the worst is frame", "runs", "apply changes", "a global step"});
    const auto add = [&](const std::string& change, const std::string& name,
                         const std::string& prefix) {
        const auto figure = [&](const char* what) { return results.counter(name, prefix + what); };
        const auto pair = [&](const char* middle, const char* worst) {
            return std::array{brief(figure(middle)), brief(figure(worst)),
                              brief(figure(worst) / figure(middle))};
        };
        const auto typical = pair("median_ms", "worst_ms");
        const auto least = pair("least_median_ms", "least_worst_ms");
        const bool is_quiet = !prefix.empty();
        table.add({change, typical[0], typical[1], typical[2], brief(figure("worst_single_ms")),
                   least[0], least[1], least[2], is_quiet ? "" : reason_for_worst(results, name),
                   brief(figure("runs")), is_quiet ? "" : brief(figure("apply_changes_ms")),
                   is_quiet ? "" : brief(figure("global_step_ms"))});
    };
    bool has_quiet = false;
    for (const LiveScript& script : live_scripts().subspan(1)) {
        const std::string name = std::string("live/cloth100/") + script.name;
        if (!results.find(name)) continue;
        if (!std::exchange(has_quiet, true)) add("nothing", name, "quiet_");
        add(script.name, name, "");
    }
    std::string text = section(
        "Changes while it runs",
        "Milliseconds a frame of cloth100, one worker. Each script was run several times for " +
            std::to_string(live_frames) +
            " frames, every run the same work. A frame counts with its median over the runs; "
            "\"single\" is the worst frame of any run, and \"least\" counts each with its least: "
            "what its work takes where nothing disturbs it, if that ever happened. In the first "
            "row "
            "nothing changes. Beside the worst frame: what took how much longer than usual. "
            "\"Apply changes\" is the time to apply a change.",
        table);
    const double ratio = results.counter("live/cloth100/16-pins", "ratio");
    if (std::isfinite(ratio))
        text += "\n16 live pins make an iteration take " + brief(ratio) + " of what it takes.\n";
    return text;
}

std::string crowds(const Results& results) {
    Table table({"capes", "workers", "ms", "ms per cape", "of a cape alone"});
    const double alone = results.counter("crowd/cape/1/1", "per_cape_ms");
    for (const char* count : {"1", "10", "100"})
        for (const char* workers : {"1", "2"}) {
            const std::string name = std::string("crowd/cape/") + count + '/' + workers;
            if (!results.find(name)) continue;
            const double share = results.counter(name, "per_cape_ms");
            table.add(
                {count, workers, brief(results.ms(name)), brief(share), brief(share / alone)});
        }
    return section("Crowds", "Capes of 1,040 vertices that share a factor, at default settings.",
                   table);
}

std::string busy_machines(const Results& results) {
    Table table({"busy loops", "workers", "median ms", "99 %", "worst"});
    for (const char* loops : {"0", "1", "2"})
        for (const char* workers : {"1", "2"}) {
            const std::string name = std::string("busy/") + workers + '/' + loops;
            if (results.find(name))
                table.add({loops, workers, brief(results.ms(name)),
                           brief(results.counter(name, "p99_ms")),
                           brief(results.counter(name, "worst_ms"))});
        }
    return section("Beside other work", "Milliseconds of a frame of the bunny.", table);
}

std::string precomputations(const Results& results, const std::vector<Workload>& workloads) {
    Table table({"scene", "by", "ms", "order", "assemble", "factor", "pack", "pack/factor"});
    for (const Workload& workload : workloads)
        for (const char* library : {"cholmod", "eigen"}) {
            const std::string name = "precompute/" + workload.name + '/' + library;
            const auto counter = [&](const char* what) { return results.counter(name, what); };
            if (results.find(name))
                table.add({workload.name, library, brief(results.ms(name)),
                           brief(counter("order_ms")), brief(counter("assemble_ms")),
                           brief(counter("factor_ms")), brief(counter("pack_ms")),
                           brief(counter("pack_ms") / counter("factor_ms"))});
        }
    return section("Precomputation",
                   "Milliseconds. The library without a `pack` is not the one this build of the "
                   "engine uses: it orders and factors the same matrix on its own.",
                   table);
}

// Lists entries without a time, with the reason, unless another table shows that.
std::string failures(const Results& results) {
    Table table({"name", "why"});
    for (const auto& [name, entry] : results.all())
        if (!entry.error.empty() && !entry.error.starts_with("not reached") &&
            name.find("/symplectic/") == std::string::npos)
            table.add({name, entry.error});
    return section("Failed", "These have no figure.", table);
}

std::string processor() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "unknown processor";
}

} // namespace

std::string compiler() {
#ifdef __clang__
    return "clang " __clang_version__;
#else
    return "g++ " __VERSION__;
#endif
}

std::string machine_text() {
    std::string text = "- " + processor() + ", " +
                       std::to_string(std::thread::hardware_concurrency()) + " cores; caches:";
    for (const auto& cache : benchmark::CPUInfo::Get().caches)
        text += " L" + std::to_string(cache.level) + ' ' + cache.type + ' ' +
                std::to_string(cache.size / 1024) + " KiB,";
    text.back() = '\n';
    char date[40];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::localtime(&now));
    return text + "- " + compiler() + ", " TWANG_BENCH_BUILD "\n- " + date + "\n";
}

std::string tables(const Results& results, const std::vector<Workload>& workloads) {
    return solves(results, workloads) + projections(results, workloads) +
           iterations(results, workloads) + frames(results, workloads) +
           accuracies(results, workloads) + changes(results) + crowds(results) +
           busy_machines(results) + motion_tables(results) + contact_tables(results) +
           precomputations(results, workloads) + failures(results);
}

std::string goal_table(const std::vector<Goal>& goals, const std::string& complaint) {
    Table table({"goal", "what", "where", "figure", "verdict"});
    for (const Goal& goal : goals)
        table.add({goal.number, goal.text, goal.where, goal.figure,
                   goal.timed && !complaint.empty() ? "not judged"
                   : goal.reached                   ? "reached"
                                                    : "MISSED"});
    const std::string note =
        complaint.empty() ? "" : "This machine is too noisy to judge times: " + complaint + ".";
    return section("Goals", note, table);
}

} // namespace bench
