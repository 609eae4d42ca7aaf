// External forces on the vertices of one body: gravity, air on its triangles, gas inside it, what
// the caller added. Nothing about springs.
#pragma once

#include <vector>

#include "gusts.hpp"
#include "jobs.hpp"
#include "model.hpp"

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
};

// Of the gas inside: its pressure times its volume stays the same. Limited where next to no volume
// is left, or less than none, so that a flattened body is blown up again and not torn apart.
double pressure_at(const Model& model, double rest_pressure, const Vec3* x);

// on_triangles: room for a vector per triangle. torn: per triangle, those the air goes through;
// null: none.
void push(const Model& model, const Surroundings& surroundings, const OwnForces& own, const Vec3* x,
          const Vec3* v, const Vec3* user_forces, Vec3* on_triangles, Vec3* forces, Jobs& jobs,
          const char* torn = nullptr);

} // namespace twang::core
