// Obstacles: how far a point is from one, and what is left to do for the vertices of a body at the
// end of a step: those that are inside are put on the surface and rubbed (Coulomb: static friction
// holds what rests on the surface, kinetic friction brakes what slides). Solvers that iterate have
// met the obstacles before, see contacts.hpp.
#pragma once

#include <span>

#include "base/error.hpp"
#include "base/jobs.hpp"
#include "contact/mesh_collider.hpp"
#include "geometry/rigid_motion.hpp"
#include "geometry/vertex_groups.hpp"

namespace twang::core {

struct Obstacle {
    twang_collider_def def; // as it was made; the normal has length 1, nothing is TWANG_SAME
    Pose last, now, next;   // at the start of the step before, of this step, and at its end
    std::shared_ptr<const MeshCollider> surface = nullptr; // of a mesh
    // In a step, what follows from the poses:
    Ride ride;   // from now to next
    Ride back;   // from now to last
    Turn turn{}; // of next
};

// How vertices came to where they are at the start of a step.
struct Arrival {
    const Vec3* x_n;
    const Vec3* displacement; // m, in the step before; null: all are at rest
    double time_step;         // s
};

Status check_collider(const twang_collider_def& def);

// At rest where the definition puts it; without the surface of a mesh.
Obstacle make_obstacle(const twang_collider_def& def);
// The obstacle as defined, moved there and turned.
Pose pose_at(const Obstacle& obstacle, Vec3 centre, Quaternion rotation);
// As it moves in one of the substeps of a step, the first of so many that it is on its way; only
// then all that follows can be asked for.
Obstacle in_substep(const Obstacle& obstacle, int substep, int substeps, int steps = 1);

// The mu that has to hold a vertex at the obstacle, where the surface has this normal: static where
// it went along with the surface in the step before. What slides must be stopped by kinetic
// friction first: only if that can do it within the step does it come to rest.
double grip(const Obstacle& obstacle, const Arrival& arrival, std::size_t vertex, Vec3 normal);
// The same of a point that was at x_n, after a move of `displacement` in the step before.
double grip(const Obstacle& obstacle, double time_step, Vec3 x_n, Vec3 displacement, Vec3 normal);

// From the obstacle at the end of the step.
Distance distance_to(const Obstacle& obstacle, Vec3 point);

// Whether a point within it may be this near to the obstacle at the end of the step, or inside.
bool may_reach(const BoundingSphere& bounds, const Obstacle& obstacle, double distance);
// Rejects the points that are surely farther than their reach from the obstacle at the end of the
// step.
void reject(const GroupPoints& points, const Obstacle& obstacle, Rejection& rejection);
// Of the groups that one worker takes at a time.
inline constexpr std::size_t groups_per_job = 512 / VertexGroups::size;

// Adds the classic penalty of spheres that ask for it, k max(s r - |x - c|, 0) outward, to the
// forces on vertices at x.
void penalise(std::span<const Obstacle> obstacles, std::span<const Vec3> x, Vec3* forces);

// The share of a collider's thickness that is kept at the end of a step whatever it takes, where
// contact forces have been at work. To put vertices outside after the solve stretches springs, so
// these forces have the rest as slack.
inline constexpr double kept_thickness = 0.5;

// Moves the vertices x, which started the step as `arrival` says, to this share of the thickness in
// front of the obstacles; those held stay where they are.
void collide(std::span<const Obstacle> obstacles, double share, std::span<Vec3> x,
             const Arrival& arrival, const char* held, const VertexGroups& groups, Jobs& jobs);

// m: how far the deepest of the vertices that are not held is below a surface; 0: none is.
double deepest(std::span<const Obstacle> obstacles, std::span<const Vec3> x, const char* held,
               const VertexGroups& groups);

} // namespace twang::core
