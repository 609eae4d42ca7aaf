// Gravity, wind and the caller's forces, by hand.
#include "world/forces.hpp"

#include "scenes.hpp"

namespace twang::test {
namespace {

// Triangles over points; forces come back in the caller's order.
struct Sail {
    std::vector<Vec3> points, velocities;
    std::vector<std::uint32_t> triangles;
    std::vector<double> masses;
    core::OwnForces own{};
    double time_step = 0.0;

    explicit Sail(std::vector<Vec3> p, std::vector<std::uint32_t> t = {0, 1, 2})
        : points(std::move(p)),
          velocities(points.size()),
          triangles(std::move(t)),
          masses(points.size(), 1.0) {}

    std::vector<Vec3> push(const core::Surroundings& surroundings,
                           const std::vector<Vec3>& user_forces = {}) const {
        MeshDef def;
        def.positions = &points.data()->x;
        def.vertex_count = static_cast<std::uint32_t>(points.size());
        def.triangles = triangles.data();
        def.triangle_count = static_cast<std::uint32_t>(triangles.size() / 3);
        def.masses = masses.data();
        const auto model = inner_model(def);
        const auto inner = [&](const std::vector<Vec3>& user) {
            std::vector<Vec3> result(user.size());
            for (std::size_t i = 0; i < user.size(); ++i) result[model->to_inner[i]] = user[i];
            return result;
        };
        const std::vector<Vec3> x = inner(points), v = inner(velocities), f = inner(user_forces);
        std::vector<Vec3> forces(points.size()), result;
        std::vector<core::AirOnTriangle> on_triangles(triangles.size() / 3);
        core::Jobs jobs(1);
        core::push({*model, x.data(), v.data(), f.empty() ? nullptr : f.data(), nullptr, time_step},
                   surroundings, own, on_triangles.data(), forces.data(), jobs);
        for (const std::uint32_t i : model->to_inner) result.push_back(forces[i]);
        return result;
    }
};

const std::vector<Vec3> right_triangle{{0, 0, 0}, {3, 0, 0}, {0, 2, 0}}; // 3 m^2, facing z

core::Surroundings wind(Vec3 velocity, double drag) { return {{}, velocity, drag}; }

TEST(Forces, GravityWeighsAndUserForcesAdd) {
    Sail sail(right_triangle);
    sail.masses = {1.0, 2.0, 3.0};
    const std::vector<Vec3> f =
        sail.push({{0.0, -10.0, 1.0}, {}, 0.0}, {{1.0, 0.0, 0.0}, {}, {0.0, 5.0, 0.0}});
    EXPECT_EQ(length(f[0] - Vec3{1.0, -10.0, 1.0}), 0.0);
    EXPECT_EQ(length(f[1] - Vec3{0.0, -20.0, 2.0}), 0.0);
    EXPECT_EQ(length(f[2] - Vec3{0.0, -25.0, 3.0}), 0.0);
}

TEST(Forces, WindPressesAlongTheNormalByArea) {
    const Sail sail(right_triangle);
    // 0.5 kg/(m^2 s) * 3 m^2 * 4 m/s = 6 N along z, a third to each corner; what blows along the
    // triangle slips off.
    for (const Vec3& f : sail.push(wind({7.0, -2.0, 4.0}, 0.5)))
        EXPECT_LT(length(f - Vec3{0.0, 0.0, 2.0}), 1e-14);
}

TEST(Forces, WindDoesNotCareForTheWinding) {
    const Sail sail(right_triangle, {0, 2, 1});
    for (const Vec3& f : sail.push(wind({7.0, -2.0, 4.0}, 0.5)))
        EXPECT_LT(length(f - Vec3{0.0, 0.0, 2.0}), 1e-14);
}

TEST(Forces, WindOnATiltedTriangle) {
    // Area 1/2 * |(-1,1,0) x (-1,0,1)| = sqrt(3)/2, normal (1,1,1)/sqrt(3).
    const Sail sail({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    const double along = 2.0 * (1.0 / std::sqrt(3.0)) * (std::sqrt(3.0) / 2.0); // drag 2, wind x
    const Vec3 each = (along / 3.0 / std::sqrt(3.0)) * Vec3{1.0, 1.0, 1.0};
    for (const Vec3& f : sail.push(wind({1.0, 0.0, 0.0}, 2.0))) EXPECT_LT(length(f - each), 1e-14);
}

TEST(Forces, OnlyTheAirThatMeetsTheTriangleCounts) {
    Sail sail(right_triangle);
    sail.velocities.assign(3, {0.0, 0.0, 4.0}); // it moves along
    for (const Vec3& f : sail.push(wind({0.0, 0.0, 4.0}, 1.0))) EXPECT_LT(length(f), 1e-14);
    sail.velocities = {{0.0, 0.0, 3.0}, {}, {}}; // 1 m/s on average
    for (const Vec3& f : sail.push(wind({}, 1.0)))
        EXPECT_LT(length(f - Vec3{0.0, 0.0, -1.0}), 1e-14); // still air brakes
}

TEST(Forces, NeighboursAddUpAndSliversDoNoHarm) {
    Sail sail({{0, 0, 0}, {3, 0, 0}, {0, 2, 0}, {3, 2, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}},
              {0, 1, 2, 1, 3, 2, 4, 5, 6});
    const std::vector<Vec3> f = sail.push(wind({0.0, 0.0, 1.0}, 1.0));
    const double expected[7] = {1.0, 2.0, 2.0, 1.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < 7; ++i) EXPECT_LT(length(f[i] - Vec3{0.0, 0.0, expected[i]}), 1e-14) << i;
}

TEST(Forces, NoDragNoWind) {
    const Sail sail(right_triangle);
    for (const Vec3& f : sail.push(wind({100.0, 100.0, 100.0}, 0.0))) EXPECT_EQ(length(f), 0.0);
}

TEST(Forces, GravityScaleWeighsOneBodyDifferently) {
    Sail sail(right_triangle);
    sail.own.gravity_scale = -0.5;
    for (const Vec3& f : sail.push({.gravity = {0.0, -10.0, 0.0}}))
        EXPECT_EQ(length(f - Vec3{0.0, 5.0, 0.0}), 0.0);
}

TEST(Forces, LiftIsAcrossTheWindAndTakesNoPower) {
    // Tilted by 45 degrees against a wind along x: area sqrt(2), normal (1, 1, 0) / sqrt(2), so the
    // air meets it with 3 / sqrt(2) m/s, and half of the normal is across the wind.
    const Sail sail({{1, 0, 0}, {0, 1, 0}, {0, 1, 2}});
    core::Surroundings air = wind({3.0, 0.0, 0.0}, 0.0);
    air.lift = 0.4;
    Vec3 sum{};
    for (const Vec3& f : sail.push(air)) sum += f;
    EXPECT_LT(length(sum - Vec3{0.0, 0.4 * std::sqrt(2.0) * 3.0 * 0.5, 0.0}), 1e-14);

    Random random(7);
    for (int i = 0; i < 1000; ++i) {
        Sail any({random.vector(1.0), random.vector(1.0), random.vector(1.0)});
        const Vec3 moves = random.vector(2.0);
        any.velocities.assign(3, moves);
        air.wind = random.vector(5.0);
        for (const Vec3& f : any.push(air))
            ASSERT_LT(std::abs(dot(f, air.wind - moves)), 1e-14 * (1.0 + length(f)) * 10.0);
    }
}

TEST(Forces, LiftDoesNotCareForTheWindingAndStillAirLiftsNothing) {
    core::Surroundings air = wind({1.0, 2.0, 3.0}, 0.5);
    air.lift = 0.3;
    const std::vector<Vec3> slope{{0, 0, 0}, {1, 0, 1}, {0, 2, 0}};
    const std::vector<Vec3> one = Sail(slope).push(air), other = Sail(slope, {0, 2, 1}).push(air);
    for (int i = 0; i < 3; ++i) EXPECT_LT(length(one[i] - other[i]), 1e-14);
    air.wind = {};
    for (const Vec3& f : Sail(slope).push(air)) EXPECT_EQ(length(f), 0.0);
}

TEST(Forces, InAStepTheAirTakesAVertexAlongAtMost) {
    Sail sail(right_triangle); // 1 kg and 1 m^2 each
    for (const double drag : {1.0, 59.0, 61.0, 1e6}) {
        sail.time_step = 1.0 / 60.0;
        for (const Vec3& f : sail.push(wind({7.0, -2.0, 4.0}, drag)))
            EXPECT_LT(length(f - Vec3{0.0, 0.0, 4.0 * std::min(drag, 60.0)}), 1e-10) << drag;
        sail.time_step = 0.0; // no step, no limit
        for (const Vec3& f : sail.push(wind({7.0, -2.0, 4.0}, drag)))
            EXPECT_LT(length(f - Vec3{0.0, 0.0, 4.0 * drag}), 1e-14 * drag * 10.0) << drag;
    }
}

TEST(Forces, LiftTurnsTheWayThroughTheAirAndDoesNotHasten) {
    Random random(8);
    for (const double lift : {1.0, 20.0, 100.0, 1e6})
        for (int i = 0; i < 1000; ++i) {
            Sail sail({random.vector(1.0), random.vector(1.0), random.vector(1.0)});
            sail.time_step = 1.0 / 60.0;
            core::Surroundings air = wind(random.vector(5.0), 0.5);
            air.lift = lift;
            for (const Vec3& f : sail.push(air))
                ASSERT_LT(length(air.wind - sail.time_step * f), length(air.wind) * (1.0 + 1e-12));
        }
}

TEST(Forces, GustsBlowOnEachCornerWhereItIs) {
    core::Surroundings air = wind({0.0, 0.0, 1.0}, 0.5);
    air.gusts = {2.0, 1.0, 1.5, 3};
    air.time = 0.7;
    const Sail sail(right_triangle);
    const std::vector<Vec3> f = sail.push(air);
    for (int i = 0; i < 3; ++i) {
        const double speed = 1.0 + core::GustField(air.gusts, 0.7).at(right_triangle[i]).z;
        EXPECT_LT(length(f[i] - Vec3{0.0, 0.0, 0.5 * speed}), 1e-14) << i; // drag * area / 3
    }
}

// A tetrahedron of 1/6 m^3.
const std::vector<Vec3> corner_points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const std::vector<std::uint32_t> outward{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

TEST(Forces, PressurePushesOutwardWhicheverWayTheSurfaceIsWound) {
    std::vector<std::uint32_t> inward = outward;
    for (std::size_t t = 0; t < inward.size(); t += 3) std::swap(inward[t], inward[t + 1]);
    for (const auto& triangles : {outward, inward}) {
        Sail body(corner_points, triangles);
        body.own.pressure = 60.0;
        const std::vector<Vec3> f = body.push({});
        // Corner 0 has the three faces of 1/2 m^2 along the axes, a third of each: 60 / 6.
        EXPECT_LT(length(f[0] - Vec3{-10.0, -10.0, -10.0}), 1e-13);
        EXPECT_LT(length(f[0] + f[1] + f[2] + f[3]), 1e-13); // no net force
    }
}

TEST(Forces, PressureTimesVolumeStaysTheSameWithinLimits) {
    MeshDef def;
    def.positions = &corner_points.data()->x;
    def.vertex_count = 4;
    def.triangles = outward.data();
    def.triangle_count = 4;
    const auto model = inner_model(def);
    EXPECT_NEAR(std::abs(model->rest_volume), 1.0 / 6.0, 1e-15);
    const auto at = [&](double scale) {
        std::vector<Vec3> x = model->rest_positions;
        for (Vec3& p : x) p.y *= scale;
        return core::pressure_at(*model, 60.0, x.data());
    };
    EXPECT_NEAR(at(1.0), 60.0, 1e-12);
    EXPECT_NEAR(at(2.0), 30.0, 1e-12);
    EXPECT_NEAR(at(0.25), 240.0, 1e-12);
    for (const double flat : {1e-3, 0.0, -1.0}) EXPECT_NEAR(at(flat), 960.0, 1e-12); // 16 times
}

} // namespace
} // namespace twang::test
