// The C border, models and worlds: every row of the input table gets its answer, the message names
// the offender, and nothing has changed. Every status there is comes up at least once.
#include <cmath>
#include <functional>
#include <set>
#include <stdexcept>

#include "allocation_hooks.hpp"

using namespace api;

namespace {

template <class Def>
struct Row {
    std::function<void(Def&)> spoil;
    twang_status answer;
    const char* words;
};

twang_model* const untouched = reinterpret_cast<twang_model*>(0x1);

template <class Def>
void expect_no_model(twang_status (*create)(const Def*, twang_model**), const Def& def,
                     twang_status status, const char* words) {
    twang_model* model = untouched;
    EXPECT_TRUE(fails(status, words, create(&def, &model))) << words;
    EXPECT_EQ(model, untouched) << words;
}

// A strip of two triangles with one of everything, to be spoilt.
struct Mesh {
    double positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    std::uint32_t triangles[6] = {0, 1, 2, 1, 3, 2};
    std::uint32_t quads[4] = {0, 1, 3, 2};
    std::uint32_t polygons[7] = {0, 1, 2, TWANG_END, 1, 3, 2};
    std::uint32_t tetrahedra[4] = {0, 1, 2, 3};
    std::uint32_t polylines[5] = {0, 1, TWANG_END, 2, 3};
    twang_spring_def springs[2];
    double masses[4] = {1, 1, 1, 1};
    twang_mesh_def def;
    Mesh() {
        springs[0].a = 0, springs[0].b = 3;
        springs[1].a = 1, springs[1].b = 2;
        def.positions = positions, def.vertex_count = 4;
        def.triangles = triangles, def.triangle_count = 2;
        def.quads = quads, def.quad_count = 1;
        def.polygons = polygons, def.polygon_index_count = 7;
        def.tetrahedra = tetrahedra, def.tetrahedron_count = 1;
        def.polylines = polylines, def.polyline_index_count = 5;
        def.springs = springs, def.spring_count = 2;
        def.masses = masses;
    }
};

twang_status step_in_new_world(twang_world_def def, double mass, double stiffness) {
    twang_cloth_def thread;
    thread.columns = 20;
    thread.rows = 1;
    thread.mass = mass;
    thread.stiffness = stiffness;
    const Model model = make_model(thread);
    const World world = make_world(def);
    const twang_body_def body_def;
    twang_body body{};
    const twang_status made = twang_body_create(world.get(), model.get(), &body_def, &body);
    return made == TWANG_OK ? twang_world_step(world.get()) : made;
}

} // namespace

TEST(CApi, BadClothsAreRefused) {
    using Def = twang_cloth_def;
    const std::vector<Row<Def>> rows = {
        {[](Def& d) { d.columns = 0; }, TWANG_OUT_OF_RANGE, "0 columns"},
        {[](Def& d) { d.rows = 0; }, TWANG_OUT_OF_RANGE, "0 rows"},
        {[](Def& d) { d.columns = d.rows = 0xFFFFFFFFu; }, TWANG_TOO_LARGE, "4294967295 x"},
        {[](Def& d) { d.columns = 20000, d.rows = 20000; }, TWANG_TOO_LARGE, "20000 x 20000"},
        {[](Def& d) { d.spacing = 0.0; }, TWANG_OUT_OF_RANGE, "spacing"},
        {[](Def& d) { d.spacing = -1.0; }, TWANG_OUT_OF_RANGE, "spacing"},
        {[](Def& d) { d.spacing = not_a_number; }, TWANG_NOT_FINITE, "spacing"},
        {[](Def& d) { d.mass = 0.0; }, TWANG_OUT_OF_RANGE, "mass"},
        {[](Def& d) { d.mass = infinite; }, TWANG_NOT_FINITE, "mass"},
        {[](Def& d) { d.stiffness = -1.0; }, TWANG_OUT_OF_RANGE, "stiffness"},
        {[](Def& d) { d.stiffness = not_a_number; }, TWANG_NOT_FINITE, "stiffness"},
        {[](Def& d) { d.shear = -1e-9; }, TWANG_OUT_OF_RANGE, "shear"},
        {[](Def& d) { d.bend = infinite; }, TWANG_NOT_FINITE, "bend"},
        {[](Def& d) { d.origin.z = not_a_number; }, TWANG_NOT_FINITE, "origin"},
        {[](Def& d) { d.across.x = infinite; }, TWANG_NOT_FINITE, "across"},
        {[](Def& d) { d.down.y = -infinite; }, TWANG_NOT_FINITE, "down"},
        {[](Def& d) { d.spacing = 1e308; }, TWANG_NOT_FINITE, "vertex"},
    };
    for (const auto& row : rows) {
        twang_cloth_def def;
        row.spoil(def);
        expect_no_model(twang_model_create_cloth, def, row.answer, row.words);
    }
}

TEST(CApi, BadMeshesAreRefusedAndTheOffenderIsNamed) {
    const std::vector<Row<Mesh>> rows = {
        {[](Mesh& m) { m.def.vertex_count = 0; }, TWANG_OUT_OF_RANGE, "vertex"},
        {[](Mesh& m) { m.def.positions = nullptr; }, TWANG_INVALID_ARGUMENT, "positions"},
        {[](Mesh& m) { m.def.triangles = nullptr; }, TWANG_INVALID_ARGUMENT, "triangles"},
        {[](Mesh& m) { m.def.quads = nullptr; }, TWANG_INVALID_ARGUMENT, "quads"},
        {[](Mesh& m) { m.def.polygons = nullptr; }, TWANG_INVALID_ARGUMENT, "polygons"},
        {[](Mesh& m) { m.def.tetrahedra = nullptr; }, TWANG_INVALID_ARGUMENT, "tetrahedra"},
        {[](Mesh& m) { m.def.polylines = nullptr; }, TWANG_INVALID_ARGUMENT, "polylines"},
        {[](Mesh& m) { m.def.springs = nullptr; }, TWANG_INVALID_ARGUMENT, "springs"},
        {[](Mesh& m) { m.def.vertex_count = 0xFFFFFFFFu; }, TWANG_TOO_LARGE, "4294967295"},
        {[](Mesh& m) { m.def.vertex_count = 200'000'000; }, TWANG_TOO_LARGE, "200000000"},
        {[](Mesh& m) { m.def.spring_count = 0xFFFFFFFFu; }, TWANG_TOO_LARGE, "springs"},
        {[](Mesh& m) { m.positions[7] = not_a_number; }, TWANG_NOT_FINITE, "vertex 2"},
        {[](Mesh& m) { m.positions[11] = infinite; }, TWANG_NOT_FINITE, "vertex 3"},
        {[](Mesh& m) { m.masses[1] = not_a_number; }, TWANG_NOT_FINITE, "vertex 1"},
        {[](Mesh& m) { m.masses[3] = 0.0; }, TWANG_OUT_OF_RANGE, "vertex 3"},
        {[](Mesh& m) { m.masses[2] = -5.0; }, TWANG_OUT_OF_RANGE, "vertex 2"},
        {[](Mesh& m) { m.triangles[5] = 4; }, TWANG_INDEX_OUT_OF_RANGE,
         "triangle 1 names vertex 4"},
        {[](Mesh& m) { m.quads[0] = 99; }, TWANG_INDEX_OUT_OF_RANGE, "quad 0 names vertex 99"},
        {[](Mesh& m) { m.polygons[6] = 7; }, TWANG_INDEX_OUT_OF_RANGE, "polygon 1 names vertex 7"},
        {[](Mesh& m) { m.tetrahedra[2] = 8; }, TWANG_INDEX_OUT_OF_RANGE, "tetrahedron 0"},
        {[](Mesh& m) { m.polylines[3] = 9; }, TWANG_INDEX_OUT_OF_RANGE, "polyline 1"},
        {[](Mesh& m) { m.springs[1].b = 1000; }, TWANG_INDEX_OUT_OF_RANGE, "spring 1"},
        {[](Mesh& m) { m.springs[1].stiffness = not_a_number; }, TWANG_NOT_FINITE, "spring 1"},
        {[](Mesh& m) { m.springs[0].rest_length = infinite; }, TWANG_NOT_FINITE, "spring 0"},
        {[](Mesh& m) { m.springs[1].stiffness = -1.0; }, TWANG_OUT_OF_RANGE, "spring 1"},
        {[](Mesh& m) { m.springs[0].rest_length = -2.0; }, TWANG_OUT_OF_RANGE, "spring 0"},
        {[](Mesh& m) { m.springs[1].kind = static_cast<twang_spring_kind>(3); },
         TWANG_INVALID_ARGUMENT, "spring 1"},
        {[](Mesh& m) { m.def.stiffness = -1.0; }, TWANG_OUT_OF_RANGE, "stiffness"},
        {[](Mesh& m) { m.def.shear = not_a_number; }, TWANG_NOT_FINITE, "shear"},
        {[](Mesh& m) { m.def.bend = -1.0; }, TWANG_OUT_OF_RANGE, "bend"},
        {[](Mesh& m) { m.def.density = -1.0; }, TWANG_OUT_OF_RANGE, "density"},
        {[](Mesh& m) { m.def.masses = nullptr, m.def.mass = 0.0; }, TWANG_OUT_OF_RANGE, "mass"},
        {[](Mesh& m) { m.def.masses = nullptr, m.def.mass = infinite; }, TWANG_NOT_FINITE, "mass"},
    };
    for (const auto& row : rows) {
        Mesh mesh;
        row.spoil(mesh);
        expect_no_model(twang_model_create_mesh, mesh.def, row.answer, row.words);
    }
    EXPECT_TRUE(make_model(Mesh().def)) << "unspoilt it is fine";
}

TEST(CApi, OddButLegalModelsWorkWithEverySolver) {
    Mesh lonely, stiffless, collapsed;
    twang_mesh_def no_springs;
    no_springs.positions = lonely.positions;
    no_springs.vertex_count = 4;
    stiffless.def.stiffness = 0.0;
    stiffless.springs[0].stiffness = stiffless.springs[1].stiffness = 0.0;
    collapsed.springs[0].rest_length = 0.0;
    for (const twang_mesh_def* def : {&no_springs, &stiffless.def, &collapsed.def})
        for (const twang_solver solver : dynamic_solvers) {
            SCOPED_TRACE(name(solver));
            const Model model = make_model(*def);
            const World world = make_world(plain(solver));
            const twang_body free = add(world, model), held = add(world, model, {0, 1, 2, 3});
            ASSERT_TRUE(steps(world, 5));
            for (const twang_body body : {free, held})
                for (const double value : positions(world, body)) ASSERT_TRUE(std::isfinite(value));
            EXPECT_LT(measures(world, free).momentum.y, 0.0) << "it falls";
            EXPECT_NEAR(measures(world, held).momentum.y, 0.0, 1e-5);
        }
}

TEST(CApi, WhatAMeshHoldsTooMuchOfIsCounted) {
    Mesh mesh;
    mesh.def.positions = mesh.positions;
    mesh.springs[0].a = mesh.springs[0].b = 2;    // self edge
    mesh.triangles[3] = mesh.triangles[4] = 3;    // degenerate
    mesh.polylines[3] = 1, mesh.polylines[4] = 0; // 0-1 again, backwards
    const Model model = make_model(mesh.def);
    twang_model_info info{};
    ASSERT_TRUE(ok(twang_model_get_info(model.get(), &info)));
    EXPECT_EQ(info.notes.self_edges, 1u);
    EXPECT_EQ(info.notes.degenerate_faces, 1u);
    EXPECT_EQ(info.notes.duplicate_edges, 1u);
    EXPECT_EQ(info.notes.isolated_vertices, 0u);
}

TEST(CApi, ModelCallsCheckTheirPointersAndCounts) {
    Mesh mesh;
    Model model = make_model(mesh.def);
    twang_model* none = nullptr;
    twang_model_info info{};
    std::vector<twang_spring_def> springs(100);
    std::vector<std::uint32_t> indices(100);
    std::vector<double> doubles(100);
    const twang_model* m = model.get();
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_model_create_cloth(nullptr, &none)));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_model_create_mesh(nullptr, &none)));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_model_create_mesh(&mesh.def, nullptr)));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_model_destroy(nullptr)));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_model_destroy(&none)));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_model_get_info(nullptr, &info)));
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_model_get_info(m, nullptr)));
    ASSERT_TRUE(ok(twang_model_get_info(m, &info)));
    const std::size_t s = info.springs, t = 3 * info.triangles;
    const struct {
        twang_status right, too_many, no_array, no_model;
    } copies[] = {
        {twang_model_copy_springs(m, springs.data(), s),
         twang_model_copy_springs(m, springs.data(), s + 1),
         twang_model_copy_springs(m, nullptr, s),
         twang_model_copy_springs(nullptr, springs.data(), s)},
        {twang_model_copy_triangles(m, indices.data(), t),
         twang_model_copy_triangles(m, indices.data(), t + 1),
         twang_model_copy_triangles(m, nullptr, t),
         twang_model_copy_triangles(nullptr, indices.data(), t)},
        {twang_model_copy_masses(m, doubles.data(), 4),
         twang_model_copy_masses(m, doubles.data(), 5), twang_model_copy_masses(m, nullptr, 4),
         twang_model_copy_masses(nullptr, doubles.data(), 4)},
        {twang_model_copy_rest_positions(m, doubles.data(), 4),
         twang_model_copy_rest_positions(m, doubles.data(), 5),
         twang_model_copy_rest_positions(m, nullptr, 4),
         twang_model_copy_rest_positions(nullptr, doubles.data(), 4)}};
    for (const auto& copy : copies) {
        EXPECT_TRUE(ok(copy.right));
        EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, copy.too_many));
        EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, copy.no_array));
        EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, copy.no_model));
    }
    twang_model* raw = model.release();
    EXPECT_TRUE(ok(twang_model_destroy(&raw)));
    EXPECT_EQ(raw, nullptr);
}

TEST(CApi, BadWorldsAreRefused) {
    using Def = twang_world_def;
    const std::vector<Row<Def>> rows = {
        {[](Def& d) { d.time_step = 0.0; }, TWANG_OUT_OF_RANGE, "time step"},
        {[](Def& d) { d.time_step = -0.01; }, TWANG_OUT_OF_RANGE, "-0.01"},
        {[](Def& d) { d.time_step = 1.1e6; }, TWANG_OUT_OF_RANGE, "1.1e+06"},
        {[](Def& d) { d.time_step = not_a_number; }, TWANG_NOT_FINITE, "time step"},
        {[](Def& d) { d.gravity.x = infinite; }, TWANG_NOT_FINITE, "gravity"},
        {[](Def& d) { d.workers = -1; }, TWANG_OUT_OF_RANGE, "-1 workers"},
        {[](Def& d) { d.workers = TWANG_MAX_WORKERS + 1; }, TWANG_OUT_OF_RANGE, "257 workers"},
        {[](Def& d) { d.damping = -0.5; }, TWANG_OUT_OF_RANGE, "damping"},
        {[](Def& d) { d.damping = not_a_number; }, TWANG_NOT_FINITE, "damping"},
        {[](Def& d) { d.max_catch_up = 0; }, TWANG_OUT_OF_RANGE, "max_catch_up"},
        {[](Def& d) { d.solver.iterations = 0; }, TWANG_OUT_OF_RANGE, "iterations"},
        {[](Def& d) { d.solver.tolerance = -1.0; }, TWANG_OUT_OF_RANGE, "tolerance"},
        {[](Def& d) { d.solver.tolerance = infinite; }, TWANG_NOT_FINITE, "tolerance"},
        {[](Def& d) { d.solver.solver = static_cast<twang_solver>(6); }, TWANG_INVALID_ARGUMENT,
         "solver 6"},
    };
    for (const auto& row : rows) {
        twang_world_def def = plain();
        row.spoil(def);
        twang_world* world = nullptr;
        EXPECT_TRUE(fails(row.answer, row.words, twang_world_create(&def, &world)));
        EXPECT_EQ(world, nullptr) << row.words;
    }
    const twang_world_def def;
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_world_create(&def, nullptr)));
    twang_world* world = nullptr;
    EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, twang_world_create(nullptr, &world)));
}

TEST(CApi, DefaultsAreThoseOfTheHeader) {
    for (const twang_status status :
         {twang_default_cloth(nullptr), twang_default_mesh(nullptr), twang_default_spring(nullptr),
          twang_default_world(nullptr), twang_default_body(nullptr),
          twang_default_collider(nullptr), twang_default_solver(TWANG_SOLVER_NEWTON, nullptr)})
        EXPECT_TRUE(is(TWANG_INVALID_ARGUMENT, status));
    twang_world_def world;
    world.time_step = 77.0;
    EXPECT_TRUE(ok(twang_default_world(&world)));
    EXPECT_EQ(world.time_step, 1.0 / 60.0);
    EXPECT_EQ(world.gravity.y, -9.8);
    twang_solver_def solver;
    solver.iterations = 77;
    EXPECT_TRUE(fails(TWANG_INVALID_ARGUMENT, "solver 7",
                      twang_default_solver(static_cast<twang_solver>(7), &solver)));
    EXPECT_EQ(solver.iterations, 77);
    for (const twang_solver each : every_solver) {
        EXPECT_TRUE(ok(twang_default_solver(each, &solver)));
        EXPECT_EQ(solver.solver, each);
    }
}

// One way to each status. The table in twang.h has no code that cannot happen.
TEST(CApi, EveryStatusIsProduced) {
    Scene s(3, 3, plain(), {0});
    twang_world* w = s.world.get();
    const twang_solver_def local_global;
    const auto bytes = snapshot(s.world);
    std::set<twang_status> seen{TWANG_OK};
    const auto expect = [&](twang_status status, twang_status got) {
        EXPECT_TRUE(is(status, got));
        seen.insert(got);
    };
    expect(TWANG_INVALID_ARGUMENT, twang_world_step(nullptr));
    expect(TWANG_NOT_FINITE, twang_world_set_time_step(w, not_a_number));
    expect(TWANG_OUT_OF_RANGE, twang_world_set_time_step(w, 0.0));
    expect(TWANG_INDEX_OUT_OF_RANGE, twang_body_pin(w, s.body, 9));
    twang_body_def stvk;
    stvk.energy = TWANG_STVK;
    stvk.solver = &local_global;
    twang_body body{};
    expect(TWANG_UNSUPPORTED, twang_body_create(w, s.model.get(), &stvk, &body));
    twang_world_def tiny = plain();
    tiny.time_step = 1e-200;
    expect(TWANG_FACTOR_FAILED, step_in_new_world(tiny, 1.0, 1.0));
    twang_world_def second = plain();
    second.time_step = 1.0;
    expect(TWANG_ILL_CONDITIONED, step_in_new_world(second, 1e-6, 1e8));
    twang_world_def explicit_steps = plain(TWANG_SOLVER_SYMPLECTIC);
    twang_status status = TWANG_OK;
    Scene stiff(3, 3, explicit_steps, {0});
    ASSERT_TRUE(ok(twang_world_set_time_step(stiff.world.get(), 1.0)));
    for (int i = 0; i < 1000 && status == TWANG_OK; ++i)
        status = twang_world_step(stiff.world.get());
    expect(TWANG_DIVERGED, status);
    expect(TWANG_NO_EQUILIBRIUM, step_in_new_world(plain(TWANG_SOLVER_STATIC), 1.0, 1.0));
    twang_cloth_def cloth_def;
    twang_model* model = nullptr;
    {
        hooks::Failing failing(0);
        status = twang_model_create_cloth(&cloth_def, &model);
    }
    expect(TWANG_OUT_OF_MEMORY, status);
    cloth_def.columns = cloth_def.rows = 100'000;
    expect(TWANG_TOO_LARGE, twang_model_create_cloth(&cloth_def, &model));
    auto other = bytes;
    other.pop_back();
    expect(TWANG_BAD_SNAPSHOT, twang_world_restore(w, other.data(), other.size()));
    other = bytes;
    other[8] = std::byte{77};
    expect(TWANG_VERSION_MISMATCH, twang_world_restore(w, other.data(), other.size()));
    const World empty = make_world(plain());
    expect(TWANG_MESH_MISMATCH, twang_world_restore(empty.get(), bytes.data(), bytes.size()));
    std::pair<twang_world*, twang_status> reentry{w, TWANG_OK};
    const auto reenter = [](void* user, const twang_iteration*) {
        auto& [world, answer] = *static_cast<std::pair<twang_world*, twang_status>*>(user);
        answer = twang_world_step(world);
    };
    ASSERT_TRUE(ok(twang_world_set_iteration_callback(w, reenter, &reentry)));
    ASSERT_TRUE(ok(twang_world_step(w)));
    expect(TWANG_BUSY, reentry.second);
    const auto throws = [](void*, const twang_iteration*) { throw std::runtime_error("oops"); };
    ASSERT_TRUE(ok(twang_world_set_iteration_callback(w, throws, nullptr)));
    expect(TWANG_INTERNAL, twang_world_step(w));
    EXPECT_STREQ(twang_last_error(), "oops");
    ASSERT_TRUE(ok(twang_world_set_iteration_callback(w, nullptr, nullptr))) << "not left busy";
    const twang_report r = report(s.world, s.body);
    EXPECT_EQ(r.enabled, r.status == TWANG_OK) << "a body that was set aside says why";
    ASSERT_TRUE(ok(twang_body_destroy(w, s.body)));
    expect(TWANG_STALE_HANDLE, twang_body_destroy(w, s.body));
    for (int i = 0; i < TWANG_STATUS_COUNT; ++i)
        EXPECT_EQ(seen.count(static_cast<twang_status>(i)), 1u)
            << twang_status_name(static_cast<twang_status>(i));
}
