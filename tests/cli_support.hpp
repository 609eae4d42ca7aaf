// For the tests of twang_demo: a small net whose figures can be checked by hand, and lists of what
// there is to try.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include <twang/io.hpp>

#include "run_demo.hpp"

namespace twang::test {

using nlohmann::json;
using Words = std::vector<std::string>;

constexpr double h = 1.0 / 60.0; // the time step of course files

inline Words operator+(Words a, const Words& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// A net of 4 x 3 vertices (3 x 2 quads) in the plane z = 0, 0.5 m apart, in the course's format:
// 300 N/m, 1 kg a vertex, held by two corners. Small enough to check by hand.
class Net : public testing::Test {
protected:
    static constexpr int columns = 4, rows = 3;
    static constexpr double stiffness = 300.0, mass = 1.0, rest = 0.5;
    static constexpr std::size_t pins[] = {0, 3};

    Net() {
        std::ostringstream obj;
        for (int r = 0; r < rows; ++r) {
            for (int c = 0; c < columns; ++c) {
                start_.push_back({rest * c, rest * (rows - 1 - r), 0.0});
                obj << "v " << rest * c << ' ' << rest * (rows - 1 - r) << " 0\n";
            }
        }
        const auto add_spring = [&](int a, int b) { springs_.insert(std::minmax(a, b)); };
        for (int r = 0; r + 1 < rows; ++r) {
            for (int c = 0; c + 1 < columns; ++c) {
                const int corners[] = {r * columns + c, r * columns + c + 1,
                                       (r + 1) * columns + c + 1, (r + 1) * columns + c};
                obj << "f";
                for (int i = 0; i < 4; ++i) {
                    obj << ' ' << corners[i] + 1;
                    add_spring(corners[i], corners[(i + 1) % 4]);
                }
                obj << '\n';
            }
        }
        write_text(folder_ / "net.obj", obj.str());
        write_text(net(), R"({"obj": "net.obj", "k": 300, "m": 1, "b": [1, 4]})");
    }

    std::string net() const { return folder_ / "net.json"; }

    // Runs it, expecting success, and returns report and trajectory.
    struct Run {
        json report;
        Frames frames;
        std::string csv;
    };
    Run simulate(const Words& arguments) const {
        const std::string csv = folder_ / "run.csv", report = folder_ / "run.json";
        const Outcome outcome =
            run_demo(Words{"--headless", "--trajectory", csv, "--report", report} + arguments);
        EXPECT_EQ(outcome.exit, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        Run run{json::parse(read_text(report)), {}, read_text(csv)};
        run.frames = parse_trajectory(run.csv);
        return run;
    }
    std::string hash(const Words& arguments) const {
        return simulate(arguments).report.at("state_hash");
    }

    ScratchFolder folder_;
    std::vector<Point> start_;
    std::set<std::pair<int, int>> springs_;
};

inline double distance(const Point& a, const Point& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

using Scratch = Net; // tests that want the folder more than the net

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

inline Words solver_names() {
    Words names;
    for (int i = 0; i <= TWANG_SOLVER_STATIC; ++i) {
        names.emplace_back(twang::io::name(static_cast<twang_solver>(i)));
    }
    return names;
}

inline Words shipped_scenes() {
    Words names;
    for (const auto& entry : std::filesystem::directory_iterator(TWANG_ASSETS_DIR "/scenes")) {
        if (entry.path().extension() == ".json") names.push_back(entry.path().stem());
    }
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace twang::test
