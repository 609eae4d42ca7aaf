// How colliders and pins of scenes move: read from a file, and where they are at a time.
#include <cmath>
#include <numbers>

#include "scene_parts.hpp"

namespace twang::io {

Motion read_motion(const json::Value& value, Notes& notes) {
    Fields fields(value, "motion", notes);
    Motion motion;
    motion.velocity = fields.vector("velocity", motion.velocity);
    motion.amplitude = fields.vector("amplitude", motion.amplitude);
    motion.frequency = fields.number("frequency", motion.frequency, at_least(0));
    fields.warn_of_unknown();
    return motion;
}

Vec3 Motion::at(Vec3 start, double seconds) const {
    const double swing = std::sin(2.0 * std::numbers::pi * frequency * seconds);
    return {start.x + velocity.x * seconds + amplitude.x * swing,
            start.y + velocity.y * seconds + amplitude.y * swing,
            start.z + velocity.z * seconds + amplitude.z * swing};
}

bool Motion::is_rest() const {
    const bool drifts = velocity.x != 0.0 || velocity.y != 0.0 || velocity.z != 0.0;
    const bool swings = amplitude.x != 0.0 || amplitude.y != 0.0 || amplitude.z != 0.0;
    return !drifts && !(swings && frequency != 0.0);
}

} // namespace twang::io
