// A camera that orbits a target, pans and zooms. Converts places in the picture to rays and points
// to places in the picture. Places in the picture have x and y from -1 to 1, left to right and
// bottom to top.
#ifndef TWANG_DEMO_CAMERA_HPP
#define TWANG_DEMO_CAMERA_HPP

#include <twang/io.hpp>

#include "simulation/linear.hpp"

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
    void zoom(float factor);           // divides the distance from the target by the factor

    Point eye() const;
    Point target() const { return target_; }
    Point forward() const { return normalized(target_ - eye()); }
    Matrix view_projection(float aspect) const;
    Ray ray(float x, float y, float aspect) const;
    // Returns the place of a point in the picture as x and y, and its depth along the view
    // direction as z, in metres, negative behind the eye.
    Point seen_at(Point p, float aspect) const;
    // Returns the size of one metre at this point, in heights of the picture.
    float scale_at(Point p) const;

private:
    Point target_;
    float yaw_ = 0, pitch_ = 0.3f; // radians
    float distance_ = 3;
    float tangent_ = 0.364f; // of half the vertical field of view
};

} // namespace twang::demo

#endif // TWANG_DEMO_CAMERA_HPP
