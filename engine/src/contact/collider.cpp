#include "contact/collider.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

constexpr double at_rest = 1e-3; // m/s along the surface

Vec3 unit(Vec3 v, Vec3 otherwise) {
    const double l = length(v);
    return l > 0.0 ? (1.0 / l) * v : otherwise;
}

Distance from_point(Vec3 centre, double radius, Vec3 point) {
    const Vec3 off = point - centre;
    return {length(off) - radius, unit(off, {0.0, 1.0, 0.0})};
}

Distance from_segment(Vec3 a, Vec3 b, double radius, Vec3 point) {
    const Vec3 axis = b - a;
    const double square = dot(axis, axis);
    const double t = square > 0.0 ? std::clamp(dot(point - a, axis) / square, 0.0, 1.0) : 0.0;
    return from_point(a + t * axis, radius, point);
}

// Signed distance to the convex hull of two balls, about a and about b. With the axis u = (b - a)/l
// and the taper s = (r_a - r_b)/l, every normal n of the cone that touches both balls has n . u =
// s.
Distance from_tapered(Vec3 a, Vec3 b, double radius_a, double radius_b, Vec3 point) {
    const double taper = radius_a - radius_b, l = length(b - a);
    if (l <= std::abs(taper)) // one ball contains the other
        return taper > 0.0 ? from_point(a, radius_a, point) : from_point(b, radius_b, point);
    const Vec3 u = (1.0 / l) * (b - a), off = point - a;
    const double s = taper / l, c = std::sqrt((1.0 - s) * (1.0 + s));
    const double along = dot(off, u);
    Vec3 across = off - along * u;
    const double from_axis = length(across);
    const double at = c * along - s * from_axis; // where the cone touches the balls: 0 and c l
    if (at <= 0.0) return from_point(a, radius_a, point);
    if (at >= c * l) return from_point(b, radius_b, point);
    // On the axis all directions across are as near.
    if (from_axis <= 1e-12 * l)
        across = cross(u, std::abs(u.x) < 0.9 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0});
    return {c * from_axis + s * along - radius_a, direction(s * u + c * direction(across))};
}

Distance from_box(Vec3 half, Vec3 p) {
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

// A plane, box or mesh as it was defined; `off` is from its centre.
Distance from_defined(const Obstacle& obstacle, Vec3 off) {
    if (obstacle.surface) return obstacle.surface->distance_to(off);
    if (obstacle.def.shape == TWANG_BOX) return from_box(obstacle.def.half_extents, off);
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
    if (def.shape < TWANG_SPHERE || def.shape > TWANG_MESH)
        return fail(TWANG_INVALID_ARGUMENT, "collider of shape %d", static_cast<int>(def.shape));
    if ((def.shape == TWANG_SPHERE || def.shape == TWANG_CAPSULE) && def.radius <= 0.0)
        return fail(TWANG_OUT_OF_RANGE, "collider of radius %g; it must be above 0", def.radius);
    if (def.shape == TWANG_CAPSULE && def.end_radius != TWANG_SAME && def.end_radius <= 0.0)
        return fail(TWANG_OUT_OF_RANGE,
                    "capsule of end radius %g; it must be above 0, or TWANG_SAME", def.end_radius);
    if (def.shape == TWANG_PLANE && length(direction(def.normal)) == 0.0)
        return fail(TWANG_OUT_OF_RANGE, "the normal of a plane must not be 0");
    if (def.shape == TWANG_BOX &&
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
    if (def.penalty > 0.0 && def.shape != TWANG_SPHERE)
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
    made.def.positions = nullptr; // the caller's
    made.def.triangles = nullptr;
    if (def.shape == TWANG_PLANE) made.def.normal = direction(def.normal);
    if (def.shape != TWANG_CAPSULE || def.end_radius == TWANG_SAME)
        made.def.end_radius = def.radius;
    if (def.kinetic_friction == TWANG_SAME) made.def.kinetic_friction = def.friction;
    if (def.between_vertices == TWANG_BY_SHAPE)
        made.def.between_vertices = def.shape == TWANG_BOX || def.shape == TWANG_MESH;
    made.last = made.now = made.next = pose_at(made, def.centre, def.rotation);
    return made;
}

Pose pose_at(const Obstacle& obstacle, Vec3 centre, Quaternion rotation) {
    const twang_collider_def& def = obstacle.def;
    Pose pose{centre, unit(rotation)};
    if (def.shape == TWANG_CAPSULE) pose.arm = def.end - def.centre;
    if (turns(pose.rotation)) pose.arm = turn_by(pose.rotation)(pose.arm);
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
    placed.ride = Ride(placed.now, placed.next, taper);
    placed.back = Ride(placed.now, placed.last, taper);
    placed.turn = turn_by(placed.next.rotation);
    return placed;
}

double grip(const Obstacle& obstacle, double time_step, Vec3 x_n, Vec3 displacement, Vec3 normal) {
    const twang_collider_def& def = obstacle.def;
    if (def.kinetic_friction == def.friction) return def.friction;
    const Vec3 slip = displacement + obstacle.back(x_n);
    const Vec3 sliding = slip - dot(slip, normal) * normal;
    return length(sliding) > at_rest * time_step ? def.kinetic_friction : def.friction;
}

double grip(const Obstacle& obstacle, const Arrival& arrival, std::size_t vertex, Vec3 normal) {
    if (!arrival.displacement) return obstacle.def.friction;
    return grip(obstacle, arrival.time_step, arrival.x_n[vertex], arrival.displacement[vertex],
                normal);
}

Distance distance_to(const Obstacle& obstacle, Vec3 point) {
    const twang_collider_def& def = obstacle.def;
    const Pose& pose = obstacle.next;
    switch (def.shape) {
    case TWANG_SPHERE: break;
    case TWANG_CAPSULE: {
        const Vec3 end = pose.centre + pose.arm;
        return def.end_radius == def.radius
                   ? from_segment(pose.centre, end, def.radius, point)
                   : from_tapered(pose.centre, end, def.radius, def.end_radius, point);
    }
    case TWANG_PLANE:
    case TWANG_BOX:
    case TWANG_MESH: {
        const Vec3 off = point - pose.centre;
        if (!turns(pose.rotation)) return from_defined(obstacle, off);
        const Distance d = from_defined(obstacle, obstacle.turn.back(off));
        return {d.distance, obstacle.turn(d.normal)};
    }
    }
    return from_point(pose.centre, def.radius, point);
}

void penalise(std::span<const Obstacle> obstacles, std::span<const Vec3> x, Vec3* forces) {
    for (const Obstacle& obstacle : obstacles) {
        const twang_collider_def& def = obstacle.def;
        for (std::size_t i = 0; i < x.size() && def.penalty > 0.0; ++i) {
            const Distance d =
                from_point(obstacle.now.centre, def.penalty_scale * def.radius, x[i]);
            if (d.distance < 0.0) forces[i] += (-def.penalty * d.distance) * d.normal;
        }
    }
}

bool may_reach(const BoundingSphere& bounds, const Obstacle& obstacle, double distance) {
    constexpr double rounding = 1.0 + 1e-6;
    // No farther from the surface than the centre is, less the radius.
    return !(distance_to(obstacle, bounds.centre).distance > rounding * (bounds.radius + distance));
}

void reject(const GroupPoints& points, const Obstacle& obstacle, Rejection& rejection) {
    const twang_collider_def& def = obstacle.def;
    const Pose& pose = obstacle.next;
    switch (def.shape) {
    case TWANG_SPHERE:
    case TWANG_CAPSULE: // one that is not tapered, around it
        return rejection.by_capsule(points, pose.centre, pose.arm,
                                    std::max(def.radius, def.end_radius));
    case TWANG_PLANE:
        return rejection.by_plane(points, pose.centre,
                                  turns(pose.rotation) ? obstacle.turn(def.normal) : def.normal);
    case TWANG_BOX:
        return rejection.by_box(points, pose.centre, obstacle.turn, {}, def.half_extents);
    case TWANG_MESH: { // its box
        const Vec3 low = obstacle.surface->low(), high = obstacle.surface->high();
        return rejection.by_box(points, pose.centre, obstacle.turn, 0.5 * (low + high),
                                0.5 * (high - low));
    }
    }
}

namespace {

// Puts vertices of a group, whose points are x, outside of an obstacle. Returns whether there were
// any to move.
bool put_outside(const Obstacle& obstacle, double share, std::span<Vec3> x,
                 const GroupPoints& points, const Arrival& arrival, const char* held,
                 std::span<const std::uint32_t> vertices) {
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
        // The push stands for the normal impulse; friction takes at most mu times as much off the
        // sliding relative to the obstacle.
        const Vec3 x_n = arrival.x_n[i], slip = x[i] - x_n - obstacle.ride(x_n);
        const Vec3 sliding = slip - dot(slip, contact.normal) * contact.normal;
        const double path = length(sliding);
        const double brake = obstacle.def.kinetic_friction * depth;
        const bool slides = path > grip(obstacle, arrival, i, contact.normal) * depth;
        if (path > 0.0) x[i] -= (slides ? brake / path : 1.0) * sliding;
    }
    return moved;
}

} // namespace

void collide(std::span<const Obstacle> obstacles, double share, std::span<Vec3> x,
             const Arrival& arrival, const char* held, const VertexGroups& groups, Jobs& jobs) {
    if (obstacles.empty()) return;
    jobs.ranges(groups.count(), groups_per_job, [&](std::size_t first, std::size_t last) {
        for (std::size_t group = first; group < last; ++group) {
            const std::span<const std::uint32_t> vertices = groups[group];
            GroupPoints points(vertices, x.data());
            BoundingSphere bounds = points.bounds();
            for (const Obstacle& obstacle : obstacles)
                if (obstacle.def.penalty == 0.0 &&
                    may_reach(bounds, obstacle, share * obstacle.def.thickness) &&
                    put_outside(obstacle, share, x, points, arrival, held, vertices)) {
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
