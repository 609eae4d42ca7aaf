// The command line of the benchmarks.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct Options {
    bool quick = false;
    bool list = false;
    bool help = false;
    std::string out = "build/bench-results";
    std::string play;                // the live script to run instead of all suites; empty: none
    std::string filter;              // a regular expression; names that contain a match are run
    std::vector<std::string> scenes; // files to measure besides the standard scenes
    std::string error;               // fault of the command line; empty: none
};

Options parse(int argc, char** argv);
const char* help_text();

} // namespace bench
