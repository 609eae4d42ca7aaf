// Colliders that turn: distances against shapes that were turned by sines and cosines, turntables,
// a capsule that sweeps cloth aside, slow and fast, capsules moved by their ends; snapshots in the
// middle of a turn, and the same bits for any number of workers.
#include <limits>
#include <numbers>

#include "api/handles.hpp"
#include "contact_scenes.hpp"

namespace twang::test {
namespace {

constexpr double pi = std::numbers::pi;
constexpr Vec3 up{0.0, 1.0, 0.0};

// ---- Distances -------------------------------------------------------------------------------

// Distances from `def` in a turned pose are those from `reference`, which was turned beforehand.
void compare(const core::Obstacle& obstacle, const core::Obstacle& reference, Vec3 centre) {
    Random random(9);
    for (int i = 0; i < 500; ++i) {
        const Vec3 p = centre + random.vector(1.0);
        const core::Distance found = core::distance_to(obstacle, p);
        const core::Distance expected = core::distance_to(reference, p);
        ASSERT_NEAR(found.distance, expected.distance, 1e-12) << obstacle.def.shape;
        const bool tie =
            obstacle.def.shape == TWANG_SHAPE_BOX && found.distance < 0.0; // of its sides
        if (std::abs(found.distance) > 1e-6 && !tie) {
            ASSERT_LT(length(found.normal - expected.normal), 1e-9) << obstacle.def.shape;
        }
    }
}

TEST(Turning, DistancesAreThoseOfShapesTurnedBeforehand) {
    Random random(1);
    for (int i = 0; i < 10; ++i) {
        const Vec3 axis = random.direction(), centre = random.vector(1.0), half{0.5, 0.2, 0.3};
        const double angle = random.uniform(-4.0, 4.0);
        const Quaternion q = rotation_about(axis, angle);
        for (const bool by_definition : {false, true}) {
            const auto pose = [&](ColliderDef def) {
                def.centre = by_definition ? centre : Vec3{};
                def.end = def.end + def.centre;
                if (by_definition) def.rotation = q;
                return by_definition ? resting(def) : moving(def, centre, q);
            };
            const Vec3 arm = random.vector(0.7);
            compare(pose({.shape = TWANG_SHAPE_CAPSULE, .end = arm, .radius = 0.2}),
                    resting({.shape = TWANG_SHAPE_CAPSULE,
                             .centre = centre,
                             .end = centre + turned(arm, axis, angle),
                             .radius = 0.2}),
                    centre);
            const Vec3 normal = random.direction();
            compare(pose({.shape = TWANG_SHAPE_PLANE, .normal = normal}),
                    resting({.shape = TWANG_SHAPE_PLANE,
                             .centre = centre,
                             .normal = turned(normal, axis, angle)}),
                    centre);
            Mesh mesh = box_mesh(half), reference_mesh = box_mesh(half);
            for (Vec3& p : reference_mesh.positions) p = turned(p, axis, angle);
            core::Obstacle reference = resting({.shape = TWANG_SHAPE_MESH, .centre = centre});
            reference.surface = reference_mesh.surface();
            compare(pose({.shape = TWANG_SHAPE_BOX, .half_extents = half}), reference, centre);
            core::Obstacle turned_mesh = pose({.shape = TWANG_SHAPE_MESH});
            turned_mesh.surface = mesh.surface();
            compare(turned_mesh, reference, centre);
        }
    }
}

// ---- Friction --------------------------------------------------------------------------------

// A level cloth on something that turns about y with 1 rad/s^2. The angles that its vertices went
// by: their mean, and the farthest from it.
struct Carried {
    double mean = 0.0, spread = 0.0, table = 0.0;
};
Carried carry(ColliderDef def, double friction, int substeps, twang_solver solver) {
    World world{WorldDef{.workers = 1, .solver = default_solver(solver), .substeps = substeps}};
    const Body cloth = world.add(Model::cloth(level_cloth(16, 0.005)));
    def.friction = friction;
    Collider table = world.add(def);
    EXPECT_TRUE(table);
    const std::vector<Vec3> start = positions_of(cloth);
    Carried result;
    for (int frame = 1; frame <= 90; ++frame) {
        result.table = 0.5 * std::pow(frame / 60.0, 2);
        EXPECT_EQ(table.move(def.centre, rotation_about(up, result.table)), TWANG_OK);
        EXPECT_EQ(world.step(), TWANG_OK);
    }
    std::vector<double> angles;
    const std::vector<Vec3> x = positions_of(cloth);
    for (std::size_t i = 0; i < x.size(); ++i)
        angles.push_back(std::atan2(start[i].z * x[i].x - start[i].x * x[i].z,
                                    start[i].x * x[i].x + start[i].z * x[i].z));
    for (const double a : angles) result.mean += a / static_cast<double>(angles.size());
    for (const double a : angles)
        result.spread = std::max(result.spread, std::abs(a - result.mean));
    return result;
}

TEST(Turning, ATurntableTakesAlongWhatLiesOnIt) {
    const Mesh slab = box_mesh({0.8, 0.1, 0.8});
    ColliderDef mesh = slab.def();
    mesh.centre = {0.0, -0.1, 0.0};
    const ColliderDef plane{.shape = TWANG_SHAPE_PLANE};
    const ColliderDef box{
        .shape = TWANG_SHAPE_BOX, .centre = {0.0, -0.1, 0.0}, .half_extents = {0.8, 0.1, 0.8}};
    for (const ColliderDef& def : {plane, box, mesh}) {
        for (const int substeps : {1, 3}) {
            const Carried rough = carry(def, 1.0, substeps, TWANG_SOLVER_LOCAL_GLOBAL);
            EXPECT_NEAR(rough.mean, rough.table, 0.01 * rough.table) << def.shape;
            EXPECT_LT(rough.spread, 0.01 * rough.table) << def.shape;
        }
        const Carried smooth = carry(def, 0.0, 1, TWANG_SOLVER_LOCAL_GLOBAL);
        EXPECT_LT(std::abs(smooth.mean), 1e-6) << def.shape;
        EXPECT_LT(smooth.spread, 1e-6) << def.shape;
    }
    for (const twang_solver solver :
         {TWANG_SOLVER_NEWTON, TWANG_SOLVER_NEWTON_CG, TWANG_SOLVER_LINEAR}) {
        const Carried rough = carry(plane, 1.0, 1, solver);
        EXPECT_NEAR(rough.mean, rough.table, 0.02 * rough.table) << solver_name(solver);
        EXPECT_LT(std::abs(carry(plane, 0.0, 1, solver).mean), 1e-6) << solver_name(solver);
    }
}

// A turning ball rubs: a cloth that hangs over it goes round with it. Of the whole cloth, for how
// it folds is another matter: without friction nothing can turn its mean.
TEST(Turning, ABallTurnsTheClothThatLiesOverIt) {
    const auto angle = [](double friction, double turn, int frames) {
        World world{WorldDef{.workers = 1, .damping = 1.0}};
        const Body cloth = world.add(Model::cloth(level_cloth(17, 0.01)));
        Collider ball =
            world.add({.centre = {0.0, -0.4, 0.0}, .radius = 0.4, .friction = friction});
        double turned = 0.0;
        std::vector<Vec3> before = positions_of(cloth);
        for (int frame = 1; frame <= frames; ++frame) {
            const double t = std::max(0, frame - 120) / 120.0; // first it comes to rest
            EXPECT_EQ(ball.move({0.0, -0.4, 0.0}, rotation_about(up, turn * t * t)), TWANG_OK);
            EXPECT_EQ(world.step(), TWANG_OK);
            EXPECT_LE(cloth.report().max_penetration, 0.004);
            const std::vector<Vec3> now = positions_of(cloth);
            double swept = 0.0, squares = 0.0;
            for (std::size_t i = 0; i < now.size(); ++i) {
                swept += before[i].z * now[i].x - before[i].x * now[i].z;
                squares += before[i].x * before[i].x + before[i].z * before[i].z;
            }
            turned += swept / squares;
            before = now;
        }
        return turned;
    };
    EXPECT_NEAR(angle(1.0, 1.0, 240) - angle(1.0, 0.0, 240), 1.0,
                0.05); // rad; what hangs down lags behind
    EXPECT_NEAR(angle(0.0, 1.0, 150), angle(0.0, 0.0, 150), 1e-6);
}

// What rides on a slope is at rest there, whatever becomes of the step, the damping or the place:
// it takes static friction to bear it, and kinetic friction would not stop it again.
TEST(Turning, WhatRidesIsHeldThroughChanges) {
    constexpr double angle = 20.0 / 180.0 * pi, height = 0.005;
    const Vec3 normal{-std::sin(angle), std::cos(angle), 0.0};
    ClothDef def;
    def.columns = def.rows = 8;
    def.spacing = 0.03;
    def.origin = height * normal;
    def.across = {std::cos(angle), std::sin(angle), 0.0};
    def.down = {0.0, 0.0, 1.0};
    enum class Event { none, time_step, damping, teleport };
    for (const Event event : {Event::none, Event::time_step, Event::damping, Event::teleport}) {
        World world{WorldDef{.workers = 1, .refactor_delay = 0}};
        Body cloth = world.add(Model::cloth(def));
        Collider slope = world.add({.shape = TWANG_SHAPE_PLANE,
                                    .normal = normal,
                                    .friction = 0.8,
                                    .kinetic_friction = 0.1});
        Vec3 at{};
        double speed = 0.0;
        const auto ride = [&](int steps) {
            for (int step = 0; step < steps; ++step) {
                speed = std::min(1.0, speed + 0.5 * world.time_step());
                at.z += world.time_step() * speed;
                EXPECT_EQ(slope.move_to(at), TWANG_OK);
                EXPECT_EQ(world.step(), TWANG_OK);
            }
        };
        for (int step = 0; step < 30; ++step) EXPECT_EQ(world.step(), TWANG_OK);
        ride(150);
        if (event == Event::time_step) {
            EXPECT_EQ(world.set_time_step(1.0 / 61.0), TWANG_OK);
        }
        if (event == Event::damping) {
            EXPECT_EQ(world.set_damping(1.0), TWANG_OK);
        }
        if (event == Event::teleport) {
            at.x = 10.0;
            EXPECT_EQ(cloth.teleport({0.0, 0.0, 0.0, 1.0}, {}, {10.0, 0.0, 0.0}), TWANG_OK);
            EXPECT_EQ(slope.teleport(at, {0.0, 0.0, 0.0, 1.0}), TWANG_OK);
        }
        const Vec3 before = positions_of(cloth)[0] - at;
        ride(60);
        EXPECT_LT(length(positions_of(cloth)[0] - at - before), 1e-4) << static_cast<int>(event);
    }
}

// A capsule may grow out of a point; its end carries what lies on it from the first step on.
TEST(Turning, ACapsuleGrowsUnderACloth) {
    for (const double length_before : {0.0, 1e-3}) {
        World world{WorldDef{.gravity = {}, .workers = 1}};
        const Body cloth = world.add(Model::cloth(level_cloth(9, 0.0)));
        Collider capsule = world.add({.shape = TWANG_SHAPE_CAPSULE,
                                      .centre = {0.0, -0.3 - length_before, 0.0},
                                      .end = {0.0, -0.3, 0.0},
                                      .radius = 0.3});
        ASSERT_EQ(world.step(), TWANG_OK);
        ASSERT_EQ(capsule.move_ends({0.0, -0.3 - length_before, 0.0}, {0.0, -0.2, 0.0}), TWANG_OK);
        ASSERT_EQ(world.step(), TWANG_OK);
        std::vector<double> v(3 * cloth.vertex_count());
        ASSERT_EQ(cloth.copy_velocities(v), TWANG_OK);
        // m/s, of the one in the middle. Half the thickness of 5 mm is slack.
        EXPECT_NEAR(v[3 * 40 + 1], 6.0, 0.0025 * 60.0) << length_before;
    }
}

// ---- Sweeping --------------------------------------------------------------------------------

// An arm of 1 m that turns about its end at the origin through a cloth in the plane x = 0 that
// nothing holds: whoever is in its way stays in front of it. `speed` is that of the tip.
void sweep(double speed, int substeps, double phase, bool by_ends) {
    constexpr double radius = 0.1, begin = -0.7;
    ClothDef def;
    def.columns = def.rows = 25;
    def.spacing = 0.025;
    def.origin = {0.0, 0.3, 0.3};
    def.across = {0.0, 0.0, 1.0};
    const std::vector<Vec3> rest = cloth_net(def).positions;
    World world{WorldDef{.gravity = {}, .workers = 1, .substeps = substeps}};
    const Body cloth = world.add(Model::cloth(def));
    // Along z it would lie in the cloth; it turns from z towards x.
    const auto direction = [](double a) { return Vec3{std::sin(a), 0.0, std::cos(a)}; };
    const double start = begin - phase * speed / 60.0;
    Collider arm =
        world.add({.shape = TWANG_SHAPE_CAPSULE, .end = direction(start), .radius = radius});
    ASSERT_TRUE(arm);
    double angle = start;
    for (int frame = 1; angle < 0.7; ++frame) {
        angle = start + speed * frame / 60.0;
        ASSERT_EQ(by_ends ? arm.move_ends({}, direction(angle))
                          : arm.move({}, rotation_about(up, angle - start)),
                  TWANG_OK);
        ASSERT_EQ(world.step(), TWANG_OK);
        ASSERT_LE(cloth.report().max_penetration, 0.01 * radius) << speed;
        const Vec3 ahead = direction(angle + pi / 2.0);
        int hit = 0;
        const std::vector<Vec3> x = positions_of(cloth);
        for (std::size_t i = 0; i < x.size(); ++i)
            if (std::abs(rest[i].y) < 0.7 * radius && rest[i].z < 0.85) {
                ASSERT_GT(dot(x[i], ahead), 0.0)
                    << speed << " m/s, frame " << frame << ", phase " << phase;
                ++hit;
            }
        ASSERT_GT(hit, 80);
    }
    EXPECT_GT(cloth.measure().momentum.x, 0.05 * 0.2 * speed); // swept aside
}

TEST(Turning, AnArmSweepsAClothAside) {
    sweep(1.0, 1, 0.0, false);
    sweep(1.0, 1, 0.0, true);
}

TEST(Turning, AFastArmDoesNotPassThrough) {
    for (const double phase : {0.0, 0.2, 0.4, 0.6, 0.8}) {
        sweep(5.0, 1, phase, false);
        sweep(15.0, 1, phase, false); // 2.5 radii a step
        sweep(15.0, 1, phase, true);
        sweep(45.0, 3, phase, false);
    }
}

// ---- Poses through the API -------------------------------------------------------------------

// The pose that a collider is about to take.
const core::Pose& next_of(const World& world) {
    return world.get()->world.obstacles.all()[0].item->next;
}

TEST(Turning, MovesSetThePose) {
    World world;
    Collider capsule = world.add({.shape = TWANG_SHAPE_CAPSULE,
                                  .centre = {1.0, 0.0, 0.0},
                                  .end = {1.0, 2.0, 0.0},
                                  .rotation = rotation_about({0.0, 0.0, 1.0}, pi / 2.0)});
    ASSERT_TRUE(capsule);
    EXPECT_LT(length(next_of(world).arm - Vec3{-2.0, 0.0, 0.0}), 1e-15);
    // In place of the definition's rotation, of any length.
    ASSERT_EQ(capsule.move({2.0, 0.0, 0.0}, {3.0, 0.0, 0.0, 3.0}), TWANG_OK);
    EXPECT_LT(length(next_of(world).arm - Vec3{0.0, 0.0, 2.0}), 1e-15);
    ASSERT_EQ(world.step(), TWANG_OK);
    ASSERT_EQ(capsule.move_to({5.0, 0.0, 0.0}), TWANG_OK); // as it is turned
    EXPECT_LT(length(next_of(world).arm - Vec3{0.0, 0.0, 2.0}), 1e-15);
    EXPECT_EQ(next_of(world).centre.x, 5.0);
    ASSERT_EQ(world.step(), TWANG_OK);
    ASSERT_EQ(capsule.move_ends({1.0, 1.0, 1.0}, {1.0, 1.0, 4.0}), TWANG_OK);
    EXPECT_EQ(length(next_of(world).arm - Vec3{0.0, 0.0, 3.0}), 0.0);
    ASSERT_EQ(world.step(), TWANG_OK);
    ASSERT_EQ(capsule.move({}, {0.0, 0.0, 0.0, -1.0}), TWANG_OK); // its own length again
    EXPECT_LT(length(next_of(world).arm - Vec3{0.0, 2.0, 0.0}), 1e-15);
}

TEST(Turning, BadPosesAreRefused) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    World world;
    Collider capsule = world.add({.shape = TWANG_SHAPE_CAPSULE}), ball = world.add_sphere({}, 1.0);
    ASSERT_EQ(capsule.move({1.0, 2.0, 3.0}, {0.0, 1.0, 0.0, 1.0}), TWANG_OK);
    const core::Pose before = next_of(world);
    EXPECT_EQ(capsule.move({}, {}), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(capsule.move({}, {0.0, nan, 0.0, 1.0}), TWANG_NOT_FINITE);
    EXPECT_EQ(capsule.move({0.0, nan, 0.0}, {0.0, 0.0, 0.0, 1.0}), TWANG_NOT_FINITE);
    EXPECT_EQ(capsule.teleport({}, {}), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(capsule.teleport({0.0, nan, 0.0}, {0.0, 0.0, 0.0, 1.0}), TWANG_NOT_FINITE);
    EXPECT_EQ(capsule.move_ends({nan, 0.0, 0.0}, up), TWANG_NOT_FINITE);
    EXPECT_EQ(capsule.move_ends({}, {0.0, 0.0, nan}), TWANG_NOT_FINITE);
    EXPECT_EQ(ball.move_ends({}, up), TWANG_UNSUPPORTED);
    EXPECT_EQ(next_of(world).centre.y, before.centre.y); // as it was
    EXPECT_EQ(next_of(world).rotation.y, before.rotation.y);
    EXPECT_EQ(world.add({.rotation = {}}).status(), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(world.add({.rotation = {0.0, 0.0, 0.0, nan}}).status(), TWANG_NOT_FINITE);
    EXPECT_EQ(capsule.move_ends(up, up), TWANG_OK); // a ball
    EXPECT_EQ(world.step(), TWANG_OK);
    EXPECT_EQ(capsule.move_ends({}, up), TWANG_OK);
    EXPECT_EQ(world.step(), TWANG_OK);
}

// A cloth lies on a box; both are elsewhere, and turned, in no time: it lies there as before. Moved
// instead, the box would drag it along at 3 km/s.
TEST(Turning, TeleportedCollidersDragNothingAlong) {
    World world{WorldDef{.workers = 1, .damping = 2.0}};
    Body cloth = world.add(Model::cloth(level_cloth(17, 0.01)));
    Collider box = world.add(
        {.shape = TWANG_SHAPE_BOX, .centre = {0.0, -0.1, 0.0}, .half_extents = {1.0, 0.1, 1.0}});
    for (int frame = 0; frame < 60; ++frame) ASSERT_EQ(world.step(), TWANG_OK);
    const Vec3 move{50.0, 3.0, -20.0};
    const Quaternion turn = rotation_about(up, 1.0);
    const Vec3 before = cloth.measure().centre;
    ASSERT_EQ(cloth.teleport(turn, {}, move), TWANG_OK);
    ASSERT_EQ(box.teleport(Vec3{0.0, -0.1, 0.0} + move, turn), TWANG_OK);
    for (int frame = 0; frame < 30; ++frame) {
        ASSERT_EQ(world.step(), TWANG_OK);
        ASSERT_LT(cloth.measure().mean_speed, 1e-3);
        ASSERT_EQ(cloth.report().max_penetration, 0.0);
    }
    EXPECT_LT(length(cloth.measure().centre - turned(before, up, 1.0) - move), 1e-4);
    EXPECT_GT(cloth.report().contacts, 100);
}

// ---- Bits ------------------------------------------------------------------------------------

// A cloth on a turntable that it is held to by static friction above all, a box that tumbles, and a
// bone.
struct Busy {
    World world;
    Body cloth;
    Collider table, box, bone;
    int frame = 0;
    int contacts = 0; // the most of a frame: how many push comes and goes

    explicit Busy(int workers, int substeps = 1)
        : world(WorldDef{.workers = workers, .substeps = substeps}),
          cloth(world.add(Model::cloth(level_cloth(33, 0.005)))),
          table(world.add({.shape = TWANG_SHAPE_PLANE, .friction = 0.8, .kinetic_friction = 0.1})),
          box(world.add({.shape = TWANG_SHAPE_BOX,
                         .centre = {0.3, -0.1, 0.3},
                         .half_extents = {0.1, 0.05, 0.08}})),
          bone(world.add({.shape = TWANG_SHAPE_CAPSULE,
                          .centre = {-0.4, -0.1, 0.0},
                          .end = {-0.4, -0.1, 0.4},
                          .radius = 0.08})) {}
    void step(int frames) {
        for (int i = 0; i < frames; ++i) {
            const double a = 0.05 * ++frame;
            EXPECT_EQ(table.move({}, rotation_about(up, 0.2 * a * a)), TWANG_OK);
            EXPECT_EQ(box.move({0.3, -0.1, 0.3}, rotation_about({1.0, 0.0, 1.0}, 2.0 * a)),
                      TWANG_OK);
            EXPECT_EQ(bone.move_ends({-0.4, -0.1, 0.0},
                                     {-0.4 + 0.5 * std::sin(a), 0.1 * a - 0.1, 0.4 * std::cos(a)}),
                      TWANG_OK);
            EXPECT_EQ(world.step(), TWANG_OK);
            contacts = std::max(contacts, cloth.report().contacts);
        }
    }
};

TEST(Turning, TheSameBitsForAnyNumberOfWorkers) {
    const auto run = [](int workers) {
        Busy busy(workers);
        busy.step(30);
        EXPECT_GT(busy.contacts, 100);
        return busy.cloth.measure().state_hash;
    };
    const std::uint64_t alone = run(1);
    for (const int workers : {2, 3, 8}) EXPECT_EQ(run(workers), alone) << workers;
}

TEST(Turning, SnapshotsInTheMiddleOfATurn) {
    for (const auto& [begun, substeps] : {std::pair{3, 1}, {15, 1}, {15, 2}}) {
        Busy busy(1, substeps), other(2, substeps);
        busy.step(begun);
        // On the way: the next step has not been taken.
        EXPECT_EQ(busy.box.move({0.3, -0.1, 0.4}, rotation_about(up, 1.6)), TWANG_OK);
        std::size_t bytes = 0;
        ASSERT_EQ(twang_world_snapshot_size(busy.world.get(), &bytes), TWANG_OK);
        std::vector<std::byte> saved(bytes);
        ASSERT_EQ(twang_world_save(busy.world.get(), saved.data(), bytes), TWANG_OK);
        const auto go_on = [&, first = begun](Busy& b) {
            b.frame = first;
            EXPECT_EQ(b.world.step(), TWANG_OK);
            b.step(15);
            return b.cloth.measure().state_hash;
        };
        const std::uint64_t once = go_on(busy);
        for (Busy* b : {&busy, &other}) {
            ASSERT_EQ(twang_world_restore(b->world.get(), saved.data(), bytes), TWANG_OK);
            EXPECT_EQ(go_on(*b), once) << begun << ", " << substeps;
        }
    }
}

} // namespace
} // namespace twang::test
