#include "view/camera.hpp"

namespace twang::demo {
namespace {

// Radians, just below pi/2: at the pole the up direction is undefined.
constexpr float max_pitch = 1.55f;

} // namespace

OrbitCamera::OrbitCamera(const io::Camera& camera) : target_(point(camera.target)) {
    const Point arm = point(camera.eye) - target_;
    distance_ = std::max(length(arm), 1e-3f);
    yaw_ = std::atan2(arm.x, arm.z);
    pitch_ = std::asin(std::clamp(arm.y / distance_, -1.0f, 1.0f));
    pitch_ = std::clamp(pitch_, -max_pitch, max_pitch);
    tangent_ = std::tan(static_cast<float>(camera.field_of_view) * 3.14159265f / 360.0f);
}

void OrbitCamera::orbit(float right, float up) {
    yaw_ -= right;
    pitch_ = std::clamp(pitch_ - up, -max_pitch, max_pitch);
}

void OrbitCamera::pan(float right, float up) {
    const Point sideways = normalized(cross(forward(), {0, 1, 0}));
    const Point upwards = cross(sideways, forward());
    const float height = 2 * tangent_ * distance_;
    target_ = target_ - (height * right) * sideways - (height * up) * upwards;
}

void OrbitCamera::zoom(float factor) { distance_ = std::clamp(distance_ / factor, 0.02f, 1000.0f); }

Point OrbitCamera::eye() const {
    const Point arm = {std::cos(pitch_) * std::sin(yaw_), std::sin(pitch_),
                       std::cos(pitch_) * std::cos(yaw_)};
    return target_ + distance_ * arm;
}

Matrix OrbitCamera::view_projection(float aspect) const {
    return perspective(tangent_, aspect, 0.02f * distance_, 100 * distance_) *
           look_at(eye(), target_, {0, 1, 0});
}

Ray OrbitCamera::ray(float x, float y, float aspect) const {
    const Point ahead = forward();
    const Point sideways = normalized(cross(ahead, {0, 1, 0}));
    const Point upwards = cross(sideways, ahead);
    return {eye(),
            normalized(ahead + (x * tangent_ * aspect) * sideways + (y * tangent_) * upwards)};
}

Point OrbitCamera::seen_at(Point p, float aspect) const {
    const Point ahead = forward();
    const Point sideways = normalized(cross(ahead, {0, 1, 0}));
    const Point arm = p - eye();
    const float depth = dot(arm, ahead);
    const float reach = std::max(depth, 1e-6f) * tangent_;
    return {dot(arm, sideways) / (reach * aspect), dot(arm, cross(sideways, ahead)) / reach, depth};
}

float OrbitCamera::scale_at(Point p) const {
    return 1 / (2 * tangent_ * std::max(dot(p - eye(), forward()), 1e-6f));
}

} // namespace twang::demo
