// Measures of a mesh that scenes are fitted with. Knows no format and no physics.
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

// Over the sides of faces and tetrahedra and the pieces of lines, shared ones as often as they are
// listed; 0 when there are none.
double mean_side_length(const Mesh& mesh);

// Of all faces: quads in two, polygons as fans around their first corner.
std::vector<std::uint32_t> face_triangles(const Mesh& mesh);

// Looks at the whole of the bounds, slightly from the right and from above.
Camera fitted_camera(const Bounds& bounds);

} // namespace twang::io

#endif // TWANG_IO_MESH_HPP
