// A world is for one thread at a time: whoever comes while it steps, from its callback or from
// another thread, gets BUSY at once and changes nothing. Worlds are independent, models are shared
// freely.
#include <atomic>
#include <functional>
#include <thread>

#include "api_support.hpp"

using namespace api;

namespace {

struct Call {
    const char* name;
    std::function<twang_status()> run;
};

// Every call that enters a world, each with arguments that would be fine.
std::vector<Call> every_call(twang_world* w, const twang_model* model, twang_body body,
                             twang_collider ball) {
    static const twang_body_def body_def;
    static const twang_collider_def ball_def;
    static const twang_solver_def solver;
    static const twang_grab_def grab_def;
    static const twang_blade_def blade{{-1.0, -0.01, -1.0}, {1.0, -0.01, -1.0}, {0.0, 0.0, 2.0}};
    static const std::uint32_t index = 1;
    static thread_local double xyz[27];
    static thread_local std::byte buffer[1 << 14];
    return {
        {"world_destroy", [=]() mutable { return twang_world_destroy(&w); }},
        {"world_step", [=] { return twang_world_step(w); }},
        {"world_advance", [=] { return twang_world_advance(w, 1.0, nullptr, nullptr); }},
        {"world_set_time_step", [=] { return twang_world_set_time_step(w, 0.5); }},
        {"world_set_damping", [=] { return twang_world_set_damping(w, 9.0); }},
        {"world_set_gravity",
         [=] {
             return twang_world_set_gravity(w, {9.0, 9.0, 9.0});
         }},
        {"world_set_wind",
         [=] {
             return twang_world_set_wind(w, {9.0, 9.0, 9.0}, 1.0);
         }},
        {"world_set_air",
         [=] {
             const twang_air_def air;
             return twang_world_set_air(w, &air);
         }},
        {"world_set_solver", [=] { return twang_world_set_solver(w, &solver); }},
        {"world_set_iteration_callback",
         [=] { return twang_world_set_iteration_callback(w, nullptr, nullptr); }},
        {"world_get_time", [=] { return twang_world_get_time(w, xyz); }},
        {"world_get_time_step", [=] { return twang_world_get_time_step(w, xyz); }},
        {"world_get_report",
         [=] {
             twang_report r;
             return twang_world_get_report(w, &r);
         }},
        {"world_get_hash",
         [=] {
             std::uint64_t hash;
             return twang_world_get_hash(w, &hash);
         }},
        {"world_snapshot_size",
         [=] {
             std::size_t bytes;
             return twang_world_snapshot_size(w, &bytes);
         }},
        {"world_save", [=] { return twang_world_save(w, buffer, sizeof buffer); }},
        {"world_restore", [=] { return twang_world_restore(w, buffer, sizeof buffer); }},
        {"body_create",
         [=] {
             twang_body made;
             return twang_body_create(w, model, &body_def, &made);
         }},
        {"body_destroy", [=] { return twang_body_destroy(w, body); }},
        {"body_pin", [=] { return twang_body_pin(w, body, 1); }},
        {"body_pin_at",
         [=] {
             return twang_body_pin_at(w, body, 1, {1.0, 1.0, 1.0});
         }},
        {"body_unpin", [=] { return twang_body_unpin(w, body, 0); }},
        {"body_is_pinned",
         [=] {
             std::int32_t answer;
             return twang_body_is_pinned(w, body, 0, &answer);
         }},
        {"body_set_pin_targets",
         [=] { return twang_body_set_pin_targets(w, body, &index, xyz, 1); }},
        {"body_grab",
         [=] {
             twang_grab made;
             return twang_body_grab(w, body, &grab_def, &made);
         }},
        {"body_move_grab",
         [=] {
             return twang_body_move_grab(w, body, {0, 1}, {});
         }},
        {"body_release",
         [=] {
             return twang_body_release(w, body, {0, 1});
         }},
        {"body_scale_rest_lengths",
         [=] { return twang_body_scale_rest_lengths(w, body, &index, xyz, 1); }},
        {"body_scale_stiffness",
         [=] { return twang_body_scale_stiffness(w, body, &index, xyz, 1); }},
        {"body_set_tear_strain", [=] { return twang_body_set_tear_strain(w, body, 0.01); }},
        {"body_cut", [=] { return twang_body_cut(w, body, &blade, nullptr); }},
        {"body_broken_springs",
         [=] {
             std::uint32_t count;
             return twang_body_broken_springs(w, body, &count);
         }},
        {"body_copy_torn_triangles",
         [=] {
             std::uint8_t torn[8];
             return twang_body_copy_torn_triangles(w, body, torn, 8);
         }},
        {"body_take_torn_triangles",
         [=] {
             std::size_t count;
             return twang_body_take_torn_triangles(w, body, nullptr, 0, &count);
         }},
        {"body_add_force",
         [=] {
             return twang_body_add_force(w, body, 1, {9.0, 9.0, 9.0});
         }},
        {"body_add_forces", [=] { return twang_body_add_forces(w, body, xyz, 9); }},
        {"body_add_impulse",
         [=] {
             return twang_body_add_impulse(w, body, 1, {9.0, 9.0, 9.0});
         }},
        {"body_set_gravity_scale", [=] { return twang_body_set_gravity_scale(w, body, 2.0); }},
        {"body_set_pressure", [=] { return twang_body_set_pressure(w, body, 0.0); }},
        {"body_set_max_strain", [=] { return twang_body_set_max_strain(w, body, 0.1, 3); }},
        {"body_set_solver", [=] { return twang_body_set_solver(w, body, &solver); }},
        {"body_set_positions", [=] { return twang_body_set_positions(w, body, xyz, 9); }},
        {"body_set_velocities", [=] { return twang_body_set_velocities(w, body, xyz, 9); }},
        {"body_teleport",
         [=] {
             return twang_body_teleport(w, body, {0, 0, 0, 1}, {}, {});
         }},
        {"body_copy_interpolated",
         [=] {
             float positions[27];
             return twang_body_copy_interpolated(w, body, positions, 12);
         }},
        {"body_wake", [=] { return twang_body_wake(w, body); }},
        {"body_sleep", [=] { return twang_body_sleep(w, body); }},
        {"body_reset", [=] { return twang_body_reset(w, body); }},
        {"body_vertex_count",
         [=] {
             std::uint32_t count;
             return twang_body_vertex_count(w, body, &count);
         }},
        {"body_copy_positions", [=] { return twang_body_copy_positions(w, body, xyz, 9); }},
        {"body_copy_velocities", [=] { return twang_body_copy_velocities(w, body, xyz, 9); }},
        {"body_copy_normals",
         [=] {
             float normals[27];
             return twang_body_copy_normals(w, body, normals, 12);
         }},
        {"body_pin_force",
         [=] { return twang_body_pin_force(w, body, nullptr, 0, {}, nullptr, nullptr); }},
        {"body_get_report",
         [=] {
             twang_report r;
             return twang_body_get_report(w, body, &r);
         }},
        {"body_get_precomputation",
         [=] {
             twang_precomputation p;
             return twang_body_get_precomputation(w, body, &p);
         }},
        {"body_measure",
         [=] {
             twang_measures m;
             return twang_body_measure(w, body, &m);
         }},
        {"collider_create",
         [=] {
             twang_collider made;
             return twang_collider_create(w, &ball_def, &made);
         }},
        {"collider_destroy", [=] { return twang_collider_destroy(w, ball); }},
        {"collider_move_to",
         [=] {
             return twang_collider_move_to(w, ball, {5.0, 5.0, 5.0});
         }},
        {"collider_move",
         [=] {
             return twang_collider_move(w, ball, {5.0, 5.0, 5.0}, {0.0, 1.0, 0.0, 1.0});
         }},
        {"collider_move_ends",
         [=] {
             return twang_collider_move_ends(w, ball, {5.0, 5.0, 5.0}, {});
         }},
    };
}

struct Watched : Scene {
    twang_collider ball{};
    Watched() : Scene(3, 3, plain(), {0}) {
        twang_collider_def def;
        def.centre = {0.0, -5.0, 0.0};
        EXPECT_TRUE(ok(twang_collider_create(world.get(), &def, &ball)));
    }
};

struct Intruder {
    std::function<void()> run;
};
void on_iteration(void* user, const twang_iteration*) { static_cast<Intruder*>(user)->run(); }

void expect_busy(const Watched& scene) {
    for (const Call& call :
         every_call(scene.world.get(), scene.model.get(), scene.body, scene.ball)) {
        EXPECT_TRUE(is(TWANG_BUSY, call.run())) << call.name;
    }
    EXPECT_EQ(twang_body_positions(scene.world.get(), scene.body), nullptr);
    EXPECT_EQ(twang_body_velocities(scene.world.get(), scene.body), nullptr);
}

void expect_like_undisturbed(const Watched& scene, int count) {
    Watched quiet;
    ASSERT_TRUE(steps(quiet.world, count));
    EXPECT_TRUE(same(bits(scene.world, scene.body), bits(quiet.world, quiet.body)));
    EXPECT_TRUE(snapshot(scene.world) == snapshot(quiet.world));
}

} // namespace

TEST(Busy, EveryCallFromTheCallbackIsRefusedAndTheStepCompletes) {
    Watched scene;
    int visits = 0;
    Intruder intruder{[&] {
        ++visits;
        expect_busy(scene);
    }};
    ASSERT_TRUE(ok(twang_world_set_iteration_callback(scene.world.get(), on_iteration, &intruder)));
    ASSERT_TRUE(steps(scene.world, 2));
    EXPECT_EQ(visits, 20);
    ASSERT_TRUE(ok(twang_world_set_iteration_callback(scene.world.get(), nullptr, nullptr)));
    ASSERT_TRUE(steps(scene.world, 3)) << "the world is free again";
    expect_like_undisturbed(scene, 5);
}

TEST(Busy, EveryCallFromASecondThreadIsRefusedWithoutWaiting) {
    Watched scene;
    std::atomic<bool> stepping{false}, tried{false};
    Intruder intruder{[&] {
        stepping = true; // hold the step here until the other thread has had its answers
        while (!tried) std::this_thread::yield();
    }};
    ASSERT_TRUE(ok(twang_world_set_iteration_callback(scene.world.get(), on_iteration, &intruder)));
    std::thread second([&] {
        while (!stepping) std::this_thread::yield();
        expect_busy(scene); // would hang if anything waited for the step
        tried = true;
    });
    EXPECT_TRUE(steps(scene.world, 1));
    second.join();
    ASSERT_TRUE(ok(twang_world_set_iteration_callback(scene.world.get(), nullptr, nullptr)));
    expect_like_undisturbed(scene, 1);
}

TEST(Busy, ACallbackMayUseAnotherWorldAndTheModel) {
    Watched scene, other;
    Intruder intruder{[&] {
        EXPECT_TRUE(steps(other.world, 1));
        twang_model_info info{};
        EXPECT_TRUE(ok(twang_model_get_info(scene.model.get(), &info)));
    }};
    ASSERT_TRUE(ok(twang_world_set_iteration_callback(scene.world.get(), on_iteration, &intruder)));
    ASSERT_TRUE(steps(scene.world, 1));
    EXPECT_EQ(report(other.world, other.body).steps, 10u);
    ASSERT_TRUE(ok(twang_world_set_iteration_callback(scene.world.get(), nullptr, nullptr)));
    expect_like_undisturbed(scene, 1);
    expect_like_undisturbed(other, 10);
}

TEST(Busy, ThreadsThatFightForAWorldEachGetAnAnswer) {
    Watched scene;
    std::atomic<int> done{0}, busy{0}, other{0};
    const auto fight = [&] {
        for (int i = 0; i < 2000; ++i) {
            const twang_status status =
                i % 3 == 0 ? twang_world_step(scene.world.get())
                           : twang_body_add_force(scene.world.get(), scene.body, 4, {});
            ++(status == TWANG_OK ? done : status == TWANG_BUSY ? busy : other);
        }
    };
    std::thread one(fight), two(fight), three(fight);
    one.join(), two.join(), three.join();
    EXPECT_EQ(other, 0);
    EXPECT_EQ(done + busy, 6000);
    EXPECT_GT(done, 0);
    EXPECT_GT(report(scene.world, scene.body).steps, 0u);
    EXPECT_EQ(report(scene.world, scene.body).status, TWANG_OK);
}

TEST(Busy, WorldsInTwoThreadsGiveTheBitsOfEachAlone) {
    const Model shared = cloth(46, 46); // one model for all: large enough to be shared out
    const auto simulate = [&shared](int workers, double gravity) {
        twang_world_def def = plain();
        def.workers = workers;
        def.gravity.y = gravity;
        def.solver.iterations = 4;
        const World world = make_world(def);
        const twang_body body = add(world, shared, {0});
        EXPECT_TRUE(steps(world, 12));
        return bits(world, body);
    };
    const auto alone = simulate(1, -9.8), alone_up = simulate(1, 3.0);
    for (int round = 0; round < 3; ++round) {
        std::vector<std::uint64_t> down, up;
        std::thread one([&] { down = simulate(2, -9.8); });
        std::thread two([&] { up = simulate(2, 3.0); });
        one.join(), two.join();
        EXPECT_TRUE(same(down, alone));
        EXPECT_TRUE(same(up, alone_up));
    }
}

TEST(Busy, ModelsAreMadeUsedAndDestroyedInManyThreads) {
    const auto work = [](std::uint32_t seed) {
        for (std::uint32_t i = 0; i < 15; ++i) {
            const Scene scene(4 + (seed + i) % 5, 6, plain(), {0});
            EXPECT_TRUE(steps(scene.world, 2));
        }
    };
    std::vector<std::thread> threads;
    for (std::uint32_t seed = 0; seed < 4; ++seed) threads.emplace_back(work, seed);
    for (std::thread& thread : threads) thread.join();
    const Scene here(5, 6, plain(), {0}), again(5, 6, plain(), {0});
    ASSERT_TRUE(steps(here.world, 2));
    ASSERT_TRUE(steps(again.world, 2));
    EXPECT_TRUE(same(bits(here.world, here.body), bits(again.world, again.body)));
}
