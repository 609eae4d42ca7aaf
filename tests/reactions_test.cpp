// What pins are pulled with: all momentum that does not come from outside comes through them.
#include "solver/reactions.hpp"

#include <cstdlib>

#include "scenes.hpp"

namespace twang::test {
namespace {

// The worst imbalance, relative to the largest pull, of force and torque over a swing: of what is
// gained in a step, m (v1 - v0 - a (v0 - v_)) = gamma h F, and what is told.
struct Balance {
    double force = 0.0, torque = 0.0, pull = 0.0;
};
Balance swing(const Net& net, const Settings& settings, int steps, bool shaken = false) {
    Simulation s(net, settings);
    Balance worst;
    double twist = 0.0;
    const Vec3 point{0.2, -0.1, 0.3};
    const twang_integrator integrator = taken(settings.integrator, settings.solver);
    std::vector<Vec3> before = s.velocities(), earlier = before;
    for (int i = 0; i < steps; ++i) {
        const double a = integrator == TWANG_BDF2 && i > 0 ? 1.0 / 3.0 : 0.0;
        if (shaken)
            s.body.pin(settings.pins[0],
                       net.positions[settings.pins[0]] + Vec3{0.0, 0.05 * (i % 7), 0.02 * (i % 5)});
        EXPECT_EQ(s.step(), TWANG_OK) << last_error();
        const std::vector<Vec3> x = s.positions(), v = s.velocities();
        Vec3 force{}, torque{};
        for (std::size_t k = 0; k < x.size(); ++k) {
            const Vec3 gained = v[k] - before[k] - a * (before[k] - earlier[k]);
            const Vec3 change =
                net.masses[k] * ((1.0 / ((1.0 - a) * settings.h)) * gained - settings.gravity);
            force += change;
            torque += core::cross(x[k] - point, change);
        }
        const Body::PinForce pulled = s.body.pin_force({}, point);
        worst.pull = std::max(worst.pull, length(force));
        twist = std::max(twist, length(torque));
        worst.force = std::max(worst.force, length(force + pulled.force));
        worst.torque = std::max(worst.torque, length(torque + pulled.torque));
        earlier = before;
        before = v;
    }
    worst.force /= worst.pull;
    worst.torque /= twist;
    return worst;
}

Settings hung(twang_solver solver, twang_pin_method method) {
    Settings settings;
    settings.solver = solver;
    settings.pin_method = method;
    settings.pins = {0, 8};
    settings.velocities.assign(81, {0.0, 0.0, 2.0});
    settings.velocities[0] = settings.velocities[8] = {};
    return settings;
}

TEST(Reaction, PinsTakeUpAllMomentumOfASwingingCloth) {
    for (const twang_integrator integrator : integrators)
        for (const twang_pin_method method : pin_methods) {
            Settings settings = hung(TWANG_SOLVER_NEWTON, method);
            settings.integrator = integrator;
            settings.tolerance = 1e-9;
            const Balance balance = swing(cloth_net(9, 9), settings, 60);
            EXPECT_LT(balance.force, 1e-6) << method;
            EXPECT_LT(balance.torque, 1e-6) << method;
            EXPECT_GT(balance.pull, 3.0); // N: more than its weight of 2 N
            RecordProperty(integrator_name(integrator) + std::to_string(method),
                           std::to_string(balance.force * 1e9) + "e-9");
        }
}

TEST(Reaction, AlsoWhenThePinsAreShaken) {
    for (const twang_integrator integrator : integrators) {
        Settings settings = hung(TWANG_SOLVER_NEWTON, TWANG_PIN_ELIMINATION);
        settings.integrator = integrator;
        settings.tolerance = 1e-9;
        const Balance balance = swing(cloth_net(9, 9), settings, 60, true);
        EXPECT_LT(balance.force, 1e-6);
        EXPECT_LT(balance.torque, 1e-6);
    }
}

// Few iterations leave some of the gradient at free vertices. The pins share it: forces balance all
// the same, torques as far as the solver has converged.
TEST(Reaction, ForcesBalanceHoweverFewTheIterations) {
    for (const twang_integrator integrator : integrators) {
        double last = 1.0;
        for (const int iterations : {3, 10, 50, 200}) {
            Settings settings = hung(TWANG_SOLVER_LOCAL_GLOBAL, TWANG_PIN_ELIMINATION);
            settings.integrator = integrator;
            settings.acceleration = TWANG_ACCELERATION_TWO_LEVEL;
            settings.iterations = iterations;
            const Balance balance = swing(cloth_net(9, 9), settings, 60);
            EXPECT_LT(balance.force, 1e-12) << iterations;
            EXPECT_LT(balance.torque, last) << iterations;
            last = balance.torque;
            RecordProperty(integrator_name(integrator) + std::to_string(iterations),
                           std::to_string(balance.torque));
        }
        EXPECT_LT(last, 1e-3);
    }
    EXPECT_LT(swing(cloth_net(9, 9), hung(TWANG_SOLVER_LINEAR, TWANG_PIN_PENALTY), 60).force,
              1e-12);
}

TEST(Reaction, SymplecticEulerBalancesExactly) {
    Settings settings = hung(TWANG_SOLVER_SYMPLECTIC, TWANG_PIN_PENALTY);
    settings.h = 1e-4;
    EXPECT_LT(swing(cloth_net(9, 9), settings, 100).force, 1e-9);
}

TEST(Reaction, AtRestItIsTheWeight) {
    const Net net = chain_net(5, 0.1, 0.2, 1000.0);
    Settings settings;
    settings.solver = TWANG_SOLVER_STATIC;
    settings.pins = {0};
    Simulation s(net, settings);
    EXPECT_EQ(length(s.body.pin_force().force), 0.0); // before the first step
    ASSERT_EQ(s.step(), TWANG_OK);
    const Body::PinForce pulled = s.body.pin_force({}, {1.0, 0.0, 0.0});
    EXPECT_LT(length(pulled.force - Vec3{0.0, -9.8, 0.0}), 1e-6); // 5 x 0.2 kg
    EXPECT_LT(length(pulled.torque - Vec3{0.0, 0.0, 9.8}), 1e-6); // 1 m to the side
    const std::uint32_t free[] = {3};
    EXPECT_EQ(length(s.body.pin_force(free).force), 0.0);
    const std::uint32_t held[] = {0};
    EXPECT_EQ(length(s.body.pin_force(held, {1.0, 0.0, 0.0}).force - pulled.force), 0.0);
    ASSERT_EQ(s.body.reset(), TWANG_OK);
    EXPECT_EQ(length(s.body.pin_force().force), 0.0);
}

TEST(Reaction, IsTurnedByATeleportAndKeptWithNewVelocities) {
    Simulation s(cloth_net(5, 5), hung(TWANG_SOLVER_LOCAL_GLOBAL, TWANG_PIN_PENALTY));
    ASSERT_EQ(s.step(20), TWANG_OK);
    const Vec3 before = s.body.pin_force().force;
    ASSERT_GT(length(before), 1e-3);
    ASSERT_EQ(s.body.set_velocities(std::vector<double>(3 * 25)), TWANG_OK);
    EXPECT_EQ(length(s.body.pin_force().force - before), 0.0);
    // About y by 90 degrees: x -> -z, z -> x.
    ASSERT_EQ(s.body.teleport({0.0, 1.0, 0.0, 1.0}, {}, {1.0, 2.0, 3.0}), TWANG_OK);
    const Vec3 turned{before.z, before.y, -before.x};
    EXPECT_LT(length(s.body.pin_force().force - turned), 1e-12);
}

// Cloth on a floor, held by a corner just above it: the floor bears it, not the pin.
TEST(Reaction, LeavesOutWhatTheFloorBears) {
    for (const twang_solver solver :
         {TWANG_SOLVER_LOCAL_GLOBAL, TWANG_SOLVER_NEWTON, TWANG_SOLVER_NEWTON_CG})
        for (const std::int32_t substeps : {1, 2}) {
            WorldDef def{.workers = 1, .damping = 2.0, .substeps = substeps};
            def.solver = default_solver(solver);
            World world(def);
            ASSERT_TRUE(world.add_plane({0.0, -0.01, 0.0}, {0.0, 1.0, 0.0}));
            Body body = world.add(Model::cloth(
                {.columns = 9, .rows = 9, .spacing = 0.05, .mass = 0.2, .down = {0.0, 0.0, 1.0}}));
            ASSERT_EQ(body.pin(0), TWANG_OK);
            for (int i = 0; i < 400; ++i) ASSERT_EQ(world.step(), TWANG_OK);
            const Vec3 force = body.pin_force().force;
            EXPECT_LT(force.y, 0.0) << solver;
            EXPECT_GT(force.y, -0.1 * 0.2 * 9.8) << solver;
        }
}

// A limit to the stretch passes on what springs too weak to carry it do not.
TEST(Reaction, AlsoWhatAStrainLimitBears) {
    ClothDef def;
    def.columns = def.rows = 9;
    def.spacing = 0.125;
    def.stiffness = def.shear = 20.0;
    const Net net = cloth_net(def);
    Settings settings = hung(TWANG_SOLVER_LOCAL_GLOBAL, TWANG_PIN_ELIMINATION);
    settings.velocities.clear();
    settings.damping = 4.0;
    Simulation s(net, settings);
    ASSERT_EQ(s.body.set_max_strain(0.01, 50), TWANG_OK);
    double weight = 0.0;
    for (const double mass : net.masses) weight += 9.8 * mass;
    ASSERT_EQ(s.step(1500), TWANG_OK);
    ASSERT_LT(s.body.measure().mean_speed, 1e-3);
    EXPECT_NEAR(s.body.pin_force().force.y, -weight, 1e-3 * weight);
}

// Beside it a world of short steps, whose momentum and pull are known after each.
TEST(Reaction, OfSubstepsIsTheMean) {
    constexpr int substeps = 4;
    const Model model = cloth_net(9, 9).model();
    const Vec3 weight{0.0, -9.8 * model.info().mass, 0.0};
    for (const twang_integrator integrator : integrators) {
        WorldDef def;
        def.workers = 1;
        def.solver = default_solver(TWANG_SOLVER_NEWTON);
        def.solver.tolerance = 1e-9;
        def.solver.integrator = integrator;
        def.substeps = substeps;
        World world(def);
        def.time_step /= substeps;
        def.substeps = 1;
        World fine(def);
        BodyDef body_def;
        const std::uint32_t pins[] = {0, 8};
        body_def.pins = pins;
        body_def.pin_count = 2;
        Body body = world.add(model, body_def), short_stepped = fine.add(model, body_def);
        for (int i = 0; i < 20; ++i) ASSERT_EQ(world.step(), TWANG_OK);
        Vec3 before{}, now{};
        const auto step_finely = [&] {
            before = now;
            ASSERT_EQ(fine.step(), TWANG_OK);
            now = short_stepped.measure().momentum;
        };
        for (int i = 0; i < 20 * substeps; ++i) step_finely();
        ASSERT_EQ(world.step(), TWANG_OK);
        const double a = integrator == TWANG_BDF2 ? 1.0 / 3.0 : 0.0;
        const double gamma_h = (1.0 - a) * def.time_step;
        Vec3 mean{}, gained{};
        for (int i = 0; i < substeps; ++i) {
            const Vec3 coasting = now + a * (now - before);
            step_finely();
            gained += (1.0 / (substeps * gamma_h)) * (now - coasting);
            mean += (1.0 / substeps) * short_stepped.pin_force().force;
        }
        ASSERT_EQ(length(body.measure().momentum - now), 0.0);
        EXPECT_GT(length(short_stepped.pin_force().force - mean), 1e-3) << "it changes";
        EXPECT_LT(length(body.pin_force().force - mean), 1e-12);
        EXPECT_LT(length(gained - weight + body.pin_force().force), 1e-6);
    }
}

TEST(Reaction, BadInputIsRefused) {
    Simulation s(cloth_net(3, 3), {});
    Vec3 force{7.0, 7.0, 7.0};
    const std::uint32_t vertices[] = {0, 9};
    twang_world* w = s.world.get();
    const twang_body b = s.body.id();
    EXPECT_EQ(twang_body_pin_force(w, b, vertices, 2, {}, &force, nullptr),
              TWANG_INDEX_OUT_OF_RANGE);
    EXPECT_EQ(twang_body_pin_force(w, b, nullptr, 2, {}, &force, nullptr), TWANG_INVALID_ARGUMENT);
    EXPECT_EQ(twang_body_pin_force(w, b, vertices, 1, {std::nan(""), 0.0, 0.0}, &force, nullptr),
              TWANG_NOT_FINITE);
    EXPECT_EQ(force.x, 7.0);
    EXPECT_EQ(twang_body_pin_force(w, b, vertices, 1, {}, nullptr, nullptr), TWANG_OK);
}

} // namespace
} // namespace twang::test
