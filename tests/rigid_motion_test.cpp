// Poses and what goes along with them, against sines and cosines.
#include "geometry/rigid_motion.hpp"

#include <numbers>

#include "contact_scenes.hpp"

namespace twang::test {
namespace {

using core::Pose;
using core::RigidMotion;

constexpr double pi = std::numbers::pi;

double angle_of(Quaternion q) { return 2.0 * std::atan2(std::hypot(q.x, q.y, q.z), std::abs(q.w)); }

TEST(Pose, QuaternionsTurnAsTheirAxesAndAngles) {
    Random random(1);
    for (int i = 0; i < 200; ++i) {
        const Vec3 axis = random.direction(), other = random.direction(), p = random.vector(2.0);
        const double angle = random.uniform(-7.0, 7.0), more = random.uniform(-7.0, 7.0);
        const Quaternion a = rotation_about(3.0 * axis, angle), b = rotation_about(other, more);
        EXPECT_LT(length(core::rotation_by(a)(p) - turned(p, axis, angle)), 1e-14);
        EXPECT_LT(length(core::rotation_by(a).back(turned(p, axis, angle)) - p), 1e-14);
        const Vec3 both = turned(turned(p, axis, angle), other, more);
        EXPECT_LT(length(core::rotation_by(b * a)(p) - both), 1e-14);
        EXPECT_LT(length(core::rotation_by(compose(b, a))(p) - both), 1e-14);
        const Quaternion scaled{1e200 * a.x, 1e200 * a.y, 1e200 * a.z, 1e200 * a.w};
        EXPECT_LT(length(core::rotation_by(core::unit(scaled))(p) - turned(p, axis, angle)), 1e-14);
    }
}

// How far a surface comes along its normal: a plate as it moves there, a ball not by its turning.
TEST(RigidMotion, ASurfaceRises) {
    Random random(3);
    for (int i = 0; i < 100; ++i) {
        const Vec3 centre = random.vector(1.0), shift = random.vector(0.1),
                   axis = random.direction(), normal = random.direction();
        const double angle = random.uniform(-0.3, 0.3);
        const Pose from{centre}, moved{centre + shift}, turned{centre, rotation_about(axis, angle)},
            both{centre + shift, rotation_about(axis, angle)};
        const Vec3 off = 0.4 * normal;
        EXPECT_NEAR(RigidMotion(from, moved).rise(centre + off, normal), dot(shift, normal), 1e-15);
        EXPECT_NEAR(RigidMotion(from, turned).rise(centre + off, normal), 0.0, 1e-15);
        EXPECT_NEAR(RigidMotion(from, both).rise(centre + shift + off, normal), dot(shift, normal),
                    std::abs(angle) * length(shift));
        // A point of a plate that turns about an axis within it goes up by the sine, to third
        // order.
        const Vec3 across = core::direction(core::cross(axis, normal)),
                   up = core::cross(across, axis);
        const double rise = RigidMotion(from, turned).rise(centre + 0.5 * across, up);
        EXPECT_NEAR(std::abs(rise), 0.5 * std::abs(std::sin(angle)), 1e-15);
    }
}

TEST(Pose, TheShortestTurnTakesOneDirectionToTheOther) {
    Random random(2);
    for (int i = 0; i < 200; ++i) {
        const Vec3 u = random.direction(), v = i % 5 == 0 ? -u : random.direction();
        const Quaternion q = core::shortest_rotation(0.01 * u, 7.0 * v);
        EXPECT_LT(length(core::rotation_by(q)(u) - v), 1e-12);
        EXPECT_NEAR(angle_of(q), std::acos(std::clamp(dot(u, v), -1.0, 1.0)), 1e-6);
    }
    EXPECT_FALSE(core::turns(core::shortest_rotation({}, {1.0, 0.0, 0.0})));
}

TEST(Pose, GoesStraightAndAlongTheShorterArc) {
    Random random(3);
    for (const double angle : {0.1, 0.5, 1.5, -1.5, 3.0, 5.0}) {
        const Vec3 axis = random.direction(), arm = random.vector(1.0);
        const Pose a{{1.0, 2.0, 3.0}, rotation_about(axis, 0.3), turned(arm, axis, 0.3)};
        Pose b{{2.0, 2.0, 5.0}, rotation_about(axis, 0.3 + angle), turned(arm, axis, 0.3 + angle)};
        const double shorter = angle > pi ? angle - 2.0 * pi : angle;
        for (const double t : {0.25, 0.5, 0.75}) {
            const Pose p = core::between(a, b, t);
            EXPECT_LT(length(p.centre - Vec3{1.0 + t, 2.0, 3.0 + 2.0 * t}), 1e-14);
            const Quaternion way = core::unit(
                p.rotation * Quaternion{-a.rotation.x, -a.rotation.y, -a.rotation.z, a.rotation.w});
            const double even = std::abs(t * shorter);
            const double uneven = t == 0.5 ? 0.0 : 0.005 * std::pow(std::abs(shorter), 3);
            EXPECT_NEAR(angle_of(way), even, uneven + 1e-7);
            EXPECT_LT(length(p.arm - core::rotation_by(way)(a.arm)), 1e-14);
        }
        EXPECT_EQ(core::between(a, b, 0.0).centre.x, a.centre.x);
        EXPECT_EQ(core::between(a, b, 1.0).rotation.w, b.rotation.w);
        // The same rotation by the opposite quaternion.
        b.rotation = {-b.rotation.x, -b.rotation.y, -b.rotation.z, -b.rotation.w};
        const Vec3 p{0.4, 0.5, 0.6};
        const Pose half = core::between(a, b, 0.5);
        EXPECT_LT(
            length(core::rotation_by(half.rotation)(p) - turned(p, axis, 0.3 + 0.5 * shorter)),
            1e-14);
    }
}

TEST(Pose, PointsRideAlong) {
    Random random(4);
    const Vec3 axis = random.direction();
    const Pose from{{1.0, 0.0, 2.0}, rotation_about(axis, 0.2)};
    const Pose to{{1.5, 0.3, 2.0}, rotation_about(axis, 0.9)};
    const RigidMotion ride(from, to);
    EXPECT_TRUE(ride.moves());
    for (int i = 0; i < 100; ++i) {
        const Vec3 x = random.vector(3.0), y = x + random.vector(0.2);
        const Vec3 there = to.centre + turned(x - from.centre, axis, 0.7);
        EXPECT_LT(length(x + ride(x) - there), 1e-14);
        EXPECT_LT(length(ride(y)),
                  length(ride(x)) + ride.extra_displacement_bound(length(y - x)) + 1e-14);
    }
    EXPECT_FALSE(RigidMotion(from, from).moves());
    EXPECT_EQ(length(RigidMotion(from, from)({5.0, 5.0, 5.0})), 0.0);
    const Pose shifted{to.centre, from.rotation};
    const Vec3 shift = to.centre - from.centre;
    EXPECT_EQ(length(RigidMotion(from, shifted)({7.0, 8.0, 9.0}) - shift), 0.0); // to the last bit
}

// What lies on a capsule that grows goes with its part of it.
TEST(Pose, PointsOnACapsuleStretchWithIt) {
    const Pose from{{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}, {0.0, 2.0, 0.0}};
    const Pose to{{1.0, 0.0, 0.0}, rotation_about({0.0, 0.0, 1.0}, -pi / 2.0), {3.0, 0.0, 0.0}};
    const RigidMotion ride(from, to);
    const auto there = [&](Vec3 x) { return x + ride(x); };
    EXPECT_LT(length(there({1.0, 2.0, 0.0}) - Vec3{4.0, 0.0, 0.0}), 1e-14);
    EXPECT_LT(length(there({1.0, 1.0, 0.1}) - Vec3{2.5, 0.0, 0.1}), 1e-14);
    EXPECT_LT(length(there({1.0, 2.1, 0.0}) - Vec3{4.1, 0.0, 0.0}), 1e-14);
    EXPECT_LT(length(there({1.0, -0.1, 0.0}) - Vec3{0.9, 0.0, 0.0}), 1e-14);
    const Pose middle = core::between(from, to, 0.5);
    EXPECT_LT(length(middle.arm - (2.5 / std::sqrt(2.0)) * Vec3{1.0, 1.0, 0.0}), 1e-14);
    EXPECT_TRUE(RigidMotion({}, {.centre = {}, .arm = {1.0, 0.0, 0.0}}).moves());
}

TEST(Pose, RotationsAreChecked) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(core::check_rotation({0.0, 0.0, 0.0, -5.0}), TWANG_OK);
    EXPECT_EQ(core::check_rotation({}), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(core::check_rotation({0.0, nan, 0.0, 1.0}), TWANG_NOT_FINITE);
    EXPECT_EQ(core::check_rotation({0.0, 0.0, 0.0, nan}), TWANG_NOT_FINITE);
}

} // namespace
} // namespace twang::test
