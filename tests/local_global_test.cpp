// Local-global: the textbook iteration, exact on linear problems, never uphill; to a double's
// digits where Q is stored in double, to a float's where it is not. Its agreement with Newton on
// the shipped scenes is in convergence_long_test.cpp.
#include <Eigen/Cholesky>

#include "scenes.hpp"

namespace twang::test {
namespace {

// How Q is stored, and how far its solutions may be off.
struct Stored {
    twang_precision precision;
    twang_arithmetic arithmetic;
    double error;
};
constexpr Stored ways[] = {{TWANG_PRECISION_DOUBLE, TWANG_ARITHMETIC_FAST, 1e-11},
                           {TWANG_PRECISION_DOUBLE, TWANG_ARITHMETIC_PORTABLE, 1e-11},
                           {TWANG_PRECISION_FLOAT, TWANG_ARITHMETIC_FAST, 3e-7},
                           {TWANG_PRECISION_HALF, TWANG_ARITHMETIC_FAST, 3e-3}};

Settings one_iteration(twang_pin_method method) {
    Settings settings;
    settings.solver = TWANG_SOLVER_LOCAL_GLOBAL;
    settings.iterations = 1;
    settings.pin_method = method;
    return settings;
}

// Springs without a rest length make g a quadratic with Q for its Hessian: one iteration minimises
// it. Not so in the first step of BDF2, which is one of implicit Euler: there Q is more than that.
TEST(LocalGlobal, OneIterationSolvesAZeroRestLengthNet) {
    Net net = random_net(1, 60);
    for (SpringDef& s : net.springs) s.rest_length = 0.0;
    for (const twang_integrator integrator : integrators)
        for (const Stored& way : ways)
            for (const twang_pin_method method : pin_methods) {
                Random random(2);
                Settings settings = one_iteration(method);
                settings.integrator = integrator;
                settings.precision = way.precision;
                settings.arithmetic = way.arithmetic;
                settings.pins = {0, 7, 30};
                for (std::uint32_t i = 0; i < net.size(); ++i)
                    settings.velocities.push_back(random.vector(2.0));
                const SolverDef once = settings.solver_def();
                if (integrator == TWANG_BDF2) settings.iterations = 100;
                Simulation one(net, settings);
                settings.solver = TWANG_SOLVER_NEWTON;
                settings.iterations = 100;
                settings.tolerance = 1e-10;
                Simulation newton(net, settings);
                for (int step = 0; step < 20; ++step) {
                    if (step == 1) {
                        ASSERT_EQ(one.body.set_solver(once), TWANG_OK);
                    }
                    ASSERT_EQ(one.step(), TWANG_OK);
                    ASSERT_EQ(newton.step(), TWANG_OK);
                    if (step > 0) {
                        ASSERT_EQ(one.body.report().iterations, 1);
                    }
                    ASSERT_LT(distance(one.positions(), newton.positions()),
                              10.0 * way.error * size_of(net.positions));
                }
                EXPECT_GT(distance(one.positions(), net.positions), 0.1); // something did happen
            }
}

// Liu et al.: minimise over directions d, then solve (M/(gamma h)^2 + L) x = J d + M/(gamma h)^2 y.
// x: where the springs are asked for their directions.
Eigen::MatrixXd textbook(const Net& net, double gamma_h, const std::vector<Vec3>& x,
                         const std::vector<Vec3>& y) {
    Eigen::MatrixXd q = Eigen::MatrixXd::Zero(net.size(), net.size());
    Eigen::MatrixXd b = Eigen::MatrixXd::Zero(net.size(), 3);
    const auto row = [](Vec3 v) { return Eigen::RowVector3d(v.x, v.y, v.z); };
    for (std::uint32_t i = 0; i < net.size(); ++i) {
        const double m = net.masses[i] / (gamma_h * gamma_h);
        q(i, i) += m;
        b.row(i) += m * row(y[i]);
    }
    for (const SpringDef& s : net.springs) {
        const Vec3 d = x[s.a] - x[s.b];
        const Vec3 wanted = (s.rest_length / length(d)) * d;
        q(s.a, s.a) += s.stiffness;
        q(s.b, s.b) += s.stiffness;
        q(s.a, s.b) -= s.stiffness;
        q(s.b, s.a) -= s.stiffness;
        b.row(s.a) += s.stiffness * row(wanted);
        b.row(s.b) -= s.stiffness * row(wanted);
    }
    return q.llt().solve(b);
}

// The first step of implicit Euler, the second of BDF2.
TEST(LocalGlobal, IsTheTextbookIteration) {
    const Net net = random_net(3, 25);
    Random random(4);
    Settings settings = one_iteration(TWANG_PIN_PENALTY);
    for (std::uint32_t i = 0; i < net.size(); ++i)
        settings.velocities.push_back(random.vector(5.0));
    for (const twang_integrator integrator : integrators)
        for (const Stored& way : ways) {
            settings.integrator = integrator;
            settings.precision = way.precision;
            settings.arithmetic = way.arithmetic;
            Simulation run(net, settings);
            const std::vector<Vec3> x_ = run.positions(), v_ = run.velocities();
            if (integrator == TWANG_BDF2) {
                ASSERT_EQ(run.step(), TWANG_OK);
            }
            const std::vector<Vec3> x0 = run.positions(), v0 = run.velocities();
            const double a = integrator == TWANG_BDF2 ? 1.0 / 3.0 : 0.0;
            const double gamma_h = (1.0 - a) * settings.h;
            std::vector<Vec3> start(net.size()), y(net.size());
            for (std::uint32_t i = 0; i < net.size(); ++i) {
                start[i] = x0[i] + a * (x0[i] - x_[i]) + gamma_h * (v0[i] + a * (v0[i] - v_[i]));
                y[i] = start[i] + (gamma_h * gamma_h) * settings.gravity;
            }
            ASSERT_EQ(run.step(), TWANG_OK);
            const Eigen::MatrixXd expected = textbook(net, gamma_h, start, y);
            const std::vector<Vec3> x = run.positions();
            for (std::uint32_t i = 0; i < net.size(); ++i)
                EXPECT_LT((Eigen::RowVector3d(x[i].x, x[i].y, x[i].z) - expected.row(i)).norm(),
                          way.error)
                    << integrator_name(integrator);
        }
}

TEST(LocalGlobal, ObjectiveNeverRises) {
    for (const twang_pin_method method : pin_methods) {
        const Net net = cloth_net(9, 9);
        Settings settings = crumpled(net, 1.0 / 60.0, TWANG_SOLVER_LOCAL_GLOBAL, method);
        settings.precision = TWANG_PRECISION_DOUBLE;
        settings.iterations = 100;
        Simulation run(net, settings);
        const Objectives objectives(run.world);
        ASSERT_EQ(run.step(10), TWANG_OK);
        ASSERT_EQ(objectives.steps().size(), 10u);
        for (const auto& g : objectives.steps()) {
            ASSERT_EQ(g.size(), 100u);
            EXPECT_LT(g.back(), 0.99 * g.front());
        }
        EXPECT_LT(objectives.worst_rise(), 1e-13);
    }
}

TEST(LocalGlobal, StartsAtTheMomentum) {
    const Net net = cloth_net(4, 4);
    Settings settings = one_iteration(TWANG_PIN_PENALTY);
    settings.gravity = {};
    settings.velocities.assign(net.size(), {3.0, -1.0, 2.0});
    Simulation run(net, settings);
    const Objectives objectives(run.world);
    ASSERT_EQ(run.step(), TWANG_OK);
    EXPECT_LT(objectives.steps().front().front(), 1e-20); // a free flight needs no correction
}

TEST(LocalGlobal, StopsAtItsToleranceOrItsIterations) {
    const Net net = cloth_net(6, 6);
    Settings settings = one_iteration(TWANG_PIN_PENALTY);
    settings.pins = {0};
    settings.iterations = 7;
    settings.tolerance = 0.0;
    Simulation capped(net, settings);
    ASSERT_EQ(capped.step(), TWANG_OK);
    EXPECT_EQ(capped.body.report().iterations, 7);
    EXPECT_EQ(capped.body.report().converged, 0);
    settings.iterations = 10'000;
    settings.tolerance = 1e-4;
    Simulation loose(net, settings);
    ASSERT_EQ(loose.step(), TWANG_OK);
    EXPECT_EQ(loose.body.report().converged, 1);
    EXPECT_LT(loose.body.report().residual, 1e-4);
    EXPECT_GT(loose.body.report().residual, 1e-6);
    settings.tolerance = 1e-7;
    Simulation tight(net, settings);
    ASSERT_EQ(tight.step(), TWANG_OK);
    EXPECT_GT(tight.body.report().iterations, loose.body.report().iterations);
}

TEST(LocalGlobal, AnswersUnsupportedToStvk) {
    Settings settings = one_iteration(TWANG_PIN_PENALTY);
    settings.energy = TWANG_STVK;
    EXPECT_EQ(Simulation(cloth_net(3, 3), settings).body.status(), TWANG_UNSUPPORTED);
}

} // namespace
} // namespace twang::test
