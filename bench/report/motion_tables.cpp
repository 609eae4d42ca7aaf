// The tables about the motion of falling cloth and about energy.
#include <cmath>

#include "report/report.hpp"
#include "report/table.hpp"
#include "rivals/rivals.hpp"
#include "suites/energy.hpp"
#include "suites/methods.hpp"
#include "suites/truth.hpp"

namespace bench {

namespace {

// Formats three counters of an entry whose names begin with `before`.
std::string centimetres(const Results& results, const std::string& name,
                        const std::string& before) {
    AtFrames metres;
    for (std::size_t i = 0; i < metres.size(); ++i)
        metres[i] = results.counter(name, before + std::to_string(true_frames[i]));
    return bench::centimetres(metres);
}

std::string falls(const Results& results) {
    Table table({"N", "method", "iterations", "ms", "of a textbook iteration", "max stretch",
                 "mean stretch", "rms cm at 30 / 60 / 90"});
    for (const int side : {32, 64, 100, 128}) {
        const std::string path = "fall/" + std::to_string(side) + '/';
        const double textbook = results.ms(path + "textbook-iteration/1");
        std::vector<std::string> names{"default/1", "default/2", "default-2x/1"};
        for (const Method& method : methods) names.push_back(std::string(method.name) + "/1");
        for (const std::string& name : names) {
            const Entry* entry = results.find(path + name);
            if (!entry) continue;
            const auto counter = [&](const char* what) {
                return results.counter(path + name, what);
            };
            std::vector<std::string> row{std::to_string(side), name};
            if (entry->error.empty())
                row.insert(row.end(), {brief(counter("iterations")), brief(entry->ms),
                                       brief(entry->ms / textbook), percent(counter("max_stretch")),
                                       percent(counter("mean_stretch")),
                                       centimetres(results, path + name, "rms_")});
            else
                row.push_back(entry->error);
            row.resize(8);
            table.add(row);
        }
    }
    return section(
        "Falling cloth at true motion",
        "The fewest iterations with max stretch below 10 % and mean below 2 % (frames 240 to 300) "
        "and an rms distance from the exact motion of at most " +
            bench::centimetres(true_limits) +
            " cm at frames 30, 60 and 90; milliseconds per frame. default-2x takes two substeps a "
            "frame.",
        table);
}

std::string bullets(const Results& results) {
    if (!has_bullet()) return "\nBullet is not installed (libbullet-dev): not compared with.\n";
    Table table({"N", "position iterations", "ms", "max stretch", "mean stretch", "lowest 30"});
    for (const char* side : {"32", "64", "100"})
        for (const char* iterations : {"1", "10", "50", "200"}) {
            const std::string name = std::string("bullet/fall") + side + '/' + iterations;
            const Entry* entry = results.find(name);
            if (!entry) continue;
            if (entry->error.empty())
                table.add({side, iterations, brief(entry->ms),
                           percent(results.counter(name, "max_stretch")),
                           percent(results.counter(name, "mean_stretch")),
                           brief(results.counter(name, "lowest_30"))});
            else
                table.add({side, iterations, entry->error, "", "", ""});
        }
    return section("Falling cloth in Bullet's soft body", "1 iteration is its default.", table);
}

std::string energies(const Results& results) {
    std::vector<std::string> head{"scene", "integrator"};
    for (const int seconds : energy_seconds) head.push_back(std::to_string(seconds) + " s");
    Table table(head);
    for (const std::string scene : energy_scenes)
        for (const std::string integrator : {"implicit-euler", "bdf2"}) {
            const std::string name = "energy/" + scene + '/' + integrator;
            if (!results.find(name)) continue;
            std::vector<std::string> row{scene, integrator};
            for (const int seconds : energy_seconds)
                row.push_back(percent(results.counter(name, "left_" + std::to_string(seconds))));
            table.add(row);
        }
    return section("Energy left without damping",
                   "Above that at rest, as a share of the start; the springs themselves lose none.",
                   table);
}

std::string exact_motions(const Results& results) {
    Table table({"N", "substeps", "compared with", "change in cm at 30 / 60 / 90", "ms"});
    for (const int side : truth_sides(false)) {
        const std::string name = truth_name(side, "exact", exact_substeps(side));
        if (results.find(name))
            table.add({std::to_string(side), std::to_string(exact_substeps(side)),
                       std::to_string(other_substeps(side)), centimetres(results, name, "change_"),
                       brief(results.ms(name))});
    }
    return section("The exact motion of falling cloth",
                   "Symplectic Euler with so many substeps a frame, and the rms distance from it "
                   "of a run with twice as many, or half as many where the engine allows no more.",
                   table);
}

void add_truth_row(Table& table, const Results& results, int side, const TruthMethod& method,
                   int iterations) {
    const std::string name = truth_name(side, method.name, iterations);
    const Entry* entry = results.find(name);
    if (!entry) return;
    std::vector<std::string> row{std::to_string(side), method.name, std::to_string(iterations),
                                 std::to_string(method.substeps)};
    if (entry->error.empty())
        row.insert(row.end(), {brief(entry->ms), centimetres(results, name, "rms_"),
                               percent(results.counter(name, "max_stretch"))});
    else
        row.insert(row.end(), {"", entry->error, ""});
    table.add(row);
}

std::string truths(const Results& results) {
    Table table(
        {"N", "method", "iterations", "substeps", "ms", "rms cm at 30 / 60 / 90", "max stretch"});
    for (const int side : truth_sides(false))
        for (const TruthMethod& method : truth_methods())
            for (const int iterations : method.iterations)
                add_truth_row(table, results, side, method, iterations);
    return section("How far falling cloth is from its exact motion",
                   "One worker; median milliseconds of the first 90 frames, iterations of a "
                   "substep, the largest stretch of these frames. 100 iterations of newton and "
                   "newton-cg: they end at 1e-3 m/s.",
                   table);
}

std::string integrator_costs(const Results& results) {
    const std::vector<int>& counts = truth_methods().front().iterations; // of the default
    std::vector<std::string> header{"N"};
    for (const int iterations : counts) header.push_back(std::to_string(iterations));
    Table table(header);
    for (const int side : truth_sides(false)) {
        std::vector<std::string> row{std::to_string(side)};
        bool is_there = false;
        for (const int iterations : counts) {
            const double ratio = default_to_euler(results, side, iterations);
            is_there = is_there || std::isfinite(ratio);
            row.push_back(brief(ratio));
        }
        if (is_there) table.add(row);
    }
    return section("What BDF2 costs",
                   "Time of a frame by the default, as a multiple of implicit Euler's, with so "
                   "many iterations.",
                   table);
}

} // namespace

std::string motion_tables(const Results& results) {
    return falls(results) + exact_motions(results) + truths(results) + integrator_costs(results) +
           energies(results) + bullets(results);
}

} // namespace bench
