// Newton, the reference: its answers satisfy the equations of implicit Euler.
#include "newton.hpp"

#include "scenes.hpp"

namespace twang::test {
namespace {

// How far a step is from M (v' - v) / h = f - grad E(x'), in N, over the vertices that are free.
double imbalance(const Net& net, const Settings& settings, const std::vector<Vec3>& before,
                 const std::vector<Vec3>& after, const std::vector<Vec3>& velocities) {
    std::vector<Vec3> force = spring_forces(net, settings.energy, after);
    for (std::size_t i = 0; i < force.size(); ++i) {
        const Vec3 velocity = (1.0 / settings.h) * (after[i] - before[i]);
        force[i] += net.masses[i] * settings.gravity -
                    (net.masses[i] / settings.h) * (velocity - velocities[i]);
    }
    for (const std::uint32_t pin : settings.pins) force[pin] = {};
    return core::longest(force);
}

TEST(Newton, SatisfiesImplicitEuler) {
    Random random(1);
    for (const twang_energy energy : {TWANG_HOOKE, TWANG_STVK})
        for (const twang_pin_method method : pin_methods) {
            const Net net = random_net(3, 30);
            Settings settings;
            settings.energy = energy;
            settings.pin_method = method;
            settings.pins = {2, 20};
            settings.tolerance = 1e-10;
            for (std::uint32_t i = 0; i < net.size(); ++i)
                settings.velocities.push_back(random.vector(1.0));
            Simulation run(net, settings);
            for (int step = 0; step < 10; ++step) {
                const std::vector<Vec3> before = run.positions(), v = run.velocities();
                ASSERT_EQ(run.step(), TWANG_OK);
                ASSERT_EQ(run.body.report().converged, 1);
                // Of forces of hundreds of newtons.
                EXPECT_LT(imbalance(net, settings, before, run.positions(), v), 1e-7);
            }
        }
}

TEST(Newton, ObjectiveNeverRises) {
    const Net net = cloth_net(9, 9);
    for (const twang_energy energy : {TWANG_HOOKE, TWANG_STVK})
        for (const twang_pin_method method : pin_methods) {
            // So long a step that full Newton steps overshoot.
            Settings settings = crumpled(net, 0.1, TWANG_NEWTON, method);
            settings.energy = energy;
            Simulation run(net, settings);
            const Objectives objectives(run.world);
            ASSERT_EQ(run.step(2), TWANG_OK);
            for (const auto& g : objectives.steps()) EXPECT_LT(g.back(), 0.99 * g.front());
            EXPECT_LT(objectives.worst_rise(), 1e-12);
        }
}

TEST(Newton, StopsAtItsTolerance) {
    Settings settings;
    settings.pins = {0};
    Simulation run(random_net(9, 30), settings);
    for (int step = 0; step < 20; ++step) {
        ASSERT_EQ(run.step(), TWANG_OK);
        const Report report = run.body.report();
        EXPECT_EQ(report.converged, 1);
        EXPECT_LT(report.residual, settings.solver_def().tolerance);
    }
}

// Near a minimum where nothing is compressed the projected Hessian is the exact one, and errors are
// squared.
TEST(Newton, ConvergesQuadraticallyUnderTension) {
    Net net = random_net(4, 30);
    for (SpringDef& s : net.springs) s.rest_length *= 0.1;
    Settings settings;
    settings.gravity = {};
    settings.tolerance = 1e-11;
    std::vector<double> moves;
    Simulation run(net, settings);
    run.world.set_iteration_callback(
        [](void* user, const twang_iteration* now) {
            static_cast<std::vector<double>*>(user)->push_back(now->residual);
        },
        &moves);
    ASSERT_EQ(run.step(), TWANG_OK);
    ASSERT_GE(moves.size(), 3u);
    EXPECT_LE(moves.size(), 8u);
    EXPECT_LT(moves.back(), 1e-4 * moves[moves.size() - 2]);
}

// With f(x') without a torque, x' x M v' = x' x M v: what implicit Euler does to a spin, exactly.
TEST(Newton, AngularMomentumFollowsImplicitEuler) {
    const Net net = random_net(6, 20);
    Random random(8);
    Settings settings;
    settings.gravity = {};
    settings.tolerance = 1e-11;
    for (std::uint32_t i = 0; i < net.size(); ++i)
        settings.velocities.push_back(random.vector(3.0));
    Simulation run(net, settings);
    const auto spin = [&](const std::vector<Vec3>& x, const std::vector<Vec3>& v) {
        Vec3 sum{};
        for (std::size_t i = 0; i < x.size(); ++i) sum += net.masses[i] * core::cross(x[i], v[i]);
        return sum;
    };
    for (int step = 0; step < 20; ++step) {
        const std::vector<Vec3> v = run.velocities();
        ASSERT_EQ(run.step(), TWANG_OK);
        const Vec3 expected = spin(run.positions(), v);
        EXPECT_LT(length(spin(run.positions(), run.velocities()) - expected),
                  1e-9 * length(expected));
    }
}

} // namespace
} // namespace twang::test
