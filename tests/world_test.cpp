// world: handles are told apart, advance takes the right number of steps, settings reach the
// bodies, and what a world reports is the sum over its bodies.
#include "world/world.hpp"

#include <cmath>
#include <filesystem>

#include "api_support.hpp"
#include "closed_form.hpp"

using namespace api;
using twang::test::FreeVertex;
using twang::test::integrators;

namespace {

struct Advanced {
    std::int32_t steps = -1;
    double dropped = -1.0;
    twang_status status = TWANG_OK;
};

Advanced advance_by(const World& world, double seconds) {
    Advanced result;
    result.status = twang_world_advance(world.get(), seconds, &result.steps, &result.dropped);
    EXPECT_TRUE(ok(result.status));
    return result;
}

// Threads of this process; 0 where the system does not tell.
std::ptrdiff_t thread_count() {
    std::error_code none;
    const std::filesystem::directory_iterator tasks("/proc/self/task", none);
    return none ? 0 : std::distance(begin(tasks), end(tasks));
}

} // namespace

TEST(Slots, ReuseAPlaceWithANewGeneration) {
    twang::core::Slots<int> slots;
    EXPECT_EQ(slots.add(std::make_unique<int>(1)), 0u);
    EXPECT_EQ(slots.add(std::make_unique<int>(2)), 1u);
    EXPECT_EQ(slots.all()[0].generation, 1u);
    slots.all()[0].item.reset();
    EXPECT_EQ(slots.add(std::make_unique<int>(3)), 0u);
    EXPECT_EQ(slots.all()[0].generation, 2u);
    EXPECT_EQ(slots.all()[1].generation, 1u);
}

// ---- Handles ----------------------------------------------------------------------------------

TEST(World, ADestroyedBodyIsStale) {
    Scene s(3, 3);
    ASSERT_TRUE(ok(twang_body_destroy(s.world.get(), s.body)));
    EXPECT_TRUE(fails(TWANG_STALE_HANDLE, "slot 0", twang_body_destroy(s.world.get(), s.body)));
    EXPECT_TRUE(is(TWANG_STALE_HANDLE, twang_body_pin(s.world.get(), s.body, 0)));
    EXPECT_EQ(twang_body_positions(s.world.get(), s.body), nullptr);
    EXPECT_TRUE(ok(twang_world_step(s.world.get())));
}

TEST(World, AReusedSlotDoesNotAnswerToTheOldHandle) {
    Scene s(3, 3);
    const twang_body old = s.body;
    ASSERT_TRUE(ok(twang_body_destroy(s.world.get(), old)));
    const twang_body fresh = add(s.world, s.model, {2});
    ASSERT_EQ(fresh.index, old.index);
    const auto before = snapshot(s.world);
    EXPECT_TRUE(is(TWANG_STALE_HANDLE, twang_body_unpin(s.world.get(), old, 2)));
    EXPECT_TRUE(is(TWANG_STALE_HANDLE, twang_body_destroy(s.world.get(), old)));
    EXPECT_TRUE(is(TWANG_STALE_HANDLE, twang_body_reset(s.world.get(), old)));
    EXPECT_EQ(twang_body_velocities(s.world.get(), old), nullptr);
    EXPECT_TRUE(snapshot(s.world) == before);
    EXPECT_TRUE(pinned(s.world, fresh, 2));
}

TEST(World, ForeignZeroedAndInventedHandlesAreRefused) {
    Scene s(3, 3), other(3, 3);
    const auto before = snapshot(s.world);
    twang_body future = s.body, beyond = s.body;
    ++future.generation;
    beyond.index = 1000;
    for (const twang_body handle : {other.body, twang_body{}, future, beyond})
        EXPECT_TRUE(
            fails(TWANG_INVALID_ARGUMENT, "body", twang_body_pin(s.world.get(), handle, 0)));
    EXPECT_TRUE(snapshot(s.world) == before);
}

TEST(World, CollidersHaveHandlesLikeBodies) {
    Scene s(3, 3), other(3, 3);
    const twang_collider_def def;
    twang_collider first{}, foreign{}, second{};
    ASSERT_TRUE(ok(twang_collider_create(s.world.get(), &def, &first)));
    ASSERT_TRUE(ok(twang_collider_create(other.world.get(), &def, &foreign)));
    const twang_vec3 to{1.0, 2.0, 3.0};
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_collider_move_to(s.world.get(), {}, to)));
    EXPECT_TRUE(fails(TWANG_INVALID_ARGUMENT, "collider",
                      twang_collider_move_to(s.world.get(), foreign, to)));
    ASSERT_TRUE(ok(twang_collider_destroy(s.world.get(), first)));
    EXPECT_TRUE(is(TWANG_STALE_HANDLE, twang_collider_destroy(s.world.get(), first)));
    ASSERT_TRUE(ok(twang_collider_create(s.world.get(), &def, &second)));
    EXPECT_EQ(second.index, first.index);
    EXPECT_TRUE(is(TWANG_STALE_HANDLE, twang_collider_move_to(s.world.get(), first, to)));
    EXPECT_TRUE(ok(twang_collider_move_to(s.world.get(), second, to)));
}

TEST(World, DestroyTakesItsBodiesAlongAndCannotBeRepeated) {
    Scene s(3, 3);
    twang_world* raw = s.world.release();
    EXPECT_TRUE(ok(twang_world_destroy(&raw)));
    EXPECT_EQ(raw, nullptr);
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_world_destroy(&raw)));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_world_destroy(nullptr)));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_body_pin(nullptr, s.body, 0)));
}

// ---- Advance ----------------------------------------------------------------------------------

TEST(World, AdvanceByNothingIsAnExactNoOp) {
    Scene s(4, 4, plain(), {0}), twin(4, 4, plain(), {0});
    for (Scene* scene : {&s, &twin}) {
        advance_by(scene->world, 0.04);
        ASSERT_TRUE(ok(twang_body_add_force(scene->world.get(), scene->body, 5, {0.0, 0.0, 0.3})));
        ASSERT_TRUE(ok(twang_body_pin(scene->world.get(), scene->body, 3)));
    }
    const auto before = snapshot(s.world);
    for (int i = 0; i < 100; ++i) {
        const Advanced none = advance_by(s.world, 0.0);
        EXPECT_EQ(none.steps, 0);
        EXPECT_EQ(none.dropped, 0.0);
    }
    EXPECT_TRUE(snapshot(s.world) == before) << "queued force, pin and left-over time included";
    EXPECT_EQ(advance_by(s.world, 0.02).steps, advance_by(twin.world, 0.02).steps);
    EXPECT_TRUE(same(bits(s.world, s.body), bits(twin.world, twin.body)));
    EXPECT_NE(positions(s.world, s.body)[3 * 5 + 2], 0.0) << "the force came through";
}

TEST(World, AdvanceByNothingIsANoOpAfterAShorterTimeStepToo) {
    Scene s(4, 4);
    EXPECT_EQ(advance_by(s.world, 0.015).steps, 0); // not a whole step of 1/60 yet
    ASSERT_TRUE(ok(twang_world_set_time_step(s.world.get(), 0.005)));
    const auto before = snapshot(s.world);
    EXPECT_EQ(advance_by(s.world, 0.0).steps, 0);
    EXPECT_TRUE(snapshot(s.world) == before);
}

TEST(World, AdvanceAfterABreakpointIsBoundedAndSaysWhatItDropped) {
    for (const int most : {1, 4, 7}) {
        twang_world_def def = plain();
        def.time_step = 0.01;
        def.max_catch_up = most;
        Scene s(3, 3, def);
        const Advanced long_pause = advance_by(s.world, 10.004);
        EXPECT_EQ(long_pause.steps, most);
        EXPECT_NEAR(long_pause.dropped, 10.0 - most * 0.01, 1e-9);
        EXPECT_EQ(report(s.world, s.body).steps, static_cast<std::uint64_t>(most));
        EXPECT_EQ(advance_by(s.world, 0.005).steps, 0) << "4 ms were kept, not a backlog";
        const Advanced next = advance_by(s.world, 0.0011);
        EXPECT_EQ(next.steps, 1);
        EXPECT_EQ(next.dropped, 0.0);
    }
}

TEST(World, OddFrameTimesGiveTheRightNumberOfSteps) {
    for (const double frame : {0.0037, 1.0 / 144.0, 1.0 / 59.94, 1.0 / 60.0, 0.021, 0.05}) {
        Scene s(2, 2);
        std::int64_t taken = 0;
        const int frames = static_cast<int>(100.0 / frame);
        for (int i = 0; i < frames; ++i) {
            const Advanced now = advance_by(s.world, frame);
            taken += now.steps;
            ASSERT_EQ(now.dropped, 0.0);
            ASSERT_GE(now.steps, static_cast<int>(frame * 60.0 - 1e-6));
            ASSERT_LE(now.steps, static_cast<int>(frame * 60.0) + 1);
        }
        EXPECT_NEAR(static_cast<double>(taken), frames * frame * 60.0, 1.0) << frame;
    }
}

TEST(World, FramesOfExactlyOneStepNeverStutter) {
    for (const double h : {1.0 / 60.0, 0.1, 0.003}) {
        twang_world_def def = plain();
        def.time_step = h;
        Scene s(2, 2, def);
        for (int i = 0; i < 10000; ++i) ASSERT_EQ(advance_by(s.world, h).steps, 1) << i;
    }
}

TEST(World, FramesThatAddUpToAStepByRoundingTakeIt) {
    twang_world_def def = plain();
    def.time_step = 0.1; // ten times 0.01 is a little less in binary
    Scene s(2, 2, def);
    for (int round = 0; round < 100; ++round) {
        for (int i = 0; i < 9; ++i) ASSERT_EQ(advance_by(s.world, 0.01).steps, 0) << round;
        ASSERT_EQ(advance_by(s.world, 0.01).steps, 1) << round;
    }
}

TEST(World, AdvanceIsTheSameAsSteps) {
    Scene s(4, 4, plain(), {0}), stepped(4, 4, plain(), {0});
    EXPECT_EQ(advance_by(s.world, 3.5 / 60.0).steps, 3);
    EXPECT_TRUE(ok(twang_world_advance(s.world.get(), 0.5 / 60.0, nullptr, nullptr)));
    ASSERT_TRUE(steps(stepped.world, 4));
    EXPECT_TRUE(same(bits(s.world, s.body), bits(stepped.world, stepped.body)));
}

TEST(World, AdvanceReportsAFailureAndStillAdvancesTheOthers) {
    Scene s(4, 4), alone(4, 4);
    const twang_body victim = add(s.world, s.model);
    for (int i = 0; i < 2; ++i)
        ASSERT_TRUE(ok(twang_body_add_force(s.world.get(), victim, 0, {1e308, 0.0, 0.0})));
    std::int32_t taken = 0;
    EXPECT_TRUE(
        is(TWANG_DIVERGED, twang_world_advance(s.world.get(), 3.1 / 60.0, &taken, nullptr)));
    EXPECT_EQ(taken, 3);
    ASSERT_TRUE(steps(alone.world, 3));
    EXPECT_TRUE(same(bits(s.world, s.body), bits(alone.world, alone.body)));
}

// ---- Settings and reports ---------------------------------------------------------------------

TEST(World, GravityAndWindCanBeChanged) {
    twang_cloth_def flat;
    flat.columns = flat.rows = 4;
    flat.down = {0.0, 0.0, 1.0};
    const Model model = make_model(flat);
    for (const twang_integrator integrator : integrators) {
        twang_world_def def = plain();
        def.gravity = {};
        def.solver.integrator = integrator;
        const World world = make_world(def);
        const twang_body body = add(world, model);
        FreeVertex expected(integrator);
        const auto step = [&](double gravity, double push) { // of 0.2 kg
            ASSERT_TRUE(steps(world, 1));
            expected.step({gravity, push / 0.2, 0.0});
            EXPECT_NEAR(measures(world, body).momentum.x, 0.2 * expected.v.x, 1e-12);
            EXPECT_NEAR(measures(world, body).momentum.y, 0.2 * expected.v.y, 1e-12);
        };
        ASSERT_TRUE(ok(twang_world_set_gravity(world.get(), {2.0, 0.0, 0.0})));
        step(2.0, 0.0);
        EXPECT_NEAR(measures(world, body).momentum.x, 0.2 * 2.0 / 60.0, 1e-12);
        ASSERT_TRUE(ok(twang_world_set_gravity(world.get(), {})));
        ASSERT_TRUE(ok(twang_world_set_wind(world.get(), {0.0, 3.0, 0.0}, 1.5)));
        // drag * area * speed for one step; the cloth lies across the wind.
        const double push = 1.5 * 0.09 * 0.09 * 3.0;
        step(0.0, push);
        ASSERT_TRUE(ok(twang_world_set_wind(world.get(), {0.0, 3.0, 0.0}, 0.0)));
        for (int k = 0; k < 30; ++k) step(0.0, 0.0);
        EXPECT_NEAR(measures(world, body).momentum.y, push / 60.0, 1e-12) << "all of it";
    }
}

TEST(World, SetSolverReachesAllBodiesOrNone) {
    Scene s(4, 4, plain(TWANG_SOLVER_NEWTON), {0});
    twang_body_def stvk;
    stvk.energy = TWANG_STVK;
    twang_body other{};
    ASSERT_TRUE(ok(twang_body_create(s.world.get(), s.model.get(), &stvk, &other)));
    Scene twin(4, 4, plain(TWANG_SOLVER_NEWTON), {0});

    const twang_solver_def local_global = solver_def(TWANG_SOLVER_LOCAL_GLOBAL);
    EXPECT_TRUE(
        fails(TWANG_UNSUPPORTED, "stvk", twang_world_set_solver(s.world.get(), &local_global)));
    ASSERT_TRUE(steps(s.world, 3));
    ASSERT_TRUE(steps(twin.world, 3));
    EXPECT_TRUE(same(bits(s.world, s.body), bits(twin.world, twin.body))) << "still Newton";
    const twang_body late = add(s.world, s.model, {0});
    ASSERT_TRUE(steps(s.world, 3));
    EXPECT_TRUE(same(bits(s.world, late), bits(twin.world, twin.body))) << "and for those to come";

    ASSERT_TRUE(ok(twang_body_destroy(s.world.get(), other)));
    ASSERT_TRUE(ok(twang_world_set_solver(s.world.get(), &local_global)));
    for (const twang_body body : {s.body, late, add(s.world, s.model)}) {
        ASSERT_TRUE(steps(s.world, 1));
        EXPECT_EQ(report(s.world, body).iterations, 10);
    }
}

TEST(World, UsesAsManyThreadsAsItWasAllowed) {
    const std::ptrdiff_t before = thread_count();
    if (before == 0 || sanitized) GTEST_SKIP() << "no /proc, or a sanitizer with its own threads";
    for (const twang_solver solver : every_solver)
        for (const int workers : {0, 1, 3}) {
            twang_world_def def = plain(solver);
            def.workers = workers;
            def.solver.iterations = 1;
            def.solver.tolerance = 0.0;
            if (solver == TWANG_SOLVER_SYMPLECTIC) def.time_step = 1e-4;
            Scene s(46, 46, def, {0});
            ASSERT_TRUE(steps(s.world, 1));
            // The caller's is one of them; from 1 on there is one behind them, for factors.
            ASSERT_EQ(thread_count() - before, workers)
                << name(solver) << ", " << workers << " workers";
        }
    EXPECT_EQ(thread_count(), before) << "they end with their world";
}

TEST(World, ReportsTheSumOverItsBodies) {
    Scene s(4, 4, plain(), {0});
    const twang_body other = add(s.world, s.model, {3});
    const twang_solver_def newton = solver_def(TWANG_SOLVER_NEWTON);
    ASSERT_TRUE(ok(twang_body_set_solver(s.world.get(), other, &newton)));
    ASSERT_TRUE(steps(s.world, 4));
    const twang_report a = report(s.world, s.body), b = report(s.world, other);
    twang_report all{};
    ASSERT_TRUE(ok(twang_world_get_report(s.world.get(), &all)));
    EXPECT_EQ(all.status, TWANG_OK);
    EXPECT_EQ(all.enabled, 1);
    EXPECT_EQ(all.steps, 4u);
    EXPECT_EQ(all.iterations, a.iterations + b.iterations);
    EXPECT_EQ(all.converged, a.converged && b.converged);
    EXPECT_EQ(all.residual, std::max(a.residual, b.residual));
    EXPECT_DOUBLE_EQ(all.kinetic_energy, a.kinetic_energy + b.kinetic_energy);
    EXPECT_DOUBLE_EQ(all.elastic_energy, a.elastic_energy + b.elastic_energy);
    EXPECT_DOUBLE_EQ(all.total_ms, a.total_ms + b.total_ms);
    EXPECT_DOUBLE_EQ(all.ms.global_step, a.ms.global_step + b.ms.global_step);
}

TEST(World, AnEmptyWorldSteps) {
    const World world = make_world(plain());
    EXPECT_TRUE(steps(world, 3));
    EXPECT_EQ(advance_by(world, 0.05).steps, 3);
    twang_report all{};
    EXPECT_TRUE(ok(twang_world_get_report(world.get(), &all)));
    EXPECT_EQ(all.iterations, 0);
}

TEST(World, AMovingColliderPushesAndStopsWhereItWasSent) {
    for (const twang_integrator integrator : integrators) {
        twang_world_def def = plain();
        def.gravity = {};
        def.solver.integrator = integrator;
        Scene s(4, 4, def);
        twang_collider_def ball;
        ball.radius = 0.05;
        ball.centre = {0.045, -0.045, -0.2};
        twang_collider handle{};
        ASSERT_TRUE(ok(twang_collider_create(s.world.get(), &ball, &handle)));
        const auto untouched = bits(s.world, s.body);
        ASSERT_TRUE(steps(s.world, 3));
        EXPECT_TRUE(same(bits(s.world, s.body), untouched));
        ASSERT_TRUE(ok(twang_collider_move_to(s.world.get(), handle, {0.045, -0.045, -0.02})));
        ASSERT_TRUE(steps(s.world, 1));
        const auto momentum = [&] { return measures(s.world, s.body).momentum.z; };
        const double pushed = momentum();
        EXPECT_GT(pushed, 1e-4);
        ASSERT_TRUE(ok(twang_collider_destroy(s.world.get(), handle)));
        if (integrator == TWANG_IMPLICIT_EULER) {
            ASSERT_TRUE(steps(s.world, 3));
            EXPECT_NEAR(momentum(), pushed, 1e-9);
            continue;
        }
        // What was touched makes a step of implicit Euler; then the rest of the push comes by 1/3.
        ASSERT_TRUE(steps(s.world, 1));
        double before = momentum();
        ASSERT_TRUE(steps(s.world, 1));
        double now = momentum();
        for (int k = 0; k < 30; ++k) {
            ASSERT_TRUE(steps(s.world, 1));
            EXPECT_NEAR(momentum(), now + (now - before) / 3.0, 1e-9) << k;
            before = now;
            now = momentum();
        }
        EXPECT_NEAR(now, pushed, 0.5 * pushed);
    }
}
