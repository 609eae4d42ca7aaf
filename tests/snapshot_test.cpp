// snapshot: restoring gives back the same bits, now and 300 steps on, whatever the number of
// workers; what is truncated, corrupt, of another version or of other models is refused with
// nothing changed.
#include "snapshot.hpp"

#include <cmath>
#include <functional>
#include <span>

#include "api_support.hpp"

using namespace api;

namespace {

// Where the header has its times: after magic, version, counts, size, checksum, setup and steps.
constexpr std::size_t times_begin = 64, times_end = 96;

// Two bodies, a collider, queued pins and forces, time left over: everything a snapshot holds.
struct Rich {
    Model flag, rope;
    World world;
    twang_body a, b;
    twang_collider ball{};
    explicit Rich(const twang_world_def& def, std::uint32_t columns = 7)
        : flag(cloth(columns, 5)),
          rope(cloth(9, 1)),
          world(make_world(def)),
          a(add(world, flag, {0})),
          b(add(world, rope, {0, 8})) {
        twang_collider_def shape;
        shape.centre = {0.1, -0.25, 0.0};
        shape.radius = 0.08;
        EXPECT_TRUE(ok(twang_collider_create(world.get(), &shape, &ball)));
        EXPECT_TRUE(ok(twang_world_set_wind(world.get(), {0.3, 0.0, 2.0}, 0.5)));
    }
    void disturb() {
        EXPECT_TRUE(ok(twang_world_advance(world.get(), 20.3 / 60.0, nullptr, nullptr)));
        EXPECT_TRUE(ok(twang_body_pin_at(world.get(), a, 6, {0.2, 0.1, 0.1})));
        EXPECT_TRUE(ok(twang_body_unpin(world.get(), b, 8)));
        EXPECT_TRUE(ok(twang_body_add_force(world.get(), a, 20, {0.0, 0.2, -0.1})));
        EXPECT_TRUE(ok(twang_collider_move_to(world.get(), ball, {0.1, -0.2, 0.01})));
    }
    std::vector<std::uint64_t> state() const {
        auto words = bits(world, a);
        for (const std::uint64_t word : bits(world, b)) words.push_back(word);
        return words;
    }
};

twang_status restore(const World& world, const std::vector<std::byte>& bytes) {
    return twang_world_restore(world.get(), bytes.data(), bytes.size());
}

// Refuses `bytes` with one of the snapshot statuses and leaves the world as it is.
testing::AssertionResult refuses(const World& world, const std::vector<std::byte>& bytes) {
    const auto before = snapshot(world);
    const twang_status status = restore(world, bytes);
    if (status != TWANG_BAD_SNAPSHOT && status != TWANG_VERSION_MISMATCH &&
        status != TWANG_MESH_MISMATCH)
        return is(TWANG_BAD_SNAPSHOT, status);
    if (snapshot(world) != before) return testing::AssertionFailure() << "world changed";
    return testing::AssertionSuccess();
}

} // namespace

TEST(Snapshot, RestoresTheSameBitsAndTheSameFuture) {
    for (const twang_solver solver : every_solver) {
        SCOPED_TRACE(name(solver));
        twang_world_def def = plain(solver);
        if (solver == TWANG_SYMPLECTIC) def.time_step = 1e-4;
        Rich rich(def);
        rich.disturb();
        const auto saved = snapshot(rich.world);
        const auto then = rich.state();
        const int count = solver == TWANG_STATIC ? 3 : sanitized ? 30 : 300;
        ASSERT_TRUE(steps(rich.world, count));
        const auto future = rich.state();
        EXPECT_FALSE(same(future, then));

        ASSERT_TRUE(ok(restore(rich.world, saved)));
        EXPECT_TRUE(same(rich.state(), then));
        EXPECT_TRUE(snapshot(rich.world) == saved);
        ASSERT_TRUE(steps(rich.world, count));
        EXPECT_TRUE(same(rich.state(), future));
    }
}

TEST(Snapshot, FitsAWorldBuiltByTheSameCallsWithAnyNumberOfWorkers) {
    // Large enough to be shared out among the workers.
    const auto scene = [](int workers) {
        twang_world_def def = plain();
        def.workers = workers;
        def.solver.iterations = 1;
        return Scene(46, 46, def, {0, 45});
    };
    Scene one = scene(1);
    ASSERT_TRUE(steps(one.world, 10));
    const auto saved = snapshot(one.world);
    const int count = sanitized ? 30 : 300;
    ASSERT_TRUE(steps(one.world, count));
    Scene two = scene(2);
    ASSERT_TRUE(ok(restore(two.world, saved)));
    ASSERT_TRUE(steps(two.world, count));
    EXPECT_TRUE(same(bits(two.world, two.body), bits(one.world, one.body)));
}

TEST(Snapshot, BringsBackPinsForcesTimeAndColliders) {
    twang_world_def def = plain();
    def.refactor_delay = 0;
    Rich rich(def), fresh(def);
    rich.disturb();
    ASSERT_TRUE(ok(twang_world_set_time_step(rich.world.get(), 0.01)));
    const auto saved = snapshot(rich.world);
    ASSERT_TRUE(ok(restore(fresh.world, saved)));
    EXPECT_TRUE(snapshot(fresh.world) == saved);
    EXPECT_TRUE(pinned(fresh.world, fresh.a, 6));
    EXPECT_FALSE(pinned(fresh.world, fresh.b, 8));
    double h = 0.0;
    ASSERT_TRUE(ok(twang_world_get_time_step(fresh.world.get(), &h)));
    EXPECT_EQ(h, 0.01);
    EXPECT_EQ(report(fresh.world, fresh.a).steps, report(rich.world, rich.a).steps);
    std::int32_t one = 0, other = 0;
    ASSERT_TRUE(ok(twang_world_advance(rich.world.get(), 0.005, &one, nullptr)));
    ASSERT_TRUE(ok(twang_world_advance(fresh.world.get(), 0.005, &other, nullptr)));
    EXPECT_EQ(one, 1) << "5 ms and what was left over";
    EXPECT_EQ(other, one);
    EXPECT_TRUE(same(fresh.state(), rich.state()));
}

// A closed surface and a cloth, everything about them set.
struct Furnished {
    Model gem, flag;
    World world = make_world(plain());
    twang_body a, b;

    Furnished()
        : gem(octahedron()), flag(cloth(6, 6)), a(add(world, gem)), b(add(world, flag, {0, 5})) {
        set(0.9, {0.0, -9.0, 0.5}, {0.5, 0.0, 1.0});
        EXPECT_TRUE(steps(world, 20));
    }
    static Model octahedron() {
        const double xyz[] = {0.5, 1, 0, -0.5, 1, 0, 0, 1.5, 0, 0, 0.5, 0, 0, 1, 0.5, 0, 1, -0.5};
        const std::uint32_t triangles[] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                           2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
        twang_mesh_def def;
        def.positions = xyz;
        def.vertex_count = 6;
        def.triangles = triangles;
        def.triangle_count = 8;
        return make_model(def);
    }
    void set(double scale, twang_vec3 gravity, twang_vec3 wind) {
        twang_world* w = world.get();
        EXPECT_TRUE(ok(twang_body_set_pressure(w, a, 30.0 * scale)));
        EXPECT_TRUE(ok(twang_body_set_gravity_scale(w, b, scale)));
        EXPECT_TRUE(ok(twang_body_set_max_strain(w, b, 0.01 * scale, 3)));
        EXPECT_TRUE(ok(twang_body_set_particles(w, a, 0.02 * scale, 0.2 * scale)));
        EXPECT_TRUE(ok(twang_body_set_particles(w, b, 0.02 * scale, 0.2 * scale)));
        EXPECT_TRUE(ok(twang_world_set_gravity(w, gravity)));
        twang_air_def air;
        air.velocity = wind;
        air.drag = air.lift = scale;
        air.gusts = scale;
        EXPECT_TRUE(ok(twang_world_set_air(w, &air)));
    }
    std::uint64_t hash() const {
        std::uint64_t value = 0;
        EXPECT_TRUE(ok(twang_world_get_hash(world.get(), &value)));
        return value;
    }
    double pulled() const {
        twang_vec3 force{};
        EXPECT_TRUE(ok(twang_body_pin_force(world.get(), b, nullptr, 0, {}, &force, nullptr)));
        return force.y;
    }
};

TEST(Snapshot, BringsBackWhatWasSetAndWhatPinsBear) {
    // Each of them by itself would show.
    const std::function<twang_status(Furnished&)> changes[] = {
        [](Furnished& f) { return twang_body_set_pressure(f.world.get(), f.a, 3.0); },
        [](Furnished& f) { return twang_body_set_gravity_scale(f.world.get(), f.b, 2.0); },
        [](Furnished& f) { return twang_body_set_max_strain(f.world.get(), f.b, 0.0, 3); },
        [](Furnished& f) { return twang_body_set_max_strain(f.world.get(), f.b, 0.009, 7); },
        [](Furnished& f) { return twang_body_set_particles(f.world.get(), f.b, 2.0, 0.2); },
        [](Furnished& f) {
            return twang_world_set_gravity(f.world.get(), {1.0, 2.0, 3.0});
        },
        [](Furnished& f) {
            return twang_world_set_wind(f.world.get(), {9.0, 0.0, 0.0}, 2.0);
        },
    };
    Furnished steady;
    ASSERT_TRUE(steps(steady.world, 20));
    for (std::size_t k = 0; k < std::size(changes); ++k) {
        SCOPED_TRACE(k);
        Furnished f, fresh;
        const auto saved = snapshot(f.world);
        const double pulled = f.pulled();
        EXPECT_LT(pulled, 0.0);
        ASSERT_TRUE(ok(changes[k](f)));
        ASSERT_TRUE(steps(f.world, 20));
        EXPECT_NE(f.hash(), steady.hash());
        EXPECT_NE(f.pulled(), pulled);
        ASSERT_TRUE(ok(changes[k](fresh)));
        for (Furnished* each : {&f, &fresh}) {
            ASSERT_TRUE(ok(restore(each->world, saved)));
            EXPECT_EQ(each->pulled(), pulled);
            EXPECT_TRUE(snapshot(each->world) == saved);
            ASSERT_TRUE(steps(each->world, 20));
            EXPECT_EQ(each->hash(), steady.hash());
        }
    }
}

TEST(Snapshot, OfOtherDefinitionsIsRefused) {
    const auto world_like = [](const std::function<void(twang_world_def&)>& change,
                               twang_energy energy = TWANG_HOOKE, double radius = 0.2) {
        twang_world_def def = plain();
        change(def);
        World world = make_world(def);
        twang_body_def body;
        const twang_solver_def newton = solver_def(TWANG_NEWTON);
        body.energy = energy;
        body.solver = &newton;
        twang_body handle;
        EXPECT_TRUE(ok(twang_body_create(world.get(), cloth(5, 5).get(), &body, &handle)));
        twang_collider_def ball;
        ball.centre = {5.0, 0.0, 0.0};
        ball.radius = radius;
        twang_collider collider;
        EXPECT_TRUE(ok(twang_collider_create(world.get(), &ball, &collider)));
        EXPECT_TRUE(steps(world, 2));
        return world;
    };
    const auto unchanged = [](twang_world_def&) {};
    const auto saved = snapshot(world_like(unchanged));
    EXPECT_TRUE(ok(restore(world_like([](auto& d) { d.workers = 3; }), saved)));
    const World others[] = {world_like(unchanged, TWANG_STVK),
                            world_like(unchanged, TWANG_HOOKE, 0.01),
                            world_like([](auto& d) { d.substeps = 2; }),
                            world_like([](auto& d) { d.precision = TWANG_DOUBLE; }),
                            world_like([](auto& d) { d.arithmetic = TWANG_PORTABLE; }),
                            world_like([](auto& d) { d.pin_method = TWANG_PIN_ELIMINATION; }),
                            world_like([](auto& d) { d.damping = 0.5; })};
    for (const World& other : others) {
        EXPECT_TRUE(refuses(other, saved)) << &other - others;
        EXPECT_TRUE(fails(TWANG_MESH_MISMATCH, "definitions", restore(other, saved)));
    }
}

TEST(Snapshot, FloatsAreFreshAfterARestore) {
    Rich rich(plain());
    const auto saved = snapshot(rich.world);
    const float begin = twang_body_positions(rich.world.get(), rich.a)[3 * 30 + 1];
    ASSERT_TRUE(steps(rich.world, 30));
    EXPECT_NE(twang_body_positions(rich.world.get(), rich.a)[3 * 30 + 1], begin);
    ASSERT_TRUE(ok(restore(rich.world, saved)));
    EXPECT_EQ(twang_body_positions(rich.world.get(), rich.a)[3 * 30 + 1], begin);
}

TEST(Snapshot, RemembersABodyThatWasSetAsideAndRevivesOneThatWasNot) {
    Rich rich(plain());
    const auto healthy = snapshot(rich.world);
    for (int i = 0; i < 2; ++i)
        ASSERT_TRUE(ok(twang_body_add_force(rich.world.get(), rich.a, 0, {0.0, 1e308, 0.0})));
    for (int i = 0; i < 2; ++i)
        ASSERT_TRUE(ok(twang_body_add_force(rich.world.get(), rich.a, 9, {0.0, 1e308, 0.0})));
    EXPECT_TRUE(is(TWANG_DIVERGED, twang_world_step(rich.world.get())));
    const auto broken = snapshot(rich.world);
    ASSERT_TRUE(ok(restore(rich.world, healthy)));
    EXPECT_EQ(report(rich.world, rich.a).enabled, 1);
    Rich fresh(plain());
    ASSERT_TRUE(steps(rich.world, 20));
    ASSERT_TRUE(steps(fresh.world, 20));
    EXPECT_TRUE(same(rich.state(), fresh.state()));
    ASSERT_TRUE(ok(restore(rich.world, broken)));
    EXPECT_EQ(report(rich.world, rich.a).enabled, 0);
    EXPECT_EQ(report(rich.world, rich.a).status, TWANG_DIVERGED);
}

TEST(Snapshot, TruncatedAtAnyLengthIsRefused) {
    Rich rich(plain());
    rich.disturb();
    const auto saved = snapshot(rich.world);
    ASSERT_TRUE(steps(rich.world, 3));
    for (std::size_t length = 1; length < saved.size();
         length += length < 200 || length + 200 > saved.size() ? 1 : 61)
        ASSERT_TRUE(refuses(rich.world, {saved.begin(), saved.begin() + length})) << length;
    auto longer = saved;
    longer.resize(saved.size() + 8);
    EXPECT_TRUE(refuses(rich.world, longer));
    EXPECT_TRUE(fails(TWANG_BAD_SNAPSHOT, "0 bytes", twang_world_restore(rich.world.get(), "", 0)));
    EXPECT_TRUE(ok(restore(rich.world, saved))) << "the whole one still fits";
}

TEST(Snapshot, ACorruptByteAnywhereIsRefused) {
    Rich rich(plain());
    rich.disturb();
    const auto saved = snapshot(rich.world);
    ASSERT_TRUE(steps(rich.world, 3));
    std::string accepted; // one line for all of them
    for (std::size_t at = 0; at < saved.size(); at += at < 200 ? 1 : 7)
        for (const int flip : {0x01, 0x80}) {
            auto corrupt = saved;
            corrupt[at] ^= static_cast<std::byte>(flip);
            if (!refuses(rich.world, corrupt)) accepted.append(" ").append(std::to_string(at));
        }
    EXPECT_EQ(accepted, "") << "bytes";
    ASSERT_TRUE(ok(restore(rich.world, saved)));
}

TEST(Snapshot, TimesThatAreNoTimesAreRefused) {
    Rich rich(plain());
    const auto saved = snapshot(rich.world);
    for (std::size_t at = times_begin; at < times_end; at += 8) // steps, left over
        for (const double value : {not_a_number, infinite, -1.0}) {
            auto corrupt = saved;
            std::memcpy(&corrupt[at], &value, sizeof value);
            EXPECT_TRUE(refuses(rich.world, corrupt)) << "byte " << at << ": " << value;
        }
}

TEST(Snapshot, OfAnotherVersionIsRefused) {
    Rich rich(plain());
    auto bytes = snapshot(rich.world);
    for (const int version : {99, 3, 2, 1, 0}) {
        bytes[8] = static_cast<std::byte>(version); // after the magic number
        EXPECT_TRUE(refuses(rich.world, bytes));
        EXPECT_TRUE(fails(TWANG_VERSION_MISMATCH, std::to_string(version).c_str(),
                          restore(rich.world, bytes)));
    }
    bytes[0] = std::byte{'X'};
    EXPECT_TRUE(is(TWANG_BAD_SNAPSHOT, restore(rich.world, bytes)));
}

TEST(Snapshot, OfOtherModelsIsRefused) {
    Rich rich(plain()), wider(plain(), 8);
    EXPECT_TRUE(refuses(rich.world, snapshot(wider.world)));
    EXPECT_TRUE(is(TWANG_MESH_MISMATCH, restore(rich.world, snapshot(wider.world))));

    // The same number of vertices, one stiffness differs.
    Scene s(4, 4);
    twang_cloth_def def;
    def.columns = def.rows = 4;
    def.bend = 101.0;
    const Model other_model = make_model(def);
    const World other = make_world(plain());
    add(other, other_model);
    const auto before = snapshot(s.world);
    EXPECT_TRUE(fails(TWANG_MESH_MISMATCH, "models", restore(s.world, snapshot(other))));
    EXPECT_TRUE(snapshot(s.world) == before);
}

TEST(Snapshot, OfAnotherNumberOfBodiesOrCollidersIsRefused) {
    Rich rich(plain()), more(plain()), fewer(plain()), moved(plain()), bare(plain());
    add(more.world, more.rope);
    EXPECT_TRUE(refuses(rich.world, snapshot(more.world)));
    EXPECT_TRUE(is(TWANG_MESH_MISMATCH, restore(rich.world, snapshot(more.world))));
    ASSERT_TRUE(ok(twang_body_destroy(fewer.world.get(), fewer.b)));
    EXPECT_TRUE(is(TWANG_MESH_MISMATCH, restore(rich.world, snapshot(fewer.world))));
    ASSERT_TRUE(ok(twang_body_destroy(moved.world.get(), moved.a)));
    ASSERT_TRUE(ok(twang_body_destroy(moved.world.get(), moved.b)));
    add(moved.world, moved.rope); // the same bodies in the other order
    add(moved.world, moved.flag);
    EXPECT_TRUE(is(TWANG_MESH_MISMATCH, restore(rich.world, snapshot(moved.world))));
    ASSERT_TRUE(ok(twang_collider_destroy(bare.world.get(), bare.ball)));
    EXPECT_TRUE(is(TWANG_MESH_MISMATCH, restore(rich.world, snapshot(bare.world))));
}

TEST(Snapshot, NeedsABufferOfItsSize) {
    Rich rich(plain());
    std::size_t bytes = 0;
    ASSERT_TRUE(ok(twang_world_snapshot_size(rich.world.get(), &bytes)));
    std::vector<std::byte> buffer(bytes + 16, std::byte{0xAB});
    EXPECT_TRUE(fails(TWANG_OUT_OF_RANGE, std::to_string(bytes - 1),
                      twang_world_save(rich.world.get(), buffer.data(), bytes - 1)));
    EXPECT_EQ(buffer[0], std::byte{0xAB}) << "untouched";
    ASSERT_TRUE(ok(twang_world_save(rich.world.get(), buffer.data(), buffer.size())));
    EXPECT_EQ(buffer[bytes], std::byte{0xAB}) << "not a byte more than it needs";
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_world_save(rich.world.get(), nullptr, bytes)));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_world_restore(rich.world.get(), nullptr, bytes)));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_world_snapshot_size(rich.world.get(), nullptr)));
}

// ---- In the middle of changes -----------------------------------------------------------------

namespace {

// Two bodies that are pinned, released, cut, stiffened and grabbed, and another time step: with
// these delays nearly every step has a factor under way.
struct Eventful {
    static constexpr std::uint32_t side = 16;
    static constexpr int last = 36;
    Model flag, rope;
    World world;
    twang_body a, b;
    twang_grab grab{};

    static twang_world_def def(int workers) {
        twang_world_def def = plain();
        def.workers = workers;
        def.refactor_delay = 6;
        def.solver.iterations = 4;
        return def;
    }
    explicit Eventful(int workers)
        : flag(cloth(side, side)),
          rope(cloth(30, 1)),
          world(make_world(def(workers))),
          a(add(world, flag, {0, side - 1})),
          b(add(world, rope, {0, 29})) {}

    // What the caller does before a step.
    void act(int step) {
        twang_world* w = world.get();
        const std::uint32_t springs[] = {3, 4, 5, 6};
        const double scales[] = {0.5, 2.0, 3.0, 0.7};
        switch (step) {
        case 2:
            for (std::uint32_t k = 0; k < 20; ++k)
                EXPECT_TRUE(ok(twang_body_pin(w, a, 2 * side + k)));
            break;
        case 4: {
            const twang_blade_def blade{{-9, -0.2, -9}, {9, -0.2, -9}, {0, 0, 18}};
            std::uint32_t broken = 0;
            EXPECT_TRUE(ok(twang_body_cut(w, a, &blade, &broken)));
            EXPECT_GT(broken, 20u);
            break;
        }
        case 6:
            EXPECT_TRUE(ok(twang_body_scale_stiffness(w, b, springs, scales, 4)));
            EXPECT_TRUE(ok(twang_body_scale_rest_lengths(w, a, springs, scales, 4)));
            break;
        case 8: {
            twang_grab_def def;
            def.vertices[0] = side * side - 1;
            def.target = {0.2, -0.4, 0.3};
            EXPECT_TRUE(ok(twang_body_grab(w, a, &def, &grab)));
            break;
        }
        case 11: EXPECT_TRUE(ok(twang_world_set_time_step(w, 0.012))); break;
        case 14: EXPECT_TRUE(ok(twang_body_unpin(w, a, 0))); break;
        case 19: EXPECT_TRUE(ok(twang_body_scale_stiffness(w, a, springs, scales, 4))); break;
        case 20: EXPECT_TRUE(ok(twang_body_set_tear_strain(w, a, 0.3))); break;
        case 22: EXPECT_TRUE(ok(twang_body_move_grab(w, a, grab, {0.5, 0.0, 0.5}))); break;
        case 25: EXPECT_TRUE(ok(twang_body_reset(w, b))); break;
        case 28: EXPECT_TRUE(ok(twang_body_release(w, a, grab))); break;
        case 30: EXPECT_TRUE(ok(twang_world_set_time_step(w, 0.02))); break;
        }
    }
    // From before step `begin`, with or without what the caller does there.
    void go(int begin, int end, bool acted = false) {
        for (int step = begin; step < end; ++step) {
            if (step > begin || !acted) act(step);
            EXPECT_TRUE(steps(world, 1));
        }
    }
    std::vector<std::uint64_t> state() const {
        auto words = bits(world, a);
        for (const std::uint64_t word : bits(world, b)) words.push_back(word);
        std::uint32_t broken = 0;
        EXPECT_TRUE(ok(twang_body_broken_springs(world.get(), a, &broken)));
        words.push_back(broken);
        return words;
    }
};

std::uint64_t world_hash(const World& world) {
    std::uint64_t hash = 0;
    EXPECT_TRUE(ok(twang_world_get_hash(world.get(), &hash)));
    return hash;
}

} // namespace

TEST(Snapshot, InTheMiddleOfChangesGoesOnWithTheSameBits) {
    for (const bool acted : {false, true})
        for (int at = 1; at < Eventful::last; ++at) {
            Eventful first(1);
            first.go(0, at);
            if (acted) first.act(at);
            const auto saved = snapshot(first.world);
            const auto then = first.state();
            first.go(at, Eventful::last, acted);
            const auto future = first.state();

            ASSERT_TRUE(ok(restore(first.world, saved)));
            ASSERT_TRUE(same(first.state(), then)) << at;
            first.go(at, Eventful::last, acted);
            ASSERT_TRUE(same(first.state(), future)) << at << acted << " in the same world";

            Eventful other(at % 3 == 0 ? 0 : at % 3 + 1);
            ASSERT_TRUE(ok(restore(other.world, saved)));
            ASSERT_TRUE(same(other.state(), then)) << at;
            ASSERT_TRUE(snapshot(other.world) == saved) << at;
            other.grab = first.grab;
            other.go(at, Eventful::last, acted);
            ASSERT_TRUE(same(other.state(), future)) << at << acted << " in another world";
        }
}

// Rollback as netcode does it: a few steps back, again and again.
TEST(Snapshot, RollingBackEveryStepChangesNothing) {
    Eventful straight(1), rolling(2);
    straight.go(0, Eventful::last);
    std::vector<std::pair<std::vector<std::byte>, twang_grab>> history; // handles belong to them
    for (int step = 0; step < Eventful::last; ++step) {
        history.emplace_back(snapshot(rolling.world), rolling.grab);
        rolling.go(step, step + 1);
        const int back = std::max(0, step - 4);
        ASSERT_TRUE(ok(restore(rolling.world, history[back].first)));
        rolling.grab = history[back].second;
        rolling.go(back, step + 1);
    }
    EXPECT_TRUE(same(rolling.state(), straight.state()));
}

TEST(Snapshot, OfChangesTruncatedOrCorruptIsRefused) {
    Eventful scene(1);
    scene.go(0, 13); // torn, stiffened, grabbed, a time step ordered
    const auto saved = snapshot(scene.world);
    scene.go(13, 15);
    for (std::size_t length = 1; length < saved.size(); length += length < 300 ? 1 : 401)
        ASSERT_TRUE(refuses(scene.world, {saved.begin(), saved.begin() + length})) << length;
    for (std::size_t at = 0; at < saved.size(); at += at < 300 ? 1 : 97) {
        auto corrupt = saved;
        corrupt[at] ^= std::byte{0x10};
        ASSERT_TRUE(refuses(scene.world, corrupt)) << at;
    }
    EXPECT_TRUE(ok(restore(scene.world, saved)));
}

TEST(Snapshot, GrabHandlesGoBackWithIt) {
    Scene s(4, 4);
    twang_grab_def def;
    twang_grab first{}, second{};
    const auto free = snapshot(s.world);
    ASSERT_TRUE(ok(twang_body_grab(s.world.get(), s.body, &def, &first)));
    const auto held = snapshot(s.world);
    ASSERT_TRUE(ok(twang_body_grab(s.world.get(), s.body, &def, &second)));
    ASSERT_TRUE(ok(twang_body_release(s.world.get(), s.body, first)));
    ASSERT_TRUE(ok(restore(s.world, held)));
    EXPECT_TRUE(ok(twang_body_move_grab(s.world.get(), s.body, first, {})));
    EXPECT_TRUE(is(TWANG_STALE_HANDLE, twang_body_move_grab(s.world.get(), s.body, second, {})));
    ASSERT_TRUE(ok(restore(s.world, free)));
    EXPECT_TRUE(is(TWANG_STALE_HANDLE, twang_body_move_grab(s.world.get(), s.body, first, {})));
}

// Played again from a snapshot, the same calls get the same handles.
TEST(Snapshot, GrabHandlesRepeat) {
    Scene s(4, 4), other(4, 4);
    const auto play = [](const Scene& scene) {
        twang_grab_def def;
        std::vector<std::uint32_t> handles;
        twang_grab grabs[3];
        for (twang_grab& grab : grabs) {
            EXPECT_TRUE(ok(twang_body_grab(scene.world.get(), scene.body, &def, &grab)));
            EXPECT_TRUE(ok(twang_body_move_grab(scene.world.get(), scene.body, grab, {})));
            handles.insert(handles.end(), {grab.index, grab.generation});
        }
        for (const int k : {2, 0})
            EXPECT_TRUE(ok(twang_body_release(scene.world.get(), scene.body, grabs[k])));
        return handles;
    };
    for (int round = 0; round < 3; ++round) { // from no slot, from some in use, from some free
        const auto saved = snapshot(s.world);
        const auto handles = play(s);
        const auto after = snapshot(s.world);
        EXPECT_NE(play(s), handles);
        ASSERT_TRUE(ok(restore(s.world, saved)));
        EXPECT_TRUE(snapshot(s.world) == saved) << "slots made since are not in it";
        EXPECT_EQ(play(s), handles) << round;
        EXPECT_TRUE(snapshot(s.world) == after);
        ASSERT_TRUE(ok(restore(other.world, saved)));
        EXPECT_EQ(play(other), handles) << round;
    }
    const twang_grab never{1, 99};
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_body_move_grab(s.world.get(), s.body, never, {})));
}

// Triangles that tore before the snapshot and were not fetched then are fetched after it.
TEST(Snapshot, KeepsTornTrianglesThatWereNotFetched) {
    const auto take = [](const Scene& scene, std::size_t room) {
        std::vector<std::uint32_t> triangles(room);
        std::size_t count = 0;
        EXPECT_TRUE(ok(twang_body_take_torn_triangles(scene.world.get(), scene.body,
                                                      triangles.data(), room, &count)));
        triangles.resize(count);
        return triangles;
    };
    Scene s(8, 8, plain(), {0, 7}), other(8, 8, plain(), {0, 7});
    const auto whole = snapshot(s.world);
    const twang_vec3 c = measures(s.world, s.body).centre;
    const twang_blade_def blade{{c.x + 0.01, c.y, -9}, {c.x + 9, c.y, -9}, {0, 0, 18}};
    ASSERT_TRUE(ok(twang_body_cut(s.world.get(), s.body, &blade, nullptr)));
    ASSERT_EQ(take(s, 2).size(), 2u);
    ASSERT_TRUE(steps(s.world, 3));
    const auto saved = snapshot(s.world);
    const auto expected = take(s, 100);
    ASSERT_GT(expected.size(), 3u);
    EXPECT_TRUE(take(s, 100).empty());
    ASSERT_TRUE(ok(restore(s.world, saved)));
    EXPECT_EQ(take(s, 100), expected);
    EXPECT_TRUE(take(s, 100).empty()) << "once each";
    ASSERT_TRUE(ok(restore(other.world, saved)));
    EXPECT_TRUE(snapshot(other.world) == saved);
    EXPECT_EQ(take(other, 100), expected);
    ASSERT_TRUE(ok(restore(s.world, saved)));
    ASSERT_TRUE(ok(restore(s.world, whole)));
    EXPECT_TRUE(take(s, 100).empty());
}

TEST(WorldHash, IsEqualWhereTheSimulationIs) {
    Rich one(plain()), other(plain());
    EXPECT_EQ(world_hash(one.world), world_hash(other.world));
    ASSERT_TRUE(steps(one.world, 5));
    EXPECT_NE(world_hash(one.world), world_hash(other.world));
    ASSERT_TRUE(steps(other.world, 5));
    EXPECT_EQ(world_hash(one.world), world_hash(other.world));

    // One bit of one velocity of the second body.
    auto v = velocities(one.world, one.b);
    v[13] = std::nextafter(v[13], 1.0);
    ASSERT_TRUE(ok(twang_body_set_velocities(one.world.get(), one.b, v.data(), v.size() / 3)));
    EXPECT_NE(world_hash(one.world), world_hash(other.world));
    ASSERT_TRUE(ok(restore(one.world, snapshot(other.world))));
    EXPECT_EQ(world_hash(one.world), world_hash(other.world));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_world_get_hash(one.world.get(), nullptr)));
    std::uint64_t hash = 0;
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_world_get_hash(nullptr, &hash)));
}

TEST(WorldHash, KnowsWhichBodyIsWhich) {
    const Model model = cloth(4, 4);
    const World one = make_world(plain()), other = make_world(plain());
    const twang_body bodies[] = {add(one, model), add(one, model), add(other, model),
                                 add(other, model)};
    const std::vector<double> moving(48, 1.0);
    ASSERT_TRUE(ok(twang_body_set_velocities(one.get(), bodies[0], moving.data(), 16)));
    ASSERT_TRUE(ok(twang_body_set_velocities(other.get(), bodies[3], moving.data(), 16)));
    EXPECT_NE(world_hash(one), world_hash(other));
}
