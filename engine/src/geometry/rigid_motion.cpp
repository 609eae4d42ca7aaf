// Rigid motions in the arithmetic that rigid_motion.hpp describes.
#include "geometry/rigid_motion.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

double quaternion_dot(Quaternion a, Quaternion b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
Quaternion inverse(Quaternion q) { return {-q.x, -q.y, -q.z, q.w}; }
bool same(Vec3 a, Vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// Returns the rotation that takes `from` to `to`; exactly the identity if both are equal.
Quaternion relative_rotation(Quaternion from, Quaternion to) {
    const bool is_same = same({from.x, from.y, from.z}, {to.x, to.y, to.z}) && from.w == to.w;
    return is_same ? Quaternion{0.0, 0.0, 0.0, 1.0} : to * inverse(from);
}

// Returns t, 0 to 1, of the sphere of a capsule nearest to a point: the sphere is centred at t *
// arm, and `offset` leads from the begin of the arm to the point. For a tapered capsule the line
// from the point, perpendicular to the cone, meets the axis at that centre; the foot of the
// perpendicular to the axis is elsewhere.
double capsule_parameter(Vec3 arm, double taper, Vec3 offset) {
    const double square = dot(arm, arm), square_of_cone = square - taper * taper;
    if (taper != 0.0 && square_of_cone <= 0.0) return taper > 0.0 ? 0.0 : 1.0;
    if (square == 0.0) return 0.0;
    double t = dot(offset, arm) / square;
    if (taper != 0.0)
        t -= length(offset - t * arm) * taper / (std::sqrt(square_of_cone) * std::sqrt(square));
    return std::clamp(t, 0.0, 1.0);
}

} // namespace

Status check_rotation(Quaternion q) {
    if (!finite({q.x, q.y, q.z}) || !std::isfinite(q.w))
        return fail(TWANG_NOT_FINITE, "the rotation is (%g, %g, %g, %g)", q.x, q.y, q.z, q.w);
    if (q.x == 0.0 && q.y == 0.0 && q.z == 0.0 && q.w == 0.0)
        return fail(TWANG_OUT_OF_RANGE, "the rotation is a quaternion of length 0");
    return TWANG_OK;
}

Quaternion unit(Quaternion q) {
    // Scaled first: the squares must neither overflow nor underflow.
    const double largest = std::max({std::abs(q.x), std::abs(q.y), std::abs(q.z), std::abs(q.w)});
    const Quaternion scaled{q.x / largest, q.y / largest, q.z / largest, q.w / largest};
    const double l = std::sqrt(quaternion_dot(scaled, scaled));
    return {scaled.x / l, scaled.y / l, scaled.z / l, scaled.w / l};
}

Quaternion operator*(Quaternion a, Quaternion b) {
    return {a.w * b.x + b.w * a.x + (a.y * b.z - a.z * b.y),
            a.w * b.y + b.w * a.y + (a.z * b.x - a.x * b.z),
            a.w * b.z + b.w * a.z + (a.x * b.y - a.y * b.x),
            a.w * b.w - (a.x * b.x + a.y * b.y + a.z * b.z)};
}

Quaternion shortest_rotation(Vec3 from, Vec3 to) {
    const Vec3 u = direction(from), v = direction(to);
    const Vec3 axis = cross(u, v);
    const double w = 1.0 + dot(u, v);
    if (w > 1e-12) return unit({axis.x, axis.y, axis.z, w});
    // Opposite directions: any axis perpendicular to u will do.
    const Vec3 across = cross(u, std::abs(u.x) < 0.9 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0});
    return unit({across.x, across.y, across.z, 0.0});
}

Pose moved_with(const Pose& pose, const Pose& from, const Pose& to) {
    if (!RigidMotion(from, pose).moves()) return to; // equal to the last bit
    const Quaternion q = relative_rotation(from.rotation, to.rotation);
    const Rotation turn = rotation_by(q);
    return {to.centre + turn(pose.centre - from.centre),
            turns(q) ? unit(q * pose.rotation) : pose.rotation, turn(pose.arm)};
}

Pose between(const Pose& a, const Pose& b, double t) {
    if (t >= 1.0) return b;
    Pose pose = a;
    pose.centre += t * (b.centre - a.centre);
    if (!turns(relative_rotation(a.rotation, b.rotation))) {
        if (!same(a.arm, b.arm)) pose.arm += t * (b.arm - a.arm);
        return pose;
    }
    const Quaternion p = a.rotation, q = b.rotation;
    const double s = 1.0 - t, r = quaternion_dot(p, q) < 0.0 ? -t : t;
    pose.rotation =
        unit({s * p.x + r * q.x, s * p.y + r * q.y, s * p.z + r * q.z, s * p.w + r * q.w});
    const double before = length(a.arm), after = length(b.arm);
    if (before > 0.0)
        pose.arm = ((s * before + t * after) / before) *
                   rotation_by(relative_rotation(a.rotation, pose.rotation))(a.arm);
    else
        pose.arm = t * b.arm;
    return pose;
}

RigidMotion::RigidMotion(const Pose& from, const Pose& to, double taper)
    : translation_(to.centre - from.centre), taper_(taper) {
    const Quaternion q = relative_rotation(from.rotation, to.rotation);
    if (!turns(q) && same(from.arm, to.arm)) return;
    from_centre_ = from.centre;
    to_centre_ = to.centre;
    arm_ = from.arm;
    rotation_ = rotation_by(q);
    stretch_ = to.arm - rotation_(arm_);
    // The parameter t of a point along the arm changes by at most 1 over this distance, m.
    const double reach = std::sqrt(std::max(dot(arm_, arm_) - taper * taper, 0.0));
    displacement_per_metre_ =
        2.0 * length(Vec3{q.x, q.y, q.z}) + length(stretch_) / (reach > 0.0 ? reach : 1.0);
}

double RigidMotion::rise(Vec3 x, Vec3 normal) const {
    if (displacement_per_metre_ == 0.0) return dot(translation_, normal);
    Vec3 offset = x - to_centre_;
    const Vec3 arm = rotation_(arm_) + stretch_; // in `to`; may be of length 0 in `from`
    offset -= capsule_parameter(arm, taper_, offset) * stretch_;
    const Vec3 displacement = x - (from_centre_ + rotation_.back(offset));
    // Projects on the mean of the normals before and after, so that a sphere that rotates about its
    // centre has 0.
    return 0.5 * dot(displacement, normal + rotation_.back(normal));
}

Vec3 RigidMotion::image_of(Vec3 x) const {
    const Vec3 offset = x - from_centre_;
    return to_centre_ + rotation_(offset) + capsule_parameter(arm_, taper_, offset) * stretch_;
}

} // namespace twang::core
