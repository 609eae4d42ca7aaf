// The obstacles of a scene as triangles, each about its own centre and not turned, for the
// renderer.
#ifndef TWANG_DEMO_COLLIDER_SHAPES_HPP
#define TWANG_DEMO_COLLIDER_SHAPES_HPP

#include <cstdint>
#include <vector>

#include <twang/io.hpp>

#include "linear.hpp"

namespace twang::demo {

struct SolidShape {
    std::vector<float> positions, normals; // xyz per vertex
    std::vector<std::uint32_t> triangles;  // empty for planes: the renderer has a floor
};

SolidShape make_shape(const ColliderDef& def);

// A ball of radius 1 about the origin, of slices x stacks quads.
SolidShape make_unit_ball(int slices, int stacks);

// How far a point is from the surface of a collider that is not turned, `arm` being where the point
// is seen from the collider's centre; below 0 inside. Far, for meshes.
float distance_to(const ColliderDef& def, Point arm);

} // namespace twang::demo

#endif // TWANG_DEMO_COLLIDER_SHAPES_HPP
