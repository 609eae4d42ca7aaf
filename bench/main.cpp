// The benchmarks: calibrates the machine, runs all groups, calibrates again, and writes
// results.json, report.md and the plots.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "report/report.hpp"
#include "suites/calibration.hpp"
#include "suites/contact.hpp"
#include "suites/live_scripts.hpp"
#include "suites/suites.hpp"
#include "suites/truth.hpp"

namespace {

using namespace bench;

std::vector<Group> all_groups(const Options& options, const std::vector<Workload>& workloads) {
    std::vector<Group> groups;
    for (const Workload& workload : workloads) groups.push_back(kernel_group(workload, options));
    for (const Workload& workload : workloads) groups.push_back(frame_group(workload, options));
    for (const Workload& workload : workloads)
        if (workload.vertices <= max_surface_vertices &&
            !(options.quick && workload.name == "curtain"))
            groups.push_back(accuracy_group(workload, options));
    const std::vector<int> falls =
        options.quick ? std::vector{32, 64} : std::vector{32, 64, 100, 128};
    for (const Workload& workload : workloads)
        if (workload.name == "cloth100") groups.push_back(live_group(workload, options));
    groups.push_back(crowd_group(options));
    groups.push_back(busy_group(options));
    for (const int side : falls) groups.push_back(fall_group(side, options));
    for (const int side : truth_sides(options.quick)) {
        groups.push_back(truth_group(side, options));
        groups.push_back(slow_truth_group(side, options));
    }
    groups.push_back(energy_group());
    for (const std::string& scene : contact_scenes())
        if (!options.quick || scene == "ball33") groups.push_back(contact_group(scene, options));
    const std::vector<int> bullets = options.quick ? std::vector{32} : std::vector{32, 64, 100};
    for (const int side : bullets) groups.push_back(bullet_group(side, options));
    return groups;
}

std::string plot_text(const std::vector<Plot>& plots) {
    if (!has_gnuplot()) return "\nNo plots: gnuplot is not installed (gnuplot-nox).\n";
    std::string text;
    for (const Plot& plot : plots) text += "\n![" + plot.caption + "](" + plot.file + ")\n";
    return text;
}

int run(const Options& options) {
    const auto workloads = read_workloads(options);
    if (!workloads) {
        std::fprintf(stderr, "%s\n", workloads.error().text().c_str());
        return static_cast<int>(workloads.error().exit);
    }
    Suite suite(options);
    const std::vector<Group> groups = all_groups(options, *workloads);
    if (options.list) return suite.run(groups) ? 0 : 2;

    std::error_code problem;
    std::filesystem::create_directories(options.out, problem);
    std::ofstream report(options.out + "/report.md");
    if (!report) {
        std::fprintf(stderr, "%s: cannot write there\n", options.out.c_str());
        return 3;
    }
    for (const char* appended : {"/accuracy.csv", "/live.csv"})
        std::filesystem::remove(options.out + appended, problem);

    const Calibration before = calibrate();
    std::fprintf(stderr, "calibration: %s\n", before.text().c_str());
    if (!before.complaint().empty())
        std::fprintf(stderr, "this machine is too noisy to judge: %s\n",
                     before.complaint().c_str());
    Suite::note("compiler", compiler());
    Suite::note("calibration_before", before.text());
    if (!suite.run(groups)) {
        std::fprintf(stderr, "no benchmark has a name like that; try --list\n");
        return 2;
    }
    const Calibration after = calibrate();
    std::fprintf(stderr, "calibration: %s\n", after.text().c_str());

    suite.write_json(options.out + "/results.json");
    const std::string complaint =
        before.complaint().empty() ? after.complaint() : before.complaint();
    const std::string body = tables(suite.results(), *workloads);
    const std::string goals = goal_table(judge(suite.results(), *workloads), complaint);
    std::printf("%s%s", body.c_str(), goals.c_str());
    const std::string error_scene = options.quick ? "cloth32" : "cloth100";
    report << "# Twang's benchmark\n\n"
           << machine_text() << "- before: " << before.text() << "\n- after: " << after.text()
           << '\n'
           << goals << plot_text(draw_plots(suite.results(), options.out, error_scene)) << body;
    std::printf("\nreport: %s/report.md\n", options.out.c_str());
    return 0;
}

int play(const std::string& name) {
    const LiveScript* script = find_live_script(name);
    if (!script) {
        std::fprintf(stderr, "--play: there is no script '%s'; try --help\n", name.c_str());
        return 2;
    }
    try {
        twang::io::Stage stage = start(cloth(100), 1, 3);
        const Change change = script->make();
        if (script->prepare) script->prepare(stage);
        for (int frame = 0; frame < counted_frames; ++frame) live_frame(change, stage, frame);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s: %s\n", name.c_str(), e.what());
        return 6;
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    if (!options.error.empty()) {
        std::fprintf(stderr, "%s\n", options.error.c_str());
        return 2;
    }
    if (options.help) {
        std::fputs(help_text(), stdout);
        return 0;
    }
    return options.play.empty() ? run(options) : play(options.play);
}
