// The command line: what was asked for, and the help that explains it.
// Owns the one table of options; opens no file and knows nothing of the scene's own settings, which
// stand wherever an option is absent.
#ifndef TWANG_DEMO_OPTIONS_HPP
#define TWANG_DEMO_OPTIONS_HPP

#include <optional>
#include <span>
#include <string>

#include <twang/io.hpp>

#include "drawing.hpp"

namespace twang::demo {

enum class Action { run, list, help, version };

struct Options {
    Action action = Action::run;
    std::string scene = "cloth"; // a shipped name or a path
    bool headless = false;
    std::optional<int> frames;
    std::optional<twang_solver> solver;
    std::optional<twang_energy> energy;
    std::optional<int> iterations;
    std::optional<double> tolerance; // m/s
    std::optional<twang_acceleration> acceleration;
    std::optional<twang_integrator> integrator;
    std::optional<double> numerical_damping;
    std::optional<double> budget;    // ms
    std::optional<double> time_step; // s
    std::optional<double> gravity;   // m/s^2 along y
    std::optional<int> workers;
    std::optional<twang_pin_method> pins;
    std::optional<twang_precision> precision;
    std::optional<twang_arithmetic> arithmetic;
    std::string trajectory; // file names; "": none, "-": standard output
    std::string report;
    std::string screenshot; // file and folder names; "": none
    std::string record;
    std::string export_folder;
    std::string tour;
    std::optional<Size> size; // of the window and of pictures
    std::optional<io::Camera> camera;

    // What is asked for needs no window.
    bool without_window() const { return headless || !trajectory.empty() || !report.empty(); }
};

// The arguments after the program's name.
io::Result<Options> parse_options(std::span<const char* const> arguments);

std::string help_text();
std::string version_text(); // "0.1.0"

} // namespace twang::demo

#endif // TWANG_DEMO_OPTIONS_HPP
