// Memory may run out at any allocation: each one of a call is made to fail in turn. The call
// answers OUT_OF_MEMORY, changes nothing and leaks nothing, and asked again gives what it would
// have given. malloc fails too, and with it CHOLMOD's allocations, except under sanitizers.
#include <sys/resource.h>

#include "allocation_hooks.hpp"

using namespace api;

namespace {

using Words = std::vector<std::uint64_t>;

enum class Needs { memory, perhaps_none };

// make() builds a scene, call(scene) is the call under test, mark(scene) shows what must not change
// when it fails, outcome(scene) what it leads to when it succeeds.
template <class Make, class Call, class Mark, class Outcome>
void expect_survives(Make make, Call call, Mark mark, Outcome outcome,
                     Needs needs = Needs::memory) {
    Words expected;
    long harmless = 0;
    { // also warms up what is allocated once per process
        auto scene = make();
        ASSERT_TRUE(ok(call(scene)));
        expected = outcome(scene);
    }
    for (long index = 0;; ++index) {
        SCOPED_TRACE("allocation " + std::to_string(index));
        const long live = hooks::live_blocks;
        {
            auto scene = make();
            const auto before = mark(scene);
            hooks::Failing failing(index);
            const twang_status status = call(scene);
            const bool failed = failing.stop();
            if (!failed) {
                ASSERT_TRUE(ok(status));
                EXPECT_TRUE(index > harmless || needs == Needs::perhaps_none) << "nothing failed";
                return;
            }
            if (status == TWANG_OK) {
                ++harmless; // it did without, as std::stable_sort can
            } else {
                ASSERT_TRUE(is(TWANG_OUT_OF_MEMORY, status));
                ASSERT_TRUE(mark(scene) == before) << "something has changed";
                ASSERT_TRUE(ok(call(scene))) << "asked again";
            }
            ASSERT_TRUE(same(outcome(scene), expected)) << "asked again";
        }
        ASSERT_EQ(hooks::live_blocks, live) << "a leak";
    }
}

twang_world_def gentle(twang_solver solver) {
    twang_world_def def = plain(solver);
    def.solver.iterations = std::min(def.solver.iterations, 5);
    def.solver.tolerance = 0.0;
    if (solver == TWANG_SOLVER_SYMPLECTIC) def.time_step = 1e-4;
    return def;
}

Words three_steps_on(Scene& scene) {
    EXPECT_TRUE(steps(scene.world, 3));
    return bits(scene.world, scene.body);
}

template <class Call>
void expect_scene_survives(twang_solver solver, const std::vector<std::uint32_t>& pins, Call call,
                           Needs needs = Needs::memory) {
    expect_survives(
        [&] {
            Scene scene(6, 5, gentle(solver), pins);
            EXPECT_TRUE(steps(scene.world, 2));
            return scene;
        },
        call, [](Scene& scene) { return snapshot(scene.world); }, three_steps_on, needs);
}

class EverySolver : public testing::TestWithParam<twang_solver> {};
INSTANTIATE_TEST_SUITE_P(OutOfMemory, EverySolver, testing::ValuesIn(every_solver),
                         [](const auto& solver) { return name(solver.param); });

} // namespace

TEST(OutOfMemory, WhileAModelIsMade) {
    expect_survives([] { return Model(); },
                    [](Model& model) {
                        twang_cloth_def def;
                        def.columns = 5, def.rows = 4;
                        twang_model* made = nullptr;
                        const twang_status status = twang_model_create_cloth(&def, &made);
                        model.reset(made);
                        return status;
                    },
                    [](Model& model) { return model.get(); },
                    [](Model& model) {
                        const World world = make_world(plain());
                        const twang_body body = add(world, model, {0});
                        EXPECT_TRUE(steps(world, 3));
                        return bits(world, body);
                    });
}

TEST(OutOfMemory, WhileAWorldIsMade) {
    expect_survives([] { return World(); },
                    [](World& world) {
                        twang_world_def def;
                        def.workers = 3;
                        twang_world* made = nullptr;
                        const twang_status status = twang_world_create(&def, &made);
                        world.reset(made);
                        return status;
                    },
                    [](World& world) { return world.get(); },
                    [](World& world) {
                        const Model model = cloth(5, 4);
                        const twang_body body = add(world, model, {0});
                        EXPECT_TRUE(steps(world, 3));
                        return bits(world, body);
                    });
}

// Threads need address space for their stacks.
TEST(OutOfMemory, WhileWorkersAreStarted) {
    if (sanitized) GTEST_SKIP() << "sanitizers need the address space for themselves";
    rlimit limit{};
    ASSERT_EQ(getrlimit(RLIMIT_AS, &limit), 0);
    rlimit tight = limit;
    tight.rlim_cur = rlim_t{1} << 30;
    ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
    twang_world_def def;
    def.workers = TWANG_MAX_WORKERS;
    twang_world* world = nullptr;
    const twang_status status = twang_world_create(&def, &world);
    ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
    EXPECT_TRUE(is(TWANG_OUT_OF_MEMORY, status));
    EXPECT_EQ(world, nullptr);
    def.workers = 3;
    EXPECT_TRUE(steps(make_world(def), 1));
}

TEST_P(EverySolver, WhileABodyIsMade) {
    expect_survives([] { return Scene(6, 5, gentle(GetParam()), {0}); },
                    [](Scene& scene) {
                        const std::uint32_t pins[] = {1, 2};
                        twang_body_def def;
                        def.pins = pins;
                        def.pin_count = 2;
                        return twang_body_create(scene.world.get(), scene.model.get(), &def,
                                                 &scene.body);
                    },
                    [](Scene& scene) { return snapshot(scene.world); },
                    [](Scene& scene) {
                        EXPECT_EQ(scene.body.index, 1u);
                        return three_steps_on(scene);
                    });
}

TEST(OutOfMemory, WhileAPinIsSet) {
    expect_scene_survives(
        TWANG_SOLVER_LOCAL_GLOBAL, {},
        [](Scene& scene) {
            return twang_body_pin_at(scene.world.get(), scene.body, 7, {0.1, 0.1, 0.1});
        },
        Needs::perhaps_none);
}

// A pin is queued, so the step has to factor Q anew.
TEST_P(EverySolver, InAStepThatFactorsQ) {
    const auto make = [] {
        Scene scene(6, 5, gentle(GetParam()), {0});
        EXPECT_TRUE(steps(scene.world, 2));
        EXPECT_TRUE(ok(twang_body_pin_at(scene.world.get(), scene.body, 7, {0.05, -0.04, 0.1})));
        EXPECT_TRUE(ok(twang_body_add_force(scene.world.get(), scene.body, 9, {0.0, 0.0, 0.2})));
        return scene;
    };
    expect_survives(
        make, [](Scene& scene) { return twang_world_step(scene.world.get()); },
        [](Scene& scene) { return bits(scene.world, scene.body); }, three_steps_on);
}

// Bodies that take their global steps together; on other threads too, where nothing may be thrown.
TEST(OutOfMemory, InTheFirstStepOfACrowd) {
    for (const int workers : {1, 2}) {
        const auto make = [workers] {
            twang_world_def def = gentle(TWANG_SOLVER_LOCAL_GLOBAL);
            def.workers = workers;
            Scene scene(6, 5, def, {0});
            for (int k = 1; k < 14; ++k) add(scene.world, scene.model, {0});
            return scene;
        };
        const auto all = [](Scene& scene) {
            Words words;
            for (std::uint32_t k = 0; k < 14; ++k) {
                const twang_body body{scene.body.world, k, 1};
                EXPECT_EQ(report(scene.world, body).enabled, 1);
                for (const std::uint64_t word : bits(scene.world, body)) words.push_back(word);
            }
            return words;
        };
        expect_survives(
            make, [](Scene& scene) { return twang_world_step(scene.world.get()); }, all,
            [&](Scene& scene) {
                EXPECT_TRUE(steps(scene.world, 2));
                return all(scene);
            });
    }
}

// A body left behind by a failed step can always be brought back by a snapshot or a reset.
TEST(OutOfMemory, AFailedStepCanBeUndone) {
    for (long index = 0;; ++index) {
        SCOPED_TRACE("allocation " + std::to_string(index));
        Scene scene(6, 5, plain(), {0}), fresh(6, 5, plain(), {0});
        ASSERT_TRUE(ok(twang_body_pin(scene.world.get(), scene.body, 7)));
        ASSERT_TRUE(ok(twang_body_pin(fresh.world.get(), fresh.body, 7)));
        const auto saved = snapshot(scene.world);
        hooks::Failing failing(index);
        const twang_status status = twang_world_step(scene.world.get());
        if (!failing.stop()) break;
        EXPECT_TRUE(is(TWANG_OUT_OF_MEMORY, status));
        ASSERT_TRUE(ok(twang_world_restore(scene.world.get(), saved.data(), saved.size())));
        ASSERT_TRUE(steps(scene.world, 3));
        ASSERT_TRUE(steps(fresh.world, 3));
        ASSERT_TRUE(same(bits(scene.world, scene.body), bits(fresh.world, fresh.body)));
    }
}

TEST(OutOfMemory, WhileASnapshotIsRestored) {
    Scene later(6, 5, gentle(TWANG_SOLVER_LOCAL_GLOBAL), {0, 3, 8, 11});
    ASSERT_TRUE(steps(later.world, 6));
    const auto saved = snapshot(later.world);
    expect_scene_survives(
        TWANG_SOLVER_LOCAL_GLOBAL, {0},
        [&](Scene& scene) {
            return twang_world_restore(scene.world.get(), saved.data(), saved.size());
        },
        Needs::perhaps_none);
}

TEST(OutOfMemory, WhileABodyIsReset) {
    expect_survives(
        [] {
            Scene scene(6, 5, gentle(TWANG_SOLVER_LOCAL_GLOBAL), {0, 3, 8, 11});
            EXPECT_TRUE(steps(scene.world, 2));
            EXPECT_TRUE(ok(twang_body_pin(scene.world.get(), scene.body, 7)));
            return scene;
        },
        [](Scene& scene) { return twang_body_reset(scene.world.get(), scene.body); },
        [](Scene& scene) { return snapshot(scene.world); }, three_steps_on, Needs::perhaps_none);
}

TEST(OutOfMemory, WhileAColliderIsMade) {
    expect_scene_survives(TWANG_SOLVER_LOCAL_GLOBAL, {0}, [](Scene& scene) {
        twang_collider_def def;
        def.centre = {0.05, -0.1, 0.0};
        def.radius = 0.02;
        twang_collider made{};
        return twang_collider_create(scene.world.get(), &def, &made);
    });
}

TEST_P(EverySolver, WhileTheSolverIsChanged) {
    const twang_solver_def solver = gentle(GetParam()).solver;
    for (const twang_solver from : {TWANG_SOLVER_SYMPLECTIC, TWANG_SOLVER_NEWTON})
        expect_scene_survives(
            from, {0},
            [&](Scene& scene) {
                const twang_status status =
                    twang_body_set_solver(scene.world.get(), scene.body, &solver);
                return status == TWANG_OK ? twang_world_set_time_step(scene.world.get(), 1e-4)
                                          : status;
            },
            from == TWANG_SOLVER_SYMPLECTIC && GetParam() != TWANG_SOLVER_LOCAL_GLOBAL &&
                    GetParam() != TWANG_SOLVER_SYMPLECTIC
                ? Needs::memory
                : Needs::perhaps_none);
}

// All bodies or none: when there is no room for the second, the first goes on as before.
TEST(OutOfMemory, WhileTheSolverOfAWorldIsChanged) {
    const twang_solver_def linear = solver_def(TWANG_SOLVER_LINEAR);
    const auto make = [] {
        Scene scene(6, 5, gentle(TWANG_SOLVER_NEWTON), {0});
        add(scene.world, scene.model, {1});
        return scene;
    };
    Scene undisturbed = make();
    ASSERT_TRUE(steps(undisturbed.world, 3));
    for (long index = 0;; ++index) {
        SCOPED_TRACE("allocation " + std::to_string(index));
        Scene scene = make();
        hooks::Failing failing(index);
        const twang_status status = twang_world_set_solver(scene.world.get(), &linear);
        if (!failing.stop()) break;
        ASSERT_TRUE(is(TWANG_OUT_OF_MEMORY, status));
        ASSERT_TRUE(steps(scene.world, 3));
        ASSERT_TRUE(same(bits(scene.world, scene.body), bits(undisturbed.world, undisturbed.body)));
    }
}
