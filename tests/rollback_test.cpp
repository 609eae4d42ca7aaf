// Rolled back to a snapshot, a world repeats what it did, whatever it went through before: here
// what becomes of a body that was put back to its start.
#include <twang/twang.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace twang {
namespace {

std::vector<std::uint64_t> future(World& world, int steps, const std::function<void()>& first) {
    first();
    std::vector<std::uint64_t> hashes;
    for (int i = 0; i < steps; ++i) {
        EXPECT_EQ(world.step(), TWANG_OK) << last_error();
        hashes.push_back(world.hash());
    }
    return hashes;
}

// Saves the world, goes on, goes back and on again: the same?
void expect_replay(
    World& world, int steps, const std::function<void()>& first = [] {}) {
    std::vector<std::byte> saved(world.snapshot_size());
    ASSERT_EQ(world.save(saved), TWANG_OK);
    const auto once = future(world, steps, first);
    ASSERT_EQ(world.restore(saved), TWANG_OK) << last_error();
    EXPECT_EQ(future(world, steps, first), once);
}

// What pins bear can be asked for before the next step, of all of them without naming any.
TEST(Rollback, PinForcesAreThoseOfTheStepItGoesBackTo) {
    World world(WorldDef{.workers = 1});
    Body body = world.add(Model::cloth({.columns = 9, .rows = 9}));
    const std::uint32_t pinned[] = {0, 8};
    for (const std::uint32_t vertex : pinned) ASSERT_EQ(body.pin(vertex), TWANG_OK);
    for (int i = 0; i < 20; ++i) ASSERT_EQ(world.step(), TWANG_OK);
    const double before = body.pin_force().force.y;
    EXPECT_LT(before, -0.1);
    std::vector<std::byte> saved(world.snapshot_size());
    ASSERT_EQ(world.save(saved), TWANG_OK);
    for (const std::uint32_t vertex : pinned) ASSERT_EQ(body.unpin(vertex), TWANG_OK);
    ASSERT_EQ(body.pin(40), TWANG_OK);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(world.step(), TWANG_OK);
    ASSERT_EQ(world.restore(saved), TWANG_OK);
    EXPECT_EQ(body.pin_force().force.y, before);
    EXPECT_EQ(body.pin_force(pinned).force.y, before);
}

// Reset goes back to the system the body began with; pins queued after it come on top of that one.
TEST(Rollback, AfterAResetRepeatsTheSameBits) {
    for (const std::int32_t delay : {TWANG_BY_SIZE, 0})
        for (const bool cut : {false, true})
            for (const bool pinned : {false, true}) {
                World world(WorldDef{.workers = 1, .refactor_delay = delay});
                Body body = world.add(Model::cloth({.columns = 15, .rows = 15}));
                ASSERT_EQ(body.pin(0), TWANG_OK);
                ASSERT_EQ(body.pin(14), TWANG_OK);
                for (int i = 0; i < 20; ++i) ASSERT_EQ(world.step(), TWANG_OK);
                if (cut) {
                    ASSERT_EQ(body.cut({{-1.0, -0.2, -1.0}, {1.0, -0.2, -1.0}, {0.0, 0.0, 2.0}}),
                              TWANG_OK);
                }
                for (int i = 0; i < 20; ++i) ASSERT_EQ(world.step(), TWANG_OK);
                ASSERT_EQ(body.reset(), TWANG_OK);
                if (pinned) {
                    ASSERT_EQ(body.pin(7), TWANG_OK);
                    ASSERT_EQ(body.pin(3), TWANG_OK);
                }
                SCOPED_TRACE(testing::Message() << delay << cut << pinned);
                expect_replay(world, 40);
            }
}

// A body without springs that may tear has springs of its own all the same, none in number: reset
// has to find them after the rollback, too.
TEST(Rollback, OfABodyWithoutSprings) {
    World world(WorldDef{.workers = 1});
    Body body = world.add(Model::cloth({.columns = 1, .rows = 1}));
    ASSERT_EQ(body.set_tear_strain(0.5), TWANG_OK);
    ASSERT_EQ(body.pin(0), TWANG_OK);
    ASSERT_EQ(world.set_time_step(1.0 / 30.0), TWANG_OK);
    for (int i = 0; i < 30; ++i) ASSERT_EQ(world.step(), TWANG_OK);
    expect_replay(world, 10, [&] {
        ASSERT_EQ(body.reset(), TWANG_OK);
        ASSERT_TRUE(body.grab({.target = {0.1, 0.2, 0.3}, .stiffness = 3.0}));
    });
}

} // namespace
} // namespace twang
