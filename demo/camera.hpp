// The eye: it orbits a target, pans and zooms, and turns places in the picture into rays.
// Positions in the picture are from -1 to 1, left to right and bottom to top.
#ifndef TWANG_DEMO_CAMERA_HPP
#define TWANG_DEMO_CAMERA_HPP

#include <twang/io.hpp>

#include "linear.hpp"

namespace twang::demo {

struct Ray {
    Point origin;
    Point direction; // length 1
};

class OrbitCamera {
public:
    OrbitCamera() = default;
    explicit OrbitCamera(const io::Camera& camera);

    void orbit(float right, float up); // radians
    void pan(float right, float up);   // heights of the picture
    void zoom(float factor);           // the distance is divided by it

    Point eye() const;
    Point target() const { return target_; }
    Point forward() const { return normalized(target_ - eye()); }
    Matrix view_projection(float aspect) const;
    Ray ray(float x, float y, float aspect) const;
    // Where a point is seen: x, y; z is its distance along the line of sight, below 0 behind.
    Point seen_at(Point p, float aspect) const;
    // How large a metre at this point is, in heights of the picture.
    float scale_at(Point p) const;

private:
    Point target_;
    float yaw_ = 0, pitch_ = 0.3f; // radians
    float distance_ = 3;
    float tangent_ = 0.364f; // of half the field of view
};

} // namespace twang::demo

#endif // TWANG_DEMO_CAMERA_HPP
