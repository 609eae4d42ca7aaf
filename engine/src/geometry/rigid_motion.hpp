// Where an obstacle is and how it is turned, and what becomes of the points that go along with it
// from one pose to another. Plain arithmetic throughout: the sines of C libraries differ in their
// last bits.
#pragma once

#include "base/error.hpp"
#include "base/vec3.hpp"

namespace twang::core {

using Quaternion = twang_quaternion;

struct Pose {
    Vec3 centre{};
    Quaternion rotation{0.0, 0.0, 0.0, 1.0}; // of length 1, against the definition
    Vec3 arm{};                              // of a capsule: from its centre to its end
};

Status check_rotation(Quaternion q);
// q at length 1, whatever its length above 0 is.
Quaternion unit(Quaternion q);
inline bool turns(Quaternion q) { return q.x != 0.0 || q.y != 0.0 || q.z != 0.0; }
// First b, then a.
Quaternion operator*(Quaternion a, Quaternion b);
// The least turn that takes one direction to the other.
Quaternion shortest_turn(Vec3 from, Vec3 to);

// Where a pose gets to by the turn and the move that take `from` to `to`.
Pose taken_along(const Pose& pose, const Pose& from, const Pose& to);

// On the way from a (t = 0) to b (t = 1): the centre on a straight line, the rotation along the
// shorter arc, its quaternion on a straight line (at 30 degrees even to 2 %).
Pose between(const Pose& a, const Pose& b, double t);

// How the points of an obstacle move while it goes from one pose to another.
class Ride {
public:
    Ride() = default;
    // taper, m: the radius at the centre of a capsule less that at its end.
    Ride(const Pose& from, const Pose& to, double taper = 0.0);
    // Of the point that is at x in the pose it comes from. Where nothing turns, the same for all.
    Vec3 operator()(Vec3 x) const { return chord_ > 0.0 ? turned(x) - x : shift_; }
    // How far a surface comes along its normal, at the point x of it when it has arrived.
    double rise(Vec3 x, Vec3 normal) const;
    bool moves() const { return chord_ > 0.0 || length(shift_) > 0.0; }
    // How much farther than its centre any point of a ball of this radius is carried, at most.
    double more_within(double radius) const { return chord_ * radius; }

private:
    Vec3 turned(Vec3 x) const;

    Vec3 shift_{};
    double chord_ = 0.0; // the way of a point at 1 m from the axis; 0: nothing turns or stretches
    Vec3 from_{}, to_{}; // centres
    Turn turn_{};
    Vec3 arm_{}, stretch_{}; // of a capsule, and what its end moves besides
    double taper_ = 0.0;
};

} // namespace twang::core
