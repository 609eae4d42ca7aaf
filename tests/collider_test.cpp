// Obstacles: distances against points sampled on each surface, contact and friction by hand, and a
// moving obstacle that drags along what it touches.
#include "contact/collider.hpp"

#include <limits>

#include "contact_scenes.hpp"

namespace twang::test {
namespace {

using core::Obstacle;

ColliderDef sphere() {
    return {.shape = TWANG_SHAPE_SPHERE, .centre = {0.1, 0.2, -0.1}, .radius = 0.6};
}
ColliderDef capsule() {
    return {.shape = TWANG_SHAPE_CAPSULE,
            .centre = {-0.5, 0.0, 0.2},
            .end = {0.4, 0.5, -0.3},
            .radius = 0.3};
}
ColliderDef tapered() {
    return {.shape = TWANG_SHAPE_CAPSULE,
            .centre = {-0.5, 0.0, 0.2},
            .end = {0.4, 0.5, -0.3},
            .radius = 0.4,
            .end_radius = 0.15};
}
ColliderDef plane() {
    return {.shape = TWANG_SHAPE_PLANE, .centre = {0.0, 0.1, 0.0}, .normal = {0.6, 0.0, 0.8}};
}
ColliderDef box() {
    return {.shape = TWANG_SHAPE_BOX, .centre = {0.1, 0.0, 0.0}, .half_extents = {0.7, 0.3, 0.5}};
}

// Of capsules.
double end_radius(const ColliderDef& def) {
    return def.end_radius == TWANG_SAME ? def.radius : def.end_radius;
}
double radius_at(const ColliderDef& def, double t) {
    return def.radius + t * (end_radius(def) - def.radius);
}

// A point of the surface, anywhere on it.
Vec3 on_surface(const ColliderDef& def, Random& random) {
    const Vec3 out = random.direction();
    switch (def.shape) {
    case TWANG_SHAPE_CAPSULE: {
        // The normals of the cone between the balls have this part along the axis.
        const Vec3 axis = def.end - def.centre, u = core::direction(axis);
        const double s = (def.radius - end_radius(def)) / length(axis);
        const double t = random.uniform(-0.3, 1.3);
        if (t < 0.0 || t > 1.0) { // a cap
            Vec3 side = out;
            while ((dot(side, u) - s) * (t - 0.5) < 0.0) side = random.direction();
            return t < 0.0 ? def.centre + def.radius * side : def.end + end_radius(def) * side;
        }
        const Vec3 across = core::direction(out - dot(out, u) * u);
        return def.centre + t * axis +
               radius_at(def, t) * (s * u + std::sqrt(1.0 - s * s) * across);
    }
    case TWANG_SHAPE_PLANE: {
        const Vec3 p = random.vector(3.0);
        return p - dot(p - def.centre, def.normal) * def.normal;
    }
    case TWANG_SHAPE_BOX: {
        Vec3 p = random.vector(1.0);
        (&p.x)[random.below(3)] = random.below(2) ? 1.0 : -1.0;
        const Vec3 half = def.half_extents;
        return def.centre + Vec3{p.x * half.x, p.y * half.y, p.z * half.z};
    }
    case TWANG_SHAPE_MESH:
    case TWANG_SHAPE_SPHERE: break;
    }
    return def.centre + def.radius * out;
}

bool contains(const ColliderDef& def, Vec3 p) {
    const Vec3 off = p - def.centre;
    switch (def.shape) {
    case TWANG_SHAPE_CAPSULE: {
        const Vec3 axis = def.end - def.centre;
        double nearest = std::numeric_limits<double>::infinity();
        for (int i = 0; i <= 1000; ++i) {
            const double t = i / 1000.0;
            nearest = std::min(nearest, length(off - t * axis) - radius_at(def, t));
        }
        return nearest < 0.0;
    }
    case TWANG_SHAPE_PLANE: return dot(off, def.normal) < 0.0;
    case TWANG_SHAPE_BOX:
        return std::abs(off.x) < def.half_extents.x && std::abs(off.y) < def.half_extents.y &&
               std::abs(off.z) < def.half_extents.z;
    case TWANG_SHAPE_MESH:
    case TWANG_SHAPE_SPHERE: break;
    }
    return length(off) < def.radius;
}

TEST(Colliders, DistanceIsToTheNearestPointOfTheSurface) {
    Random random(1);
    for (const ColliderDef& def : {sphere(), capsule(), plane(), box(), tapered()}) {
        std::vector<Vec3> surface;
        for (int i = 0; i < 40'000; ++i) surface.push_back(on_surface(def, random));
        int inside = 0;
        for (int i = 0; i < 400; ++i) {
            const Vec3 p = random.vector(1.0);
            const core::Distance d = core::distance_to(resting(def), p);
            double nearest = std::numeric_limits<double>::infinity();
            for (const Vec3& s : surface) nearest = std::min(nearest, length(p - s));
            EXPECT_NEAR(length(d.normal), 1.0, 1e-12);
            EXPECT_LE(std::abs(d.distance), nearest + 1e-12) << def.shape;
            EXPECT_NEAR(std::abs(d.distance), nearest, 0.03) << def.shape;
            EXPECT_TRUE(contains(def, p) == (d.distance < 0.0) || std::abs(d.distance) < 1e-3);
            // Going back along the normal leads to the surface.
            const Vec3 foot = p - d.distance * d.normal;
            EXPECT_NEAR(core::distance_to(resting(def), foot).distance, 0.0, 1e-12);
            EXPECT_NE(contains(def, foot - 1e-3 * d.normal), contains(def, foot + 1e-3 * d.normal));
            inside += d.distance < 0.0;
        }
        EXPECT_GT(inside, 10) << def.shape;
    }
}

TEST(Colliders, DistanceIsMeasuredAtTheEndOfTheStep) {
    const Vec3 shift{0.3, -0.2, 0.5};
    Random random(2);
    for (const ColliderDef& def : {sphere(), capsule(), plane(), box(), tapered()})
        for (int i = 0; i < 20; ++i) {
            const Vec3 p = random.vector(1.0);
            const core::Distance still = core::distance_to(resting(def), p);
            const core::Distance moved =
                core::distance_to(moving(def, def.centre + shift, def.rotation), p + shift);
            EXPECT_NEAR(still.distance, moved.distance, 1e-12);
            EXPECT_LT(length(still.normal - moved.normal), 1e-9);
        }
}

// What is passed over unasked is too far away for every one of the points; most of it is passed
// over.
TEST(Colliders, OnlyWhatIsTooFarAwayIsPassedOver) {
    Random random(7);
    int asked = 0, passed_over = 0;
    for (const ColliderDef& def : {sphere(), capsule(), plane(), box(), tapered()})
        for (int i = 0; i < 500; ++i) {
            const Quaternion rotation =
                core::unit({random.uniform(-1, 1), random.uniform(-1, 1), 0.5, 1.0});
            const Obstacle obstacle = moving(def, def.centre + random.vector(0.5), rotation);
            std::vector<Vec3> points;
            const Vec3 where = random.vector(4.0);
            for (int k = 0; k < 20; ++k) points.push_back(where + random.vector(0.3));
            const core::VertexGroups groups = core::make_vertex_groups(points);
            const core::BoundingSphere bounds =
                core::GroupPoints(groups[0], points.data()).bounds();
            const double reach = random.uniform(0.0, 0.2);
            double nearest = std::numeric_limits<double>::infinity();
            for (const Vec3& p : points) {
                nearest = std::min(nearest, core::distance_to(obstacle, p).distance);
                EXPECT_LE(length(p - bounds.centre), bounds.radius);
                EXPECT_LE(length(obstacle.ride(p) - obstacle.ride(bounds.centre)),
                          obstacle.ride.extra_displacement_bound(bounds.radius) + 1e-12);
            }
            const bool may = core::may_reach(bounds, obstacle, reach);
            EXPECT_TRUE(may || nearest > reach) << def.shape;
            if (nearest > reach) ++(may ? asked : passed_over);
        }
    EXPECT_GT(passed_over, 3 * asked);
}

TEST(Colliders, CentresAreNoSingularities) {
    for (const ColliderDef& def : {sphere(), capsule(), box(), tapered()}) {
        const core::Distance d = core::distance_to(resting(def), def.centre);
        EXPECT_LT(d.distance, 0.0);
        EXPECT_NEAR(length(d.normal), 1.0, 1e-12);
    }
    ColliderDef point = capsule();
    point.end = point.centre;
    EXPECT_NEAR(core::distance_to(resting(point), point.centre + Vec3{1, 0, 0}).distance,
                1.0 - point.radius, 1e-12);
}

// From the nearest of the balls along the axis, sought by halving: min |p - c(t)| - r(t) is convex.
double from_balls(const ColliderDef& def, Vec3 end, Vec3 p) {
    const auto from_ball = [&](double t) {
        return length(p - def.centre - t * (end - def.centre)) - radius_at(def, t);
    };
    double nearest = from_ball(0.0), low = 0.0, high = 1.0;
    for (int i = 1; i <= 200; ++i) {
        const double t = i / 200.0;
        if (from_ball(t) >= nearest) continue;
        nearest = from_ball(t);
        low = t - 1.0 / 200.0;
        high = std::min(t + 1.0 / 200.0, 1.0);
    }
    for (int i = 0; i < 100; ++i) {
        const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
        (from_ball(a) < from_ball(b) ? high : low) = from_ball(a) < from_ball(b) ? b : a;
    }
    return std::min(nearest, from_ball(low));
}

// Whatever the radii: cones, a ball within the other, balls that touch from within, no length.
TEST(Colliders, ATaperedCapsuleIsTheHullOfTwoBalls) {
    Random random(11);
    for (int i = 0; i < 400; ++i) {
        ColliderDef def = tapered();
        def.radius = random.uniform(0.01, 0.5);
        def.end_radius = random.uniform(0.01, 0.5);
        const double taper = std::abs(def.radius - def.end_radius);
        const double reach = i % 4 == 0   ? random.uniform(0.0, taper)
                             : i % 4 == 1 ? taper + random.uniform(0.0, 0.01)
                                          : random.uniform(taper, 1.5);
        def.end = def.centre + (i % 16 == 0   ? 0.0
                                : i % 16 == 4 ? taper
                                              : reach) *
                                   random.direction();
        const Obstacle obstacle = resting(def);
        for (int k = 0; k < 50; ++k) {
            Vec3 p = def.centre + random.vector(1.0);
            const Vec3 on_axis = def.centre + random.uniform(-0.5, 1.5) * (def.end - def.centre);
            if (k % 5 == 0) p = on_axis;
            if (k % 5 == 1) p = on_axis + 1e-7 * random.direction();
            const core::Distance d = core::distance_to(obstacle, p);
            EXPECT_NEAR(d.distance, from_balls(def, def.end, p), 1e-12);
            EXPECT_NEAR(length(d.normal), 1.0, 1e-12);
            // The surface is where the normal says, on the axis too.
            const Vec3 foot = p - d.distance * d.normal;
            EXPECT_NEAR(from_balls(def, def.end, foot), 0.0, 1e-9);
        }
    }
}

TEST(Colliders, TheNormalOfATaperedCapsuleIsTheGradient) {
    Random random(12);
    constexpr double step = 1e-6;
    for (const double end_radius : {0.1, 0.3, 0.399, 0.401, 0.9, 1.2, 2.0}) {
        ColliderDef def = tapered();
        def.end_radius = end_radius;
        const Obstacle obstacle = moving(def, {0.1, 0.2, 0.3}, {0.3, 0.1, -0.2, 1.0});
        int sampled = 0;
        for (int i = 0; i < 300; ++i) {
            const Vec3 p = Vec3{0.3, 0.3, 0.0} + random.vector(1.5);
            Vec3 gradient{};
            for (double Vec3::*axis : {&Vec3::x, &Vec3::y, &Vec3::z}) {
                Vec3 before = p, after = p;
                before.*axis -= step;
                after.*axis += step;
                gradient.*axis = (core::distance_to(obstacle, after).distance -
                                  core::distance_to(obstacle, before).distance) /
                                 (2.0 * step);
            }
            const core::Distance d = core::distance_to(obstacle, p);
            if (d.distance < -0.7 * std::max(def.radius, def.end_radius)) continue; // kinks
            EXPECT_LT(length(gradient - d.normal), 1e-5) << i << " " << end_radius;
            ++sampled;
        }
        EXPECT_GT(sampled, 100);
    }
}

// As near as rounding allows, a tapered capsule of one radius is a capsule.
TEST(Colliders, ATaperGoesAwayEvenly) {
    Random random(13);
    ColliderDef slight = capsule();
    slight.end_radius = slight.radius + 1e-13;
    for (int i = 0; i < 100; ++i) {
        const Vec3 p = random.vector(1.5);
        const core::Distance a = core::distance_to(resting(capsule()), p),
                             b = core::distance_to(resting(slight), p);
        EXPECT_NEAR(a.distance, b.distance, 1e-12);
        EXPECT_LT(length(a.normal - b.normal), 1e-9);
    }
}

// Points that ride along keep their distance while the ends move, to second order in how far.
TEST(Colliders, ATaperedCapsuleStretches) {
    Random random(14);
    for (const double end_radius : {0.4, 0.15, 0.8, 1.2})
        for (const double far : {1e-3, 1e-4})
            for (int i = 0; i < 100; ++i) {
                ColliderDef def = tapered();
                def.end_radius = end_radius;
                Obstacle obstacle = core::make_obstacle(def);
                const Obstacle before = core::in_substep(obstacle, 0, 1);
                obstacle.next.centre += far * random.vector(1.0);
                obstacle.next.arm += far * random.vector(1.0);
                obstacle.next.rotation =
                    core::shortest_rotation(obstacle.now.arm, obstacle.next.arm);
                obstacle = core::in_substep(obstacle, 0, 1);
                Vec3 p = random.vector(1.5);
                const core::Distance d = core::distance_to(before, p);
                if (d.distance < 0.0) continue;
                p -= d.distance * d.normal;
                const Vec3 there = p + obstacle.ride(p);
                const core::Distance after = core::distance_to(obstacle, there);
                EXPECT_NEAR(after.distance, 0.0, 20.0 * far * far);
                // As far as the surface comes along its normal.
                const double came = -core::distance_to(obstacle, p).distance;
                EXPECT_NEAR(obstacle.ride.rise(there - after.distance * after.normal, after.normal),
                            came, 20.0 * far * far);
            }
}

// ---- Contact and friction --------------------------------------------------------------------

// One vertex that moved from `from` to `to`, after contact.
Vec3 collided(const Obstacle& obstacle, Vec3 from, Vec3 to, bool held = false) {
    std::vector<Vec3> x{to};
    const char hold = held;
    core::Jobs jobs(1);
    core::collide({&obstacle, 1}, 1.0, x, {&from, nullptr, 0.0}, &hold, core::make_vertex_groups(x),
                  jobs);
    return x[0];
}

// The floor y = 0 with the given friction; it keeps vertices 0.01 m away.
ColliderDef floor_def(double friction) {
    return {.shape = TWANG_SHAPE_PLANE, .thickness = 0.01, .friction = friction};
}
Obstacle floor_with(double friction) { return resting(floor_def(friction)); }

TEST(Colliders, PutsAVertexOnTheSurface) {
    const Vec3 x = collided(floor_with(0.0), {0.0, 0.1, 0.0}, {0.05, -0.09, 0.02});
    EXPECT_LT(length(x - Vec3{0.05, 0.01, 0.02}), 1e-15);
    const Vec3 above{0.3, 0.011, 0.4};
    EXPECT_EQ(length(collided(floor_with(1.0), {}, above) - above), 0.0);
    const Vec3 below{0.3, -0.5, 0.4};
    EXPECT_EQ(length(collided(floor_with(1.0), {}, below, true) - below), 0.0); // held
}

// Pushed out by 0.1 m: friction may take 0.1 mu off the sliding, not more, and never turns it
// round.
TEST(Colliders, FrictionIsLimitedByThePush) {
    const Vec3 from{0.0, 0.01, 0.0}, to{0.3, -0.09, 0.4}; // slides by 0.5 m
    for (const double mu : {0.0, 0.3, 2.0}) {
        const Vec3 x = collided(floor_with(mu), from, to);
        EXPECT_NEAR(std::hypot(x.x, x.z), 0.5 - 0.1 * mu, 1e-14);
        EXPECT_NEAR(x.x / x.z, 0.75, 1e-12);
        EXPECT_DOUBLE_EQ(x.y, 0.01);
    }
    EXPECT_LT(length(collided(floor_with(6.0), from, to) - from), 1e-15); // sticks
}

// At rest, 0.1 mu_s are enough to hold it; else 0.1 mu_k are taken off.
TEST(Colliders, StaticFrictionHoldsKineticBrakes) {
    const Obstacle floor = resting(
        {.shape = TWANG_SHAPE_PLANE, .thickness = 0.01, .friction = 0.5, .kinetic_friction = 0.2});
    const auto slid = [&](double way, double speed) {
        std::vector<Vec3> x{{way, -0.09, 0.0}};
        const Vec3 from{0.0, 0.01, 0.0}, moved{0.1 * speed, -0.3, 0.0};
        const char held = 0;
        core::Jobs jobs(1);
        core::collide({&floor, 1}, 1.0, x, {&from, &moved, 0.1}, &held, core::make_vertex_groups(x),
                      jobs);
        return x[0].x;
    };
    EXPECT_DOUBLE_EQ(slid(0.04, 0.0), 0.0);
    EXPECT_DOUBLE_EQ(slid(0.06, 0.0), 0.04);
    EXPECT_DOUBLE_EQ(slid(0.04, 0.01), 0.02);
    EXPECT_DOUBLE_EQ(slid(0.015, 0.01), 0.0);
}

TEST(Colliders, MovingObstacleDragsWhatItTouches) {
    const auto dragged = [](double friction) {
        const Obstacle belt = moving(floor_def(friction), {0.2, 0.0, -0.1}, {0.0, 0.0, 0.0, 1.0});
        return collided(belt, {1.0, 0.01, 1.0}, {1.0, 0.0, 1.0});
    };
    EXPECT_LT(length(dragged(100.0) - Vec3{1.2, 0.01, 0.9}), 1e-14);
    EXPECT_LT(length(dragged(0.0) - Vec3{1.0, 0.01, 1.0}), 1e-15);
}

TEST(Colliders, ClothComesToRestOnASphere) {
    ClothDef def;
    def.columns = def.rows = 11;
    def.spacing = 0.1;
    def.origin = {-0.5, 0.02, -0.5};
    def.down = {0.0, 0.0, 1.0};
    World world{WorldDef{.workers = 1, .damping = 1.0}};
    const Body cloth = world.add(Model::cloth(def));
    ASSERT_TRUE(world.add({.centre = {0.0, -0.4, 0.0}, .radius = 0.4, .friction = 1.0}));
    for (int frame = 0; frame < 120; ++frame) {
        ASSERT_EQ(world.step(), TWANG_OK);
        const std::span<const float> x = cloth.positions();
        for (std::size_t i = 0; i < x.size(); i += 3)
            ASSERT_GT(std::hypot(x[i], x[i + 1] + 0.4, x[i + 2]),
                      0.4025 - 1e-9); // half the thickness
    }
    EXPECT_GT(cloth.measure().centre.y, -0.6); // caught, where it would have fallen 20 m
}

TEST(Colliders, ClothComesToRestOnATaperedCapsule) {
    for (const double turn : {0.0, 0.15}) { // level, and sloping by less than friction holds
        ColliderDef def{.shape = TWANG_SHAPE_CAPSULE,
                        .centre = {-0.3, -0.4, 0.0},
                        .end = {0.3, -0.3, 0.0},
                        .radius = 0.3,
                        .end_radius = 0.12,
                        .friction = 1.0};
        def.end.y -= turn;
        World world{WorldDef{.workers = 1, .damping = 2.0}};
        const Body cloth = world.add(Model::cloth(level_cloth(21, 0.02)));
        ASSERT_TRUE(world.add(def));
        for (int frame = 0; frame < 180; ++frame) {
            ASSERT_EQ(world.step(), TWANG_OK);
            for (const Vec3& p : positions_of(cloth))
                ASSERT_GT(from_balls(def, def.end, p), 0.5 * def.thickness - 1e-9) << frame;
            ASSERT_LT(cloth.report().max_penetration, 1e-9);
        }
        EXPECT_GT(cloth.report().contacts, 20);
        EXPECT_LT(cloth.measure().mean_speed, 0.05);
        EXPECT_GT(cloth.measure().centre.y, -0.7); // caught
    }
}

// A limb that swings by its ends, and is put elsewhere at once.
TEST(Colliders, ATaperedCapsuleMovesByItsEnds) {
    ColliderDef def{.shape = TWANG_SHAPE_CAPSULE,
                    .centre = {-0.3, -0.3, 0.0},
                    .end = {0.3, -0.3, 0.0},
                    .radius = 0.2,
                    .end_radius = 0.1,
                    .friction = 0.8};
    World world{WorldDef{.workers = 1, .damping = 1.0}};
    const Body cloth = world.add(Model::cloth(level_cloth(21, 0.02)));
    Collider limb = world.add(def);
    const auto expect_outside = [&](Vec3 from, Vec3 to) {
        ColliderDef there = def;
        there.centre = from;
        for (const Vec3& p : positions_of(cloth))
            ASSERT_GT(from_balls(there, to, p), 0.5 * def.thickness - 1e-9);
    };
    for (int frame = 1; frame <= 60; ++frame) {
        const double t = frame / 60.0;
        const Vec3 from{-0.3, -0.3 + 0.1 * t, 0.0}, to{0.3 + 0.1 * t, -0.3 - 0.1 * t, 0.2 * t};
        ASSERT_EQ(limb.move_ends(from, to), TWANG_OK);
        ASSERT_EQ(world.step(), TWANG_OK);
        expect_outside(from, to);
    }
    EXPECT_GT(cloth.report().contacts, 5);
    // Turned by half a turn, its thin end is where the thick one was.
    ASSERT_EQ(limb.teleport({0.3, -2.0, 0.0}, {0.0, 1.0, 0.0, 0.0}), TWANG_OK);
    ASSERT_EQ(world.step(), TWANG_OK);
    expect_outside({0.3, -2.0, 0.0}, {-0.3, -2.0, 0.0});
    EXPECT_EQ(cloth.report().contacts, 0);
}

TEST(Colliders, MovingSphereCarriesTheClothAlong) {
    const auto drift = [](double friction) {
        ClothDef def;
        def.columns = def.rows = 7;
        def.spacing = 0.05;
        def.origin = {-0.15, 0.01, -0.15};
        def.down = {0.0, 0.0, 1.0};
        World world{WorldDef{.workers = 1}};
        const Body cloth = world.add(Model::cloth(def));
        Collider ball =
            world.add({.centre = {0.0, -1.0, 0.0}, .radius = 1.0, .friction = friction});
        for (int frame = 1; frame <= 60; ++frame) {
            EXPECT_EQ(ball.move_to({0.2 * frame / 60.0, -1.0, 0.0}), TWANG_OK);
            EXPECT_EQ(world.step(), TWANG_OK);
        }
        return cloth.measure().centre.x;
    };
    EXPECT_LT(drift(0.0), 0.05);
    EXPECT_NEAR(drift(2.0), 0.2, 0.03);
}

TEST(Colliders, AreChecked) {
    const auto answer = [](ColliderDef def, auto&& spoil) {
        spoil(def);
        return core::check_collider(def);
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const ColliderDef& def : {sphere(), capsule(), plane(), box(), tapered()}) {
        EXPECT_EQ(answer(def, [](ColliderDef&) {}), TWANG_OK);
        EXPECT_EQ(answer(def, [&](ColliderDef& d) { d.centre.y = nan; }), TWANG_NOT_FINITE);
        EXPECT_EQ(answer(def, [&](ColliderDef& d) { d.friction = nan; }), TWANG_NOT_FINITE);
        EXPECT_EQ(answer(def, [](ColliderDef& d) { d.friction = -0.1; }), TWANG_OUT_OF_RANGE);
        EXPECT_EQ(answer(def, [](ColliderDef& d) { d.thickness = -0.1; }), TWANG_OUT_OF_RANGE);
    }
    for (const double kinetic : {0.0, 0.2, 0.3, TWANG_SAME})
        EXPECT_EQ(answer(box(), [&](ColliderDef& d) { d.kinetic_friction = kinetic; }), TWANG_OK);
    for (const double kinetic : {-0.1, 0.31, -2.0})
        EXPECT_EQ(answer(box(), [&](ColliderDef& d) { d.kinetic_friction = kinetic; }),
                  TWANG_OUT_OF_RANGE);
    EXPECT_EQ(answer(box(), [&](ColliderDef& d) { d.kinetic_friction = nan; }), TWANG_NOT_FINITE);
    EXPECT_EQ(answer(sphere(), [](ColliderDef& d) { d.radius = 0.0; }), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(answer(capsule(), [](ColliderDef& d) { d.radius = -1.0; }), TWANG_OUT_OF_RANGE);
    for (const double end : {1e-6, 0.3, 7.0, TWANG_SAME})
        EXPECT_EQ(answer(capsule(), [&](ColliderDef& d) { d.end_radius = end; }), TWANG_OK);
    for (const double end : {0.0, -0.1, -2.0})
        EXPECT_EQ(answer(capsule(), [&](ColliderDef& d) { d.end_radius = end; }),
                  TWANG_OUT_OF_RANGE);
    EXPECT_EQ(answer(capsule(), [&](ColliderDef& d) { d.end_radius = nan; }), TWANG_NOT_FINITE);
    EXPECT_EQ(answer(plane(), [](ColliderDef& d) { d.normal = {}; }), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(answer(box(), [](ColliderDef& d) { d.half_extents.z = 0.0; }), TWANG_OUT_OF_RANGE);
    for (const int between : {0, 1, TWANG_BY_SHAPE})
        EXPECT_EQ(answer(box(), [&](ColliderDef& d) { d.between_vertices = between; }), TWANG_OK);
    for (const int between : {-2, 2})
        EXPECT_EQ(answer(box(), [&](ColliderDef& d) { d.between_vertices = between; }),
                  TWANG_INVALID_ARGUMENT);
    EXPECT_EQ(answer(sphere(), [](ColliderDef& d) { d.shape = static_cast<twang_shape>(9); }),
              TWANG_INVALID_ARGUMENT);
}

} // namespace
} // namespace twang::test
