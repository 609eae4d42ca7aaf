// How falling cloth moves: a play of it, what is measured on the way, and its exact motion.
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

// Sees the positions (xyz) after a frame, the first of which is 1. False ends the play.
using Watch = std::function<bool(int frame, const std::vector<double>& xyz)>;

struct Setting {
    twang::SolverDef solver;
    int substeps = 1;
    int workers = 1;
};

// So many frames of a scene in a world of its own: the milliseconds of each. Nothing is done
// between them where nobody watches. Throws std::runtime_error.
std::vector<double> play(const twang::io::Scene& scene, const Setting& setting, int frames,
                         const Watch& watch = {});

// By how much springs are longer than at rest; a shortened one counts 0.
struct Stretch {
    double max = 0.0, mean = 0.0;
    void take_worst(const Stretch& other);
};
class StretchGauge {
public:
    explicit StretchGauge(const twang::io::Scene& scene); // which begins at rest
    explicit StretchGauge(const twang::Model& model);     // of its structural springs
    Stretch measure(std::span<const double> xyz) const;   // of one body

private:
    std::vector<twang::SpringDef> springs_;
};

// Positions are compared at these frames, and errors up to here (m, rms) count as true motion.
inline constexpr std::array true_frames{30, 60, 90};
inline constexpr std::array true_limits{0.05, 0.05, 0.08};
using AtFrames = std::array<double, true_frames.size()>;
bool is_true(const AtFrames& rms);
// Which of them a frame is; -1: none.
int index_of(int frame);
std::string centimetres(const AtFrames& metres); // "1.2 / 3.4 / 5.6"

double rms(const std::vector<double>& a, const std::vector<double>& b); // over vertices
double lowest(const std::vector<double>& xyz);

// The motion of the springs themselves: many small steps of symplectic Euler.
struct ExactMotion {
    std::array<std::vector<double>, true_frames.size()> at; // xyz
    AtFrames change{}; // m, rms between this and a run with `other_substeps`
    double frame_ms = 0.0;

    // Of a play at one of the frames; others leave `errors` alone.
    void compare(int frame, const std::vector<double>& xyz, AtFrames& errors) const;
};
int exact_substeps(int side); // a frame, of falling_cloth(side)
int other_substeps(int side); // twice as many, or half as many where that is too many
// Finds it in `folder`, or makes it and leaves it there. Throws std::runtime_error.
ExactMotion exact_motion(int side, const std::string& folder);

} // namespace bench
