// The scenes that are measured: generated cloths and blocks, the shipped curtain, and scene files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <twang/io.hpp>

#include "suites/options.hpp"

namespace bench {

struct Workload {
    std::string name;
    std::size_t vertices = 0;
    bool is_volume = false;
    std::function<twang::io::Scene()> make;
};

// side x side vertices, 1 m, 0.3 kg, horizontal, all springs 1000 N/m, two corner patches pinned.
twang::io::Scene cloth(int side);
// side^3 vertices, 1 m, 100 kg, each cell six tetrahedra, all springs 1000 N/m, one face pinned.
twang::io::Scene block(int side);
// The cloth whose motion is judged: side x side vertices, 1 m, 1 kg, horizontal, two corners
// pinned, springs of 100 N / spacing, so that the motion depends little on the resolution.
twang::io::Scene falling_cloth(int side);
// Reads a scene of assets/scenes. Throws std::runtime_error.
twang::io::Scene shipped_scene(const std::string& name);

// Returns the scenes that the command line asks for, or the error of the first unreadable file.
twang::io::Result<std::vector<Workload>> read_workloads(const Options& options);

} // namespace bench
