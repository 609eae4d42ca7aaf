// Writes gnuplot scripts and runs them. See plots.hpp.
#include "report/plots.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "report/goals.hpp"
#include "suites/live_scripts.hpp"
#include "suites/methods.hpp"
#include "suites/truth.hpp"

namespace bench {

namespace {

struct Series {
    std::string title;
    const char* colour;
    Points points;
    bool dashed = false;
};

// Distinguishable with colour blindness (palette of Okabe and Ito).
constexpr const char* black = "#000000";
constexpr const char* orange = "#e69f00";
constexpr const char* sky = "#56b4e9";
constexpr const char* green = "#009e73";
constexpr const char* blue = "#0072b2";
constexpr const char* red = "#d55e00";
constexpr const char* pink = "#cc79a7";
constexpr const char* grey = "#888888";

enum class Axes { logarithmic, fine_logarithmic, linear };
enum class Style { lines, points };

const char* axes_script(Axes axes) {
    switch (axes) {
    case Axes::logarithmic: return "set logscale xy\nset format xy '10^{%T}'\n";
    case Axes::fine_logarithmic: // for fewer than three decades
        return "set logscale xy\n"
               "tics = '(.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)'\n"
               "eval 'set xtics ' . tics\neval 'set ytics ' . tics\n";
    case Axes::linear: return "set yrange [0:]\n";
    }
    return "";
}

// The legend is to the right of the curves.
void write_panel(std::ostream& script, const std::string& title, const std::vector<Series>& series,
                 Style style) {
    script << "set title '" << title << "' font ',18'\n";
    for (std::size_t i = 0; i < series.size(); ++i) {
        script << "$data" << i << " << END\n";
        for (const auto& [x, y] : series[i].points) script << x << ' ' << y << '\n';
        script << "END\n";
    }
    script << "plot ";
    for (std::size_t i = 0; i < series.size(); ++i)
        script << (i ? ", " : "") << "$data" << i << " with "
               << (style == Style::points ? "linespoints pt 7 ps 0.6" : "lines") << " lw 2 dt "
               << (series[i].dashed ? 2 : 1) << " lc rgb '" << series[i].colour << "' title '"
               << series[i].title << "'";
    script << '\n';
}

struct Panel {
    std::string title;
    std::vector<Series> series;
};

// Draws panels below each other.
bool draw(const std::string& path, const std::string& x_label, const std::string& y_label,
          const std::vector<Panel>& panels, Axes axes, Style style) {
    std::ostringstream script;
    script << "set terminal svg size 900," << 540 * panels.size()
           << " dynamic background '#ffffff' font 'sans-serif,16'\n"
           << "set output '" << path << "'\n"
           << "set xlabel '" << x_label << "'\nset ylabel '" << y_label << "'\n"
           << axes_script(axes)
           << "set grid xtics ytics lc rgb '#dddddd' lw 1\nset border lw 1 lc rgb '#555555'\n"
           << "set key outside right top Left reverse samplen 2 spacing 1.3\nset tics nomirror\n";
    if (panels.size() > 1) script << "set multiplot layout " << panels.size() << ",1\n";
    for (const Panel& panel : panels) write_panel(script, panel.title, panel.series, style);
    FILE* gnuplot = popen("gnuplot", "w");
    if (!gnuplot) return false;
    std::fputs(script.str().c_str(), gnuplot);
    return pclose(gnuplot) == 0;
}

double number(const std::string& text) { return std::atof(text.c_str()); }

// Reads the rows of a CSV file that a suite has written, split at the commas.
std::vector<std::vector<std::string>> rows_of(const std::string& path) {
    std::vector<std::vector<std::string>> rows;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream fields(line);
        rows.emplace_back();
        for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
    }
    return rows;
}

// Reads a scene's curves from the CSV file of the suite `accuracy`.
std::vector<Series> error_curves(const std::string& path, const std::string& scene) {
    const char* colours[] = {black, sky, orange, green, red, blue, pink};
    std::vector<Series> series;
    for (std::size_t i = 0; i < methods.size(); ++i)
        series.push_back({methods[i].name, colours[i], {}, i + 1 == methods.size()});
    for (const auto& row : rows_of(path))
        for (Series& one : series)
            if (row[0] == scene && row[1] == one.title && number(row[4]) >= 1e-6)
                one.points.emplace_back(number(row[3]), number(row[4]));
    std::erase_if(series, [](const Series& one) { return one.points.empty(); });
    return series;
}

// Reads the frames of the live scripts from the CSV file of the suite `live`.
std::vector<Series> frame_curves(const std::string& path) {
    const char* colours[] = {black, red, blue, green, orange};
    std::vector<Series> series;
    for (const LiveScript& script : live_scripts())
        series.push_back({script.name, colours[series.size() % std::size(colours)], {}, false});
    for (const auto& row : rows_of(path))
        for (Series& one : series)
            if (row[0] == one.title) one.points.emplace_back(number(row[1]), number(row[2]));
    return series;
}

// The title gets the fitted exponent, "newton, n^1.3", from two points on.
Series against_n(const Results& results, const std::string& title, const char* colour,
                 const std::string& before, const std::string& after, bool dashed = false) {
    Series series{title, colour, cloth_points(results, before, after), dashed};
    char power[40] = "";
    if (series.points.size() >= 2)
        std::snprintf(power, sizeof power, ", n^{%.2f}", exponent(series.points));
    series.title += power;
    return series;
}

// Returns the error at a frame (cm) against ms: one curve over iterations, or over substeps if the
// name ends in "-".
Series truth_curve(const Results& results, int side, int frame, const Series& empty,
                   const std::string& name) {
    Series series = empty;
    for (const TruthMethod& method : truth_methods()) {
        const bool belongs =
            method.name == name || (name.ends_with('-') && method.name.starts_with(name));
        for (const int iterations : method.iterations) {
            const std::string entry = truth_name(side, method.name, iterations);
            const double ms = results.ms(entry);
            const double cm = 100.0 * results.counter(entry, "rms_" + std::to_string(frame));
            // A distance above one metre means that the motion has exploded.
            if (belongs && std::isfinite(ms) && cm < 100.0) series.points.emplace_back(ms, cm);
        }
    }
    return series;
}

Panel truth_panel(const Results& results, int side, int frame) {
    const std::pair<const char*, Series> curves[] = {
        {"default", {"default (BDF2)", red, {}}},
        {"default-2x", {"default, 2 substeps", orange, {}}},
        {"implicit-euler", {"implicit Euler", blue, {}}},
        {"implicit-euler-", {"implicit Euler, substeps", sky, {}}},
        {"textbook", {"textbook", black, {}}},
        {"newton-cg", {"Newton-CG", pink, {}}},
        {"newton-cg-euler", {"Newton-CG, Euler", grey, {}}},
        {"bullet", {"Bullet", green, {}}}};
    const std::string n = std::to_string(side);
    Panel panel{"Cloth " + n + " x " + n + ": error at frame " + std::to_string(frame), {}};
    for (const auto& [name, empty] : curves) {
        Series series = truth_curve(results, side, frame, empty, name);
        if (!series.points.empty()) panel.series.push_back(std::move(series));
    }
    return panel;
}

} // namespace

bool has_gnuplot() { return std::system("gnuplot --version >/dev/null 2>&1") == 0; }

std::vector<Plot> draw_plots(const Results& results, const std::string& folder,
                             const std::string& error_scene) {
    std::vector<Plot> plots;
    const auto add = [&](const Plot& plot, const std::string& x, const std::string& y,
                         std::vector<Series> series, Axes axes, Style style) {
        std::erase_if(series, [](const Series& one) { return one.points.size() < 2; });
        if (!series.empty() &&
            draw(folder + '/' + plot.file, x, y, {{plot.caption, series}}, axes, style))
            plots.push_back(plot);
    };
    add({"error.svg", "Error against time in one step of " + error_scene}, "time in ms",
        "(g − g*) / (g_0 − g*)", error_curves(folder + "/accuracy.csv", error_scene),
        Axes::logarithmic, Style::lines);
    add({"frame.svg", "Time of a frame and of the global step against size (cloth, one worker)"},
        "vertices n", "time in ms",
        {against_n(results, "Newton frame", pink, "frame/", "/newton/1", true),
         against_n(results, "Newton-CG frame", blue, "frame/", "/newton-cg/1"),
         against_n(results, "default frame", red, "frame/", "/local-global/1"),
         against_n(results, "iteration", orange, "iteration/", "/twang/1"),
         against_n(results, "global step", green, "solve/", "/twang/1")},
        Axes::logarithmic, Style::points);
    add({"solve.svg", "The global step against the time to read its bytes (cloth, one worker)"},
        "vertices n", "time in ms",
        {against_n(results, "Eigen", pink, "solve/", "/eigen/1"),
         against_n(results, "CHOLMOD", blue, "solve/", "/cholmod/1"),
         against_n(results, "Twang, double", sky, "solve/", "/twang-double/1"),
         against_n(results, "Twang, float", red, "solve/", "/twang/1"),
         against_n(results, "Twang, half", orange, "solve/", "/twang-half/1"),
         against_n(results, "reading (float)", black, "solve/", "/stream/1", true)},
        Axes::logarithmic, Style::points);
    add({"live.svg", "Frames while things change (cloth100, one worker)"}, "frame", "time in ms",
        frame_curves(folder + "/live.csv"), Axes::linear, Style::lines);
    for (const int frame : {60, 90}) {
        std::vector<Panel> panels;
        for (const int side : {32, 64})
            if (Panel panel = truth_panel(results, side, frame); !panel.series.empty())
                panels.push_back(std::move(panel));
        const Plot plot{frame == 60 ? "truth.svg" : "truth-90.svg",
                        "Distance from the exact motion against time, frame " +
                            std::to_string(frame) + " (falling cloth, one worker)"};
        if (!panels.empty() && draw(folder + '/' + plot.file, "ms per frame", "rms in cm", panels,
                                    Axes::fine_logarithmic, Style::points))
            plots.push_back(plot);
    }
    return plots;
}

} // namespace bench
