// Builds a running world from a scene through the public API, and moves its colliders.
#include <cmath>
#include <numbers>

#include "failure.hpp"

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

// Fails with what the engine has said about its last call.
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

Body make_body(World& world, const Model& model, const Scene& scene) {
    BodyDef def;
    def.energy = scene.energy;
    def.pins = scene.pins.data();
    def.pin_count = count_of(scene.pins.size());
    def.positions = scene.positions.empty() ? nullptr : scene.positions.data();
    def.velocities = scene.velocities.empty() ? nullptr : scene.velocities.data();
    const Body body = world.add(model, def);
    check(body.status(), scene);
    return body;
}

void set_forces(Body body, const Scene& scene) {
    check(body.set_gravity_scale(scene.gravity_scale), scene);
    if (scene.pressure > 0.0) check(body.set_pressure(scene.pressure), scene);
    check(body.set_max_strain(scene.max_strain, scene.strain_passes), scene);
}

} // namespace

Vec3 Motion::at(Vec3 centre, double seconds) const {
    const double swing = std::sin(2.0 * std::numbers::pi * frequency * seconds);
    return {centre.x + velocity.x * seconds + amplitude.x * swing,
            centre.y + velocity.y * seconds + amplitude.y * swing,
            centre.z + velocity.z * seconds + amplitude.z * swing};
}

bool Motion::is_rest() const {
    const bool drifts = velocity.x != 0.0 || velocity.y != 0.0 || velocity.z != 0.0;
    const bool swings = amplitude.x != 0.0 || amplitude.y != 0.0 || amplitude.z != 0.0;
    return !drifts && !(swings && frequency != 0.0);
}

Status Stage::step() {
    double time_step = 0.0;
    const Status known = twang_world_get_time_step(world.get(), &time_step);
    if (known != TWANG_OK) return known;
    const double arrival = time_ + time_step;
    for (std::size_t i = 0; i < colliders.size() && i < motions_.size(); ++i) {
        const SceneCollider& moving = motions_[i];
        if (moving.motion.is_rest()) continue; // the program may be moving it
        const Status moved = colliders[i].move_to(moving.motion.at(moving.def.centre, arrival));
        if (moved != TWANG_OK) return moved;
    }
    const Status status = world.step();
    if (status != TWANG_BUSY) time_ = arrival;
    return status;
}

Result<Stage> instantiate(const Scene& scene) {
    return guarded(scene.file, [&] {
        check_count(scene.masses.size(), scene.mesh.vertex_count(), "masses", scene);
        check_count(scene.positions.size(), scene.mesh.positions.size(), "positions", scene);
        check_count(scene.velocities.size(), scene.mesh.positions.size(), "velocities", scene);
        Stage stage(scene.world);
        check(stage.world.status(), scene);
        stage.model = make_model(scene);
        stage.body = make_body(stage.world, stage.model, scene);
        check(stage.world.set_air(scene.air), scene);
        set_forces(stage.body, scene);
        for (const SceneCollider& collider : scene.colliders) {
            stage.colliders.push_back(stage.world.add(collider.def));
            check(stage.colliders.back().status(), scene);
        }
        stage.motions_ = scene.colliders;
        return stage;
    });
}

} // namespace twang::io
