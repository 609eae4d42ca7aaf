// Bodies that touch bodies: cloth on cloth at all offsets, small bodies thrown at a cloth, what
// slides on a floor, and what lies on sleepers.
#include "parting.hpp"

#include "contact_scenes.hpp"
#include "scenes.hpp"

namespace twang::test {
namespace {

constexpr double edge = 0.03;

ClothDef level(std::uint32_t side, Vec3 origin) {
    ClothDef def;
    def.columns = def.rows = side;
    def.spacing = edge;
    def.mass = 0.2 * (side - 1) * (side - 1) * edge * edge + 1e-4;
    def.origin = origin;
    def.down = {0.0, 0.0, 1.0};
    return def;
}

// A cloth of side x side that is held at its rim.
Body add_held(World& world, std::uint32_t side, double radius) {
    std::vector<std::uint32_t> rim;
    for (std::uint32_t i = 0; i < side * side; ++i)
        if (i % side == 0 || i % side == side - 1 || i / side == 0 || i / side == side - 1)
            rim.push_back(i);
    BodyDef held;
    held.pins = rim.data();
    held.pin_count = static_cast<std::uint32_t>(rim.size());
    held.particle_radius = radius;
    return world.add(Model::cloth(level(side, {})), held);
}

double lowest_of(const Body& body) {
    double low = std::numeric_limits<double>::infinity();
    for (const Vec3& x : positions_of(body)) low = std::min(low, x.y);
    return low;
}

// Balls of half an edge leave no more room than they need: a cloth whose vertices lie over the
// middles of cells must not find its way between them.
TEST(Parting, AClothStaysOnACloth) {
    for (const double radius : {0.5 * edge, 0.8 * edge})
        for (const double offset : {0.0, 0.25 * edge, 0.5 * edge}) {
            World world{WorldDef{.workers = 1}};
            const Body net = add_held(world, 20, radius);
            const Vec3 at{4 * edge + offset, 2.0 * radius + 0.02, 4 * edge + offset};
            const Body patch = world.add(Model::cloth(level(12, at)), {.particle_radius = radius});
            for (int frame = 0; frame < 180; ++frame) ASSERT_EQ(world.step(), TWANG_OK);
            EXPECT_GT(lowest_of(patch), -0.05) << radius << ' ' << offset;
            EXPECT_LT(patch.measure().mean_speed, 0.02) << radius << ' ' << offset;
            EXPECT_LT(patch.measure().max_stretch, 0.05);
            EXPECT_LT(net.measure().max_stretch, 0.1);
            EXPECT_GT(patch.report().contacts, 50);
            EXPECT_GT(patch.report().ms.collide, 0.0);
        }
}

TEST(Parting, ASmallBodyDoesNotPassThroughACloth) {
    for (const double mass : {0.0005, 0.002})
        for (const double speed : {0.5, 2.0}) {
            World world{WorldDef{.workers = 1}};
            const double radius = 0.5 * edge;
            add_held(world, 16, radius);
            ClothDef def = level(1, {7.5 * edge, 2.5 * radius, 7.5 * edge});
            def.mass = mass;
            Body ball = world.add(Model::cloth(def), {.particle_radius = radius});
            const double velocity[3] = {0.0, -speed, 0.0};
            ASSERT_EQ(ball.set_velocities(velocity), TWANG_OK);
            for (int frame = 0; frame < 60; ++frame) ASSERT_EQ(world.step(), TWANG_OK);
            EXPECT_GT(lowest_of(ball), -0.1) << mass << " kg, " << speed << " m/s";
        }
}

// What lies on a floor cannot be pushed into it, but along it.
TEST(Parting, BodiesOnAFloorPushEachOther) {
    World world{WorldDef{.workers = 1}};
    ASSERT_TRUE(world.add({.shape = TWANG_PLANE, .friction = 0.0}));
    const double radius = 0.45 * edge;
    Body a = world.add(Model::cloth(level(8, {0.0, 0.005, 0.0})),
                       {.particle_radius = radius, .particle_friction = 0.0});
    const Body b = world.add(Model::cloth(level(8, {0.25, 0.005, 0.0})),
                             {.particle_radius = radius, .particle_friction = 0.0});
    std::vector<double> velocities(3 * 64, 0.0);
    for (std::size_t i = 0; i < velocities.size(); i += 3) velocities[i] = 1.0;
    ASSERT_EQ(a.set_velocities(velocities), TWANG_OK);
    for (int frame = 0; frame < 40; ++frame) {
        ASSERT_EQ(world.step(), TWANG_OK);
        ASSERT_LT(a.measure().centre.x + 0.2, b.measure().centre.x) << frame;
    }
    const double both = a.measure().momentum.x + b.measure().momentum.x;
    EXPECT_GT(b.measure().momentum.x, 0.4 * both); // at least half of it went over
}

// The same with substeps and with damping: neither may keep what lies still in motion.
TEST(Parting, SubstepsAndDampingStirNothing) {
    for (const auto& [substeps, damping] : {std::pair{1, 0.0}, {4, 0.0}, {1, 1.0}}) {
        World world{WorldDef{.workers = 1, .damping = damping, .substeps = substeps}};
        add_held(world, 16, 0.6 * edge);
        const Body patch = world.add(Model::cloth(level(8, {4 * edge, 0.05, 4 * edge})),
                                     {.particle_radius = 0.6 * edge});
        for (int frame = 0; frame < 300; ++frame) ASSERT_EQ(world.step(), TWANG_OK);
        EXPECT_LT(patch.measure().mean_speed, 0.03) << substeps << ' ' << damping;
    }
}

struct Sleepers {
    World world{WorldDef{.workers = 1, .damping = 2.0, .sleep_speed = 0.01, .sleep_steps = 20}};
    Body lower, upper;

    Sleepers() {
        EXPECT_TRUE(world.add({.shape = TWANG_PLANE, .centre = {0.0, -0.005, 0.0}}));
        lower = world.add(Model::cloth(level(9, {})), {.particle_radius = 0.02});
        upper = world.add(Model::cloth(level(9, {0.0, 0.045, 0.0})), {.particle_radius = 0.02});
        for (int frame = 0; frame < 600 && !upper.report().asleep; ++frame)
            EXPECT_EQ(world.step(), TWANG_OK);
        EXPECT_TRUE(upper.report().asleep);
    }
    // What a second later is left of the height of the upper one.
    double height_then() {
        for (int frame = 0; frame < 60; ++frame) EXPECT_EQ(world.step(), TWANG_OK);
        return upper.measure().centre.y;
    }
};

TEST(Parting, WhatLiesOnASleeperStaysAndFallsWhenThatIsGone) {
    EXPECT_GT(Sleepers().height_then(), 0.03);
    Sleepers gone;
    ASSERT_EQ(gone.lower.destroy(), TWANG_OK);
    EXPECT_LT(gone.height_then(), 0.01);
    Sleepers moved;
    ASSERT_EQ(moved.lower.teleport({0.0, 0.0, 0.0, 1.0}, {}, {5.0, 0.0, 0.0}), TWANG_OK);
    EXPECT_LT(moved.height_then(), 0.01);
    Sleepers through;
    ASSERT_EQ(through.lower.set_particles(0.0), TWANG_OK);
    EXPECT_LT(through.height_then(), 0.01);
}

} // namespace
} // namespace twang::test
