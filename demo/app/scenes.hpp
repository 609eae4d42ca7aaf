// Finds shipped scenes by name and other files by path, reads them, and applies the command line's
// options to them. twang::io parses the files.
#ifndef TWANG_DEMO_SCENES_HPP
#define TWANG_DEMO_SCENES_HPP

#include <string>
#include <vector>

#include <twang/io.hpp>

#include "app/options.hpp"

namespace twang::demo {

// Returns the names of the shipped scenes in alphabetical order; empty when their folder cannot be
// read.
std::vector<std::string> shipped_scenes();

// Returns the file of a shipped name or a path.
io::Result<std::string> find_scene(const std::string& wanted);

// Reads the scene and applies the options; the result is ready to instantiate.
io::Result<io::Scene> open_scene(const Options& options);

// Instantiates the scene. A failure that is due to the options alone, not to the file, is returned
// as a usage error.
io::Result<io::Stage> make_stage(const io::Scene& scene);

// Prints the shipped scenes with their titles; returns an exit code.
int list_scenes();

} // namespace twang::demo

#endif // TWANG_DEMO_SCENES_HPP
