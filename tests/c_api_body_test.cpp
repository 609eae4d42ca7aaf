// The C border, bodies and colliders, and settings of a world that runs: every row of the input
// table gets its answer, the message names the offender, and the world goes on as if it had not
// been asked.
#include <cmath>
#include <functional>

#include "api_support.hpp"

using namespace api;

namespace {

struct Row {
    std::function<twang_status()> call;
    twang_status answer;
    const char* words;
};

// A world in the middle of things: moving, with a queued pin and force, and a collider.
struct Running : Scene {
    twang_collider ball{};
    Running() : Scene(3, 3, plain(), {0}) {
        twang_collider_def def;
        def.centre = {0.0, -0.6, 0.0};
        EXPECT_TRUE(ok(twang_collider_create(world.get(), &def, &ball)));
        EXPECT_TRUE(steps(world, 4));
        EXPECT_TRUE(ok(twang_body_pin_at(world.get(), body, 2, {0.1, 0.1, 0.1})));
        EXPECT_TRUE(ok(twang_body_add_force(world.get(), body, 5, {0.0, 0.0, 0.1})));
    }
};

// Asks all of it, then compares the world, and what becomes of it, with one that was never asked.
void expect_refused(const Running& running, const std::vector<Row>& rows) {
    const auto before = snapshot(running.world);
    for (const Row& row : rows) {
        EXPECT_TRUE(fails(row.answer, row.words, row.call())) << row.words;
        EXPECT_TRUE(snapshot(running.world) == before) << row.words;
    }
    Running twin;
    ASSERT_TRUE(steps(running.world, 10));
    ASSERT_TRUE(steps(twin.world, 10));
    EXPECT_TRUE(same(bits(running.world, running.body), bits(twin.world, twin.body)));
    const twang_body late = add(running.world, running.model),
                     same_there = add(twin.world, twin.model);
    EXPECT_EQ(late.index, 1u) << "nothing was left behind";
    ASSERT_TRUE(steps(running.world, 5));
    ASSERT_TRUE(steps(twin.world, 5));
    EXPECT_TRUE(same(bits(running.world, late), bits(twin.world, same_there)));
}

constexpr twang_vec3 bad_vectors[] = {
    {not_a_number, 0.0, 0.0}, {0.0, infinite, 0.0}, {0.0, 0.0, -infinite}};

} // namespace

TEST(CApiBody, BadDefinitionsAreRefused) {
    Running s;
    twang_world* w = s.world.get();
    const std::uint32_t pins[] = {1, 2, 9};
    std::vector<double> xyz(27, 0.5), nan_at_4(27, 0.5), inf_at_8(27, 0.5);
    nan_at_4[13] = not_a_number;
    inf_at_8[26] = infinite;
    twang_solver_def no_iterations, local_global, unknown;
    no_iterations.iterations = 0;
    unknown.solver = static_cast<twang_solver>(6);
    const twang_body marker{7, 8, 9};
    twang_body body = marker;
    const auto create = [&](std::function<void(twang_body_def&)> spoil) {
        return [&, spoil] {
            twang_body_def def;
            spoil(def);
            const twang_status status = twang_body_create(w, s.model.get(), &def, &body);
            EXPECT_EQ(std::memcmp(&body, &marker, sizeof body), 0) << "the handle is written";
            return status;
        };
    };
    using Def = twang_body_def;
    expect_refused(
        s, {{create([&](Def& d) { d.pins = pins, d.pin_count = 3; }), TWANG_INDEX_OUT_OF_RANGE,
             "pin 2 names vertex 9"},
            {create([&](Def& d) { d.pin_count = 3; }), TWANG_INVALID_ARGUMENT, "pins"},
            {create([&](Def& d) { d.positions = nan_at_4.data(); }), TWANG_NOT_FINITE,
             "position of vertex 4"},
            {create([&](Def& d) { d.positions = inf_at_8.data(); }), TWANG_NOT_FINITE, "vertex 8"},
            {create([&](Def& d) { d.velocities = nan_at_4.data(); }), TWANG_NOT_FINITE,
             "velocity of vertex 4"},
            {create([&](Def& d) { d.solver = &no_iterations; }), TWANG_OUT_OF_RANGE, "iterations"},
            {create([&](Def& d) { d.solver = &unknown; }), TWANG_INVALID_ARGUMENT, "solver 6"},
            {create([&](Def& d) { d.energy = TWANG_STVK, d.solver = &local_global; }),
             TWANG_UNSUPPORTED, "stvk"},
            {create([&](Def& d) { d.energy = TWANG_STVK; }), TWANG_UNSUPPORTED, "local-global"}});
}

TEST(CApiBody, StvkNeedsRestLengths) {
    const double positions[6] = {0, 0, 0, 1, 0, 0};
    twang_spring_def spring;
    spring.b = 1;
    spring.rest_length = 0.0;
    twang_mesh_def mesh;
    mesh.positions = positions;
    mesh.vertex_count = 2;
    mesh.springs = &spring;
    mesh.spring_count = 1;
    const Model model = make_model(mesh);
    const World world = make_world(plain(TWANG_SOLVER_NEWTON));
    twang_body_def def;
    def.energy = TWANG_STVK;
    twang_body body{};
    EXPECT_TRUE(fails(TWANG_OUT_OF_RANGE, "spring 0",
                      twang_body_create(world.get(), model.get(), &def, &body)));
}

TEST(CApiBody, ASystemThatCannotBeFactoredMakesNoBody) {
    twang_world_def def = plain();
    def.time_step = 1e-200;
    const World world = make_world(def);
    const Model model = cloth(3, 3);
    const twang_body_def body_def;
    twang_body body{1, 2, 3};
    EXPECT_TRUE(fails(TWANG_FACTOR_FAILED, "finite",
                      twang_body_create(world.get(), model.get(), &body_def, &body)));
    EXPECT_EQ(body.generation, 3u);
    std::size_t bytes = 0, empty = 0;
    ASSERT_TRUE(ok(twang_world_snapshot_size(world.get(), &bytes)));
    ASSERT_TRUE(ok(twang_world_snapshot_size(make_world(plain()).get(), &empty)));
    EXPECT_EQ(bytes, empty);
}

TEST(CApiBody, BadVerticesAndVectorsAreRefused) {
    Running s;
    twang_world* w = s.world.get();
    const twang_body b = s.body;
    std::int32_t answer = 7;
    std::vector<Row> rows = {
        {[&] { return twang_body_pin(w, b, 9); }, TWANG_INDEX_OUT_OF_RANGE, "vertex 9 of 9"},
        {[&] { return twang_body_pin_at(w, b, 4000000000u, {}); }, TWANG_INDEX_OUT_OF_RANGE,
         "vertex 4000000000"},
        {[&] { return twang_body_unpin(w, b, 10); }, TWANG_INDEX_OUT_OF_RANGE, "vertex 10"},
        {[&] { return twang_body_is_pinned(w, b, 11, &answer); }, TWANG_INDEX_OUT_OF_RANGE,
         "vertex 11"},
        {[&] { return twang_body_add_force(w, b, 12, {}); }, TWANG_INDEX_OUT_OF_RANGE, "vertex 12"},
    };
    for (const twang_vec3 bad : bad_vectors) {
        rows.push_back(
            {[=] { return twang_body_pin_at(w, b, 3, bad); }, TWANG_NOT_FINITE, "vertex 3"});
        rows.push_back(
            {[=] { return twang_body_add_force(w, b, 4, bad); }, TWANG_NOT_FINITE, "vertex 4"});
        rows.push_back(
            {[=] { return twang_world_set_gravity(w, bad); }, TWANG_NOT_FINITE, "gravity"});
        rows.push_back(
            {[=] { return twang_world_set_wind(w, bad, 1.0); }, TWANG_NOT_FINITE, "wind"});
        rows.push_back({[=, ball = s.ball] { return twang_collider_move_to(w, ball, bad); },
                        TWANG_NOT_FINITE, "centre"});
        rows.push_back({[=, ball = s.ball] {
                            return twang_collider_move(w, ball, {}, {bad.x, bad.y, bad.z, 1.0});
                        },
                        TWANG_NOT_FINITE, "rotation"});
    }
    rows.push_back({[w, ball = s.ball] { return twang_collider_move(w, ball, {}, {}); },
                    TWANG_OUT_OF_RANGE, "length 0"});
    rows.push_back({[w, ball = s.ball] { return twang_collider_move_ends(w, ball, {}, {}); },
                    TWANG_UNSUPPORTED, "capsules"});
    expect_refused(s, rows);
    EXPECT_EQ(answer, 7);
}

TEST(CApiBody, BadArraysAreRefused) {
    Running s;
    twang_world* w = s.world.get();
    const twang_body b = s.body;
    std::vector<double> xyz(300, 0.25), spoilt(27, 0.25);
    spoilt[20] = not_a_number; // only the last component of the last vertex but two
    const auto kept = xyz;
    expect_refused(s, {{[&] { return twang_body_set_positions(w, b, nullptr, 9); },
                        TWANG_INVALID_ARGUMENT, "xyz"},
                       {[&] { return twang_body_set_positions(w, b, xyz.data(), 8); },
                        TWANG_INVALID_ARGUMENT, "8 vertices"},
                       {[&] { return twang_body_set_positions(w, b, xyz.data(), 10); },
                        TWANG_INVALID_ARGUMENT, "10 vertices"},
                       {[&] { return twang_body_set_positions(w, b, spoilt.data(), 9); },
                        TWANG_NOT_FINITE, "vertex 6"},
                       {[&] { return twang_body_set_velocities(w, b, nullptr, 9); },
                        TWANG_INVALID_ARGUMENT, "xyz"},
                       {[&] { return twang_body_set_velocities(w, b, xyz.data(), 0); },
                        TWANG_INVALID_ARGUMENT, "0 vertices"},
                       {[&] { return twang_body_set_velocities(w, b, spoilt.data(), 9); },
                        TWANG_NOT_FINITE, "vertex 6"},
                       {[&] { return twang_body_copy_positions(w, b, nullptr, 9); },
                        TWANG_INVALID_ARGUMENT, "xyz"},
                       {[&] { return twang_body_copy_positions(w, b, xyz.data(), 100); },
                        TWANG_INVALID_ARGUMENT, "100 vertices"},
                       {[&] { return twang_body_copy_velocities(w, b, xyz.data(), 1); },
                        TWANG_INVALID_ARGUMENT, "1 vertices"}});
    EXPECT_EQ(xyz, kept);
}

TEST(CApiBody, BadSettingsOfARunningWorldAreRefused) {
    Running s;
    twang_world* w = s.world.get();
    twang_solver_def bad_iterations, bad_tolerance, nan_tolerance, unknown;
    bad_iterations.iterations = -3;
    bad_tolerance.tolerance = -1.0;
    nan_tolerance.tolerance = not_a_number;
    unknown.solver = static_cast<twang_solver>(7);
    std::vector<Row> rows = {
        {[&] { return twang_world_set_time_step(w, 0.0); }, TWANG_OUT_OF_RANGE, "time step"},
        {[&] { return twang_world_set_time_step(w, -1.0); }, TWANG_OUT_OF_RANGE, "-1"},
        {[&] { return twang_world_set_time_step(w, infinite); }, TWANG_NOT_FINITE, "time step"},
        {[&] {
             return twang_world_set_wind(w, {9.0, 9.0, 9.0}, -1.0);
         },
         TWANG_OUT_OF_RANGE, "drag"},
        {[&] {
             return twang_world_set_wind(w, {9.0, 9.0, 9.0}, not_a_number);
         },
         TWANG_NOT_FINITE, "drag"},
        {[&] { return twang_world_advance(w, -0.1, nullptr, nullptr); }, TWANG_OUT_OF_RANGE,
         "-0.1"},
        {[&] { return twang_world_advance(w, not_a_number, nullptr, nullptr); }, TWANG_NOT_FINITE,
         "advance"},
        {[&] { return twang_world_set_solver(w, nullptr); }, TWANG_INVALID_ARGUMENT, "solver"},
        {[&] { return twang_body_set_solver(w, s.body, nullptr); }, TWANG_INVALID_ARGUMENT,
         "solver"},
    };
    for (const twang_solver_def* def :
         {&bad_iterations, &bad_tolerance, &nan_tolerance, &unknown}) {
        const twang_status answer = def == &unknown         ? TWANG_INVALID_ARGUMENT
                                    : def == &nan_tolerance ? TWANG_NOT_FINITE
                                                            : TWANG_OUT_OF_RANGE;
        rows.push_back({[=] { return twang_world_set_solver(w, def); }, answer, ""});
        rows.push_back({[=, b = s.body] { return twang_body_set_solver(w, b, def); }, answer, ""});
    }
    expect_refused(s, rows);
}

TEST(CApiBody, BadCollidersAreRefused) {
    Running s;
    const twang_collider marker{7, 8, 9};
    twang_collider made = marker;
    const auto create = [&](std::function<void(twang_collider_def&)> spoil) {
        return [&, spoil] {
            twang_collider_def def;
            spoil(def);
            return twang_collider_create(s.world.get(), &def, &made);
        };
    };
    using Def = twang_collider_def;
    std::vector<Row> rows = {
        {create([](Def& d) { d.radius = 0.0; }), TWANG_OUT_OF_RANGE, "radius"},
        {create([](Def& d) { d.shape = TWANG_SHAPE_CAPSULE, d.radius = -1.0; }), TWANG_OUT_OF_RANGE,
         "-1"},
        {create([](Def& d) { d.shape = TWANG_SHAPE_CAPSULE, d.end_radius = 0.0; }),
         TWANG_OUT_OF_RANGE, "end radius 0"},
        {create([](Def& d) { d.shape = TWANG_SHAPE_CAPSULE, d.end_radius = -2.0; }),
         TWANG_OUT_OF_RANGE, "TWANG_SAME"},
        {create([](Def& d) { d.end_radius = infinite; }), TWANG_NOT_FINITE, "number"},
        {create([](Def& d) { d.shape = TWANG_SHAPE_PLANE, d.normal = {}; }), TWANG_OUT_OF_RANGE,
         "normal"},
        {create([](Def& d) { d.shape = TWANG_SHAPE_BOX, d.half_extents.y = 0.0; }),
         TWANG_OUT_OF_RANGE, "half extents"},
        {create([](Def& d) { d.thickness = -0.1; }), TWANG_OUT_OF_RANGE, "thickness"},
        {create([](Def& d) { d.friction = -0.1; }), TWANG_OUT_OF_RANGE, "friction"},
        {create([](Def& d) { d.radius = infinite; }), TWANG_NOT_FINITE, "number"},
        {create([](Def& d) { d.friction = not_a_number; }), TWANG_NOT_FINITE, "number"},
    };
    for (const twang_vec3 bad : bad_vectors)
        for (const auto member : {&Def::centre, &Def::end, &Def::normal, &Def::half_extents})
            rows.push_back({create([=](Def& d) { d.*member = bad; }), TWANG_NOT_FINITE, "vector"});
    expect_refused(s, rows);
    EXPECT_EQ(std::memcmp(&made, &marker, sizeof made), 0);
}

TEST(CApiBody, NullPointersAreRefused) {
    Running s;
    twang_world* w = s.world.get();
    const twang_body b = s.body;
    const twang_body_def def;
    const twang_collider_def ball_def;
    twang_body body{};
    const twang_status invalid = TWANG_INVALID_ARGUMENT;
    expect_refused(
        s,
        {{[&] { return twang_body_create(nullptr, s.model.get(), &def, &body); }, invalid, "world"},
         {[&] { return twang_body_create(w, nullptr, &def, &body); }, invalid, "model"},
         {[&] { return twang_body_create(w, s.model.get(), nullptr, &body); }, invalid, "def"},
         {[&] { return twang_body_create(w, s.model.get(), &def, nullptr); }, invalid, "body"},
         {[&] { return twang_body_is_pinned(w, b, 0, nullptr); }, invalid, "pinned"},
         {[&] { return twang_body_vertex_count(w, b, nullptr); }, invalid, "count"},
         {[&] { return twang_body_get_report(w, b, nullptr); }, invalid, "report"},
         {[&] { return twang_body_get_precomputation(w, b, nullptr); }, invalid, "null"},
         {[&] { return twang_body_measure(w, b, nullptr); }, invalid, "measures"},
         {[&] { return twang_world_get_report(w, nullptr); }, invalid, "report"},
         {[&] { return twang_world_get_time_step(w, nullptr); }, invalid, "seconds"},
         {[&] { return twang_collider_create(w, nullptr, nullptr); }, invalid, "def"},
         {[&] { return twang_collider_create(w, &ball_def, nullptr); }, invalid, "collider"},
         {[&] { return twang_world_step(nullptr); }, invalid, "world"},
         {[&] { return twang_world_advance(nullptr, 1.0, nullptr, nullptr); }, invalid, "world"},
         {[&] { return twang_world_set_time_step(nullptr, 1.0); }, invalid, "world"},
         {[&] { return twang_body_destroy(nullptr, b); }, invalid, "world"},
         {[&] { return twang_collider_destroy(nullptr, s.ball); }, invalid, "world"}});
    EXPECT_EQ(twang_body_positions(nullptr, b), nullptr);
    EXPECT_EQ(twang_body_velocities(w, {}), nullptr);
}
