// The skin of a body: which triangles are drawn, where the pattern of the cloth lies on them, and
// smooth normals for them. Positions come in from outside.
#ifndef TWANG_DEMO_SURFACE_HPP
#define TWANG_DEMO_SURFACE_HPP

#include <cstdint>
#include <span>
#include <vector>

#include <twang/io.hpp>

namespace twang::demo {

struct Surface {
    std::vector<std::uint32_t> triangles; // 3 vertices each; empty for ropes and trusses
    std::vector<float> pattern;           // two coordinates a vertex, m; empty: plain colour
    bool solid = false;                   // the boundary of tetrahedra: seen from outside only
};

Surface make_surface(const io::Scene& scene, const Model& model);

// One unit normal per vertex, weighted by area; vertices without triangles point up.
void smooth_normals(std::span<const float> xyz, std::span<const std::uint32_t> triangles,
                    std::vector<float>& normals);

} // namespace twang::demo

#endif // TWANG_DEMO_SURFACE_HPP
