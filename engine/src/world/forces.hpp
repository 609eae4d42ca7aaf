// External forces on the vertices of one body: gravity, air on its triangles, gas inside it, what
// the caller added. Nothing about springs.
#pragma once

#include <vector>

#include "base/jobs.hpp"
#include "model/model.hpp"
#include "world/gusts.hpp"

namespace twang::core {

// What all bodies of a world meet.
struct Surroundings {
    Vec3 gravity{};
    Vec3 wind{};       // m/s
    double drag = 0.0; // kg/(m^2 s)
    double lift = 0.0; // kg/(m^2 s)
    Gusts gusts{};
    double time = 0.0; // s since the world began: gusts change with it

    bool blows() const { return drag > 0.0 || lift > 0.0; }
    bool operator==(const Surroundings&) const = default;
};
Status check_air(const twang_air_def& air);
Surroundings with_air(Surroundings surroundings, const twang_air_def& air);

// What is a body's own.
struct OwnForces {
    double gravity_scale = 1.0;
    double pressure = 0.0; // Pa above the air around, at the volume of the rest shape
    double gas = 1.0;      // how much of it is left: it gets out where the body is torn
};

// Of the gas inside: its pressure times its volume stays the same. Limited where next to no volume
// is left, or less than none, so that a flattened body is blown up again and not torn apart.
double pressure_at(const Model& model, double rest_pressure, const Vec3* x);

// A body as the forces find it.
struct Exposed {
    const Model& model;
    const Vec3 *x, *v;
    const Vec3* user_forces; // null: none
    const char* torn;        // per triangle, those the air goes through; null: none
    double time_step;        // 0: forces are not limited by what they do in it
};

// What the air does to a triangle.
struct AirOnTriangle {
    Vec3 share; // N, on a corner
    double area;
};

// The air's force is explicit, so that what it does in a step has a limit: vertices come to move
// with the air at most, and where lift exceeds drag, which alone would calm it, no faster in the
// air than they did. At usual values neither takes effect. on_triangles: room for all of them.
void push(const Exposed& body, const Surroundings& surroundings, const OwnForces& own,
          AirOnTriangle* on_triangles, Vec3* forces, Jobs& jobs);

} // namespace twang::core
