// What is true of every solver: free fall, momentum, order of accuracy, invariance under rigid
// motion and renumbering, damping, pins that hold, scenes that stay planar.
#include "solver/context.hpp"

#include <Eigen/Geometry>

#include "scenes.hpp"

namespace twang::test {
namespace {

class EverySolver : public testing::TestWithParam<twang_solver> {};
class MovingSolver : public EverySolver {};

Settings by(twang_solver solver) {
    Settings settings;
    settings.solver = solver;
    // Where a solver iterates to a tolerance, to one far below what is asked for here.
    if (solver == TWANG_SOLVER_NEWTON || solver == TWANG_SOLVER_NEWTON_CG)
        settings.tolerance = 1e-10;
    if (solver == TWANG_SOLVER_SYMPLECTIC) settings.h = 1e-3;
    return settings;
}

std::vector<Vec3> random_vectors(std::uint64_t seed, std::size_t count, double extent) {
    Random random(seed);
    std::vector<Vec3> vectors(count);
    for (Vec3& v : vectors) v = random.vector(extent);
    return vectors;
}

Vec3 centre_of(const Net& net, const std::vector<Vec3>& at) {
    Vec3 sum{};
    double mass = 0.0;
    for (std::uint32_t i = 0; i < net.size(); ++i) {
        sum += net.masses[i] * at[i];
        mass += net.masses[i];
    }
    return (1.0 / mass) * sum;
}

TEST_P(MovingSolver, FreeFall) {
    const Net net = cloth_net(5, 5);
    for (const twang_integrator integrator : integrators) {
        Settings settings = by(GetParam());
        settings.integrator = integrator;
        settings.velocities = random_vectors(1, net.size(), 0.05); // the cloth wobbles as it falls
        Simulation run(net, settings);
        constexpr int steps = 600;
        ASSERT_EQ(run.step(steps), TWANG_OK) << last_error();
        FreeVertex expected(taken(integrator, GetParam()), settings.h);
        expected.x = centre_of(net, net.positions);
        expected.v = centre_of(net, settings.velocities);
        expected.step(settings.gravity, steps);
        const double error = length(run.body.measure().centre - expected.x) / length(expected.x);
        RecordProperty(integrator_name(integrator), std::to_string(error * 1e9) + "e-9");
        EXPECT_LT(error, 1e-9) << integrator_name(integrator);
    }
}

// After n steps implicit Euler, and symplectic too, is at x + n h v + h^2 g n (n + 1) / 2; BDF2 is
// as fast as what falls, and ahead of it by what its first step has made of h^2 g / 2, 3/4 h^2 g.
TEST(ClosedForm, IsWhatIsKnownOfAFall) {
    constexpr double h = 0.1, g = -9.8;
    constexpr int n = 50;
    for (const twang_integrator integrator : integrators) {
        FreeVertex vertex(integrator, h);
        vertex.v = {0.0, 3.0, 0.0};
        vertex.step({0.0, g, 0.0}, n);
        const double t = n * h, ahead = integrator == TWANG_BDF2 ? 0.75 * h * h : 0.5 * t * h;
        EXPECT_NEAR(vertex.v.y, 3.0 + g * t, 1e-12);
        EXPECT_NEAR(vertex.x.y, 3.0 * t + g * (0.5 * t * t + ahead), 1e-11);
    }
}

TEST_P(MovingSolver, ConservesMomentum) {
    const Net net = random_net(2, 30);
    Settings settings = by(GetParam());
    settings.gravity = {};
    settings.velocities = random_vectors(3, net.size(), 2.0);
    Simulation run(net, settings);
    const Vec3 before = run.body.measure().momentum;
    ASSERT_EQ(run.step(200), TWANG_OK);
    EXPECT_LT(length(run.body.measure().momentum - before), 1e-9 * length(before));
}

// ---- Order of accuracy -----------------------------------------------------------------------

// Where a mass is after 1 s, from a swing that starts at rest.
struct Swing {
    Net net;
    std::vector<Vec3> positions;
    Vec3 gravity{};
    Vec3 exact{};
};

// On a spring along x: r + A cos(omega t).
Swing oscillator() {
    constexpr double amplitude = 0.1, omega = 2.0;
    return {chain_net(2, 1.0, 1.0, omega * omega, {1.0, 0.0, 0.0}),
            {{0.0, 0.0, 0.0}, {1.0 + amplitude, 0.0, 0.0}},
            {},
            {1.0 + amplitude * std::cos(omega), 0.0, 0.0}};
}

// Two masses on two springs, let go from the side; by Runge and Kutta's method in 10,000 steps.
Swing pendulum() {
    Swing swing{chain_net(3, 0.5, 1.0, 200.0, {0.8, -0.6, 0.0}), {}, {0.0, -9.8, 0.0}, {}};
    swing.positions = swing.net.positions;
    constexpr double h = 1e-4;
    std::vector<Vec3> x = swing.positions, v(3), at(3), speed(3);
    for (int step = 0; step < 10'000; ++step) {
        std::vector<Vec3> x1 = x, v1 = v;
        at = x;
        speed = v;
        for (const auto& [share, next] : {std::pair{1.0 / 6.0, 0.5}, std::pair{1.0 / 3.0, 0.5},
                                          std::pair{1.0 / 3.0, 1.0}, std::pair{1.0 / 6.0, 0.0}}) {
            const std::vector<Vec3> force = spring_forces(swing.net, TWANG_HOOKE, at);
            for (std::size_t i = 1; i < 3; ++i) {
                const Vec3 rate = speed[i], change = force[i] + swing.gravity; // of 1 kg
                x1[i] += (share * h) * rate;
                v1[i] += (share * h) * change;
                at[i] = x[i] + (next * h) * rate;
                speed[i] = v[i] + (next * h) * change;
            }
        }
        x = x1;
        v = v1;
    }
    swing.exact = x.back();
    return swing;
}

// The orders found when the time step is halved five times.
std::vector<double> orders(const Swing& swing, Settings settings) {
    std::vector<double> found;
    double last = 0.0;
    for (int halving = 0; halving <= 5; ++halving) {
        const int steps = 200 << halving;
        settings.h = 1.0 / steps;
        settings.gravity = swing.gravity;
        settings.pin_method = TWANG_PIN_ELIMINATION;
        settings.pins = {0};
        settings.positions = swing.positions;
        Simulation run(swing.net, settings);
        EXPECT_EQ(run.step(steps), TWANG_OK) << last_error();
        const double error = length(run.positions().back() - swing.exact);
        if (halving > 0) found.push_back(std::log2(last / error));
        last = error;
    }
    return found;
}

TEST_P(MovingSolver, OrderIsOne) {
    Settings settings = by(GetParam());
    settings.integrator = TWANG_IMPLICIT_EULER;
    for (const double order : orders(oscillator(), settings)) EXPECT_NEAR(order, 1.0, 0.05);
}

// Converged in every step.
TEST(Integrators, HaveTheirOrder) {
    for (const twang_solver solver :
         {TWANG_SOLVER_LOCAL_GLOBAL, TWANG_SOLVER_NEWTON, TWANG_SOLVER_NEWTON_CG})
        for (const bool swings : {false, true})
            for (const twang_integrator integrator : integrators) {
                Settings settings = by(solver);
                settings.integrator = integrator;
                settings.precision = TWANG_PRECISION_DOUBLE;
                settings.iterations = 1000;
                settings.tolerance = 1e-10;
                const bool second = integrator == TWANG_BDF2;
                for (const double order : orders(swings ? pendulum() : oscillator(), settings))
                    EXPECT_NEAR(order, second ? 2.0 : 1.0, second ? 0.1 : 0.05)
                        << solver_name(solver) << (swings ? " pendulum " : " oscillator ")
                        << integrator_name(integrator);
            }
}

// ---- Invariance ------------------------------------------------------------------------------

// A net, hung by two vertices and stirred, fifteen steps later (or in equilibrium).
// Q is stored in double: what is compared is the method, not the rounding of a float.
std::vector<Vec3> stirred(const Net& net, Settings settings) {
    settings.precision = TWANG_PRECISION_DOUBLE;
    settings.positions = net.positions;
    Simulation run(net, settings);
    EXPECT_EQ(run.step(settings.solver == TWANG_SOLVER_STATIC ? 1 : 15), TWANG_OK) << last_error();
    return run.positions();
}

Net stretched_net() {
    Net net = random_net(4, 30);
    for (SpringDef& s : net.springs) s.rest_length *= 0.5;
    return net;
}

TEST_P(EverySolver, RigidMotionMovesTheTrajectoryAlong) {
    const Eigen::Matrix3d turn =
        Eigen::AngleAxisd(1.1, Eigen::Vector3d(1.0, 2.0, -0.5).normalized()).toRotationMatrix();
    const auto turned = [&](Vec3 v) -> Vec3 {
        const Eigen::Vector3d r = turn * Eigen::Vector3d(v.x, v.y, v.z);
        return {r.x(), r.y(), r.z()};
    };
    const Vec3 shift{3.0, -1.0, 2.0};
    for (const twang_pin_method method : pin_methods) {
        Net net = stretched_net();
        Settings settings = by(GetParam());
        settings.pin_method = method;
        settings.pins = {0, 5};
        settings.velocities = random_vectors(6, net.size(), 1.0);
        std::vector<Vec3> expected = stirred(net, settings);
        const double size = size_of(expected);
        ASSERT_GT(distance(expected, net.positions), 0.01 * size);
        for (Vec3& p : expected) p = turned(p) + shift;
        for (Vec3& p : net.positions) p = turned(p) + shift;
        for (Vec3& v : settings.velocities) v = turned(v);
        settings.gravity = turned(settings.gravity);
        EXPECT_LT(distance(stirred(net, settings), expected), 1e-9 * size);
    }
}

TEST_P(EverySolver, RenumberingChangesNothing) {
    for (const twang_pin_method method : pin_methods) {
        const Net net = stretched_net();
        Settings settings = by(GetParam());
        settings.pin_method = method;
        settings.pins = {0, 5};
        settings.velocities = random_vectors(6, net.size(), 1.0);
        const std::vector<Vec3> expected = stirred(net, settings);
        std::vector<std::uint32_t> to_new(net.size());
        std::iota(to_new.begin(), to_new.end(), 0u);
        Random random(7);
        for (std::uint32_t i = net.size(); i > 1; --i)
            std::swap(to_new[i - 1], to_new[random.below(i)]);
        Net shuffled = net;
        Settings other = settings;
        for (std::uint32_t i = 0; i < net.size(); ++i) {
            shuffled.positions[to_new[i]] = net.positions[i];
            shuffled.masses[to_new[i]] = net.masses[i];
            other.velocities[to_new[i]] = settings.velocities[i];
        }
        for (std::uint32_t& pin : other.pins) pin = to_new[pin];
        for (SpringDef& s : shuffled.springs) s.a = to_new[s.a], s.b = to_new[s.b];
        std::reverse(shuffled.springs.begin(), shuffled.springs.end());
        const std::vector<Vec3> found = stirred(shuffled, other);
        std::vector<Vec3> back(net.size());
        for (std::uint32_t i = 0; i < net.size(); ++i) back[i] = found[to_new[i]];
        EXPECT_LT(distance(back, expected), 1e-9 * size_of(expected));
    }
}

// ---- Damping, pins, planes -------------------------------------------------------------------

TEST_P(MovingSolver, DampingDoesNotDependOnTheTimeStep) {
    Net net = cloth_net(3, 3);
    for (SpringDef& s : net.springs) s.stiffness = 0.1; // the explicit one likes it soft
    for (const twang_integrator integrator : integrators)
        for (const int steps : {10, 100, 1000}) {
            Settings settings = by(GetParam());
            settings.integrator = integrator;
            settings.h = 1.0 / steps;
            settings.damping = 1.5;
            settings.gravity = {};
            settings.velocities.assign(net.size(), {1.0, -2.0, 0.5}); // drifts as a whole
            Simulation run(net, settings);
            ASSERT_EQ(run.step(steps), TWANG_OK);
            const Vec3 expected = std::exp(-1.5) * Vec3{1.0, -2.0, 0.5};
            for (const Vec3& v : run.velocities()) EXPECT_LT(length(v - expected), 1e-9);
        }
}

TEST_P(EverySolver, PinsHold) {
    for (const twang_pin_method method : pin_methods) {
        const Net net = cloth_net(5, 5);
        Settings settings = by(GetParam());
        settings.pin_method = method;
        settings.pins = {0, 4, 17};
        Simulation run(net, settings);
        const bool exact = method == TWANG_PIN_ELIMINATION || GetParam() == TWANG_SOLVER_SYMPLECTIC;
        const double most = exact ? 0.0 : 1e-6 * size_of(net.positions);
        Vec3 dragged = net.positions[17];
        for (int frame = 0; frame < 24; ++frame) {
            dragged += Vec3{0.0, 0.0, frame == 12 ? 0.5 : 0.0002}; // gently, and once not
            ASSERT_EQ(run.body.pin(17, dragged), TWANG_OK);
            ASSERT_EQ(run.step(), TWANG_OK) << last_error();
            const std::vector<Vec3> x = run.positions();
            for (const std::uint32_t pin : {0u, 4u})
                EXPECT_LE(length(x[pin] - net.positions[pin]), most);
            EXPECT_LE(length(x[17] - dragged), most);
        }
        EXPECT_GT(distance(run.positions(), net.positions), 1e-3);
    }
}

TEST_P(EverySolver, PlanarScenesStayPlanar) {
    for (const twang_pin_method method : pin_methods) {
        Net net = random_net(8, 25);
        for (Vec3& p : net.positions) p.z = 0.0;
        net.positions.push_back(net.positions.back()); // on top of each other: a collapsed spring
        net.masses.push_back(1.0);
        net.join(net.size() - 2, net.size() - 1, 100.0, 0.5);
        Settings settings = by(GetParam());
        settings.pin_method = method;
        settings.pins = {1, 13};
        settings.velocities = random_vectors(9, net.size(), 1.0);
        for (Vec3& v : settings.velocities) v.z = 0.0;
        Simulation run(net, settings);
        for (int step = 0; step < 20; ++step) {
            ASSERT_EQ(run.step(), TWANG_OK) << last_error();
            for (const Vec3& p : run.positions()) ASSERT_EQ(p.z, 0.0);
            for (const Vec3& v : run.velocities()) ASSERT_EQ(v.z, 0.0);
        }
        EXPECT_GT(distance(run.positions(), net.positions), 0.01);
    }
}

// The textbook's explicit Q x = b drifts: a resting body must not.
TEST_P(EverySolver, RestIsRest) {
    for (const bool pinned : {false, true}) {
        const Net net = block_net(2, 2, 2, 0.25);
        Settings settings = by(GetParam());
        settings.gravity = {};
        if (pinned) settings.pins = {0, 4};
        Simulation run(net, settings);
        ASSERT_EQ(run.step(20), TWANG_OK);
        EXPECT_EQ(distance(run.positions(), net.positions), 0.0);
    }
}

INSTANTIATE_TEST_SUITE_P(Solvers, EverySolver, testing::ValuesIn(all_solvers), SolverName());
INSTANTIATE_TEST_SUITE_P(Solvers, MovingSolver, testing::ValuesIn(moving_solvers), SolverName());

} // namespace
} // namespace twang::test
