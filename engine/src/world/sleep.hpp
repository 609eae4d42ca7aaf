// Sleep: a body that has all but stopped is left out of steps until something touches it. What
// counts as a touch is the caller's doing (pins, forces, settings: see wake) or an obstacle that
// moves near.
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
    void sleep(const VertexArray<Vec3>& x); // at once

    // After a step that ended with positions x and velocities v: true when the body falls asleep
    // now, because its mean speed was below `speed` for `steps` steps in a row.
    bool fall_asleep(const VertexArray<Vec3>& x, const VertexArray<Vec3>& v, double speed,
                     std::int32_t steps);
    // Whether an obstacle that moves in this step comes near.
    bool is_disturbed(std::span<const Obstacle> obstacles) const;
    // Of a sleeping body: whether some of it may be within `reach` of the box.
    bool is_near(Vec3 low, Vec3 high, double reach) const;
    // For snapshots: as it was when these were read, with the body at x.
    void restore(bool asleep, std::int32_t still_steps, const VertexArray<Vec3>& x);

private:
    void surround(const VertexArray<Vec3>& x);

    bool asleep_ = false;
    std::int32_t still_steps_ = 0;
    Vec3 centre_{}; // of a ball around the sleeping body
    double radius_ = 0.0;
};

} // namespace twang::core
