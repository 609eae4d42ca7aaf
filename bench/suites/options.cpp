// Parses the command line and holds the help text.
#include "suites/options.hpp"

#include <regex>
#include <string_view>

namespace bench {

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        const bool has_value = i + 1 < argc;
        if (argument == "--quick") {
            options.quick = true;
        } else if (argument == "--list") {
            options.list = true;
        } else if (argument == "--help" || argument == "-h") {
            options.help = true;
        } else if (argument == "--out" && has_value) {
            options.out = argv[++i];
        } else if (argument == "--play" && has_value) {
            options.play = argv[++i];
        } else if (argument == "--filter" && has_value) {
            options.filter = argv[++i];
        } else if (argument.starts_with("-")) {
            options.error = "cannot make sense of '" + std::string(argument) + "'; try --help";
        } else {
            options.scenes.emplace_back(argument);
        }
    }
    try {
        std::regex(options.filter);
    } catch (const std::regex_error&) {
        options.error = "--filter: '" + options.filter + "' is no regular expression";
    }
    return options;
}

const char* help_text() {
    return R"(usage: bench/run [--quick] [--out DIR] [--filter REGEX] [--list] [SCENE.json ...]
       bench/run --instructions [SCRIPT ...]

Measures the engine against what else there is, prints tables and says which goals are reached.
  --quick         fewer scenes and repeats: some minutes instead of the better part of an hour
  --out DIR       where report.md, results.json, accuracy.csv, live.csv and the plots go
                  (build/bench-results)
  --filter REGEX  only the benchmarks whose names match; goals that miss figures are left out
  --list          prints the names and measures nothing
  --instructions  measures no time: counts, by valgrind, the instructions of every frame while
                  things change; 5 to 10 minutes for each SCRIPT (all of them), which is
                  quiet, pin, drag, time-step or tear
  --play SCRIPT   only runs the frames that are counted
  SCENE.json      more scenes to measure, or .obj and .mesh files

Names:
  solve/SCENE/{twang,twang-half,twang-double,eigen,cholmod,stream}/WORKERS   the global step
  project/SCENE/{twang,scatter,stream}/WORKERS                               the local step
  iteration/SCENE/{twang,textbook}/WORKERS                                   both together
  frame/SCENE/SOLVER/WORKERS              a frame at default settings
  accuracy/SCENE/SOLVER/ERROR             time until (g - g*) / (g0 - g*) falls below ERROR
  fall/N/SOLVER/WORKERS                   a frame of falling cloth, at true motion
  truth/N/METHOD/ITERATIONS               its distance from the exact motion, and a frame's time
  contact/SCENE/ITERATIONS                a frame of cloth that lies on SCENE, and one in the air
  contact/SCENE/bullet/ITERATIONS         the same in Bullet's soft body
  precompute/SCENE/{cholmod,eigen}        order, assemble, factor, pack
  bullet/SCENE/ITERATIONS                 the falling cloth in Bullet's soft body
)";
}

} // namespace bench
