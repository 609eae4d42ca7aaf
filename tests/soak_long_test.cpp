// An hour of simulated play at 60 steps a second: wind, grabs, pins that come, move and go,
// teleports, bodies made and destroyed. No NaN, no body set aside, and the memory in use does not
// grow.
#include <cmath>

#include "allocation_hooks.hpp"

using namespace api;

namespace {

constexpr int steps_per_minute = 60 * 60;
constexpr int minutes = sanitized ? 2 : 60;
constexpr std::uint32_t side = 8, vertices = side * side;

struct Player {
    Random random{20131101};
    Model model = cloth(side, side);
    World world;
    twang_body body;
    twang_body guest{};
    bool has_guest = false;
    std::vector<double> home;

    Player() : world(make_world(def())), body(add(world, model, {0, side - 1})) {
        home = positions(world, body);
        twang_collider_def ball;
        ball.centre = {0.1, -0.15, 0.02};
        ball.radius = 0.04;
        twang_collider handle{};
        EXPECT_TRUE(ok(twang_collider_create(world.get(), &ball, &handle)));
    }
    static twang_world_def def() {
        twang_world_def def = plain();
        def.solver.iterations = 5;
        def.damping = 0.3;
        return def;
    }

    void teleport() {
        std::vector<double> xyz = home;
        const twang_vec3 by = random.vector(1.0);
        for (std::size_t i = 0; i < vertices; ++i)
            xyz[3 * i] += by.x, xyz[3 * i + 1] += by.y, xyz[3 * i + 2] += by.z;
        EXPECT_TRUE(ok(twang_body_set_positions(world.get(), body, xyz.data(), vertices)));
        if (random.below(2) == 0) return;
        for (double& v : xyz) v = random.between(-2.0, 2.0);
        EXPECT_TRUE(ok(twang_body_set_velocities(world.get(), body, xyz.data(), vertices)));
    }
    void swap_guest() {
        if (has_guest) {
            EXPECT_TRUE(ok(twang_body_destroy(world.get(), guest)));
        } else {
            guest = add(world, model, {random.below(vertices)});
        }
        has_guest = !has_guest;
    }
    // What a player may do in a frame; most frames nothing but the grab.
    void act() {
        twang_world* w = world.get();
        const std::uint32_t vertex = random.below(vertices);
        if (random.below(3) == 0) {
            EXPECT_TRUE(ok(twang_body_add_force(w, body, vertex, random.vector(0.5))));
        }
        switch (random.below(400)) {
        case 0: EXPECT_TRUE(ok(twang_body_pin(w, body, vertex))); break;
        case 1: EXPECT_TRUE(ok(twang_body_unpin(w, body, vertex))); break;
        case 2: // let go of everything
            for (std::uint32_t i = 0; i < vertices; ++i)
                EXPECT_TRUE(ok(twang_body_unpin(w, body, i)));
            break;
        case 3: EXPECT_TRUE(ok(twang_world_set_wind(w, random.vector(8.0), 1.0))); break;
        case 4: teleport(); break;
        case 5: swap_guest(); break;
        case 6: EXPECT_TRUE(ok(twang_body_reset(w, body))); break;
        default: // drag a pin along
            if (pinned(world, body, 0)) {
                const twang_vec3 target = random.vector(0.02);
                EXPECT_TRUE(ok(twang_body_pin_at(w, body, 0, target)));
            }
        }
    }
    bool is_finite() const {
        for (const auto& values : {positions(world, body), velocities(world, body)})
            for (const double value : values)
                if (!std::isfinite(value)) return false;
        return true;
    }
};

} // namespace

TEST(Soak, AnHourOfPlay) {
    Player player;
    long steady = 0, most = 0, steady_blocks = 0, max_blocks = 0;
    double farthest = 0.0;
    for (int minute = 0; minute < minutes; ++minute) {
        for (int i = 0; i < steps_per_minute; ++i) {
            player.act();
            ASSERT_TRUE(steps(player.world, 1)) << "minute " << minute;
            if (i % 60 != 0) continue;
            ASSERT_TRUE(player.is_finite()) << "minute " << minute;
        }
        EXPECT_EQ(report(player.world, player.body).enabled, 1);
        farthest = std::max(farthest, measures(player.world, player.body).max_stretch);
        // Measured in the same situation every minute: no guest, no pin but the first ones.
        if (player.has_guest) player.swap_guest();
        ASSERT_TRUE(ok(twang_body_reset(player.world.get(), player.body)));
        ASSERT_TRUE(steps(player.world, 2));
        most = std::max(most, hooks::live_bytes.load());
        max_blocks = std::max(max_blocks, hooks::live_blocks.load());
        if (minute == minutes / 10) steady = most, steady_blocks = max_blocks;
    }
    EXPECT_EQ(max_blocks, steady_blocks) << "after the first tenth, and at most afterwards";
    // In a used heap malloc hands out blocks that are up to 16 bytes larger than they need be.
    EXPECT_LE(most, steady + 16 * steady_blocks) << "bytes, as before";
    EXPECT_GT(farthest, 0.01) << "it was no holiday";
    RecordProperty("live_bytes", static_cast<int>(steady));
}
