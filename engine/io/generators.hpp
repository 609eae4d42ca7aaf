// Generated meshes: grids, ropes, blocks, balloons, jellies. Callers check the arguments.
#ifndef TWANG_IO_GENERATORS_HPP
#define TWANG_IO_GENERATORS_HPP

#include <array>
#include <cstdint>

#include <twang/io.hpp>

namespace twang::io {

constexpr double max_vertices = 20e6; // of one mesh or of all copies of a scene

// Quads over columns x rows vertices laid out as in twang_cloth_def, all with the same winding,
// with texture coordinates from 0 to 1.
Mesh make_grid(const ClothDef& def);

// A polyline of evenly spaced vertices.
Mesh make_rope(std::uint32_t vertices, Vec3 from, Vec3 to);

// A box of cells, each split into six tetrahedra around its diagonal; the tetrahedra of
// neighbouring cells share faces. Vertices count along x first, then y, then z.
Mesh make_block(std::array<std::uint32_t, 3> cells, Vec3 size, Vec3 origin);

// A sphere of triangles, counter-clockwise seen from outside: an icosahedron that stands on a
// corner, each face divided in four `subdivisions` times, with 10 * 4^subdivisions + 2 vertices. A
// line of `string_vertices` further vertices, `string` metres long, hangs from vertex 0, the
// lowest.
struct Balloon {
    std::uint32_t subdivisions = 3;
    double radius = 0.25; // m
    Vec3 centre{};
    double string = 0.0; // m
    std::uint32_t string_vertices = 0;
};
Mesh make_balloon(const Balloon& balloon);

// A moulded pudding that stands on y = base.y: a block whose square cross-section is mapped to a
// disc, narrower and rounded towards the top, with flutes around it.
struct JellyDef {
    std::uint32_t across = 12; // cells along x and along z
    std::uint32_t up = 10;     // cells along y
    double radius = 0.4;       // m, of the foot, measured on the ridges
    double height = 0.5;       // m
    std::uint32_t flutes = 8;  // 0: round; a multiple of 4 puts ridges on the block's edges
    Vec3 base{};               // m: the middle of the foot
};
Mesh make_jelly(const JellyDef& def);

} // namespace twang::io

#endif // TWANG_IO_GENERATORS_HPP
