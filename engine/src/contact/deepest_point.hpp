// The deepest point of an edge or a triangle of a body against a collider, where this point is
// between the corners. The signed distance f of a convex collider is convex, so at any point p
// the tangent f(p) + n . (q - p) is a lower bound of f(q). Cutting planes (Kelley 1960): take as
// many tangents as there are corners; the minimum of their maximum bounds f from below. f is
// measured at the minimum, and its tangent replaces one of the tangents, until bound and distance
// agree. On a mesh that is not convex, the point is found where the distance decreases inward from
// all corners.
#pragma once

#include "contact/collider.hpp"

namespace twang::core {

struct DeepestPoint {
    double weights[3]; // of the corners: all above 0, sum 1
    // From the contact plane, as from a surface. The normal is a mean of the normals around:
    // perpendicular to the edge or triangle, also below a ridge, where f has a kink.
    Distance distance;
};

// Finds the deepest point of an edge (2 corners) or a triangle (3) at x, where the distances are
// `at`. Returns false where no point between the corners is nearer than `reach`, or nearer than all
// corners by `gain`.
template <int corners>
bool find_deepest(const Obstacle& obstacle, const Vec3 (&x)[corners], const Distance (&at)[corners],
                  double reach, double gain, DeepestPoint& found);
// Returns whether there may be such a point, by the distances at the corners alone; false is
// certain.
template <int corners>
bool may_be_deepest(const Vec3 (&x)[corners], const Distance (&at)[corners], double reach,
                    double gain);

} // namespace twang::core
