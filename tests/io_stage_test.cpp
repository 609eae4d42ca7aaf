// Bare meshes with their defaults, and scenes in running worlds.
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
    bad.material.stiffness = std::nan("");
    EXPECT_EQ(exit_of(bad), Exit::invalid);
}

} // namespace
} // namespace twang::io::test
