// Signed distances to the shapes of colliders, friction coefficients, and the projection of
// vertices.
#include "contact/collider.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

constexpr double sticking_speed = 1e-3; // m/s along the surface; slower vertices stick

Vec3 unit(Vec3 v, Vec3 otherwise) {
    const double l = length(v);
    return l > 0.0 ? (1.0 / l) * v : otherwise;
}

Distance distance_to_sphere(Vec3 centre, double radius, Vec3 point) {
    const Vec3 off = point - centre;
    return {length(off) - radius, unit(off, {0.0, 1.0, 0.0})};
}

Distance distance_to_capsule(Vec3 a, Vec3 b, double radius, Vec3 point) {
    const Vec3 axis = b - a;
    const double square = dot(axis, axis);
    const double t = square > 0.0 ? std::clamp(dot(point - a, axis) / square, 0.0, 1.0) : 0.0;
    return distance_to_sphere(a + t * axis, radius, point);
}

// Signed distance to the convex hull of two spheres, about a and about b. With
//   u = (b - a)/l the axis,   s = (r_a - r_b)/l the taper,
// every normal n of the cone tangent to both spheres has n . u = s.
Distance distance_to_tapered_capsule(Vec3 a, Vec3 b, double radius_a, double radius_b, Vec3 point) {
    const double taper = radius_a - radius_b, l = length(b - a);
    if (l <= std::abs(taper)) // one sphere contains the other
        return taper > 0.0 ? distance_to_sphere(a, radius_a, point)
                           : distance_to_sphere(b, radius_b, point);
    const Vec3 u = (1.0 / l) * (b - a), off = point - a;
    const double s = taper / l, c = std::sqrt((1.0 - s) * (1.0 + s));
    const double along = dot(off, u);
    Vec3 across = off - along * u;
    const double from_axis = length(across);
    const double at = c * along - s * from_axis; // the cone touches the spheres at 0 and c l
    if (at <= 0.0) return distance_to_sphere(a, radius_a, point);
    if (at >= c * l) return distance_to_sphere(b, radius_b, point);
    // On the axis all directions across are equally near.
    if (from_axis <= 1e-12 * l)
        across = cross(u, std::abs(u.x) < 0.9 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0});
    return {c * from_axis + s * along - radius_a, direction(s * u + c * direction(across))};
}

Distance distance_to_box(Vec3 half, Vec3 p) {
    const Vec3 sign{std::copysign(1.0, p.x), std::copysign(1.0, p.y), std::copysign(1.0, p.z)};
    const Vec3 q{std::abs(p.x) - half.x, std::abs(p.y) - half.y, std::abs(p.z) - half.z};
    const Vec3 outside{std::max(q.x, 0.0), std::max(q.y, 0.0), std::max(q.z, 0.0)};
    const double distance = length(outside);
    if (distance > 0.0)
        return {distance, (1.0 / distance) *
                              Vec3{outside.x * sign.x, outside.y * sign.y, outside.z * sign.z}};
    if (q.x >= q.y && q.x >= q.z) return {q.x, {sign.x, 0.0, 0.0}};
    if (q.y >= q.z) return {q.y, {0.0, sign.y, 0.0}};
    return {q.z, {0.0, 0.0, sign.z}};
}

// Distance from a plane, box or mesh in its own frame; `off` is the offset from its centre.
Distance distance_in_own_frame(const Obstacle& obstacle, Vec3 off) {
    if (obstacle.surface) return obstacle.surface->distance_to(off);
    if (obstacle.def.shape == TWANG_SHAPE_BOX)
        return distance_to_box(obstacle.def.half_extents, off);
    return {dot(off, obstacle.def.normal), obstacle.def.normal};
}

} // namespace

Status check_collider(const twang_collider_def& def) {
    for (const Vec3& v : {def.centre, def.end, def.normal, def.half_extents})
        if (!finite(v)) return fail(TWANG_NOT_FINITE, "a vector of the collider is not finite");
    if (const Status s = check_rotation(def.rotation); s != TWANG_OK) return s;
    for (const double value : {def.radius, def.end_radius, def.thickness, def.friction,
                               def.kinetic_friction, def.penalty, def.penalty_scale})
        if (!std::isfinite(value))
            return fail(TWANG_NOT_FINITE, "a number of the collider is %g", value);
    if (def.shape < TWANG_SHAPE_SPHERE || def.shape > TWANG_SHAPE_MESH)
        return fail(TWANG_INVALID_ARGUMENT, "collider of shape %d", static_cast<int>(def.shape));
    if ((def.shape == TWANG_SHAPE_SPHERE || def.shape == TWANG_SHAPE_CAPSULE) && def.radius <= 0.0)
        return fail(TWANG_OUT_OF_RANGE, "collider of radius %g; it must be above 0", def.radius);
    if (def.shape == TWANG_SHAPE_CAPSULE && def.end_radius != TWANG_SAME && def.end_radius <= 0.0)
        return fail(TWANG_OUT_OF_RANGE,
                    "capsule of end radius %g; it must be above 0, or TWANG_SAME", def.end_radius);
    if (def.shape == TWANG_SHAPE_PLANE && length(direction(def.normal)) == 0.0)
        return fail(TWANG_OUT_OF_RANGE, "the normal of a plane must not be 0");
    if (def.shape == TWANG_SHAPE_BOX &&
        std::min({def.half_extents.x, def.half_extents.y, def.half_extents.z}) <= 0.0)
        return fail(TWANG_OUT_OF_RANGE, "the half extents of a box must be above 0");
    if (def.thickness < 0.0 || def.friction < 0.0)
        return fail(TWANG_OUT_OF_RANGE, "thickness %g and friction %g must be at least 0",
                    def.thickness, def.friction);
    const double kinetic = def.kinetic_friction;
    if (kinetic != TWANG_SAME && (kinetic < 0.0 || kinetic > def.friction))
        return fail(TWANG_OUT_OF_RANGE,
                    "kinetic friction %g; 0 to the static %g are possible, or TWANG_SAME", kinetic,
                    def.friction);
    if (def.penalty < 0.0 || def.penalty_scale <= 0.0)
        return fail(TWANG_OUT_OF_RANGE,
                    "a penalty of %g N/m must be at least 0, its scale %g above 0", def.penalty,
                    def.penalty_scale);
    if (def.penalty > 0.0 && def.shape != TWANG_SHAPE_SPHERE)
        return fail(TWANG_UNSUPPORTED, "only spheres have a penalty");
    if (def.between_vertices != TWANG_BY_SHAPE && def.between_vertices != 0 &&
        def.between_vertices != 1)
        return fail(TWANG_INVALID_ARGUMENT,
                    "between_vertices is %d; 0, 1 and TWANG_BY_SHAPE are possible",
                    def.between_vertices);
    return TWANG_OK;
}

Obstacle make_obstacle(const twang_collider_def& def) {
    Obstacle made{.def = def, .last = {}, .now = {}, .next = {}, .ride = {}, .back = {}};
    made.def.positions = nullptr; // owned by the caller
    made.def.triangles = nullptr;
    if (def.shape == TWANG_SHAPE_PLANE) made.def.normal = direction(def.normal);
    if (def.shape != TWANG_SHAPE_CAPSULE || def.end_radius == TWANG_SAME)
        made.def.end_radius = def.radius;
    if (def.kinetic_friction == TWANG_SAME) made.def.kinetic_friction = def.friction;
    if (def.between_vertices == TWANG_BY_SHAPE)
        made.def.between_vertices = def.shape == TWANG_SHAPE_BOX || def.shape == TWANG_SHAPE_MESH;
    made.last = made.now = made.next = pose_at(made, def.centre, def.rotation);
    return made;
}

Pose pose_at(const Obstacle& obstacle, Vec3 centre, Quaternion rotation) {
    const twang_collider_def& def = obstacle.def;
    Pose pose{centre, unit(rotation)};
    if (def.shape == TWANG_SHAPE_CAPSULE) pose.arm = def.end - def.centre;
    if (turns(pose.rotation)) pose.arm = rotation_by(pose.rotation)(pose.arm);
    return pose;
}

Obstacle in_substep(const Obstacle& obstacle, int substep, int substeps, int steps) {
    Obstacle placed = obstacle;
    const auto at = [&](int end) {
        return between(obstacle.now, obstacle.next, static_cast<double>(end) / (substeps * steps));
    };
    placed.last = substep > 0 ? at(substep - 1)
                              : between(obstacle.last, obstacle.now,
                                        static_cast<double>(substeps - 1) / substeps);
    placed.now = at(substep);
    placed.next = at(substep + 1);
    const double taper = obstacle.def.radius - obstacle.def.end_radius;
    placed.ride = RigidMotion(placed.now, placed.next, taper);
    placed.back = RigidMotion(placed.now, placed.last, taper);
    placed.turn = rotation_by(placed.next.rotation);
    return placed;
}

double friction_coefficient(const Obstacle& obstacle, double time_step, Vec3 x_n, Vec3 displacement,
                            Vec3 normal) {
    const twang_collider_def& def = obstacle.def;
    if (def.kinetic_friction == def.friction) return def.friction;
    const Vec3 slip = displacement + obstacle.back(x_n);
    const Vec3 sliding = slip - dot(slip, normal) * normal;
    return length(sliding) > sticking_speed * time_step ? def.kinetic_friction : def.friction;
}

double friction_coefficient(const Obstacle& obstacle, const PreviousMotion& previous_motion,
                            std::size_t vertex, Vec3 normal) {
    if (!previous_motion.displacement) return obstacle.def.friction;
    return friction_coefficient(obstacle, previous_motion.time_step, previous_motion.x_n[vertex],
                                previous_motion.displacement[vertex], normal);
}

Distance distance_to(const Obstacle& obstacle, Vec3 point) {
    const twang_collider_def& def = obstacle.def;
    const Pose& pose = obstacle.next;
    switch (def.shape) {
    case TWANG_SHAPE_SPHERE: break;
    case TWANG_SHAPE_CAPSULE: {
        const Vec3 end = pose.centre + pose.arm;
        return def.end_radius == def.radius
                   ? distance_to_capsule(pose.centre, end, def.radius, point)
                   : distance_to_tapered_capsule(pose.centre, end, def.radius, def.end_radius,
                                                 point);
    }
    case TWANG_SHAPE_PLANE:
    case TWANG_SHAPE_BOX:
    case TWANG_SHAPE_MESH: {
        const Vec3 off = point - pose.centre;
        if (!turns(pose.rotation)) return distance_in_own_frame(obstacle, off);
        const Distance d = distance_in_own_frame(obstacle, obstacle.turn.back(off));
        return {d.distance, obstacle.turn(d.normal)};
    }
    }
    return distance_to_sphere(pose.centre, def.radius, point);
}

void penalise(std::span<const Obstacle> obstacles, std::span<const Vec3> x, Vec3* forces) {
    for (const Obstacle& obstacle : obstacles) {
        const twang_collider_def& def = obstacle.def;
        for (std::size_t i = 0; i < x.size() && def.penalty > 0.0; ++i) {
            const Distance d =
                distance_to_sphere(obstacle.now.centre, def.penalty_scale * def.radius, x[i]);
            if (d.distance < 0.0) forces[i] += (-def.penalty * d.distance) * d.normal;
        }
    }
}

bool may_reach(const BoundingSphere& bounds, const Obstacle& obstacle, double distance) {
    constexpr double rounding = 1.0 + 1e-6;
    // A point of the bounding sphere is at most its radius nearer to the surface than its centre
    // is.
    return !(distance_to(obstacle, bounds.centre).distance > rounding * (bounds.radius + distance));
}

void reject(const GroupPoints& points, const Obstacle& obstacle, Rejection& rejection) {
    const twang_collider_def& def = obstacle.def;
    const Pose& pose = obstacle.next;
    switch (def.shape) {
    case TWANG_SHAPE_SPHERE:
    case TWANG_SHAPE_CAPSULE: // bounded by a capsule without taper
        return rejection.by_capsule(points, pose.centre, pose.arm,
                                    std::max(def.radius, def.end_radius));
    case TWANG_SHAPE_PLANE:
        return rejection.by_plane(points, pose.centre,
                                  turns(pose.rotation) ? obstacle.turn(def.normal) : def.normal);
    case TWANG_SHAPE_BOX:
        return rejection.by_box(points, pose.centre, obstacle.turn, {}, def.half_extents);
    case TWANG_SHAPE_MESH: { // bounded by its box
        const Vec3 low = obstacle.surface->low(), high = obstacle.surface->high();
        return rejection.by_box(points, pose.centre, obstacle.turn, 0.5 * (low + high),
                                0.5 * (high - low));
    }
    }
}

namespace {

// Projects the vertices of a group, whose points are x, out of an obstacle. Returns whether any
// vertex was moved.
bool project_group(const Obstacle& obstacle, double share, std::span<Vec3> x,
                   const GroupPoints& points, const PreviousMotion& previous_motion,
                   const char* held, std::span<const std::uint32_t> vertices) {
    Rejection rejection;
    std::fill_n(rejection.reach, points.count, share * obstacle.def.thickness);
    reject(points, obstacle, rejection);
    bool moved = false;
    for (std::size_t k = 0; k < vertices.size(); ++k) {
        const std::uint32_t i = vertices[k];
        if (rejection.rejects(k) || held[i]) continue;
        const Distance contact = distance_to(obstacle, x[i]);
        const double depth = share * obstacle.def.thickness - contact.distance;
        if (!(depth > 0.0)) continue;
        moved = true;
        x[i] += depth * contact.normal;
        // The depth stands for the normal impulse; friction removes at most mu times as much from
        // the sliding relative to the obstacle.
        const Vec3 x_n = previous_motion.x_n[i], slip = x[i] - x_n - obstacle.ride(x_n);
        const Vec3 sliding = slip - dot(slip, contact.normal) * contact.normal;
        const double path = length(sliding);
        const double brake = obstacle.def.kinetic_friction * depth;
        const bool slides =
            path > friction_coefficient(obstacle, previous_motion, i, contact.normal) * depth;
        if (path > 0.0) x[i] -= (slides ? brake / path : 1.0) * sliding;
    }
    return moved;
}

} // namespace

void collide(std::span<const Obstacle> obstacles, double share, std::span<Vec3> x,
             const PreviousMotion& previous_motion, const char* held, const VertexGroups& groups,
             Jobs& jobs) {
    if (obstacles.empty()) return;
    jobs.ranges(groups.count(), groups_per_job, [&](std::size_t first, std::size_t last) {
        for (std::size_t group = first; group < last; ++group) {
            const std::span<const std::uint32_t> vertices = groups[group];
            GroupPoints points(vertices, x.data());
            BoundingSphere bounds = points.bounds();
            for (const Obstacle& obstacle : obstacles)
                if (obstacle.def.penalty == 0.0 &&
                    may_reach(bounds, obstacle, share * obstacle.def.thickness) &&
                    project_group(obstacle, share, x, points, previous_motion, held, vertices)) {
                    points = GroupPoints(vertices, x.data());
                    bounds = points.bounds();
                }
        }
    });
}

double deepest(std::span<const Obstacle> obstacles, std::span<const Vec3> x, const char* held,
               const VertexGroups& groups) {
    double depth = 0.0;
    Rejection rejection;
    std::fill(std::begin(rejection.reach), std::end(rejection.reach), 0.0);
    for (std::size_t group = 0; group < groups.count() && !obstacles.empty(); ++group) {
        const std::span<const std::uint32_t> vertices = groups[group];
        const GroupPoints points(vertices, x.data());
        const BoundingSphere bounds = points.bounds();
        for (const Obstacle& obstacle : obstacles) {
            if (!may_reach(bounds, obstacle, 0.0)) continue;
            reject(points, obstacle, rejection);
            for (std::size_t k = 0; k < vertices.size(); ++k)
                if (!rejection.rejects(k) && !held[vertices[k]])
                    depth = std::max(depth, -distance_to(obstacle, x[vertices[k]]).distance);
        }
    }
    return depth;
}

} // namespace twang::core
