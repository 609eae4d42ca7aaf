// Builds a running world from a scene through the public API, and moves its colliders and pins.
#include <algorithm>

#include "failure.hpp"
#include "generators.hpp"

namespace twang::io {

namespace {

Exit exit_of(Status status) {
    switch (status) {
    case TWANG_OUT_OF_MEMORY:
    case TWANG_TOO_LARGE: return Exit::memory;
    case TWANG_FACTOR_FAILED:
    case TWANG_ILL_CONDITIONED:
    case TWANG_DIVERGED:
    case TWANG_NO_EQUILIBRIUM:
    case TWANG_INTERNAL: return Exit::numerical;
    default: return Exit::invalid;
    }
}

// Fails with the engine's message about its last call.
void check(Status status, const Scene& scene) {
    if (status == TWANG_OK) return;
    const std::string said = last_error();
    fail(scene.file, 0, said.empty() ? twang_status_text(status) : said, exit_of(status));
}

std::uint32_t count_of(std::size_t size) { return static_cast<std::uint32_t>(size); }

void check_count(std::size_t size, std::size_t expected, const char* what, const Scene& scene) {
    if (size == 0 || size == expected) return;
    fail(scene.file, 0, std::string(what) + " must be one per vertex or none");
}

Model make_model(const Scene& scene) {
    MeshDef def = scene.mesh.def();
    def.springs = scene.springs.data();
    def.spring_count = count_of(scene.springs.size());
    def.stiffness = scene.material.stiffness;
    def.shear = scene.material.shear;
    def.bend = scene.material.bend;
    def.masses = scene.masses.empty() ? nullptr : scene.masses.data();
    def.density = scene.material.density;
    def.mass = scene.material.mass;
    Model model = Model::mesh(def);
    check(model.status(), scene);
    return model;
}

// Adds one copy of the scene's body, shifted by `offset`.
Body make_body(World& world, const Model& model, const Scene& scene, Vec3 offset) {
    BodyDef def;
    def.energy = scene.energy;
    def.pins = scene.pins.data();
    def.pin_count = count_of(scene.pins.size());
    std::vector<double> positions = scene.positions;
    if (offset.x != 0.0 || offset.y != 0.0 || offset.z != 0.0) {
        if (positions.empty()) positions = scene.mesh.positions;
        for (std::size_t i = 0; i + 3 <= positions.size(); i += 3) {
            positions[i] += offset.x;
            positions[i + 1] += offset.y;
            positions[i + 2] += offset.z;
        }
    }
    def.positions = positions.empty() ? nullptr : positions.data();
    def.velocities = scene.velocities.empty() ? nullptr : scene.velocities.data();
    def.vertex_radius = scene.vertex_radius;
    def.vertex_friction = scene.vertex_friction;
    const Body body = world.add(model, def);
    check(body.status(), scene);
    return body;
}

void set_forces(Body body, const Scene& scene) {
    check(body.set_gravity_scale(scene.gravity_scale), scene);
    if (scene.pressure > 0.0) check(body.set_pressure(scene.pressure), scene);
    check(body.set_max_strain(scene.max_strain, scene.strain_passes), scene);
    if (scene.tear_strain != 0.0) check(body.set_tear_strain(scene.tear_strain), scene);
}

// Checks the sizes and indices that instantiate() relies on: a program may have changed the scene.
void check_scene(const Scene& scene) {
    check_count(scene.masses.size(), scene.mesh.vertex_count(), "masses", scene);
    check_count(scene.positions.size(), scene.mesh.positions.size(), "positions", scene);
    check_count(scene.velocities.size(), scene.mesh.positions.size(), "velocities", scene);
    for (const std::uint32_t count : scene.copies.count) {
        if (count == 0) fail(scene.file, 0, "copies must be at least 1 along every axis");
    }
    if (scene.copies.total() > max_vertices) fail(scene.file, 0, "too many copies");
    for (const MovingPins& pins : scene.moving_pins) {
        for (const std::uint32_t vertex : pins.vertices) {
            if (vertex < scene.mesh.vertex_count()) continue;
            fail(scene.file, 0, "moving pin " + std::to_string(vertex) + " is no vertex");
        }
    }
}

// Returns the present positions of the vertices, xyz each (m).
std::vector<double> positions_of(const std::vector<std::uint32_t>& vertices, Body body,
                                 const Scene& scene) {
    std::vector<double> all(scene.mesh.positions.size()), positions;
    check(body.copy_positions(all), scene);
    for (const std::uint32_t vertex : vertices) {
        positions.insert(positions.end(),
                         {all[3 * vertex], all[3 * vertex + 1], all[3 * vertex + 2]});
    }
    return positions;
}

} // namespace

Status Stage::step() {
    double time_step = 0.0;
    const Status known = twang_world_get_time_step(world.get(), &time_step);
    if (known != TWANG_OK) return known;
    const double end_time = time_ + time_step;
    if (const Status moved = move_colliders(end_time); moved != TWANG_OK) return moved;
    if (const Status moved = move_pins(end_time); moved != TWANG_OK) return moved;
    const Status status = world.step();
    if (status != TWANG_BUSY) time_ = end_time;
    return status;
}

Status Stage::move_colliders(double end_time) {
    for (std::size_t i = 0; i < colliders.size() && i < motions_.size(); ++i) {
        const SceneCollider& moving = motions_[i];
        // The program may be moving a collider that has no motion of its own.
        if (moving.motion.is_rest()) continue;
        const Status moved =
            colliders[i].move(moving.motion.at(moving.def.centre, end_time),
                              moving.motion.rotation_at(moving.def.rotation, end_time));
        if (moved != TWANG_OK) return moved;
    }
    return TWANG_OK;
}

Status Stage::move_pins(double end_time) {
    for (PinTrack& track : tracks_) {
        pinned_.clear();
        targets_.clear();
        for (std::size_t i = 0; i < track.vertices.size(); ++i) {
            if (!track.body.is_pinned(track.vertices[i])) continue;
            const double* const p = &track.start[3 * i];
            const Vec3 target = track.motion.at({p[0], p[1], p[2]}, end_time);
            pinned_.push_back(track.vertices[i]);
            targets_.insert(targets_.end(), {target.x, target.y, target.z});
        }
        if (pinned_.empty()) continue;
        const Status moved = track.body.set_pin_targets(pinned_, targets_);
        if (moved != TWANG_OK) return moved;
    }
    return TWANG_OK;
}

Measures Stage::measure() const {
    Measures sum = body.measure();
    if (bodies.size() < 2) return sum;
    const auto add = [](Vec3& to, Vec3 v) { to = {to.x + v.x, to.y + v.y, to.z + v.z}; };
    for (std::size_t i = 1; i < bodies.size(); ++i) {
        const Measures each = bodies[i].measure();
        sum.kinetic_energy += each.kinetic_energy;
        sum.elastic_energy += each.elastic_energy;
        sum.max_stretch = std::max(sum.max_stretch, each.max_stretch);
        sum.mean_stretch += each.mean_stretch;
        sum.mean_speed += each.mean_speed;
        add(sum.centre, each.centre);
        add(sum.momentum, each.momentum);
    }
    const double count = static_cast<double>(bodies.size()); // the bodies have equal mass
    sum.mean_stretch /= count;
    sum.mean_speed /= count;
    sum.centre = {sum.centre.x / count, sum.centre.y / count, sum.centre.z / count};
    sum.state_hash = world.hash();
    return sum;
}

Result<Stage> instantiate(const Scene& scene) {
    return guarded(scene.file, [&] {
        check_scene(scene);
        Stage stage(scene.world);
        check(stage.world.status(), scene);
        stage.model = make_model(scene);
        check(stage.world.set_air(scene.air), scene);
        const auto total = static_cast<std::size_t>(scene.copies.total());
        for (std::size_t i = 0; i < total; ++i) {
            const Body body = make_body(stage.world, stage.model, scene, scene.copies.offset(i));
            set_forces(body, scene);
            stage.bodies.push_back(body);
            for (const MovingPins& pins : scene.moving_pins) {
                if (pins.motion.is_rest()) continue;
                stage.tracks_.push_back(
                    {body, pins.vertices, positions_of(pins.vertices, body, scene), pins.motion});
            }
        }
        stage.body = stage.bodies.front();
        for (const SceneCollider& collider : scene.colliders) {
            stage.colliders.push_back(stage.world.add(collider.def));
            check(stage.colliders.back().status(), scene);
        }
        stage.motions_ = scene.colliders;
        return stage;
    });
}

} // namespace twang::io
