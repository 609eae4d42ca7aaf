// Scenes in our own format: every key arrives, and unknown ones are named.
#include "io_support.hpp"

namespace twang::io::test {
namespace {

using Indices = std::vector<std::uint32_t>;

TEST(Scenes, PinsByIndexBoxAndPoint) {
    const auto pins = [](const std::string& list) {
        return read_good_scene("{" + small_cloth + ", \"pins\": " + list + "}").pins;
    };
    EXPECT_EQ(pins("[]"), (Indices{}));
    EXPECT_EQ(pins("[3, {\"index\": 1}, {\"index\": [8, 1, 0]}]"), (Indices{3, 1, 8, 0}));
    EXPECT_EQ(pins("[{\"box\": [[-1, -0.1, -1], [9, 0, 1]]}]"), (Indices{0, 1, 2}));
    EXPECT_EQ(pins("[{\"box\": [[0.5, -1, 0], [0.5, -0.5, 0]]}]"), (Indices{4, 7}));
    EXPECT_EQ(pins("[{\"nearest\": [0.9, -0.6, 5]}, {\"nearest\": [-9, 9]}]"), (Indices{5, 0}));
}

TEST(Scenes, PinsMoveAsTheirFirstEntrySays) {
    const Scene scene = read_good_scene("{" + small_cloth + R"(, "pins": [
        0, {"index": [0, 2, 1], "motion": {"velocity": [1, 2, 3]}}, {"nearest": [1, -1, 0]},
        {"box": [[0, -1, 0], [1, -1, 0]], "motion": {"amplitude": [0, 1, 0], "frequency": 2}}]})");
    EXPECT_TRUE(scene.warnings.empty()) << scene.warnings[0];
    EXPECT_EQ(scene.pins, (Indices{0, 2, 1, 8, 6, 7}));
    ASSERT_EQ(scene.moving_pins.size(), 2u);
    EXPECT_EQ(scene.moving_pins[0].vertices, (Indices{2, 1}));
    EXPECT_TRUE(same(scene.moving_pins[0].motion.velocity, {1, 2, 3}));
    EXPECT_EQ(scene.moving_pins[1].vertices, (Indices{6, 7}));
    EXPECT_EQ(scene.moving_pins[1].motion.frequency, 2.0);
}

TEST(Scenes, MeshCollidersAreTriangles) {
    const Files files;
    files.write("step.obj",
                "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 2 0 0\nv 2 0 1\nv 3 0 0\n"
                "f 1 2 3 4\nf 2 5 6\nf 1 2 5 7 6\nf 3 4 1 2 6\n");
    const Result<Scene> scene = read_scene(files.write("scene.json", "{" + small_cloth + R"(,
        "colliders": [{"mesh": {"file": "step.obj", "scale": 2, "translate": [0, -5, 1]},
                       "friction": 0.5}, {"mesh": "step.obj"}]})"));
    ASSERT_TRUE(scene) << scene.error().text();
    EXPECT_TRUE(scene->warnings.empty()) << scene->warnings[0];
    ASSERT_EQ(scene->colliders.size(), 2u);
    const Scene copy = *scene; // the definitions stay good
    const ColliderDef& def = copy.colliders[0].def;
    EXPECT_EQ(def.shape, TWANG_SHAPE_MESH);
    EXPECT_EQ(def.friction, 0.5);
    ASSERT_EQ(def.vertex_count, 7u);
    EXPECT_EQ(def.positions[3], 2.0);
    EXPECT_EQ(def.positions[4], -5.0);
    EXPECT_EQ(def.positions[5], 1.0);
    ASSERT_EQ(def.triangle_count, 9u);
    EXPECT_EQ(
        Indices(def.triangles, def.triangles + 27),
        (Indices{1, 4, 5, 0, 1, 2, 0, 2, 3, 0, 1, 4, 0, 4, 6, 0, 6, 5, 2, 3, 0, 2, 0, 1, 2, 1, 5}));
    EXPECT_EQ(copy.colliders[1].def.positions[3], 1.0);
}

TEST(Scenes, CamerasSeeAllCopies) {
    const std::string copies = R"(, "copies": {"count": [3, 1, 2], "spacing": [4, 0, -2]}})";
    const Scene scene = read_good_scene("{" + small_cloth + copies);
    EXPECT_TRUE(same(scene.camera->target, {4.5, -0.5, -1}));
}

TEST(Scenes, ABoxThatCatchesNothingIsAWarning) {
    const Scene scene =
        read_good_scene("{" + small_cloth + ",\n\"pins\": [\n{\"box\": [[5, 5, 5], [6, 6, 6]]}]}");
    EXPECT_TRUE(scene.pins.empty());
    ASSERT_EQ(scene.warnings.size(), 1u);
    EXPECT_NE(scene.warnings[0].find("scene.json:3: there is no vertex in this box"),
              std::string::npos)
        << scene.warnings[0];
}

TEST(Scenes, AllKeysArrive) {
    const Scene scene = read_good_scene("{" + small_cloth + R"(,
        "title": "All of it", "texture": "a.png", "frames": 77, "time_step": 0.01, "substeps": 3,
        "gravity": [1, 2, 3], "pin_method": "elimination", "precision": "half",
        "arithmetic": "portable",
        "material": {"density": 3, "energy": "stvk", "damping": 0.5, "gravity_scale": -0.5,
                     "pressure": 30, "max_strain": 0.1, "strain_passes": 4, "tear_strain": 0.4},
        "vertex_spheres": {"radius": 0.02, "friction": 0.6},
        "copies": {"count": [2, 3, 4], "spacing": [5, 6, 7]},
        "solver": {"name": "newton", "iterations": 7, "tolerance": 0.001, "budget_ms": 2.5,
                   "integrator": "implicit-euler", "numerical_damping": 0.25},
        "wind": {"velocity": [1, 0, 0], "drag": 2, "lift": 0.5, "gusts": 3, "gust_seconds": 0.25,
                 "gust_metres": 0.75, "gust_seed": 9},
        "start": {"velocity": [0, 1, 0], "stretch": [1, 2, 1]},
        "camera": {"eye": [1, 2, 3], "target": [0, 1, 0], "field_of_view": 50},
        "colliders": [
            {"sphere": {"centre": [1, 1, 1], "radius": 0.25, "penalty": 50, "penalty_scale": 1.1},
             "friction": 0.9, "thickness": 0.01,
             "motion": {"velocity": [1, 0, 0], "amplitude": [0, 2, 0], "frequency": 0.5}},
            {"plane": {"point": [0, -3, 0], "normal": [0, 2, 0]}},
            {"capsule": {"from": [0, 0, 0], "to": [1, 0, 0], "radius": 0.1}},
            {"box": {"centre": [0, 0, 0], "half_extents": [1, 2, 3]}, "friction": 0.5,
             "kinetic_friction": 0.4, "between_vertices": false, "rotation": {"axis": [0, 0, 2], "degrees": 90},
             "motion": {"axis": [3, 0, 0], "turns": 0.5, "swing": 90, "frequency": 0.25}},
            {"capsule": {"radius": 0.1, "end_radius": 0.05}}]})");
    EXPECT_TRUE(scene.warnings.empty()) << scene.warnings[0];
    EXPECT_EQ(scene.title, "All of it");
    EXPECT_EQ(std::filesystem::path(scene.texture).filename(), "a.png");
    EXPECT_EQ(scene.frames, 77);
    EXPECT_EQ(scene.world.time_step, 0.01);
    EXPECT_EQ(scene.world.substeps, 3);
    EXPECT_TRUE(same(scene.world.gravity, {1, 2, 3}));
    EXPECT_EQ(scene.world.pin_method, TWANG_PIN_ELIMINATION);
    EXPECT_EQ(scene.world.precision, TWANG_PRECISION_HALF);
    EXPECT_EQ(scene.world.arithmetic, TWANG_ARITHMETIC_PORTABLE);
    EXPECT_EQ(scene.world.damping, 0.5);
    EXPECT_EQ(scene.material.density, 3.0);
    EXPECT_EQ(scene.energy, TWANG_STVK);
    EXPECT_EQ(scene.world.solver.solver, TWANG_SOLVER_NEWTON);
    EXPECT_EQ(scene.world.solver.iterations, 7);
    EXPECT_EQ(scene.world.solver.tolerance, 0.001);
    EXPECT_EQ(scene.world.solver.budget_ms, 2.5);
    EXPECT_EQ(scene.world.solver.integrator, TWANG_IMPLICIT_EULER);
    EXPECT_EQ(scene.world.solver.numerical_damping, 0.25);
    EXPECT_TRUE(same(scene.air.velocity, {1, 0, 0}));
    EXPECT_EQ(scene.air.drag, 2.0);
    EXPECT_EQ(scene.air.lift, 0.5);
    EXPECT_EQ(scene.air.gusts, 3.0);
    EXPECT_EQ(scene.air.gust_seconds, 0.25);
    EXPECT_EQ(scene.air.gust_metres, 0.75);
    EXPECT_EQ(scene.air.gust_seed, 9u);
    EXPECT_EQ(scene.gravity_scale, -0.5);
    EXPECT_EQ(scene.pressure, 30.0);
    EXPECT_EQ(scene.max_strain, 0.1);
    EXPECT_EQ(scene.strain_passes, 4);
    EXPECT_EQ(scene.tear_strain, 0.4);
    EXPECT_EQ(scene.vertex_radius, 0.02);
    EXPECT_EQ(scene.vertex_friction, 0.6);
    EXPECT_EQ(scene.copies.total(), 24.0);
    EXPECT_TRUE(same(scene.copies.offset(0), {}));
    EXPECT_TRUE(same(scene.copies.offset(1), {5, 0, 0}));
    EXPECT_TRUE(same(scene.copies.offset(2), {0, 6, 0}));
    EXPECT_TRUE(same(scene.copies.offset(23), {5, 12, 21}));
    EXPECT_EQ(scene.velocities[3 * 8 + 1], 1.0);
    EXPECT_EQ(scene.positions[3 * 8 + 1], -2.0);
    EXPECT_TRUE(same(scene.camera->eye, {1, 2, 3}));
    EXPECT_EQ(scene.camera->field_of_view, 50.0);
    ASSERT_EQ(scene.colliders.size(), 5u);
    EXPECT_EQ(scene.colliders[0].def.shape, TWANG_SHAPE_SPHERE);
    EXPECT_EQ(scene.colliders[0].def.radius, 0.25);
    EXPECT_EQ(scene.colliders[0].def.penalty, 50.0);
    EXPECT_EQ(scene.colliders[0].def.penalty_scale, 1.1);
    EXPECT_EQ(scene.colliders[0].def.friction, 0.9);
    EXPECT_EQ(scene.colliders[0].def.thickness, 0.01);
    EXPECT_EQ(scene.colliders[1].def.shape, TWANG_SHAPE_PLANE);
    EXPECT_EQ(scene.colliders[2].def.shape, TWANG_SHAPE_CAPSULE);
    EXPECT_EQ(scene.colliders[2].def.end_radius, TWANG_SAME);
    EXPECT_EQ(scene.colliders[4].def.radius, 0.1);
    EXPECT_EQ(scene.colliders[4].def.end_radius, 0.05);
    EXPECT_EQ(scene.colliders[3].def.shape, TWANG_SHAPE_BOX);
    EXPECT_EQ(scene.colliders[3].def.half_extents.z, 3.0);
    const Vec3 there = scene.colliders[0].motion.at({1, 1, 1}, 0.5); // a quarter of a swing
    EXPECT_NEAR(there.x, 1.5, 1e-12);
    EXPECT_NEAR(there.y, 3.0, 1e-12);
    EXPECT_FALSE(scene.colliders[0].motion.is_rest());
    EXPECT_TRUE(scene.colliders[1].motion.is_rest());
    EXPECT_EQ(scene.colliders[1].def.kinetic_friction, TWANG_SAME);
    const SceneCollider& box = scene.colliders[3];
    EXPECT_EQ(box.def.kinetic_friction, 0.4);
    EXPECT_EQ(box.def.between_vertices, 0);
    EXPECT_EQ(scene.colliders[0].def.between_vertices, TWANG_BY_SHAPE);
    EXPECT_NEAR(box.def.rotation.z, std::sqrt(0.5), 1e-12);
    EXPECT_FALSE(box.motion.is_rest());
    // After a second: half a turn, and a quarter by the swing; before them, the definition's.
    const Quaternion q = box.motion.rotation_at(box.def.rotation, 1.0);
    const double s = std::sqrt(0.5) * std::sin(0.75 * 3.14159265358979323846);
    const double c = std::sqrt(0.5) * std::cos(0.75 * 3.14159265358979323846);
    EXPECT_NEAR(q.x, s, 1e-12);
    EXPECT_NEAR(q.y, -s, 1e-12);
    EXPECT_NEAR(q.z, c, 1e-12);
    EXPECT_NEAR(q.w, c, 1e-12);
    const Quaternion still = scene.colliders[1].motion.rotation_at({0, 0, 0, 1}, 1.0);
    EXPECT_EQ(still.w, 1.0);
}

TEST(Scenes, PinsDoNotTurn) {
    const Scene scene = read_good_scene("{" + small_cloth + R"(, "pins": [
        {"index": 0, "motion": {"turns": 1}}]})");
    ASSERT_EQ(scene.warnings.size(), 1u);
    EXPECT_NE(scene.warnings[0].find("'turns'"), std::string::npos);
}

TEST(Scenes, LocalGlobalMayBeAccelerated) {
    const auto acceleration = [](const std::string& solver) {
        const std::string text = "{" + small_cloth + ", \"solver\": " + solver + "}";
        return read_good_scene(text).world.solver.acceleration;
    };
    EXPECT_EQ(acceleration(R"({"acceleration": "lbfgs"})"), TWANG_ACCELERATION_LBFGS);
    EXPECT_EQ(acceleration(R"({"acceleration": "none", "name": "local-global"})"),
              TWANG_ACCELERATION_NONE);
    EXPECT_EQ(acceleration("{}"), SolverDef().acceleration);
}

TEST(Scenes, ShortFormsAndDefaults) {
    const Scene scene =
        read_good_scene("{" + small_cloth + R"(, "gravity": -3, "solver": "newton-cg"})");
    EXPECT_TRUE(same(scene.world.gravity, {0, -3, 0}));
    EXPECT_EQ(scene.world.solver.solver, TWANG_SOLVER_NEWTON_CG);
    EXPECT_EQ(scene.world.solver.iterations, default_solver(TWANG_SOLVER_NEWTON_CG).iterations);
    EXPECT_EQ(scene.title, "scene");
    EXPECT_EQ(scene.world.time_step, 1.0 / 60.0);
    EXPECT_EQ(scene.world.precision, WorldDef().precision);
    EXPECT_EQ(scene.world.arithmetic, WorldDef().arithmetic);
    EXPECT_EQ(scene.world.solver.budget_ms, 0.0);
    EXPECT_EQ(scene.material.mass, 1.0);
    EXPECT_TRUE(scene.positions.empty());
    EXPECT_TRUE(scene.camera.has_value());
}

TEST(Scenes, JitterIsTheSameEveryTimeAndSparesPins) {
    const std::string text = "{" + small_cloth + R"(, "start": {"jitter": 0.01}, "pins": [0]})";
    const Scene scene = read_good_scene(text);
    EXPECT_EQ(scene.positions, read_good_scene(text).positions);
    double most = 0.0;
    for (std::size_t i = 0; i < scene.positions.size(); ++i) {
        const double moved = std::abs(scene.positions[i] - scene.mesh.positions[i]);
        EXPECT_TRUE(moved == 0.0 || i >= 3);
        EXPECT_LE(moved, 0.01);
        most = std::max(most, moved);
    }
    EXPECT_GT(most, 0.005);
}

TEST(Scenes, UnknownKeysAreWarningsWithTheNearestKnownOne) {
    const Scene scene = read_good_scene("{" + small_cloth + R"(,
        "material": {
            "stifness": 5},
        "gravty": 0,
        "zzz": {"anything": []}})");
    ASSERT_EQ(scene.warnings.size(), 3u);
    EXPECT_NE(scene.warnings[0].find(
                  "scene.json:3: unknown key 'stifness' in 'material'; did you mean 'stiffness'?"),
              std::string::npos)
        << scene.warnings[0];
    EXPECT_NE(scene.warnings[1].find("scene.json:4: unknown key 'gravty' in 'scene'; "
                                     "did you mean 'gravity'?"),
              std::string::npos)
        << scene.warnings[1];
    EXPECT_NE(scene.warnings[2].find("unknown key 'zzz'"), std::string::npos);
    EXPECT_EQ(scene.warnings[2].find("did you mean"), std::string::npos);
    EXPECT_EQ(scene.material.stiffness, MeshDef().stiffness);
}

// Such a key is not misspelt, and changes the physics where it is: the warning says where it
// belongs.
TEST(Scenes, KeysThatBelongElsewhereAreWarningsThatSayWhere) {
    const Scene scene = read_good_scene("{" + small_cloth + R"(,
        "stiffness": 5,
        "colliders": [{"sphere": {"radius": 1, "friction": 0.5}, "penalty": 100}],
        "material": {"tolerance": 1, "mass": 2},
        "solver": {"iterations": 3}})");
    std::string all;
    for (const std::string& warning : scene.warnings) all += warning + "\n";
    ASSERT_EQ(scene.warnings.size(), 4u) << all;
    for (const char* words : {"'stiffness' in 'scene'; it belongs in 'material'\n",
                              "'friction' in 'sphere'; it belongs in 'colliders'\n",
                              "scene.json:3: unknown key 'penalty' in 'colliders'; it belongs in "
                              "'sphere'\n",
                              "'tolerance' in 'material'; it belongs in 'solver'\n"})
        EXPECT_NE(all.find(words), std::string::npos) << words << all;
}

TEST(Names, GoThereAndBack) {
    for (const twang_solver solver :
         {TWANG_SOLVER_LOCAL_GLOBAL, TWANG_SOLVER_NEWTON, TWANG_SOLVER_NEWTON_CG,
          TWANG_SOLVER_LINEAR, TWANG_SOLVER_SYMPLECTIC, TWANG_SOLVER_STATIC}) {
        EXPECT_EQ(solver_named(name(solver)), solver);
    }
    for (const twang_energy energy : {TWANG_HOOKE, TWANG_STVK}) {
        EXPECT_EQ(energy_named(name(energy)), energy);
    }
    for (const twang_pin_method method : {TWANG_PIN_PENALTY, TWANG_PIN_ELIMINATION}) {
        EXPECT_EQ(pin_method_named(name(method)), method);
    }
    for (const twang_acceleration acceleration :
         {TWANG_ACCELERATION_NONE, TWANG_ACCELERATION_CHEBYSHEV, TWANG_ACCELERATION_ANDERSON,
          TWANG_ACCELERATION_LBFGS, TWANG_ACCELERATION_TWO_LEVEL}) {
        EXPECT_EQ(acceleration_named(name(acceleration)), acceleration);
    }
    for (const twang_precision precision : {TWANG_PRECISION_FLOAT, TWANG_PRECISION_DOUBLE,
                                            TWANG_PRECISION_HALF, TWANG_PRECISION_BEST}) {
        EXPECT_EQ(precision_named(name(precision)), precision);
    }
    for (const twang_arithmetic arithmetic : {TWANG_ARITHMETIC_FAST, TWANG_ARITHMETIC_PORTABLE}) {
        EXPECT_EQ(arithmetic_named(name(arithmetic)), arithmetic);
    }
    EXPECT_STREQ(name(TWANG_ACCELERATION_NONE), "none");
    EXPECT_STREQ(name(TWANG_ACCELERATION_TWO_LEVEL), "two-level");
    EXPECT_FALSE(acceleration_named("plain"));
    EXPECT_FALSE(precision_named("Half"));
    EXPECT_FALSE(arithmetic_named("quick"));
    EXPECT_FALSE(solver_named("Newton"));
    EXPECT_FALSE(energy_named(""));
    EXPECT_FALSE(pin_method_named("glue"));
    EXPECT_STREQ(name(static_cast<twang_solver>(7)), "?");
}

} // namespace
} // namespace twang::io::test
