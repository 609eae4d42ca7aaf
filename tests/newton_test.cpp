// Newton, the reference: its answers satisfy the equations of implicit Euler and of BDF2.
#include "solver/newton.hpp"

#include "scenes.hpp"

namespace twang::test {
namespace {

struct State {
    std::vector<Vec3> x, v;
    explicit State(const Simulation& run) : x(run.positions()), v(run.velocities()) {}
};

// How far a step is from M (v1 - v0 - a (v0 - v_)) / (gamma h) = f - grad E(x1), in N, over the
// vertices that are free, with the v1 that x1 - x0 - a (x0 - x_) = gamma h v1 has. s_, s0, s1: the
// states before, at the start and at the end of the step.
double imbalance(const Net& net, const Settings& settings, double a, const State& s_,
                 const State& s0, const State& s1) {
    const double gamma_h = (1.0 - a) * settings.h;
    std::vector<Vec3> force = spring_forces(net, settings.energy, s1.x);
    for (std::size_t i = 0; i < force.size(); ++i) {
        const Vec3 velocity = (1.0 / gamma_h) * (s1.x[i] - s0.x[i] - a * (s0.x[i] - s_.x[i]));
        force[i] += net.masses[i] * settings.gravity -
                    (net.masses[i] / gamma_h) * (velocity - s0.v[i] - a * (s0.v[i] - s_.v[i]));
    }
    for (const std::uint32_t pin : settings.pins) force[pin] = {};
    return core::longest(force);
}

void expect_balance(twang_integrator integrator) {
    Random random(1);
    for (const twang_energy energy : {TWANG_HOOKE, TWANG_STVK})
        for (const twang_pin_method method : pin_methods) {
            const Net net = random_net(3, 30);
            Settings settings;
            settings.integrator = integrator;
            settings.energy = energy;
            settings.pin_method = method;
            settings.pins = {2, 20};
            settings.tolerance = 1e-10;
            for (std::uint32_t i = 0; i < net.size(); ++i)
                settings.velocities.push_back(random.vector(1.0));
            Simulation run(net, settings);
            State before(run), now(run);
            for (int step = 0; step < 10; ++step) {
                ASSERT_EQ(run.step(), TWANG_OK);
                ASSERT_EQ(run.body.report().converged, 1);
                const State next(run);
                const double a = integrator == TWANG_BDF2 && step > 0 ? 1.0 / 3.0 : 0.0;
                // Of forces of hundreds of newtons.
                EXPECT_LT(imbalance(net, settings, a, before, now, next), 1e-7) << step;
                before = now;
                now = next;
            }
        }
}

TEST(Newton, SatisfiesImplicitEuler) { expect_balance(TWANG_IMPLICIT_EULER); }
TEST(Newton, SatisfiesBdf2) { expect_balance(TWANG_BDF2); }

TEST(Newton, ObjectiveNeverRises) {
    const Net net = cloth_net(9, 9);
    for (const twang_energy energy : {TWANG_HOOKE, TWANG_STVK})
        for (const twang_pin_method method : pin_methods) {
            // So long a step that full Newton steps overshoot.
            Settings settings = crumpled(net, 0.1, TWANG_SOLVER_NEWTON, method);
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

// With f(x1) without a torque, x1 x M v1 = x1 x M (v0 + a (v0 - v_)): what they do to a spin,
// exactly.
void expect_spin(twang_integrator integrator) {
    const Net net = random_net(6, 20);
    Random random(8);
    Settings settings;
    settings.integrator = integrator;
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
    std::vector<Vec3> before = run.velocities();
    for (int step = 0; step < 20; ++step) {
        const double a = integrator == TWANG_BDF2 && step > 0 ? 1.0 / 3.0 : 0.0;
        const std::vector<Vec3> v = run.velocities();
        ASSERT_EQ(run.step(), TWANG_OK);
        const std::vector<Vec3> x = run.positions();
        const Vec3 expected = (1.0 + a) * spin(x, v) - a * spin(x, before);
        EXPECT_LT(length(spin(x, run.velocities()) - expected), 1e-9 * length(expected)) << step;
        before = v;
    }
}

TEST(Newton, AngularMomentumFollowsImplicitEuler) { expect_spin(TWANG_IMPLICIT_EULER); }
TEST(Newton, AngularMomentumFollowsBdf2) { expect_spin(TWANG_BDF2); }

} // namespace
} // namespace twang::test
