// What a game changes while it runs, as scripts for a cloth. The suite `live` times the frames, and
// bench/instructions counts their instructions. A script does the same work, frame by frame, in
// every run.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "suites/suites.hpp"

namespace bench {

// Makes the changes of a frame; returns whether there were any.
using Change = std::function<bool(twang::io::Stage& stage, int frame)>;

struct LiveScript {
    const char* name;
    Change (*make)();                         // a new Change for one run
    void (*prepare)(twang::io::Stage& stage); // done once, when a game loads; null: nothing
};

inline constexpr int live_frames = 300;
// Frames whose instructions are counted: enough for a factor that was requested on the way to
// arrive.
inline constexpr int counted_frames = 130;

std::span<const LiveScript> live_scripts(); // the first script, "quiet", changes nothing
const LiveScript* find_live_script(const std::string& name); // null: no such script

// Applies the change of a frame and steps: the part that is timed or counted. Returns whether
// anything changed.
bool live_frame(const Change& change, twang::io::Stage& stage, int frame);

// Returns the k-th of a fixed sequence of vertices scattered over n.
std::uint32_t scattered_vertex(int k, std::size_t n);

} // namespace bench
