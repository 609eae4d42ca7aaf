// Obstacles: distances against points sampled on each surface, contact and friction by hand, and a
// moving obstacle that drags along what it touches.
#include "colliders.hpp"

#include <limits>

#include "contact_scenes.hpp"

namespace twang::test {
namespace {

using core::Obstacle;

ColliderDef sphere() { return {.shape = TWANG_SPHERE, .centre = {0.1, 0.2, -0.1}, .radius = 0.6}; }
ColliderDef capsule() {
    return {
        .shape = TWANG_CAPSULE, .centre = {-0.5, 0.0, 0.2}, .end = {0.4, 0.5, -0.3}, .radius = 0.3};
}
ColliderDef plane() {
    return {.shape = TWANG_PLANE, .centre = {0.0, 0.1, 0.0}, .normal = {0.6, 0.0, 0.8}};
}
ColliderDef box() {
    return {.shape = TWANG_BOX, .centre = {0.1, 0.0, 0.0}, .half_extents = {0.7, 0.3, 0.5}};
}

// A point of the surface, anywhere on it.
Vec3 on_surface(const ColliderDef& def, Random& random) {
    const Vec3 out = random.direction();
    switch (def.shape) {
    case TWANG_CAPSULE: {
        const Vec3 axis = def.end - def.centre;
        const double t = random.uniform(-0.3, 1.3);
        if (t < 0.0 || t > 1.0) { // a cap
            const Vec3 side = dot(out, axis) * (t - 0.5) > 0.0 ? out : -out;
            return (t < 0.0 ? def.centre : def.end) + def.radius * side;
        }
        const Vec3 across = out - (dot(out, axis) / dot(axis, axis)) * axis;
        return def.centre + t * axis + (def.radius / length(across)) * across;
    }
    case TWANG_PLANE: {
        const Vec3 p = random.vector(3.0);
        return p - dot(p - def.centre, def.normal) * def.normal;
    }
    case TWANG_BOX: {
        Vec3 p = random.vector(1.0);
        (&p.x)[random.below(3)] = random.below(2) ? 1.0 : -1.0;
        const Vec3 half = def.half_extents;
        return def.centre + Vec3{p.x * half.x, p.y * half.y, p.z * half.z};
    }
    case TWANG_MESH:
    case TWANG_SPHERE: break;
    }
    return def.centre + def.radius * out;
}

bool contains(const ColliderDef& def, Vec3 p) {
    const Vec3 off = p - def.centre;
    switch (def.shape) {
    case TWANG_CAPSULE: {
        const Vec3 axis = def.end - def.centre;
        double nearest = std::numeric_limits<double>::infinity();
        for (int i = 0; i <= 1000; ++i)
            nearest = std::min(nearest, length(off - (i / 1000.0) * axis));
        return nearest < def.radius;
    }
    case TWANG_PLANE: return dot(off, def.normal) < 0.0;
    case TWANG_BOX:
        return std::abs(off.x) < def.half_extents.x && std::abs(off.y) < def.half_extents.y &&
               std::abs(off.z) < def.half_extents.z;
    case TWANG_MESH:
    case TWANG_SPHERE: break;
    }
    return length(off) < def.radius;
}

TEST(Colliders, DistanceIsToTheNearestPointOfTheSurface) {
    Random random(1);
    for (const ColliderDef& def : {sphere(), capsule(), plane(), box()}) {
        std::vector<Vec3> surface;
        for (int i = 0; i < 20'000; ++i) surface.push_back(on_surface(def, random));
        int inside = 0;
        for (int i = 0; i < 200; ++i) {
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
        EXPECT_GT(inside, 10);
    }
}

TEST(Colliders, DistanceIsMeasuredAtTheEndOfTheStep) {
    const Vec3 shift{0.3, -0.2, 0.5};
    Random random(2);
    for (const ColliderDef& def : {sphere(), capsule(), plane(), box()})
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
    for (const ColliderDef& def : {sphere(), capsule(), plane(), box()})
        for (int i = 0; i < 500; ++i) {
            const Quaternion rotation =
                core::unit({random.uniform(-1, 1), random.uniform(-1, 1), 0.5, 1.0});
            const Obstacle obstacle = moving(def, def.centre + random.vector(0.5), rotation);
            std::vector<Vec3> points;
            const Vec3 where = random.vector(4.0);
            for (int k = 0; k < 20; ++k) points.push_back(where + random.vector(0.3));
            const core::BoundingSphere bounds = core::sphere_around(points);
            const double reach = random.uniform(0.0, 0.2);
            double nearest = std::numeric_limits<double>::infinity();
            for (const Vec3& p : points) {
                nearest = std::min(nearest, core::distance_to(obstacle, p).distance);
                EXPECT_LE(length(p - bounds.centre), bounds.radius);
                EXPECT_LE(length(obstacle.ride(p) - obstacle.ride(bounds.centre)),
                          obstacle.ride.more_within(bounds.radius) + 1e-12);
            }
            const bool may = core::may_reach(bounds, obstacle, reach);
            EXPECT_TRUE(may || nearest > reach) << def.shape;
            if (nearest > reach) ++(may ? asked : passed_over);
        }
    EXPECT_GT(passed_over, 3 * asked);
}

TEST(Colliders, CentresAreNoSingularities) {
    for (const ColliderDef& def : {sphere(), capsule(), box()}) {
        const core::Distance d = core::distance_to(resting(def), def.centre);
        EXPECT_LT(d.distance, 0.0);
        EXPECT_NEAR(length(d.normal), 1.0, 1e-12);
    }
    ColliderDef point = capsule();
    point.end = point.centre;
    EXPECT_NEAR(core::distance_to(resting(point), point.centre + Vec3{1, 0, 0}).distance,
                1.0 - point.radius, 1e-12);
}

// ---- Contact and friction --------------------------------------------------------------------

// One vertex that moved from `from` to `to`, after contact.
Vec3 collided(const Obstacle& obstacle, Vec3 from, Vec3 to, bool held = false) {
    std::vector<Vec3> x{to};
    const char hold = held;
    core::Jobs jobs(1);
    core::collide({&obstacle, 1}, 1.0, x, {&from, nullptr, 0.0}, &hold, jobs);
    return x[0];
}

// The floor y = 0 with the given friction; it keeps vertices 0.01 m away.
ColliderDef floor_def(double friction) {
    return {.shape = TWANG_PLANE, .thickness = 0.01, .friction = friction};
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
        {.shape = TWANG_PLANE, .thickness = 0.01, .friction = 0.5, .kinetic_friction = 0.2});
    const auto slid = [&](double way, double speed) {
        std::vector<Vec3> x{{way, -0.09, 0.0}};
        const Vec3 from{0.0, 0.01, 0.0}, moved{0.1 * speed, -0.3, 0.0};
        const char held = 0;
        core::Jobs jobs(1);
        core::collide({&floor, 1}, 1.0, x, {&from, &moved, 0.1}, &held, jobs);
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
    for (const ColliderDef& def : {sphere(), capsule(), plane(), box()}) {
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
    EXPECT_EQ(answer(plane(), [](ColliderDef& d) { d.normal = {}; }), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(answer(box(), [](ColliderDef& d) { d.half_extents.z = 0.0; }), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(answer(sphere(), [](ColliderDef& d) { d.shape = static_cast<twang_shape>(9); }),
              TWANG_INVALID_ARGUMENT);
}

} // namespace
} // namespace twang::test
