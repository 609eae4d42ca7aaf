// The surface of a body for drawing: its triangles, the texture coordinates of the cloth's pattern,
// and smooth normals. The caller passes the positions.
#ifndef TWANG_DEMO_SURFACE_HPP
#define TWANG_DEMO_SURFACE_HPP

#include <cstdint>
#include <span>
#include <vector>

#include <twang/io.hpp>

namespace twang::demo {

struct Surface {
    std::vector<std::uint32_t>
        triangles; // 3 vertices each; empty for a body without triangles, such as a rope or a truss
    std::vector<float> pattern; // two texture coordinates per vertex, m; empty: no pattern
    bool solid = false;         // the boundary of tetrahedra, visible from outside only
};

Surface make_surface(const io::Scene& scene, const Model& model);

// Computes one unit normal per vertex: the mean of its triangles' normals, weighted by area; +y for
// a vertex without triangles.
void smooth_normals(std::span<const float> xyz, std::span<const std::uint32_t> triangles,
                    std::vector<float>& normals);

} // namespace twang::demo

#endif // TWANG_DEMO_SURFACE_HPP
