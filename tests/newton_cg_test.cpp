// Newton by conjugate gradients over the factor of Q: the same answers as Newton by factorisation.
#include "scenes.hpp"

namespace twang::test {
namespace {

TEST(NewtonCg, AgreesWithNewton) {
    Random random(1);
    for (const twang_energy energy : {TWANG_HOOKE, TWANG_STVK})
        for (const twang_pin_method method : pin_methods)
            for (const Net& net : {random_net(2, 40), cloth_net(8, 8), block_net(3, 2, 2, 0.2)}) {
                Settings settings;
                settings.energy = energy;
                settings.pin_method = method;
                settings.h = 0.01;
                settings.tolerance = 1e-9;
                settings.pins = {0, 5};
                for (std::uint32_t i = 0; i < net.size(); ++i)
                    settings.velocities.push_back(random.vector(0.3));
                Simulation direct(net, settings);
                settings.solver = TWANG_SOLVER_NEWTON_CG;
                Simulation iterative(net, settings);
                ASSERT_EQ(direct.step(10), TWANG_OK);
                ASSERT_EQ(iterative.step(10), TWANG_OK);
                EXPECT_EQ(iterative.body.report().converged, 1);
                EXPECT_GT(iterative.body.report().inner_iterations, 0);
                EXPECT_EQ(direct.body.report().inner_iterations, 0);
                EXPECT_LT(distance(direct.positions(), iterative.positions()),
                          1e-8 * size_of(net.positions));
            }
}

TEST(NewtonCg, ObjectiveNeverRises) {
    const Net net = cloth_net(9, 9);
    for (const twang_energy energy : {TWANG_HOOKE, TWANG_STVK})
        for (const twang_precision precision : {TWANG_PRECISION_FLOAT, TWANG_PRECISION_DOUBLE})
            for (const twang_pin_method method : pin_methods) {
                // So long a step that full Newton steps overshoot.
                Settings settings = crumpled(net, 0.1, TWANG_SOLVER_NEWTON_CG, method);
                settings.energy = energy;
                settings.precision = precision;
                Simulation run(net, settings);
                const Objectives objectives(run.world);
                ASSERT_EQ(run.step(2), TWANG_OK);
                for (const auto& g : objectives.steps()) EXPECT_LT(g.back(), 0.99 * g.front());
                // The fast kernels know springs, and so the objective, to a float's digits.
                const bool by_kernels = precision == TWANG_PRECISION_FLOAT && energy == TWANG_HOOKE;
                EXPECT_LT(objectives.worst_rise(), by_kernels ? 1e-6 : 1e-12);
            }
}

// Float's digits in the directions must not leave a trace in what springs cannot change.
TEST(NewtonCg, KeepsTheMomentumOfAFreeBody) {
    const Net net = cloth_net(9, 9);
    for (const twang_precision precision : {TWANG_PRECISION_FLOAT, TWANG_PRECISION_DOUBLE}) {
        Settings settings;
        settings.solver = TWANG_SOLVER_NEWTON_CG;
        settings.precision = precision;
        EXPECT_LT(momentum_drift(net, settings, 300), 1e-11);
    }
}

// Along a single spring H is Q, and so it is for the body as a whole; across the spring it is
// softer. Two eigenvalues: conjugate directions need no more than two iterations, mere descent
// many.
TEST(NewtonCg, DirectionsAreConjugate) {
    const Net net = chain_net(2, 1.0, 1.0, 1e5);
    Settings settings;
    settings.solver = TWANG_SOLVER_NEWTON_CG;
    settings.tolerance = 1e-9;
    settings.velocities = {{}, {1.0, -2.0, 0.5}};
    Simulation run(net, settings);
    for (int step = 0; step < 10; ++step) {
        ASSERT_EQ(run.step(), TWANG_OK);
        EXPECT_EQ(run.body.report().converged, 1);
        EXPECT_LE(run.body.report().inner_iterations, 2 * run.body.report().iterations);
    }
}

// Without rest lengths Q is the Hessian itself, so the preconditioned system is solved at once;
// with BDF2 from its second step on.
TEST(NewtonCg, QIsTheRightPreconditioner) {
    Net net = random_net(3, 50);
    for (SpringDef& s : net.springs) s.rest_length = 0.0;
    for (const twang_integrator integrator : integrators)
        for (const twang_pin_method method : pin_methods) {
            Settings settings;
            settings.solver = TWANG_SOLVER_NEWTON_CG;
            settings.integrator = integrator;
            settings.precision = TWANG_PRECISION_DOUBLE;
            settings.pin_method = method;
            settings.pins = {1};
            Simulation run(net, settings);
            if (integrator == TWANG_BDF2) {
                ASSERT_EQ(run.step(), TWANG_OK);
            }
            for (int step = 0; step < 5; ++step) {
                ASSERT_EQ(run.step(), TWANG_OK);
                EXPECT_EQ(run.body.report().converged, 1);
                EXPECT_LE(run.body.report().inner_iterations, run.body.report().iterations);
                EXPECT_LE(run.body.report().iterations, 3);
            }
        }
}

} // namespace
} // namespace twang::test
