// Gravity, wind and the caller's forces, by hand.
#include "forces.hpp"

#include "scenes.hpp"

namespace twang::test {
namespace {

// Triangles over points; forces come back in the caller's order.
struct Sail {
    std::vector<Vec3> points, velocities;
    std::vector<std::uint32_t> triangles;
    std::vector<double> masses;

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
        core::Jobs jobs(1);
        core::push(*model, surroundings, x.data(), v.data(), f.empty() ? nullptr : f.data(),
                   forces.data(), jobs);
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

} // namespace
} // namespace twang::test
