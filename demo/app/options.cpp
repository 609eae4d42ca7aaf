#include "app/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "app/messages.hpp"
#include "app/nearest.hpp"
#include "record/movie.hpp"

namespace twang::demo {
namespace {

// Why a value is rejected; empty when the value is valid.
using Reason = std::string;

std::string quoted(std::string_view text) {
    std::string result(1, '\'');
    return result.append(text).append(1, '\'');
}

// Parses the whole text as a number; a leading '+' is allowed.
template <class T>
std::errc read_number(std::string_view text, T& value) {
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc{} && stopped != end) return std::errc::invalid_argument;
    return error;
}

// Parses an integer in [lowest, highest].
Reason whole(std::string_view text, int lowest, int highest, std::optional<int>& slot) {
    long long value = 0;
    const std::errc error = read_number(text, value);
    if (error == std::errc::invalid_argument) return quoted(text) + " is not a whole number";
    if (error != std::errc{} || value < lowest || value > highest) {
        return quoted(text) + " is out of range: " + std::to_string(lowest) + " ... " +
               std::to_string(highest);
    }
    slot = static_cast<int>(value);
    return {};
}

enum class Range { any, from_zero, above_zero, zero_to_one };

// Parses a finite real number in the range.
Reason real(std::string_view text, Range range, std::optional<double>& slot) {
    double value = 0.0;
    const std::errc error = read_number(text, value);
    if (error == std::errc::invalid_argument) return quoted(text) + " is not a number";
    if (error != std::errc{} || !std::isfinite(value)) {
        return quoted(text) + " is not a finite number";
    }
    if (range == Range::zero_to_one && !(value >= 0.0 && value <= 1.0)) {
        return quoted(text) + " is not from 0 to 1";
    }
    if (range == Range::from_zero && value < 0.0) return quoted(text) + " is below 0";
    if (range == Range::above_zero && value <= 0.0) return quoted(text) + " is not above 0";
    slot = value;
    return {};
}

// Lists the names of all values up to and including the last: "hooke, stvk".
template <class T>
std::string names_up_to(T last) {
    std::string names;
    for (int i = 0; i <= static_cast<int>(last); ++i) {
        names += (i ? ", " : "") + std::string(io::name(static_cast<T>(i)));
    }
    return names;
}

template <class T>
Reason choice(std::string_view text, std::optional<T> found, T last, std::optional<T>& slot) {
    if (!found) return quoted(text) + " is none of " + names_up_to(last);
    slot = found;
    return {};
}

Reason file_name(std::string_view text, std::string& slot) {
    if (text.empty()) return "needs a file name, or - for standard output";
    slot = text;
    return {};
}

Reason folder_name(std::string_view text, std::string& slot) {
    if (text.empty()) return "needs the name of a folder";
    slot = text;
    return {};
}

Reason movie_name(std::string_view text, std::string& slot) {
    if (!is_movie_name(std::string(text))) {
        return quoted(text) + " must end in .mp4, .gif or .webp";
    }
    slot = text;
    return {};
}

Reason picture_name(std::string_view text, std::string& slot) {
    if (!text.ends_with(".png") || text.size() == 4) return quoted(text) + " must end in .png";
    slot = text;
    return {};
}

// Parses "1280x800".
Reason size(std::string_view text, std::optional<Size>& slot) {
    const std::size_t by = text.find('x');
    std::optional<int> width, height;
    if (by == std::string_view::npos || !whole(text.substr(0, by), 16, 8192, width).empty() ||
        !whole(text.substr(by + 1), 16, 8192, height).empty()) {
        return quoted(text) + " is not WIDTHxHEIGHT, each 16 ... 8192";
    }
    slot = Size{*width, *height};
    return {};
}

// Parses "1,2,3,0,0,0": eye x,y,z and target x,y,z.
Reason camera(std::string_view text, std::optional<io::Camera>& slot) {
    const std::string why = quoted(text) + " is not six numbers: eye x,y,z, target x,y,z";
    double numbers[6];
    for (int i = 0; i < 6; ++i) {
        const std::size_t comma = i < 5 ? text.find(',') : text.size();
        std::optional<double> number;
        if (comma == std::string_view::npos ||
            !real(text.substr(0, comma), Range::any, number).empty()) {
            return why;
        }
        numbers[i] = *number;
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    slot = io::Camera{{numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5]}};
    return {};
}

struct Spec {
    std::string_view name;  // "--frames"
    std::string_view value; // name of the value in the help; "": the option takes no value
    std::string_view help;  // after '\n' the text continues in the same column
    Reason (*set)(Options&, std::string_view);
};

constexpr int max_int = std::numeric_limits<int>::max();

const Spec specs[] = {
    {"--headless", "", "simulate without a window, as --trajectory and --report do",
     [](Options& o, std::string_view) -> Reason { return o.headless = true, Reason{}; }},
    {"--strict", "", "warnings about the scene, as of unknown keys, are errors: exit 4",
     [](Options& o, std::string_view) -> Reason { return o.strict = true, Reason{}; }},
    {"--frames", "N", "simulate N frames, 0 or more (default: the scene's)",
     [](Options& o, std::string_view v) { return whole(v, 0, max_int, o.frames); }},
    {"--solver", "S",
     "local-global, newton, newton-cg, linear, symplectic\n"
     "or static (default: the scene's)",
     [](Options& o, std::string_view v) {
         return choice(v, io::solver_named(v), TWANG_SOLVER_STATIC, o.solver);
     }},
    {"--energy", "E",
     "spring energy: hooke or stvk (default: the scene's);\n"
     "local-global knows hooke only",
     [](Options& o, std::string_view v) {
         return choice(v, io::energy_named(v), TWANG_STVK, o.energy);
     }},
    {"--iterations", "N",
     "at most N iterations a frame, 1 or more (default:\n"
     "the scene's, or the solver's own when --solver changes it)",
     [](Options& o, std::string_view v) { return whole(v, 1, max_int, o.iterations); }},
    {"--tolerance", "T",
     "stop iterating when no vertex moves faster than T m/s\n"
     "in an iteration; 0: never (default: as for --iterations)",
     [](Options& o, std::string_view v) { return real(v, Range::from_zero, o.tolerance); }},
    {"--acceleration", "NAME",
     "of local-global: none, chebyshev, anderson, lbfgs or two-level\n"
     "(default: as for --iterations)",
     [](Options& o, std::string_view v) {
         return choice(v, io::acceleration_named(v), TWANG_ACCELERATION_TWO_LEVEL, o.acceleration);
     }},
    {"--integrator", "NAME",
     "of local-global, newton and newton-cg: implicit-euler or bdf2\n"
     "(default: as for --iterations)",
     [](Options& o, std::string_view v) {
         return choice(v, io::integrator_named(v), TWANG_BDF2, o.integrator);
     }},
    {"--numerical-damping", "D",
     "of bdf2, 0 ... 1: 1 damps as implicit Euler does\n"
     "(default: as for --iterations)",
     [](Options& o, std::string_view v) {
         return real(v, Range::zero_to_one, o.numerical_damping);
     }},
    {"--budget", "MS",
     "start no iteration that would end more than MS milliseconds\n"
     "after the frame began; 0: no limit (default: as for --iterations).\n"
     "Results then depend on the machine's speed and load",
     [](Options& o, std::string_view v) { return real(v, Range::from_zero, o.budget); }},
    {"--time-step", "H", "seconds a frame, above 0 (default: the scene's, mostly 1/60)",
     [](Options& o, std::string_view v) { return real(v, Range::above_zero, o.time_step); }},
    {"--gravity", "G", "acceleration along y in m/s^2 (default: the scene's, mostly -9.8)",
     [](Options& o, std::string_view v) { return real(v, Range::any, o.gravity); }},
    {"--workers", "N", "threads, 0 ... 256; results do not depend on it (default: all cores)",
     [](Options& o, std::string_view v) { return whole(v, 0, TWANG_MAX_WORKERS, o.workers); }},
    {"--pins", "P", "how pins hold: penalty or elimination (default: the scene's)",
     [](Options& o, std::string_view v) {
         return choice(v, io::pin_method_named(v), TWANG_PIN_ELIMINATION, o.pins);
     }},
    {"--precision", "NAME",
     "how the factor is stored: float, double, half or best\n"
     "(default: the scene's, mostly best)",
     [](Options& o, std::string_view v) {
         return choice(v, io::precision_named(v), TWANG_PRECISION_BEST, o.precision);
     }},
    {"--arithmetic", "NAME",
     "fast, or portable: slower, the same bits on every machine\n"
     "(default: the scene's, mostly fast)",
     [](Options& o, std::string_view v) {
         return choice(v, io::arithmetic_named(v), TWANG_ARITHMETIC_PORTABLE, o.arithmetic);
     }},
    {"--trajectory", "FILE.csv",
     "write every vertex of every frame: frame,vertex,x,y,z;\n"
     "frame 0 is the initial state; - is standard output;\n"
     "of many bodies the first",
     [](Options& o, std::string_view v) { return file_name(v, o.trajectory); }},
    {"--report", "FILE.json",
     "write figures of the run; - is standard output; of many\n"
     "bodies the sums",
     [](Options& o, std::string_view v) { return file_name(v, o.report); }},
    {"--size", "WxH", "of window and pictures in pixels (default: 1280x800)",
     [](Options& o, std::string_view v) { return size(v, o.size); }},
    {"--camera", "X,Y,Z,X,Y,Z", "eye and target (default: the scene's)",
     [](Options& o, std::string_view v) { return camera(v, o.camera); }},
    {"--screenshot", "FILE.png", "save the last frame",
     [](Options& o, std::string_view v) { return picture_name(v, o.screenshot); }},
    {"--record", "FILE.mp4", "film every frame at 60 a second: .mp4, .gif or .webp;\nneeds ffmpeg",
     [](Options& o, std::string_view v) { return movie_name(v, o.record); }},
    {"--export", "DIR",
     "write the body of every frame as an .obj file; of many bodies\n"
     "the first",
     [](Options& o, std::string_view v) { return folder_name(v, o.export_folder); }},
    {"--tour", "DIR", "film four scenes, with a picture of each and a table of times",
     [](Options& o, std::string_view v) { return folder_name(v, o.tour); }},
    {"--list", "", "list the shipped scenes",
     [](Options& o, std::string_view) -> Reason { return o.action = Action::list, Reason{}; }},
    {"--help", "", "show this page",
     [](Options& o, std::string_view) -> Reason { return o.action = Action::help, Reason{}; }},
    {"--version", "", "show the version",
     [](Options& o, std::string_view) -> Reason { return o.action = Action::version, Reason{}; }},
};

const Spec* find_spec(std::string_view name) {
    if (name == "-h") name = "--help";
    for (const Spec& spec : specs) {
        if (spec.name == name) return &spec;
    }
    return nullptr;
}

io::Error unknown_option(std::string_view name) {
    std::vector<std::string> known;
    for (const Spec& spec : specs) known.emplace_back(spec.name);
    const std::string meant = nearest(name, known);
    const std::string hint = meant.empty() ? "see --help" : "did you mean " + quoted(meant) + "?";
    return usage_error("unknown option " + quoted(name) + "; " + hint);
}

// Parses the option at arguments[at]. Its value follows '=' or is the next argument; in the second
// case `at` advances by one.
std::optional<io::Error> take_option(std::span<const char* const> arguments, std::size_t& at,
                                     Options& options) {
    const std::string_view argument = arguments[at];
    const std::size_t equals = argument.find('=');
    const bool attached = equals != std::string_view::npos;
    const std::string_view name = argument.substr(0, equals);
    const Spec* spec = find_spec(name);
    if (!spec) return unknown_option(name);

    const std::string label = std::string(spec->name) + ": ";
    std::string_view value;
    if (spec->value.empty()) {
        if (attached) return usage_error(label + "takes no value");
    } else if (attached) {
        value = argument.substr(equals + 1);
    } else {
        const bool there = at + 1 < arguments.size();
        if (!there || std::string_view(arguments[at + 1]).starts_with("--")) {
            return usage_error(label + "needs a value: " + std::string(spec->value));
        }
        value = arguments[++at];
    }
    if (const Reason reason = spec->set(options, value); !reason.empty()) {
        return usage_error(label + reason);
    }
    return {};
}

// Checks the options against each other, after all of them are parsed.
std::optional<io::Error> check_together(const Options& options) {
    if (!options.report.empty() && options.report == options.trajectory) {
        return usage_error("--report: " + quoted(options.report) +
                           " is where --trajectory goes already");
    }
    const std::pair<const char*, bool> windowed[] = {{"--screenshot", !options.screenshot.empty()},
                                                     {"--record", !options.record.empty()},
                                                     {"--tour", !options.tour.empty()}};
    for (const auto& [name, given] : windowed) {
        if (given && options.without_window()) {
            return usage_error(std::string(name) +
                               ": needs a window; --headless, --trajectory and --report have none");
        }
    }
    if (!options.tour.empty() && !(options.record + options.screenshot).empty()) {
        return usage_error("--tour: makes its own film and pictures");
    }
    return {};
}

} // namespace

io::Result<Options> parse_options(std::span<const char* const> arguments) {
    Options options;
    bool scene_given = false;
    bool only_scenes = false; // after "--"
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        const std::string_view argument = arguments[at];
        if (!only_scenes && argument == "--") {
            only_scenes = true;
        } else if (!only_scenes && argument.starts_with('-')) {
            if (const auto error = take_option(arguments, at, options)) return *error;
            if (options.action == Action::help || options.action == Action::version) return options;
        } else if (scene_given) {
            return usage_error("a second scene " + quoted(argument) + " after " +
                               quoted(options.scene));
        } else {
            options.scene = argument;
            scene_given = true;
        }
    }
    if (const auto error = check_together(options)) return *error;
    return options;
}

std::string help_text() {
    std::string text =
        "twang_demo [SCENE] [OPTIONS]: shows a scene of springs in a window, or simulates it "
        "without\n"
        "one and reports how it went.\n"
        "\n"
        "SCENE is a shipped scene (see --list; default: cloth) or a path to a .json scene, an "
        ".obj\n"
        "or a .mesh. A bare mesh weighs 1 kg and hangs from its highest vertices.\n"
        "\n";
    constexpr std::size_t column = 26;
    for (const Spec& spec : specs) {
        std::string left(2, ' ');
        left += spec.name;
        if (!spec.value.empty()) left.append(1, ' ').append(spec.value);
        text += left + std::string(column - left.size(), ' ');
        for (const char c : spec.help) {
            text += c;
            if (c == '\n') text += std::string(column, ' ');
        }
        text += '\n';
    }
    text +=
        "\n"
        "Values may also be attached: --frames=100. The last of a repeated option counts.\n"
        "Shipped scenes are read from the folder in the environment variable TWANG_ASSETS, if "
        "set.\n"
        "\n"
        "Examples:\n"
        "  twang_demo flag\n"
        "  twang_demo bunny --frames 240 --size 640x480 --record bunny.gif\n"
        "  twang_demo net.obj --solver newton --tolerance 1e-6 --report net.json\n"
        "\n"
        "With --frames, --screenshot, --record or --export the window closes after the last "
        "frame.\n"
        "\n"
        "Exit codes: 0 fine, 1 no display or no OpenGL 3.3, 2 usage, 3 unreadable file or\n"
        "unwritable output, 4 invalid content, 5 out of memory, 6 numerical failure,\n"
        "130 interrupted (what was simulated is written).\n";
    return text;
}

std::string version_text() {
    return std::to_string(TWANG_VERSION_MAJOR) + "." + std::to_string(TWANG_VERSION_MINOR) + "." +
           std::to_string(TWANG_VERSION_PATCH);
}

} // namespace twang::demo
