// snapshot: restoring gives back the same bits, now and 300 steps on, whatever the number of
// workers; what is truncated, corrupt, of another version or of other models is refused with
// nothing changed.
#include "snapshot.hpp"

#include <span>

#include "api_support.hpp"

using namespace api;

namespace {

constexpr std::size_t header_bytes = 56; // magic, version, counts, size, checksum, times

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
testing::AssertionResult refuses(const Rich& rich, const std::vector<std::byte>& bytes) {
    const auto before = snapshot(rich.world);
    const twang_status status = restore(rich.world, bytes);
    if (status != TWANG_BAD_SNAPSHOT && status != TWANG_VERSION_MISMATCH &&
        status != TWANG_MESH_MISMATCH)
        return is(TWANG_BAD_SNAPSHOT, status);
    if (snapshot(rich.world) != before) return testing::AssertionFailure() << "world changed";
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
        ASSERT_TRUE(refuses(rich, {saved.begin(), saved.begin() + length})) << length;
    auto longer = saved;
    longer.resize(saved.size() + 8);
    EXPECT_TRUE(refuses(rich, longer));
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
            if (!refuses(rich, corrupt)) accepted.append(" ").append(std::to_string(at));
        }
    EXPECT_EQ(accepted, "") << "bytes";
    ASSERT_TRUE(ok(restore(rich.world, saved)));
}

TEST(Snapshot, TimesThatAreNoTimesAreRefused) {
    Rich rich(plain());
    const auto saved = snapshot(rich.world);
    for (const std::size_t at : {header_bytes - 16, header_bytes - 8}) // time step, left over
        for (const double value : {not_a_number, infinite, -1.0}) {
            auto corrupt = saved;
            std::memcpy(&corrupt[at], &value, sizeof value);
            EXPECT_TRUE(refuses(rich, corrupt)) << "byte " << at << ": " << value;
        }
}

TEST(Snapshot, OfAnotherVersionIsRefused) {
    Rich rich(plain());
    auto bytes = snapshot(rich.world);
    bytes[8] = std::byte{99}; // after the magic number
    EXPECT_TRUE(refuses(rich, bytes));
    EXPECT_TRUE(fails(TWANG_VERSION_MISMATCH, "99", restore(rich.world, bytes)));
    bytes[0] = std::byte{'X'};
    EXPECT_TRUE(is(TWANG_BAD_SNAPSHOT, restore(rich.world, bytes)));
}

TEST(Snapshot, OfOtherModelsIsRefused) {
    Rich rich(plain()), wider(plain(), 8);
    EXPECT_TRUE(refuses(rich, snapshot(wider.world)));
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
    EXPECT_TRUE(refuses(rich, snapshot(more.world)));
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
