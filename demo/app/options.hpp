// The command line: the options, their parser and the help text, all from one table.
// An absent option leaves the scene's own setting in force. This file opens no file and reads no
// scene; scenes.hpp applies the options to a scene.
//
// The folder app/ owns the command line and all runs of the program: the headless run and the tour,
// the messages and exit codes, and the figures of a run (report, summary, timings, trajectory).
// app/ calls no OpenGL, GLFW or Dear ImGui. Only the tour uses the window, through view/viewer.hpp.
#ifndef TWANG_DEMO_OPTIONS_HPP
#define TWANG_DEMO_OPTIONS_HPP

#include <optional>
#include <span>
#include <string>

#include <twang/io.hpp>

#include "view/drawing.hpp"

namespace twang::demo {

enum class Action { run, list, help, version };

struct Options {
    Action action = Action::run;
    std::string scene = "cloth"; // a shipped name or a path
    bool headless = false;
    bool strict = false; // warnings about the scene are errors
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
    std::string trajectory; // file name; "": none, "-": standard output
    std::string report;     // likewise
    std::string screenshot; // file or folder name, as the next three; "": none
    std::string record;
    std::string export_folder;
    std::string tour;
    std::optional<Size> size; // of the window and of pictures
    std::optional<io::Camera> camera;

    // Returns whether the run needs no window.
    bool without_window() const { return headless || !trajectory.empty() || !report.empty(); }
};

// Parses the arguments after the program's name.
io::Result<Options> parse_options(std::span<const char* const> arguments);

std::string help_text();
std::string version_text(); // "0.2.0"

} // namespace twang::demo

#endif // TWANG_DEMO_OPTIONS_HPP
