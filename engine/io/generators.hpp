// Meshes made by rule instead of read: grids, ropes, blocks, balloons, jellies. The arguments are
// already checked.
#ifndef TWANG_IO_GENERATORS_HPP
#define TWANG_IO_GENERATORS_HPP

#include <array>
#include <cstdint>

#include <twang/io.hpp>

namespace twang::io {

constexpr double most_vertices = 20e6; // of one generator

// Quads over columns x rows vertices laid out as twang_cloth_def says, all wound the same way, with
// texture coordinates from 0 to 1.
Mesh make_grid(const ClothDef& def);

// One polyline of evenly spaced vertices.
Mesh make_rope(std::uint32_t vertices, Vec3 from, Vec3 to);

// A box of cells, each split into six tetrahedra around its diagonal, which fit together across
// cells. Vertices count along x first, then y, then z.
Mesh make_block(std::array<std::uint32_t, 3> cells, Vec3 size, Vec3 origin);

// A sphere of triangles seen counter-clockwise from outside: an icosahedron that stands on a
// corner, each face divided in four `subdivisions` times, so 10 * 4^subdivisions + 2 vertices. From
// vertex 0, its lowest, a line of string_vertices more hangs down, string metres long.
struct Balloon {
    std::uint32_t subdivisions = 3;
    double radius = 0.25;
    Vec3 centre{};
    double string = 0.0;
    std::uint32_t string_vertices = 0;
};
Mesh make_balloon(const Balloon& balloon);

// A moulded pudding that stands on y = base.y: a block whose cross-section is drawn out into a
// disc, narrower and rounded towards the top, with flutes around it.
struct JellyDef {
    std::uint32_t across = 12; // cells along x and along z
    std::uint32_t up = 10;     // cells along y
    double radius = 0.4;       // m, of the foot, on the ridges
    double height = 0.5;       // m
    std::uint32_t flutes = 8;  // 0: round; a multiple of 4 puts ridges on the block's edges
    Vec3 base{};               // m: the middle of the foot
};
Mesh make_jelly(const JellyDef& def);

} // namespace twang::io

#endif // TWANG_IO_GENERATORS_HPP
