// Bare meshes with their defaults, and scenes in running worlds.
#include <array>

#include "io_support.hpp"

namespace twang::io::test {
namespace {

using Indices = std::vector<std::uint32_t>;
using Numbers = std::vector<double>;

TEST(BareMesh, HangsFromItsTop) {
    const Files files;
    const Result<Scene> scene = read_scene(files.write("net.obj", two_quads));
    ASSERT_TRUE(scene) << scene.error().text();
    EXPECT_EQ(scene->name, "net");
    EXPECT_EQ(scene->pins, (Indices{3, 4, 5}));
    EXPECT_NEAR(scene->material.stiffness, 980.0, 1e-9); // all sides are 1 m long
    EXPECT_TRUE(scene->camera.has_value());
    Stage stage = run(*scene);
    EXPECT_NEAR(stage.model.info().mass, 1.0, 1e-12);
    EXPECT_EQ(stage.model.info().springs, 7u); // no diagonals unless asked
    for (int step = 0; step < 120; ++step) ASSERT_EQ(stage.step(), TWANG_OK);
    EXPECT_LT(stage.body.measure().max_stretch, 0.02);
}

TEST(BareMesh, TetrahedraToo) {
    const Files files;
    const Result<Scene> scene = read_scene(
        files.write("t.mesh",
                    "MeshVersionFormatted 1 Dimension 3 Vertices 4 0 0 0 0 1 0 0 0 0 1 0 0 "
                    "0 0 1 0 Tetrahedra 1 1 2 3 4 0 End"));
    ASSERT_TRUE(scene) << scene.error().text();
    EXPECT_EQ(scene->pins, (Indices{2}));
    EXPECT_EQ(run(*scene).model.info().springs, 6u);
}

TEST(BareMesh, WhatLiesFlatHangsFromItsFarSide) {
    const Files files;
    const Result<Scene> flat =
        read_scene(files.write("flat.obj", "v 0 1 0\nv 1 1 0\nv 1 1 1\nv 0 1 1\nf 1 2 3 4\n"));
    ASSERT_TRUE(flat);
    EXPECT_EQ(flat->pins, (Indices{0, 1}));
    const Result<Scene> line = read_scene(files.write("line.obj", "v 1 0 0\nv 0 0 0\nl 1 2\n"));
    ASSERT_TRUE(line);
    EXPECT_EQ(line->pins, (Indices{1}));
}

TEST(BareMesh, VerticesAloneAreAScene) {
    const Files files;
    const Result<Scene> scene = read_scene(files.write("dust.obj", "v 0 0 0\n"));
    ASSERT_TRUE(scene);
    EXPECT_GT(scene->material.stiffness, 0.0);
    Stage stage = run(*scene);
    EXPECT_EQ(stage.step(), TWANG_OK);
}

TEST(Stages, StartWhereTheSceneSays) {
    const Scene scene = read_good_scene("{" + small_cloth + R"(, "pins": [0],
        "start": {"stretch": [2, 1, 1], "velocity": [0, 0, 3]}})");
    Stage stage = run(scene);
    Numbers positions(27), velocities(27);
    ASSERT_EQ(stage.body.copy_positions(positions), TWANG_OK);
    ASSERT_EQ(stage.body.copy_velocities(velocities), TWANG_OK);
    EXPECT_EQ(positions, scene.positions);
    EXPECT_EQ(velocities[3 * 8 + 2], 3.0);
}

TEST(Stages, SurviveBeingMoved) {
    Stage first = run(read_good_scene("{" + small_cloth + ", \"pins\": [0, 2]}"));
    Stage second = std::move(first);
    EXPECT_EQ(second.step(), TWANG_OK);
    EXPECT_EQ(second.body.report().steps, 1u);
}

TEST(Stages, MovingCollidersPush) {
    Stage stage = run(read_good_scene(
        R"({"shape": {"points": [[0, 0, 0]]}, "gravity": 0,
            "colliders": [{"sphere": {"centre": [-1, 0, 0], "radius": 0.5},
                           "motion": {"velocity": [1, 0, 0]}}]})"));
    for (int step = 0; step < 29; ++step) ASSERT_EQ(stage.step(), TWANG_OK);
    EXPECT_NEAR(stage.body.positions()[0], 0.0, 1e-2); // it arrives after half a second
    for (int step = 0; step < 31; ++step) ASSERT_EQ(stage.step(), TWANG_OK);
    EXPECT_GE(stage.body.positions()[0], 0.49);
}

TEST(Stages, TurningCollidersPush) {
    Stage stage = run(read_good_scene(
        R"({"shape": {"points": [[0, 0, 0.5]]}, "gravity": 0,
            "colliders": [{"capsule": {"from": [0, 0, 0], "to": [1, 0, 0], "radius": 0.1},
                           "motion": {"axis": [0, -1, 0], "turns": 0.25}}]})"));
    for (int step = 0; step < 48; ++step) ASSERT_EQ(stage.step(), TWANG_OK);
    EXPECT_EQ(stage.body.positions()[0], 0.0f); // an eighth of a turn leaves room
    for (int step = 0; step < 24; ++step) ASSERT_EQ(stage.step(), TWANG_OK);
    EXPECT_LT(stage.body.positions()[0], -0.05f); // it was there after almost a second
}

TEST(Stages, MovingPinsPull) {
    Stage stage = run(read_good_scene("{" + small_cloth + R"(, "start": {"stretch": [2, 1, 1]},
        "pins": [0, {"index": [2], "motion": {"velocity": [0, 0, 1]}},
                 {"index": [8], "motion": {"amplitude": [0, 0.5, 0], "frequency": 0.5}}]})"));
    for (int step = 0; step < 30; ++step) ASSERT_EQ(stage.step(), TWANG_OK);
    const auto vertex = [&](std::size_t i, std::size_t axis) {
        return stage.body.positions()[3 * i + axis];
    };
    EXPECT_NEAR(vertex(0, 2), 0.0, 1e-2);
    EXPECT_NEAR(vertex(2, 0), 2.0, 1e-2); // from where it starts, not from the rest shape
    EXPECT_NEAR(vertex(2, 2), 0.5, 1e-2);
    EXPECT_NEAR(vertex(8, 1), -0.5, 1e-2); // a quarter of a swing
    ASSERT_EQ(stage.body.unpin(2), TWANG_OK);
    for (int step = 0; step < 60; ++step) ASSERT_EQ(stage.step(), TWANG_OK);
    EXPECT_FALSE(stage.body.is_pinned(2)); // it is not caught again
    EXPECT_LT(vertex(2, 2), 1.0);
    EXPECT_NEAR(vertex(8, 1), -1.5, 1e-2);
}

TEST(Stages, SpringsTear) {
    const std::string text = R"({"shape": {"rope": {"vertices": 3}}, "gravity": 0, "pins": [0,
        {"index": 2, "motion": {"velocity": [1, 0, 0]}}], "material": {"tear_strain": )";
    Stage weak = run(read_good_scene(text + "0.3}}"));
    Stage strong = run(read_good_scene(text + "0}}"));
    for (int step = 0; step < 60; ++step) {
        ASSERT_EQ(weak.step(), TWANG_OK);
        ASSERT_EQ(strong.step(), TWANG_OK);
    }
    EXPECT_GE(weak.body.broken_springs(), 1u);
    EXPECT_EQ(strong.body.broken_springs(), 0u);
}

TEST(Stages, CopiesDoAsTheFirstElsewhere) {
    Scene scene = read_good_scene("{" + small_cloth + R"(,
        "copies": {"count": [2, 1, 3], "spacing": [4, 0, 8]},
        "pins": [0, {"index": 2, "motion": {"velocity": [0, 0, 0.5]}}]})");
    Stage stage = run(scene);
    scene.copies = {};
    Stage alone = run(scene);
    ASSERT_EQ(stage.bodies.size(), 6u);
    EXPECT_EQ(alone.bodies.size(), 1u);
    EXPECT_EQ(stage.body.precomputation().shared_by, 6);
    for (int step = 0; step < 30; ++step) {
        ASSERT_EQ(stage.step(), TWANG_OK);
        ASSERT_EQ(alone.step(), TWANG_OK);
    }
    const auto first = alone.body.positions();
    EXPECT_GT(std::abs(first[3 * 8 + 1] + 1.0f), 1e-3f); // it moved
    const std::array<Vec3, 6> offsets = {
        {{0, 0, 0}, {4, 0, 0}, {0, 0, 8}, {4, 0, 8}, {0, 0, 16}, {4, 0, 16}}};
    for (std::size_t body = 0; body < 6; ++body) {
        const auto now = stage.bodies[body].positions();
        const std::array<double, 3> offset = {offsets[body].x, offsets[body].y, offsets[body].z};
        for (std::size_t i = 0; i < now.size(); ++i) {
            ASSERT_NEAR(now[i], first[i] + offset[i % 3], 1e-3) << body << ' ' << i;
        }
    }
}

TEST(Stages, MeasuresAreOfAllCopies) {
    Stage stage = run(read_good_scene("{" + small_cloth + R"(, "pins": [0],
        "copies": {"count": [2, 1, 1], "spacing": [4, 0, 0]}})"));
    ASSERT_EQ(stage.bodies[1].add_impulse(8, {0.5, 0, 1}), TWANG_OK);
    for (int step = 0; step < 10; ++step) ASSERT_EQ(stage.step(), TWANG_OK);
    const Measures a = stage.bodies[0].measure(), b = stage.bodies[1].measure();
    const Measures all = stage.measure();
    EXPECT_NE(a.max_stretch, b.max_stretch);
    EXPECT_EQ(all.kinetic_energy, a.kinetic_energy + b.kinetic_energy);
    EXPECT_EQ(all.elastic_energy, a.elastic_energy + b.elastic_energy);
    EXPECT_EQ(all.max_stretch, std::max(a.max_stretch, b.max_stretch));
    EXPECT_EQ(all.mean_stretch, (a.mean_stretch + b.mean_stretch) / 2);
    EXPECT_EQ(all.mean_speed, (a.mean_speed + b.mean_speed) / 2);
    EXPECT_EQ(all.centre.x, (a.centre.x + b.centre.x) / 2);
    EXPECT_EQ(all.momentum.z, a.momentum.z + b.momentum.z);
    EXPECT_EQ(all.state_hash, stage.world.hash());
    Stage alone = run(read_good_scene("{" + small_cloth + "}"));
    EXPECT_EQ(alone.measure().state_hash, alone.body.measure().state_hash);
}

TEST(Stages, ParticlesKeepCopiesApart) {
    const auto gap = [](const std::string& more) {
        Stage stage = run(read_good_scene(
            R"({"shape": {"points": [[0, 0, 0]]}, "pins": [0], "gravity": 0,
                "copies": {"count": [1, 2, 1], "spacing": [0, 0.5, 0]})" +
            more + "}"));
        EXPECT_EQ(stage.bodies[1].unpin(0), TWANG_OK);
        const std::vector<double> down = {0, -1, 0};
        EXPECT_EQ(stage.bodies[1].set_velocities(down), TWANG_OK);
        for (int step = 0; step < 40; ++step) EXPECT_EQ(stage.step(), TWANG_OK);
        return stage.bodies[1].positions()[1] - stage.body.positions()[1];
    };
    EXPECT_LT(gap(""), -0.1);
    EXPECT_GT(gap(R"(, "vertex_spheres": {"radius": 0.1})"), 0.19);
}

TEST(Stages, MeshesHold) {
    const Files files;
    files.write("floor.obj", "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nf 4 3 2 1\n");
    const Result<Scene> scene = read_scene(files.write("scene.json",
                                                       R"({"shape": {"points": [[0.3, 0.2, 0.2]]},
        "colliders": [{"mesh": {"file": "floor.obj", "translate": [0, -0.5, 0]},
                       "motion": {"velocity": [0, 0.1, 0]}}]})"));
    ASSERT_TRUE(scene) << scene.error().text();
    Stage stage = run(*scene);
    for (int step = 0; step < 120; ++step) ASSERT_EQ(stage.step(), TWANG_OK);
    EXPECT_NEAR(stage.body.positions()[1], -0.3 + ColliderDef().thickness, 0.01);
}

TEST(Stages, WhatTheEngineRefusesNamesTheFile) {
    Scene scene = read_good_scene("{" + small_cloth + R"(, "material": {"energy": "stvk"}})");
    const auto exit_of = [](const Scene& each) {
        const Result<Stage> stage = instantiate(each);
        EXPECT_FALSE(stage);
        if (stage) return Exit::ok;
        EXPECT_NE(stage.error().text().find("scene.json: "), std::string::npos);
        EXPECT_FALSE(stage.error().reason.empty());
        return stage.error().exit;
    };
    EXPECT_EQ(exit_of(scene), Exit::invalid); // local-global cannot
    scene.energy = TWANG_HOOKE;
    ASSERT_TRUE(instantiate(scene));
    Scene bad = scene;
    bad.world.time_step = -1.0;
    EXPECT_EQ(exit_of(bad), Exit::invalid);
    bad = scene;
    bad.pins = {99};
    EXPECT_EQ(exit_of(bad), Exit::invalid);
    bad = scene;
    bad.masses = {1.0};
    EXPECT_EQ(exit_of(bad), Exit::invalid);
    EXPECT_EQ(instantiate(bad).error().reason, "masses must be one per vertex or none");
    bad = scene;
    bad.positions = {0.0, 0.0, 0.0};
    EXPECT_EQ(exit_of(bad), Exit::invalid);
    bad = scene;
    bad.moving_pins = {{{9}, {}}};
    EXPECT_EQ(exit_of(bad), Exit::invalid);
    bad = scene;
    bad.copies.count[1] = 0;
    EXPECT_EQ(exit_of(bad), Exit::invalid);
    bad.copies.count = {100'000, 100'000, 100'000};
    EXPECT_EQ(exit_of(bad), Exit::invalid);
    bad = scene;
    bad.tear_strain = -1.0;
    EXPECT_EQ(exit_of(bad), Exit::invalid);
    bad = scene;
    bad.vertex_radius = std::nan("");
    EXPECT_EQ(exit_of(bad), Exit::invalid);
    bad = scene;
    bad.material.stiffness = std::nan("");
    EXPECT_EQ(exit_of(bad), Exit::invalid);
}

} // namespace
} // namespace twang::io::test
