// What tests of changes while a body runs share.
#pragma once

#include <cmath>

#include "api_support.hpp"

namespace api {

inline constexpr double gravity = 9.8;

inline twang_world_def damped(double damping = 5.0) {
    twang_world_def def = plain();
    def.damping = damping;
    return def;
}

inline double distance(twang_vec3 a, twang_vec3 b) {
    return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

inline twang_grab grab(const World& world, twang_body body, const twang_grab_def& def) {
    twang_grab made{};
    EXPECT_TRUE(ok(twang_body_grab(world.get(), body, &def, &made)));
    return made;
}

inline twang_grab_def at_vertex(std::uint32_t vertex, twang_vec3 target,
                                double stiffness = 1000.0) {
    twang_grab_def def;
    def.vertices[0] = vertex;
    def.target = target;
    def.stiffness = stiffness;
    return def;
}

} // namespace api
