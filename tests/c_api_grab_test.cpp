// twang.h, grabs: where they hold a body, what they cost, which handles and numbers they refuse.
#include "closed_form.hpp"
#include "live_support.hpp"

using namespace api;

namespace {

double mass(const Model& model) {
    twang_model_info info{};
    EXPECT_TRUE(ok(twang_model_get_info(model.get(), &info)));
    return info.mass;
}

// Where the grabbed point is.
twang_vec3 point(const World& world, twang_body body, const twang_grab_def& def) {
    twang_vec3 sum{};
    const double all = def.weights[0] + def.weights[1] + def.weights[2];
    for (int k = 0; k < 3; ++k) {
        const twang_vec3 p = position(world, body, def.vertices[k]);
        sum.x += def.weights[k] / all * p.x;
        sum.y += def.weights[k] / all * p.y;
        sum.z += def.weights[k] / all * p.z;
    }
    return sum;
}

} // namespace

TEST(Grab, AVertexHangsBelowItsTargetByWeightOverStiffness) {
    for (const twang_pin_method method : pin_methods)
        for (const double stiffness : {20.0, 100.0, 1000.0}) {
            twang_world_def def = damped();
            def.pin_method = method;
            Scene s(5, 5, def);
            grab(s.world, s.body, at_vertex(2, {0.06, 0.0, 0.0}, stiffness));
            ASSERT_TRUE(steps(s.world, sanitized ? 600 : 1500));
            const double sag = mass(s.model) * gravity / stiffness;
            const twang_vec3 p = position(s.world, s.body, 2);
            EXPECT_NEAR(p.y, -sag, 1e-3 * sag) << stiffness;
            EXPECT_NEAR(p.x, 0.06, 1e-3 * sag);
            EXPECT_NEAR(p.z, 0.0, 1e-3 * sag);
            EXPECT_EQ(precomputation(s.world, s.body).factorings, 1);
        }
}

TEST(Grab, APointOfATriangleHangsBelowItsTarget) {
    Scene s(5, 5, damped());
    twang_grab_def def;
    const std::uint32_t corners[] = {6, 7, 11};
    const double weights[] = {2.0, 3.0, 5.0}; // scaled to the sum 1
    std::copy_n(corners, 3, def.vertices);
    std::copy_n(weights, 3, def.weights);
    def.target = {0.05, 0.3, -0.1};
    def.stiffness = 200.0;
    grab(s.world, s.body, def);
    ASSERT_TRUE(steps(s.world, sanitized ? 600 : 2000));
    const double sag = mass(s.model) * gravity / def.stiffness;
    const twang_vec3 p = point(s.world, s.body, def);
    EXPECT_NEAR(p.y, 0.3 - sag, 1e-3 * sag);
    EXPECT_NEAR(p.x, 0.05, 1e-3 * sag);
    EXPECT_NEAR(p.z, -0.1, 1e-3 * sag);
}

TEST(Grab, EverySolverKnowsOfIt) {
    for (const twang_solver solver : every_solver) {
        SCOPED_TRACE(name(solver));
        twang_world_def def = plain(solver);
        def.damping = 5.0;
        if (solver == TWANG_SOLVER_SYMPLECTIC) def.time_step = 1.0 / 600.0;
        Scene s(3, 3, def);
        grab(s.world, s.body, at_vertex(1, {0.03, 0.0, 0.0}, 50.0));
        ASSERT_TRUE(steps(s.world, solver == TWANG_SOLVER_STATIC       ? 3
                                   : solver == TWANG_SOLVER_SYMPLECTIC ? 10'000
                                                                       : 1500));
        const double sag = mass(s.model) * gravity / 50.0;
        EXPECT_NEAR(position(s.world, s.body, 1).y, -sag, 1e-3 * sag);
    }
}

// The stiffest grab there may be is as good as a pin, from its first step on, also at a cloth as
// light and soft as a cobweb, and at a vertex whose pin has been taken out.
TEST(Grab, TheStiffestHoldsItsPoint) {
    const Model common = cloth(12, 12);
    const Model cobweb = make_model(
        {.columns = 12, .rows = 12, .mass = 0.002, .stiffness = 1.0, .shear = 1.0, .bend = 0.1});
    double farthest = 0.0;
    for (const twang_solver solver : {TWANG_SOLVER_LOCAL_GLOBAL, TWANG_SOLVER_NEWTON_CG})
        for (const twang_pin_method method : pin_methods)
            for (const Model* model : {&common, &cobweb})
                for (const bool unpinned : {false, true}) {
                    SCOPED_TRACE(std::string(name(solver)) +
                                 (method ? ", elimination" : ", penalty") +
                                 (model == &common ? ", common" : ", cobweb") +
                                 (unpinned ? ", unpinned" : ""));
                    twang_world_def def = plain(solver);
                    def.pin_method = method;
                    const World world = make_world(def);
                    const twang_body body =
                        unpinned ? add(world, *model, {0, 11, 70}) : add(world, *model, {0, 11});
                    ASSERT_TRUE(ok(twang_body_unpin(world.get(), body, 70)));
                    twang_vec3 target = position(world, body, 70);
                    target = {target.x, target.y + 0.02, target.z + 0.05};
                    grab(world, body, at_vertex(70, target, 1e9));
                    for (int step = 0; step < 30; ++step) {
                        ASSERT_TRUE(steps(world, 1));
                        const double off = distance(position(world, body, 70), target);
                        ASSERT_LT(off, 3e-6) << step;
                        farthest = std::max(farthest, off);
                    }
                    EXPECT_LT(measures(world, body).mean_stretch, 1.0);
                }
    RecordProperty("off_micrometres", std::to_string(1e6 * farthest));
}

TEST(Grab, FollowsItsTargetWithoutFactoringsAndLetsGo) {
    for (const twang_integrator integrator : twang::test::integrators) {
        twang_world_def def = damped();
        def.solver.integrator = integrator;
        Scene s(5, 5, def);
        const twang_grab held = grab(s.world, s.body, at_vertex(2, {0.06, 0.0, 0.0}, 500.0));
        const double sag = mass(s.model) * gravity / 500.0;
        for (int step = 1; step <= 60; ++step) {
            ASSERT_TRUE(ok(
                twang_body_move_grab(s.world.get(), s.body, held, {0.06 + 0.01 * step, 0.0, 0.0})));
            ASSERT_TRUE(steps(s.world, 1));
        }
        ASSERT_TRUE(steps(s.world, 1500));
        EXPECT_NEAR(position(s.world, s.body, 2).x, 0.66, 1e-3 * sag);
        EXPECT_NEAR(position(s.world, s.body, 2).y, -sag, 1e-3 * sag);
        EXPECT_EQ(precomputation(s.world, s.body).factorings, 1);

        // Let go, it falls as the centre of mass of anything does.
        ASSERT_TRUE(ok(twang_body_release(s.world.get(), s.body, held)));
        const double begin = measures(s.world, s.body).centre.y;
        ASSERT_TRUE(steps(s.world, 30));
        twang::test::FreeVertex expected(integrator, def.time_step, def.damping);
        expected.rest();
        expected.step(def.gravity, 30);
        const double y = expected.x.y;
        EXPECT_NEAR(measures(s.world, s.body).centre.y - begin, y, 1e-3 * std::abs(y));
    }
}

// A quarter turn about the vertical axis, gravity along it, and far away: the shape stays, but for
// the rounding of a factor in float, whose 1e-8 m are there without the move as well.
TEST(Grab, ATeleportTakesTheTargetAlong) {
    twang_world_def def = damped();
    def.substeps = 2; // of which the first starts from where the target was
    Scene moved(6, 5, def, {0}), stayed(6, 5, def, {0});
    for (Scene* s : {&moved, &stayed}) {
        twang_grab_def grip = at_vertex(22, {0.1, 0.05, 0.06});
        grip.vertices[1] = 23;
        grip.weights[1] = 0.5;
        grab(s->world, s->body, grip);
        const twang_grab gone = grab(s->world, s->body, at_vertex(9, {-1e38, 0.0, 0.0}));
        ASSERT_TRUE(ok(twang_body_release(s->world.get(), s->body, gone)));
        ASSERT_TRUE(steps(s->world, 1000));
    }
    ASSERT_TRUE(ok(twang_body_teleport(moved.world.get(), moved.body, {0.0, 2.0, 0.0, 2.0},
                                       {1.0, 0.0, 2.0}, {100.0, 30.0, -70.0})));
    const auto farthest_off = [&] {
        double worst = 0.0;
        for (std::size_t i = 0; i < vertex_count(stayed.world, stayed.body); ++i) {
            const twang_vec3 p = position(stayed.world, stayed.body, i);
            const twang_vec3 turned = {p.z - 2.0 + 101.0, p.y + 30.0, 1.0 - p.x + 2.0 - 70.0};
            worst = std::max(worst, distance(position(moved.world, moved.body, i), turned));
        }
        return worst;
    };
    EXPECT_LT(farthest_off(), 1e-13);
    for (int step = 0; step < 60; ++step) {
        ASSERT_TRUE(steps(moved.world, 1) && steps(stayed.world, 1));
        ASSERT_LT(farthest_off(), 1e-7) << step;
    }
}

TEST(Grab, ATeleportThatLosesTheTargetIsRefused) {
    Scene s(4, 4, plain(), {0});
    const twang_grab held = grab(s.world, s.body, at_vertex(5, {3e38, 0.0, 0.0}, 1e-9));
    const auto before = snapshot(s.world);
    const auto teleport = [&] {
        return twang_body_teleport(s.world.get(), s.body, {0, 0, 0, 1}, {}, {1e38, 0, 0});
    };
    EXPECT_TRUE(fails(TWANG_OUT_OF_RANGE, "grab", teleport()));
    EXPECT_TRUE(snapshot(s.world) == before);
    ASSERT_TRUE(ok(twang_body_release(s.world.get(), s.body, held)));
    EXPECT_TRUE(ok(teleport())) << "a grab that was released has no target";
}

TEST(Grab, HandlesOfOthersAndOfReleasedGrabsAreRefused) {
    Scene s(4, 4);
    const twang_body other = add(s.world, s.model);
    const twang_grab first = grab(s.world, s.body, at_vertex(0, {}));
    const auto move = [&](twang_body body, twang_grab g) {
        return twang_body_move_grab(s.world.get(), body, g, {});
    };
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, move(s.body, {})));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, move(s.body, {7, 1})));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, move(s.body, {first.index, first.generation + 1})));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, move(other, first))) << "of another body";
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_body_release(s.world.get(), other, first)));
    ASSERT_TRUE(ok(twang_body_release(s.world.get(), s.body, first)));
    EXPECT_TRUE(is(TWANG_STALE_HANDLE, twang_body_release(s.world.get(), s.body, first)));
    EXPECT_TRUE(is(TWANG_STALE_HANDLE, move(s.body, first)));
    const twang_grab second = grab(s.world, s.body, at_vertex(1, {}));
    EXPECT_TRUE(is(TWANG_STALE_HANDLE, move(s.body, first))) << "its slot is in use again";
    EXPECT_TRUE(ok(move(s.body, second)));
    ASSERT_TRUE(ok(twang_body_reset(s.world.get(), s.body)));
    EXPECT_TRUE(is(TWANG_STALE_HANDLE, move(s.body, second))) << "a reset lets go";
}

TEST(Grab, SixteenAtATime) {
    Scene s(5, 5);
    std::vector<twang_grab> held;
    for (std::uint32_t k = 0; k < TWANG_MAX_GRABS; ++k)
        held.push_back(grab(s.world, s.body, at_vertex(k, position(s.world, s.body, k))));
    const auto before = snapshot(s.world);
    const twang_grab_def one_more = at_vertex(20, {});
    twang_grab made{7, 7};
    EXPECT_TRUE(
        fails(TWANG_TOO_LARGE, "16", twang_body_grab(s.world.get(), s.body, &one_more, &made)));
    EXPECT_TRUE(snapshot(s.world) == before);
    EXPECT_EQ(made.index, 7u) << "untouched";
    ASSERT_TRUE(steps(s.world, 5));
    ASSERT_TRUE(ok(twang_body_release(s.world.get(), s.body, held[3])));
    EXPECT_TRUE(ok(twang_body_grab(s.world.get(), s.body, &one_more, &made)));
    EXPECT_TRUE(steps(s.world, 5));
    EXPECT_TRUE(ok(twang_body_move_grab(s.world.get(), s.body, held[15], {})));
}

TEST(Grab, BadInputChangesNothing) {
    Scene s(4, 4, plain(), {0});
    ASSERT_TRUE(steps(s.world, 2));
    const auto before = snapshot(s.world);
    twang_grab made{};
    const auto refused = [&](auto&& spoil) {
        twang_grab_def def = at_vertex(3, {0.1, 0.0, 0.0});
        spoil(def);
        return twang_body_grab(s.world.get(), s.body, &def, &made);
    };
    for (int k = 0; k < 3; ++k) {
        EXPECT_TRUE(
            fails(TWANG_INDEX_OUT_OF_RANGE, "16", refused([&](auto& d) { d.vertices[k] = 16; })));
        EXPECT_TRUE(fails(TWANG_NOT_FINITE, std::to_string(k),
                          refused([&](auto& d) { d.weights[k] = not_a_number; })));
        EXPECT_TRUE(fails(TWANG_OUT_OF_RANGE, std::to_string(k),
                          refused([&](auto& d) { d.weights[k] = -1e-9; })));
    }
    EXPECT_TRUE(is(TWANG_OUT_OF_RANGE, refused([](auto& d) { d.weights[0] = 0.0; })));
    EXPECT_TRUE(
        is(TWANG_OUT_OF_RANGE, refused([](auto& d) { d.weights[0] = d.weights[1] = 1.7e308; })));
    for (const double value : {not_a_number, infinite}) {
        EXPECT_TRUE(is(TWANG_NOT_FINITE, refused([&](auto& d) { d.target.y = value; })));
        EXPECT_TRUE(is(TWANG_NOT_FINITE, refused([&](auto& d) { d.stiffness = value; })));
    }
    for (const double value : {0.0, -0.0, -5.0})
        EXPECT_TRUE(is(TWANG_OUT_OF_RANGE, refused([&](auto& d) { d.stiffness = value; })));
    for (const auto& [value, words] :
         {std::pair(1.00000001e9, "1.00000001e+09 N/m"), std::pair(1e11, "at most 1e+09"),
          std::pair(1e300, "1e+300")})
        EXPECT_TRUE(
            fails(TWANG_OUT_OF_RANGE, words, refused([&](auto& d) { d.stiffness = value; })));
    const twang_grab_def fine = at_vertex(3, {});
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_body_grab(s.world.get(), s.body, nullptr, &made)));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_body_grab(s.world.get(), s.body, &fine, nullptr)));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_default_grab(nullptr)));
    EXPECT_TRUE(snapshot(s.world) == before);
    EXPECT_EQ(made.generation, 0u);

    const twang_grab held = grab(s.world, s.body, fine);
    const auto grabbed = snapshot(s.world);
    EXPECT_TRUE(is(TWANG_NOT_FINITE,
                   twang_body_move_grab(s.world.get(), s.body, held, {0.0, not_a_number, 0.0})));
    EXPECT_TRUE(snapshot(s.world) == grabbed);
}

TEST(Grab, DefaultsAreThoseOfTheHeader) {
    twang_grab_def def{{1, 2, 3}, {9, 9, 9}, {9, 9, 9}, 9};
    ASSERT_TRUE(ok(twang_default_grab(&def)));
    EXPECT_EQ(def.vertices[2], 0u);
    EXPECT_EQ(def.weights[0], 1.0);
    EXPECT_EQ(def.weights[1] + def.weights[2], 0.0);
    EXPECT_EQ(def.stiffness, 1000.0);
}
