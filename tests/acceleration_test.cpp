// Every acceleration of local-global: the same answer as Newton, never uphill, never behind the
// plain loop, still at rest, the same bits for any number of workers, momentum kept; and what
// two-level is for, few iterations that move a body as it should.
#include "scenes.hpp"

namespace twang::test {
namespace {

constexpr std::array accelerations{TWANG_ACCELERATION_NONE, TWANG_ACCELERATION_CHEBYSHEV,
                                   TWANG_ACCELERATION_ANDERSON, TWANG_ACCELERATION_LBFGS,
                                   TWANG_ACCELERATION_TWO_LEVEL};
std::string name_of(twang_acceleration acceleration) {
    constexpr std::array names{"plain", "chebyshev", "anderson", "lbfgs", "two_level"};
    return names[acceleration];
}

// Bodies large enough for a coarse grid.
Net cloth() { return cloth_net(13, 13); }
Net block() { return block_net(6, 6, 4, 0.1); }

// Let go from two pins, every other vertex out of place.
Settings crumple(const Net& net, twang_acceleration acceleration, twang_pin_method method,
                 double squeeze = 0.8, double noise = 0.03) {
    Settings settings;
    settings.solver = TWANG_SOLVER_LOCAL_GLOBAL;
    settings.acceleration = acceleration;
    settings.pin_method = method;
    settings.pins = {0, 12};
    settings.positions = net.positions;
    Random random(5);
    for (std::uint32_t i = 0; i < net.size(); ++i)
        if (i != 0 && i != 12)
            settings.positions[i] = squeeze * settings.positions[i] + random.vector(noise);
    return settings;
}

// 1 m by 1 m and 1 kg, let go level from two corners.
Net falling_cloth(std::uint32_t n) {
    ClothDef def;
    def.columns = def.rows = n;
    def.spacing = 1.0 / (n - 1);
    def.mass = 1.0;
    def.stiffness = def.shear = def.bend = 100.0 / def.spacing;
    def.down = {0.0, 0.0, 1.0};
    return cloth_net(def);
}
Settings falling(std::uint32_t n, twang_acceleration acceleration, int iterations) {
    Settings settings;
    settings.solver = TWANG_SOLVER_LOCAL_GLOBAL;
    settings.acceleration = acceleration;
    settings.iterations = iterations;
    settings.pins = {0, n - 1};
    return settings;
}

class Acceleration : public testing::TestWithParam<twang_acceleration> {};

// Not so crumpled, and with a time step so short, that there is one answer only.
TEST_P(Acceleration, ConvergesToNewtonsAnswer) {
    for (const Net& net : {cloth(), block()})
        for (const twang_pin_method method : pin_methods) {
            Settings settings = crumple(net, GetParam(), method, 1.0, 0.02);
            settings.h = 1.0 / 240.0;
            settings.iterations = 5'000;
            settings.tolerance = 1e-6;
            Simulation run(net, settings);
            settings.solver = TWANG_SOLVER_NEWTON;
            settings.iterations = 100;
            settings.tolerance = 1e-9;
            Simulation newton(net, settings);
            for (int step = 0; step < 3; ++step) {
                ASSERT_EQ(run.step(), TWANG_OK);
                ASSERT_EQ(newton.step(), TWANG_OK);
                EXPECT_EQ(run.body.report().converged, 1);
                EXPECT_EQ(newton.body.report().converged, 1);
                EXPECT_LT(distance(run.positions(), newton.positions()),
                          1e-5 * size_of(net.positions));
            }
            EXPECT_GT(distance(run.positions(), settings.positions), 0.01); // something did happen
        }
}

TEST_P(Acceleration, NeverEndsAnIterationHigherThanItBegan) {
    for (const twang_precision precision : {TWANG_PRECISION_DOUBLE, TWANG_PRECISION_FLOAT})
        for (const twang_pin_method method : pin_methods) {
            const Net net = cloth();
            Settings settings = crumple(net, GetParam(), method);
            settings.precision = precision;
            settings.iterations = 60;
            Simulation run(net, settings);
            const Objectives objectives(run.world);
            ASSERT_EQ(run.step(10), TWANG_OK);
            ASSERT_EQ(objectives.steps().size(), 10u);
            for (const auto& g : objectives.steps()) EXPECT_LT(g.back(), 0.99 * g.front());
            EXPECT_LT(objectives.worst_rise(), precision == TWANG_PRECISION_DOUBLE ? 1e-13 : 1e-7);
        }
}

// What g is at the start and after each of ten iterations, `steps` plain steps into a scene.
std::vector<double> course(const Net& net, Settings settings, int steps) {
    const twang_acceleration acceleration = settings.acceleration;
    settings.precision = TWANG_PRECISION_DOUBLE;
    settings.acceleration = TWANG_ACCELERATION_NONE;
    settings.iterations = 11;
    Simulation run(net, settings);
    EXPECT_EQ(run.step(steps), TWANG_OK);
    settings.acceleration = acceleration;
    EXPECT_EQ(run.body.set_solver(settings.solver_def()), TWANG_OK);
    const Objectives objectives(run.world);
    EXPECT_EQ(run.step(), TWANG_OK);
    return objectives.steps().front();
}

void expect_not_behind_plain(const Net& net, Settings settings) {
    for (const twang_pin_method method : pin_methods)
        for (const int steps : {0, 1, 20}) {
            settings.pin_method = method;
            const std::vector<double> fast = course(net, settings, steps);
            Settings unaided = settings;
            unaided.acceleration = TWANG_ACCELERATION_NONE;
            const std::vector<double> plain = course(net, unaided, steps);
            ASSERT_EQ(fast.size(), plain.size());
            ASSERT_EQ(fast[0], plain[0]);
            // Sure to lower g by as much as plain is sure to, which may lower it by a little more.
            for (const int k : {1, 3, 10})
                EXPECT_GE(fast[0] - fast[k], 0.95 * (plain[0] - plain[k]))
                    << k << " iterations, " << steps << " steps into the scene";
        }
}

TEST_P(Acceleration, IsNotBehindPlainOnACrumpledCloth) {
    const Net net = cloth();
    expect_not_behind_plain(net, crumple(net, GetParam(), TWANG_PIN_PENALTY));
}

TEST_P(Acceleration, IsNotBehindPlainOnAFallingCloth) {
    expect_not_behind_plain(falling_cloth(20), falling(20, GetParam(), 0));
}

TEST_P(Acceleration, ABodyAtRestStaysBitwiseStill) {
    for (const twang_precision precision :
         {TWANG_PRECISION_DOUBLE, TWANG_PRECISION_FLOAT, TWANG_PRECISION_HALF})
        for (const twang_pin_method method : pin_methods)
            for (const Net& net : {cloth(), block()}) {
                Settings settings;
                settings.solver = TWANG_SOLVER_LOCAL_GLOBAL;
                settings.acceleration = GetParam();
                settings.precision = precision;
                settings.pin_method = method;
                settings.gravity = {};
                settings.pins = {0};
                Simulation run(net, settings);
                ASSERT_EQ(run.step(20), TWANG_OK);
                EXPECT_EQ(distance(run.positions(), net.positions), 0.0);
                EXPECT_EQ(run.body.report().error_estimate, 0.0);
            }
}

TEST_P(Acceleration, HasTheSameBitsForAnyWorkers) {
    const Net net = cloth_net(66, 64); // beyond 4,000 vertices, factor and vectors are shared out
    const Settings settings = falling(66, GetParam(), 8);
    const SolverDef solver = settings.solver_def();
    std::uint64_t first = 0;
    for (const int workers : {1, 2, 3}) {
        World world{WorldDef{.workers = workers, .solver = solver}};
        BodyDef def;
        def.pins = settings.pins.data();
        def.pin_count = 2;
        const Body body = world.add(net.model(), def);
        for (int step = 0; step < 3; ++step) ASSERT_EQ(world.step(), TWANG_OK);
        if (workers == 1) first = body.measure().state_hash;
        EXPECT_EQ(body.measure().state_hash, first) << workers << " workers";
    }
}

TEST_P(Acceleration, KeepsTheMomentumOfAFreeBody) {
    for (const twang_precision precision :
         {TWANG_PRECISION_DOUBLE, TWANG_PRECISION_FLOAT, TWANG_PRECISION_HALF})
        for (const Net& net : {cloth(), block()}) {
            Settings settings;
            settings.solver = TWANG_SOLVER_LOCAL_GLOBAL;
            settings.acceleration = GetParam();
            settings.precision = precision;
            EXPECT_LT(momentum_drift(net, settings, 100), 1e-9);
        }
}

// Near rest g changes by less than float can tell; the safeguard must not take that for a rise, or
// each iteration would be tried three times. With few iterations Chebyshev's do rise: below ten
// with implicit Euler, below twenty with BDF2, a cloth trembles by what float can tell.
TEST_P(Acceleration, TakesNoRoundingForARise) {
    const Net net = cloth();
    for (const twang_integrator integrator : integrators) {
        Settings settings;
        settings.solver = TWANG_SOLVER_LOCAL_GLOBAL;
        settings.acceleration = GetParam();
        settings.integrator = integrator;
        settings.pins = {0, 12};
        settings.iterations =
            integrator == TWANG_BDF2 && GetParam() == TWANG_ACCELERATION_CHEBYSHEV ? 20 : 10;
        settings.damping = 5.0;
        Simulation run(net, settings);
        ASSERT_EQ(run.step(120), TWANG_OK);
        int rejected = 0;
        for (int step = 0; step < 30; ++step) {
            ASSERT_EQ(run.step(), TWANG_OK);
            rejected += run.body.report().rejected_steps;
        }
        EXPECT_LE(rejected, 30) << "of 300 iterations or more, " << integrator_name(integrator);
    }
}

INSTANTIATE_TEST_SUITE_P(Every, Acceleration, testing::ValuesIn(accelerations),
                         [](const auto& info) { return name_of(info.param); });

TEST(TwoLevel, FallsAsItShouldInThreeIterations) {
    constexpr std::uint32_t n = 20;
    const Net net = falling_cloth(n);
    for (const auto& [integrator, least] :
         {std::pair{TWANG_IMPLICIT_EULER, 0.03}, {TWANG_BDF2, 0.032}}) {
        const auto after = [&, integrator = integrator](Settings settings) {
            settings.integrator = integrator;
            Simulation run(net, settings);
            EXPECT_EQ(run.step(30), TWANG_OK);
            return run.positions();
        };
        Settings reference = falling(n, TWANG_ACCELERATION_NONE, 50);
        reference.solver = TWANG_SOLVER_NEWTON_CG;
        reference.tolerance = 1e-6;
        const std::vector<Vec3> truth = after(reference);
        const auto error = [&](twang_acceleration acceleration) {
            const std::vector<Vec3> x = after(falling(n, acceleration, 3));
            return (flat(x) - flat(truth)).norm() / std::sqrt(net.size());
        };
        EXPECT_LT(error(TWANG_ACCELERATION_TWO_LEVEL), least) << integrator_name(integrator);
        EXPECT_GT(error(TWANG_ACCELERATION_NONE), 0.1) << integrator_name(integrator);
    }
}

// With a single iteration, too, nothing overshoots: BDF2 would not forgive it. Before the last
// iteration ended with the plain correction this cloth stretched to several times its size.
TEST(TwoLevel, OneIterationStretchesNothing) {
    for (const std::uint32_t n : {16u, 24u, 32u}) {
        const Net net = falling_cloth(n);
        Simulation run(net, falling(n, TWANG_ACCELERATION_TWO_LEVEL, 1));
        double worst = 0.0;
        for (int frame = 0; frame < 300; ++frame) {
            ASSERT_EQ(run.step(1), TWANG_OK);
            worst = std::max(worst, run.body.measure().max_stretch);
        }
        EXPECT_LT(worst, 0.12) << n;
    }
}

} // namespace
} // namespace twang::test
