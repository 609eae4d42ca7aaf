// Reads a scene in our own format, described in assets/scenes/README.md.
#include <algorithm>
#include <array>
#include <limits>

#include "mesh.hpp"
#include "scene_parts.hpp"
#include "text.hpp"

namespace twang::io {

namespace {

constexpr double max_integer = std::numeric_limits<std::int32_t>::max();

// Returns the choice that a name stands for: "newton", "stvk", "penalty".
template <class Named>
auto as_named(const json::Value& value, std::string_view what, const Notes& notes, Named named,
              std::string_view choices) {
    const std::string& text = as_text(value, what, notes);
    const auto choice = named(text);
    if (!choice) {
        notes.fail(value.line, in_quotes(what) + " is one of " + std::string(choices) + ", not " +
                                   in_quotes(text));
    }
    return *choice;
}

void read_material(const json::Value* value, bool diagonals, Scene& scene, Notes& notes) {
    if (!value) {
        if (diagonals) scene.material.shear = scene.material.stiffness;
        return;
    }
    Fields fields(*value, "material", notes);
    std::string_view key;
    if (const json::Value* const mass =
            fields.find_one_of({"mass", "density", "vertex_mass"}, key)) {
        const double amount = as_number(*mass, key, notes, above(0));
        if (key == "mass") scene.material.mass = amount;
        if (key == "density") scene.material.density = amount;
        if (key == "vertex_mass") scene.masses.assign(scene.mesh.vertex_count(), amount);
    }
    MeshDef& material = scene.material;
    material.stiffness = fields.number("stiffness", material.stiffness, at_least(0));
    material.shear = fields.number("shear", diagonals ? material.stiffness : 0.0, at_least(0));
    material.bend = fields.number("bend", material.bend, at_least(0));
    if (const json::Value* const energy = fields.find("energy")) {
        scene.energy = as_named(*energy, "energy", notes, energy_named, "hooke, stvk");
    }
    scene.world.damping = fields.number("damping", scene.world.damping, at_least(0));
    scene.gravity_scale = fields.number("gravity_scale", scene.gravity_scale);
    scene.pressure = fields.number("pressure", scene.pressure, at_least(0));
    scene.max_strain = fields.number("max_strain", scene.max_strain, at_least(0));
    scene.strain_passes = static_cast<std::int32_t>(
        fields.integer("strain_passes", scene.strain_passes, between(1, 1000)));
    scene.tear_strain = fields.number("tear_strain", scene.tear_strain, at_least(0));
    fields.warn_of_unknown();
}

// Returns a number from -1 to 1 that depends on the index alone (splitmix64).
double noise(std::uint64_t index) {
    std::uint64_t bits = (index + 1) * 0x9E3779B97F4A7C15u;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
    bits ^= bits >> 31;
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
}

void read_start(const json::Value& value, Scene& scene, Notes& notes) {
    Fields fields(value, "start", notes);
    const Vec3 velocity = fields.vector("velocity", {});
    const Vec3 stretch = fields.vector("stretch", {1.0, 1.0, 1.0});
    const double jitter = fields.number("jitter", 0.0, at_least(0));
    fields.warn_of_unknown();

    const std::vector<double>& rest = scene.mesh.positions;
    const std::array<double, 3> v = {velocity.x, velocity.y, velocity.z};
    const std::array<double, 3> factor = {stretch.x, stretch.y, stretch.z};
    if (v[0] != 0.0 || v[1] != 0.0 || v[2] != 0.0) {
        scene.velocities.resize(rest.size());
        for (std::size_t i = 0; i < rest.size(); ++i) scene.velocities[i] = v[i % 3];
    }
    if (factor[0] == 1.0 && factor[1] == 1.0 && factor[2] == 1.0 && jitter == 0.0) return;
    std::vector<bool> pinned(scene.mesh.vertex_count(), false);
    for (const std::uint32_t pin : scene.pins) pinned[pin] = true;
    scene.positions.resize(rest.size());
    for (std::size_t i = 0; i < rest.size(); ++i) {
        scene.positions[i] = rest[i] * factor[i % 3] + (pinned[i / 3] ? 0.0 : jitter * noise(i));
    }
}

void read_vertex_spheres(const json::Value& value, Scene& scene, Notes& notes) {
    Fields fields(value, "vertex_spheres", notes);
    scene.vertex_radius = fields.need_number("radius", at_least(0));
    scene.vertex_friction = fields.number("friction", scene.vertex_friction, at_least(0));
    fields.warn_of_unknown();
}

void read_integrator(Fields& fields, SolverDef& def, Notes& notes) {
    if (const json::Value* const integrator = fields.find("integrator"))
        def.integrator =
            as_named(*integrator, "integrator", notes, integrator_named, "implicit-euler, bdf2");
    def.numerical_damping =
        fields.number("numerical_damping", def.numerical_damping, between(0, 1));
    for (const char* const key : {"integrator", "numerical_damping"}) {
        const json::Value* const value = fields.find(key);
        if (value && !has_integrator(def.solver)) {
            notes.fail(value->line, in_quotes(key) +
                                        " is for local-global, newton and newton-cg only, not "
                                        "for " +
                                        in_quotes(name(def.solver)));
        }
    }
}

void read_solver(const json::Value& value, Scene& scene, Notes& notes) {
    constexpr std::string_view choices =
        "local-global, newton, newton-cg, linear, symplectic, static";
    SolverDef& def = scene.world.solver;
    if (value.text()) {
        def = default_solver(as_named(value, "solver", notes, solver_named, choices));
        return;
    }
    Fields fields(value, "solver", notes);
    if (const json::Value* const solver = fields.find("name")) {
        def = default_solver(as_named(*solver, "name", notes, solver_named, choices));
    }
    def.iterations = static_cast<std::int32_t>(
        fields.integer("iterations", def.iterations, between(1, max_integer)));
    def.tolerance = fields.number("tolerance", def.tolerance, at_least(0));
    if (const json::Value* const acceleration = fields.find("acceleration")) {
        def.acceleration = as_named(*acceleration, "acceleration", notes, acceleration_named,
                                    "none, chebyshev, anderson, lbfgs, two-level");
        if (def.solver != TWANG_SOLVER_LOCAL_GLOBAL) {
            notes.fail(acceleration->line, "'acceleration' is for local-global only, not for " +
                                               in_quotes(name(def.solver)));
        }
    }
    def.budget_ms = fields.number("budget_ms", def.budget_ms, at_least(0));
    read_integrator(fields, def, notes);
    fields.warn_of_unknown();
}

Vec3 read_gravity(const json::Value& value, const Notes& notes) {
    if (value.number()) return {0.0, as_number(value, "gravity", notes), 0.0};
    return as_vector(value, "gravity", notes);
}

void read_wind(const json::Value& value, Scene& scene, Notes& notes) {
    Fields fields(value, "wind", notes);
    AirDef air;
    air.velocity = as_vector(fields.need("velocity"), "velocity", notes);
    air.drag = fields.number("drag", air.drag, at_least(0));
    air.lift = fields.number("lift", air.lift, at_least(0));
    air.gusts = fields.number("gusts", air.gusts, at_least(0));
    air.gust_seconds = fields.number("gust_seconds", air.gust_seconds, at_least(1e-6));
    air.gust_metres = fields.number("gust_metres", air.gust_metres, at_least(1e-6));
    air.gust_seed =
        static_cast<std::uint64_t>(fields.integer("gust_seed", 0, between(0, max_integer)));
    scene.air = air;
    fields.warn_of_unknown();
}

Camera read_camera(const json::Value& value, Camera camera, Notes& notes) {
    Fields fields(value, "camera", notes);
    camera.eye = fields.vector("eye", camera.eye);
    camera.target = fields.vector("target", camera.target);
    camera.field_of_view = fields.number("field_of_view", camera.field_of_view, between(1, 170));
    fields.warn_of_unknown();
    const Vec3 e = camera.eye, t = camera.target;
    if (e.x == t.x && e.y == t.y && e.z == t.z) {
        notes.fail(value.line, "'eye' and 'target' of the camera must be different points");
    }
    return camera;
}

// Reads the values of the world: time step, substeps, gravity, solver, precision, wind ...
void read_world(Fields& fields, Scene& scene, Notes& notes) {
    WorldDef& world = scene.world;
    world.time_step = fields.number("time_step", world.time_step, above(0));
    world.substeps =
        static_cast<std::int32_t>(fields.integer("substeps", world.substeps, between(1, 1000)));
    if (const json::Value* const value = fields.find("gravity")) {
        world.gravity = read_gravity(*value, notes);
    }
    if (const json::Value* const value = fields.find("solver")) read_solver(*value, scene, notes);
    if (const json::Value* const value = fields.find("pin_method")) {
        world.pin_method =
            as_named(*value, "pin_method", notes, pin_method_named, "penalty, elimination");
    }
    if (const json::Value* const value = fields.find("precision")) {
        world.precision =
            as_named(*value, "precision", notes, precision_named, "float, double, half, best");
    }
    if (const json::Value* const value = fields.find("arithmetic")) {
        world.arithmetic =
            as_named(*value, "arithmetic", notes, arithmetic_named, "fast, portable");
    }
    if (const json::Value* const value = fields.find("wind")) read_wind(*value, scene, notes);
}

// Returns the bounds of all copies at the start.
Bounds bounds_of_start(const Scene& scene) {
    Bounds bounds = bounds_of(scene.positions.empty() ? scene.mesh.positions : scene.positions);
    const Vec3 last = scene.copies.offset(static_cast<std::size_t>(scene.copies.total()) - 1);
    bounds.low.x += std::min(last.x, 0.0);
    bounds.low.y += std::min(last.y, 0.0);
    bounds.low.z += std::min(last.z, 0.0);
    bounds.high.x += std::max(last.x, 0.0);
    bounds.high.y += std::max(last.y, 0.0);
    bounds.high.z += std::max(last.z, 0.0);
    return bounds;
}

} // namespace

Scene read_own_scene(const json::Value& root, const std::filesystem::path& directory,
                     Notes& notes) {
    Fields fields(root, "scene", notes);
    Scene scene;
    scene.title = fields.text("title");
    Shape shape = read_shape(fields.need("shape"), directory, notes);
    scene.mesh = std::move(shape.mesh);
    read_material(fields.find("material"), shape.diagonals, scene, notes);
    if (const json::Value* const value = fields.find("springs")) {
        scene.springs =
            read_springs(*value, scene.mesh.vertex_count(), scene.material.stiffness, notes);
    }
    if (const json::Value* const value = fields.find("pins")) {
        Pins pins = read_pins(*value, scene.mesh.positions, notes);
        scene.pins = std::move(pins.vertices);
        scene.moving_pins = std::move(pins.moving);
    }
    if (const json::Value* const value = fields.find("start")) read_start(*value, scene, notes);
    if (const json::Value* const value = fields.find("copies")) {
        scene.copies = read_copies(*value, scene.mesh.vertex_count(), notes);
    }
    if (const json::Value* const value = fields.find("vertex_spheres")) {
        read_vertex_spheres(*value, scene, notes);
    }
    if (const json::Value* const value = fields.find("colliders")) {
        scene.colliders = read_colliders(*value, directory, notes);
    }
    read_world(fields, scene, notes);
    const std::string texture = fields.text("texture");
    if (!texture.empty()) scene.texture = (directory / texture).string();
    scene.frames =
        static_cast<int>(fields.integer("frames", scene.frames, between(1, max_integer)));
    scene.camera = fitted_camera(bounds_of_start(scene));
    if (const json::Value* const value = fields.find("camera")) {
        scene.camera = read_camera(*value, *scene.camera, notes);
    }
    fields.warn_of_unknown();
    return scene;
}

} // namespace twang::io
