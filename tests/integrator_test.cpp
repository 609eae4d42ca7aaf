// integrator: the formulas of BDF2, what starts them anew, what goes along with a state, and what
// may be changed while it runs. How steps satisfy them is in newton_test, their order in
// context_test.
#include "system/integrator.hpp"

#include <functional>

#include "scenes.hpp"

namespace twang::test {
namespace {

constexpr double third = 1.0 / 3.0;

// A free cloth that wobbles as it falls, solved to the end.
Settings wobbling(const Net& net, twang_solver solver = TWANG_SOLVER_NEWTON) {
    Settings settings;
    settings.solver = solver;
    settings.tolerance = solver == TWANG_SOLVER_LOCAL_GLOBAL ? 0.0 : 1e-11;
    settings.iterations = solver == TWANG_SOLVER_LOCAL_GLOBAL ? 5 : 100;
    settings.precision = TWANG_PRECISION_DOUBLE;
    Random random(3);
    for (std::uint32_t i = 0; i < net.size(); ++i)
        settings.velocities.push_back(Vec3{0.3, 1.0, -0.2} + random.vector(0.5));
    return settings;
}

std::vector<double> numbers(const std::vector<Vec3>& vectors) {
    return {&vectors.data()->x, &vectors.data()->x + 3 * vectors.size()};
}

// Steps a free body one by one and tells which a = 0 ... 1/3 the step was made with, from the moves
// of its centre: move = a * (the move before) + (1 - a) h v1.
class Watched {
public:
    Watched(Simulation& run, double mass) : run_(run), mass_(mass), x_(centre()), move_() {}
    double step(double h) {
        EXPECT_EQ(run_.step(), TWANG_OK) << last_error();
        const Vec3 x = centre(), move = x - x_;
        const Vec3 even = (h / mass_) * run_.body.measure().momentum; // that of implicit Euler
        const Vec3 change = move_ - even;
        const double a = dot(move - even, change) / dot(change, change);
        x_ = x;
        move_ = move;
        return a;
    }
    void jumped() { x_ = centre(); }

private:
    Vec3 centre() const { return run_.body.measure().centre; }
    Simulation& run_;
    double mass_;
    Vec3 x_, move_;
};

double mass_of(const Net& net) {
    return std::accumulate(net.masses.begin(), net.masses.end(), 0.0);
}

std::vector<std::byte> saved(const World& world) {
    std::vector<std::byte> buffer(world.snapshot_size());
    EXPECT_EQ(world.save(buffer), TWANG_OK);
    return buffer;
}

// ---- Formulas --------------------------------------------------------------------------------

TEST(Integrator, IsTheTextbooks) {
    const double h = 0.02;
    const Vec3 x_{1.0, 2.0, 3.0}, x0{1.1, 1.9, 3.4}, v_{5.0, -4.0, 9.0}, v0{6.0, -5.0, 12.0};
    // 3/2 x1 - 2 x0 + 1/2 x_ = h v1 and the same of v, where nothing pulls.
    const Vec3 v1 = (1.0 / 1.5) * (2.0 * v0 - 0.5 * v_);
    const Vec3 x1 = (1.0 / 1.5) * (2.0 * x0 - 0.5 * x_ + h * v1);
    const core::Integrator bdf2{third, h, 1.0};
    EXPECT_LT(length(bdf2.coasting_velocity(v0, v_) - v1), 1e-14);
    EXPECT_LT(length(x0 + bdf2.coast(x0 - x_, v0, v_) - x1), 1e-14);
    EXPECT_LT(length(bdf2.velocity(x1 - x0, x0 - x_) - v1), 1e-12);
    EXPECT_NEAR(bdf2.gamma_h(), h / 1.5, 1e-17);
    EXPECT_NEAR(bdf2.square(), h * h / 2.25, 1e-18);
    const core::Integrator euler{0.0, h, 1.0};
    EXPECT_EQ(length(euler.coasting_velocity(v0, v_) - v0), 0.0);
    EXPECT_LT(length(euler.coast(x0 - x_, v0, v_) - h * v0), 1e-16);
    EXPECT_LT(length(euler.velocity(h * v0, x0 - x_) - v0), 1e-14);
    // What moves evenly goes on so, and slows down by the decay, whatever a.
    for (const double a : {0.0, 0.2, third}) {
        EXPECT_LT(length(core::Integrator{a, h, 1.0}.coast(h * v0, v0, v0) - h * v0), 1e-14) << a;
        const core::Integrator damped{a, h, 0.9};
        EXPECT_LT(length(damped.velocity(h * v0, h * v0) - 0.9 * v0), 1e-13) << a;
    }
    EXPECT_EQ(core::a_of(TWANG_BDF2, 0.0), third);
    EXPECT_EQ(core::a_of(TWANG_BDF2, 1.0), 0.0);
    EXPECT_NEAR(core::a_of(TWANG_BDF2, 0.25), 0.25, 1e-16);
    EXPECT_EQ(core::a_of(TWANG_IMPLICIT_EULER, 0.0), 0.0);
    for (const double x : {0.0, 1e-9, 0.02, 0.5, 0.51, 3.0, 40.0})
        EXPECT_NEAR(core::exp_minus(x), std::exp(-x), 1e-14 * std::exp(-x)) << x;
}

// ---- Numerical damping -----------------------------------------------------------------------

TEST(NumericalDamping, LeadsFromBdf2ToImplicitEuler) {
    const Net net = cloth_net(5, 5);
    Settings settings = wobbling(net);
    settings.pins = {0, 4};
    const auto after = [&](twang_integrator integrator, double damping) {
        settings.integrator = integrator;
        settings.numerical_damping = damping;
        Simulation run(net, settings);
        EXPECT_EQ(run.step(60), TWANG_OK);
        return std::pair{run.positions(), run.body.measure()};
    };
    const auto [euler_x, euler] = after(TWANG_IMPLICIT_EULER, 0.0);
    EXPECT_LT(distance(after(TWANG_IMPLICIT_EULER, 0.7).first, euler_x), 1e-12) << "bdf2's alone";
    EXPECT_LT(distance(after(TWANG_BDF2, 1.0).first, euler_x), 1e-9);
    // What is left of the energy of the springs and the wobble.
    double last = 0.0;
    for (const double damping : {1.0, 0.5, 0.25, 0.0}) {
        const Measures m = after(TWANG_BDF2, damping).second;
        const double energy = m.kinetic_energy + m.elastic_energy;
        EXPECT_GT(energy, 1.05 * last) << damping;
        last = energy;
    }
}

TEST(NumericalDamping, ChangesAtOnceAndNeedsNoFactor) {
    const Net net = cloth_net(5, 5);
    Settings settings = wobbling(net, TWANG_SOLVER_LOCAL_GLOBAL);
    Simulation run(net, settings);
    Watched watched(run, mass_of(net));
    for (const double damping : {0.0, 1.0, 0.5, 0.0}) {
        settings.numerical_damping = damping;
        ASSERT_EQ(run.body.set_solver(settings.solver_def()), TWANG_OK);
        for (int step = 0; step < 3; ++step) {
            const double a = watched.step(settings.h);
            if (run.body.report().steps == 1) continue; // a start
            EXPECT_NEAR(a, (1.0 - damping) / 3.0, 1e-6) << damping << ", step " << step;
        }
    }
    EXPECT_EQ(run.body.precomputation().factorings, 1);
}

TEST(NumericalDamping, AndIntegratorsThatAreNoneAreRefused) {
    const Net net = cloth_net(4, 4);
    const Settings settings = wobbling(net, TWANG_SOLVER_LOCAL_GLOBAL);
    Simulation run(net, settings), twin(net, settings);
    ASSERT_EQ(run.step(3), TWANG_OK);
    ASSERT_EQ(twin.step(3), TWANG_OK);
    const std::vector<std::byte> before = saved(run.world);
    const auto refused = [&](Status answer, const char* words,
                             const std::function<void(SolverDef&)>& spoil) {
        SolverDef def = settings.solver_def();
        spoil(def);
        EXPECT_EQ(run.body.set_solver(def), answer);
        EXPECT_NE(std::string(last_error()).find(words), std::string::npos) << last_error();
        EXPECT_EQ(run.world.set_solver(def), answer);
        WorldDef world_def;
        world_def.solver = def;
        EXPECT_EQ(World(world_def).status(), answer);
        BodyDef body_def;
        body_def.solver = &def;
        EXPECT_EQ(run.world.add(net.model(), body_def).status(), answer);
    };
    const auto damping = [](double value) {
        return [value](SolverDef& def) { def.numerical_damping = value; };
    };
    refused(TWANG_OUT_OF_RANGE, "numerical damping", damping(-1e-9));
    refused(TWANG_OUT_OF_RANGE, "numerical damping", damping(1.0 + 1e-9));
    refused(TWANG_NOT_FINITE, "numerical damping", damping(std::nan("")));
    refused(TWANG_NOT_FINITE, "numerical damping", damping(INFINITY));
    for (const int value : {-1, 2, 1000})
        refused(TWANG_INVALID_ARGUMENT, "integrator",
                [value](SolverDef& def) { def.integrator = static_cast<twang_integrator>(value); });
    EXPECT_TRUE(saved(run.world) == before);
    ASSERT_EQ(run.step(3), TWANG_OK);
    ASSERT_EQ(twin.step(3), TWANG_OK);
    EXPECT_EQ(run.body.measure().state_hash, twin.body.measure().state_hash);
}

// ---- Another integrator while it runs --------------------------------------------------------

// Implicit Euler comes at once, on the old factor; BDF2 with its own.
TEST(Switch, OrdersAnotherFactorAndKeepsTheVelocity) {
    const Net net = cloth_net(5, 5);
    for (const bool by_world : {false, true})
        for (const twang_integrator first : integrators) {
            SCOPED_TRACE(integrator_name(first));
            Settings settings = wobbling(net, TWANG_SOLVER_LOCAL_GLOBAL);
            settings.integrator = first;
            Simulation run(net, settings);
            Watched watched(run, mass_of(net));
            for (int step = 0; step < 5; ++step) watched.step(settings.h);
            settings.integrator = first == TWANG_BDF2 ? TWANG_IMPLICIT_EULER : TWANG_BDF2;
            const SolverDef def = settings.solver_def();
            ASSERT_EQ(by_world ? run.world.set_solver(def) : run.body.set_solver(def), TWANG_OK);
            EXPECT_EQ(run.body.precomputation().factorings, 1) << "not yet";
            int switched = 0;
            for (int step = 1; step <= 40; ++step) {
                const Vec3 before = run.body.measure().momentum;
                const double a = watched.step(settings.h);
                const Vec3 gained = run.body.measure().momentum - before;
                EXPECT_LT(length(gained - (settings.h * mass_of(net)) * settings.gravity), 1e-12);
                const bool is_new = std::abs(a - (first == TWANG_BDF2 ? 0.0 : third)) < 1e-6;
                EXPECT_TRUE(is_new || std::abs(a - (first == TWANG_BDF2 ? third : 0.0)) < 1e-6)
                    << a;
                if (is_new && switched == 0) switched = step;
                EXPECT_EQ(is_new, switched > 0) << "for good";
                if (step == 1) {
                    EXPECT_EQ(run.body.precomputation().factorings, 1) << "made behind";
                }
            }
            EXPECT_EQ(run.body.precomputation().factorings, 2);
            if (first == TWANG_BDF2)
                EXPECT_EQ(switched, 1);
            else
                EXPECT_GT(switched, 5);
        }
}

// ---- Starts ----------------------------------------------------------------------------------

TEST(Start, IsOneStepOfImplicitEuler) {
    const Net net = cloth_net(5, 5);
    const std::vector<double> x = numbers(net.positions);
    std::vector<double> v(x.size(), 0.3);
    struct Event {
        const char* name;
        std::function<Status(Simulation&)> happen;
        double h = 1.0 / 60.0;
        bool starts = true;
    };
    const Event events[] = {
        {"positions", [&](Simulation& s) { return s.body.set_positions(x); }},
        {"velocities", [&](Simulation& s) { return s.body.set_velocities(v); }},
        {"reset", [](Simulation& s) { return s.body.reset(); }},
        {"time step", [](Simulation& s) { return s.world.set_time_step(0.01); }, 0.01},
        {"teleport",
         [](Simulation& s) {
             return s.body.teleport({0.0, 0.0, 0.0, 1.0}, {}, {1.0, 2.0, 3.0});
         },
         1.0 / 60.0, false},
        {"gravity",
         [](Simulation& s) {
             return s.world.set_gravity({0.0, -9.0, 1.0});
         },
         1.0 / 60.0, false}};
    for (const Event& event : events) {
        SCOPED_TRACE(event.name);
        Settings settings = wobbling(net, TWANG_SOLVER_LOCAL_GLOBAL);
        settings.refactor_delay = 0;
        Simulation run(net, settings);
        Watched watched(run, mass_of(net));
        watched.step(1.0 / 60.0);
        for (int step = 0; step < 3; ++step) EXPECT_NEAR(watched.step(1.0 / 60.0), third, 1e-6);
        ASSERT_EQ(event.happen(run), TWANG_OK);
        watched.jumped();
        EXPECT_NEAR(watched.step(event.h), event.starts ? 0.0 : third, 1e-6);
        for (int step = 0; step < 3; ++step) EXPECT_NEAR(watched.step(event.h), third, 1e-6);
    }
}

// ---- What goes along with a state ------------------------------------------------------------

TEST(History, IsTurnedByATeleport) {
    const Net net = cloth_net(5, 5);
    Settings settings = wobbling(net);
    settings.gravity = {};
    const twang_quaternion rotation{0.3, -0.5, 0.2, 0.7};
    const core::Rotation turn = core::rotation_by(rotation);
    const Vec3 pivot{0.2, 0.1, -0.4}, shift{3.0, -1.0, 2.0};
    for (const int steps : {0, 1, 2, 7}) {
        Simulation moved(net, settings), stayed(net, settings);
        ASSERT_EQ(moved.step(steps), TWANG_OK);
        ASSERT_EQ(stayed.step(steps), TWANG_OK);
        ASSERT_EQ(moved.body.teleport(rotation, pivot, shift), TWANG_OK);
        for (int step = 0; step < 20; ++step) {
            ASSERT_EQ(moved.step(), TWANG_OK);
            ASSERT_EQ(stayed.step(), TWANG_OK);
            std::vector<Vec3> x = stayed.positions(), v = stayed.velocities();
            for (Vec3& p : x) p = pivot + turn(p - pivot) + shift;
            for (Vec3& w : v) w = turn(w);
            ASSERT_LT(distance(moved.positions(), x), 1e-9) << steps << ", step " << step;
            ASSERT_LT(distance(moved.velocities(), v), 1e-7) << steps << ", step " << step;
        }
    }
}

// All of it, in the next step and in all that follow; what is damped is damped like the rest.
TEST(History, AnImpulseIsTheChangeOfTheMomentum) {
    const Net net = cloth_net(5, 5);
    const Vec3 impulse{0.02, -0.01, 0.03};
    for (const twang_integrator integrator : integrators)
        for (const double damping : {0.0, 2.0})
            for (const int steps : {0, 1, 2, 7}) {
                Settings settings = wobbling(net);
                settings.integrator = integrator;
                settings.damping = damping;
                Simulation hit(net, settings), missed(net, settings);
                ASSERT_EQ(hit.step(steps), TWANG_OK);
                ASSERT_EQ(missed.step(steps), TWANG_OK);
                ASSERT_EQ(hit.body.add_impulse(12, impulse), TWANG_OK);
                for (int step = 0; step < 10; ++step) {
                    const Vec3 more = hit.body.measure().momentum - missed.body.measure().momentum;
                    const double left = std::exp(-damping * settings.h * step);
                    EXPECT_LT(length(more - left * impulse), 1e-12)
                        << integrator_name(integrator) << ", damping " << damping << ", after "
                        << steps << ", step " << step;
                    ASSERT_EQ(hit.step(), TWANG_OK);
                    ASSERT_EQ(missed.step(), TWANG_OK);
                }
            }
}

// A body that flies without forces slows down as exp(-d t), also where d changes on the way.
TEST(History, DampingMayChange) {
    const Net net = cloth_net(3, 3);
    for (const twang_integrator integrator : integrators)
        for (const double h : {0.1, 1.0 / 60.0, 0.001}) {
            Settings settings;
            settings.integrator = integrator;
            settings.gravity = {};
            settings.h = h;
            settings.velocities.assign(net.size(), {1.0, -2.0, 0.5});
            Simulation run(net, settings);
            double exponent = 0.0;
            for (const double damping : {1.5, 0.0, 4.0, 0.5}) {
                ASSERT_EQ(run.world.set_damping(damping), TWANG_OK);
                ASSERT_EQ(run.step(5), TWANG_OK);
                exponent += 5.0 * h * damping;
                const Vec3 expected = std::exp(-exponent) * settings.velocities[0];
                EXPECT_LT(distance(run.velocities(), std::vector<Vec3>(net.size(), expected)), 1e-9)
                    << integrator_name(integrator) << ", " << h << " s, " << damping;
            }
        }
}

TEST(History, IsInSnapshotsOfTheFirstStepsToo) {
    const Net net = cloth_net(6, 6);
    const Settings settings = wobbling(net, TWANG_SOLVER_LOCAL_GLOBAL);
    const std::vector<double> v(3 * net.size(), 0.2);
    for (const int after : {0, 1, 2, 3}) {
        Simulation run(net, settings), other(net, settings);
        ASSERT_EQ(run.step(4), TWANG_OK);
        ASSERT_EQ(run.body.set_velocities(v), TWANG_OK);
        ASSERT_EQ(run.step(after), TWANG_OK);
        const std::vector<std::byte> bytes = saved(run.world);
        const std::uint64_t now = run.body.measure().state_hash;
        ASSERT_EQ(run.step(5), TWANG_OK);
        const std::uint64_t then = run.body.measure().state_hash;
        for (Simulation* restored : {&run, &other}) {
            ASSERT_EQ(restored->world.restore(bytes), TWANG_OK) << last_error();
            EXPECT_EQ(restored->body.measure().state_hash, now) << after;
            EXPECT_TRUE(saved(restored->world) == bytes) << after;
            ASSERT_EQ(restored->step(5), TWANG_OK);
            EXPECT_EQ(restored->body.measure().state_hash, then) << after;
        }
    }
}

} // namespace
} // namespace twang::test
