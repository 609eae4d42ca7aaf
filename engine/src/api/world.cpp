// twang.h: worlds, colliders, snapshots.
#include "api/handles.hpp"
#include "world/snapshot.hpp"

using namespace twang::core;

namespace {

Status check_pose(Vec3 centre, Quaternion rotation) {
    if (!finite(centre)) return fail(TWANG_NOT_FINITE, "the collider's centre is not finite");
    return check_rotation(rotation);
}

} // namespace

twang_status twang_world_create(const twang_world_def* def, twang_world** world) {
    if (!def) return missing("def");
    if (!world) return missing("world");
    return guarded([&] {
        if (const Status s = check_world(*def); s != TWANG_OK) return s;
        *world = new twang_world{World(*def)};
        return TWANG_OK;
    });
}

twang_status twang_world_destroy(twang_world** world) {
    if (!world || !*world) return missing("world");
    if ((*world)->world.busy.exchange(true))
        return fail(TWANG_BUSY, "the world is stepping, or in use by another thread");
    delete *world;
    *world = nullptr;
    return TWANG_OK;
}

twang_status twang_world_step(twang_world* world) {
    return inside(world, [](World& w) { return step(w); });
}

twang_status twang_world_advance(twang_world* world, double seconds, int32_t* steps,
                                 double* dropped_seconds) {
    std::int32_t taken = 0;
    double dropped = 0.0;
    const Status status =
        inside(world, [&](World& w) { return advance(w, seconds, taken, dropped); });
    if (steps) *steps = taken;
    if (dropped_seconds) *dropped_seconds = dropped;
    return status;
}

twang_status twang_world_set_time_step(twang_world* world, double seconds) {
    return inside(world, [&](World& w) {
        if (const Status s = check_time_step(seconds); s != TWANG_OK) return s;
        if (replace(w.next_time_step, seconds)) wake_all(w);
        return TWANG_OK;
    });
}

twang_status twang_world_set_gravity(twang_world* world, twang_vec3 gravity) {
    return inside(world, [&](World& w) {
        if (!finite(gravity)) return fail(TWANG_NOT_FINITE, "gravity is not finite");
        if (replace(w.surroundings.gravity, gravity)) wake_all(w);
        return TWANG_OK;
    });
}

twang_status twang_world_set_damping(twang_world* world, double damping) {
    return inside(world, [&](World& w) {
        if (const Status s = check_damping(damping); s != TWANG_OK) return s;
        if (replace(w.damping, damping)) wake_all(w);
        return TWANG_OK;
    });
}

twang_status twang_world_set_wind(twang_world* world, twang_vec3 velocity, double drag) {
    twang_air_def air;
    air.velocity = velocity;
    air.drag = drag;
    return twang_world_set_air(world, &air);
}

twang_status twang_world_set_air(twang_world* world, const twang_air_def* air) {
    if (!air) return missing("air");
    return inside(world, [&](World& w) {
        if (const Status s = check_air(*air); s != TWANG_OK) return s;
        if (replace(w.surroundings, with_air(w.surroundings, *air))) wake_all(w);
        return TWANG_OK;
    });
}

twang_status twang_world_set_solver(twang_world* world, const twang_solver_def* solver) {
    if (!solver) return missing("solver");
    return inside(world, [&](World& w) {
        if (const Status s = check_solver(*solver, TWANG_HOOKE); s != TWANG_OK) return s;
        for (auto& slot : w.bodies.all()) // checks all bodies before it changes any
            if (slot.item)
                if (const Status s = check_solver(*solver, slot.item->energy); s != TWANG_OK)
                    return s;
        for (auto& slot : w.bodies.all())
            if (slot.item)
                if (const Status s = slot.item->work.prepare(*slot.item->model, solver->solver);
                    s != TWANG_OK)
                    return s;
        for (auto& slot : w.bodies.all())
            if (slot.item && !same(slot.item->settings, *solver)) {
                slot.item->settings = *solver, slot.item->refit = true;
                wake(*slot.item);
            }
        w.def.solver = *solver;
        return TWANG_OK;
    });
}

twang_status twang_world_set_iteration_callback(twang_world* world,
                                                twang_iteration_callback callback, void* user) {
    return inside(world, [&](World& w) {
        w.on_iteration = callback;
        w.user = user;
        return TWANG_OK;
    });
}

twang_status twang_world_get_time_step(const twang_world* world, double* seconds) {
    if (!seconds) return missing("seconds");
    return inside(world, [&](const World& w) {
        *seconds = w.upcoming_time_step();
        return TWANG_OK;
    });
}

twang_status twang_world_get_report(const twang_world* world, twang_report* result) {
    if (!result) return missing("report");
    return inside(world, [&](const World& w) {
        *result = report(w);
        return TWANG_OK;
    });
}

twang_status twang_world_get_hash(const twang_world* world, uint64_t* hash) {
    if (!hash) return missing("hash");
    return inside(world, [&](const World& w) {
        *hash = state_hash(w);
        return TWANG_OK;
    });
}

twang_status twang_world_snapshot_size(const twang_world* world, size_t* bytes) {
    if (!bytes) return missing("bytes");
    return inside(world, [&](const World& w) {
        *bytes = snapshot_size(w);
        return TWANG_OK;
    });
}

twang_status twang_world_save(const twang_world* world, void* buffer, size_t bytes) {
    if (!buffer) return missing("buffer");
    return inside(world, [&](const World& w) {
        if (bytes < snapshot_size(w))
            return fail(TWANG_OUT_OF_RANGE, "a buffer of %zu bytes for a snapshot of %zu", bytes,
                        snapshot_size(w));
        save(w, buffer);
        return TWANG_OK;
    });
}

twang_status twang_world_restore(twang_world* world, const void* buffer, size_t bytes) {
    if (!buffer) return missing("buffer");
    return inside(world, [&](World& w) { return restore(w, buffer, bytes); });
}

twang_status twang_collider_create(twang_world* world, const twang_collider_def* def,
                                   twang_collider* collider) {
    if (!def) return missing("def");
    if (!collider) return missing("collider");
    return inside(world, [&](World& w) {
        if (const Status s = check_collider(*def); s != TWANG_OK) return s;
        auto obstacle = std::make_unique<Obstacle>(make_obstacle(*def));
        if (def->shape == TWANG_SHAPE_MESH)
            if (const Status s =
                    MeshCollider::make(def->positions, def->vertex_count, def->triangles,
                                       def->triangle_count, obstacle->surface);
                s != TWANG_OK)
                return s;
        w.placed_obstacles.reserve(w.obstacles.all().size() + 1);
        const std::uint32_t index = w.obstacles.add(std::move(obstacle));
        wake_all(w);
        *collider = {w.serial, index, w.obstacles.all()[index].generation};
        return TWANG_OK;
    });
}

twang_status twang_collider_destroy(twang_world* world, twang_collider collider) {
    return inside<Obstacle>(world, collider, [&](World& w, Obstacle&) {
        w.obstacles.all()[collider.index].item.reset();
        wake_all(w);
        return TWANG_OK;
    });
}

twang_status twang_collider_move_to(twang_world* world, twang_collider collider,
                                    twang_vec3 centre) {
    return inside<Obstacle>(world, collider, [&](World&, Obstacle& obstacle) {
        if (!finite(centre)) return fail(TWANG_NOT_FINITE, "the collider's centre is not finite");
        obstacle.next.centre = centre;
        return TWANG_OK;
    });
}

twang_status twang_collider_move(twang_world* world, twang_collider collider, twang_vec3 centre,
                                 twang_quaternion rotation) {
    return inside<Obstacle>(world, collider, [&](World&, Obstacle& obstacle) {
        if (const Status s = check_pose(centre, rotation); s != TWANG_OK) return s;
        obstacle.next = pose_at(obstacle, centre, rotation);
        return TWANG_OK;
    });
}

twang_status twang_collider_teleport(twang_world* world, twang_collider collider, twang_vec3 centre,
                                     twang_quaternion rotation) {
    return inside<Obstacle>(world, collider, [&](World& w, Obstacle& obstacle) {
        if (const Status s = check_pose(centre, rotation); s != TWANG_OK) return s;
        const Pose there = pose_at(obstacle, centre, rotation);
        obstacle.last = moved_with(obstacle.last, obstacle.now, there); // keeps its velocity
        obstacle.now = obstacle.next = there;
        wake_all(w);
        return TWANG_OK;
    });
}

twang_status twang_collider_move_ends(twang_world* world, twang_collider collider, twang_vec3 from,
                                      twang_vec3 to) {
    return inside<Obstacle>(world, collider, [&](World&, Obstacle& obstacle) {
        if (obstacle.def.shape != TWANG_SHAPE_CAPSULE)
            return fail(TWANG_UNSUPPORTED, "only capsules have ends");
        if (!finite(from) || !finite(to - from))
            return fail(TWANG_NOT_FINITE, "an end of the capsule is not finite");
        // Turned from its current pose, not from the target of an earlier call.
        const Pose& now = obstacle.now;
        const Quaternion turn = shortest_rotation(now.arm, to - from);
        obstacle.next = {from, unit(turn * now.rotation), to - from};
        return TWANG_OK;
    });
}
