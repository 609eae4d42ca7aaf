// Triangle meshes as obstacles: distances against a box and a brute-force search, inside and
// outside, what is refused, and cloth that lies on them. And the classic penalty, beside contact.
#include "contact/mesh_collider.hpp"

#include <limits>
#include <numbers>

#include "contact_scenes.hpp"

namespace twang::test {
namespace {

// Of rings x 2 rings quads between the poles.
Mesh ball_mesh(double radius, std::uint32_t rings) {
    Mesh mesh;
    const std::uint32_t around = 2 * rings;
    mesh.positions.push_back({0.0, radius, 0.0});
    for (std::uint32_t r = 1; r < rings; ++r)
        for (std::uint32_t a = 0; a < around; ++a) {
            const double theta = std::numbers::pi * r / rings, phi = std::numbers::pi * a / rings;
            mesh.positions.push_back(radius * Vec3{std::sin(theta) * std::cos(phi), std::cos(theta),
                                                   std::sin(theta) * std::sin(phi)});
        }
    const auto last = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.positions.push_back({0.0, -radius, 0.0});
    const auto at = [&](std::uint32_t r, std::uint32_t a) {
        return r == 0 ? 0 : r == rings ? last : 1 + (r - 1) * around + a % around;
    };
    for (std::uint32_t r = 0; r < rings; ++r)
        for (std::uint32_t a = 0; a < around; ++a) {
            const std::uint32_t quad[] = {at(r, a), at(r, a + 1), at(r + 1, a + 1), at(r + 1, a)};
            if (r > 0) mesh.triangles.insert(mesh.triangles.end(), {quad[0], quad[1], quad[2]});
            if (r + 1 < rings)
                mesh.triangles.insert(mesh.triangles.end(), {quad[0], quad[2], quad[3]});
        }
    return mesh;
}

TEST(MeshCollider, ABoxOfTrianglesIsABox) {
    const Vec3 half{0.7, 0.3, 0.5};
    Mesh mesh = box_mesh(half);
    const ColliderDef box{.shape = TWANG_SHAPE_BOX, .half_extents = half};
    for (const bool inward : {false, true}) {
        if (inward)
            for (std::size_t t = 0; t < mesh.triangles.size(); t += 3)
                std::swap(mesh.triangles[t], mesh.triangles[t + 1]);
        const auto surface = mesh.surface();
        EXPECT_TRUE(surface->closed());
        Random random(3);
        for (int i = 0; i < 2000; ++i) {
            const Vec3 p = random.vector(1.0);
            const core::Distance expected = core::distance_to(core::make_obstacle(box), p);
            const core::Distance found = surface->distance_to(p);
            ASSERT_NEAR(found.distance, expected.distance, 1e-12);
            ASSERT_NEAR(length(found.normal), 1.0, 1e-12);
            if (found.distance > 1e-6) {
                ASSERT_LT(length(found.normal - expected.normal), 1e-9);
            }
        }
    }
}

TEST(MeshCollider, ABallOfTrianglesHasAnInsideAndAnOutside) {
    const Mesh mesh = ball_mesh(0.5, 24);
    const auto surface = mesh.surface();
    EXPECT_TRUE(surface->closed());
    Random random(4);
    int inside = 0;
    for (int i = 0; i < 2000; ++i) {
        const Vec3 p = random.vector(0.8);
        const core::Distance found = surface->distance_to(p);
        ASSERT_NEAR(found.distance, length(p) - 0.5, 0.006);
        ASSERT_NEAR(surface->distance_to(p - found.distance * found.normal).distance, 0.0, 1e-12);
        inside += found.distance < 0.0;
    }
    EXPECT_GT(inside, 100);
    for (const Vec3& corner : mesh.positions) { // where normals meet
        EXPECT_LT(surface->distance_to(0.99 * corner).distance, 0.0);
        EXPECT_GT(surface->distance_to(1.01 * corner).distance, 0.0);
    }
}

Mesh sheet() {
    return {{{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}}, {0, 1, 2, 0, 2, 3, 1, 1, 2}};
}

TEST(MeshCollider, AnOpenOneHasTwoOutsides) {
    const auto surface = sheet().surface();
    EXPECT_FALSE(surface->closed());
    for (const double y : {-0.2, 0.3}) {
        const core::Distance d = surface->distance_to({0.4, y, -0.1});
        EXPECT_NEAR(d.distance, std::abs(y), 1e-15);
        EXPECT_NEAR(d.normal.y, y > 0.0 ? 1.0 : -1.0, 1e-15);
    }
}

TEST(MeshCollider, IsChecked) {
    World world{WorldDef{.workers = 1}};
    const auto answer = [&](auto&& spoil) {
        Mesh mesh = sheet();
        spoil(mesh);
        return world.add(mesh.def()).status();
    };
    EXPECT_EQ(answer([](Mesh&) {}), TWANG_OK);
    EXPECT_EQ(answer([](Mesh& m) { m.triangles[4] = 4; }), TWANG_INDEX_OUT_OF_RANGE);
    EXPECT_EQ(answer([](Mesh& m) { m.triangles = {0, 1, 1}; }), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(answer([](Mesh& m) { m.positions[2].y = std::numeric_limits<double>::quiet_NaN(); }),
              TWANG_NOT_FINITE);
    ColliderDef none = sheet().def();
    none.positions = nullptr;
    EXPECT_EQ(world.add(none).status(), TWANG_INVALID_ARGUMENT);
    none = sheet().def();
    none.triangle_count = 0;
    EXPECT_EQ(world.add(none).status(), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(world.add({.shape = TWANG_SHAPE_BOX, .penalty = 1.0}).status(), TWANG_UNSUPPORTED);
    EXPECT_EQ(world.add({.penalty = -1.0}).status(), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(world.add({.penalty = 1.0, .penalty_scale = 0.0}).status(), TWANG_OUT_OF_RANGE);
}

// A cloth of 0.6 m let go above the origin.
Body let_go(World& world) {
    ClothDef def;
    def.columns = def.rows = 21;
    def.spacing = 0.03;
    def.origin = {-0.3, 0.05, -0.3};
    def.down = {0.0, 0.0, 1.0};
    return world.add(Model::cloth(def));
}

TEST(MeshCollider, ClothLiesOnMeshes) {
    for (const Mesh& mesh : {box_mesh({0.2, 0.3, 0.2}), ball_mesh(0.3, 24), sheet()}) {
        World world{WorldDef{.workers = 1, .damping = 2.0}};
        const Body cloth = let_go(world);
        ColliderDef def = mesh.def();
        def.friction = 0.6;
        def.centre = {0.0, mesh.positions.size() == 4 ? 0.0 : -0.3, 0.0};
        Collider collider = world.add(def);
        ASSERT_TRUE(collider);
        for (int frame = 1; frame <= 150; ++frame) {
            ASSERT_EQ(world.step(), TWANG_OK);
            ASSERT_LT(cloth.report().max_penetration, 0.003);
        }
        EXPECT_LT(cloth.measure().mean_speed, 0.05);
        EXPECT_GT(cloth.measure().centre.y, -0.15);
        const double before = cloth.measure().centre.x; // and goes with them
        for (int frame = 1; frame <= 30; ++frame) {
            ASSERT_EQ(collider.move_to({0.003 * frame, def.centre.y, 0.0}), TWANG_OK);
            ASSERT_EQ(world.step(), TWANG_OK);
        }
        EXPECT_NEAR(cloth.measure().centre.x - before, 0.09, 0.03);
    }
}

// At rest the penalty bears the weight: k (s r - |x|) n summed over the vertices; contact does not
// sink in at all.
TEST(MeshCollider, ThePenaltyLetsThingsSinkIn) {
    World world{WorldDef{.gravity = {}, .workers = 1}};
    Net net{{{0.0, 0.45, 0.0}}, {2.0}, {}};
    const Body body = world.add(net.model());
    ASSERT_TRUE(world.add({.radius = 0.5, .penalty = 10.0, .penalty_scale = 1.2}));
    ASSERT_EQ(world.step(), TWANG_OK);
    // v = h k (s r - |x|) / m
    EXPECT_NEAR(body.measure().momentum.y, 10.0 * (0.6 - 0.45) / 60.0, 1e-12);
    EXPECT_EQ(body.measure().momentum.x, 0.0);
    EXPECT_EQ(body.report().contacts, 0);

    const auto depth = [](double penalty) {
        World drop{WorldDef{.workers = 1, .damping = 2.0}};
        const Body cloth = let_go(drop);
        EXPECT_TRUE(drop.add({.centre = {0.0, -0.3, 0.0}, .radius = 0.3, .penalty = penalty}));
        double deepest = 0.0;
        for (int frame = 0; frame < 120; ++frame) {
            EXPECT_EQ(drop.step(), TWANG_OK);
            deepest = std::max(deepest, cloth.report().max_penetration);
        }
        return deepest;
    };
    EXPECT_EQ(depth(0.0), 0.0);
    EXPECT_GT(depth(5.0), 0.001);
}

} // namespace
} // namespace twang::test
