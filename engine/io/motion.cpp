// Motions of colliders and pins: reads "motion" and evaluates position and rotation at a time.
#include <cmath>
#include <numbers>

#include "scene_parts.hpp"

namespace twang::io {

namespace {

constexpr double full_turn = 2.0 * std::numbers::pi;

} // namespace

Vec3 read_axis(Fields& fields, Vec3 otherwise, const Notes& notes) {
    const Vec3 axis = fields.vector("axis", otherwise);
    if (!(std::hypot(axis.x, axis.y, axis.z) > 0.0)) {
        notes.fail(fields.line(), "'axis' must not be 0");
    }
    return axis;
}

Motion read_motion(const json::Value& value, Turning turning, Notes& notes) {
    Fields fields(value, "motion", notes);
    Motion motion;
    motion.velocity = fields.vector("velocity", motion.velocity);
    motion.amplitude = fields.vector("amplitude", motion.amplitude);
    motion.frequency = fields.number("frequency", motion.frequency, at_least(0));
    if (turning == Turning::yes) {
        motion.axis = read_axis(fields, motion.axis, notes);
        motion.turns = fields.number("turns", motion.turns);
        motion.swing = fields.number("swing", motion.swing);
    }
    fields.warn_of_unknown();
    return motion;
}

Vec3 Motion::at(Vec3 start, double seconds) const {
    const double swinging = std::sin(full_turn * frequency * seconds);
    return {start.x + velocity.x * seconds + amplitude.x * swinging,
            start.y + velocity.y * seconds + amplitude.y * swinging,
            start.z + velocity.z * seconds + amplitude.z * swinging};
}

Quaternion Motion::rotation_at(Quaternion start, double seconds) const {
    if (turns == 0.0 && (swing == 0.0 || frequency == 0.0)) return start;
    const double swung = swing / 360.0 * std::sin(full_turn * frequency * seconds);
    return compose(rotation_about(axis, full_turn * (turns * seconds + swung)), start);
}

bool Motion::is_rest() const {
    const bool drifts = velocity.x != 0.0 || velocity.y != 0.0 || velocity.z != 0.0;
    const bool swings = amplitude.x != 0.0 || amplitude.y != 0.0 || amplitude.z != 0.0;
    return !drifts && turns == 0.0 && !((swings || swing != 0.0) && frequency != 0.0);
}

} // namespace twang::io
