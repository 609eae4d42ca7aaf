// snapshot: restoring gives back the same bits, now and 300 steps on, whatever the number of
// workers; what is truncated, corrupt, of another version or of other models is refused with
// nothing changed.
#include "world/snapshot.hpp"

#include <cmath>
#include <functional>
#include <span>

#include "snapshot_support.hpp"

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

std::uint64_t world_hash(const World& world) {
    std::uint64_t hash = 0;
    EXPECT_TRUE(ok(twang_world_get_hash(world.get(), &hash)));
    return hash;
}

} // namespace

TEST(Snapshot, RestoresTheSameBitsAndTheSameFuture) {
    for (const twang_solver solver : every_solver) {
        SCOPED_TRACE(name(solver));
        twang_world_def def = plain(solver);
        if (solver == TWANG_SOLVER_SYMPLECTIC) def.time_step = 1e-4;
        Rich rich(def);
        rich.disturb();
        const auto saved = snapshot(rich.world);
        const auto then = rich.state();
        const int count = solver == TWANG_SOLVER_STATIC ? 3 : sanitized ? 30 : 300;
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
        EXPECT_TRUE(ok(twang_body_set_vertex_spheres(w, a, 0.02 * scale, 0.2 * scale)));
        EXPECT_TRUE(ok(twang_body_set_vertex_spheres(w, b, 0.02 * scale, 0.2 * scale)));
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
        [](Furnished& f) { return twang_body_set_vertex_spheres(f.world.get(), f.b, 2.0, 0.2); },
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
        const twang_solver_def newton = solver_def(TWANG_SOLVER_NEWTON);
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
                            world_like([](auto& d) { d.precision = TWANG_PRECISION_DOUBLE; }),
                            world_like([](auto& d) { d.arithmetic = TWANG_ARITHMETIC_PORTABLE; }),
                            world_like([](auto& d) { d.pin_method = TWANG_PIN_ELIMINATION; }),
                            world_like([](auto& d) { d.damping = 0.5; })};
    for (const World& other : others) {
        EXPECT_TRUE(refuses(other, saved)) << &other - others;
        EXPECT_TRUE(fails(TWANG_MESH_MISMATCH, "definitions", restore(other, saved)));
    }
}

// A capsule's end radius: TWANG_SAME is the same as naming the radius, another is another collider.
TEST(Snapshot, OfACapsuleWithAnotherTaperIsRefused) {
    const auto world_with = [](double end_radius) {
        World world = make_world(plain());
        twang_body_def body;
        twang_body handle;
        EXPECT_TRUE(ok(twang_body_create(world.get(), cloth(5, 5).get(), &body, &handle)));
        twang_collider_def limb;
        limb.shape = TWANG_SHAPE_CAPSULE;
        limb.centre = {5.0, 0.0, 0.0};
        limb.radius = 0.2;
        limb.end_radius = end_radius;
        twang_collider collider;
        EXPECT_TRUE(ok(twang_collider_create(world.get(), &limb, &collider)));
        EXPECT_TRUE(steps(world, 2));
        return world;
    };
    const auto even = snapshot(world_with(TWANG_SAME)), thin = snapshot(world_with(0.1));
    const World same_radius = world_with(0.2), thinner = world_with(0.05), taper = world_with(0.1);
    EXPECT_TRUE(ok(restore(same_radius, even)));
    EXPECT_TRUE(ok(restore(taper, thin)));
    for (const World* other : {&same_radius, &thinner})
        EXPECT_TRUE(fails(TWANG_MESH_MISMATCH, "definitions", restore(*other, thin)));
    EXPECT_TRUE(fails(TWANG_MESH_MISMATCH, "definitions", restore(taper, even)));
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
