// Colliders: signed distances, and the projection of vertices at the end of a step. A vertex inside
// a collider is moved to its surface, with friction by Coulomb's law: static friction holds a
// vertex that rests on the surface, kinetic friction brakes one that slides. Solvers that iterate
// have already handled these contacts as forces, see contact.hpp.
#pragma once

#include <span>

#include "base/error.hpp"
#include "base/jobs.hpp"
#include "contact/mesh_collider.hpp"
#include "geometry/rigid_motion.hpp"
#include "geometry/vertex_groups.hpp"

namespace twang::core {

struct Obstacle {
    twang_collider_def def; // as created; normal of length 1, no TWANG_SAME
    Pose last, now, next;   // at the start of the previous step, of this step, and at its end
    std::shared_ptr<const MeshCollider> surface = nullptr; // of a mesh collider
    // Derived from the poses by in_substep():
    RigidMotion ride; // from now to next
    RigidMotion back; // from now to last
    Rotation turn{};  // of next
};

// Motion of the vertices before the start of the step.
struct PreviousMotion {
    const Vec3* x_n;
    const Vec3* displacement; // m, in the previous step; null: all are at rest
    double time_step;         // s
};

Status check_collider(const twang_collider_def& def);

// Returns an obstacle at rest in the pose of its definition, without the surface of a mesh.
Obstacle make_obstacle(const twang_collider_def& def);
// Returns the pose of the obstacle as defined, moved to `centre` and rotated.
Pose pose_at(const Obstacle& obstacle, Vec3 centre, Quaternion rotation);
// Returns the obstacle with its poses in one substep. The obstacle takes `steps` steps from `now`
// to `next`, of which this step is the first. The motions derived from the poses are valid only in
// the returned obstacle.
Obstacle in_substep(const Obstacle& obstacle, int substep, int substeps, int steps = 1);

// Returns the mu that has to hold a vertex at the obstacle, where the surface has this normal:
// static if the vertex moved with the surface in the previous step, else kinetic. A sliding vertex
// comes to rest only if kinetic friction can stop it within the step.
double friction_coefficient(const Obstacle& obstacle, const PreviousMotion& previous_motion,
                            std::size_t vertex, Vec3 normal);
// The same for a point that was at x_n, after a move of `displacement` in the previous step.
double friction_coefficient(const Obstacle& obstacle, double time_step, Vec3 x_n, Vec3 displacement,
                            Vec3 normal);

// Returns the distance of a point from the obstacle at the end of the step.
Distance distance_to(const Obstacle& obstacle, Vec3 point);

// Returns whether a point within the bounds may be inside the obstacle, or nearer than `distance`,
// at the end of the step.
bool may_reach(const BoundingSphere& bounds, const Obstacle& obstacle, double distance);
// Rejects the points that are certainly farther than their reach from the obstacle at the end of
// the step.
void reject(const GroupPoints& points, const Obstacle& obstacle, Rejection& rejection);
// Number of vertex groups that a worker takes at a time.
inline constexpr std::size_t groups_per_job = 512 / VertexGroups::size;

// Adds the penalty force k max(s r - |x - c|, 0), outward, of spheres with a penalty to the forces
// on vertices at x.
void penalise(std::span<const Obstacle> obstacles, std::span<const Vec3> x, Vec3* forces);

// Fraction of a collider's thickness that is kept at the end of a step in any case, where contact
// forces have acted. Projecting vertices after the solve stretches springs, so the rest of the
// thickness is slack for the forces.
inline constexpr double min_thickness_fraction = 0.5;

// Moves the vertices x in front of the obstacles, to `share` times their thickness. Held vertices
// stay where they are.
void collide(std::span<const Obstacle> obstacles, double share, std::span<Vec3> x,
             const PreviousMotion& previous_motion, const char* held, const VertexGroups& groups,
             Jobs& jobs);

// Returns the depth in m of the deepest vertex below a surface, except held vertices; 0 if there is
// none.
double deepest(std::span<const Obstacle> obstacles, std::span<const Vec3> x, const char* held,
               const VertexGroups& groups);

} // namespace twang::core
