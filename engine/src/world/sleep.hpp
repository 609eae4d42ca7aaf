// Sleep: a body whose mean speed stays below a limit is left out of steps until something wakes it.
// Calls that change the body wake it, see wake() in body.hpp; here it is found out when a moving
// obstacle comes near.
#pragma once

#include <span>

#include "base/arrays.hpp"
#include "contact/collider.hpp"

namespace twang::core {

class Sleep {
public:
    bool is_asleep() const { return asleep_; }
    std::int32_t still_steps() const { return still_steps_; }
    void wake() { asleep_ = false, still_steps_ = 0; }
    void sleep(const VertexArray<Vec3>& x); // falls asleep at once, at x

    // To be called after a step that ended with positions x and velocities v. Returns true when the
    // body falls asleep now, because its mean speed was below `speed` (m/s) for `steps` steps in a
    // row.
    bool fall_asleep(const VertexArray<Vec3>& x, const VertexArray<Vec3>& v, double speed,
                     std::int32_t steps);
    // Whether an obstacle that moves in this step comes near the sleeping body.
    bool is_disturbed(std::span<const Obstacle> obstacles) const;
    // Whether a part of the sleeping body may be within `reach` (m) of the box.
    bool is_near(Vec3 low, Vec3 high, double reach) const;
    // For snapshots: restores what is_asleep() and still_steps() returned, with the body at x.
    void restore(bool asleep, std::int32_t still_steps, const VertexArray<Vec3>& x);

private:
    void set_bounding_sphere(const VertexArray<Vec3>& x);

    bool asleep_ = false;
    std::int32_t still_steps_ = 0;
    Vec3 centre_{}; // of the bounding sphere of the sleeping body
    double radius_ = 0.0;
};

} // namespace twang::core
