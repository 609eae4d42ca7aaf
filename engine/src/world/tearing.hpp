// Tearing: breaks springs that are longer than (1 + strain limit) times their rest length, and
// springs that a blade cuts. Records the triangles that lost a side, so that a renderer can split
// its mesh.
#pragma once

#include <vector>

#include "base/jobs.hpp"
#include "geometry/blade.hpp"
#include "model/components.hpp"

namespace twang::core {

struct Torn {
    double limit = 0.0;               // strain; 0: springs do not tear
    std::vector<char> marks;          // per spring: over the limit in this step
    std::vector<char> triangles;      // per triangle: has lost a side
    bool has_hole = false;            // a triangle has lost a side
    std::vector<std::uint32_t> fresh; // torn triangles that the caller has not fetched yet
    Components components;            // connected components of the unbroken springs
};

// Allocates, so that tearing does not.
void prepare_tears(const Model& model, Torn& torn);

// Breaks the springs beyond the limit. Returns how many broke.
std::size_t tear_stretched(const Model& model, const Vec3* x, Jobs& jobs, BodySprings& springs,
                           Torn& torn);
// Breaks the springs that the blade meets while the vertices move from `from` to x. Returns how
// many broke.
std::size_t cut(const Model& model, const Vec3* from, const Vec3* x, const Blade& blade,
                BodySprings& springs, Torn& torn);

// Finds the torn triangles from the broken springs; leaves `fresh` empty.
void recount_triangles(const Model& model, const BodySprings& springs, Torn& torn);

} // namespace twang::core
