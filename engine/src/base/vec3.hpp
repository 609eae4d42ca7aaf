// 3-vectors, rotations and symmetric 3x3 blocks in double. The order of operations is fixed, so
// that results have the same bits on every machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <twang/twang.h>

namespace twang::core {

using Vec3 = twang_vec3;

inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
inline Vec3 operator*(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
inline Vec3& operator+=(Vec3& a, Vec3 b) { return a = a + b; }
inline Vec3& operator-=(Vec3& a, Vec3 b) { return a = a - b; }
inline bool operator==(Vec3 a, Vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
inline double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(Vec3 a, Vec3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double length(Vec3 a) { return std::sqrt(dot(a, a)); }
// Minimum and maximum per coordinate: the corners of the smallest box around a and b.
inline Vec3 least(Vec3 a, Vec3 b) {
    return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
inline Vec3 greatest(Vec3 a, Vec3 b) {
    return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}
// Returns v / |v| for any length of v, and 0 for v = 0.
inline Vec3 direction(Vec3 v) {
    // Scaled first: the squares must neither overflow nor underflow.
    const double largest = std::fmax(std::fmax(std::fabs(v.x), std::fabs(v.y)), std::fabs(v.z));
    if (largest == 0.0) return {};
    const Vec3 scaled{v.x / largest, v.y / largest, v.z / largest};
    return (1.0 / length(scaled)) * scaled;
}
inline bool finite(Vec3 a) {
    return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}
// Whether the coordinates are finite as floats too: positions and velocities are given to the
// caller as floats.
inline bool fits_float(Vec3 a) {
    constexpr double most = std::numeric_limits<float>::max();
    return std::fabs(a.x) <= most && std::fabs(a.y) <= most && std::fabs(a.z) <= most;
}

// A rotation matrix R by rows: operator() returns R v, back() returns R^T v.
struct Rotation {
    Vec3 x_row, y_row, z_row;
    Vec3 operator()(Vec3 v) const { return {dot(x_row, v), dot(y_row, v), dot(z_row, v)}; }
    Vec3 back(Vec3 v) const { return v.x * x_row + v.y * y_row + v.z * z_row; }
};
// Returns the rotation of a quaternion of any length above 0.
inline Rotation rotation_by(twang_quaternion q) {
    const double largest = std::fmax(std::fmax(std::fabs(q.x), std::fabs(q.y)),
                                     std::fmax(std::fabs(q.z), std::fabs(q.w)));
    const double x = q.x / largest, y = q.y / largest, z = q.z / largest,
                 w = q.w / largest; // avoids overflow of the squares
    const double s = 2.0 / (x * x + y * y + z * z + w * w);
    return {{1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)},
            {s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)},
            {s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)}};
}

// A symmetric 3x3 block.
struct Sym3 {
    double xx = 0.0, xy = 0.0, xz = 0.0, yy = 0.0, yz = 0.0, zz = 0.0;
};
inline Sym3& operator+=(Sym3& a, const Sym3& b) {
    a.xx += b.xx, a.xy += b.xy, a.xz += b.xz, a.yy += b.yy, a.yz += b.yz, a.zz += b.zz;
    return a;
}
inline Vec3 operator*(const Sym3& a, Vec3 v) {
    return {a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
            a.xz * v.x + a.yz * v.y + a.zz * v.z};
}

} // namespace twang::core
