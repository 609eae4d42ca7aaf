// Equilibrium: chains and trusses against closed forms, the balance of forces on what has none, and
// NO_EQUILIBRIUM where there is no answer.
#include <twang/io.hpp>

#include "scenes.hpp"

namespace twang::test {
namespace {

constexpr double g = 9.8;

Settings at_rest(std::vector<std::uint32_t> pins, twang_pin_method method = TWANG_PIN_ELIMINATION) {
    Settings settings;
    settings.solver = TWANG_SOLVER_STATIC;
    settings.pin_method = method;
    settings.pins = std::move(pins);
    return settings;
}

// The largest force left on a vertex that is not pinned, in N.
double imbalance(const Net& net, const Settings& settings, const std::vector<Vec3>& x) {
    std::vector<Vec3> force = spring_forces(net, settings.energy, x);
    for (std::size_t i = 0; i < force.size(); ++i) force[i] += net.masses[i] * settings.gravity;
    for (const std::uint32_t pin : settings.pins) force[pin] = {};
    return core::longest(force);
}

// Every spring of a hanging chain carries what is below it.
std::vector<Vec3> hanging(const Net& chain, double spacing, double mass, double stiffness) {
    std::vector<Vec3> x(chain.size());
    for (std::uint32_t i = 1; i < chain.size(); ++i)
        x[i].y = x[i - 1].y - spacing - (chain.size() - i) * mass * g / stiffness;
    return x;
}

TEST(Static, HangingChainStretchesByTheWeightBelow) {
    for (const twang_pin_method method : pin_methods) {
        const Net chain = chain_net(20, 0.1, 0.05, 200.0);
        const std::vector<Vec3> expected = hanging(chain, 0.1, 0.05, 200.0);
        Simulation run(chain, at_rest({0}, method));
        ASSERT_EQ(run.step(), TWANG_OK) << last_error();
        EXPECT_EQ(run.body.report().converged, 1);
        const double tolerance = method == TWANG_PIN_PENALTY ? 1e-6 : 1e-9;
        EXPECT_LT(distance(run.positions(), expected), tolerance * size_of(expected));
        EXPECT_GT(length(expected.back() - chain.positions.back()), 0.1);
        for (const Vec3& v : run.velocities()) EXPECT_EQ(length(v), 0.0);
    }
}

// The chain starts crooked, far off and moving: the answer is the same.
TEST(Static, FindsTheChainFromAfar) {
    const Net chain = chain_net(10, 0.1, 0.05, 200.0);
    const std::vector<Vec3> expected = hanging(chain, 0.1, 0.05, 200.0);
    Settings settings = at_rest({0});
    Random random(1);
    settings.positions.push_back({});
    for (std::uint32_t i = 1; i < chain.size(); ++i)
        settings.positions.push_back({0.1 * i, 0.0, random.uniform(-0.05, 0.05)});
    settings.velocities.assign(chain.size(), {3.0, 0.0, 0.0});
    Simulation run(chain, settings);
    ASSERT_EQ(run.step(), TWANG_OK) << last_error();
    EXPECT_LT(distance(run.positions(), expected), 1e-7);
}

// The time step only damps the way there: damped steps are short, and no sign of having arrived.
TEST(Static, TheTimeStepDoesNotMatter) {
    const Net chain = chain_net(10, 0.1, 0.05, 200.0);
    const std::vector<Vec3> expected = hanging(chain, 0.1, 0.05, 200.0);
    for (const double h : {1e-6, 1e-4, 1e-2, 1.0}) {
        Settings settings = at_rest({0});
        settings.h = h;
        settings.tolerance = 1e-10 / h; // steps below 1e-10 m
        Simulation run(chain, settings);
        ASSERT_EQ(run.step(), TWANG_OK) << last_error();
        EXPECT_LT(distance(run.positions(), expected), 1e-7) << h;
    }
}

// Two bars to supports 2 m apart and a node between them, 1 m off their line at rest: to hold the
// node at height y, the bars lift 2 k (r - l) y / l.
TEST(Static, TwoBarTrussByHand) {
    constexpr double k = 1e4;
    const double r = std::sqrt(2.0);
    for (const auto& [rest, y] : {std::pair{-1.0, -1.15}, std::pair{1.0, 0.9}}) {
        const double l = std::hypot(1.0, y), lift = 2.0 * k * (r - l) * y / l;
        Net net;
        net.positions = {{-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, rest, 0.0}};
        net.masses = {1.0, 1.0, lift / g};
        net.join(0, 2, k);
        net.join(1, 2, k);
        Simulation run(net, at_rest({0, 1}));
        ASSERT_EQ(run.step(), TWANG_OK) << last_error();
        EXPECT_LT(length(run.positions()[2] - Vec3{0.0, y, 0.0}), 1e-9);
    }
}

TEST(Static, ForcesBalance) {
    for (const twang_energy energy : {TWANG_HOOKE, TWANG_STVK})
        for (const Net& net : {cloth_net(8, 8), block_net(4, 2, 2, 0.1)}) {
            Settings settings = at_rest({0, 7, 20});
            settings.energy = energy;
            Simulation run(net, settings);
            ASSERT_EQ(run.step(), TWANG_OK) << last_error();
            const double weight = g * std::accumulate(net.masses.begin(), net.masses.end(), 0.0);
            EXPECT_LT(imbalance(net, settings, run.positions()), 1e-6 * weight);
            const std::vector<Vec3> x = run.positions();
            ASSERT_EQ(run.step(), TWANG_OK); // and again: it is there already
            EXPECT_LT(distance(run.positions(), x), 1e-6);
        }
}

// A cloth let down from two corners is pressed across. There the projected Hessian creeps; near
// the answer the exact one must have taken over.
TEST(Static, ConvergesFastInTheEnd) {
    ClothDef def;
    def.columns = def.rows = 12;
    def.spacing = 0.09;
    def.down = {0.0, 0.0, 1.0};
    Simulation run(cloth_net(def), at_rest({0, 11}));
    std::vector<double> moves;
    run.world.set_iteration_callback(
        [](void* user, const twang_iteration* now) {
            static_cast<std::vector<double>*>(user)->push_back(now->residual);
        },
        &moves);
    ASSERT_EQ(run.step(), TWANG_OK) << last_error();
    ASSERT_GE(moves.size(), 3u);
    EXPECT_LT(moves.back(), 0.03 * moves[moves.size() - 2]);
}

TEST(Static, ShippedTrussBalances) {
    const auto scene = io::read_scene(TWANG_ASSETS_DIR "/scenes/truss.json");
    ASSERT_TRUE(scene);
    auto stage = io::instantiate(*scene);
    ASSERT_TRUE(stage);
    ASSERT_EQ(stage->step(), TWANG_OK) << last_error();
    Net net;
    net.masses = scene->masses;
    for (std::size_t i = 0; i < scene->mesh.positions.size(); i += 3)
        net.positions.push_back(
            {scene->mesh.positions[i], scene->mesh.positions[i + 1], scene->mesh.positions[i + 2]});
    net.springs = scene->springs;
    if (net.masses.empty()) net.masses.assign(net.size(), 10.0);
    std::vector<Vec3> x(net.size());
    ASSERT_EQ(stage->body.copy_positions({&x.data()->x, 3 * x.size()}), TWANG_OK);
    EXPECT_LT(imbalance(net, at_rest(scene->pins), x), 1e-5); // of 980 N
    EXPECT_GT(distance(x, net.positions), 1e-3);
}

TEST(Static, UserForcesLoadTheBody) {
    const Net chain = chain_net(3, 1.0, 1.0, 100.0, {1.0, 0.0, 0.0});
    Settings settings = at_rest({0});
    settings.gravity = {};
    Simulation run(chain, settings);
    ASSERT_EQ(run.body.add_force(2, {50.0, 0.0, 0.0}), TWANG_OK);
    ASSERT_EQ(run.step(), TWANG_OK) << last_error();
    EXPECT_NEAR(run.positions()[1].x, 1.5, 1e-9);
    EXPECT_NEAR(run.positions()[2].x, 3.0, 1e-9);
    ASSERT_EQ(run.step(), TWANG_OK); // the force was for one step
    EXPECT_NEAR(run.positions()[2].x, 2.0, 1e-9);
}

TEST(Static, PinsAreFixedAndReleasedBetweenSolves) {
    for (const twang_pin_method method : pin_methods) {
        const Net chain = chain_net(6, 0.2, 0.5, 1000.0);
        const std::vector<Vec3> free_end = hanging(chain, 0.2, 0.5, 1000.0);
        Simulation run(chain, at_rest({0, 5}, method));
        ASSERT_EQ(run.step(), TWANG_OK) << last_error();
        const double size = size_of(chain.positions);
        EXPECT_LT(length(run.positions()[5] - chain.positions[5]), 1e-6 * size);
        ASSERT_EQ(run.body.unpin(5), TWANG_OK);
        ASSERT_EQ(run.step(), TWANG_OK) << last_error();
        EXPECT_LT(distance(run.positions(), free_end), 1e-6 * size);
        // Caught where it hangs, let go at the top, caught again at the top: nothing moves.
        ASSERT_EQ(run.body.pin(5), TWANG_OK);
        ASSERT_EQ(run.step(), TWANG_OK) << last_error();
        EXPECT_LT(distance(run.positions(), free_end), 2e-6 * size);
        const Vec3 moved = free_end[5] + Vec3{0.3, 0.1, 0.0};
        ASSERT_EQ(run.body.pin(5, moved), TWANG_OK);
        ASSERT_EQ(run.step(), TWANG_OK) << last_error();
        EXPECT_LT(length(run.positions()[5] - moved), 1e-6 * size);
        ASSERT_EQ(run.body.unpin(5), TWANG_OK);
        ASSERT_EQ(run.step(), TWANG_OK) << last_error();
        EXPECT_LT(distance(run.positions(), free_end), 1e-6 * size);
    }
}

TEST(Static, NothingHoldsAFreeBodyUnderGravity) {
    const Net net = cloth_net(4, 4);
    Simulation run(net, at_rest({}));
    EXPECT_EQ(run.step(), TWANG_NO_EQUILIBRIUM);
    EXPECT_NE(std::string(last_error()).find("pin"), std::string::npos) << last_error();
    EXPECT_EQ(distance(run.positions(), net.positions), 0.0);
    EXPECT_EQ(run.body.report().enabled, 0);
    ASSERT_EQ(run.body.reset(), TWANG_OK);
    ASSERT_EQ(run.body.pin(0), TWANG_OK);
    EXPECT_EQ(run.step(), TWANG_OK) << last_error();
}

TEST(Static, EveryPartNeedsItsPin) {
    Net net = chain_net(4, 1.0, 1.0, 100.0);
    net.springs.erase(net.springs.begin() + 1); // 0-1  2-3
    EXPECT_EQ(Simulation(net, at_rest({0})).step(), TWANG_NO_EQUILIBRIUM);
    EXPECT_EQ(Simulation(net, at_rest({0, 2})).step(), TWANG_OK) << last_error();
    net.join(1, 2, 0.0); // a spring without stiffness holds nothing
    EXPECT_EQ(Simulation(net, at_rest({0})).step(), TWANG_NO_EQUILIBRIUM);
    EXPECT_NE(std::string(last_error()).find("no pin"), std::string::npos) << last_error();
}

TEST(Static, AFreeBodyWithoutGravityRelaxes) {
    for (const twang_energy energy : {TWANG_HOOKE, TWANG_STVK}) {
        const Net net = block_net(2, 1, 1, 0.3);
        Settings settings = at_rest({});
        settings.energy = energy;
        settings.gravity = {};
        settings.positions = net.positions;
        for (Vec3& p : settings.positions)
            p = Vec3{1.3 * p.x, 0.9 * p.y, p.z} + Vec3{5.0, 0.0, 0.0};
        Simulation run(net, settings);
        ASSERT_EQ(run.step(), TWANG_OK) << last_error();
        EXPECT_LT(run.body.measure().max_stretch, 1e-6);
        // Internal forces do not push the body as a whole.
        Vec3 centre{};
        double mass = 0.0;
        for (std::uint32_t i = 0; i < net.size(); ++i) {
            centre += net.masses[i] * settings.positions[i];
            mass += net.masses[i];
        }
        EXPECT_LT(length(run.body.measure().centre - (1.0 / mass) * centre), 1e-6);
    }
}

TEST(Static, SaysWhenItsIterationsDoNotSuffice) {
    Settings settings = at_rest({0, 7});
    settings.iterations = 3;
    const Net net = cloth_net(8, 8);
    Simulation run(net, settings);
    EXPECT_EQ(run.step(), TWANG_NO_EQUILIBRIUM);
    EXPECT_NE(std::string(last_error()).find("iterations"), std::string::npos) << last_error();
    EXPECT_EQ(distance(run.positions(), net.positions), 0.0);
}

} // namespace
} // namespace twang::test
