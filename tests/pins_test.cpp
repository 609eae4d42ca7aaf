// pins: held vertices stay on their targets, with both methods and every solver; changes wait for
// the next step and cost no factorisation.
#include "system/pins.hpp"

#include <cmath>

#include "api_support.hpp"
#include "closed_form.hpp"

using namespace api;
using twang::core::Pins;

namespace {

const twang::core::Vec3 nowhere[4] = {};

double distance(twang_vec3 a, twang_vec3 b) { return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z); }

twang_world_def with(twang_solver solver, twang_pin_method method) {
    twang_world_def def = plain(solver);
    def.pin_method = method;
    if (solver == TWANG_SOLVER_SYMPLECTIC) def.time_step = 1e-4; // stays stable
    return def;
}

double size_of(const Model& model) {
    twang_model_info info{};
    EXPECT_TRUE(ok(twang_model_get_info(model.get(), &info)));
    return info.size;
}

} // namespace

TEST(Pins, ChangesWaitUntilTheyAreAdmitted) {
    Pins pins(4);
    pins.pin(2, {1.0, 2.0, 3.0});
    EXPECT_TRUE(pins.will_hold(2));
    EXPECT_FALSE(pins.holds(2));
    EXPECT_EQ(pins.next_target(2).y, 2.0);
    EXPECT_TRUE(pins.apply_changes(nowhere)); // another set
    EXPECT_TRUE(pins.holds(2));
    EXPECT_EQ(pins.target(2).z, 3.0);
    EXPECT_FALSE(pins.apply_changes(nowhere)); // nothing new

    pins.pin(2, {4.0, 5.0, 6.0}); // again: its target moves, the set stays
    EXPECT_EQ(pins.target(2).x, 1.0);
    EXPECT_FALSE(pins.apply_changes(nowhere));
    EXPECT_EQ(pins.target(2).x, 4.0);

    pins.unpin(2);
    EXPECT_TRUE(pins.holds(2));
    EXPECT_TRUE(pins.apply_changes(nowhere));
    EXPECT_FALSE(pins.holds(2));
}

TEST(Pins, TheLastOfSeveralChangesCounts) {
    Pins pins(3);
    pins.pin(0, {1.0, 0.0, 0.0});
    pins.pin(0, {2.0, 0.0, 0.0});
    pins.pin(1, {3.0, 0.0, 0.0});
    pins.unpin(1);
    EXPECT_EQ(pins.next_target(0).x, 2.0);
    EXPECT_FALSE(pins.will_hold(1));
    EXPECT_TRUE(pins.apply_changes(nowhere));
    EXPECT_EQ(pins.target(0).x, 2.0);
    EXPECT_FALSE(pins.holds(1));

    pins.unpin(0);
    pins.pin(0, {5.0, 0.0, 0.0});
    EXPECT_FALSE(pins.apply_changes(nowhere)) << "unpinned and pinned again is the same set";
    EXPECT_EQ(pins.target(0).x, 5.0);
}

TEST(Pins, HoldTheirVertexWithEverySolverAndMethod) {
    for (const twang_pin_method method : pin_methods)
        for (const twang_solver solver : every_solver) {
            SCOPED_TRACE(std::string(name(solver)) + (method ? ", elimination" : ", penalty"));
            Scene s(6, 5, with(solver, method), {0, 5});
            const double tolerance =
                method == TWANG_PIN_ELIMINATION || solver == TWANG_SOLVER_SYMPLECTIC
                    ? 0.0
                    : 1e-6 * size_of(s.model);
            const twang_vec3 left = position(s.world, s.body, 0),
                             right = position(s.world, s.body, 5);
            const double low = position(s.world, s.body, 29).y;
            for (int i = 0; i < 60; ++i) {
                ASSERT_TRUE(steps(s.world, 1));
                EXPECT_LE(distance(position(s.world, s.body, 0), left), tolerance);
                EXPECT_LE(distance(position(s.world, s.body, 5), right), tolerance);
            }
            EXPECT_LT(position(s.world, s.body, 29).y, low) << "the rest of the cloth hangs down";
        }
}

TEST(Pins, FollowATargetThatMoves) {
    for (const twang_pin_method method : pin_methods)
        for (const twang_solver solver : dynamic_solvers) {
            SCOPED_TRACE(std::string(name(solver)) + (method ? ", elimination" : ", penalty"));
            Scene s(4, 4, with(solver, method), {0});
            const int factorings = precomputation(s.world, s.body).factorings;
            twang_vec3 target = position(s.world, s.body, 0);
            for (int i = 0; i < 100; ++i) {
                target = {target.x + 0.001, target.y + 0.0005, target.z - 0.002};
                ASSERT_TRUE(ok(twang_body_pin_at(s.world.get(), s.body, 0, target)));
                ASSERT_TRUE(steps(s.world, 1));
                const bool exact =
                    method == TWANG_PIN_ELIMINATION || solver == TWANG_SOLVER_SYMPLECTIC;
                // Linear has one step to get there, and its pin pulls like any other spring.
                ASSERT_LE(distance(position(s.world, s.body, 0), target),
                          exact ? 0.0 : 1e-6 * size_of(s.model));
            }
            EXPECT_EQ(precomputation(s.world, s.body).factorings, factorings)
                << "a moved target must not factor Q again";
        }
}

TEST(Pins, AreQueuedUntilTheNextStep) {
    Scene s(4, 4);
    ASSERT_TRUE(steps(s.world, 3));
    const int factorings = precomputation(s.world, s.body).factorings;
    EXPECT_FALSE(pinned(s.world, s.body, 7));
    ASSERT_TRUE(ok(twang_body_pin(s.world.get(), s.body, 7)));
    EXPECT_TRUE(pinned(s.world, s.body, 7)); // it will be
    EXPECT_EQ(precomputation(s.world, s.body).factorings, factorings);
    const twang_vec3 held = position(s.world, s.body, 7);
    ASSERT_TRUE(steps(s.world, 20));
    EXPECT_EQ(precomputation(s.world, s.body).factorings, factorings) << "no factor in the frame";
    EXPECT_LE(distance(position(s.world, s.body, 7), held), 1e-6 * size_of(s.model));
}

TEST(Pins, LetGoTheVertexFallsFreely) {
    for (const twang_integrator integrator : twang::test::integrators)
        for (const twang_pin_method method : pin_methods) {
            twang_world_def def = with(TWANG_SOLVER_LOCAL_GLOBAL, method);
            def.solver.integrator = integrator;
            Scene s(4, 4, def, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
            ASSERT_TRUE(steps(s.world, 10)); // all vertices pinned: legal
            const twang_vec3 before = measures(s.world, s.body).centre;
            for (std::uint32_t i = 0; i < 16; ++i) {
                ASSERT_TRUE(ok(twang_body_unpin(s.world.get(), s.body, i)));
                EXPECT_FALSE(pinned(s.world, s.body, i));
            }
            twang::test::FreeVertex expected(integrator, def.time_step);
            expected.rest();
            for (int step = 0; step < 30; ++step) {
                ASSERT_TRUE(steps(s.world, 1));
                expected.step(def.gravity);
                EXPECT_NEAR(measures(s.world, s.body).centre.y - before.y, expected.x.y, 1e-6);
            }
        }
}

TEST(Pins, UnpinningWhatIsNotPinnedChangesNothing) {
    Scene s(3, 3, plain(), {0}), twin(3, 3, plain(), {0});
    ASSERT_TRUE(ok(twang_body_unpin(s.world.get(), s.body, 5)));
    ASSERT_TRUE(steps(s.world, 5));
    ASSERT_TRUE(steps(twin.world, 5));
    EXPECT_TRUE(same(bits(s.world, s.body), bits(twin.world, twin.body)));
    EXPECT_EQ(precomputation(s.world, s.body).factorings,
              precomputation(twin.world, twin.body).factorings);
}

TEST(Pins, PinWithoutATargetHoldsWhereTheVertexIs) {
    Scene s(3, 3, with(TWANG_SOLVER_LOCAL_GLOBAL, TWANG_PIN_ELIMINATION));
    ASSERT_TRUE(steps(s.world, 7));
    const twang_vec3 fallen = position(s.world, s.body, 4);
    EXPECT_LT(fallen.y, -0.03);
    ASSERT_TRUE(ok(twang_body_pin(s.world.get(), s.body, 4)));
    ASSERT_TRUE(steps(s.world, 7));
    EXPECT_EQ(distance(position(s.world, s.body, 4), fallen), 0.0);
}
