// Snapshots whose checksum fits are not trusted: whatever is written into a field, the snapshot is
// refused with the world unchanged, or restored such that saving gives the same bytes and steps go
// on, or fail with a status.
#include <cmath>

#include "snapshot_support.hpp"
#include "world/snapshot_format.hpp"

using namespace api;
namespace format = twang::core::snapshot_format;

namespace {

// Makes the checksum fit again.
void seal(std::vector<std::byte>& bytes) {
    format::Header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    header.checksum = format::checksum(header, bytes.data(), bytes.size());
    std::memcpy(bytes.data(), &header, sizeof header);
}

template <class T>
std::vector<std::byte> with(std::vector<std::byte> bytes, std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
    seal(bytes);
    return bytes;
}

// Two cloths with everything that a snapshot holds: pins, grabs, forces, torn and scaled springs, a
// factor under way, a collider that moves, contacts with it and of the cloths with each other.
struct Full {
    static constexpr std::uint32_t side = 5;
    Model model = cloth(side, side);
    World world;
    twang_body low{}, high{};
    twang_collider ball{};

    Full() : world(make_world(def())) {
        twang_world* w = world.get();
        low = add_at(0.0, {0, side - 1});
        high = add_at(0.06, {});
        twang_collider_def shape;
        const twang_vec3 corner = position(world, low, side * side - 1);
        shape.centre = {0.5 * corner.x, -0.3, 0.5 * corner.z};
        shape.radius = 0.25;
        shape.between_vertices = 1;
        EXPECT_TRUE(ok(twang_collider_create(w, &shape, &ball)));
        EXPECT_TRUE(ok(twang_body_set_tear_strain(w, low, 5.0)));
        EXPECT_TRUE(steps(world, 12));
        const twang_vec3 c = measures(world, low).centre;
        const twang_blade_def blade{
            {c.x + 0.01, c.y - 9, -9}, {c.x + 0.01, c.y - 9, 9}, {0, 18, 0}};
        EXPECT_TRUE(ok(twang_body_cut(w, low, &blade, nullptr)));
        twang_grab_def grab;
        grab.vertices[0] = 20;
        grab.target = {0.1, -0.1, 0.2};
        twang_grab held{}, gone{};
        EXPECT_TRUE(ok(twang_body_grab(w, high, &grab, &held)));
        EXPECT_TRUE(ok(twang_body_grab(w, high, &grab, &gone)));
        EXPECT_TRUE(ok(twang_body_release(w, high, gone)));
        EXPECT_TRUE(steps(world, 3));
        EXPECT_TRUE(ok(twang_collider_move_to(w, ball, {shape.centre.x, -0.29, shape.centre.z})));
        EXPECT_TRUE(ok(twang_body_pin(w, high, 3)));
        EXPECT_TRUE(ok(twang_body_add_force(w, low, 7, {0.1, 0.0, 0.0})));
    }
    static twang_world_def def() {
        twang_world_def def = plain();
        def.refactor_delay = 6;
        def.solver.iterations = 4;
        return def;
    }
    twang_body add_at(double height, std::vector<std::uint32_t> pins) {
        twang_body_def def;
        std::vector<double> x(3 * side * side);
        for (std::uint32_t i = 0; i < side * side; ++i) {
            x[3 * i] = 0.1 * (i % side);
            x[3 * i + 1] = height;
            x[3 * i + 2] = 0.1 * (i / side);
        }
        def.positions = x.data();
        def.pins = pins.data();
        def.pin_count = static_cast<std::uint32_t>(pins.size());
        def.vertex_radius = 0.05;
        twang_body body{};
        EXPECT_TRUE(ok(twang_body_create(world.get(), model.get(), &def, &body)));
        return body;
    }
};

// Where the parts of a snapshot are.
struct Layout {
    format::Header header{};
    struct Part {
        format::BodyHeader header;
        std::size_t at, vertices, springs, grabs, fresh, points;
    };
    std::vector<Part> bodies;
    std::size_t obstacles, pairs;

    explicit Layout(const std::vector<std::byte>& bytes) {
        std::memcpy(&header, bytes.data(), sizeof header);
        std::size_t at = sizeof header;
        for (std::uint32_t k = 0; k < header.body_count; ++k) {
            Part part{};
            part.at = at;
            std::memcpy(&part.header, &bytes[at], sizeof part.header);
            part.vertices = at + sizeof part.header;
            part.springs = part.vertices + part.header.vertex_count * sizeof(format::VertexState);
            part.grabs = part.springs + part.header.spring_count * sizeof(format::SpringState);
            part.fresh = part.grabs + part.header.grab_count * sizeof(format::GrabState);
            part.points = part.fresh + part.header.fresh_count * 8;
            at = part.points + part.header.point_count * sizeof(format::PointState);
            bodies.push_back(part);
        }
        obstacles = at;
        pairs = at + header.obstacle_count * sizeof(format::ObstacleState);
    }
    // "vertex + 16": the struct at a place in the snapshot, and the place in the struct.
    std::string name_of(std::size_t at) const {
        std::size_t begin = 0, size = sizeof(format::Header);
        const char* name = "header";
        const auto look = [&](std::size_t first, std::size_t bytes, const char* what) {
            if (at >= first) begin = first, size = bytes, name = what;
        };
        for (const Part& part : bodies) {
            look(part.at, sizeof(format::BodyHeader), "body");
            look(part.vertices, sizeof(format::VertexState), "vertex");
            look(part.springs, sizeof(format::SpringState), "spring");
            look(part.grabs, sizeof(format::GrabState), "grab");
            look(part.fresh, 8, "torn triangle");
            look(part.points, sizeof(format::PointState), "point");
        }
        look(obstacles, sizeof(format::ObstacleState), "collider");
        look(pairs, sizeof(format::PairState), "pair");
        return std::string(name) + " + " + std::to_string((at - begin) % size);
    }
};

#define AT(base, type, field) ((base) + offsetof(format::type, field))

} // namespace

TEST(SnapshotFields, WhateverAFieldSaysTheWorldStaysWhole) {
    Full full;
    const auto saved = snapshot(full.world);
    const Layout layout(saved);
    ASSERT_EQ(layout.bodies.size(), 2u);
    EXPECT_GT(layout.bodies[0].header.spring_count, 0u);
    EXPECT_GT(layout.bodies[0].header.fresh_count, 0u);
    EXPECT_EQ(layout.bodies[0].header.pending.exists, 1u);
    EXPECT_EQ(layout.bodies[1].header.grab_count, 2u);
    EXPECT_GT(layout.header.pair_count, 0u);
    const double numbers[] = {not_a_number, infinite, -1.0, 1e300};
    const std::uint32_t words[] = {0u, 1u, 2u, 0x7fffffffu, 0xffffffffu};
    std::size_t refused = 0, restored = 0;
    const auto expect_whole = [&](const std::vector<std::byte>& bytes) {
        if (bytes == saved) return;
        const twang_status status = restore(full.world, bytes);
        if (status != TWANG_OK) {
            ++refused;
            ASSERT_TRUE(snapshot(full.world) == saved) << "changed by a refusal";
            return;
        }
        ++restored;
        ASSERT_TRUE(snapshot(full.world) == bytes) << "saved otherwise";
        twang_world_step(full.world.get());
        for (const twang_body body : {full.low, full.high})
            for (const double value : positions(full.world, body))
                ASSERT_TRUE(std::isfinite(static_cast<float>(value)));
        ASSERT_TRUE(ok(restore(full.world, saved)));
        ASSERT_TRUE(snapshot(full.world) == saved);
    };
    for (std::size_t at = 0; at + 8 <= saved.size(); at += 8) {
        SCOPED_TRACE(testing::Message() << at << ": " << layout.name_of(at));
        for (const double number : numbers) expect_whole(with(saved, at, number));
        for (const std::uint32_t word : words)
            for (const std::size_t half : {std::size_t{0}, std::size_t{4}})
                expect_whole(with(saved, at + half, word));
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(refused, 10000u);
    EXPECT_GT(restored, 10000u);
}

TEST(SnapshotFields, OutOfRangeAreRefused) {
    Full full;
    const auto saved = snapshot(full.world);
    const Layout layout(saved);
    const auto& low = layout.bodies[0];
    const auto& high = layout.bodies[1];
    struct {
        std::size_t at;
        const char* words;
        bool positive; // and not below 0
    } const numbers[] = {
        {offsetof(format::Header, time_step), "time step", true},
        {offsetof(format::Header, left_over), "left over", true},
        {offsetof(format::Header, damping), "damping", true},
        {offsetof(format::Header, surroundings), "gravity", false},
        {AT(low.at, BodyHeader, system), "system", true},
        {AT(low.at, BodyHeader, pending), "pending system", true},
        {AT(low.at, BodyHeader, tear_limit), "tear strain", true},
        {AT(low.at, BodyHeader, own), "gravity scale", false},
        {AT(low.at, BodyHeader, max_strain), "strain limit", true},
        {AT(low.at, BodyHeader, vertex_radius), "vertex spheres", true},
        {AT(low.at, BodyHeader, history_time_step), "last time step", true},
        {AT(low.vertices, VertexState, x), "position", false},
        {AT(low.vertices, VertexState, before), "position", false},
        {AT(low.vertices, VertexState, v), "velocity", false},
        {AT(low.vertices, VertexState, displacement), "last move", false},
        {AT(low.vertices, VertexState, last_v), "last move", false},
        {AT(low.vertices, VertexState, target), "pin", false},
        {AT(low.vertices, VertexState, next_target), "pin", false},
        {AT(low.vertices, VertexState, pin_reaction), "pin", false},
        {AT(low.vertices, VertexState, contact_against), "contact", false},
        {AT(low.vertices, VertexState, contact_normal), "contact", true},
        {AT(low.vertices, VertexState, contact_share), "contact", true},
        {AT(low.springs, SpringState, rest_scale), "rest length", true},
        {AT(low.springs, SpringState, stiffness), "stiffness", true},
        {AT(low.springs, SpringState, next_stiffness), "stiffness", true},
        {AT(high.grabs, GrabState, weights), "weights", true},
        {AT(high.grabs, GrabState, target), "target", false},
        {AT(high.grabs, GrabState, stiffness), "stiffness", true},
        {AT(layout.obstacles, ObstacleState, now), "place", false},
        {AT(layout.pairs, PairState, normal), "forces", true},
        {AT(layout.pairs, PairState, friction), "forces", false},
    };
    for (const auto& [at, words, positive] : numbers) {
        for (const double value : {not_a_number, infinite, -infinite})
            EXPECT_TRUE(
                fails(TWANG_BAD_SNAPSHOT, words, restore(full.world, with(saved, at, value))))
                << words << " " << value;
        if (positive) {
            EXPECT_TRUE(
                fails(TWANG_BAD_SNAPSHOT, words, restore(full.world, with(saved, at, -1.0))));
        }
        EXPECT_TRUE(snapshot(full.world) == saved);
    }
}

// `has_stiffness` of a body without springs of its own would read numbers that are not there.
TEST(SnapshotFields, FlagsThatContradictEachOtherAreRefused) {
    Full full;
    const auto saved = snapshot(full.world);
    const Layout layout(saved);
    const auto& low = layout.bodies[0];
    const auto& high = layout.bodies[1];
    ASSERT_EQ(high.header.own_springs, 0);
    const auto refused = [&](const char* words, std::size_t at, std::uint32_t value) {
        EXPECT_TRUE(fails(TWANG_BAD_SNAPSHOT, words, restore(full.world, with(saved, at, value))));
        EXPECT_TRUE(snapshot(full.world) == saved);
    };
    refused("system", AT(high.at, BodyHeader, system.has_stiffness), 1);
    refused("pending system", AT(high.at, BodyHeader, pending.has_stiffness), 1);
    refused("system", AT(low.at, BodyHeader, system.exists), 0);
    refused("system", AT(low.at, BodyHeader, system.integrator), 2);
    refused("springs of its own", AT(high.at, BodyHeader, wants_start_system), 1);
    refused("status", AT(low.at, BodyHeader, status), TWANG_DIVERGED); // but enabled
    refused("status", AT(low.at, BodyHeader, status), TWANG_STATUS_COUNT);
    refused("strain limit", AT(low.at, BodyHeader, strain_passes), 3); // but no limit
    refused("still steps", AT(low.at, BodyHeader, still_steps), 0x80000000u);
    for (const std::size_t flag :
         {AT(low.at, BodyHeader, wants_system), AT(low.at, BodyHeader, stale),
          AT(low.at, BodyHeader, asleep), AT(low.at, BodyHeader, touched),
          AT(low.vertices, VertexState, held), AT(low.vertices, VertexState, made_held),
          AT(low.vertices, VertexState, contact_slides), AT(layout.pairs, PairState, slides)})
        refused("flag", flag, 2);
    refused("generation", AT(high.grabs, GrabState, generation), 0);
    refused("vertex", AT(high.grabs, GrabState, vertices), Full::side * Full::side);
    std::uint64_t first = 0;
    std::memcpy(&first, &saved[low.fresh], sizeof first);
    EXPECT_TRUE(fails(TWANG_BAD_SNAPSHOT, "torn triangle 1",
                      restore(full.world, with(saved, low.fresh + 8, first))))
        << "listed twice";
}

// Handles know the difference, and so do snapshots.
TEST(SnapshotFields, ABodyOrColliderMadeAgainInTheSameSlotIsAnotherOne) {
    Scene s(4, 4);
    const auto saved = snapshot(s.world);
    ASSERT_TRUE(ok(twang_body_destroy(s.world.get(), s.body)));
    add(s.world, s.model);
    EXPECT_TRUE(refuses(s.world, saved));
    EXPECT_TRUE(is(TWANG_MESH_MISMATCH, restore(s.world, saved)));

    twang_collider_def ball;
    twang_collider handle{};
    ASSERT_TRUE(ok(twang_collider_create(s.world.get(), &ball, &handle)));
    const auto with_ball = snapshot(s.world);
    ASSERT_TRUE(ok(twang_collider_destroy(s.world.get(), handle)));
    ASSERT_TRUE(ok(twang_collider_create(s.world.get(), &ball, &handle)));
    EXPECT_TRUE(refuses(s.world, with_ball));
    EXPECT_TRUE(fails(TWANG_MESH_MISMATCH, "colliders", restore(s.world, with_ball)));
}
