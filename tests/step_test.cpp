// step: forces last one step, damping and time steps do what they say, the callback sees every
// iteration, and a body that goes wrong is rolled back and set aside while the others go on.
#include <cmath>

#include "api_support.hpp"
#include "closed_form.hpp"

using namespace api;
using twang::test::FreeVertex;
using twang::test::integrators;

namespace {

// A single free vertex of 1 kg: everything about it is known.
struct Particle {
    Model model;
    World world;
    twang_body body;
    explicit Particle(const twang_world_def& def) : world(make_world(def)) {
        const double origin[3] = {};
        twang_mesh_def mesh;
        mesh.positions = origin;
        mesh.vertex_count = 1;
        model = make_model(mesh);
        body = add(world, model);
    }
    double height() const { return position(world, body, 0).y; }
    double speed() const { return velocities(world, body)[1]; }
};

void expect_set_aside(const World& world, twang_body body, twang_status status) {
    const twang_report r = report(world, body);
    EXPECT_TRUE(is(status, r.status));
    EXPECT_EQ(r.enabled, 0);
}

// The second of three bodies fails in the next step by `provoke`; checks all that is promised.
template <class Provoke>
void expect_contained(const twang_world_def& def, Provoke&& provoke) {
    Scene s(5, 5, def, {0}), alone(5, 5, def, {0});
    const twang_body victim = add(s.world, s.model, {0}), third = add(s.world, s.model, {0});
    ASSERT_TRUE(steps(s.world, 3));
    ASSERT_TRUE(steps(alone.world, 3));
    provoke(s.world, victim);
    const auto good = bits(s.world, victim);
    const twang_status status = twang_world_step(s.world.get());
    ASSERT_NE(status, TWANG_OK);
    EXPECT_STRNE(twang_last_error(), "");
    EXPECT_TRUE(same(bits(s.world, victim), good)) << "rolled back";
    expect_set_aside(s.world, victim, status);
    EXPECT_EQ(report(s.world, victim).steps, 3u);
    twang_report all{};
    ASSERT_TRUE(ok(twang_world_get_report(s.world.get(), &all)));
    EXPECT_EQ(all.status, status);
    EXPECT_EQ(all.enabled, 0);

    ASSERT_TRUE(steps(s.world, 5)) << "it fails once, not in every step";
    ASSERT_TRUE(steps(alone.world, 6));
    for (const twang_body other : {s.body, third})
        EXPECT_TRUE(same(bits(s.world, other), bits(alone.world, alone.body))) << "went on";
    EXPECT_TRUE(same(bits(s.world, victim), good)) << "it waits";
    expect_set_aside(s.world, victim, status);

    ASSERT_TRUE(ok(twang_body_reset(s.world.get(), victim)));
    ASSERT_TRUE(ok(twang_body_reset(s.world.get(), s.body)));
    EXPECT_EQ(report(s.world, victim).status, TWANG_OK);
    ASSERT_TRUE(steps(s.world, 5)) << "revived";
    EXPECT_TRUE(same(bits(s.world, victim), bits(s.world, s.body))) << "as good as new";
    EXPECT_EQ(report(s.world, victim).enabled, 1);
}

void add_huge_force(const World& world, twang_body body) {
    for (int i = 0; i < 2; ++i) // their sum is infinite, each of them is not
        ASSERT_TRUE(ok(twang_body_add_force(world.get(), body, 12, {1e308, 1e308, -1e308})));
}

void set_huge_velocities(const World& world, twang_body body) {
    std::vector<double> v(75, 3.4e38);
    for (std::size_t i = 0; i < v.size(); i += 2) v[i] = -3.4e38;
    ASSERT_TRUE(ok(twang_body_set_velocities(world.get(), body, v.data(), 25)));
}

void set_huge_positions(const World& world, twang_body body) {
    std::vector<double> x(75);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 2 ? 3.4e38 : -3.4e38;
    ASSERT_TRUE(ok(twang_body_set_positions(world.get(), body, x.data(), 25)));
}

} // namespace

TEST(Step, AForceLastsForOneStep) {
    twang_world_def def = plain();
    def.gravity = {};
    def.solver.integrator = TWANG_IMPLICIT_EULER;
    Particle p(def);
    ASSERT_TRUE(ok(twang_body_add_force(p.world.get(), p.body, 0, {0.0, 20.0, 0.0})));
    ASSERT_TRUE(
        ok(twang_body_add_force(p.world.get(), p.body, 0, {0.0, 40.0, 0.0}))); // they add up
    ASSERT_TRUE(steps(p.world, 1));
    EXPECT_NEAR(p.speed(), 60.0 * def.time_step, 1e-14);
    ASSERT_TRUE(steps(p.world, 3));
    EXPECT_NEAR(p.speed(), 60.0 * def.time_step, 1e-14);
    EXPECT_NEAR(p.height(), 4.0 * def.time_step * 60.0 * def.time_step, 1e-14);
}

// With BDF2 2/3 of what a force of one step brings comes in that step, 2/9 in the next and so on.
TEST(Step, AForceOfOneStepComesByAndBy) {
    twang_world_def def = plain();
    def.gravity = {};
    Particle p(def);
    ASSERT_TRUE(steps(p.world, 1));
    ASSERT_TRUE(ok(twang_body_add_force(p.world.get(), p.body, 0, {0.0, 60.0, 0.0})));
    const double whole = 60.0 * def.time_step;
    FreeVertex expected(TWANG_BDF2, def.time_step);
    expected.rest();
    double speed = 0.0;
    for (int step = 0; step < 40; ++step) {
        ASSERT_TRUE(steps(p.world, 1));
        expected.step({0.0, step == 0 ? 60.0 : 0.0, 0.0});
        speed += 2.0 * std::pow(3.0, -step - 1) * whole;
        EXPECT_NEAR(p.speed(), speed, 1e-14) << step;
        EXPECT_NEAR(p.speed(), expected.v.y, 1e-14) << step;
        EXPECT_NEAR(p.height(), expected.x.y, 1e-14) << step;
    }
    EXPECT_NEAR(p.speed(), whole, 1e-13);
}

TEST(Step, EverySolverFeelsForcesGravityAndVelocityAlike) {
    for (const twang_solver solver : dynamic_solvers) {
        SCOPED_TRACE(name(solver));
        Particle p(plain(solver));
        const double v[3] = {0.0, 3.0, 0.0};
        ASSERT_TRUE(ok(twang_body_set_velocities(p.world.get(), p.body, v, 1)));
        ASSERT_TRUE(ok(twang_body_add_force(p.world.get(), p.body, 0, {0.0, 6.0, 0.0})));
        ASSERT_TRUE(steps(p.world, 1));
        const double h = 1.0 / 60.0, after = 3.0 + h * (6.0 - 9.8);
        EXPECT_NEAR(p.speed(), after, 1e-13);
        EXPECT_NEAR(p.height(), h * after, 1e-14);
    }
}

TEST(Step, DampingIsPerSecondWhateverTheTimeStep) {
    for (const double h : {0.5, 0.1, 0.01}) {
        twang_world_def def = plain();
        def.gravity = {};
        def.damping = 0.7;
        def.time_step = h;
        Particle p(def);
        const double v[3] = {0.0, 2.0, 0.0};
        ASSERT_TRUE(ok(twang_body_set_velocities(p.world.get(), p.body, v, 1)));
        ASSERT_TRUE(steps(p.world, static_cast<int>(std::lround(1.0 / h))));
        EXPECT_NEAR(p.speed(), 2.0 * std::exp(-0.7), 1e-12);
    }
}

TEST(Step, AnotherTimeStepKeepsTheVelocity) {
    twang_world_def def = plain();
    def.gravity = {};
    def.refactor_delay = 0;
    Scene s(4, 4, def);
    std::vector<double> v(48);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = i % 3 == 0 ? 2.0 : i % 3 == 1 ? -1.0 : 0.5;
    ASSERT_TRUE(ok(twang_body_set_velocities(s.world.get(), s.body, v.data(), 16)));
    double time = 0.0;
    const double start = position(s.world, s.body, 0).x;
    for (const double h : {1.0 / 60.0, 1.0 / 240.0, 1.0 / 30.0, 0.1, 1e-3}) {
        ASSERT_TRUE(ok(twang_world_set_time_step(s.world.get(), h)));
        double told = 0.0;
        ASSERT_TRUE(ok(twang_world_get_time_step(s.world.get(), &told)));
        EXPECT_EQ(told, h);
        ASSERT_TRUE(steps(s.world, 5));
        time += 5 * h;
        const auto now = velocities(s.world, s.body);
        for (std::size_t i = 0; i < v.size(); ++i) ASSERT_NEAR(now[i], v[i], 1e-10) << "h " << h;
    }
    EXPECT_NEAR(position(s.world, s.body, 0).x, start + 2.0 * time, 1e-10);
}

TEST(Step, AnotherTimeStepFactorsOnceAndMatchesAWorldThatHadItFromTheStart) {
    twang_world_def def = plain();
    def.refactor_delay = 0;
    Scene s(5, 5, def, {0});
    def.time_step = 0.01;
    Scene fresh(5, 5, def, {0});
    ASSERT_TRUE(ok(twang_world_set_time_step(s.world.get(), 0.01)));
    EXPECT_EQ(precomputation(s.world, s.body).factorings, 1);
    ASSERT_TRUE(steps(s.world, 4));
    EXPECT_EQ(precomputation(s.world, s.body).factorings, 2);
    ASSERT_TRUE(steps(fresh.world, 4));
    EXPECT_TRUE(same(bits(s.world, s.body), bits(fresh.world, fresh.body)));
}

TEST(Step, TheCallbackSeesEveryIteration) {
    struct Seen {
        std::vector<twang_iteration> all;
    };
    for (const twang_solver solver : every_solver) {
        SCOPED_TRACE(name(solver));
        twang_world_def def = plain(solver);
        if (solver == TWANG_SOLVER_SYMPLECTIC) def.time_step = 1e-4;
        Scene s(4, 4, def, {0, 3}), silent(4, 4, def, {0, 3});
        Seen seen;
        ASSERT_TRUE(ok(twang_world_set_iteration_callback(
            s.world.get(),
            [](void* user, const twang_iteration* now) {
                static_cast<Seen*>(user)->all.push_back(*now);
            },
            &seen)));
        ASSERT_TRUE(steps(s.world, 1));
        const twang_report r = report(s.world, s.body);
        ASSERT_EQ(seen.all.size(), static_cast<std::size_t>(r.iterations));
        for (std::size_t i = 0; i < seen.all.size(); ++i) {
            EXPECT_EQ(seen.all[i].iteration, static_cast<int>(i));
            EXPECT_EQ(seen.all[i].body.index, s.body.index);
            EXPECT_EQ(seen.all[i].body.generation, s.body.generation);
            EXPECT_TRUE(std::isfinite(seen.all[i].objective));
            EXPECT_GE(seen.all[i].residual, 0.0);
        }
        EXPECT_EQ(seen.all.back().residual, r.residual);
        ASSERT_TRUE(steps(silent.world, 1));
        EXPECT_TRUE(same(bits(s.world, s.body), bits(silent.world, silent.body)))
            << "watching is free";
        seen.all.clear();
        ASSERT_TRUE(ok(twang_world_set_iteration_callback(s.world.get(), nullptr, nullptr)));
        ASSERT_TRUE(steps(s.world, 1));
        EXPECT_TRUE(seen.all.empty());
    }
}

TEST(Step, IterationsAreCappedAndTheToleranceStopsThem) {
    twang_world_def def = plain();
    def.solver.iterations = 7;
    Scene s(5, 5, def, {0});
    ASSERT_TRUE(steps(s.world, 2));
    EXPECT_EQ(report(s.world, s.body).iterations, 7);
    EXPECT_EQ(report(s.world, s.body).converged, 0);
    def.solver.iterations = 1000;
    def.solver.tolerance = 1e-3;
    ASSERT_TRUE(ok(twang_body_set_solver(s.world.get(), s.body, &def.solver)));
    ASSERT_TRUE(steps(s.world, 1));
    const twang_report r = report(s.world, s.body);
    EXPECT_EQ(r.converged, 1);
    EXPECT_LT(r.iterations, 1000);
    EXPECT_GT(r.iterations, 1);
    EXPECT_LT(r.residual, 1e-3);
}

TEST(Step, StageTimesAddUpToTheWhole) {
    Scene s(12, 12, plain(), {0});
    ASSERT_TRUE(steps(s.world, 3));
    const twang_report r = report(s.world, s.body);
    double sum = 0.0;
    for (const double ms : {r.ms.apply_changes, r.ms.external_forces, r.ms.predict, r.ms.local_step,
                            r.ms.global_step, r.ms.accelerate, r.ms.contact, r.ms.commit}) {
        EXPECT_GE(ms, 0.0);
        sum += ms;
    }
    EXPECT_GT(r.ms.local_step, 0.0);
    EXPECT_GT(r.ms.global_step, 0.0);
    EXPECT_LE(sum, r.total_ms);
    EXPECT_EQ(r.steps, 3u);
}

TEST(Step, AnInfiniteForceIsContained) {
    for (const twang_solver solver : dynamic_solvers) {
        SCOPED_TRACE(name(solver));
        twang_world_def def = plain(solver);
        if (solver == TWANG_SOLVER_SYMPLECTIC) def.time_step = 1e-4;
        expect_contained(def, add_huge_force);
    }
}

TEST(Step, HugeVelocitiesAreContained) {
    expect_contained(plain(), set_huge_velocities);
    twang_world_def def = plain(TWANG_SOLVER_SYMPLECTIC);
    def.time_step = 1e-4;
    expect_contained(def, set_huge_velocities);
}

// Where a solver can answer in finite numbers it may; it may not show infinite ones.
TEST(Step, HugeVelocitiesEndInFiniteNumbersOrANamedError) {
    for (const twang_solver solver : dynamic_solvers) {
        SCOPED_TRACE(name(solver));
        twang_world_def def = plain(solver);
        if (solver == TWANG_SOLVER_SYMPLECTIC) def.time_step = 1e-4;
        Scene s(5, 5, def, {0}), alone(5, 5, def, {0});
        const twang_body victim = add(s.world, s.model, {0});
        set_huge_velocities(s.world, victim);
        for (int i = 0; i < 20; ++i) {
            const twang_status status = twang_world_step(s.world.get());
            EXPECT_EQ(report(s.world, victim).enabled, report(s.world, victim).status == TWANG_OK);
            EXPECT_TRUE(status == TWANG_OK || report(s.world, victim).status == status);
            for (const double value : positions(s.world, victim)) ASSERT_TRUE(std::isfinite(value));
            for (const double value : velocities(s.world, victim))
                ASSERT_TRUE(std::isfinite(value));
        }
        ASSERT_TRUE(steps(alone.world, 20));
        EXPECT_TRUE(same(bits(s.world, s.body), bits(alone.world, alone.body)));
    }
}

TEST(Step, HugePositionsAreContained) {
    for (const twang_solver solver : dynamic_solvers) {
        SCOPED_TRACE(name(solver));
        twang_world_def def = plain(solver);
        if (solver == TWANG_SOLVER_SYMPLECTIC) def.time_step = 1e-4;
        expect_contained(def, set_huge_positions);
    }
}

TEST(Step, AnExplosionOfSymplecticEulerIsReported) {
    twang_cloth_def cloth_def;
    cloth_def.columns = cloth_def.rows = 5;
    cloth_def.stiffness = 1e7;
    const Model model = make_model(cloth_def);
    const World world = make_world(plain(TWANG_SOLVER_SYMPLECTIC));
    const twang_body body = add(world, model, {0});
    twang_status status = TWANG_OK;
    std::vector<std::uint64_t> good;
    for (int i = 0; i < 1000 && status == TWANG_OK; ++i) {
        good = bits(world, body);
        status = twang_world_step(world.get());
    }
    EXPECT_TRUE(fails(TWANG_DIVERGED, "exploded", status));
    EXPECT_TRUE(same(bits(world, body), good));
    expect_set_aside(world, body, TWANG_DIVERGED);
}

TEST(Step, TwoFailuresInOneStepAreBothReported) {
    Scene s(5, 5);
    const twang_body other = add(s.world, s.model);
    add_huge_force(s.world, s.body);
    add_huge_force(s.world, other);
    EXPECT_TRUE(fails(TWANG_DIVERGED, "vertex", twang_world_step(s.world.get())));
    expect_set_aside(s.world, s.body, TWANG_DIVERGED);
    expect_set_aside(s.world, other, TWANG_DIVERGED);
}

TEST(Step, ATimeStepThatCannotBeFactoredSetsTheBodyAside) {
    twang_world_def def = plain();
    def.refactor_delay = 0;
    Scene s(5, 5, def, {0});
    ASSERT_TRUE(steps(s.world, 2));
    const auto good = bits(s.world, s.body);
    ASSERT_TRUE(ok(twang_world_set_time_step(s.world.get(), 1e-200)));
    EXPECT_TRUE(fails(TWANG_FACTOR_FAILED, "not finite", twang_world_step(s.world.get())));
    EXPECT_TRUE(same(bits(s.world, s.body), good));
    expect_set_aside(s.world, s.body, TWANG_FACTOR_FAILED);
    ASSERT_TRUE(ok(twang_world_set_time_step(s.world.get(), 1.0 / 60.0)));
    ASSERT_TRUE(ok(twang_body_reset(s.world.get(), s.body)));
    Scene fresh(5, 5, plain(), {0});
    ASSERT_TRUE(steps(s.world, 3));
    ASSERT_TRUE(steps(fresh.world, 3));
    EXPECT_TRUE(same(bits(s.world, s.body), bits(fresh.world, fresh.body)));
}

TEST(Step, ZeroLengthSpringsDoNotDivideByZero) {
    for (const twang_solver solver : dynamic_solvers) {
        SCOPED_TRACE(name(solver));
        twang_world_def def = plain(solver);
        if (solver == TWANG_SOLVER_SYMPLECTIC) def.time_step = 1e-4;
        Scene s(4, 4, def, {0});
        const std::vector<double> collapsed(48, 0.25);
        ASSERT_TRUE(ok(twang_body_set_positions(s.world.get(), s.body, collapsed.data(), 16)));
        ASSERT_TRUE(steps(s.world, 50));
        for (const double value : positions(s.world, s.body)) ASSERT_TRUE(std::isfinite(value));
    }
}
