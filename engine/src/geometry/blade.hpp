// A blade: a straight edge that moves while the body that it cuts moves, too. Within one sweep,
// t = 0 ... 1, the edge p + v d, v = 0 ... 1, and the ends a, b of a segment move evenly. With
//   A = a - p,  B = b - p,  f(t) = d . (A x B),
// a cubic in t, segment and edge lie in one plane where f = 0. They meet there if the edge's line
// passes between a and b.
// The end of a sweep and the start of the next give f the same bits, so that no segment slips
// through between two sweeps. A stroke whose edge begins and ends outside of a loop of segments
// meets an even number of them an odd number of times; so the segments that a stroke meets
// separate the vertices on its one side from those on the other.
#pragma once

#include "base/vec3.hpp"

namespace twang::core {

struct BladeEdge {
    Vec3 at, along; // from `at` to at + along, m
};

// A vertex at t = 0 and at t = 1.
struct MovingPoint {
    Vec3 from, to;
};

class Blade {
public:
    Blade(const BladeEdge& from, const BladeEdge& to);

    // Returns the sides of a box around the sweep that the point is outside of all the time, a bit
    // per side. The edge meets no segment whose ends are outside of the same side.
    unsigned char outside(const MovingPoint& point) const;
    // Returns whether the edge meets the segment a b, both ends of the edge, the sweep and the
    // segment included. False where both stay in one plane.
    bool meets(const MovingPoint& a, const MovingPoint& b) const;

private:
    bool meets_at(double t, const MovingPoint& a, const MovingPoint& b) const;
    unsigned char outside(Vec3 point) const;

    BladeEdge from_, to_;
    Vec3 axes_[3]; // of the box: the mean edge, the way across it, their normal
    double low_[3], high_[3];
};

} // namespace twang::core
