// A budget of time: one iteration at least, no more than fit, nothing changed where all fit; and
// the estimate of how far a step still is from its solution.
#include <limits>

#include "scenes.hpp"

namespace twang::test {
namespace {

constexpr std::array iterating_solvers{TWANG_SOLVER_LOCAL_GLOBAL, TWANG_SOLVER_NEWTON,
                                       TWANG_SOLVER_NEWTON_CG};

Net cloth() { return cloth_net(9, 9); }

Settings crumpled_cloth(const Net& net, twang_solver solver) {
    Settings settings = crumpled(net, 1.0 / 60.0, solver, TWANG_PIN_PENALTY);
    settings.acceleration = TWANG_ACCELERATION_TWO_LEVEL;
    settings.iterations = 10;
    settings.tolerance = 0.0;
    return settings;
}

SolverDef with_budget(const Settings& settings, double ms) {
    SolverDef def = settings.solver_def();
    def.budget_ms = ms;
    return def;
}

TEST(Budget, AllowsOneIterationInAnyCase) {
    const Net net = cloth();
    for (const twang_solver solver : iterating_solvers) {
        const Settings settings = crumpled_cloth(net, solver);
        Simulation run(net, settings);
        ASSERT_EQ(run.body.set_solver(with_budget(settings, 1e-6)), TWANG_OK);
        for (int step = 0; step < 3; ++step) {
            ASSERT_EQ(run.step(), TWANG_OK);
            EXPECT_EQ(run.body.report().iterations, 1) << solver_name(solver);
            EXPECT_EQ(run.body.report().converged, 0);
        }
    }
}

TEST(Budget, ChangesNothingWhereAllFits) {
    const Net net = cloth();
    for (const twang_solver solver : iterating_solvers) {
        const Settings settings = crumpled_cloth(net, solver);
        Simulation limited(net, settings), free(net, settings);
        ASSERT_EQ(limited.body.set_solver(with_budget(settings, 1e9)), TWANG_OK);
        ASSERT_EQ(limited.step(5), TWANG_OK);
        ASSERT_EQ(free.step(5), TWANG_OK);
        EXPECT_EQ(limited.body.report().iterations, free.body.report().iterations);
        EXPECT_EQ(limited.body.measure().state_hash, free.body.measure().state_hash)
            << solver_name(solver);
    }
}

// What is refused leaves the settings as they were, for a body as for a world.
TEST(Budget, RefusesWhatIsNoTime) {
    const Net net = cloth();
    const Settings settings = crumpled_cloth(net, TWANG_SOLVER_LOCAL_GLOBAL);
    Simulation run(net, settings), untouched(net, settings);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::pair<double, Status> faults[] = {
        {-1.0, TWANG_OUT_OF_RANGE},
        {-1e-300, TWANG_OUT_OF_RANGE},
        {std::numeric_limits<double>::quiet_NaN(), TWANG_NOT_FINITE},
        {infinity, TWANG_NOT_FINITE},
        {-infinity, TWANG_NOT_FINITE}};
    for (const auto& [ms, expected] : faults) {
        SolverDef def = with_budget(settings, ms);
        def.iterations = 1;
        EXPECT_EQ(run.body.set_solver(def), expected) << ms;
        EXPECT_EQ(run.world.set_solver(def), expected) << ms;
        BodyDef body;
        body.solver = &def;
        EXPECT_EQ(run.world.add(net.model(), body).status(), expected) << ms;
        EXPECT_EQ(World(WorldDef{.solver = def}).status(), expected) << ms;
    }
    ASSERT_EQ(run.step(), TWANG_OK);
    ASSERT_EQ(untouched.step(), TWANG_OK);
    EXPECT_EQ(run.body.report().iterations, 10);
    EXPECT_EQ(run.body.measure().state_hash, untouched.body.measure().state_hash);
}

// ---- How far it is still to go ---------------------------------------------------------------

// A cloth slightly out of shape and a short time step: moves shrink steadily.
struct Steady {
    Net net = cloth();
    Settings settings;

    Steady() {
        settings.h = 1.0 / 240.0;
        settings.pins = {0, 8};
        settings.positions = net.positions;
        Random random(3);
        for (Vec3& p : settings.positions) p += random.vector(0.01);
    }
    Simulation after(twang_solver solver, twang_acceleration acceleration, int iterations) {
        settings.solver = solver;
        settings.acceleration = acceleration;
        settings.iterations = iterations;
        settings.tolerance = solver == TWANG_SOLVER_NEWTON ? 1e-9 : 0.0;
        Simulation run(net, settings);
        EXPECT_EQ(run.step(), TWANG_OK);
        return run;
    }
};

TEST(ErrorEstimate, IsTheDistanceToTheSolution) {
    Steady steady;
    const Simulation newton = steady.after(TWANG_SOLVER_NEWTON, TWANG_ACCELERATION_NONE, 100);
    ASSERT_EQ(newton.body.report().converged, 1);
    double last = std::numeric_limits<double>::infinity();
    for (const int iterations : {50, 100, 200}) {
        const Simulation run =
            steady.after(TWANG_SOLVER_LOCAL_GLOBAL, TWANG_ACCELERATION_NONE, iterations);
        const double estimate = run.body.report().error_estimate;
        const double error = distance(run.positions(), newton.positions());
        EXPECT_GT(estimate, error / 3.0) << iterations;
        EXPECT_LT(estimate, error * 3.0) << iterations;
        EXPECT_LT(estimate, last) << iterations;
        last = estimate;
    }
}

TEST(ErrorEstimate, IsUnknownAfterOneIterationAndNeverBelowZero) {
    Steady steady;
    for (const twang_acceleration acceleration :
         {TWANG_ACCELERATION_NONE, TWANG_ACCELERATION_CHEBYSHEV, TWANG_ACCELERATION_ANDERSON,
          TWANG_ACCELERATION_LBFGS, TWANG_ACCELERATION_TWO_LEVEL})
        for (int iterations = 1; iterations <= 20; ++iterations) {
            const double estimate =
                steady.after(TWANG_SOLVER_LOCAL_GLOBAL, acceleration, iterations)
                    .body.report()
                    .error_estimate;
            EXPECT_GE(estimate, 0.0);
            if (iterations == 1) {
                EXPECT_TRUE(std::isinf(estimate));
            }
        }
}

TEST(ErrorEstimate, IsZeroAtRest) {
    const Net net = cloth();
    Settings settings;
    settings.solver = TWANG_SOLVER_LOCAL_GLOBAL;
    settings.gravity = {};
    Simulation run(net, settings);
    ASSERT_EQ(run.step(), TWANG_OK);
    EXPECT_EQ(run.body.report().error_estimate, 0.0);
}

} // namespace
} // namespace twang::test
