// twang.hpp: owners and handles over the C API that clean up, move, and carry the status of
// whatever failed; it needs no exceptions.
#include <twang/twang.hpp>

#include <cstdlib>
#include <fstream>
#include <numeric>
#include <type_traits>

#include "api_support.hpp"

static_assert(!std::is_copy_constructible_v<twang::World> &&
              !std::is_copy_constructible_v<twang::Model>);
static_assert(std::is_nothrow_move_constructible_v<twang::World> &&
              std::is_nothrow_move_assignable_v<twang::Model>);
static_assert(std::is_trivially_copyable_v<twang::Body> &&
              std::is_trivially_copyable_v<twang::Collider>);

namespace {

twang::WorldDef plain() {
    twang::WorldDef def;
    def.workers = 1;
    return def;
}

} // namespace

TEST(CppApi, SimulatesLikeTheCApi) {
    twang::Model model = twang::Model::cloth({.columns = 6, .rows = 5});
    ASSERT_TRUE(model);
    EXPECT_EQ(model.info().vertices, 30u);
    twang::World world(plain());
    ASSERT_TRUE(world);
    twang::Body body = world.add(model);
    ASSERT_TRUE(body);
    EXPECT_EQ(body.pin(0), TWANG_OK);
    EXPECT_EQ(body.pin(5, {0.2, 0.1, 0.0}), TWANG_OK);
    EXPECT_EQ(body.add_force(20, {0.0, 0.0, 0.5}), TWANG_OK);
    twang::Collider ball = world.add_sphere({0.1, -0.2, 0.0}, 0.05);
    ASSERT_TRUE(ball);
    EXPECT_EQ(ball.move_to({0.1, -0.2, 0.01}), TWANG_OK);
    EXPECT_TRUE(world.add_plane({0.0, -3.0, 0.0}, {0.0, 1.0, 0.0}));
    EXPECT_EQ(world.set_wind({0.0, 0.0, 1.0}, 0.5), TWANG_OK);
    EXPECT_EQ(world.step(), TWANG_OK);

    api::Scene s(6, 5, plain());
    const twang_collider_def sphere{.centre = {0.1, -0.2, 0.0}, .radius = 0.05};
    const twang_collider_def floor{.shape = TWANG_SHAPE_PLANE, .centre = {0.0, -3.0, 0.0}};
    twang_collider c_ball{}, c_floor{};
    ASSERT_TRUE(api::ok(twang_body_pin(s.world.get(), s.body, 0)));
    ASSERT_TRUE(api::ok(twang_body_pin_at(s.world.get(), s.body, 5, {0.2, 0.1, 0.0})));
    ASSERT_TRUE(api::ok(twang_body_add_force(s.world.get(), s.body, 20, {0.0, 0.0, 0.5})));
    ASSERT_TRUE(api::ok(twang_collider_create(s.world.get(), &sphere, &c_ball)));
    ASSERT_TRUE(api::ok(twang_collider_move_to(s.world.get(), c_ball, {0.1, -0.2, 0.01})));
    ASSERT_TRUE(api::ok(twang_collider_create(s.world.get(), &floor, &c_floor)));
    ASSERT_TRUE(api::ok(twang_world_set_wind(s.world.get(), {0.0, 0.0, 1.0}, 0.5)));
    ASSERT_TRUE(api::steps(s.world, 1));
    EXPECT_EQ(body.measure().state_hash, api::hash(s.world, s.body));
}

TEST(CppApi, ModelsAreCopiedLikeByTheCApi) {
    const twang::Model model = twang::Model::cloth({.columns = 5, .rows = 4, .mass = 0.7});
    const twang::ModelInfo info = model.info();
    std::vector<twang::SpringDef> springs(info.springs), c_springs(info.springs);
    std::vector<std::uint32_t> triangles(3 * info.triangles), c_triangles(3 * info.triangles);
    std::vector<double> masses(20), c_masses(20), rest(60), c_rest(60);
    EXPECT_EQ(model.copy_springs(springs), TWANG_OK);
    EXPECT_EQ(model.copy_triangles(triangles), TWANG_OK);
    EXPECT_EQ(model.copy_masses(masses), TWANG_OK);
    EXPECT_EQ(model.copy_rest_positions(rest), TWANG_OK);
    ASSERT_TRUE(api::ok(twang_model_copy_springs(model.get(), c_springs.data(), info.springs)));
    ASSERT_TRUE(
        api::ok(twang_model_copy_triangles(model.get(), c_triangles.data(), c_triangles.size())));
    ASSERT_TRUE(api::ok(twang_model_copy_masses(model.get(), c_masses.data(), 20)));
    ASSERT_TRUE(api::ok(twang_model_copy_rest_positions(model.get(), c_rest.data(), 20)));
    for (std::size_t k = 0; k < springs.size(); ++k) {
        EXPECT_EQ(springs[k].a, c_springs[k].a);
        EXPECT_EQ(springs[k].b, c_springs[k].b);
        EXPECT_EQ(springs[k].stiffness, c_springs[k].stiffness);
        EXPECT_EQ(springs[k].rest_length, c_springs[k].rest_length);
        EXPECT_EQ(springs[k].kind, c_springs[k].kind);
    }
    EXPECT_EQ(triangles, c_triangles);
    EXPECT_EQ(masses, c_masses);
    EXPECT_EQ(rest, c_rest);
    // And they are the cloth's.
    EXPECT_NE(springs[0].a, springs[0].b);
    EXPECT_NE(triangles[0], triangles[1]);
    EXPECT_NEAR(std::accumulate(masses.begin(), masses.end(), 0.0), 0.7, 1e-12);
    EXPECT_NEAR(rest[57], 4 * 0.03, 1e-15);

    EXPECT_EQ(model.copy_springs(std::span(springs).first(1)), TWANG_INVALID_ARGUMENT);
    EXPECT_EQ(model.copy_triangles(std::span(triangles).first(3)), TWANG_INVALID_ARGUMENT);
    EXPECT_EQ(model.copy_masses(std::span(masses).first(19)), TWANG_INVALID_ARGUMENT);
    EXPECT_EQ(model.copy_rest_positions(std::span(rest).first(57)), TWANG_INVALID_ARGUMENT);
    EXPECT_EQ(twang::Model().copy_masses(masses), TWANG_INVALID_ARGUMENT);
    EXPECT_STREQ(twang::text(TWANG_BUSY), twang_status_text(TWANG_BUSY));
}

TEST(CppApi, SpansSeeAllVertices) {
    const twang::Model model = twang::Model::cloth({.columns = 3, .rows = 2});
    twang::World world(plain());
    twang::Body body = world.add(model);
    EXPECT_EQ(body.vertex_count(), 6u);
    EXPECT_EQ(body.positions().size(), 18u);
    EXPECT_EQ(body.velocities().size(), 18u);
    std::vector<double> xyz(18, 0.5);
    EXPECT_EQ(body.set_positions(xyz), TWANG_OK);
    EXPECT_EQ(body.positions()[17], 0.5f);
    xyz.assign(18, -2.0);
    EXPECT_EQ(body.set_velocities(xyz), TWANG_OK);
    EXPECT_EQ(body.velocities()[0], -2.0f);
    EXPECT_EQ(body.copy_positions(xyz), TWANG_OK);
    EXPECT_EQ(xyz, std::vector<double>(18, 0.5));
    EXPECT_EQ(body.copy_velocities(std::span(xyz).first(15)), TWANG_INVALID_ARGUMENT);
    EXPECT_EQ(body.copy_velocities(xyz), TWANG_OK);
    EXPECT_EQ(xyz, std::vector<double>(18, -2.0));
}

TEST(CppApi, SpansThatDoNotFitAreRefusedWithAReason) {
    twang::World world(plain());
    twang::Body body = world.add(twang::Model::cloth({.columns = 3, .rows = 2}));
    const std::vector<double> xyz(20, 0.5);
    const std::vector<std::uint32_t> two{0, 1};
    const auto reason = [](twang::Status status) {
        EXPECT_EQ(status, TWANG_INVALID_ARGUMENT);
        const std::string text = twang::last_error();
        EXPECT_EQ(twang_refuse("?"), TWANG_INVALID_ARGUMENT); // so that none is an earlier one
        return text;
    };
    EXPECT_NE(reason(body.set_positions(xyz)).find("threes"), std::string::npos);
    EXPECT_NE(reason(body.set_velocities(xyz)).find("threes"), std::string::npos);
    EXPECT_NE(reason(body.add_forces(xyz)).find("threes"), std::string::npos);
    EXPECT_NE(reason(body.set_pin_targets(two, xyz)).find("vertex"), std::string::npos);
    EXPECT_NE(reason(body.scale_stiffness(two, xyz)).find("spring"), std::string::npos);
    EXPECT_NE(reason(body.scale_rest_lengths(two, xyz)).find("spring"), std::string::npos);
    std::vector<float> small(5);
    EXPECT_NE(reason(body.copy_normals(small)).find("room"), std::string::npos);
    EXPECT_NE(reason(body.copy_interpolated(small)).find("room"), std::string::npos);
    // No pins named, in whatever way, are all pins.
    ASSERT_EQ(body.pin(0), TWANG_OK);
    ASSERT_EQ(world.step(), TWANG_OK);
    std::vector<std::uint32_t> none{1};
    none.clear();
    EXPECT_LT(body.pin_force().force.y, 0.0); // it hangs there
    EXPECT_EQ(body.pin_force(none).force.y, body.pin_force().force.y);
}

TEST(CppApi, WhatCouldNotBeMadeIsEmptyAndSaysWhy) {
    const twang::Model no_model = twang::Model::cloth({.columns = 0});
    EXPECT_FALSE(no_model);
    EXPECT_EQ(no_model.status(), TWANG_OUT_OF_RANGE);
    EXPECT_NE(std::string(twang::last_error()).find("0 columns"), std::string::npos);
    EXPECT_EQ(no_model.info().vertices, 0u);
    EXPECT_STREQ(twang::name(no_model.status()), "OUT_OF_RANGE");
    EXPECT_FALSE(twang::Model::mesh({}));

    twang::WorldDef def;
    def.time_step = -1.0;
    twang::World no_world(def);
    EXPECT_FALSE(no_world);
    EXPECT_EQ(no_world.status(), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(no_world.step(), TWANG_INVALID_ARGUMENT);
    EXPECT_EQ(no_world.snapshot_size(), 0u);
    EXPECT_EQ(no_world.time_step(), 0.0);

    twang::World world(plain());
    twang::Body nobody = world.add(no_model);
    EXPECT_FALSE(nobody);
    EXPECT_EQ(nobody.status(), TWANG_INVALID_ARGUMENT);
    for (twang::Body body : {nobody, twang::Body()}) {
        EXPECT_EQ(body.pin(0), TWANG_INVALID_ARGUMENT);
        EXPECT_EQ(body.reset(), TWANG_INVALID_ARGUMENT);
        EXPECT_TRUE(body.positions().empty());
        EXPECT_FALSE(body.is_pinned(0));
        EXPECT_EQ(body.report().steps, 0u);
    }
    twang::Collider flat = world.add_sphere({}, 0.0);
    EXPECT_FALSE(flat);
    EXPECT_EQ(flat.status(), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(flat.move_to({}), TWANG_INVALID_ARGUMENT);
    EXPECT_EQ(twang::Collider().destroy(), TWANG_INVALID_ARGUMENT);
}

TEST(CppApi, AStrokeKeepsItsEdgeUntilItEnds) {
    twang::Model model = twang::Model::cloth({.columns = 6, .rows = 5});
    twang::Model larger = twang::Model::cloth({.columns = 6, .rows = 6});
    twang::World world(plain());
    twang::Body body = world.add(model), other = world.add(larger);
    const auto moved = [&](double y) {
        std::vector<double> xyz(90);
        model.copy_rest_positions(xyz);
        for (std::size_t i = 1; i < 90; i += 3) xyz[i] += y;
        EXPECT_EQ(body.set_positions(xyz), TWANG_OK);
    };
    twang::Stroke stroke;
    const twang::Vec3 at{0.01, -0.5, -1.0}, along{0.0, 0.0, 2.0}; // below the cloth
    std::uint32_t broken = 9;
    EXPECT_EQ(stroke.move_to(twang::Body(), at, along), TWANG_INVALID_ARGUMENT);
    EXPECT_EQ(stroke.move_to(body, at, {}), TWANG_INVALID_ARGUMENT);
    EXPECT_FALSE(stroke.active());
    ASSERT_EQ(stroke.move_to(body, at, along, &broken), TWANG_OK);
    EXPECT_TRUE(stroke.active());
    EXPECT_EQ(broken, 0u);
    moved(-1.0); // it falls past the edge, which rests
    EXPECT_EQ(stroke.move_to(body, at, {}), TWANG_INVALID_ARGUMENT);
    EXPECT_EQ(stroke.move_to(body, {api::not_a_number, 0.0, 0.0}, along), TWANG_NOT_FINITE);
    EXPECT_EQ(stroke.move_to(other, at, along), TWANG_INVALID_ARGUMENT);
    ASSERT_EQ(stroke.move_to(body, at, along, &broken), TWANG_OK);
    EXPECT_EQ(broken, 5u + 8u + 5u) << "between the first columns: rows, diagonals, bend springs";
    std::vector<std::uint8_t> flags(model.info().springs);
    ASSERT_EQ(body.copy_broken_springs(flags), TWANG_OK);
    EXPECT_EQ(std::accumulate(flags.begin(), flags.end(), 0u), broken);
    EXPECT_EQ(body.reset(), TWANG_OK);
    stroke.end();
    EXPECT_FALSE(stroke.active());
    moved(0.0);
    ASSERT_EQ(stroke.move_to(body, {-9.0, -0.05, -1.0}, along, &broken), TWANG_OK);
    EXPECT_EQ(broken, 0u) << "another stroke begins";
}

TEST(CppApi, OwnersMove) {
    twang::Model model = twang::Model::cloth({.columns = 4, .rows = 4});
    twang::Model moved = std::move(model);
    EXPECT_TRUE(moved);
    EXPECT_FALSE(model); // NOLINT: a moved-from owner is empty
    twang::World first(plain());
    twang::Body body = first.add(moved);
    twang::World world(std::move(first));
    EXPECT_FALSE(first); // NOLINT
    EXPECT_EQ(first.step(), TWANG_INVALID_ARGUMENT);
    EXPECT_EQ(world.step(), TWANG_OK);
    EXPECT_EQ(body.report().steps, 1u) << "handles stay good";
    world = twang::World(plain());
    EXPECT_EQ(world.report().steps, 0u);
}

TEST(CppApi, SettingsSnapshotsAndCallbacksGoThrough) {
    twang::Model model = twang::Model::cloth({.columns = 4, .rows = 4});
    twang::WorldDef at_once = plain();
    at_once.refactor_delay = 0;
    twang::World world(at_once);
    twang::Body body = world.add(model, {.energy = TWANG_HOOKE});
    std::vector<std::byte> bytes(world.snapshot_size());
    ASSERT_EQ(world.save(bytes), TWANG_OK);
    const std::uint64_t begin = body.measure().state_hash;
    int calls = 0;
    EXPECT_EQ(world.set_iteration_callback(
                  [](void* user, const twang_iteration*) { ++*static_cast<int*>(user); }, &calls),
              TWANG_OK);
    EXPECT_EQ(world.set_solver({.iterations = 3}), TWANG_OK);
    std::int32_t steps = 0;
    double dropped = -1.0;
    EXPECT_EQ(world.advance(2.0 / 60.0, &steps, &dropped), TWANG_OK);
    EXPECT_EQ(steps, 2);
    EXPECT_EQ(dropped, 0.0);
    EXPECT_EQ(calls, 6);
    EXPECT_EQ(body.set_solver(twang::default_solver(TWANG_SOLVER_NEWTON)), TWANG_OK);
    EXPECT_EQ(world.time_step(), 1.0 / 60.0);
    EXPECT_EQ(world.set_time_step(0.01), TWANG_OK);
    EXPECT_EQ(world.set_gravity({0.0, 1.0, 0.0}), TWANG_OK);
    EXPECT_EQ(world.step(), TWANG_OK);
    double c_time_step = 0.0;
    ASSERT_EQ(twang_world_get_time_step(world.get(), &c_time_step), TWANG_OK);
    EXPECT_EQ(c_time_step, 0.01);
    EXPECT_EQ(world.time_step(), c_time_step);
    EXPECT_EQ(body.report().converged, 1);
    EXPECT_EQ(body.precomputation().factorings, 2);
    EXPECT_NE(body.measure().state_hash, begin);
    EXPECT_EQ(world.restore(bytes), TWANG_OK);
    EXPECT_EQ(body.measure().state_hash, begin);
    EXPECT_EQ(world.restore(std::span(bytes).first(9)), TWANG_BAD_SNAPSHOT);
    EXPECT_EQ(body.destroy(), TWANG_OK);
    EXPECT_EQ(body.destroy(), TWANG_STALE_HANDLE);
}

TEST(CppApi, ForcesTimeAndDrawingGoThrough) {
    const twang::Model model = twang::Model::cloth({.columns = 4, .rows = 4});
    twang::WorldDef def = plain();
    def.substeps = 2;
    twang::World world(def);
    twang::Body body = world.add(model);
    EXPECT_EQ(world.set_air({.velocity = {1.0, 0.0, 2.0}, .lift = 0.5, .gusts = 1.0}), TWANG_OK);
    EXPECT_EQ(world.set_air({.drag = -1.0}), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(body.pin(0), TWANG_OK);
    std::vector<double> forces(48, 0.01);
    EXPECT_EQ(body.add_forces(forces), TWANG_OK);
    EXPECT_EQ(body.add_forces(std::span(forces).first(45)), TWANG_INVALID_ARGUMENT);
    EXPECT_EQ(body.add_impulse(15, {0.0, 0.0, 0.001}), TWANG_OK);
    EXPECT_EQ(body.set_gravity_scale(0.5), TWANG_OK);
    EXPECT_EQ(body.set_pressure(1.0), TWANG_UNSUPPORTED);
    EXPECT_EQ(body.set_max_strain(0.1), TWANG_OK);
    EXPECT_EQ(world.advance(2.5 / 60.0), TWANG_OK);
    EXPECT_NEAR(world.time(), 2.0 / 60.0, 1e-15);
    EXPECT_EQ(body.report().steps, 2u);

    std::vector<float> drawn(16 * 4, 9.0f);
    EXPECT_EQ(body.copy_interpolated(drawn, 4), TWANG_OK);
    EXPECT_EQ(drawn[3], 9.0f);
    EXPECT_NE(drawn[4 * 15 + 2], body.positions()[3 * 15 + 2]); // between steps
    EXPECT_EQ(body.copy_interpolated(std::span(drawn).first(62), 4), TWANG_INVALID_ARGUMENT);
    EXPECT_EQ(body.copy_normals(drawn, 4), TWANG_OK);
    EXPECT_GT(body.pin_force().force.x, 0.0); // the wind pulls
    EXPECT_EQ(body.teleport({0.0, 0.0, 0.0, 1.0}, {}, {5.0, 0.0, 0.0}), TWANG_OK);
    EXPECT_GT(body.positions()[0], 4.9f);

    const double corner[3] = {0.01, -0.01, 0.02};
    twang::Embedding embedding(model, {.positions = corner, .vertex_count = 1});
    ASSERT_TRUE(embedding) << twang::last_error();
    twang::Embedding moved = std::move(embedding);
    EXPECT_FALSE(embedding); // NOLINT
    EXPECT_EQ(moved.info().vertices, 1u);
    float point[3] = {};
    EXPECT_EQ(moved.write(world, body, {point, 12}), TWANG_OK);
    EXPECT_GT(point[0], 4.9f);
}

// One cloth falls on each kind of collider, made by its short form, and stays above it.
TEST(CppApi, ShortFormsOfColliders) {
    const double xyz[] = {-1.0, 0.0, -1.0, 1.0, 0.0, -1.0, 1.0, 0.0, 1.0, -1.0, 0.0, 1.0};
    const std::uint32_t triangles[] = {0, 2, 1, 0, 3, 2};
    using Make =
        twang::Collider (*)(twang::World&, std::span<const double>, std::span<const std::uint32_t>);
    for (const Make make : std::initializer_list<Make>{
             [](twang::World&w, auto, auto) {
                 return w.add_sphere({0.1, -1.1, 0.1}, 1.0);
             },
             [](twang::World&w, auto, auto) {
                 return w.add_capsule({-1.0, -1.1, 0.1}, {1.0, -1.1, 0.1}, 1.0);
             },
             [](twang::World&w, auto, auto) {
                 return w.add_capsule({-1.0, -1.1, 0.1}, {1.0, -1.1, 0.1}, 1.0, 1.01);
             },
             [](twang::World&w, auto, auto) {
                 return w.add_plane({0.0, -0.1, 0.0}, {0.0, 1.0, 0.0});
             },
             [](twang::World&w, auto, auto) {
                 return w.add_box({0.0, -1.1, 0.0}, {1.0, 1.0, 1.0});
             },
             [](twang::World&w, auto p, auto t) {
                 return w.add_mesh(p, t, {0.0, -0.1, 0.0});
             }}) {
        twang::World world(plain());
        twang::Collider collider = make(world, std::span(xyz), std::span(triangles));
        ASSERT_TRUE(collider) << twang::last_error();
        EXPECT_NE(collider.id().generation, 0u);
        twang::Body body =
            world.add(twang::Model::cloth({.columns = 5, .rows = 5, .down = {0.0, 0.0, 1.0}}));
        for (int i = 0; i < 30; ++i) ASSERT_EQ(world.step(), TWANG_OK);
        EXPECT_GT(body.report().contacts, 0);
        EXPECT_GT(body.measure().centre.y, -0.12);
        EXPECT_EQ(twang_collider_destroy(world.get(), collider.id()), TWANG_OK);
        EXPECT_EQ(collider.destroy(), TWANG_STALE_HANDLE);
        twang::Grab grab = body.grab({.target = {0.0, 1.0, 0.0}});
        EXPECT_EQ(twang_body_release(world.get(), body.id(), grab.id()), TWANG_OK);
        EXPECT_EQ(grab.release(), TWANG_STALE_HANDLE);
        EXPECT_EQ(body.sleep(), TWANG_OK);
        EXPECT_EQ(body.report().asleep, 1);
        EXPECT_EQ(body.wake(), TWANG_OK);
        EXPECT_EQ(world.set_damping(1.0), TWANG_OK);
    }
    twang::World world(plain());
    EXPECT_EQ(world.add_box({}, {0.0, 1.0, 1.0}).status(), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(world.add_mesh(std::span(xyz), {}).status(), TWANG_INVALID_ARGUMENT);
    const double nowhere = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(world.add_capsule({}, {nowhere, 0.0, 0.0}, 1.0).status(), TWANG_NOT_FINITE);
}

TEST(CppApi, CompilesWithoutExceptionsAndRtti) {
    if (std::system("c++ --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no c++ in the path";
    const std::string source = testing::TempDir() + "twang_no_exceptions.cpp";
    std::ofstream(source) << "#include <twang/twang.hpp>\n"
                             "int main() {\n"
                             "    twang::Model model = twang::Model::cloth({});\n"
                             "    twang::World world;\n"
                             "    return world.add(model).positions().empty() || world.step();\n"
                             "}\n";
    const std::string command =
        "c++ -std=c++20 -fno-exceptions -fno-rtti -Wall -Wextra -Wpedantic "
        "-Wconversion -Werror -fsyntax-only -I" TWANG_SOURCE_DIR "/engine/include " +
        source;
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::remove(source.c_str());
}
