// twang.h, what may change while a body runs: targets of many pins, grabs, rest lengths and
// stiffness. Each does what its figures say, costs the factorings it may cost, and refuses bad
// input with nothing changed. Tears have a file of their own.
#include <cmath>
#include <functional>

#include "api_support.hpp"

using namespace api;

namespace {

constexpr double gravity = 9.8;

twang_world_def damped(double damping = 5.0) {
    twang_world_def def = plain();
    def.damping = damping;
    return def;
}

// `count` vertices straight down from the origin, 0.2 kg, 1000 N/m.
Model hanging_rope(std::uint32_t count) {
    twang_cloth_def def;
    def.columns = 1;
    def.rows = count;
    return make_model(def);
}

double distance(twang_vec3 a, twang_vec3 b) { return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z); }

double mass(const Model& model) {
    twang_model_info info{};
    EXPECT_TRUE(ok(twang_model_get_info(model.get(), &info)));
    return info.mass;
}

std::size_t spring_count(const Model& model) {
    twang_model_info info{};
    EXPECT_TRUE(ok(twang_model_get_info(model.get(), &info)));
    return info.springs;
}

twang_grab grab(const World& world, twang_body body, const twang_grab_def& def) {
    twang_grab made{};
    EXPECT_TRUE(ok(twang_body_grab(world.get(), body, &def, &made)));
    return made;
}

twang_grab_def at_vertex(std::uint32_t vertex, twang_vec3 target, double stiffness = 1000.0) {
    twang_grab_def def;
    def.vertices[0] = vertex;
    def.target = target;
    def.stiffness = stiffness;
    return def;
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

twang_status scale_rest(const World& world, twang_body body, const std::vector<double>& scales) {
    return twang_body_scale_rest_lengths(world.get(), body, nullptr, scales.data(), scales.size());
}
twang_status scale_stiffness(const World& world, twang_body body,
                             const std::vector<double>& scales) {
    return twang_body_scale_stiffness(world.get(), body, nullptr, scales.data(), scales.size());
}

} // namespace

// ---- Pin targets ------------------------------------------------------------------------------

TEST(PinTargets, ManyAtOnceAreAsManyOneByOne) {
    for (const twang_pin_method method : pin_methods) {
        twang_world_def def = plain();
        def.pin_method = method;
        Scene together(6, 5, def, {0, 5}), one_by_one(6, 5, def, {0, 5});
        const std::uint32_t vertices[] = {5, 0, 14};
        for (int step = 0; step < 20; ++step) {
            const double s = 0.002 * step;
            const double xyz[] = {0.15, s, 0.0, 0.0, -s, s, 0.06, -0.06, 2 * s};
            ASSERT_TRUE(ok(
                twang_body_set_pin_targets(together.world.get(), together.body, vertices, xyz, 3)));
            for (int k = 0; k < 3; ++k)
                ASSERT_TRUE(
                    ok(twang_body_pin_at(one_by_one.world.get(), one_by_one.body, vertices[k],
                                         {xyz[3 * k], xyz[3 * k + 1], xyz[3 * k + 2]})));
            ASSERT_TRUE(steps(together.world, 1));
            ASSERT_TRUE(steps(one_by_one.world, 1));
            const double tolerance = method == TWANG_PIN_ELIMINATION ? 0.0 : 2e-7;
            for (int k = 0; k < 3; ++k)
                EXPECT_LE(distance(position(together.world, together.body, vertices[k]),
                                   {xyz[3 * k], xyz[3 * k + 1], xyz[3 * k + 2]}),
                          tolerance);
        }
        EXPECT_TRUE(
            same(bits(together.world, together.body), bits(one_by_one.world, one_by_one.body)));
    }
}

TEST(PinTargets, AllOrNone) {
    Scene s(4, 4, plain(), {0});
    ASSERT_TRUE(steps(s.world, 3));
    const auto before = snapshot(s.world);
    const std::uint32_t good[] = {0, 3, 7}, bad[] = {0, 3, 16};
    const double xyz[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    EXPECT_TRUE(fails(TWANG_INDEX_OUT_OF_RANGE, "16",
                      twang_body_set_pin_targets(s.world.get(), s.body, bad, xyz, 3)));
    for (const double value : {not_a_number, infinite, -infinite}) {
        double wrong[9] = {1, 2, 3, 4, 5, 6, 7, value, 9};
        EXPECT_TRUE(fails(TWANG_NOT_FINITE, "vertex 7",
                          twang_body_set_pin_targets(s.world.get(), s.body, good, wrong, 3)));
    }
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT,
                   twang_body_set_pin_targets(s.world.get(), s.body, nullptr, xyz, 3)));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT,
                   twang_body_set_pin_targets(s.world.get(), s.body, good, nullptr, 3)));
    EXPECT_TRUE(snapshot(s.world) == before);
    EXPECT_TRUE(ok(twang_body_set_pin_targets(s.world.get(), s.body, nullptr, nullptr, 0)));
    EXPECT_TRUE(snapshot(s.world) == before) << "none is nothing";
    EXPECT_TRUE(ok(twang_body_set_pin_targets(s.world.get(), s.body, good, xyz, 3)));
    EXPECT_TRUE(pinned(s.world, s.body, 7));
}

TEST(PinTargets, MovingPinsNeedsNoFactoring) {
    Scene s(12, 12, plain(), {0, 3, 6, 9, 11});
    const int made = precomputation(s.world, s.body).factorings;
    const std::uint32_t vertices[] = {0, 3, 6, 9, 11};
    for (int step = 0; step < 60; ++step) {
        double xyz[15];
        for (int k = 0; k < 5; ++k) {
            xyz[3 * k] = 0.03 * vertices[k];
            xyz[3 * k + 1] = 0.0;
            xyz[3 * k + 2] = 0.05 * std::sin(0.1 * step);
        }
        ASSERT_TRUE(ok(twang_body_set_pin_targets(s.world.get(), s.body, vertices, xyz, 5)));
        ASSERT_TRUE(steps(s.world, 1));
    }
    EXPECT_EQ(precomputation(s.world, s.body).factorings, made);
}

// ---- Grabs ------------------------------------------------------------------------------------

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
        if (solver == TWANG_SYMPLECTIC) def.time_step = 1.0 / 600.0;
        Scene s(3, 3, def);
        grab(s.world, s.body, at_vertex(1, {0.03, 0.0, 0.0}, 50.0));
        ASSERT_TRUE(steps(s.world, solver == TWANG_STATIC       ? 3
                                   : solver == TWANG_SYMPLECTIC ? 10'000
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
    for (const twang_solver solver : {TWANG_LOCAL_GLOBAL, TWANG_NEWTON_CG})
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
    Scene s(5, 5, damped());
    const twang_grab held = grab(s.world, s.body, at_vertex(2, {0.06, 0.0, 0.0}, 500.0));
    const double sag = mass(s.model) * gravity / 500.0;
    for (int step = 1; step <= 60; ++step) {
        ASSERT_TRUE(
            ok(twang_body_move_grab(s.world.get(), s.body, held, {0.06 + 0.01 * step, 0.0, 0.0})));
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
    double v = 0.0, y = 0.0;
    for (int step = 0; step < 30; ++step) {
        y += (v - gravity / 60.0) / 60.0;
        v = (v - gravity / 60.0) * std::exp(-5.0 / 60.0);
    }
    EXPECT_NEAR(measures(s.world, s.body).centre.y - begin, y, 1e-3 * std::abs(y));
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
        const twang_grab gone = grab(s->world, s->body, at_vertex(9, {-1e308, 0.0, 0.0}));
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
    const twang_grab held = grab(s.world, s.body, at_vertex(5, {1e308, 0.0, 0.0}, 1e-9));
    const auto before = snapshot(s.world);
    const auto teleport = [&] {
        return twang_body_teleport(s.world.get(), s.body, {0, 0, 0, 1}, {}, {1e308, 0, 0});
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

// ---- Rest lengths and stiffness ---------------------------------------------------------------

TEST(RestLengths, ARopeShrinksAndGrowsToScale) {
    for (const double scale : {0.5, 0.8, 1.5}) {
        twang_world_def def = damped();
        def.gravity = {};
        Scene s(20, 1, def, {0});
        ASSERT_TRUE(ok(scale_rest(s.world, s.body, std::vector<double>(19, scale))));
        ASSERT_TRUE(steps(s.world, 3000));
        const double length = 19 * 0.03 * scale;
        const double reached =
            distance(position(s.world, s.body, 0), position(s.world, s.body, 19));
        EXPECT_NEAR(reached, length, 1e-6 * length) << scale;
        EXPECT_LT(measures(s.world, s.body).max_stretch, 1e-6) << "measured against the new length";
        EXPECT_EQ(precomputation(s.world, s.body).factorings, 1);
    }
}

TEST(RestLengths, OfOneSpringChangeThatSpring) {
    twang_world_def def = damped();
    def.gravity = {};
    Scene s(4, 1, def, {0});
    std::vector<twang_spring_def> springs(3);
    ASSERT_TRUE(ok(twang_model_copy_springs(s.model.get(), springs.data(), 3)));
    const std::uint32_t which = 1;
    const double scale = 2.0;
    ASSERT_TRUE(ok(twang_body_scale_rest_lengths(s.world.get(), s.body, &which, &scale, 1)));
    ASSERT_TRUE(steps(s.world, 1500));
    for (std::uint32_t k = 0; k < 3; ++k)
        EXPECT_NEAR(distance(position(s.world, s.body, springs[k].a),
                             position(s.world, s.body, springs[k].b)),
                    k == which ? 0.06 : 0.03, 1e-6)
            << k;
    // In units of the model's: 1 brings it back.
    const double one = 1.0;
    ASSERT_TRUE(ok(twang_body_scale_rest_lengths(s.world.get(), s.body, &which, &one, 1)));
    ASSERT_TRUE(steps(s.world, 1500));
    EXPECT_NEAR(distance(position(s.world, s.body, 0), position(s.world, s.body, 3)), 0.09, 1e-6);
}

TEST(RestLengths, OfScale1ChangeNotABit) {
    for (const twang_solver solver : dynamic_solvers) {
        SCOPED_TRACE(name(solver));
        twang_world_def def = plain(solver);
        if (solver == TWANG_SYMPLECTIC) def.time_step = 1e-4;
        Scene touched(9, 7, def, {0, 8}), plain_one(9, 7, def, {0, 8});
        const std::vector<double> ones(spring_count(touched.model), 1.0);
        ASSERT_TRUE(steps(touched.world, 5));
        ASSERT_TRUE(ok(scale_rest(touched.world, touched.body, ones)));
        ASSERT_TRUE(steps(touched.world, 25));
        ASSERT_TRUE(steps(plain_one.world, 30));
        EXPECT_TRUE(same(bits(touched.world, touched.body), bits(plain_one.world, plain_one.body)));
        EXPECT_EQ(precomputation(touched.world, touched.body).factorings, 1);
    }
}

TEST(Stiffness, TwiceTheStiffnessHalvesTheSag) {
    for (const twang_solver solver : {TWANG_LOCAL_GLOBAL, TWANG_NEWTON, TWANG_NEWTON_CG}) {
        SCOPED_TRACE(name(solver));
        twang_world_def def = plain(solver);
        def.damping = 5.0;
        def.refactor_delay = 3;
        const Model rope = hanging_rope(8);
        const World world = make_world(def);
        const twang_body body = add(world, rope, {0});
        ASSERT_TRUE(steps(world, 1500));
        const double before = -position(world, body, 7).y - 7 * 0.03;
        ASSERT_TRUE(ok(scale_stiffness(world, body, std::vector<double>(7, 2.0))));
        ASSERT_TRUE(steps(world, 1500));
        const double after = -position(world, body, 7).y - 7 * 0.03;
        EXPECT_GT(before, 0.004);
        EXPECT_NEAR(after, before / 2, 1e-4 * before);
        EXPECT_EQ(precomputation(world, body).factorings, 2);
    }
}

// Two bodies, one scaled: bit for bit the same until the step in which it counts.
TEST(Stiffness, CountsExactlyRefactorDelayStepsLater) {
    const auto first_difference = [](int delay, std::uint32_t columns, std::uint32_t rows) {
        twang_world_def def = plain();
        def.refactor_delay = delay;
        Scene scaled(columns, rows, def, {0}), as_was(columns, rows, def, {0});
        EXPECT_TRUE(steps(scaled.world, 4));
        EXPECT_TRUE(steps(as_was.world, 4));
        const std::vector<double> scales(spring_count(scaled.model), 0.5);
        EXPECT_TRUE(ok(scale_stiffness(scaled.world, scaled.body, scales)));
        for (int step = 0; step < 40; ++step) {
            EXPECT_EQ(precomputation(scaled.world, scaled.body).factorings, 1);
            EXPECT_TRUE(steps(scaled.world, 1));
            EXPECT_TRUE(steps(as_was.world, 1));
            if (!same(bits(scaled.world, scaled.body), bits(as_was.world, as_was.body))) {
                EXPECT_EQ(precomputation(scaled.world, scaled.body).factorings, 2);
                return step;
            }
        }
        return -1;
    };
    EXPECT_EQ(first_difference(0, 6, 6), 0);
    EXPECT_EQ(first_difference(1, 6, 6), 1);
    EXPECT_EQ(first_difference(7, 6, 6), 7);
    EXPECT_EQ(first_difference(TWANG_BY_SIZE, 6, 6), 12);
    EXPECT_EQ(first_difference(TWANG_BY_SIZE, 30, 30), 12 + 900 / 200);
}

// The energy that is reported, the local step and the factor all mean the same springs.
TEST(Stiffness, OfAllSolversMeetsAModelOfThatStiffness) {
    for (const twang_solver solver : dynamic_solvers) {
        SCOPED_TRACE(name(solver));
        twang_world_def def = plain(solver);
        def.refactor_delay = 0;
        if (solver == TWANG_LOCAL_GLOBAL) def.solver.iterations = 200;
        if (solver == TWANG_SYMPLECTIC) def.time_step = 1e-4;
        twang_cloth_def twice;
        twice.columns = 7, twice.rows = 6;
        twice.stiffness *= 2.0, twice.shear *= 2.0, twice.bend *= 2.0;
        const Model model = make_model(twice);
        Scene scaled(7, 6, def, {0});
        const World world = make_world(def);
        const twang_body body = add(world, model, {0});
        const std::vector<double> scales(spring_count(model), 2.0);
        ASSERT_TRUE(ok(scale_stiffness(scaled.world, scaled.body, scales)));
        ASSERT_TRUE(steps(scaled.world, 20));
        ASSERT_TRUE(steps(world, 20));
        for (std::uint32_t i = 0; i < 42; ++i)
            EXPECT_LE(distance(position(scaled.world, scaled.body, i), position(world, body, i)),
                      1e-7)
                << i;
        EXPECT_NEAR(measures(scaled.world, scaled.body).elastic_energy,
                    measures(world, body).elastic_energy,
                    1e-4 * measures(world, body).elastic_energy);
    }
}

TEST(Springs, BadScalesChangeNothing) {
    Scene s(4, 4, plain(), {0});
    const auto count = static_cast<std::uint32_t>(spring_count(s.model));
    ASSERT_TRUE(steps(s.world, 2));
    const auto before = snapshot(s.world);
    using Call = twang_status (*)(twang_world*, twang_body, const std::uint32_t*, const double*,
                                  std::size_t);
    for (const Call call : {&twang_body_scale_rest_lengths, &twang_body_scale_stiffness}) {
        const auto scale = [&](std::vector<std::uint32_t> springs, std::vector<double> scales) {
            return call(s.world.get(), s.body, springs.data(), scales.data(), scales.size());
        };
        EXPECT_TRUE(
            fails(TWANG_INDEX_OUT_OF_RANGE, std::to_string(count), scale({0, count}, {1.5, 1.5})));
        for (const double value : {not_a_number, infinite, -infinite})
            EXPECT_TRUE(fails(TWANG_NOT_FINITE, "1", scale({0, 1}, {1.5, value})));
        EXPECT_TRUE(fails(TWANG_OUT_OF_RANGE, "-0.5", scale({0, 1}, {1.5, -0.5})));
        const std::vector<double> few(count - 1, 1.5);
        EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT,
                       call(s.world.get(), s.body, nullptr, few.data(), few.size())));
        EXPECT_TRUE(
            is(TWANG_INVALID_ARGUMENT, call(s.world.get(), s.body, nullptr, nullptr, count)));
    }
    EXPECT_TRUE(snapshot(s.world) == before);
}

TEST(Springs, AFiniteScaleMustNotMakeAnInfiniteSpring) {
    twang_cloth_def def;
    def.columns = def.rows = 3;
    def.spacing = 100.0;
    const Model model = make_model(def);
    const World world = make_world(plain());
    const twang_body body = add(world, model, {0});
    const auto before = snapshot(world);
    const std::uint32_t spring = 4;
    const double scale = 1.7e308;
    EXPECT_TRUE(is(TWANG_OUT_OF_RANGE,
                   twang_body_scale_rest_lengths(world.get(), body, &spring, &scale, 1)));
    EXPECT_TRUE(
        is(TWANG_OUT_OF_RANGE, twang_body_scale_stiffness(world.get(), body, &spring, &scale, 1)));
    EXPECT_TRUE(snapshot(world) == before);
}

TEST(Springs, StvkKeepsRestLengthsAbove0) {
    const Model model = cloth(4, 4);
    const World world = make_world(plain(TWANG_NEWTON));
    twang_body_def def;
    def.energy = TWANG_STVK;
    twang_body body{};
    ASSERT_TRUE(ok(twang_body_create(world.get(), model.get(), &def, &body)));
    const auto before = snapshot(world);
    const std::uint32_t spring = 3;
    const double none = 0.0, some = 0.9;
    EXPECT_TRUE(is(TWANG_OUT_OF_RANGE,
                   twang_body_scale_rest_lengths(world.get(), body, &spring, &none, 1)));
    EXPECT_TRUE(snapshot(world) == before);
    EXPECT_TRUE(ok(twang_body_scale_rest_lengths(world.get(), body, &spring, &some, 1)));
    EXPECT_TRUE(steps(world, 5));
}

TEST(Springs, ScalesOf0AreLegal) {
    Scene s(4, 4, plain(), {0});
    const std::vector<double> none(spring_count(s.model), 0.0);
    ASSERT_TRUE(ok(scale_rest(s.world, s.body, none)));
    ASSERT_TRUE(steps(s.world, 20)) << "drawn together";
    ASSERT_TRUE(ok(scale_stiffness(s.world, s.body, none)));
    ASSERT_TRUE(steps(s.world, 20)) << "and left alone";
    EXPECT_EQ(measures(s.world, s.body).elastic_energy, 0.0);
}

// ---- All of them ------------------------------------------------------------------------------

namespace {

using BodyCall = std::function<twang_status(twang_world*, twang_body)>;

// Every call on a body of this section, with arguments that would be fine.
std::vector<std::pair<const char*, BodyCall>> every_call() {
    static const std::uint32_t index = 1;
    static const double value = 2.0, xyz[3] = {0.1, 0.2, 0.3};
    static const twang_grab_def grab_def;
    static const twang_blade_def blade{{}, {1, 0, 0}, {0, 0, 1}};
    return {
        {"set_pin_targets",
         [](auto* w, auto b) { return twang_body_set_pin_targets(w, b, &index, xyz, 1); }},
        {"grab",
         [](auto* w, auto b) {
             twang_grab made;
             return twang_body_grab(w, b, &grab_def, &made);
         }},
        {"move_grab",
         [](auto* w, auto b) {
             return twang_body_move_grab(w, b, {0, 1}, {});
         }},
        {"release",
         [](auto* w, auto b) {
             return twang_body_release(w, b, {0, 1});
         }},
        {"scale_rest_lengths",
         [](auto* w, auto b) { return twang_body_scale_rest_lengths(w, b, &index, &value, 1); }},
        {"scale_stiffness",
         [](auto* w, auto b) { return twang_body_scale_stiffness(w, b, &index, &value, 1); }},
        {"set_tear_strain", [](auto* w, auto b) { return twang_body_set_tear_strain(w, b, 0.3); }},
        {"cut", [](auto* w, auto b) { return twang_body_cut(w, b, &blade, nullptr); }},
        {"broken_springs",
         [](auto* w, auto b) {
             std::uint32_t count;
             return twang_body_broken_springs(w, b, &count);
         }},
        {"copy_torn_triangles",
         [](auto* w, auto b) {
             std::uint8_t torn[18];
             return twang_body_copy_torn_triangles(w, b, torn, 18);
         }},
        {"take_torn_triangles",
         [](auto* w, auto b) {
             std::uint32_t triangles[4];
             std::size_t count;
             return twang_body_take_torn_triangles(w, b, triangles, 4, &count);
         }},
    };
}

} // namespace

TEST(Live, CallsRefuseNoWorldAndBodiesThatAreNone) {
    Scene s(4, 4, plain(), {0}), other(4, 4);
    const twang_body gone = add(s.world, s.model);
    ASSERT_TRUE(ok(twang_body_destroy(s.world.get(), gone)));
    grab(s.world, s.body, at_vertex(0, {}));
    const auto before = snapshot(s.world);
    for (const auto& [name, call] : every_call()) {
        SCOPED_TRACE(name);
        EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, call(nullptr, s.body)));
        EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, call(s.world.get(), {})));
        EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, call(s.world.get(), other.body)));
        EXPECT_TRUE(is(TWANG_STALE_HANDLE, call(s.world.get(), gone)));
    }
    EXPECT_TRUE(snapshot(s.world) == before);
    for (const auto& [name, call] : every_call())
        EXPECT_TRUE(ok(call(s.world.get(), s.body))) << name;
}
