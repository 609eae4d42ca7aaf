// What a game changes while it runs, as scripts for a cloth: the live benchmarks time their frames,
// and bench/instructions counts the instructions of them. A run is the same work, frame by frame,
// whenever it is repeated.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "suites/suites.hpp"

namespace bench {

// True in frames in which something changes.
using Change = std::function<bool(twang::io::Stage& stage, int frame)>;

struct LiveScript {
    const char* name;
    Change (*make)();                         // for one run
    void (*prepare)(twang::io::Stage& stage); // what a game does when it loads; null: nothing
};

inline constexpr int live_frames = 300;
// Of these so many are counted: long enough for factors that are ordered on the way to be taken.
inline constexpr int counted_frames = 130;

std::span<const LiveScript> live_scripts(); // the first one, "quiet", changes nothing
const LiveScript* find_live_script(const std::string& name); // null: there is none

// The script's change and a step: what is timed, or counted. True where something changed.
bool live_frame(const Change& change, twang::io::Stage& stage, int frame);

// Vertices here and there, always the same ones.
std::uint32_t somewhere(int k, std::size_t n);

} // namespace bench
