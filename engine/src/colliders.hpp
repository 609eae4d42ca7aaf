// Obstacles: how far a point is from one, and what contact does to the vertices of a body at the
// end of a step. Vertices that ended up inside are put on the surface and rubbed (Coulomb);
// vertices against shapes only, tested at the end of the step.
#pragma once

#include <span>

#include "error.hpp"
#include "jobs.hpp"
#include "vec3.hpp"

namespace twang::core {

struct Obstacle {
    twang_collider_def def; // where it is at the start of the step; the normal has length 1
    Vec3 next;              // where its centre is at the end
};

Status check_collider(const twang_collider_def& def);

// v at length 1, whatever its length is; 0 for 0.
Vec3 direction(Vec3 v);

struct Distance {
    double distance; // m, below 0 inside
    Vec3 normal;     // outward, length 1
};
// From the obstacle at the end of the step.
Distance distance_to(const Obstacle& obstacle, Vec3 point);

// Moves the vertices x, which started the step at x_n; those held stay where they are.
void collide(std::span<const Obstacle> obstacles, std::span<Vec3> x, const Vec3* x_n,
             const char* held, Jobs& jobs);

} // namespace twang::core
