// Points, rotations, bounding boxes and 4 x 4 matrices in float, for drawing and picking. Matrices
// are column-major, as in OpenGL.
#ifndef TWANG_DEMO_LINEAR_HPP
#define TWANG_DEMO_LINEAR_HPP

#include <algorithm>
#include <array>
#include <cmath>

#include <twang/twang.hpp>

namespace twang::demo {

struct Point {
    float x = 0, y = 0, z = 0;
};

inline Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Point operator*(float s, Point a) { return {s * a.x, s * a.y, s * a.z}; }
inline float dot(Point a, Point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Point cross(Point a, Point b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline float length(Point a) { return std::sqrt(dot(a, a)); }
inline Point normalized(Point a) {
    const float l = length(a);
    return l > 0.0f ? (1.0f / l) * a : Point{0, 1, 0};
}
inline Point lowest(Point a, Point b) {
    return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
inline Point highest(Point a, Point b) {
    return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}
inline Point point(Vec3 v) {
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}
inline Point point(const float* xyz) { return {xyz[0], xyz[1], xyz[2]}; }
inline Vec3 vec3(Point p) { return {p.x, p.y, p.z}; }

// A rotation, as the images of the three axes (the columns of its matrix).
struct Rotation {
    Point x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    Point operator()(Point p) const { return p.x * x + p.y * y + p.z * z; }
    Point back(Point p) const { return {dot(p, x), dot(p, y), dot(p, z)}; }
};
inline Rotation rotation_by(Quaternion q) { // q: of any length above 0
    const double s = 2.0 / (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return {point(Vec3{1.0 - s * (q.y * q.y + q.z * q.z), s * (q.x * q.y + q.z * q.w),
                       s * (q.x * q.z - q.y * q.w)}),
            point(Vec3{s * (q.x * q.y - q.z * q.w), 1.0 - s * (q.x * q.x + q.z * q.z),
                       s * (q.y * q.z + q.x * q.w)}),
            point(Vec3{s * (q.x * q.z + q.y * q.w), s * (q.y * q.z - q.x * q.w),
                       1.0 - s * (q.x * q.x + q.y * q.y)})};
}

struct Bounds {
    Point low{1e30f, 1e30f, 1e30f}, high{-1e30f, -1e30f, -1e30f};
    void include(Point p) {
        low = lowest(low, p);
        high = highest(high, p);
    }
    Point middle() const { return 0.5f * (low + high); }
    float diagonal() const { return length(high - low); }
};

struct Matrix {
    std::array<float, 16> m{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
};

inline Matrix operator*(const Matrix& a, const Matrix& b) {
    Matrix product;
    for (int column = 0; column < 4; ++column) {
        for (int row = 0; row < 4; ++row) {
            float sum = 0;
            for (int k = 0; k < 4; ++k) sum += a.m[4 * k + row] * b.m[4 * column + k];
            product.m[4 * column + row] = sum;
        }
    }
    return product;
}

// Returns the transform from world to eye coordinates: x right, y up, view direction -z.
inline Matrix look_at(Point eye, Point target, Point up) {
    const Point back = normalized(eye - target);
    const Point right = normalized(cross(up, back));
    const Point over = cross(back, right);
    return {{right.x, over.x, back.x, 0, right.y, over.y, back.y, 0, right.z, over.z, back.z, 0,
             -dot(right, eye), -dot(over, eye), -dot(back, eye), 1}};
}

inline Matrix perspective(float tangent_of_half, float aspect, float near, float far) {
    Matrix p;
    p.m = {1 / (tangent_of_half * aspect),
           0,
           0,
           0,
           0,
           1 / tangent_of_half,
           0,
           0,
           0,
           0,
           (far + near) / (near - far),
           -1,
           0,
           0,
           2 * far * near / (near - far),
           0};
    return p;
}

inline Matrix orthographic(float half, float near, float far) {
    Matrix p;
    p.m = {1 / half,
           0,
           0,
           0,
           0,
           1 / half,
           0,
           0,
           0,
           0,
           -2 / (far - near),
           0,
           0,
           0,
           -(far + near) / (far - near),
           1};
    return p;
}

} // namespace twang::demo

#endif // TWANG_DEMO_LINEAR_HPP
