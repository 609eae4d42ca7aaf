// twang.h, what may change while a body runs: targets of many pins, rest lengths and stiffness.
// Each does what its figures say, costs the factorings it may cost, and refuses bad input with
// nothing changed. Grabs and tears have files of their own.
#include <functional>

#include "live_support.hpp"

using namespace api;

namespace {

// `count` vertices straight down from the origin, 0.2 kg, 1000 N/m.
Model hanging_rope(std::uint32_t count) {
    twang_cloth_def def;
    def.columns = 1;
    def.rows = count;
    return make_model(def);
}

std::size_t spring_count(const Model& model) {
    twang_model_info info{};
    EXPECT_TRUE(ok(twang_model_get_info(model.get(), &info)));
    return info.springs;
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
        if (solver == TWANG_SOLVER_SYMPLECTIC) def.time_step = 1e-4;
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
    for (const twang_solver solver :
         {TWANG_SOLVER_LOCAL_GLOBAL, TWANG_SOLVER_NEWTON, TWANG_SOLVER_NEWTON_CG}) {
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
        if (solver == TWANG_SOLVER_LOCAL_GLOBAL) def.solver.iterations = 200;
        if (solver == TWANG_SOLVER_SYMPLECTIC) def.time_step = 1e-4;
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
    const World world = make_world(plain(TWANG_SOLVER_NEWTON));
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
        {"copy_broken_springs",
         [](auto* w, auto b) {
             std::uint8_t broken[58];
             return twang_body_copy_broken_springs(w, b, broken, 58);
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
