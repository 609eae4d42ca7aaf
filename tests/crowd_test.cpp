// crowd: bodies that share workers, factors and passes over them move bit for bit as each of them
// does alone; one that goes bad is set aside, is named, and nobody else notices.
#include <cmath>
#include <stdexcept>
#include <thread>

#include "api_support.hpp"

using namespace api;

namespace {

constexpr int worker_counts[] = {0, 1, 2, 3, 8};

twang_world_def with(int workers, twang_solver solver = TWANG_SOLVER_LOCAL_GLOBAL) {
    twang_world_def def = plain(solver);
    def.workers = workers;
    return def;
}

// Who a body is: its model, and how it starts.
struct Part {
    const Model* model;
    std::vector<std::uint32_t> pins;
    int seed;
};

twang_body join(const World& world, const Part& part) {
    const twang_body body = add(world, *part.model, part.pins);
    std::vector<double> v(3 * vertex_count(world, body));
    Random random(part.seed);
    for (double& value : v) value = random.between(-0.5, 0.5);
    EXPECT_TRUE(ok(twang_body_set_velocities(world.get(), body, v.data(), v.size() / 3)));
    return body;
}

std::vector<std::uint64_t> alone(const Part& part, const twang_world_def& def, int count) {
    const World world = make_world(def);
    const twang_body body = join(world, part);
    EXPECT_TRUE(steps(world, count));
    return bits(world, body);
}

// Each body of the crowd, for any number of workers, has the bits it has alone.
void expect_as_alone(const std::vector<Part>& parts, twang_world_def def, int count) {
    std::vector<std::vector<std::uint64_t>> expected;
    for (const Part& part : parts) expected.push_back(alone(part, def, count));
    for (const int workers : worker_counts) {
        def.workers = workers;
        const World world = make_world(def);
        std::vector<twang_body> bodies;
        for (const Part& part : parts) bodies.push_back(join(world, part));
        ASSERT_TRUE(steps(world, count));
        for (std::size_t k = 0; k < parts.size(); ++k)
            ASSERT_TRUE(same(bits(world, bodies[k]), expected[k]))
                << "body " << k << " of " << parts.size() << ", " << workers << " workers";
    }
}

// Far beyond what doubles can hold, once squared.
void push_to_infinity(const World& world, twang_body body) {
    for (int i = 0; i < 2; ++i)
        ASSERT_TRUE(ok(twang_body_add_force(world.get(), body, 40, {0.0, 1.5e308, 0.0})));
}

} // namespace

TEST(Crowd, OneToTwentyOfOneModelMoveAsEachAlone) {
    const Model cape = cloth(12, 10);
    for (const int count : {1, 2, 5, 6, 7, 8, 9, 13, 16, 17, 20}) {
        std::vector<Part> parts;
        for (int k = 0; k < count; ++k) parts.push_back({&cape, {0, 11}, k});
        expect_as_alone(parts, with(1), 12);
    }
}

TEST(Crowd, OfTwoModelsAndDifferentPins) {
    const Model cape = cloth(12, 10), flag = cloth(9, 14);
    std::vector<Part> parts;
    for (int k = 0; k < 20; ++k)
        parts.push_back({k % 3 == 0 ? &flag : &cape, {0, k % 5 == 0 ? 5u : 8u}, k});
    expect_as_alone(parts, with(1), 15);
}

TEST(Crowd, SmallAndLargeTogether) {
    const Model small = cloth(10, 10), large = cloth(56, 56);
    std::vector<Part> parts;
    for (int k = 0; k < 9; ++k) parts.push_back({&small, {0}, k});
    parts.push_back({&large, {0, 55}, 77});
    parts.push_back({&small, {0}, 78});
    parts.push_back({&large, {0, 55}, 79});
    expect_as_alone(parts, with(1), sanitized ? 2 : 6);
}

TEST(Crowd, WithEveryAccelerationAndSolver) {
    const Model cape = cloth(10, 8);
    std::vector<Part> parts;
    for (int k = 0; k < 9; ++k) parts.push_back({&cape, {0, 9}, k});
    for (const twang_solver solver : dynamic_solvers) {
        SCOPED_TRACE(name(solver));
        twang_world_def def = with(1, solver);
        if (solver == TWANG_SOLVER_SYMPLECTIC) def.time_step = 1e-4;
        expect_as_alone(parts, def, 6);
    }
    for (const twang_acceleration acceleration :
         {TWANG_ACCELERATION_NONE, TWANG_ACCELERATION_CHEBYSHEV, TWANG_ACCELERATION_ANDERSON,
          TWANG_ACCELERATION_LBFGS, TWANG_ACCELERATION_TWO_LEVEL}) {
        SCOPED_TRACE(static_cast<int>(acceleration));
        twang_world_def def = with(1);
        def.solver.acceleration = acceleration;
        expect_as_alone(parts, def, 6);
        def.solver.tolerance = 1e-3; // some stop earlier than others
        def.solver.iterations = 60;
        expect_as_alone(parts, def, 6);
    }
}

// Down to one, which is the last at the same time: it is made in another way than those before.
TEST(Crowd, WithFewIterationsAndEitherIntegrator) {
    const Model cape = cloth(12, 10);
    std::vector<Part> parts;
    for (int k = 0; k < 8; ++k) parts.push_back({&cape, {0, 11}, k});
    for (const twang_integrator integrator : {TWANG_IMPLICIT_EULER, TWANG_BDF2})
        for (const int iterations : {1, 2, 5}) {
            SCOPED_TRACE(iterations);
            twang_world_def def = with(1);
            def.solver.integrator = integrator;
            def.solver.iterations = iterations;
            expect_as_alone(parts, def, 8);
        }
}

TEST(Crowd, WithAFactorOfAnyPrecision) {
    const Model cape = cloth(12, 10);
    std::vector<Part> parts;
    for (int k = 0; k < 8; ++k) parts.push_back({&cape, {0, 11}, k});
    for (const twang_precision precision :
         {TWANG_PRECISION_FLOAT, TWANG_PRECISION_DOUBLE, TWANG_PRECISION_HALF}) {
        twang_world_def def = with(1);
        def.precision = precision;
        expect_as_alone(parts, def, 8);
    }
    twang_world_def def = with(1);
    def.arithmetic = TWANG_ARITHMETIC_PORTABLE;
    expect_as_alone(parts, def, 8);
}

// Pinned, torn and grabbed ones among others: their systems differ, the others' do not.
TEST(Crowd, WithLiveChangesMovesAsEachAlone) {
    const Model cape = cloth(12, 10);
    twang_world_def def = with(1);
    def.refactor_delay = 4;
    const auto change = [](const World& world, twang_body body, int k, int step) {
        twang_world* w = world.get();
        if (step == 2 && k % 4 == 1) {
            EXPECT_TRUE(ok(twang_body_pin(w, body, 50)));
        }
        if (step == 3 && k % 4 == 2) {
            const twang_blade_def blade{{-9, -0.1, -9}, {9, -0.1, -9}, {0, 0, 18}};
            EXPECT_TRUE(ok(twang_body_cut(w, body, &blade, nullptr)));
        }
        if (step == 5 && k % 4 == 3) {
            twang_grab_def grab;
            grab.vertices[0] = 119;
            twang_grab made{};
            EXPECT_TRUE(ok(twang_body_grab(w, body, &grab, &made)));
        }
    };
    constexpr int bodies = 14, count = 16;
    std::vector<std::vector<std::uint64_t>> expected;
    for (int k = 0; k < bodies; ++k) {
        const World world = make_world(def);
        const twang_body body = join(world, {&cape, {0, 11}, k});
        for (int step = 0; step < count; ++step) {
            change(world, body, k, step);
            EXPECT_TRUE(steps(world, 1));
        }
        expected.push_back(bits(world, body));
    }
    for (const int workers : worker_counts) {
        def.workers = workers;
        const World world = make_world(def);
        std::vector<twang_body> all;
        for (int k = 0; k < bodies; ++k) all.push_back(join(world, {&cape, {0, 11}, k}));
        for (int step = 0; step < count; ++step) {
            for (int k = 0; k < bodies; ++k) change(world, all[k], k, step);
            EXPECT_TRUE(steps(world, 1));
        }
        for (int k = 0; k < bodies; ++k)
            ASSERT_TRUE(same(bits(world, all[k]), expected[k])) << k << ' ' << workers;
    }
}

TEST(Crowd, ABodyThatGoesBadIsSetAsideAndNobodyNotices) {
    const Model cape = cloth(12, 10);
    for (const int workers : worker_counts)
        for (const std::size_t bad : {0u, 4u, 8u}) {
            const World healthy = make_world(with(workers)), world = make_world(with(workers));
            std::vector<twang_body> there, here;
            for (int k = 0; k < 9; ++k) {
                there.push_back(join(healthy, {&cape, {0, 11}, k}));
                here.push_back(join(world, {&cape, {0, 11}, k}));
            }
            ASSERT_TRUE(steps(healthy, 12));
            ASSERT_TRUE(steps(world, 3));
            const auto before = bits(world, here[bad]);
            push_to_infinity(world, here[bad]);
            EXPECT_TRUE(fails(TWANG_DIVERGED, "vertex", twang_world_step(world.get())));
            const std::string said = twang_last_error();
            EXPECT_TRUE(same(bits(world, here[bad]), before)) << "rolled back";
            EXPECT_EQ(report(world, here[bad]).enabled, 0);
            EXPECT_EQ(report(world, here[bad]).status, TWANG_DIVERGED);
            twang_report all{};
            ASSERT_TRUE(ok(twang_world_get_report(world.get(), &all)));
            EXPECT_EQ(all.status, TWANG_DIVERGED);
            EXPECT_EQ(all.enabled, 0);
            ASSERT_TRUE(steps(world, 8)) << "the others go on";
            for (std::size_t k = 0; k < 9; ++k)
                if (k != bad) {
                    EXPECT_TRUE(same(bits(world, here[k]), bits(healthy, there[k]))) << k;
                }
            // Alone, it is told the same.
            const World lonely = make_world(with(1));
            const twang_body one = join(lonely, {&cape, {0, 11}, static_cast<int>(bad)});
            ASSERT_TRUE(steps(lonely, 3));
            push_to_infinity(lonely, one);
            EXPECT_TRUE(fails(TWANG_DIVERGED, said, twang_world_step(lonely.get())));
            // And it can come back.
            ASSERT_TRUE(ok(twang_body_reset(world.get(), here[bad])));
            EXPECT_TRUE(steps(world, 2));
            EXPECT_EQ(report(world, here[bad]).steps, 2u);
        }
}

namespace {

struct Seen {
    std::thread::id caller = std::this_thread::get_id();
    int calls = 0, elsewhere = 0;
    std::vector<int> per_body = std::vector<int>(32, 0);
};

void note(void* user, const twang_iteration* iteration) {
    Seen& seen = *static_cast<Seen*>(user);
    ++seen.calls;
    ++seen.per_body[iteration->body.index];
    seen.elsewhere += std::this_thread::get_id() != seen.caller;
}

} // namespace

TEST(Crowd, CallbacksComeOnTheCallersThreadAndChangeNothing) {
    const Model cape = cloth(12, 10), large = cloth(56, 56);
    for (const int workers : worker_counts) {
        const World watched = make_world(with(workers)), quiet = make_world(with(workers));
        std::vector<twang_body> here, there;
        for (int k = 0; k < 10; ++k) {
            const Part part{k == 5 ? &large : &cape, {0, 11}, k};
            here.push_back(join(watched, part));
            there.push_back(join(quiet, part));
        }
        Seen seen;
        ASSERT_TRUE(ok(twang_world_set_iteration_callback(watched.get(), note, &seen)));
        ASSERT_TRUE(steps(watched, 3));
        ASSERT_TRUE(steps(quiet, 3));
        EXPECT_EQ(seen.elsewhere, 0);
        EXPECT_EQ(seen.calls, 3 * 10 * 10) << "steps, bodies, iterations";
        for (int k = 0; k < 10; ++k) {
            EXPECT_EQ(seen.per_body[k], 30) << k;
            EXPECT_TRUE(same(bits(watched, here[k]), bits(quiet, there[k]))) << k;
        }
    }
}

// What a callback throws ends the step of the body it is about, in a crowd as alone.
TEST(Crowd, ACallbackThatThrowsIsAStatusAndTheWorldGoesOn) {
    const Model cape = cloth(12, 10);
    for (const int bodies : {1, 9}) {
        const World world = make_world(with(1));
        std::vector<twang_body> all;
        for (int k = 0; k < bodies; ++k) all.push_back(join(world, {&cape, {0, 11}, k}));
        const auto complain = [](void*, const twang_iteration* iteration) {
            if (iteration->body.index == 0 && iteration->iteration == 2)
                throw std::runtime_error("no more");
        };
        ASSERT_TRUE(ok(twang_world_set_iteration_callback(world.get(), complain, nullptr)));
        EXPECT_TRUE(fails(TWANG_INTERNAL, "no more", twang_world_step(world.get()))) << bodies;
        EXPECT_EQ(report(world, all[0]).enabled, 0);
        ASSERT_TRUE(ok(twang_world_set_iteration_callback(world.get(), nullptr, nullptr)));
        EXPECT_TRUE(steps(world, 2));
        for (int k = 1; k < bodies; ++k) {
            EXPECT_EQ(report(world, all[k]).steps, 3u) << k;
            EXPECT_TRUE(same(bits(world, all[k]), alone({&cape, {0, 11}, k}, with(1), 3))) << k;
        }
    }
}

TEST(Crowd, BodiesMayComeAndGo) {
    const Model cape = cloth(12, 10);
    const World world = make_world(with(3));
    const auto expected = alone({&cape, {0, 11}, 1}, with(1), 20);
    const twang_body watched = join(world, {&cape, {0, 11}, 1});
    std::vector<twang_body> others;
    for (int step = 0; step < 20; ++step) {
        if (step < 10)
            others.push_back(join(world, {&cape, {0, 11}, step}));
        else {
            ASSERT_TRUE(ok(twang_body_destroy(world.get(), others.back())));
            others.pop_back();
        }
        ASSERT_TRUE(steps(world, 1));
    }
    EXPECT_TRUE(same(bits(world, watched), expected));
}
