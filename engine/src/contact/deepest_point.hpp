// Where an edge or a triangle of a body comes nearest to a collider between its corners, or is
// deepest below its surface. The signed distance f of a convex collider is convex, so the tangent
// f(p) + n . (q - p) at any point p is nowhere above it. Cutting planes (Kelley 1960): the least
// maximum of as many tangents as there are corners is a bound of f from below; f is measured there,
// and that tangent takes the place of one of the others, until bound and distance agree. Of a mesh
// that is not convex it is found where the distance falls inward from all corners.
#pragma once

#include "contact/collider.hpp"

namespace twang::core {

struct DeepestPoint {
    double weights[3]; // of the corners: all above 0, and 1 in sum
    // From the plane that holds it off, as from a surface. Its normal is a mean of those around: at
    // right angles to the edge or triangle, also below a ridge, where f has a kink.
    Distance distance;
};

// Of an edge (2 corners) or a triangle (3) at x, where the distances are `at`. False where no point
// between the corners is nearer than `reach`, or nearer than all corners by `gain`.
template <int corners>
bool find_deepest(const Obstacle& obstacle, const Vec3 (&x)[corners], const Distance (&at)[corners],
                  double reach, double gain, DeepestPoint& found);
// Whether there may be one, by what is known at the corners: then there is no other one either.
template <int corners>
bool may_be_deepest(const Vec3 (&x)[corners], const Distance (&at)[corners], double reach,
                    double gain);

} // namespace twang::core
