#include "world/sleep.hpp"

#include <algorithm>

namespace twang::core {

bool Sleep::fall_asleep(const VertexArray<Vec3>& x, const VertexArray<Vec3>& v, double speed,
                        std::int32_t steps) {
    double sum = 0.0;
    for (const Vec3& velocity : v) sum += length(velocity);
    still_steps_ = sum < speed * static_cast<double>(v.size()) ? still_steps_ + 1 : 0;
    if (still_steps_ < steps) return false;
    sleep(x);
    return true;
}

void Sleep::sleep(const VertexArray<Vec3>& x) {
    asleep_ = true;
    set_bounding_sphere(x);
}

bool Sleep::is_disturbed(std::span<const Obstacle> obstacles) const {
    return std::any_of(obstacles.begin(), obstacles.end(), [&](const Obstacle& obstacle) {
        const RigidMotion& motion = obstacle.ride;
        return motion.moves() && distance_to(obstacle, centre_).distance <
                                     radius_ + obstacle.def.thickness + length(motion(centre_)) +
                                         motion.extra_displacement_bound(radius_);
    });
}

bool Sleep::is_near(Vec3 low, Vec3 high, double reach) const {
    const Vec3 nearest{std::clamp(centre_.x, low.x, high.x), std::clamp(centre_.y, low.y, high.y),
                       std::clamp(centre_.z, low.z, high.z)};
    return length(nearest - centre_) < radius_ + reach;
}

void Sleep::restore(bool asleep, std::int32_t still_steps, const VertexArray<Vec3>& x) {
    asleep_ = asleep;
    still_steps_ = still_steps;
    if (asleep) set_bounding_sphere(x);
}

void Sleep::set_bounding_sphere(const VertexArray<Vec3>& x) {
    Vec3 low = x[0], high = x[0];
    for (const Vec3& p : x) {
        low = least(low, p);
        high = greatest(high, p);
    }
    centre_ = 0.5 * (low + high);
    radius_ = 0.5 * length(high - low);
}

} // namespace twang::core
