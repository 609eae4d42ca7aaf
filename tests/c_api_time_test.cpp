// Time as a game sees it: what is drawn between steps, substeps, jumps.
#include <cmath>
#include <functional>

#include "api_support.hpp"
#include "closed_form.hpp"

using namespace api;
using twang::test::FreeVertex;
using twang::test::integrators;

namespace {

std::vector<float> drawn(const World& world, twang_body body) {
    std::vector<float> xyz(3 * vertex_count(world, body));
    EXPECT_TRUE(ok(twang_body_copy_interpolated(world.get(), body, xyz.data(), 12)));
    return xyz;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}

} // namespace

// ---- Between steps ----------------------------------------------------------------------------

TEST(Interpolated, LiesBetweenTheLastTwoStepsByTheTimeLeftOver) {
    twang_world_def def = plain();
    def.time_step = 0.02;
    Scene s(5, 5, def, {0});
    ASSERT_TRUE(ok(twang_world_advance(s.world.get(), 0.06, nullptr, nullptr)));
    const std::vector<double> a = positions(s.world, s.body);
    ASSERT_TRUE(ok(twang_world_advance(s.world.get(), 0.02, nullptr, nullptr)));
    const std::vector<double> b = positions(s.world, s.body);
    double worst = 0.0;
    for (double left = 0.0; left < 0.02; left += 0.004) {
        const std::vector<float> xyz = drawn(s.world, s.body);
        for (std::size_t i = 0; i < a.size(); ++i)
            worst = std::max(worst, std::abs(xyz[i] - (a[i] + left / 0.02 * (b[i] - a[i]))));
        if (left < 0.015) {
            ASSERT_TRUE(ok(twang_world_advance(s.world.get(), 0.004, nullptr, nullptr)));
        }
    }
    EXPECT_GT(distance(a, b), 1e-3);
    EXPECT_LT(worst, 1e-7);
}

// Drawn 144 times a second, a fall stepped 60 times a second is as smooth as it can be: the same
// parabola, one step behind.
TEST(Interpolated, FollowsAFallAtAnyFrameRate) {
    for (const twang_integrator integrator : integrators) {
        twang_world_def def = plain();
        def.solver.integrator = integrator;
        Scene s(3, 3, def);
        const double h = 1.0 / 60.0, start = positions(s.world, s.body)[1];
        const bool second_order = integrator == TWANG_BDF2;
        FreeVertex expected(integrator, h);
        double now = 0.0, last = start, before = 0.0;
        int taken = 0;
        for (int frame = 0; frame < 144; ++frame) {
            now += 1.0 / 144.0;
            std::int32_t more = 0;
            ASSERT_TRUE(ok(twang_world_advance(s.world.get(), 1.0 / 144.0, &more, nullptr)));
            for (; more > 0; --more, ++taken) {
                before = expected.x.y;
                expected.step(def.gravity);
            }
            const double y = drawn(s.world, s.body)[1], t = std::max(now - h, 0.0);
            EXPECT_LE(y, last); // never back
            last = y;
            // Implicit Euler falls by g h t / 2 more. BDF2, by its first step, by 1/2 g h^2 more
            // and in the end 3/4 g h^2. Between steps the chord is off by g h^2 / 8.
            const double more_than = (second_order ? 0.625 : 0.0) * 9.8 * h * h;
            const double off = (second_order ? 0.25 : 0.125) * 9.8 * h * h + 1e-6;
            if (!second_order || taken > 1) {
                EXPECT_NEAR(y, start - 4.9 * t * (second_order ? t : t + h) - more_than, off)
                    << frame;
            }
            const double part = now / h - taken;
            EXPECT_NEAR(y, start + before + part * (expected.x.y - before), 1e-6) << frame;
        }
    }
}

// While another time step waits for its factors, and when it comes: what flies on evenly is drawn
// so.
TEST(Interpolated, IsEvenThroughAChangeOfTheTimeStep) {
    for (const double next : {1.0 / 30.0, 1.0 / 240.0}) {
        twang_world_def def = plain();
        def.gravity = {};
        def.refactor_delay = 6;
        def.max_catch_up = 100;
        Scene s(4, 4, def);
        std::vector<double> v(3 * 16);
        for (std::size_t i = 0; i < v.size(); i += 3) v[i] = 1.0;
        ASSERT_TRUE(ok(twang_body_set_velocities(s.world.get(), s.body, v.data(), 16)));
        ASSERT_TRUE(ok(twang_world_advance(s.world.get(), 0.1, nullptr, nullptr)));
        ASSERT_TRUE(ok(twang_world_set_time_step(s.world.get(), next)));
        const double frame = 1.0 / 480.0, before = 1.0 / 60.0;
        double last = drawn(s.world, s.body)[0];
        int uneven = 0;
        for (int k = 0; k < 240; ++k) {
            ASSERT_TRUE(ok(twang_world_advance(s.world.get(), frame, nullptr, nullptr)));
            const double now = drawn(s.world, s.body)[0], speed = (now - last) / frame;
            last = now;
            EXPECT_GT(speed, 0.4) << next << ", frame " << k;
            EXPECT_LT(speed, 4.1) << next << ", frame " << k;
            uneven += std::abs(speed - 1.0) > 1e-3;
        }
        double h = 0.0;
        ASSERT_TRUE(ok(twang_world_get_time_step(s.world.get(), &h)));
        EXPECT_EQ(h, next);
        // The last step of the old length is drawn in the time of the first of the new one.
        EXPECT_LE(uneven, static_cast<int>(std::max(next, before) / frame) + 2) << next;
    }
}

TEST(Interpolated, ShowsNoJumps) {
    twang_world_def def = plain();
    def.time_step = 0.02;
    Scene s(4, 4, def, {0});
    ASSERT_TRUE(ok(twang_world_advance(s.world.get(), 0.05, nullptr, nullptr)));
    const std::vector<double> there(48, 0.75);
    ASSERT_TRUE(ok(twang_body_set_positions(s.world.get(), s.body, there.data(), 16)));
    for (const float p : drawn(s.world, s.body)) EXPECT_EQ(p, 0.75f);
    ASSERT_TRUE(ok(twang_world_advance(s.world.get(), 0.02, nullptr, nullptr)));
    ASSERT_TRUE(ok(twang_body_reset(s.world.get(), s.body)));
    const std::vector<double> home = positions(s.world, s.body);
    const std::vector<float> xyz = drawn(s.world, s.body);
    for (std::size_t i = 0; i < home.size(); ++i) EXPECT_EQ(xyz[i], static_cast<float>(home[i]));
}

// A body that flies at 1 m/s and is given the same velocities, or is moved across its way: what is
// drawn goes on evenly.
TEST(Interpolated, IsEvenThroughTeleportsAndNewVelocities) {
    for (const bool teleports : {false, true}) {
        twang_world_def def = plain();
        def.gravity = {};
        Scene s(4, 4, def);
        std::vector<double> v(3 * 16);
        for (std::size_t i = 0; i < v.size(); i += 3) v[i] = 1.0;
        ASSERT_TRUE(ok(twang_body_set_velocities(s.world.get(), s.body, v.data(), 16)));
        double last = 0.0;
        for (int frame = 0; frame < 60; ++frame) {
            if (frame % 7 == 3) {
                ASSERT_TRUE(
                    ok(teleports
                           ? twang_body_teleport(s.world.get(), s.body, {0, 0, 0, 1}, {}, {0, 1, 0})
                           : twang_body_set_velocities(s.world.get(), s.body, v.data(), 16)));
            }
            ASSERT_TRUE(ok(twang_world_advance(s.world.get(), 1.0 / 144.0, nullptr, nullptr)));
            const double now = drawn(s.world, s.body)[0];
            if (frame > 5) {
                EXPECT_NEAR(now - last, 1.0 / 144.0, 1e-6) << frame;
            }
            last = now;
        }
    }
}

TEST(Interpolated, WritesAtAnyStride) {
    Scene s(3, 3, plain(), {0});
    ASSERT_TRUE(ok(twang_world_advance(s.world.get(), 0.04, nullptr, nullptr)));
    const std::vector<float> packed = drawn(s.world, s.body);
    std::vector<unsigned char> buffer(9 * 29, 0xAB);
    ASSERT_TRUE(ok(twang_body_copy_interpolated(s.world.get(), s.body,
                                                reinterpret_cast<float*>(buffer.data()), 29)));
    for (std::size_t i = 0; i < 9; ++i) {
        EXPECT_EQ(std::memcmp(&buffer[29 * i], &packed[3 * i], 12), 0);
        for (std::size_t k = 12; k < 29; ++k) EXPECT_EQ(buffer[29 * i + k], 0xAB);
    }
    float one = 0.0f;
    EXPECT_TRUE(fails(TWANG_OUT_OF_RANGE, "11 bytes",
                      twang_body_copy_interpolated(s.world.get(), s.body, &one, 11)));
    EXPECT_TRUE(fails(TWANG_INVALID_ARGUMENT, "xyz",
                      twang_body_copy_interpolated(s.world.get(), s.body, nullptr, 12)));
}

// ---- Substeps ---------------------------------------------------------------------------------

TEST(Substeps, AreStepsOfTheFraction) {
    twang_world_def coarse = plain(), fine = plain();
    coarse.time_step = 0.032;
    coarse.substeps = 4;
    fine.time_step = 0.008;
    Scene a(6, 6, coarse, {0, 5}), b(6, 6, fine, {0, 5});
    ASSERT_TRUE(steps(a.world, 10) && steps(b.world, 40));
    EXPECT_TRUE(same(bits(a.world, a.body), bits(b.world, b.body)));
    EXPECT_EQ(report(a.world, a.body).steps, 10u);
    EXPECT_EQ(report(a.world, a.body).iterations, 4 * report(b.world, b.body).iterations);
    double time = 0.0;
    ASSERT_TRUE(ok(twang_world_get_time(a.world.get(), &time)));
    EXPECT_NEAR(time, 0.32, 1e-12);
    EXPECT_TRUE(
        fails(TWANG_INVALID_ARGUMENT, "seconds", twang_world_get_time(a.world.get(), nullptr)));
}

TEST(Substeps, ForcesLastForAllOfThem) {
    for (const twang_integrator integrator : integrators) {
        twang_world_def def = plain();
        def.gravity = {};
        def.substeps = 5;
        def.solver.integrator = integrator;
        Scene s(3, 3, def);
        ASSERT_TRUE(steps(s.world, 1));
        for (std::uint32_t i = 0; i < 9; ++i)
            ASSERT_TRUE(ok(twang_body_add_force(s.world.get(), s.body, i, {0.0, 0.0, 0.6})));
        FreeVertex expected(integrator, def.time_step / 5.0); // of 1 kg
        expected.rest();
        for (int step = 0; step < 5; ++step) { // in the first, and not longer
            ASSERT_TRUE(steps(s.world, 1));
            expected.step({0.0, 0.0, step == 0 ? 9 * 0.6 : 0.0}, 5);
            EXPECT_NEAR(measures(s.world, s.body).momentum.z, expected.v.z, 1e-9) << step;
        }
        EXPECT_NEAR(measures(s.world, s.body).momentum.z, 9 * 0.6 / 60.0, 1e-9) << "all of it";
    }
}

TEST(Substeps, CollidersMoveThroughThem) {
    // A plate rises under a cloth by 0.2 m in one step and carries it; with friction it must not
    // see the plate jump in one substep and rest in the others.
    twang_world_def def = plain();
    def.gravity = {};
    def.substeps = 4;
    Scene s(3, 3, def);
    twang_collider_def floor;
    floor.shape = TWANG_SHAPE_PLANE;
    floor.centre = {0.0, -0.2, 0.0};
    twang_collider plate{};
    ASSERT_TRUE(ok(twang_collider_create(s.world.get(), &floor, &plate)));
    ASSERT_TRUE(ok(twang_collider_move_to(s.world.get(), plate, {0.0, -0.06, 0.0})));
    ASSERT_TRUE(steps(s.world, 1));
    const std::vector<double> x = positions(s.world, s.body), v = velocities(s.world, s.body);
    EXPECT_GE(x[3 * 6 + 1], -0.0575 - 1e-12); // lifted, half of the thickness in front of it
    // It was met in the last substep, which rose by 0.035 m in 1/240 s at most.
    EXPECT_GT(v[3 * 6 + 1], 0.0);
    EXPECT_LT(v[3 * 6 + 1], 0.035 * 240 + 1e-9);
}

// Pins that are told once a step where to go are as those of a world of short steps that are told
// every time, and so are their velocities.
TEST(Substeps, PinsMoveThroughThem) {
    for (const twang_pin_method method : {TWANG_PIN_PENALTY, TWANG_PIN_ELIMINATION}) {
        twang_world_def coarse = plain(), fine = plain();
        coarse.time_step = 0.032;
        coarse.substeps = 4;
        fine.time_step = 0.008;
        coarse.pin_method = fine.pin_method = method;
        Scene a(6, 6, coarse, {0, 5}), b(6, 6, fine, {0, 5});
        twang_vec3 at = position(a.world, a.body, 0), grip{};
        for (int step = 0; step < 12; ++step) {
            const bool moves = step < 8;
            const twang_vec3 next{at.x + (moves ? 0.016 : 0.0), at.y, at.z - (moves ? 0.008 : 0.0)};
            if (moves) {
                ASSERT_TRUE(ok(twang_body_pin_at(a.world.get(), a.body, 0, next)));
            }
            if (step == 5) { // and one that was free, from where it is
                grip = position(a.world, a.body, 35);
                ASSERT_TRUE(ok(
                    twang_body_pin_at(a.world.get(), a.body, 35, {grip.x + 0.04, grip.y, grip.z})));
            }
            ASSERT_TRUE(steps(a.world, 1));
            for (int k = 1; k <= 4; ++k) {
                const double way = k / 4.0;
                const auto on = [&](double from, double to) {
                    return k < 4 ? from + way * (to - from) : to;
                };
                ASSERT_TRUE(
                    ok(twang_body_pin_at(b.world.get(), b.body, 0,
                                         {on(at.x, next.x), on(at.y, next.y), on(at.z, next.z)})));
                if (step == 5) {
                    ASSERT_TRUE(ok(twang_body_pin_at(b.world.get(), b.body, 35,
                                                     {on(grip.x, grip.x + 0.04), grip.y, grip.z})));
                }
                ASSERT_TRUE(steps(b.world, 1));
            }
            EXPECT_TRUE(same(bits(a.world, a.body), bits(b.world, b.body))) << step;
            const std::vector<double> v = velocities(a.world, a.body);
            EXPECT_NEAR(v[0], moves ? 0.5 : 0.0, 1e-4) << step << ": 16 mm in 32 ms";
            EXPECT_NEAR(v[2], moves ? -0.25 : 0.0, 1e-4) << step;
            at = next;
        }
    }
}

// The same of a grab: with a restore in the middle, too.
TEST(Substeps, GrabsMoveThroughThem) {
    twang_world_def coarse = plain(), fine = plain();
    coarse.time_step = 0.032;
    coarse.substeps = 4;
    fine.time_step = 0.008;
    Scene a(6, 6, coarse, {0, 5}), b(6, 6, fine, {0, 5});
    twang_grab_def def;
    def.vertices[0] = def.vertices[1] = def.vertices[2] = 35;
    twang_vec3 at = def.target = position(a.world, a.body, 35);
    twang_grab hand_a, hand_b;
    ASSERT_TRUE(ok(twang_body_grab(a.world.get(), a.body, &def, &hand_a)));
    ASSERT_TRUE(ok(twang_body_grab(b.world.get(), b.body, &def, &hand_b)));
    for (int step = 0; step < 10; ++step) {
        const twang_vec3 next{at.x + 0.02, at.y, at.z - (step % 3 ? 0.01 : 0.0)};
        if (step == 5) {
            const auto saved = snapshot(a.world);
            ASSERT_TRUE(ok(twang_body_move_grab(a.world.get(), a.body, hand_a, {1.0, 1.0, 1.0})));
            ASSERT_TRUE(steps(a.world, 2));
            ASSERT_TRUE(ok(twang_world_restore(a.world.get(), saved.data(), saved.size())));
        }
        ASSERT_TRUE(ok(twang_body_move_grab(a.world.get(), a.body, hand_a, next)));
        ASSERT_TRUE(steps(a.world, 1));
        for (int k = 1; k <= 4; ++k) {
            const auto on = [&](double from, double to) {
                return k < 4 ? from + k / 4.0 * (to - from) : to;
            };
            ASSERT_TRUE(
                ok(twang_body_move_grab(b.world.get(), b.body, hand_b,
                                        {on(at.x, next.x), on(at.y, next.y), on(at.z, next.z)})));
            ASSERT_TRUE(steps(b.world, 1));
        }
        EXPECT_TRUE(same(bits(a.world, a.body), bits(b.world, b.body))) << step;
        at = next;
    }
}

// In the middle of a way: what is queued is in a snapshot, and jumps have no way.
TEST(Substeps, PinsStartFromWhereTheyWereAlsoAfterARestoreOrAJump) {
    twang_world_def def = plain();
    def.substeps = 5;
    Scene s(4, 4, def, {0, 3}), other(4, 4, def, {0, 3});
    const auto pin_at = [&](std::uint32_t vertex, double x) {
        ASSERT_TRUE(ok(twang_body_pin_at(s.world.get(), s.body, vertex, {x, 0.0, 0.1})));
    };
    ASSERT_TRUE(steps(s.world, 2));
    pin_at(15, 0.1);
    ASSERT_TRUE(steps(s.world, 1));
    pin_at(15, 0.12), pin_at(0, 0.02);
    ASSERT_TRUE(ok(twang_body_unpin(s.world.get(), s.body, 3)));
    const auto saved = snapshot(s.world);
    ASSERT_TRUE(steps(s.world, 2));
    const auto expected = bits(s.world, s.body);
    for (const Scene* scene : {&s, &other}) {
        ASSERT_TRUE(ok(twang_world_restore(scene->world.get(), saved.data(), saved.size())));
        EXPECT_TRUE(snapshot(scene->world) == saved);
        ASSERT_TRUE(steps(scene->world, 2));
        EXPECT_TRUE(same(bits(scene->world, scene->body), expected));
    }
    ASSERT_TRUE(ok(twang_body_teleport(s.world.get(), s.body, {0, 0, 0, 1}, {}, {7.0, 0.0, 0.0})));
    ASSERT_TRUE(steps(s.world, 1));
    EXPECT_NEAR(velocities(s.world, s.body)[0], 0.0, 1e-4);
    pin_at(0, 0.5);
    ASSERT_TRUE(ok(twang_body_reset(s.world.get(), s.body)));
    ASSERT_TRUE(steps(s.world, 1));
    EXPECT_NEAR(velocities(s.world, s.body)[0], 0.0, 1e-4);
    EXPECT_NEAR(position(s.world, s.body, 0).x, 0.0, 1e-6);
}

TEST(Substeps, InterpolationSpansTheWholeStep) {
    twang_world_def def = plain();
    def.time_step = 0.02;
    def.substeps = 4;
    Scene s(3, 3, def);
    const std::vector<double> before = positions(s.world, s.body);
    ASSERT_TRUE(steps(s.world, 1));
    const std::vector<float> xyz = drawn(s.world, s.body); // nothing is left over
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(xyz[i], float(before[i]));
}

TEST(Substeps, DissipateLess) {
    const auto left_after_two_seconds = [](int substeps) {
        twang_world_def def = plain(TWANG_SOLVER_NEWTON);
        def.substeps = substeps;
        def.gravity = {};
        Scene s(2, 1, def, {0});
        const std::vector<double> stretched = {0.0, 0.0, 0.0, 0.04, 0.0, 0.0};
        EXPECT_TRUE(ok(twang_body_set_positions(s.world.get(), s.body, stretched.data(), 2)));
        EXPECT_TRUE(steps(s.world, 12));
        const twang_report r = report(s.world, s.body);
        return r.kinetic_energy + r.elastic_energy;
    };
    EXPECT_GT(left_after_two_seconds(8), 3.0 * left_after_two_seconds(1));
}

TEST(Substeps, BadDefinitionsAreRefused) {
    const auto refused = [](std::function<void(twang_world_def&)> spoil, twang_status answer,
                            const char* words) {
        twang_world_def def = plain();
        spoil(def);
        twang_world* world = nullptr;
        EXPECT_TRUE(fails(answer, words, twang_world_create(&def, &world)));
        EXPECT_EQ(world, nullptr);
    };
    refused([](auto& d) { d.substeps = 0; }, TWANG_OUT_OF_RANGE, "0 substeps");
    refused([](auto& d) { d.substeps = 1001; }, TWANG_OUT_OF_RANGE, "1001 substeps");
    refused([](auto& d) { d.sleep_speed = -1.0; }, TWANG_OUT_OF_RANGE, "sleep_speed");
    refused([](auto& d) { d.sleep_speed = infinite; }, TWANG_NOT_FINITE, "sleep_speed");
    refused([](auto& d) { d.sleep_steps = 0; }, TWANG_OUT_OF_RANGE, "sleep_steps");
}

// ---- Several steps at a time ------------------------------------------------------------------

// Told where to go once in a frame of several steps, pins, grabs and colliders move as if told in
// every step: a frame rate below that of the steps is not felt.
TEST(Advance, TargetsAreReachedEvenlyInAllItsSteps) {
    for (const int substeps : {1, 2}) {
        twang_world_def def = plain();
        def.time_step = 1.0 / 64.0;
        def.substeps = substeps;
        Scene rare(6, 6, def, {0, 5}), often(6, 6, def, {0, 5});
        twang_collider_def ball;
        ball.radius = 0.05;
        ball.centre = {0.0, -0.2, -0.1};
        twang_grab_def grip;
        grip.vertices[0] = grip.vertices[1] = grip.vertices[2] = 35;
        grip.target = position(rare.world, rare.body, 35);
        const Scene* scenes[] = {&rare, &often};
        twang_collider balls[2];
        twang_grab hands[2];
        for (int k = 0; k < 2; ++k) {
            twang_world* w = scenes[k]->world.get();
            ASSERT_TRUE(ok(twang_collider_create(w, &ball, &balls[k])));
            ASSERT_TRUE(ok(twang_body_grab(w, scenes[k]->body, &grip, &hands[k])));
        }
        const auto aim = [&](int k, double t) {
            twang_world* w = scenes[k]->world.get();
            ASSERT_TRUE(ok(twang_body_pin_at(w, scenes[k]->body, 0, {t, 0.0, 0.5 * t})));
            ASSERT_TRUE(ok(twang_collider_move_to(w, balls[k], {t, -0.2, t - 0.1})));
            const twang_vec3 at = grip.target;
            ASSERT_TRUE(
                ok(twang_body_move_grab(w, scenes[k]->body, hands[k], {at.x + t, at.y, at.z})));
        };
        for (int frame = 0; frame < 10; ++frame) {
            const auto saved = snapshot(rare.world);
            std::vector<double> once;
            for (int again = 0; again < 2; ++again) { // rolled back, too
                ASSERT_TRUE(ok(twang_world_restore(rare.world.get(), saved.data(), saved.size())));
                aim(0, (frame + 1) / 32.0);
                std::int32_t taken = 0;
                ASSERT_TRUE(ok(twang_world_advance(rare.world.get(), 1.0 / 16.0, &taken, nullptr)));
                ASSERT_EQ(taken, 4);
                const std::vector<double> x = positions(rare.world, rare.body);
                if (again) {
                    EXPECT_EQ(x, once);
                }
                once = x;
            }
            for (int k = 1; k <= 4; ++k) {
                aim(1, (frame + k / 4.0) / 32.0);
                ASSERT_TRUE(steps(often.world, 1));
            }
            EXPECT_LT(distance(once, positions(often.world, often.body)), 1e-6) << frame;
            EXPECT_NEAR(velocities(rare.world, rare.body)[0], 0.5, 1e-4) << frame; // of the pin
        }
    }
}

// ---- Damping and sleep on demand --------------------------------------------------------------

TEST(Damping, ChangesWhileItRunsAndGoesIntoSnapshots) {
    for (const twang_integrator integrator : integrators) {
        twang_world_def def = plain();
        def.gravity = {};
        def.solver.integrator = integrator;
        Scene s(3, 3, def);
        twang_world* w = s.world.get();
        std::vector<double> v(27);
        for (std::size_t i = 0; i < v.size(); i += 3) v[i] = 1.0;
        ASSERT_TRUE(ok(twang_body_set_velocities(w, s.body, v.data(), 9)));
        ASSERT_TRUE(ok(twang_world_set_damping(w, 3.0)));
        const auto saved = snapshot(s.world);
        ASSERT_TRUE(steps(s.world, 60));
        EXPECT_NEAR(measures(s.world, s.body).mean_speed, std::exp(-3.0), 1e-4);
        ASSERT_TRUE(ok(twang_world_set_damping(w, 0.0)));
        ASSERT_TRUE(steps(s.world, 60));
        EXPECT_NEAR(measures(s.world, s.body).mean_speed, std::exp(-3.0), 1e-4);
        ASSERT_TRUE(ok(twang_world_restore(w, saved.data(), saved.size())));
        ASSERT_TRUE(steps(s.world, 60));
        EXPECT_NEAR(measures(s.world, s.body).mean_speed, std::exp(-3.0), 1e-4);
        const auto before = snapshot(s.world);
        EXPECT_TRUE(fails(TWANG_OUT_OF_RANGE, "damping", twang_world_set_damping(w, -1.0)));
        EXPECT_TRUE(fails(TWANG_NOT_FINITE, "damping", twang_world_set_damping(w, not_a_number)));
        EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_world_set_damping(nullptr, 1.0)));
        EXPECT_TRUE(snapshot(s.world) == before);
    }
}

TEST(SleepOnDemand, StopsABodyUntilItIsWoken) {
    Scene s(4, 4, plain(), {0}); // nothing sleeps by itself here
    twang_world* w = s.world.get();
    ASSERT_TRUE(steps(s.world, 5));
    ASSERT_TRUE(ok(twang_body_sleep(w, s.body)));
    EXPECT_EQ(report(s.world, s.body).asleep, 1);
    for (const double v : velocities(s.world, s.body)) EXPECT_EQ(v, 0.0);
    const auto still = bits(s.world, s.body);
    ASSERT_TRUE(steps(s.world, 10));
    EXPECT_TRUE(same(bits(s.world, s.body), still));
    EXPECT_EQ(report(s.world, s.body).steps, 5u);
    ASSERT_TRUE(ok(twang_body_wake(w, s.body)));
    EXPECT_EQ(report(s.world, s.body).asleep, 0);
    ASSERT_TRUE(steps(s.world, 1));
    EXPECT_EQ(report(s.world, s.body).steps, 6u);
    EXPECT_FALSE(same(bits(s.world, s.body), still));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_body_sleep(w, {})));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_body_wake(w, {})));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_body_wake(nullptr, s.body)));
    ASSERT_TRUE(ok(twang_body_destroy(w, s.body)));
    EXPECT_TRUE(is(TWANG_STALE_HANDLE, twang_body_sleep(w, s.body)));
}

// ---- Teleport ---------------------------------------------------------------------------------

// A quarter turn about the vertical axis, gravity along it: what happens next is the same, turned.
TEST(Teleport, TakesShapeVelocitiesAndPinsAlong) {
    Scene moved(6, 5, plain(), {0, 5}), stayed(6, 5, plain(), {0, 5});
    for (Scene* s : {&moved, &stayed}) {
        ASSERT_TRUE(ok(twang_body_add_force(s->world.get(), s->body, 17, {0.1, 0.0, 0.3})));
        ASSERT_TRUE(steps(s->world, 20));
        ASSERT_TRUE(ok(twang_body_pin_at(s->world.get(), s->body, 0, {0.01, 0.02, 0.0})));
    }
    const double half = std::sqrt(0.5);
    ASSERT_TRUE(
        ok(twang_body_teleport(moved.world.get(), moved.body, {0.0, 3 * half, 0.0, 3 * half},
                               {1.0, 0.0, 2.0}, {5.0, 6.0, 7.0})));
    // About y by 90 degrees: x -> -z, z -> x.
    const auto turned = [&](bool is_point) {
        std::vector<double> xyz =
            is_point ? positions(stayed.world, stayed.body) : velocities(stayed.world, stayed.body);
        for (std::size_t i = 0; i < xyz.size(); i += 3) {
            const double x = xyz[i] - (is_point ? 1.0 : 0.0),
                         z = xyz[i + 2] - (is_point ? 2.0 : 0.0);
            xyz[i] = z + (is_point ? 1.0 + 5.0 : 0.0);
            xyz[i + 1] += is_point ? 6.0 : 0.0;
            xyz[i + 2] = -x + (is_point ? 2.0 + 7.0 : 0.0);
        }
        return xyz;
    };
    EXPECT_LT(distance(positions(moved.world, moved.body), turned(true)), 1e-14);
    EXPECT_LT(distance(velocities(moved.world, moved.body), turned(false)), 1e-14);
    EXPECT_EQ(drawn(moved.world, moved.body)[0],
              static_cast<float>(positions(moved.world, moved.body)[0]));
    EXPECT_NEAR(measures(moved.world, moved.body).elastic_energy,
                measures(stayed.world, stayed.body).elastic_energy, 1e-12);
    ASSERT_TRUE(steps(moved.world, 40) && steps(stayed.world, 40));
    EXPECT_LT(distance(positions(moved.world, moved.body), turned(true)), 2e-5);
    EXPECT_LT(distance(velocities(moved.world, moved.body), turned(false)), 2e-3);
    EXPECT_EQ(precomputation(moved.world, moved.body).factorings,
              precomputation(stayed.world, stayed.body).factorings);
}

TEST(Teleport, WithoutTurnAndMoveNothingChanges) {
    Scene s(4, 4, plain(), {0});
    ASSERT_TRUE(steps(s.world, 5));
    const auto before = bits(s.world, s.body);
    ASSERT_TRUE(ok(twang_body_teleport(s.world.get(), s.body, {0, 0, 0, 2.5}, {}, {})));
    EXPECT_TRUE(same(bits(s.world, s.body), before));
}

TEST(Teleport, BadValuesAreRefusedAndChangeNothing) {
    Scene s(4, 4, plain(), {0});
    ASSERT_TRUE(steps(s.world, 5));
    const auto before = snapshot(s.world);
    twang_world* w = s.world.get();
    const twang_quaternion none{0.0, 0.0, 0.0, 1.0};
    EXPECT_TRUE(fails(TWANG_OUT_OF_RANGE, "length 0", twang_body_teleport(w, s.body, {}, {}, {})));
    EXPECT_TRUE(fails(TWANG_NOT_FINITE, "rotation",
                      twang_body_teleport(w, s.body, {0, 0, infinite, 1}, {}, {})));
    EXPECT_TRUE(fails(TWANG_NOT_FINITE, "pivot",
                      twang_body_teleport(w, s.body, none, {not_a_number, 0, 0}, {})));
    EXPECT_TRUE(fails(TWANG_NOT_FINITE, "translation",
                      twang_body_teleport(w, s.body, none, {}, {0, infinite, 0})));
    EXPECT_TRUE(
        fails(TWANG_OUT_OF_RANGE, "far away",
              twang_body_teleport(w, s.body, {0, 0, 1, 0}, {1.7e308, 0, 0}, {1.7e308, 0, 0})));
    EXPECT_TRUE(snapshot(s.world) == before);
    // Huge and tiny quaternions turn like any.
    for (const double size : {1e300, 1e-300}) {
        Scene a(3, 3), b(3, 3);
        ASSERT_TRUE(ok(twang_body_teleport(a.world.get(), a.body, {0, size, 0, size}, {}, {})));
        ASSERT_TRUE(ok(twang_body_teleport(b.world.get(), b.body, {0, 1, 0, 1}, {}, {})));
        EXPECT_TRUE(same(bits(a.world, a.body), bits(b.world, b.body)));
    }
}
