// snapshot, in the middle of changes: pins, grabs, cuts, another stiffness and time step under way.
#include "snapshot_support.hpp"

using namespace api;

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
