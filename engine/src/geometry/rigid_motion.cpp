#include "geometry/rigid_motion.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

double product(Quaternion a, Quaternion b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
Quaternion inverse(Quaternion q) { return {-q.x, -q.y, -q.z, q.w}; }
bool same(Vec3 a, Vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// From one rotation to the other; none exactly, if they are the same.
Quaternion from_to(Quaternion from, Quaternion to) {
    const bool is_same = same({from.x, from.y, from.z}, {to.x, to.y, to.z}) && from.w == to.w;
    return is_same ? Quaternion{0.0, 0.0, 0.0, 1.0} : to * inverse(from);
}

// Where along the arm of a capsule, 0 to 1, the ball is centred that comes nearest to a point: for
// a tapered one not at its foot, but where its line across the cone meets the axis.
double place_along(Vec3 arm, double taper, Vec3 off) {
    const double square = dot(arm, arm), square_of_cone = square - taper * taper;
    if (taper != 0.0 && square_of_cone <= 0.0) return taper > 0.0 ? 0.0 : 1.0;
    if (square == 0.0) return 0.0;
    double t = dot(off, arm) / square;
    if (taper != 0.0)
        t -= length(off - t * arm) * taper / (std::sqrt(square_of_cone) * std::sqrt(square));
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
    // Scaled first, so that squares neither overflow nor vanish.
    const double most = std::max({std::abs(q.x), std::abs(q.y), std::abs(q.z), std::abs(q.w)});
    const Quaternion scaled{q.x / most, q.y / most, q.z / most, q.w / most};
    const double l = std::sqrt(product(scaled, scaled));
    return {scaled.x / l, scaled.y / l, scaled.z / l, scaled.w / l};
}

Quaternion operator*(Quaternion a, Quaternion b) {
    return {a.w * b.x + b.w * a.x + (a.y * b.z - a.z * b.y),
            a.w * b.y + b.w * a.y + (a.z * b.x - a.x * b.z),
            a.w * b.z + b.w * a.z + (a.x * b.y - a.y * b.x),
            a.w * b.w - (a.x * b.x + a.y * b.y + a.z * b.z)};
}

Quaternion shortest_turn(Vec3 from, Vec3 to) {
    const Vec3 u = direction(from), v = direction(to);
    const Vec3 axis = cross(u, v);
    const double w = 1.0 + dot(u, v);
    if (w > 1e-12) return unit({axis.x, axis.y, axis.z, w});
    // Opposite ways: about any axis across.
    const Vec3 across = cross(u, std::abs(u.x) < 0.9 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0});
    return unit({across.x, across.y, across.z, 0.0});
}

Pose taken_along(const Pose& pose, const Pose& from, const Pose& to) {
    if (!Ride(from, pose).moves()) return to; // to the last bit
    const Quaternion q = from_to(from.rotation, to.rotation);
    const Turn turn = turn_by(q);
    return {to.centre + turn(pose.centre - from.centre),
            turns(q) ? unit(q * pose.rotation) : pose.rotation, turn(pose.arm)};
}

Pose between(const Pose& a, const Pose& b, double t) {
    if (t >= 1.0) return b;
    Pose pose = a;
    pose.centre += t * (b.centre - a.centre);
    if (!turns(from_to(a.rotation, b.rotation))) {
        if (!same(a.arm, b.arm)) pose.arm += t * (b.arm - a.arm);
        return pose;
    }
    const Quaternion p = a.rotation, q = b.rotation;
    const double s = 1.0 - t, r = product(p, q) < 0.0 ? -t : t;
    pose.rotation =
        unit({s * p.x + r * q.x, s * p.y + r * q.y, s * p.z + r * q.z, s * p.w + r * q.w});
    const double before = length(a.arm), after = length(b.arm);
    if (before > 0.0)
        pose.arm = ((s * before + t * after) / before) *
                   turn_by(from_to(a.rotation, pose.rotation))(a.arm);
    else
        pose.arm = t * b.arm;
    return pose;
}

Ride::Ride(const Pose& from, const Pose& to, double taper)
    : shift_(to.centre - from.centre), taper_(taper) {
    const Quaternion q = from_to(from.rotation, to.rotation);
    if (!turns(q) && same(from.arm, to.arm)) return;
    from_ = from.centre;
    to_ = to.centre;
    arm_ = from.arm;
    turn_ = turn_by(q);
    stretch_ = to.arm - turn_(arm_);
    // Over this many metres the place of a point along the arm changes by 1 at most.
    const double reach = std::sqrt(std::max(dot(arm_, arm_) - taper * taper, 0.0));
    chord_ = 2.0 * length(Vec3{q.x, q.y, q.z}) + length(stretch_) / (reach > 0.0 ? reach : 1.0);
}

double Ride::rise(Vec3 x, Vec3 normal) const {
    if (chord_ == 0.0) return dot(shift_, normal);
    Vec3 off = x - to_;
    const Vec3 arm = turn_(arm_) + stretch_; // where it has arrived: it may have had no length
    off -= place_along(arm, taper_, off) * stretch_;
    const Vec3 way = x - (from_ + turn_.back(off));
    // By the mean of its normals: that of a ball that turns in its place is 0.
    return 0.5 * dot(way, normal + turn_.back(normal));
}

Vec3 Ride::turned(Vec3 x) const {
    const Vec3 off = x - from_;
    return to_ + turn_(off) + place_along(arm_, taper_, off) * stretch_;
}

} // namespace twang::core
