#include "geometry/blade.hpp"

namespace twang::core {

namespace {

// Relative to a segment's length: a line this near an end passes through the end. Far above the
// rounding of a root, far below what can be seen.
constexpr double end_tolerance = 1e-9;

double triple(Vec3 d, Vec3 a, Vec3 b) { return dot(d, cross(a, b)); }

Vec3 between(Vec3 from, Vec3 to, double t) { return (1.0 - t) * from + t * to; }

Vec3 without_part_along(Vec3 v, Vec3 d) { return v - (dot(v, d) / dot(d, d)) * d; }

Vec3 any_direction_across(Vec3 unit) {
    const Vec3 axis = std::fabs(unit.x) < 0.6 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0};
    return direction(cross(unit, axis));
}

// A cubic on 0 ... 1 by its Bernstein coefficients; c[0] and c[3] are its values at the ends.
struct Cubic {
    double c[4];

    double at(double t) const {
        const double s = 1.0 - t;
        return s * s * s * c[0] + 3.0 * s * t * (s * c[1] + t * c[2]) + t * t * t * c[3];
    }
    double value(double t) const { return t == 0.0 ? c[0] : t == 1.0 ? c[3] : at(t); }

    // Writes the places within 0 ... 1 where the derivative is 0, ascending; returns how many.
    int extrema(double* places) const {
        // The derivative is 3 (q0 (1-t)^2 + 2 q1 t (1-t) + q2 t^2) = 3 (u t^2 + 2 v t + w).
        const double q0 = c[1] - c[0], q1 = c[2] - c[1], q2 = c[3] - c[2];
        const double u = q0 - 2.0 * q1 + q2, v = q1 - q0, w = q0;
        const double discriminant = v * v - u * w;
        if (!(discriminant >= 0.0)) return 0;
        const double root = -(v + std::copysign(std::sqrt(discriminant), v));
        double found[2] = {root != 0.0 ? w / root : -1.0, u != 0.0 ? root / u : -1.0};
        if (found[0] > found[1]) std::swap(found[0], found[1]);
        int count = 0;
        for (const double place : found)
            if (place > 0.0 && place < 1.0) places[count++] = place;
        return count;
    }

    // Returns a root between low and high, where the values have different signs or one is 0.
    double root_between(double low, double high) const {
        const double value_low = value(low);
        if (value_low == 0.0) return low;
        if (value(high) == 0.0) return high;
        for (int halving = 0; halving < 60; ++halving) {
            const double middle = 0.5 * (low + high);
            ((value(middle) > 0.0) == (value_low > 0.0) ? low : high) = middle;
        }
        return high;
    }
};

} // namespace

Blade::Blade(const BladeEdge& from, const BladeEdge& to) : from_(from), to_(to) {
    const Vec3 ends[4] = {from.at, from.at + from.along, to.at, to.at + to.along};
    axes_[0] = direction(from.along + to.along);
    if (axes_[0] == Vec3{}) axes_[0] = direction(from.along);
    const Vec3 way = direction((ends[2] - ends[0]) + (ends[3] - ends[1]));
    axes_[1] = direction(way - dot(way, axes_[0]) * axes_[0]);
    if (axes_[1] == Vec3{}) axes_[1] = any_direction_across(axes_[0]);
    axes_[2] = cross(axes_[0], axes_[1]);
    double largest = 0.0;
    for (const Vec3& end : ends) largest = std::max(largest, length(end));
    const double margin = end_tolerance * largest; // for rounding
    for (int i = 0; i < 3; ++i) {
        low_[i] = high_[i] = dot(ends[0], axes_[i]);
        for (const Vec3& end : ends) {
            low_[i] = std::min(low_[i], dot(end, axes_[i]));
            high_[i] = std::max(high_[i], dot(end, axes_[i]));
        }
        low_[i] -= margin;
        high_[i] += margin;
    }
}

unsigned char Blade::outside(Vec3 point) const {
    unsigned bits = 0;
    for (int i = 0; i < 3; ++i) {
        const double place = dot(point, axes_[i]);
        bits |= static_cast<unsigned>(place < low_[i]) << (2 * i);
        bits |= static_cast<unsigned>(place > high_[i]) << (2 * i + 1);
    }
    return static_cast<unsigned char>(bits);
}

unsigned char Blade::outside(const MovingPoint& point) const {
    return outside(point.from) & outside(point.to);
}

bool Blade::meets(const MovingPoint& a, const MovingPoint& b) const {
    const Vec3 a0 = a.from - from_.at, a1 = a.to - to_.at;
    const Vec3 b0 = b.from - from_.at, b1 = b.to - to_.at;
    const Vec3 d0 = from_.along, d1 = to_.along;
    const Cubic f = {
        {triple(d0, a0, b0), (triple(d1, a0, b0) + triple(d0, a1, b0) + triple(d0, a0, b1)) / 3.0,
         (triple(d0, a1, b1) + triple(d1, a0, b1) + triple(d1, a1, b0)) / 3.0, triple(d1, a1, b1)}};
    const auto [low, high] = std::minmax({f.c[0], f.c[1], f.c[2], f.c[3]});
    if (!(low <= 0.0 && high >= 0.0) || low == high) return false;
    double places[4] = {0.0};
    const int count = f.extrema(places + 1);
    places[count + 1] = 1.0;
    for (int i = 0; i <= count; ++i) {
        const double value = f.value(places[i]), next = f.value(places[i + 1]);
        if ((value > 0.0 && next > 0.0) || (value < 0.0 && next < 0.0)) continue;
        if (meets_at(f.root_between(places[i], places[i + 1]), a, b)) return true;
    }
    return false;
}

// At a root t of f: seen along the edge, the edge is a point on the line through a and b.
bool Blade::meets_at(double t, const MovingPoint& a, const MovingPoint& b) const {
    const Vec3 at = between(from_.at, to_.at, t), d = between(from_.along, to_.along, t);
    const Vec3 to_a = between(a.from, a.to, t) - at, to_b = between(b.from, b.to, t) - at;
    const Vec3 seen_a = without_part_along(to_a, d), seen_b = without_part_along(to_b, d);
    const double square_a = dot(seen_a, seen_a), square_b = dot(seen_b, seen_b);
    if (!(dot(seen_a, seen_b) <= end_tolerance * (square_a + square_b))) return false;
    const double distance_a = std::sqrt(square_a), distance_b = std::sqrt(square_b);
    const double sum = distance_a + distance_b;
    const double s = sum > 0.0 ? distance_a / sum : 0.5; // 0 ... 1 from a to b
    const double v = dot(between(to_a, to_b, s), d) / dot(d, d);
    return v >= 0.0 && v <= 1.0;
}

} // namespace twang::core
