// Obstacles: how far a point is from one, and what is left to do for the vertices of a body at the
// end of a step: those that are inside are put on the surface and rubbed (Coulomb). Solvers that
// iterate have met the obstacles before, see contacts.hpp.
#pragma once

#include <span>

#include "error.hpp"
#include "jobs.hpp"
#include "mesh_collider.hpp"
#include "vec3.hpp"

namespace twang::core {

struct Obstacle {
    twang_collider_def def; // where it is at the start of the step; the normal has length 1
    Vec3 next;              // where its centre is at the end
    std::shared_ptr<const MeshCollider> surface = nullptr; // of a mesh
};

Status check_collider(const twang_collider_def& def);

// v at length 1, whatever its length is; 0 for 0.
Vec3 direction(Vec3 v);

// From the obstacle at the end of the step.
Distance distance_to(const Obstacle& obstacle, Vec3 point);

// Adds the classic penalty of spheres that ask for it, k max(s r - |x - c|, 0) outward, to the
// forces on vertices at x.
void penalise(std::span<const Obstacle> obstacles, std::span<const Vec3> x, Vec3* forces);

// Moves the vertices x, which started the step at x_n; those held stay where they are.
void collide(std::span<const Obstacle> obstacles, std::span<Vec3> x, const Vec3* x_n,
             const char* held, Jobs& jobs);

// m: how far the deepest of the vertices that are not held is below a surface; 0: none is.
double deepest(std::span<const Obstacle> obstacles, std::span<const Vec3> x, const char* held);

} // namespace twang::core
