// The colliders of a scene as triangles for the renderer, in their own coordinates: the centre at
// the origin, without rotation. Also the distance of a point to a collider.
#ifndef TWANG_DEMO_COLLIDER_SHAPES_HPP
#define TWANG_DEMO_COLLIDER_SHAPES_HPP

#include <cstdint>
#include <vector>

#include <twang/io.hpp>

#include "simulation/linear.hpp"

namespace twang::demo {

struct SolidShape {
    std::vector<float> positions, normals; // xyz per vertex
    std::vector<std::uint32_t> triangles;  // empty for planes: the renderer draws a floor
};

SolidShape make_shape(const ColliderDef& def);

// Makes a ball of radius 1 about the origin, of slices x stacks quads.
SolidShape make_unit_ball(int slices, int stacks);

// Returns the signed distance of a point to the collider's surface, in metres, negative inside.
// `arm` is the point in the collider's own coordinates. For meshes the result is always 1e30.
float distance_to(const ColliderDef& def, Point arm);

} // namespace twang::demo

#endif // TWANG_DEMO_COLLIDER_SHAPES_HPP
