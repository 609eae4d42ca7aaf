// Which scene: finds shipped ones by name and files by path, reads them, and lays the command
// line's settings over them. Parsing files is twang::io's business.
#ifndef TWANG_DEMO_SCENES_HPP
#define TWANG_DEMO_SCENES_HPP

#include <string>
#include <vector>

#include <twang/io.hpp>

#include "options.hpp"

namespace twang::demo {

// Names of the shipped scenes in alphabetical order; empty when their folder cannot be read.
std::vector<std::string> shipped_scenes();

// The file behind a shipped name or a path.
io::Result<std::string> find_scene(const std::string& wanted);

// The scene as the command line wants it, ready to instantiate.
io::Result<io::Scene> open_scene(const Options& options);

// The scene in a running world. What only fails because of the command line is a usage error.
io::Result<io::Stage> make_stage(const io::Scene& scene);

// Prints the shipped scenes with their titles; returns an exit code.
int list_scenes();

} // namespace twang::demo

#endif // TWANG_DEMO_SCENES_HPP
