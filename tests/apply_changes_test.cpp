// apply_changes: a body that is pinned, released and grabbed while it runs moves as one that was
// created so; another factor comes exactly when it is due; all of it with the same bits for any
// number of workers, and with no thread but the caller's where none is allowed.
#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "api_support.hpp"

using namespace api;

namespace {

using Vertices = std::vector<std::uint32_t>;

constexpr int never = 100'000; // refactor_delay: live changes stay live

// Solvers run until they are done, so that what differs is the problem they were given.
std::vector<twang_world_def> converged() {
    std::vector<twang_world_def> defs;
    for (const twang_pin_method method : pin_methods)
        for (const twang_solver solver :
             {TWANG_SOLVER_LOCAL_GLOBAL, TWANG_SOLVER_NEWTON, TWANG_SOLVER_NEWTON_CG}) {
            twang_world_def def = plain(solver);
            def.pin_method = method;
            def.refactor_delay = never;
            def.precision = TWANG_PRECISION_DOUBLE;
            def.solver.iterations = 1000;
            def.solver.tolerance = 1e-9;
            defs.push_back(def);
        }
    return defs;
}

std::string trace(const twang_world_def& def) {
    return std::string(name(def.solver.solver)) +
           (def.pin_method == TWANG_PIN_PENALTY ? ", penalty" : ", elimination");
}

double size(const Model& model) {
    twang_model_info info{};
    EXPECT_TRUE(ok(twang_model_get_info(model.get(), &info)));
    return info.size;
}

double farthest(const std::vector<double>& a, const std::vector<double>& b, std::size_t count) {
    double most = 0.0;
    for (std::size_t i = 0; i < 3 * count; i += 3)
        most = std::max(most, std::hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]));
    return most;
}

testing::AssertionResult move_alike(const Scene& live, const Scene& created) {
    const auto a = positions(live.world, live.body), b = positions(created.world, created.body);
    const double distance = farthest(a, b, a.size() / 3);
    if (distance <= 1e-6 * size(live.model)) return testing::AssertionSuccess();
    return testing::AssertionFailure() << distance << " m apart";
}

int factorings(const Scene& scene) { return precomputation(scene.world, scene.body).factorings; }

double time_step(const World& world) {
    double seconds = 0.0;
    EXPECT_TRUE(ok(twang_world_get_time_step(world.get(), &seconds)));
    return seconds;
}

std::size_t spring_count(const Model& model) {
    twang_model_info info{};
    EXPECT_TRUE(ok(twang_model_get_info(model.get(), &info)));
    return info.springs;
}

twang_status scale_all(const Scene& s, double scale) {
    const std::vector<double> scales(spring_count(s.model), scale);
    return twang_body_scale_stiffness(s.world.get(), s.body, nullptr, scales.data(), scales.size());
}

// Moves both, and the changed one on the factor it began with.
void expect_alike(const Scene& live, const Scene& created) {
    ASSERT_TRUE(steps(live.world, 20));
    ASSERT_TRUE(steps(created.world, 20));
    EXPECT_TRUE(move_alike(live, created));
    EXPECT_EQ(factorings(live), 1);
}

} // namespace

// ---- Live equals created ----------------------------------------------------------------------

TEST(ApplyChanges, PinnedLiveIsAsCreatedPinned) {
    for (const twang_world_def& def : converged()) {
        SCOPED_TRACE(trace(def));
        Scene live(9, 9, def, {0}), created(9, 9, def, {0, 8, 40, 77});
        for (const std::uint32_t vertex : {8u, 40u, 77u})
            ASSERT_TRUE(ok(twang_body_pin(live.world.get(), live.body, vertex)));
        expect_alike(live, created);
    }
}

TEST(ApplyChanges, ReleasedLiveIsAsNeverPinned) {
    for (const twang_world_def& def : converged()) {
        SCOPED_TRACE(trace(def));
        Scene live(9, 9, def, {0, 8, 40, 77}), created(9, 9, def, {0});
        for (const std::uint32_t vertex : {8u, 40u, 77u})
            ASSERT_TRUE(ok(twang_body_unpin(live.world.get(), live.body, vertex)));
        expect_alike(live, created);
    }
}

// Pinned and released again and again, against a body that gets another factor each time.
TEST(ApplyChanges, AnyMixtureIsAsWithAFactorOfItsOwn) {
    for (twang_world_def def : converged()) {
        SCOPED_TRACE(trace(def));
        Scene live(9, 9, def, {0, 4, 8});
        def.refactor_delay = 0;
        Scene fresh(9, 9, def, {0, 4, 8});
        Random random(7);
        for (int step = 0; step < 16; ++step) {
            const std::uint32_t vertex = random.below(81);
            const bool pin = random.below(2) == 0;
            const twang_vec3 off = random.vector(0.002);
            for (const Scene* s : {&live, &fresh}) {
                const twang_vec3 at = position(s->world, s->body, vertex);
                ASSERT_TRUE(ok(pin ? twang_body_pin_at(s->world.get(), s->body, vertex,
                                                       {at.x + off.x, at.y + off.y, at.z + off.z})
                                   : twang_body_unpin(s->world.get(), s->body, vertex)));
                if (step % 5 == 0) {
                    ASSERT_TRUE(ok(twang_body_unpin(s->world.get(), s->body, 4 * (step % 3))));
                }
            }
            ASSERT_TRUE(steps(live.world, 1));
            ASSERT_TRUE(steps(fresh.world, 1));
        }
        EXPECT_TRUE(move_alike(live, fresh));
        EXPECT_EQ(factorings(live), 1);
        EXPECT_GT(factorings(fresh), 1);
    }
}

// A grab is a spring of rest length 0 to a vertex that is pinned at the target.
TEST(ApplyChanges, GrabbedIsAsHeldByASpring) {
    for (const twang_world_def& def : converged()) {
        SCOPED_TRACE(trace(def));
        Scene live(6, 6, def, {0});
        std::vector<double> xyz(3 * 36), masses(36);
        ASSERT_TRUE(ok(twang_model_copy_rest_positions(live.model.get(), xyz.data(), 36)));
        ASSERT_TRUE(ok(twang_model_copy_masses(live.model.get(), masses.data(), 36)));
        std::vector<twang_spring_def> springs(spring_count(live.model));
        ASSERT_TRUE(ok(twang_model_copy_springs(live.model.get(), springs.data(), springs.size())));
        const twang_vec3 target{0.2, -0.1, 0.15};
        xyz.insert(xyz.end(), {target.x, target.y, target.z});
        masses.push_back(1.0);
        twang_spring_def spring;
        spring.a = 35, spring.b = 36, spring.stiffness = 80.0, spring.rest_length = 0.0;
        springs.push_back(spring);
        twang_mesh_def mesh;
        mesh.positions = xyz.data();
        mesh.vertex_count = 37;
        mesh.masses = masses.data();
        mesh.springs = springs.data();
        mesh.spring_count = static_cast<std::uint32_t>(springs.size());
        const Model held = make_model(mesh);
        const World world = make_world(def);
        const twang_body body = add(world, held, {0, 36});

        twang_grab_def grab;
        grab.vertices[0] = 35;
        grab.target = target;
        grab.stiffness = 80.0;
        twang_grab made{};
        ASSERT_TRUE(ok(twang_body_grab(live.world.get(), live.body, &grab, &made)));
        ASSERT_TRUE(steps(live.world, 30));
        ASSERT_TRUE(steps(world, 30));
        EXPECT_LE(farthest(positions(live.world, live.body), positions(world, body), 36),
                  1e-6 * size(live.model));
    }
}

// ---- When another factor is made --------------------------------------------------------------

TEST(ApplyChanges, OnlyManyPinsAskForAnotherFactor) {
    struct Case {
        std::uint32_t pins;
        int before; // steps
        int at_once, later;
    };
    for (const Case c : {Case{16, 0, 1, 1}, Case{17, 0, 1, 2}, Case{48, 0, 1, 2}, Case{49, 0, 2, 2},
                         Case{49, 1, 1, 2}, Case{84, 1, 1, 2}, Case{85, 1, 2, 2}}) {
        twang_world_def def = plain();
        def.refactor_delay = 6;
        Scene s(12, 12, def, {143});
        ASSERT_TRUE(steps(s.world, c.before));
        for (std::uint32_t i = 0; i < c.pins; ++i)
            ASSERT_TRUE(ok(twang_body_pin(s.world.get(), s.body, i)));
        ASSERT_TRUE(steps(s.world, 6));
        EXPECT_EQ(factorings(s), c.at_once) << c.pins;
        ASSERT_TRUE(steps(s.world, 1));
        EXPECT_EQ(factorings(s), c.later) << c.pins;
        ASSERT_TRUE(steps(s.world, 20));
        EXPECT_EQ(factorings(s), c.later) << c.pins << ": no more than that";
    }
}

TEST(ApplyChanges, ManyAtOnceAreAsCreated) {
    Vertices many;
    for (std::uint32_t i = 0; i < 80; i += 1) many.push_back(i * 7 % 144);
    for (twang_world_def def : converged()) {
        SCOPED_TRACE(trace(def));
        Scene live(12, 12, def, {}), created(12, 12, def, many);
        for (const std::uint32_t vertex : many)
            ASSERT_TRUE(ok(twang_body_pin(live.world.get(), live.body, vertex)));
        ASSERT_TRUE(steps(live.world, 10));
        ASSERT_TRUE(steps(created.world, 10));
        EXPECT_TRUE(move_alike(live, created));
        EXPECT_EQ(factorings(live), 2);
    }
}

// Too many to keep a column for each: half of a cloth is pinned, and let go again, in mid-air.
TEST(ApplyChanges, ManyInMidAirAreAsWithAFactorOfTheirOwn) {
    Vertices many;
    for (std::uint32_t i = 0; i < 80; i += 1) many.push_back(i * 7 % 144);
    for (twang_world_def def : converged()) {
        SCOPED_TRACE(trace(def));
        const auto run = [&](int delay, int factors) {
            def.refactor_delay = delay;
            Scene s(12, 12, def, {0});
            EXPECT_TRUE(steps(s.world, 5));
            for (const std::uint32_t vertex : many)
                EXPECT_TRUE(ok(twang_body_pin(s.world.get(), s.body, vertex)));
            EXPECT_TRUE(steps(s.world, 5));
            for (const std::uint32_t vertex : many)
                EXPECT_TRUE(ok(twang_body_unpin(s.world.get(), s.body, vertex)));
            EXPECT_TRUE(steps(s.world, 5));
            EXPECT_EQ(factorings(s), factors);
            return s;
        };
        EXPECT_TRUE(move_alike(run(4, 3), run(0, 3)));
        EXPECT_TRUE(move_alike(run(1000, 1), run(0, 3)));
    }
}

TEST(ApplyChanges, AReleasedPinIsFactoredOutInTime) {
    twang_world_def def = plain();
    def.refactor_delay = 9;
    Scene s(9, 9, def, {0, 8});
    ASSERT_TRUE(ok(twang_body_unpin(s.world.get(), s.body, 8)));
    ASSERT_TRUE(steps(s.world, 9));
    EXPECT_EQ(factorings(s), 1);
    ASSERT_TRUE(steps(s.world, 1));
    EXPECT_EQ(factorings(s), 2);
}

// What changes meanwhile stays live on the factor that is on its way: no other is ordered for it.
TEST(ApplyChanges, APinChangedMeanwhileOrdersNoOtherFactor) {
    twang_world_def def = plain();
    def.refactor_delay = 9;
    Scene s(9, 9, def, {0, 8});
    ASSERT_TRUE(ok(twang_body_unpin(s.world.get(), s.body, 8)));
    ASSERT_TRUE(steps(s.world, 3));
    ASSERT_TRUE(ok(twang_body_pin(s.world.get(), s.body, 40)));
    ASSERT_TRUE(steps(s.world, 40));
    EXPECT_EQ(factorings(s), 2);
    // One that it still holds does ask for another, once it is there.
    ASSERT_TRUE(ok(twang_body_pin(s.world.get(), s.body, 8)));
    ASSERT_TRUE(ok(twang_body_unpin(s.world.get(), s.body, 0)));
    ASSERT_TRUE(steps(s.world, 3));
    ASSERT_TRUE(ok(twang_body_unpin(s.world.get(), s.body, 8)));
    ASSERT_TRUE(steps(s.world, 40));
    EXPECT_EQ(factorings(s), 4);
}

// ---- Time steps -------------------------------------------------------------------------------

TEST(TimeStep, IsTakenExactlyWhenDue) {
    struct Case {
        int delay;
        std::uint32_t columns, rows;
        int steps;
    };
    for (const Case c :
         {Case{0, 5, 5, 0}, Case{1, 5, 5, 1}, Case{20, 5, 5, 20}, Case{TWANG_BY_SIZE, 5, 5, 12},
          Case{TWANG_BY_SIZE, 20, 10, 13}, Case{TWANG_BY_SIZE, 30, 30, 16}}) {
        twang_world_def def = plain();
        def.refactor_delay = c.delay;
        Scene s(c.columns, c.rows, def, {0});
        ASSERT_TRUE(steps(s.world, 3));
        double before = 0.0, after = 0.0;
        ASSERT_TRUE(ok(twang_world_get_time(s.world.get(), &before)));
        ASSERT_TRUE(ok(twang_world_set_time_step(s.world.get(), 0.01)));
        ASSERT_TRUE(steps(s.world, c.steps));
        EXPECT_EQ(time_step(s.world), c.steps > 0 ? 1.0 / 60.0 : 0.01);
        EXPECT_EQ(factorings(s), 1);
        ASSERT_TRUE(steps(s.world, 2));
        EXPECT_EQ(time_step(s.world), 0.01);
        EXPECT_EQ(factorings(s), 2);
        ASSERT_TRUE(ok(twang_world_get_time(s.world.get(), &after)));
        EXPECT_NEAR(after - before, c.steps / 60.0 + 2 * 0.01, 1e-12);
    }
}

TEST(TimeStep, KeepsVelocities) {
    for (const twang_solver solver :
         {TWANG_SOLVER_LOCAL_GLOBAL, TWANG_SOLVER_NEWTON, TWANG_SOLVER_LINEAR}) {
        SCOPED_TRACE(name(solver));
        twang_world_def def = plain(solver);
        def.gravity = {};
        def.refactor_delay = 5;
        Scene s(6, 6, def);
        std::vector<double> v(3 * 36);
        for (std::size_t i = 0; i < v.size(); ++i) v[i] = i % 3 == 0 ? 2.0 : -0.5;
        ASSERT_TRUE(ok(twang_body_set_velocities(s.world.get(), s.body, v.data(), 36)));
        ASSERT_TRUE(ok(twang_world_set_time_step(s.world.get(), 0.004)));
        ASSERT_TRUE(steps(s.world, 20));
        EXPECT_EQ(time_step(s.world), 0.004);
        const auto now = velocities(s.world, s.body);
        for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(now[i], v[i], 1e-5) << i;
        EXPECT_NEAR(position(s.world, s.body, 0).x, 2.0 * (5.0 / 60.0 + 15 * 0.004), 1e-6);
    }
}

TEST(TimeStep, MovesAsAWorldThatAlwaysHadIt) {
    for (twang_world_def def : converged()) {
        SCOPED_TRACE(trace(def));
        def.refactor_delay = 4;
        Scene changed(7, 7, def, {0, 6});
        ASSERT_TRUE(ok(twang_world_set_time_step(changed.world.get(), 0.01)));
        ASSERT_TRUE(steps(changed.world, 4));
        def.time_step = 0.01;
        Scene always(7, 7, def, {0, 6});
        const auto x = positions(changed.world, changed.body),
                   v = velocities(changed.world, changed.body);
        ASSERT_TRUE(ok(twang_body_set_positions(always.world.get(), always.body, x.data(), 49)));
        ASSERT_TRUE(ok(twang_body_set_velocities(always.world.get(), always.body, v.data(), 49)));
        ASSERT_TRUE(steps(changed.world, 20));
        ASSERT_TRUE(steps(always.world, 20));
        EXPECT_TRUE(same(bits(changed.world, changed.body), bits(always.world, always.body)));
    }
}

// Asked for more often than factors can be made: each is taken in its turn, the last one at last.
TEST(TimeStep, AskedForAllTheTimeIsTakenAllTheSame) {
    twang_world_def def = plain();
    def.refactor_delay = 10;
    Scene s(7, 7, def, {0});
    int changes = 0;
    double last = time_step(s.world);
    for (int step = 0; step < 100; ++step) {
        const double wanted = 0.01 + 0.001 * (step / 7 % 5);
        ASSERT_TRUE(ok(twang_world_set_time_step(s.world.get(), wanted)));
        ASSERT_TRUE(steps(s.world, 1));
        if (time_step(s.world) != last) ++changes;
        last = time_step(s.world);
    }
    EXPECT_GE(changes, 8);
    ASSERT_TRUE(ok(twang_world_set_time_step(s.world.get(), 0.02)));
    ASSERT_TRUE(steps(s.world, 25));
    EXPECT_EQ(time_step(s.world), 0.02);
}

// Ordered, thought better of, and then something else: nothing is lost and nothing comes early.
TEST(TimeStep, SetBackBeforeItIsDueLeavesNoTrace) {
    twang_world_def def = plain();
    def.refactor_delay = 10;
    Scene wavering(7, 7, def, {0}), steady(7, 7, def, {0});
    ASSERT_TRUE(ok(twang_world_set_time_step(wavering.world.get(), 0.01)));
    ASSERT_TRUE(steps(wavering.world, 3));
    ASSERT_TRUE(ok(twang_world_set_time_step(wavering.world.get(), 1.0 / 60.0)));
    ASSERT_TRUE(steps(wavering.world, 17));
    ASSERT_TRUE(steps(steady.world, 20));
    for (const Scene* s : {&wavering, &steady}) {
        ASSERT_TRUE(ok(scale_all(*s, 0.25)));
        ASSERT_TRUE(steps(s->world, 25));
        EXPECT_EQ(factorings(*s), 2) << "the stiffness was taken";
    }
    EXPECT_TRUE(same(bits(wavering.world, wavering.body), bits(steady.world, steady.body)));
    for (const Scene* s : {&wavering, &steady}) {
        ASSERT_TRUE(ok(twang_world_set_time_step(s->world.get(), 0.01)));
        ASSERT_TRUE(steps(s->world, 10));
        EXPECT_EQ(time_step(s->world), 1.0 / 60.0) << "due in the next step";
        ASSERT_TRUE(steps(s->world, 10));
        EXPECT_EQ(time_step(s->world), 0.01);
    }
    EXPECT_TRUE(same(bits(wavering.world, wavering.body), bits(steady.world, steady.body)));
}

TEST(TimeStep, SetBackKeepsAStiffnessThatWasOrderedWithIt) {
    twang_world_def def = plain();
    def.refactor_delay = 6;
    Scene s(7, 7, def, {0}), stiff(7, 7, def, {0});
    ASSERT_TRUE(ok(scale_all(s, 4.0)));
    ASSERT_TRUE(ok(twang_world_set_time_step(s.world.get(), 0.01)));
    ASSERT_TRUE(steps(s.world, 2));
    ASSERT_TRUE(ok(twang_world_set_time_step(s.world.get(), 1.0 / 60.0)));
    ASSERT_TRUE(steps(s.world, 30));
    EXPECT_EQ(factorings(s), 2);
    ASSERT_TRUE(ok(scale_all(stiff, 4.0)));
    ASSERT_TRUE(steps(stiff.world, 32));
    // Much stiffer than it was, at the same pose: the energies tell.
    const auto x = positions(s.world, s.body);
    ASSERT_TRUE(ok(twang_body_set_positions(stiff.world.get(), stiff.body, x.data(), 49)));
    EXPECT_EQ(measures(s.world, s.body).elastic_energy,
              measures(stiff.world, stiff.body).elastic_energy);
}

// ---- Workers ----------------------------------------------------------------------------------

namespace {

// Pins, a cut, stiffness and another time step, all while factors are being made.
std::vector<std::uint64_t> eventful(int workers, std::uint32_t side, int delay) {
    twang_world_def def = plain();
    def.workers = workers;
    def.refactor_delay = delay;
    def.solver.iterations = 4;
    Scene s(side, side, def, {0, side - 1});
    twang_world* w = s.world.get();
    for (int step = 0; step < 40; ++step) {
        if (step == 2) {
            for (std::uint32_t k = 0; k < 20; ++k)
                EXPECT_TRUE(ok(twang_body_pin(w, s.body, side + k)));
        }
        if (step == 5) {
            const twang_vec3 c = measures(s.world, s.body).centre;
            const twang_blade_def blade{{c.x, c.y, -9}, {c.x + 9, c.y, -9}, {0, 0, 18}};
            std::uint32_t broken = 0;
            EXPECT_TRUE(ok(twang_body_cut(w, s.body, &blade, &broken)));
            EXPECT_GT(broken, 10u);
            EXPECT_TRUE(ok(twang_body_set_tear_strain(w, s.body, 0.4)));
        }
        if (step == 9) {
            EXPECT_TRUE(ok(scale_all(s, 0.8)));
        }
        if (step == 14) {
            EXPECT_TRUE(ok(twang_world_set_time_step(w, 0.012)));
        }
        if (step == 17) {
            for (std::uint32_t k = 0; k < 5; ++k)
                EXPECT_TRUE(ok(twang_body_unpin(w, s.body, side + k)));
        }
        if (step == 20) {
            twang_grab_def grab;
            grab.vertices[0] = side * side - 1;
            grab.target = {0.1, 0.0, 0.4};
            twang_grab made{};
            EXPECT_TRUE(ok(twang_body_grab(w, s.body, &grab, &made)));
        }
        EXPECT_TRUE(steps(s.world, 1));
    }
    EXPECT_EQ(time_step(s.world), 0.012);
    EXPECT_GE(factorings(s), 4);
    std::uint32_t broken = 0;
    EXPECT_TRUE(ok(twang_body_broken_springs(w, s.body, &broken)));
    auto words = bits(s.world, s.body);
    words.push_back(broken);
    return words;
}

} // namespace

TEST(ApplyChanges, HasTheSameBitsForAnyWorkersThroughEverything) {
    for (const std::uint32_t side : {24u, sanitized ? 24u : 60u}) {
        const auto alone = eventful(1, side, 7);
        for (const int workers : {0, 2, 4})
            EXPECT_TRUE(same(eventful(workers, side, 7), alone)) << side << ' ' << workers;
    }
    const auto at_once = eventful(1, 24, 0);
    EXPECT_FALSE(same(at_once, eventful(1, 24, 7)));
    EXPECT_TRUE(same(at_once, eventful(0, 24, 0)));
    EXPECT_TRUE(same(at_once, eventful(4, 24, 0)));
}

TEST(ApplyChanges, WhenReadyTakesItAsSoonAsItIsThere) {
    for (const int workers : {0, 1, 2}) {
        twang_world_def def = plain();
        def.workers = workers;
        def.refactor_delay = TWANG_WHEN_READY;
        Scene s(10, 10, def, {0});
        ASSERT_TRUE(ok(scale_all(s, 2.0)));
        for (int k = 0; k < 2000 && factorings(s) < 2; ++k) {
            ASSERT_TRUE(steps(s.world, 1));
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        EXPECT_EQ(factorings(s), 2) << workers;
        ASSERT_TRUE(ok(twang_world_set_time_step(s.world.get(), 0.01)));
        for (int k = 0; k < 2000 && time_step(s.world) != 0.01; ++k) {
            ASSERT_TRUE(steps(s.world, 1));
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        EXPECT_EQ(time_step(s.world), 0.01) << workers;
    }
}

TEST(ApplyChanges, DelaysThatMeanNothingAreRefused) {
    twang_world_def def;
    def.refactor_delay = -3;
    twang_world* world = nullptr;
    EXPECT_TRUE(fails(TWANG_OUT_OF_RANGE, "-3", twang_world_create(&def, &world)));
    EXPECT_EQ(world, nullptr);
}

#if defined(__linux__)
TEST(ApplyChanges, ThreadsAreNoMoreThanAllowed) {
    const auto threads = [] {
        const std::filesystem::directory_iterator tasks("/proc/self/task");
        return std::distance(begin(tasks), end(tasks));
    };
    const auto here = threads();
    for (const int workers : {0, 1, 4}) {
        twang_world_def def = plain();
        def.workers = workers;
        def.refactor_delay = 3;
        Scene s(10, 10, def, {0});
        const auto allowed = here + workers; // the caller's is one; one behind them, from 1 on
        EXPECT_EQ(threads(), allowed);
        ASSERT_TRUE(ok(scale_all(s, 2.0)));
        for (int step = 0; step < 6; ++step) {
            ASSERT_TRUE(steps(s.world, 1));
            EXPECT_EQ(threads(), allowed) << "none is started in a frame";
        }
        EXPECT_EQ(factorings(s), 2);
    }
    for (int wait = 0; wait < 1000 && threads() != here; ++wait)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(threads(), here) << "all of them have ended";
}
#endif
