// Symplectic Euler: the two lines of its definition, what it conserves, and that it says so when it
// explodes.
#include "scenes.hpp"

namespace twang::test {
namespace {

Settings symplectic(double h) {
    Settings settings;
    settings.solver = TWANG_SOLVER_SYMPLECTIC;
    settings.h = h;
    return settings;
}

TEST(Symplectic, IsVelocityThenPosition) {
    const Net net = random_net(1, 20);
    Random random(2);
    for (const twang_energy energy : {TWANG_HOOKE, TWANG_STVK}) {
        Settings settings = symplectic(1e-3);
        settings.energy = energy;
        settings.pins = {6};
        settings.velocities.clear();
        for (std::uint32_t i = 0; i < net.size(); ++i)
            settings.velocities.push_back(i == 6 ? Vec3{} : random.vector(1.0));
        std::vector<Vec3> v = settings.velocities, x = net.positions;
        for (std::uint32_t i = 0; i < net.size(); ++i) v[i] += settings.h * settings.gravity;
        for (const SpringDef& s : net.springs) {
            const Vec3 d = net.positions[s.a] - net.positions[s.b];
            const double l = length(d), r = s.rest_length;
            const double pull = energy == TWANG_HOOKE ? s.stiffness * (1.0 - r / l)
                                                      : 2.0 * s.stiffness * (l * l / (r * r) - 1.0);
            v[s.a] -= (settings.h * pull / net.masses[s.a]) * d;
            v[s.b] += (settings.h * pull / net.masses[s.b]) * d;
        }
        v[6] = {};
        for (std::uint32_t i = 0; i < net.size(); ++i) x[i] += settings.h * v[i];
        Simulation run(net, settings);
        ASSERT_EQ(run.step(), TWANG_OK);
        EXPECT_LT(distance(run.positions(), x), 1e-13);
        EXPECT_LT(distance(run.velocities(), v), 1e-10);
    }
}

// At a small step the energy swings about its true value for as long as one likes.
TEST(Symplectic, EnergyStaysBounded) {
    const Net net = chain_net(2, 1.0, 1.0, 100.0, {1.0, 0.0, 0.0});
    Settings settings = symplectic(1e-3);
    settings.gravity = {};
    settings.positions = {{-0.1, 0.0, 0.0}, {1.1, 0.0, 0.0}};
    Simulation run(net, settings);
    const Measures start = run.body.measure();
    const double energy = start.kinetic_energy + start.elastic_energy;
    // Two masses: omega = sqrt(2 k / m), and the swing is h omega / 2 of the energy.
    const double swing = 0.5 * settings.h * std::sqrt(2.0 * 100.0 / 1.0);
    double most = 0.0;
    for (int step = 0; step < 20'000; ++step) {
        ASSERT_EQ(run.step(), TWANG_OK);
        const Measures now = run.body.measure();
        most = std::max(most, std::abs(now.kinetic_energy + now.elastic_energy - energy) / energy);
    }
    EXPECT_LT(most, 1.1 * swing);
    EXPECT_GT(most, 0.5 * swing);
}

TEST(Symplectic, ConservesMomentumAndSpin) {
    const Net net = random_net(3, 30);
    Random random(4);
    Settings settings = symplectic(1e-3);
    settings.gravity = {};
    for (std::uint32_t i = 0; i < net.size(); ++i)
        settings.velocities.push_back(random.vector(2.0));
    Simulation run(net, settings);
    const auto spin = [&] {
        const std::vector<Vec3> x = run.positions(), v = run.velocities();
        Vec3 sum{};
        for (std::size_t i = 0; i < x.size(); ++i) sum += net.masses[i] * core::cross(x[i], v[i]);
        return sum;
    };
    const Vec3 momentum = run.body.measure().momentum, angular = spin();
    ASSERT_EQ(run.step(1000), TWANG_OK);
    EXPECT_LT(length(run.body.measure().momentum - momentum), 1e-11 * length(momentum));
    EXPECT_LT(length(spin() - angular), 1e-10 * length(angular));
}

// Stable below h = 2 / omega, not above.
TEST(Symplectic, ExplodesAtItsStabilityLimitAndSaysSo) {
    const Net net = chain_net(2, 1.0, 1.0, 100.0, {1.0, 0.0, 0.0});
    const double limit = 2.0 / std::sqrt(100.0);
    for (const double factor : {0.98, 1.05}) {
        Settings settings = symplectic(factor * limit);
        settings.gravity = {};
        settings.pins = {0};
        settings.positions = {{0.0, 0.0, 0.0}, {1.001, 0.0, 0.0}};
        Simulation run(net, settings);
        const Status status = run.step(1000);
        EXPECT_EQ(status, factor < 1.0 ? TWANG_OK : TWANG_DIVERGED);
        const double limit_of_swing = factor < 1.0 ? 0.1 : 1e7;
        EXPECT_LT(length(run.positions()[1] - Vec3{1.0, 0.0, 0.0}), limit_of_swing);
    }
}

TEST(Symplectic, AfterAnExplosionTheLastGoodStateStays) {
    Settings settings = symplectic(1.0 / 60.0);
    settings.pins = {0};
    Net net = cloth_net(6, 6);
    for (SpringDef& s : net.springs) s.stiffness = 1e6;
    Simulation run(net, settings);
    std::vector<Vec3> before;
    Status status = TWANG_OK;
    for (int step = 0; step < 1000 && status == TWANG_OK; ++step) {
        before = run.positions();
        status = run.step();
    }
    EXPECT_EQ(status, TWANG_DIVERGED);
    EXPECT_NE(std::string(last_error()).find("time step"), std::string::npos) << last_error();
    EXPECT_EQ(distance(run.positions(), before), 0.0);
    EXPECT_EQ(run.body.report().status, TWANG_DIVERGED);
    EXPECT_EQ(run.body.report().enabled, 0);
}

} // namespace
} // namespace twang::test
