// What lies between vertices keeps off colliders: the deepest point of edges and triangles, how
// deep the edge of a box cuts into cloth, friction there, solvers, bits, snapshots.
#include "contact/surface_points.hpp"

#include <cstring>

#include "contact_scenes.hpp"

namespace twang::test {
namespace {

using core::DeepestPoint;
using core::Distance;
using core::Obstacle;

// ---- The deepest point -----------------------------------------------------------------------

template <int n>
struct Sample {
    double distance = 1e9;
    double weights[n];
    double on_border = 1e9; // the least at the ends, or on the sides
};

// The least distance on an edge or a triangle by brute force.
template <int n>
Sample<n> least_distance(const Obstacle& obstacle, const Vec3 (&x)[n]) {
    constexpr int parts = n == 2 ? 400 : 60;
    Sample<n> least;
    for (int i = 0; i <= parts; ++i)
        for (int j = 0; j <= (n == 3 ? parts - i : 0); ++j) {
            double weights[3] = {i / double(parts), j / double(parts), 0.0};
            weights[n - 1] = 1.0 - weights[0] - (n == 3 ? weights[1] : 0.0);
            Vec3 p{};
            for (int k = 0; k < n; ++k) p += weights[k] * x[k];
            const double distance = core::distance_to(obstacle, p).distance;
            if (*std::min_element(weights, weights + n) < 1e-9)
                least.on_border = std::min(least.on_border, distance);
            if (distance >= least.distance) continue;
            least.distance = distance;
            std::copy_n(weights, n, least.weights);
        }
    return least;
}

template <int n>
void compare_with_samples(const Obstacle& obstacle, std::uint64_t seed) {
    Random random(seed);
    int found_some = 0;
    for (int trial = 0; trial < 400; ++trial) {
        // Triangles about the corners of a box, which only they find.
        const auto some_side = [&] { return random.uniform(-1.0, 1.0) < 0.0 ? -1.0 : 1.0; };
        const Vec3 corner{0.2 * some_side(), 0.15 * some_side(), 0.25 * some_side()};
        const Vec3 middle = n == 2 ? random.vector(0.4) : corner + random.vector(0.01);
        const double size = n == 2 ? 0.15 : 0.06;
        Vec3 x[n];
        Distance at[n];
        double nearest = 1e9;
        for (int k = 0; k < n; ++k) {
            x[k] = middle + random.vector(size);
            at[k] = core::distance_to(obstacle, x[k]);
            nearest = std::min(nearest, at[k].distance);
        }
        const Sample<n> least = least_distance(obstacle, x);
        DeepestPoint deepest;
        const bool found = core::find_deepest(obstacle, x, at, 1e9, 0.0, deepest);
        // Farther inside an edge is as near to the other side; of a triangle a shallow one may be
        // overlooked.
        if (least.on_border - least.distance > (n == 2 ? 0.001 : 0.005) && least.distance > -0.1) {
            EXPECT_TRUE(found) << trial;
        }
        if (!found) continue;
        ++found_some;
        EXPECT_TRUE(core::may_be_deepest(x, at, 1e9, 0.0));
        Vec3 p{};
        double sum = 0.0;
        for (int k = 0; k < n; ++k) {
            EXPECT_GT(deepest.weights[k], 0.0);
            sum += deepest.weights[k];
            p += deepest.weights[k] * x[k];
        }
        EXPECT_NEAR(sum, 1.0, 1e-12);
        EXPECT_NEAR(core::distance_to(obstacle, p).distance, least.distance, 0.002) << trial;
        // The plane: in front of the shape, at right angles to what it holds off.
        const Vec3 normal = deepest.distance.normal;
        EXPECT_NEAR(length(normal), 1.0, 1e-12);
        for (int k = 1; k < n; ++k)
            EXPECT_LT(std::abs(dot(normal, x[k] - x[0])), 0.15 * length(x[k] - x[0])) << trial;
        // Whoever is nearer than anything is refused what is not near enough, or no gain.
        EXPECT_FALSE(core::find_deepest(obstacle, x, at, least.distance - 0.01, 0.0, deepest));
        EXPECT_FALSE(
            core::find_deepest(obstacle, x, at, 1e9, nearest - least.distance + 0.01, deepest));
    }
    EXPECT_GT(found_some, n == 2 ? 60 : 15);
}

TEST(DeepestPoint, OfEdgesAndTrianglesIsWhereSamplesAreLeast) {
    const Obstacle box = resting({.shape = TWANG_SHAPE_BOX, .half_extents = {0.2, 0.15, 0.25}});
    const Obstacle capsule = resting({.shape = TWANG_SHAPE_CAPSULE,
                                      .centre = {-0.1, 0.0, 0.0},
                                      .end = {0.1, 0.05, 0.0},
                                      .radius = 0.1,
                                      .end_radius = 0.15});
    const Mesh shape = box_mesh({0.2, 0.15, 0.25});
    Obstacle mesh = resting(shape.def());
    mesh.surface = shape.surface();
    std::uint64_t seed = 1;
    for (const Obstacle& obstacle : {box, capsule, mesh}) {
        compare_with_samples<2>(obstacle, ++seed);
        if (obstacle.def.shape != TWANG_SHAPE_CAPSULE) compare_with_samples<3>(obstacle, ++seed);
    }
}

// Below a ridge the plane rests on the ridge, level along the edge.
TEST(DeepestPoint, BelowARidgeIsHeldByTheRidge) {
    const Obstacle box = resting({.shape = TWANG_SHAPE_BOX, .half_extents = {1.0, 1.0, 1.0}});
    const Vec3 x[2] = {{0.9, 1.05, 0.0}, {1.05, 0.9, 0.0}};
    const Distance at[2] = {core::distance_to(box, x[0]), core::distance_to(box, x[1])};
    DeepestPoint deepest;
    ASSERT_TRUE(core::find_deepest(box, x, at, 0.0, 0.0, deepest));
    EXPECT_NEAR(deepest.weights[0], 0.5, 1e-9);
    EXPECT_NEAR(deepest.distance.distance, -std::sqrt(2.0) * 0.025, 1e-9);
    EXPECT_NEAR(deepest.distance.normal.x, std::sqrt(0.5), 1e-9);
    EXPECT_NEAR(deepest.distance.normal.y, std::sqrt(0.5), 1e-9);
}

// Through a sheet there is no side to be held on.
TEST(DeepestPoint, NoneThroughASheet) {
    Mesh sheet;
    sheet.positions = {{-1.0, 0.0, -1.0}, {1.0, 0.0, -1.0}, {1.0, 0.0, 1.0}, {-1.0, 0.0, 1.0}};
    sheet.triangles = {0, 2, 1, 0, 3, 2};
    Obstacle obstacle = resting(sheet.def());
    obstacle.surface = sheet.surface();
    const Vec3 x[2] = {{0.1, 0.2, 0.3}, {0.1, -0.2, 0.3}};
    const Distance at[2] = {core::distance_to(obstacle, x[0]), core::distance_to(obstacle, x[1])};
    DeepestPoint deepest;
    EXPECT_FALSE(core::find_deepest(obstacle, x, at, 1.0, 0.0, deepest));
}

std::shared_ptr<const core::Model> model_of(const ClothDef& def) {
    core::Network network;
    std::shared_ptr<const core::Model> model;
    EXPECT_EQ(core::build_cloth(def, network), TWANG_OK);
    EXPECT_EQ(core::make_model(std::move(network), model), TWANG_OK);
    return model;
}

TEST(SurfacePoints, EdgesAreTheSidesOfTrianglesOrTheSpringsOfAThread) {
    ClothDef def = level_cloth(3, 0.0);
    std::shared_ptr<const core::Model> model = model_of(def);
    EXPECT_EQ(model->edges.size(), 6u + 6u + 4u);
    for (const core::Edge& edge : model->edges) {
        EXPECT_NE(edge.triangle, core::Edge::none);
        if (edge.spring == core::Edge::none) continue;
        const core::Spring& spring = model->springs[edge.spring];
        EXPECT_EQ(std::minmax(spring.a, spring.b), std::minmax(edge.a, edge.b));
    }
    def.columns = 1;
    def.rows = 5;
    model = model_of(def);
    EXPECT_EQ(model->edges.size(), 4u);
}

// ---- Cloth over an edge ----------------------------------------------------------------------

// A roof: its ridge along z, at the top.
Mesh roof(double half, double height, double length) {
    Mesh mesh;
    for (const double z : {-length, length})
        for (const Vec3 p : {Vec3{-half, -height, z}, Vec3{half, -height, z}, Vec3{0.0, 0.0, z}})
            mesh.positions.push_back(p);
    mesh.triangles = {0, 2, 1, 3, 4, 5, 0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4, 2, 0, 3, 2, 3, 5};
    return mesh;
}

constexpr std::uint32_t side = 21;

struct OverAnEdge {
    World world;
    Model model = Model::cloth(level_cloth(side, 0.01));
    Body cloth;
    Obstacle obstacle;
    Collider collider;

    OverAnEdge(const ColliderDef& def, std::shared_ptr<const core::MeshCollider> surface,
               const WorldDef& world_def)
        : world(world_def),
          cloth(world.add(model)),
          obstacle(core::make_obstacle(def)),
          collider(world.add(def)) {
        obstacle.surface = std::move(surface);
        EXPECT_TRUE(collider);
    }
    void move_to(Vec3 centre) {
        EXPECT_EQ(collider.move_to(centre), TWANG_OK);
        obstacle.next.centre = centre;
    }
    // m: of all triangles, each sampled densely.
    double depth() {
        const core::Obstacle now = [&] {
            core::Obstacle moved = obstacle;
            moved.now = obstacle.next;
            return core::in_substep(moved, 0, 1);
        }();
        const std::vector<Vec3> x = positions_of(cloth);
        std::vector<std::uint32_t> triangles(3 * std::size_t{model.info().triangles});
        EXPECT_EQ(model.copy_triangles(triangles), TWANG_OK);
        double depth = 0.0;
        for (std::size_t t = 0; t < triangles.size(); t += 3) {
            const Vec3 corners[3] = {x[triangles[t]], x[triangles[t + 1]], x[triangles[t + 2]]};
            if (core::distance_to(now, corners[0]).distance > 0.1) continue;
            constexpr int parts = 20;
            for (int i = 0; i <= parts; ++i)
                for (int j = 0; j <= parts - i; ++j) {
                    const double u = i / double(parts), v = j / double(parts);
                    const Vec3 p = u * corners[0] + v * corners[1] + (1.0 - u - v) * corners[2];
                    depth = std::max(depth, -core::distance_to(now, p).distance);
                }
        }
        return depth;
    }
};

ColliderDef table() {
    return {.shape = TWANG_SHAPE_BOX,
            .centre = {0.0, -0.2, 0.0},
            .half_extents = {0.23, 0.2, 0.23},
            .friction = 0.4};
}
OverAnEdge over_box(const WorldDef& def, int between = TWANG_BY_SHAPE) {
    ColliderDef box = table();
    box.between_vertices = between;
    return {box, nullptr, def};
}
OverAnEdge over_roof(const WorldDef& def, int between = TWANG_BY_SHAPE) {
    static const Mesh mesh = roof(0.2, 0.3, 0.8);
    ColliderDef collider = mesh.def();
    collider.friction = 0.6;
    collider.between_vertices = between;
    return {collider, mesh.surface(), def};
}
WorldDef world_with(int iterations, twang_precision precision = TWANG_PRECISION_FLOAT) {
    WorldDef def{.workers = 1, .damping = 2.0};
    def.precision = precision;
    def.solver.iterations = iterations;
    return def;
}

struct Depths {
    double moving = 0.0, at_rest = 0.0;
};
Depths drop(OverAnEdge scene) {
    Depths depths;
    for (int frame = 1; frame <= 240; ++frame) {
        EXPECT_EQ(scene.world.step(), TWANG_OK);
        EXPECT_EQ(scene.cloth.report().max_penetration, 0.0) << frame;
        const double depth = scene.depth();
        depths.moving = std::max(depths.moving, depth);
        if (frame > 180) depths.at_rest = std::max(depths.at_rest, depth);
    }
    EXPECT_GT(scene.cloth.report().contacts, 10); // it lies there
    return depths;
}

TEST(SurfacePoints, TheEdgeOfABoxDoesNotCutIntoCloth) {
    for (const twang_precision precision : {TWANG_PRECISION_FLOAT, TWANG_PRECISION_DOUBLE})
        for (const int iterations : {5, 10}) {
            const Depths depths = drop(over_box(world_with(iterations, precision)));
            EXPECT_LT(depths.at_rest, 0.001) << iterations;
            EXPECT_LT(depths.moving, 0.004) << iterations;
        }
    EXPECT_GT(drop(over_box(world_with(10), 0)).at_rest, 0.005); // vertices alone
}

TEST(SurfacePoints, TheRidgeOfAMeshDoesNotCutIntoCloth) {
    const Depths depths = drop(over_roof(world_with(10)));
    EXPECT_LT(depths.at_rest, 0.001);
    EXPECT_LT(depths.moving, 0.004);
    EXPECT_GT(drop(over_roof(world_with(10), 0)).at_rest, 0.005);
}

// A bar thinner than the spacing finds no vertex above it. It is off for capsules by default.
TEST(SurfacePoints, AThinBarBearsCloth) {
    ColliderDef bar{.shape = TWANG_SHAPE_CAPSULE,
                    .centre = {0.024, -0.01, -0.8},
                    .end = {0.024, -0.01, 0.8},
                    .radius = 0.004,
                    .friction = 0.6};
    EXPECT_EQ(core::make_obstacle(bar).def.between_vertices, 0);
    bar.between_vertices = 1;
    OverAnEdge scene(bar, nullptr, world_with(10));
    double depth = 0.0;
    for (int frame = 1; frame <= 120; ++frame) {
        ASSERT_EQ(scene.world.step(), TWANG_OK);
        depth = std::max(depth, scene.depth());
    }
    EXPECT_LT(depth, 0.002);
    EXPECT_GT(scene.cloth.measure().centre.y, -0.3);
}

TEST(SurfacePoints, AMovingBoxTakesClothAlong) {
    OverAnEdge scene = over_box(world_with(10));
    for (int frame = 1; frame <= 120; ++frame) ASSERT_EQ(scene.world.step(), TWANG_OK);
    for (int frame = 1; frame <= 180; ++frame) {
        const double t = frame / 60.0;
        scene.move_to({0.1 * std::sin(3.0 * t), -0.2 + 0.05 * (1.0 - std::cos(6.0 * t)), 0.0});
        ASSERT_EQ(scene.world.step(), TWANG_OK);
        ASSERT_EQ(scene.cloth.report().max_penetration, 0.0) << frame;
        ASSERT_LT(scene.depth(), 0.004) << frame;
    }
    EXPECT_NEAR(scene.cloth.measure().centre.x, scene.obstacle.next.centre.x, 0.08);
}

// Held vertices are part of what is held off: the edges between them and free ones stay outside.
TEST(SurfacePoints, EdgesOfHeldVerticesKeepOffToo) {
    for (const int between : {0, 1}) {
        ColliderDef def = table();
        def.between_vertices = between;
        OverAnEdge scene(def, nullptr, world_with(10));
        for (std::uint32_t column = 0; column < side; ++column)
            for (std::uint32_t row = 0; row < 15; ++row) // ends 3 cm in front of the rim
                ASSERT_EQ(scene.cloth.pin(row * side + column), TWANG_OK);
        for (int frame = 1; frame <= 120; ++frame) ASSERT_EQ(scene.world.step(), TWANG_OK);
        EXPECT_LT(positions_of(scene.cloth)[15 * side + side / 2].y, 0.005); // not lifted
        if (between)
            EXPECT_LT(scene.depth(), 0.001);
        else
            EXPECT_GT(scene.depth(), 0.002);
    }
}

// Along a rail that is narrower than the spacing, on a slope: only points between vertices bear.
TEST(SurfacePoints, FrictionHoldsAndBrakesBetweenVertices) {
    const auto slide = [](double friction) {
        WorldDef def = world_with(10);
        def.gravity = {0.0, -9.0, 9.0 * 0.3};
        def.damping = 0.5;
        ClothDef cloth_def = level_cloth(11, 0.006);
        cloth_def.columns = 6; // at -0.25 ... 0.25, none above the rail
        cloth_def.origin.x = -0.25;
        World world{def};
        const Body cloth = world.add(Model::cloth(cloth_def));
        EXPECT_TRUE(world.add({.shape = TWANG_SHAPE_BOX,
                               .centre = {0.0, -0.5, 0.0},
                               .half_extents = {0.02, 0.5, 9.0},
                               .friction = friction}));
        for (int frame = 0; frame < 90; ++frame) EXPECT_EQ(world.step(), TWANG_OK);
        EXPECT_GT(cloth.measure().centre.y, -0.4) << "off the rail";
        return cloth.measure().centre.z;
    };
    EXPECT_LT(slide(0.7), 0.02);
    // Without friction 0.5 g t^2 = 3.0 m, a little less by damping.
    EXPECT_GT(slide(0.0), 1.5);
    const double braked = slide(0.1);
    EXPECT_GT(braked, 0.3);
    EXPECT_LT(braked, 0.9 * slide(0.0));
}

// ---- Solvers, bits, snapshots ----------------------------------------------------------------

// Over the edge of a box that it does not lie on by any vertex, and before it buckles: then there
// is more than one way down.
TEST(SurfacePoints, SolversAgree) {
    const auto fall = [](twang_solver solver, int between) {
        WorldDef def{.workers = 1, .damping = 2.0};
        def.precision = TWANG_PRECISION_DOUBLE;
        def.solver = default_solver(solver);
        def.solver.iterations = 3000;
        def.solver.tolerance = 1e-8;
        World world{def};
        ClothDef cloth_def = level_cloth(9, 0.006);
        cloth_def.origin.x = -0.53;
        const Body cloth = world.add(Model::cloth(cloth_def));
        EXPECT_TRUE(world.add({.shape = TWANG_SHAPE_BOX,
                               .centre = {0.0, -0.5, 0.0},
                               .half_extents = {0.02, 0.5, 0.3},
                               .friction = 0.5,
                               .between_vertices = between}));
        for (int frame = 0; frame < 20; ++frame) EXPECT_EQ(world.step(), TWANG_OK);
        return positions_of(cloth);
    };
    const std::vector<Vec3> newton = fall(TWANG_SOLVER_NEWTON, 1);
    EXPECT_LT(rms_distance(fall(TWANG_SOLVER_NEWTON_CG, 1), newton), 1e-6);
    EXPECT_LT(rms_distance(fall(TWANG_SOLVER_LOCAL_GLOBAL, 1), newton), 1e-6);
    EXPECT_GT(rms_distance(fall(TWANG_SOLVER_NEWTON, 0), newton), 0.05);
}

TEST(SurfacePoints, TheSameBitsForAnyNumberOfWorkers) {
    const auto run = [](int workers) {
        World world{WorldDef{.workers = workers}};
        const Body cloth = world.add(Model::cloth(level_cloth(65, 0.01)));
        Collider box = world.add(table());
        int contacts = 0;
        for (int frame = 1; frame <= 30; ++frame) {
            EXPECT_EQ(box.move_to({0.002 * frame, -0.2, 0.0}), TWANG_OK);
            EXPECT_EQ(world.step(), TWANG_OK);
            contacts += cloth.report().contacts;
        }
        EXPECT_GT(contacts, 500);
        return cloth.measure().state_hash;
    };
    const auto alone = run(1);
    for (const int workers : {2, 3, 8}) EXPECT_EQ(run(workers), alone) << workers;
}

// Among others of its kind, which fall beside the box, a body has the bits it has alone.
TEST(SurfacePoints, TheSameBitsInACrowd) {
    const auto run = [](int others) {
        World world{WorldDef{.workers = 2}};
        const Model model = Model::cloth(level_cloth(side, 0.01));
        const Body cloth = world.add(model);
        std::vector<Body> crowd;
        for (int k = 0; k < others; ++k) {
            crowd.push_back(world.add(model));
            EXPECT_EQ(crowd.back().teleport({0.0, 0.0, 0.0, 1.0}, {}, {3.0 * (k + 1), 0.0, 0.0}),
                      TWANG_OK);
        }
        EXPECT_TRUE(world.add(table()));
        for (int frame = 0; frame < 40; ++frame) EXPECT_EQ(world.step(), TWANG_OK);
        EXPECT_GT(cloth.report().contacts, 10);
        return cloth.measure().state_hash;
    };
    EXPECT_EQ(run(11), run(0));
}

std::vector<std::byte> save(const World& world) {
    std::vector<std::byte> bytes(world.snapshot_size());
    EXPECT_EQ(world.save(bytes), TWANG_OK);
    return bytes;
}

TEST(SurfacePoints, AreInSnapshots) {
    OverAnEdge scene = over_box(world_with(5)), other = over_box(world_with(5));
    const auto go_on = [](OverAnEdge& from) {
        std::vector<std::uint64_t> hashes;
        for (int frame = 0; frame < 20; ++frame) {
            EXPECT_EQ(from.world.step(), TWANG_OK);
            hashes.push_back(from.cloth.measure().state_hash);
        }
        return hashes;
    };
    for (int frame = 0; frame < 60; ++frame) ASSERT_EQ(scene.world.step(), TWANG_OK);
    const std::vector<std::byte> saved = save(scene.world);
    const auto expected = go_on(scene);
    ASSERT_EQ(scene.world.restore(saved), TWANG_OK);
    EXPECT_EQ(save(scene.world), saved);
    EXPECT_EQ(go_on(scene), expected);
    ASSERT_EQ(other.world.restore(saved), TWANG_OK); // a world of its own
    EXPECT_EQ(go_on(other), expected);
    OverAnEdge without = over_box(world_with(5), 0);
    EXPECT_EQ(without.world.restore(saved), TWANG_MESH_MISMATCH);
    EXPECT_EQ(save(without.world).size() < saved.size(), true);
}

// The last contact of the only body lies in front of the only collider, at the end.
TEST(SurfacePoints, BadOnesInSnapshotsAreRefused) {
    constexpr std::size_t checksum_at = 32, collider_bytes = 8 + 3 * 80, point_bytes = 48;
    OverAnEdge scene = over_box(world_with(5));
    for (int frame = 0; frame < 60; ++frame) ASSERT_EQ(scene.world.step(), TWANG_OK);
    const std::vector<std::byte> saved = save(scene.world);
    const auto sealed = [&](auto&& spoil) {
        std::vector<std::byte> bytes = saved;
        spoil(bytes.data() + bytes.size() - collider_bytes - point_bytes);
        std::uint64_t hash = bytes.size(), word = 0;
        std::memcpy(bytes.data() + checksum_at, &word, 8);
        for (std::size_t at = 0; at < bytes.size(); at += 8) {
            std::memcpy(&word, bytes.data() + at, 8);
            hash = core::hash_mix(hash, word);
        }
        std::memcpy(bytes.data() + checksum_at, &hash, 8);
        return bytes;
    };
    const auto set = [](std::byte* at, auto value) { std::memcpy(at, &value, sizeof value); };
    EXPECT_EQ(scene.world.restore(sealed([](std::byte*) {})), TWANG_OK);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const std::size_t at : {8, 16, 24, 32, 40}) // normal, share, against
        EXPECT_EQ(scene.world.restore(sealed([&](std::byte* point) { set(point + at, nan); })),
                  TWANG_BAD_SNAPSHOT)
            << at;
    for (const double negative : {-1.0, 0.0})
        EXPECT_EQ(scene.world.restore(sealed([&](std::byte* point) { set(point + 8, negative); })),
                  TWANG_BAD_SNAPSHOT);
    for (const std::uint32_t element : {0u, 100000u}) // out of order, and of range
        EXPECT_EQ(scene.world.restore(sealed([&](std::byte* point) { set(point, element); })),
                  TWANG_BAD_SNAPSHOT);
    EXPECT_EQ(save(scene.world), saved);
}

} // namespace
} // namespace twang::test
