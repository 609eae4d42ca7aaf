// Bodies that have come to rest fall asleep, cost nothing, stay where they are, and wake when they
// are touched.
#include "world/sleep.hpp"

#include <functional>

#include "api_support.hpp"

using namespace api;

namespace {

twang_world_def sleepy(double damping = 2.0) {
    twang_world_def def = plain();
    def.damping = damping;
    def.sleep_speed = 0.01;
    def.sleep_steps = 20;
    return def;
}

// A cloth that has swung out under a corner, asleep.
struct Sleeper : Scene {
    int nodded_off = 0;

    explicit Sleeper(int workers = 1) : Scene(7, 7, with_workers(workers), {0}) {
        while (!report(world, body).asleep && nodded_off < 2000) {
            EXPECT_TRUE(steps(world, 1));
            ++nodded_off;
        }
        EXPECT_TRUE(report(world, body).asleep);
    }
    static twang_world_def with_workers(int workers) {
        twang_world_def def = sleepy();
        def.workers = workers;
        return def;
    }
    bool asleep() const { return report(world, body).asleep == 1; }
};

} // namespace

TEST(Sleep, ByDefaultNothingSleeps) {
    twang_world_def def = plain();
    def.gravity = {};
    Scene s(4, 4, def);
    ASSERT_TRUE(steps(s.world, 200));
    EXPECT_EQ(report(s.world, s.body).asleep, 0);
    EXPECT_EQ(report(s.world, s.body).steps, 200u);
}

TEST(Sleep, ABodyAtRestFallsAsleepAfterSoManySteps) {
    twang_world_def def = sleepy();
    def.gravity = {};
    Scene s(4, 4, def);
    ASSERT_TRUE(steps(s.world, 19));
    EXPECT_EQ(report(s.world, s.body).asleep, 0);
    ASSERT_TRUE(steps(s.world, 1));
    EXPECT_EQ(report(s.world, s.body).asleep, 1);
}

TEST(Sleep, ASleeperIsStillAndCostsNoIteration) {
    Sleeper s;
    EXPECT_GT(s.nodded_off, 60); // it had to come to rest first
    for (const double v : velocities(s.world, s.body)) EXPECT_EQ(v, 0.0);
    const auto before = bits(s.world, s.body);
    const std::uint64_t taken = report(s.world, s.body).steps;
    ASSERT_TRUE(steps(s.world, 100));
    EXPECT_TRUE(s.asleep());
    EXPECT_TRUE(same(bits(s.world, s.body), before));
    EXPECT_EQ(report(s.world, s.body).steps, taken);
    EXPECT_EQ(report(s.world, s.body).iterations, 0);
    EXPECT_EQ(report(s.world, s.body).ms.global_step, 0.0);
}

TEST(Sleep, WhatMovesDoesNotSleep) {
    Scene s(7, 7, sleepy(0.0), {0});
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(steps(s.world, 1));
        EXPECT_EQ(report(s.world, s.body).asleep, 0) << i;
    }
}

TEST(Sleep, EveryTouchWakes) {
    twang_solver_def solver;
    solver.iterations = 7;
    const twang_air_def air;
    const std::vector<double> zeros(3 * 49, 0.0), ones(3 * 49, 1.0);
    using Touch = std::function<twang_status(twang_world*, twang_body)>;
    const std::vector<std::pair<const char*, Touch>> touches = {
        {"pin", [](auto* w, auto b) { return twang_body_pin(w, b, 20); }},
        {"pin_at",
         [](auto* w, auto b) {
             return twang_body_pin_at(w, b, 0, {0, 0.1, 0});
         }},
        {"unpin", [](auto* w, auto b) { return twang_body_unpin(w, b, 0); }},
        {"force",
         [](auto* w, auto b) {
             return twang_body_add_force(w, b, 20, {0, 0, 1});
         }},
        {"forces", [&](auto* w, auto b) { return twang_body_add_forces(w, b, ones.data(), 49); }},
        {"impulse",
         [](auto* w, auto b) {
             return twang_body_add_impulse(w, b, 20, {0, 0, 1});
         }},
        {"scale", [](auto* w, auto b) { return twang_body_set_gravity_scale(w, b, 2.0); }},
        {"strain", [](auto* w, auto b) { return twang_body_set_max_strain(w, b, 0.1, 1); }},
        {"solver", [&](auto* w, auto b) { return twang_body_set_solver(w, b, &solver); }},
        {"positions",
         [&](auto* w, auto b) { return twang_body_set_positions(w, b, zeros.data(), 49); }},
        {"velocities",
         [&](auto* w, auto b) { return twang_body_set_velocities(w, b, zeros.data(), 49); }},
        {"teleport",
         [](auto* w, auto b) {
             return twang_body_teleport(w, b, {0, 0, 0, 1}, {}, {1, 0, 0});
         }},
        {"reset", [](auto* w, auto b) { return twang_body_reset(w, b); }},
        {"time step", [](auto* w, auto) { return twang_world_set_time_step(w, 0.01); }},
        {"gravity",
         [](auto* w, auto) {
             return twang_world_set_gravity(w, {1, 0, 0});
         }},
        {"wind",
         [](auto* w, auto) {
             return twang_world_set_wind(w, {1, 0, 0}, 1.0);
         }},
        {"air", [&](auto* w, auto) { return twang_world_set_air(w, &air); }},
        {"world's solver", [&](auto* w, auto) { return twang_world_set_solver(w, &solver); }},
        {"collider",
         [](auto* w, auto) {
             twang_collider made{};
             const twang_collider_def def;
             return twang_collider_create(w, &def, &made);
         }},
    };
    for (const auto& [name, touch] : touches) {
        Sleeper each;
        ASSERT_TRUE(ok(touch(each.world.get(), each.body))) << name;
        EXPECT_FALSE(each.asleep()) << name;
        const std::uint64_t taken = report(each.world, each.body).steps;
        ASSERT_TRUE(steps(each.world, 1));
        EXPECT_EQ(report(each.world, each.body).steps, taken + 1) << name;
    }
}

// A game that says the same in every frame, as most do, keeps nobody awake.
TEST(Sleep, WhatIsSetToWhatItIsLetsItSleep) {
    twang_world_def def = sleepy();
    Scene s(7, 7, def, {0, 6});
    twang_world* w = s.world.get();
    twang_grab_def grip;
    grip.target = position(s.world, s.body, 40);
    twang_grab hand{};
    ASSERT_TRUE(ok(twang_body_grab(w, s.body, &grip, &hand)));
    const std::uint32_t pins[] = {0, 6}, spring[] = {3};
    std::vector<double> targets;
    for (const std::uint32_t pin : pins) {
        const twang_vec3 at = position(s.world, s.body, pin);
        targets.insert(targets.end(), {at.x, at.y, at.z});
    }
    const std::vector<double> zeros(3 * 49, 0.0);
    const double scale[] = {0.9};
    const twang_air_def air;
    int slept = 0;
    for (int frame = 0; frame < 1000; ++frame) {
        ASSERT_TRUE(ok(twang_body_set_pin_targets(w, s.body, pins, targets.data(), 2)));
        ASSERT_TRUE(ok(twang_body_pin_at(w, s.body, 0, {targets[0], targets[1], targets[2]})));
        ASSERT_TRUE(ok(twang_body_unpin(w, s.body, 20)));
        ASSERT_TRUE(ok(twang_body_move_grab(w, s.body, hand, grip.target)));
        ASSERT_TRUE(ok(twang_body_add_force(w, s.body, 20, {})));
        ASSERT_TRUE(ok(twang_body_add_forces(w, s.body, zeros.data(), 49)));
        ASSERT_TRUE(ok(twang_body_add_impulse(w, s.body, 20, {})));
        ASSERT_TRUE(ok(twang_body_set_gravity_scale(w, s.body, 0.8)));
        ASSERT_TRUE(ok(twang_body_set_max_strain(w, s.body, 0.1, 3)));
        ASSERT_TRUE(ok(twang_body_set_tear_strain(w, s.body, 5.0)));
        ASSERT_TRUE(ok(twang_body_scale_rest_lengths(w, s.body, spring, scale, 1)));
        ASSERT_TRUE(ok(twang_body_scale_stiffness(w, s.body, spring, scale, 1)));
        ASSERT_TRUE(ok(twang_body_set_solver(w, s.body, &def.solver)));
        ASSERT_TRUE(ok(twang_world_set_solver(w, &def.solver)));
        ASSERT_TRUE(ok(twang_world_set_time_step(w, 0.016)));
        ASSERT_TRUE(ok(twang_world_set_gravity(w, {0.0, -9.0, 0.0})));
        ASSERT_TRUE(ok(twang_world_set_air(w, &air)));
        ASSERT_TRUE(steps(s.world, 1));
        slept += report(s.world, s.body).asleep;
    }
    EXPECT_GT(slept, 400);
    EXPECT_LT(precomputation(s.world, s.body).factorings, 6);
}

TEST(Sleep, ReadingDoesNotWake) {
    Sleeper s;
    (void)positions(s.world, s.body);
    (void)measures(s.world, s.body);
    (void)pinned(s.world, s.body, 0);
    EXPECT_TRUE(s.asleep());
}

TEST(Sleep, AColliderWakesWhenItMovesNearNotFarAndNotAtRest) {
    Scene s(7, 7, sleepy(), {0, 6});
    twang_collider_def def;
    def.centre = {0.1, -0.1, 3.0};
    def.radius = 0.1;
    twang_collider ball{};
    ASSERT_TRUE(ok(twang_collider_create(s.world.get(), &def, &ball)));
    ASSERT_TRUE(steps(s.world, 1000));
    ASSERT_TRUE(report(s.world, s.body).asleep);
    double reached = 3.0;
    while (report(s.world, s.body).asleep && reached > 0.0) {
        reached -= 0.02;
        ASSERT_TRUE(ok(twang_collider_move_to(s.world.get(), ball, {0.1, -0.1, reached})));
        ASSERT_TRUE(steps(s.world, 1));
    }
    EXPECT_LT(reached, 0.35); // the ball's radius, half of the cloth's diagonal of 0.25, a step
    EXPECT_GT(reached, 0.1);  // before it touches
    ASSERT_TRUE(steps(s.world, 1000)); // the collider rests close by
    EXPECT_TRUE(report(s.world, s.body).asleep);
}

// An arm beside a sleeping cloth: it wakes when the arm turns near, not when it turns far away.
TEST(Sleep, AColliderWakesWhenItTurnsNear) {
    const auto woken_at = [](double distance) { // by what angle, from the side away from the cloth
        Scene s(7, 7, sleepy(), {0, 6});
        twang_collider_def def;
        def.shape = TWANG_SHAPE_CAPSULE;
        def.centre = {0.1, -0.1, distance};
        def.end = {0.1, -0.1, distance + 1.0};
        def.radius = 0.1;
        twang_collider arm{};
        EXPECT_TRUE(ok(twang_collider_create(s.world.get(), &def, &arm)));
        EXPECT_TRUE(steps(s.world, 1000));
        EXPECT_TRUE(report(s.world, s.body).asleep);
        double angle = 0.0;
        while (report(s.world, s.body).asleep && angle < 4.0) {
            angle += 0.05;
            const twang_quaternion q{std::sin(0.5 * angle), 0.0, 0.0, std::cos(0.5 * angle)};
            EXPECT_TRUE(ok(twang_collider_move(s.world.get(), arm, def.centre, q)));
            EXPECT_TRUE(steps(s.world, 1));
        }
        EXPECT_TRUE(steps(s.world, 1000)); // at rest close by
        EXPECT_TRUE(report(s.world, s.body).asleep);
        return angle;
    };
    const double near = woken_at(1.0); // the arm's end gets to the cloth, whose radius is 0.13
    EXPECT_GT(near, 2.5);
    EXPECT_LT(near, 3.1);
    EXPECT_GE(woken_at(1.5), 4.0);
}

// Two level cloths as balls, one above the other, and a floor under them.
struct Stack {
    Model model = level();
    World world = make_world(sleepy(3.0));
    twang_body lower{}, upper{};

    explicit Stack(const std::vector<std::uint32_t>& lower_pins, double floor_y) {
        twang_collider_def floor;
        floor.shape = TWANG_SHAPE_PLANE;
        floor.centre = {0.0, floor_y, 0.0};
        twang_collider plane;
        EXPECT_TRUE(ok(twang_collider_create(world.get(), &floor, &plane)));
        lower = put(0.0, lower_pins);
    }
    static Model level() {
        twang_cloth_def def;
        def.columns = def.rows = 9;
        def.down = {0.0, 0.0, 1.0};
        return make_model(def);
    }
    twang_body put(double height, const std::vector<std::uint32_t>& pins) {
        std::vector<double> xyz(3 * 81);
        EXPECT_TRUE(ok(twang_model_copy_rest_positions(model.get(), xyz.data(), 81)));
        for (std::size_t i = 1; i < xyz.size(); i += 3) xyz[i] += height;
        twang_body_def def;
        def.positions = xyz.data();
        def.vertex_radius = 0.02;
        def.pins = pins.data();
        def.pin_count = static_cast<std::uint32_t>(pins.size());
        twang_body body{};
        EXPECT_TRUE(ok(twang_body_create(world.get(), model.get(), &def, &body)));
        return body;
    }
    bool asleep(twang_body body) const { return report(world, body).asleep == 1; }
};

// Balls that lean on each other are moved apart a little in every step: that is rest all the same.
TEST(Sleep, BodiesThatLieOnEachOtherSleep) {
    Stack s({}, -0.01);
    s.upper = s.put(0.06, {});
    ASSERT_TRUE(steps(s.world, 600));
    EXPECT_TRUE(s.asleep(s.lower));
    EXPECT_TRUE(s.asleep(s.upper));
    for (std::uint32_t i = 0; i < 81; ++i)
        EXPECT_GT(position(s.world, s.upper, i).y - position(s.world, s.lower, i).y, 0.03) << i;
}

TEST(Sleep, ABodyThatLandsWakesWhatItLandsOn) {
    Stack s({0, 8, 72, 80}, -9.0);
    ASSERT_TRUE(steps(s.world, 400));
    ASSERT_TRUE(s.asleep(s.lower));
    s.upper = s.put(0.2, {});
    int woken = 0;
    while (s.asleep(s.lower) && woken < 60) {
        ASSERT_TRUE(steps(s.world, 1));
        ++woken;
    }
    EXPECT_GT(woken, 5); // it has to fall first
    EXPECT_LT(woken, 30);
}

TEST(Sleep, GustsKeepWhatHasTrianglesAwake) {
    Scene s(7, 7, sleepy(), {0, 6});
    twang_air_def air;
    air.drag = 1e-9; // too little to move it
    air.gusts = 1.0;
    ASSERT_TRUE(ok(twang_world_set_air(s.world.get(), &air)));
    ASSERT_TRUE(steps(s.world, 1000));
    EXPECT_EQ(report(s.world, s.body).asleep, 0);
}

TEST(Sleep, SameStepAndBitsForAnyNumberOfWorkers) {
    Sleeper one(1), three(3);
    EXPECT_EQ(one.nodded_off, three.nodded_off);
    EXPECT_TRUE(same(bits(one.world, one.body), bits(three.world, three.body)));
}

TEST(Sleep, AWorldIsAsleepWhenAllOfItIs) {
    Sleeper s;
    twang_report all{};
    ASSERT_TRUE(ok(twang_world_get_report(s.world.get(), &all)));
    EXPECT_EQ(all.asleep, 1);
    (void)add(s.world, s.model);
    ASSERT_TRUE(ok(twang_world_get_report(s.world.get(), &all)));
    EXPECT_EQ(all.asleep, 0);
    const World empty = make_world(plain());
    ASSERT_TRUE(ok(twang_world_get_report(empty.get(), &all)));
    EXPECT_EQ(all.asleep, 0);
}

// What a snapshot has to hold: both numbers; the ball around the body follows from its positions.
TEST(Sleep, CanBePutBack) {
    twang::core::VertexArray<twang::core::Vec3> x(2), v(2);
    x[1] = {0.0, 2.0, 0.0};
    twang::core::Sleep once, again;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(once.fall_asleep(x, v, 0.1, 3), i == 2);
    again.restore(once.is_asleep(), once.still_steps(), x);
    EXPECT_TRUE(again.is_asleep());
    const auto coming = [](double from, double to) {
        auto ball = twang::core::make_obstacle({.centre = {0.0, 1.0, from}, .radius = 1.0});
        ball.next.centre.z = to;
        return twang::core::in_substep(ball, 0, 1);
    };
    const auto near = coming(5.0, 1.5), far = coming(90.0, 89.0);
    EXPECT_TRUE(once.is_disturbed({&near, 1}) && again.is_disturbed({&near, 1}));
    EXPECT_FALSE(once.is_disturbed({&far, 1}) || again.is_disturbed({&far, 1}));
    again.wake();
    EXPECT_FALSE(again.is_asleep());
    EXPECT_EQ(again.still_steps(), 0);
}
