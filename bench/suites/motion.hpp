// Falling cloth: running a scene frame by frame, measures of its motion, and the exact motion.
// The exact motion x*(t) is computed by symplectic Euler in many substeps; the error of a run is
// the rms of x - x* over vertices.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <twang/io.hpp>

namespace bench {

template <class F>
double milliseconds_of(F&& f) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin;
    return ms.count();
}

// Called with the positions (xyz) after each frame, counted from 1. Returns false to end the run.
using FrameObserver = std::function<bool(int frame, const std::vector<double>& xyz)>;

struct Setting {
    twang::SolverDef solver;
    int substeps = 1;
    int workers = 1;
};

// Runs a scene for `frames` frames in a world of its own and returns the milliseconds of each.
// Without an observer nothing else happens between the frames. Throws std::runtime_error.
std::vector<double> play(const twang::io::Scene& scene, const Setting& setting, int frames,
                         const FrameObserver& observe = {});

// Relative elongation of springs; a shortened spring counts as 0.
struct Stretch {
    double max = 0.0, mean = 0.0;
    void keep_worst(const Stretch& other);
};
class StretchGauge {
public:
    explicit StretchGauge(const twang::io::Scene& scene); // whose mesh is the rest shape
    explicit StretchGauge(const twang::Model& model);     // its structural springs
    Stretch measure(std::span<const double> xyz) const;   // xyz of one body

private:
    std::vector<twang::SpringDef> springs_;
};

// Frames at which positions are compared, and the largest error (m, rms) that counts as true
// motion.
inline constexpr std::array true_frames{30, 60, 90};
inline constexpr std::array true_limits{0.05, 0.05, 0.08};
using AtFrames = std::array<double, true_frames.size()>;
bool is_true_motion(const AtFrames& rms);
// Returns the index of a frame in true_frames, or -1.
int true_frame_index(int frame);
std::string centimetres(const AtFrames& metres); // "1.2 / 3.4 / 5.6"

double rms(const std::vector<double>& a, const std::vector<double>& b); // over vertices, m
double lowest(const std::vector<double>& xyz);                          // the smallest y, m

// The motion of the springs without errors of a solver: many small steps of symplectic Euler.
struct ExactMotion {
    std::array<std::vector<double>, true_frames.size()> at; // xyz
    AtFrames change{}; // m, rms between this run and one with `other_substeps`
    double frame_ms = 0.0;

    // Stores the error of a run if `frame` is one of true_frames; other frames leave `errors`
    // unchanged.
    void compare(int frame, const std::vector<double>& xyz, AtFrames& errors) const;
};
int exact_substeps(int side); // per frame, for falling_cloth(side)
int other_substeps(int side); // twice as many; half as many if that exceeds the limit
// Reads the exact motion from `folder`, or computes and stores it there. Throws std::runtime_error.
ExactMotion exact_motion(int side, const std::string& folder);

} // namespace bench
