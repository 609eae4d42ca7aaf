// Bodies that touch bodies: cloth on cloth at all offsets, small bodies thrown at a cloth, what
// slides on a floor, and what lies on sleepers.

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

// A heavy one opens the meshes of a net whose balls leave no more room than they need: from 2 m/s
// on it is a matter of luck in steps of 1/60 s, and held up to 4 m/s in half steps.
TEST(Parting, ASmallBodyDoesNotPassThroughACloth) {
    for (const auto& [radius, mass, speed, substeps] : {std::tuple{0.5 * edge, 0.0005, 0.5, 1},
                                                        {0.5 * edge, 0.0005, 2.0, 1},
                                                        {0.5 * edge, 0.004, 0.5, 1},
                                                        {0.5 * edge, 0.004, 1.9, 1},
                                                        {0.5 * edge, 0.004, 4.0, 2},
                                                        {0.8 * edge, 0.004, 0.5, 1},
                                                        {0.8 * edge, 0.004, 2.0, 1}}) {
        World world{WorldDef{.workers = 1, .substeps = substeps}};
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

// Level cloths one above the other, half an edge aside.
struct Stack {
    World world;
    Body lower, upper;

    Stack(std::uint32_t side, double radius, const ColliderDef& below, const WorldDef& def)
        : world{def} {
        const double from = -0.5 * (side - 1) * edge, aside = from + 0.5 * edge;
        EXPECT_TRUE(world.add(below));
        lower =
            world.add(Model::cloth(level(side, {from, 0.01, from})), {.particle_radius = radius});
        upper =
            world.add(Model::cloth(level(side, {aside, 0.06, aside})), {.particle_radius = radius});
    }
    // m/s, over the last of so many seconds.
    double speed_after(int seconds) {
        double sum = 0.0;
        for (int frame = 0; frame < 60 * seconds; ++frame) {
            EXPECT_EQ(world.step(), TWANG_OK);
            if (frame >= 60 * (seconds - 1))
                sum += (lower.measure().mean_speed + upper.measure().mean_speed) / 120.0;
        }
        return sum;
    }
};

// Where both hang over, only their springs bear them there.
TEST(Parting, ClothsOnABoxComeToRest) {
    for (const double damping : {0.5, 1.0}) {
        Stack s(20, 0.5 * edge,
                {.shape = TWANG_BOX, .centre = {0.0, -0.25, 0.0}, .half_extents = {0.2, 0.25, 0.2}},
                {.workers = 1, .damping = damping});
        EXPECT_LT(s.speed_after(10), 0.015);
        EXPECT_LT(s.lower.measure().max_stretch, 0.1);
        EXPECT_LT(s.upper.measure().max_stretch, 0.1);
        EXPECT_GT(lowest_of(s.upper), -0.3);
    }
}

TEST(Parting, ClothsOnAFloorLieStillWithSubsteps) {
    for (const int substeps : {1, 4})
        for (const double radius : {0.5 * edge, 0.7 * edge}) {
            Stack s(9, radius, {.shape = TWANG_PLANE},
                    {.workers = 1, .damping = 1.0, .substeps = substeps});
            EXPECT_LT(s.speed_after(6), 0.015) << substeps << ' ' << radius;
            EXPECT_GT(lowest_of(s.upper), 0.005 + 0.5 * radius);
        }
}

// A cloth is no plate because it lies on another.
TEST(Parting, AClothDrapesOverACloth) {
    Stack s(20, 0.5 * edge,
            {.shape = TWANG_SPHERE, .centre = {0.0, -0.2, 0.0}, .radius = 0.2, .friction = 0.5},
            {.workers = 1, .damping = 1.0});
    s.speed_after(3);
    EXPECT_LT(s.lower.measure().centre.y, -0.05);
    EXPECT_LT(s.upper.measure().centre.y, -0.02);
    EXPECT_GT(lowest_of(s.upper), -0.5); // and stays there
}

TEST(Parting, OverlapsEndWithoutSpeed) {
    for (const double aside : {0.0, 0.3 * edge}) { // at the very same place, and nearly
        World world{WorldDef{.gravity = {}, .workers = 1}};
        const double radius = 0.5 * edge;
        const Body a = world.add(Model::cloth(level(9, {})), {.particle_radius = radius});
        const Body b = world.add(Model::cloth(level(9, {aside, 0.1 * aside, 0.0})),
                                 {.particle_radius = radius});
        double fastest = 0.0;
        for (int frame = 0; frame < 60; ++frame) {
            ASSERT_EQ(world.step(), TWANG_OK);
            fastest = std::max(fastest, a.measure().mean_speed);
        }
        EXPECT_LT(fastest, 0.2); // 1.8 m/s would be half a ball in a step
        EXPECT_GT(length(a.measure().centre - b.measure().centre), 0.3 * edge) << aside;
    }
}

// Two vertices and a spring between them, shorter than their balls are wide.
TEST(Parting, BallsPartWhenTheirSpringBreaks) {
    World world{WorldDef{.gravity = {}, .workers = 1}};
    ClothDef def = level(1, {});
    def.columns = 2;
    Body pair = world.add(Model::cloth(def), {.particle_radius = 0.7 * edge});
    const auto apart = [&] {
        for (int frame = 0; frame < 60; ++frame) EXPECT_EQ(world.step(), TWANG_OK);
        const std::vector<Vec3> x = positions_of(pair);
        return length(x[1] - x[0]);
    };
    EXPECT_NEAR(apart(), edge, 1e-6);
    std::uint32_t broken = 0;
    ASSERT_EQ(twang_body_set_tear_strain(world.get(), pair.id(), 10.0), TWANG_OK);
    const twang_blade_def blade{{0.5 * edge, -1.0, -1.0}, {0.5 * edge, 1.0, -1.0}, {0.0, 0.0, 2.0}};
    ASSERT_EQ(twang_body_cut(world.get(), pair.id(), &blade, &broken), TWANG_OK);
    ASSERT_EQ(broken, 1u);
    EXPECT_GT(apart(), 1.35 * edge);
}

TEST(Parting, MomentumIsKept) {
    World world{WorldDef{.gravity = {}, .workers = 1}};
    const Body a = world.add(Model::cloth(level(6, {})), {.particle_radius = 0.5 * edge});
    Body b = world.add(Model::cloth(level(4, {0.02, 0.05, 0.02})), {.particle_radius = 0.5 * edge});
    std::vector<double> velocities(3 * 16, 0.0);
    for (std::size_t i = 1; i < velocities.size(); i += 3) velocities[i] = -1.0;
    ASSERT_EQ(b.set_velocities(velocities), TWANG_OK);
    const double before = b.measure().momentum.y;
    for (int frame = 0; frame < 30; ++frame) ASSERT_EQ(world.step(), TWANG_OK);
    EXPECT_NEAR(a.measure().momentum.y + b.measure().momentum.y, before, 0.01 * std::abs(before));
    EXPECT_LT(a.measure().momentum.y, 0.2 * before); // it went over
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
