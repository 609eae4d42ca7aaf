// geometry: rigid motions of colliders, distances to triangles and tetrahedra, surfaces of
// triangles, and groups of vertices with bounds on their distances to shapes. geometry knows points
// and indices; geometry may not know springs, bodies, contacts or forces.
//
// This file owns poses of colliders and the rigid motion between two poses,
//   x' = to.centre + R (x - from.centre) + t(x) * stretch,
// where R rotates from one pose to the other, and where a capsule that changes its length adds
// `stretch` at its end and the share t(x), 0 to 1, at other points. Only + - * / and sqrt are used,
// because the sines of C libraries differ in their last bits.
#pragma once

#include "base/error.hpp"
#include "base/vec3.hpp"

namespace twang::core {

using Quaternion = twang_quaternion;

struct Pose {
    Vec3 centre{};
    Quaternion rotation{0.0, 0.0, 0.0, 1.0}; // unit length, relative to the definition of the shape
    Vec3 arm{};                              // capsules: from the centre to the end, m
};

Status check_rotation(Quaternion q);
// Returns q / |q| for any length of q above 0.
Quaternion unit(Quaternion q);
// Returns whether a unit quaternion is not the identity.
inline bool turns(Quaternion q) { return q.x != 0.0 || q.y != 0.0 || q.z != 0.0; }
// Returns the product of quaternions: rotates by b, then by a.
Quaternion operator*(Quaternion a, Quaternion b);
// Returns the rotation by the smallest angle that takes the direction `from` to the direction `to`.
Quaternion shortest_rotation(Vec3 from, Vec3 to);

// Returns `pose` after the rigid motion that takes `from` to `to`.
Pose moved_with(const Pose& pose, const Pose& from, const Pose& to);

// Interpolates from a (t = 0) to b (t = 1). The centre moves on a straight line. The rotation
// follows the shorter arc by normalised linear interpolation of its quaternion, whose angle is
// linear in t to 2 % for 30 degrees.
Pose between(const Pose& a, const Pose& b, double t);

// The motion of the points of a collider from one pose to another.
class RigidMotion {
public:
    RigidMotion() = default;
    // taper, m: radius of a capsule at its centre minus the radius at its end.
    RigidMotion(const Pose& from, const Pose& to, double taper = 0.0);
    // Returns the displacement, m, of the point that is at x in the pose `from`. Without rotation
    // and stretch, all points have the same displacement.
    Vec3 operator()(Vec3 x) const {
        return displacement_per_metre_ > 0.0 ? image_of(x) - x : translation_;
    }
    // Returns how far the surface moves along `normal`, m. x is the point of the surface in the
    // pose `to`, with its normal there.
    double rise(Vec3 x, Vec3 normal) const;
    bool moves() const { return displacement_per_metre_ > 0.0 || length(translation_) > 0.0; }
    // Bound, m: in a sphere of this radius, the displacement of any point exceeds that of the
    // centre of the sphere by at most this much.
    double extra_displacement_bound(double radius) const {
        return displacement_per_metre_ * radius;
    }

private:
    Vec3 image_of(Vec3 x) const;

    Vec3 translation_{};
    double displacement_per_metre_ = 0.0; // of a point 1 m from the axis; 0: translation only
    Vec3 from_centre_{}, to_centre_{};
    Rotation rotation_{};
    Vec3 arm_{}, stretch_{}; // capsules: arm in `from`, and change of its end beyond rotation
    double taper_ = 0.0;
};

} // namespace twang::core
