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
    std::string play;                // the live script to run, and nothing else; empty: none
    std::string filter;              // a regular expression, searched for in the names
    std::vector<std::string> scenes; // files, besides the scenes that are always measured
    std::string error;               // what is wrong with the command line; empty: nothing
};

Options parse(int argc, char** argv);
const char* help_text();

} // namespace bench
