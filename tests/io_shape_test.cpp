// Shapes of scenes: generators against closed formulas, meshes, points and springs.
#include <map>
#include <set>

#include "io_support.hpp"

namespace twang::io::test {
namespace {

using Numbers = std::vector<double>;

std::size_t count_kind(const std::vector<SpringDef>& springs, twang_spring_kind kind) {
    return std::count_if(springs.begin(), springs.end(),
                         [&](const SpringDef& spring) { return spring.kind == kind; });
}

// Six times the volume of the tetrahedron whose indices start at `first`.
double six_volumes(const Mesh& mesh, std::size_t first) {
    const std::uint32_t* const t = &mesh.tetrahedra[first];
    const auto edge = [&](int corner, int axis) {
        return mesh.positions[3 * t[corner] + axis] - mesh.positions[3 * t[0] + axis];
    };
    return edge(1, 0) * (edge(2, 1) * edge(3, 2) - edge(2, 2) * edge(3, 1)) -
           edge(1, 1) * (edge(2, 0) * edge(3, 2) - edge(2, 2) * edge(3, 0)) +
           edge(1, 2) * (edge(2, 0) * edge(3, 1) - edge(2, 1) * edge(3, 0));
}

TEST(Shapes, ClothCountsItsSprings) {
    const Scene scene = read_good_scene(
        R"({"shape": {"cloth": {"columns": 7, "rows": 5, "spacing": 0.1, "origin": [1, 2, 3],
            "across": [0, 0, 1], "down": [1, 0, 0]}},
            "material": {"mass": 0.6, "stiffness": 10, "shear": 20, "bend": 30}})");
    ASSERT_EQ(scene.mesh.vertex_count(), 35u);
    const double* const p = &scene.mesh.positions[3 * (2 * 7 + 6)]; // row 2, column 6
    EXPECT_NEAR(p[0], 1.2, 1e-15);
    EXPECT_NEAR(p[1], 2.0, 1e-15);
    EXPECT_NEAR(p[2], 3.6, 1e-15);
    EXPECT_EQ(scene.mesh.texture.size(), 70u);
    const Stage stage = run(scene);
    const std::vector<SpringDef> springs = springs_of(stage.model);
    EXPECT_EQ(count_kind(springs, TWANG_STRUCTURAL), 7u * 4 + 5 * 6);
    EXPECT_EQ(count_kind(springs, TWANG_SHEAR), 2u * 6 * 4);
    EXPECT_EQ(count_kind(springs, TWANG_BEND), 7u * 3 + 5 * 5);
    for (const SpringDef& spring : springs) {
        const double expected[] = {10, 20, 30};
        EXPECT_EQ(spring.stiffness, expected[spring.kind]);
    }
    EXPECT_NEAR(stage.model.info().mass, 0.6, 1e-12);
}

TEST(Shapes, ClothEqualsTheEnginesOwn) {
    const Stage stage = run(read_good_scene(
        R"({"shape": {"cloth": {"columns": 6, "rows": 4, "spacing": 0.1}},
            "material": {"mass": 0.3, "stiffness": 100, "shear": 50, "bend": 10}})"));
    ClothDef def;
    def.columns = 6;
    def.rows = 4;
    def.spacing = 0.1;
    def.mass = 0.3;
    def.stiffness = 100;
    def.shear = 50;
    def.bend = 10;
    const Model model = Model::cloth(def);
    ASSERT_TRUE(model);
    const auto keyed = [](const Model& each) {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<double, double>> map;
        for (const SpringDef& spring : springs_of(each)) {
            map[std::minmax(spring.a, spring.b)] = {spring.stiffness, spring.rest_length};
        }
        return map;
    };
    const auto ours = keyed(stage.model), theirs = keyed(model);
    ASSERT_EQ(ours.size(), theirs.size());
    for (const auto& [pair, spring] : theirs) {
        ASSERT_TRUE(ours.count(pair));
        EXPECT_EQ(ours.at(pair).first, spring.first);
        EXPECT_NEAR(ours.at(pair).second, spring.second, 1e-15);
    }
    const Numbers masses = masses_of(stage.model), expected = masses_of(model);
    for (std::size_t i = 0; i < masses.size(); ++i) EXPECT_NEAR(masses[i], expected[i], 1e-15);
}

TEST(Shapes, ClothIsWoundOneWay) {
    const Scene scene = read_good_scene("{" + small_cloth + "}");
    ASSERT_EQ(scene.mesh.quads.size(), 16u);
    for (std::size_t i = 0; i < scene.mesh.quads.size(); i += 4) {
        const auto at = [&](std::size_t corner, int axis) {
            return scene.mesh.positions[3 * scene.mesh.quads[i + corner] + axis];
        };
        const double normal = (at(1, 0) - at(0, 0)) * (at(2, 1) - at(0, 1)) -
                              (at(1, 1) - at(0, 1)) * (at(2, 0) - at(0, 0));
        EXPECT_GT(normal, 0.0);
    }
}

TEST(Shapes, SquareHasDiagonalsUnlessToldOtherwise) {
    const std::string shape = R"({"shape": {"square": {"vertices_per_side": 4, "side": 3}})";
    const Stage plain = run(read_good_scene(shape + "}"));
    EXPECT_EQ(plain.model.info().springs, 24u + 18u);
    const Stage soft = run(read_good_scene(shape + R"(, "material": {"stiffness": 7}})"));
    for (const SpringDef& spring : springs_of(soft.model)) EXPECT_EQ(spring.stiffness, 7.0);
    const Stage none = run(read_good_scene(shape + R"(, "material": {"shear": 0}})"));
    EXPECT_EQ(none.model.info().springs, 24u);
}

TEST(Shapes, RopeIsALine) {
    const Scene scene = read_good_scene(
        R"({"shape": {"rope": {"vertices": 5, "from": [0, 1, 0], "to": [0, 3, 0]}},
            "material": {"density": 0.5}})");
    const Stage stage = run(scene);
    EXPECT_EQ(stage.model.info().springs, 4u);
    EXPECT_NEAR(stage.model.info().mass, 1.0, 1e-12);
    EXPECT_EQ(scene.mesh.positions[3 * 1 + 1], 1.5);
}

TEST(Shapes, BlockFillsItsBoxWithoutOverlap) {
    const double nx = 4, ny = 3, nz = 2;
    const Scene scene = read_good_scene(
        R"({"shape": {"block": {"cells": [4, 3, 2], "size": [2, 1.5, 1], "origin": [1, 1, 1]}},
            "material": {"density": 10, "stiffness": 100}})");
    EXPECT_EQ(scene.mesh.vertex_count(), 5u * 4 * 3);
    ASSERT_EQ(scene.mesh.tetrahedra.size(), 4u * 6 * 4 * 3 * 2);
    double volume = 0.0;
    std::map<std::set<std::uint32_t>, int> faces;
    for (std::size_t i = 0; i < scene.mesh.tetrahedra.size(); i += 4) {
        const std::uint32_t* const t = &scene.mesh.tetrahedra[i];
        const double six = six_volumes(scene.mesh, i);
        EXPECT_NEAR(six, 0.125, 1e-12); // right-handed, each a sixth of its cell
        volume += six / 6.0;
        for (int left_out = 0; left_out < 4; ++left_out) {
            std::set<std::uint32_t> face(t, t + 4);
            face.erase(t[left_out]);
            ++faces[face];
        }
    }
    EXPECT_NEAR(volume, 3.0, 1e-12);
    std::size_t outer = 0;
    for (const auto& [face, count] : faces) {
        EXPECT_LE(count, 2);
        outer += count == 1;
    }
    EXPECT_EQ(outer, 2.0 * 2 * (nx * ny + ny * nz + nx * nz)); // conforming: only the box's sides
    const Stage stage = run(scene);
    const double along =
        nx * (ny + 1) * (nz + 1) + (nx + 1) * ny * (nz + 1) + (nx + 1) * (ny + 1) * nz;
    const double across = nx * ny * (nz + 1) + nx * (ny + 1) * nz + (nx + 1) * ny * nz;
    EXPECT_EQ(stage.model.info().springs, along + across + nx * ny * nz);
    EXPECT_NEAR(stage.model.info().mass, 30.0, 1e-9);
}

TEST(Shapes, BalloonIsAClosedSphereOnAString) {
    const Scene scene = read_good_scene(
        R"({"shape": {"balloon": {"subdivisions": 2, "radius": 0.5, "centre": [1, 2, 3],
            "string": 0.6, "string_vertices": 3}}})");
    ASSERT_EQ(scene.mesh.vertex_count(), 162u + 3);
    EXPECT_EQ(scene.mesh.triangles.size(), 3u * 320);
    EXPECT_EQ(scene.mesh.polylines, (std::vector<std::uint32_t>{0, 162, 163, 164}));
    const Numbers& p = scene.mesh.positions;
    double lowest = 9.0;
    for (std::size_t i = 0; i < 162; ++i) {
        EXPECT_NEAR(std::hypot(p[3 * i] - 1, p[3 * i + 1] - 2, p[3 * i + 2] - 3), 0.5, 1e-15);
        lowest = std::min(lowest, p[3 * i + 1]);
    }
    EXPECT_EQ(lowest, p[1]);
    EXPECT_EQ(p[1], 1.5);
    EXPECT_NEAR(p[3 * 164 + 1], 0.9, 1e-15);
    const ModelInfo info = run(scene).model.info();
    EXPECT_EQ(info.springs, 480u + 3);
    const double sphere = 4.0 / 3.0 * std::acos(-1.0) * 0.125;
    EXPECT_GT(info.volume, 0.95 * sphere); // inscribed, wound outward
    EXPECT_LT(info.volume, sphere);
    // Every edge within a sixth of the mean.
    const std::vector<SpringDef> springs = springs_of(run(scene).model);
    for (const SpringDef& spring : springs) {
        if (spring.a < 162 && spring.b < 162) {
            EXPECT_NEAR(spring.rest_length, 0.148, 0.025);
        }
    }
    EXPECT_EQ(run(read_good_scene(R"({"shape": {"balloon": {}}})")).model.info().vertices, 642u);
}

TEST(Shapes, JellyStandsOnItsFootAndIsNotTurnedInsideOut) {
    const Scene scene = read_good_scene(
        R"({"shape": {"jelly": {"across": 8, "up": 6, "radius": 0.5, "height": 0.6, "flutes": 8,
            "base": [1, 2, 3]}}})");
    EXPECT_EQ(scene.mesh.vertex_count(), 9u * 9 * 7);
    ASSERT_EQ(scene.mesh.tetrahedra.size(), 4u * 6 * 8 * 8 * 6);
    double widest = 0.0, low = 9.0, high = 0.0;
    for (std::size_t i = 0; i < scene.mesh.positions.size(); i += 3) {
        const double* const p = &scene.mesh.positions[i];
        widest = std::max(widest, std::hypot(p[0] - 1.0, p[2] - 3.0));
        low = std::min(low, p[1]);
        high = std::max(high, p[1]);
    }
    EXPECT_NEAR(widest, 0.5, 1e-12); // on a ridge of the foot
    EXPECT_EQ(low, 2.0);
    EXPECT_NEAR(high, 2.6, 1e-12); // in the middle of the top
    double volume = 0.0;
    for (std::size_t i = 0; i < scene.mesh.tetrahedra.size(); i += 4) {
        const double six = six_volumes(scene.mesh, i);
        EXPECT_GT(six, 0.0) << i / 4;
        volume += six / 6.0;
    }
    // Less than the round frustum of its foot and top, more than one of the flutes' depth.
    EXPECT_LT(volume, 0.6 * 3.1416 * (0.25 + 0.5 * 0.31 + 0.31 * 0.31) / 3.0);
    EXPECT_GT(volume, 0.5 * 3.1416 * 0.74 * (0.25 + 0.5 * 0.31 + 0.31 * 0.31) / 3.0);
}

TEST(Shapes, MeshIsScaledAndMoved) {
    const Files files;
    files.write("a.obj", "v 1 2 3\nv 4 5 6\nl 1 2\nodd 1\n");
    const Result<Scene> scene = read_scene(files.write(
        "a.json",
        R"({"shape": {"mesh": {"file": "a.obj", "scale": 2, "translate": [1, 0, -1]}}})"));
    ASSERT_TRUE(scene) << scene.error().text();
    EXPECT_EQ(scene->mesh.positions, (Numbers{3, 4, 5, 9, 10, 11}));
    ASSERT_EQ(scene->warnings.size(), 1u); // the mesh's own
    EXPECT_NE(scene->warnings[0].find("a.obj:4"), std::string::npos);
    const Result<Scene> plain =
        read_scene(files.write("b.json", R"({"shape": {"mesh": "a.obj"}})"));
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->mesh.positions, (Numbers{1, 2, 3, 4, 5, 6}));
}

TEST(Shapes, PointsAndSprings) {
    const Scene scene = read_good_scene(
        R"({"shape": {"points": [[0, 0], [3, 4], [0, 1, 2]]},
            "springs": [[0, 1], [1, 2, 50], [0, 2, 60, 0.5]],
            "material": {"vertex_mass": 2, "stiffness": 40}})");
    const Stage stage = run(scene);
    EXPECT_EQ(masses_of(stage.model), Numbers(3, 2.0));
    std::map<double, double> rest_lengths;
    for (const SpringDef& spring : springs_of(stage.model)) {
        rest_lengths[spring.stiffness] = spring.rest_length;
    }
    ASSERT_EQ(rest_lengths.size(), 3u);
    EXPECT_EQ(rest_lengths[40], 5.0);
    EXPECT_NEAR(rest_lengths[50], std::sqrt(9.0 + 9.0 + 4.0), 1e-15);
    EXPECT_EQ(rest_lengths[60], 0.5);
}

} // namespace
} // namespace twang::io::test
