// The mass-spring course's scene format: a file means exactly what it says.
#include <set>

#include "io_support.hpp"

namespace twang::io::test {
namespace {

using Indices = std::vector<std::uint32_t>;
using Numbers = std::vector<double>;

TEST(CourseFormat, MeansExactlyWhatItSays) {
    const Files files;
    files.write("net.obj", two_quads);
    const Result<Scene> scene = read_scene(
        files.write("net.json", R"({"obj": "net.obj", "k": 300, "m": 1.5, "b": [1, 3, 6]})"));
    ASSERT_TRUE(scene) << scene.error().text();
    EXPECT_TRUE(scene->warnings.empty());
    EXPECT_EQ(scene->pins, (Indices{0, 2, 5}));
    EXPECT_EQ(scene->world.damping, 0.0);
    EXPECT_EQ(scene->world.time_step, 1.0 / 60.0);
    EXPECT_TRUE(same(scene->world.gravity, {0, -9.8, 0}));
    EXPECT_EQ(scene->air.drag, 0.0);
    EXPECT_EQ(scene->energy, TWANG_HOOKE);
    EXPECT_EQ(scene->world.solver.solver, TWANG_SOLVER_LOCAL_GLOBAL);
    EXPECT_TRUE(scene->positions.empty());
    EXPECT_TRUE(scene->velocities.empty());
    EXPECT_TRUE(scene->colliders.empty());

    Stage stage = run(*scene);
    EXPECT_EQ(masses_of(stage.model), Numbers(6, 1.5));
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const SpringDef& spring : springs_of(stage.model)) {
        EXPECT_EQ(spring.stiffness, 300.0);
        EXPECT_EQ(spring.rest_length, 1.0);
        EXPECT_EQ(spring.kind, TWANG_STRUCTURAL);
        pairs.insert(std::minmax(spring.a, spring.b));
    }
    const std::set<std::pair<std::uint32_t, std::uint32_t>> sides = {{0, 1}, {1, 4}, {3, 4}, {0, 3},
                                                                     {1, 2}, {2, 5}, {4, 5}};
    EXPECT_EQ(pairs, sides);
    EXPECT_EQ(stage.model.info().springs, 7u);
    for (std::uint32_t i = 0; i < 6; ++i) {
        EXPECT_EQ(stage.body.is_pinned(i), i == 0 || i == 2 || i == 5);
    }
}

TEST(CourseFormat, WithoutMassTheFacesWeighOneKilogramPerSquareMetre) {
    const Files files;
    files.write("net.obj", two_quads);
    const Result<Scene> scene =
        read_scene(files.write("net.json", R"({"obj": "net.obj", "k": 300, "b": []})"));
    ASSERT_TRUE(scene);
    const Stage stage = run(*scene);
    EXPECT_NEAR(stage.model.info().mass, 2.0, 1e-12);
}

TEST(CourseFormat, WithoutFacesLinesWeighOneKilogramPerMetre) {
    const Files files;
    files.write("rope.obj", "v 0 0 0\nv 3 0 0\nv 3 4 0\nf 1 2\nf 2 3\n");
    const Result<Scene> scene =
        read_scene(files.write("rope.json", R"({"obj": "rope.obj", "k": 1, "b": [1]})"));
    ASSERT_TRUE(scene);
    const Stage stage = run(*scene);
    EXPECT_NEAR(stage.model.info().mass, 7.0, 1e-12);
}

TEST(CourseFormat, PicturesTimeStepsAndFolders) {
    const Files files;
    std::filesystem::create_directories(files.path("data/meshes"));
    files.write("data/meshes/net.obj", two_quads);
    const Result<Scene> scene = read_scene(files.write(
        "data/net.json",
        R"({"obj": "meshes/net.obj", "k": 1e5, "b": [2, 2], "png": "net.png", "h": 0.01})"));
    ASSERT_TRUE(scene) << scene.error().text();
    EXPECT_EQ(scene->texture, files.path("data/net.png"));
    EXPECT_EQ(scene->world.time_step, 0.01);
    EXPECT_EQ(scene->pins, (Indices{1}));
}

TEST(CourseFormat, FaultsNameTheirLine) {
    const Files files;
    files.write("net.obj", two_quads);
    const std::vector<Fault> faults = {
        {"{\"obj\": \"net.obj\"}", 1, "needs the key 'k'"},
        {"{\"obj\": 5,\n \"k\": 1}", 1, "must be a text"},
        {"{\"obj\": \"\", \"k\": 1}", 1, "empty"},
        {"{\"obj\": \"net.obj\",\n\"k\": -1}", 2, "'k' must be at least 0, not -1"},
        {"{\"obj\": \"net.obj\",\n\"k\": \"300\"}", 2, "'k' must be a number, not a text"},
        {"{\"obj\": \"net.obj\", \"k\": 1,\n\"m\": 0}", 2, "'m' must be above 0, not 0"},
        {"{\"obj\": \"net.obj\", \"k\": 1,\n\"b\": [\n0]}", 3, "'b' must be from 1 to 6, not 0"},
        {"{\"obj\": \"net.obj\", \"k\": 1,\n\"b\": [1,\n7]}", 3, "'b' must be from 1 to 6, not 7"},
        {"{\"obj\": \"net.obj\", \"k\": 1,\n\"b\": [1.5]}", 2, "whole number"},
        {"{\"obj\": \"net.obj\", \"k\": 1,\n\"b\": 1}", 2, "'b' must be a list"},
        {"{\"obj\": \"net.obj\", \"k\": 1,\n\"h\": 0}", 2, "'h' must be above 0"},
    };
    for (const Fault& fault : faults) {
        const std::string file = files.write("net.json", fault.content);
        expect_fault(read_scene(file), file, fault);
    }
}

TEST(CourseFormat, AnUnreadableOrBadMeshIsTheMeshesFault) {
    const Files files;
    Result<Scene> scene =
        read_scene(files.write("net.json", R"({"obj": "missing.obj", "k": 300, "b": [1]})"));
    ASSERT_FALSE(scene);
    EXPECT_EQ(scene.error().exit, Exit::unreadable);
    EXPECT_EQ(scene.error().file, files.path("missing.obj"));
    files.write("missing.obj", "v 0 0 0\nv nan 0 0\n");
    scene = read_scene(files.path("net.json"));
    ASSERT_FALSE(scene);
    EXPECT_EQ(scene.error().exit, Exit::invalid);
    EXPECT_EQ(scene.error().file, files.path("missing.obj"));
    EXPECT_EQ(scene.error().line, 2);
}

} // namespace
} // namespace twang::io::test
