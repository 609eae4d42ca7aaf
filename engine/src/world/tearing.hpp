// Springs that break: those stretched beyond a limit, and those a blade goes through. Keeps account
// of the triangles that lost a side, so that a renderer can split its mesh.
#pragma once

#include <vector>

#include "base/jobs.hpp"
#include "model/components.hpp"

namespace twang::core {

struct Torn {
    double limit = 0.0;               // strain; 0: springs hold whatever comes
    std::vector<char> marks;          // per spring: over the limit in this step
    std::vector<char> triangles;      // per triangle: has lost a side
    bool has_hole = false;            // any of them has
    std::vector<std::uint32_t> fresh; // triangles torn and not yet fetched by the caller
    Pieces pieces;
};

// Makes room, so that tearing does not allocate.
void prepare_tears(const Model& model, Torn& torn);

// Both return how many springs broke.
std::size_t tear_stretched(const Model& model, const Vec3* x, Jobs& jobs, LiveSprings& springs,
                           Torn& torn);
// Those that cross the parallelogram of from, to and from + along.
std::size_t cut(const Model& model, const Vec3* x, Vec3 from, Vec3 to, Vec3 along,
                LiveSprings& springs, Torn& torn);

// Finds the torn triangles from the broken springs; none of them are fresh.
void recount_triangles(const Model& model, const LiveSprings& springs, Torn& torn);

} // namespace twang::core
