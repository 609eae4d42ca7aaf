// Measures of a mesh, from which defaults of scenes are derived. Independent of formats and
// physics.
#ifndef TWANG_IO_MESH_HPP
#define TWANG_IO_MESH_HPP

#include <span>

#include <twang/io.hpp>

namespace twang::io {

struct Bounds {
    Vec3 low{}, high{};
    Vec3 centre() const;
    double diagonal() const;
};

Bounds bounds_of(std::span<const double> positions); // xyz each; all 0 when there are none

// Returns the mean length (m) of the sides of faces and tetrahedra and of the segments of lines; 0
// if there are none. A shared side counts as often as it is listed.
double mean_side_length(const Mesh& mesh);

// Returns all faces as triangles: quads split in two, polygons as fans around their first corner.
std::vector<std::uint32_t> face_triangles(const Mesh& mesh);

// Returns a camera that sees all of the bounds, slightly from the right and from above.
Camera fitted_camera(const Bounds& bounds);

} // namespace twang::io

#endif // TWANG_IO_MESH_HPP
