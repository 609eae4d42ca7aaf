// External forces on the vertices of one body (N): gravity, air on its triangles, pressure of the
// gas inside, and the forces that the caller added. Springs are not known here.
// Air on a triangle with area A and unit normal n, met by the relative wind u (wind velocity minus
// the triangle's mean velocity):
//   f = A (u . n) (drag n + lift m),   m = the part of n across u
// a third of which acts on each corner.
#pragma once

#include <vector>

#include "base/jobs.hpp"
#include "model/model.hpp"
#include "world/gusts.hpp"

namespace twang::core {

// Gravity and air, the same for all bodies of a world.
struct Surroundings {
    Vec3 gravity{};    // m/s^2
    Vec3 wind{};       // m/s
    double drag = 0.0; // kg/(m^2 s)
    double lift = 0.0; // kg/(m^2 s)
    Gusts gusts{};
    double time = 0.0; // s since the world was created; gusts depend on it

    bool blows() const { return drag > 0.0 || lift > 0.0; }
    bool operator==(const Surroundings&) const = default;
};
Status check_air(const twang_air_def& air);
Surroundings with_air(Surroundings surroundings, const twang_air_def& air);

// Settings of one body.
struct OwnForces {
    double gravity_scale = 1.0;
    double pressure = 0.0; // Pa above the air around, at the volume of the rest shape
    double gas = 1.0;      // share of the gas that is left; gas escapes where the body is torn
};

// Pressure of the gas, Pa: pressure times volume is constant. Limited for volumes near 0 or below,
// so that a flattened body is inflated again and not torn apart.
double pressure_at(const Model& model, double rest_pressure, const Vec3* x);

// Input of push(): the state of one body.
struct ForceInput {
    const Model& model;
    const Vec3 *x, *v;
    const Vec3* user_forces; // null: none
    const char* torn;        // per triangle: air passes through it; null: none
    double time_step;        // s; 0: forces are not limited by their effect within the step
};

// Force of the air on a triangle.
struct AirOnTriangle {
    Vec3 share;  // N, on each corner
    double area; // m^2
};

// Computes the forces on all vertices. The air's force is explicit, so that its effect within a
// step is limited: a vertex is accelerated at most to the velocity of the air, and where lift
// exceeds drag, the speed of a vertex relative to the air does not grow. (Drag alone reduces that
// speed.) At usual values neither limit takes effect. on_triangles: scratch, one entry per
// triangle.
void push(const ForceInput& body, const Surroundings& surroundings, const OwnForces& own,
          AirOnTriangle* on_triangles, Vec3* forces, Jobs& jobs);

} // namespace twang::core
