// The same calls give the same bits: for any number of workers, in every run, with every solver,
// and whatever other bodies come and go in the same world.
#include "api_support.hpp"

using namespace api;

namespace {

constexpr std::uint32_t side = 46; // 2,116 vertices: enough to be shared out among workers

// Keeps direct solvers affordable: what they do in an iteration is what can go wrong.
twang_solver_def few_iterations(twang_solver solver) {
    twang_solver_def def = solver_def(solver);
    def.iterations = solver == TWANG_SOLVER_LOCAL_GLOBAL ? 10 : 2;
    def.tolerance = 0.0;
    return def;
}

struct Outcome {
    std::vector<std::uint64_t> state;
    std::uint64_t hash;
    double residual;
};

// A cloth with wind, a ball, a dragged pin and a force: every stage of the frame has work to do.
Outcome simulate(const Model& model, twang_solver solver, int workers, int count) {
    twang_world_def def = plain();
    def.workers = workers;
    def.solver = few_iterations(solver);
    def.damping = 0.1;
    if (solver == TWANG_SOLVER_SYMPLECTIC) def.time_step = 1e-4;
    const World world = make_world(def);
    const twang_body body = add(world, model, {0, side - 1});
    twang_collider_def ball;
    ball.centre = {0.6, -0.6, 0.0};
    ball.radius = 0.2;
    twang_collider handle{};
    EXPECT_TRUE(ok(twang_collider_create(world.get(), &ball, &handle)));
    EXPECT_TRUE(ok(twang_world_set_wind(world.get(), {0.5, 0.1, 3.0}, 0.7)));
    for (int i = 0; i < count; ++i) {
        const double t = 0.01 * i;
        EXPECT_TRUE(ok(twang_body_pin_at(world.get(), body, 0, {t, t, -t})));
        EXPECT_TRUE(ok(twang_body_add_force(world.get(), body, side * 20 + 20, {0.0, 0.3, t})));
        EXPECT_TRUE(ok(twang_collider_move_to(world.get(), handle, {0.6, -0.6, t})));
        EXPECT_TRUE(steps(world, 1));
    }
    return {bits(world, body), hash(world, body), report(world, body).residual};
}

class Determinism : public testing::TestWithParam<twang_solver> {};

} // namespace

TEST_P(Determinism, TheBitsDoNotDependOnTheWorkersOrTheRun) {
    const Model model = cloth(side, side);
    twang_model_info info{};
    ASSERT_TRUE(ok(twang_model_get_info(model.get(), &info)));
    ASSERT_GE(info.springs, 10'000u);
    ASSERT_GE(info.vertices, 2'048u);
    const bool factors = GetParam() == TWANG_SOLVER_NEWTON || GetParam() == TWANG_SOLVER_LINEAR ||
                         GetParam() == TWANG_SOLVER_STATIC;
    const int count = factors ? 1 : sanitized ? 2 : 8;
    const Outcome first = simulate(model, GetParam(), 1, count);
    EXPECT_GT(first.residual, 0.0);
    for (int run = 0; run < (sanitized ? 1 : 3); ++run)
        for (const int workers : {0, 1, 2, 3, 4, 8}) {
            const Outcome again = simulate(model, GetParam(), workers, count);
            EXPECT_TRUE(same(again.state, first.state)) << workers << " workers, run " << run;
            EXPECT_EQ(again.hash, first.hash) << workers << " workers, run " << run;
            EXPECT_EQ(again.residual, first.residual) << workers << " workers, run " << run;
        }
}

INSTANTIATE_TEST_SUITE_P(EverySolver, Determinism, testing::ValuesIn(every_solver),
                         [](const auto& solver) { return name(solver.param); });

TEST(DeterminismOf, AModelBuiltTwice) {
    const Model one = cloth(side, side), two = cloth(side, side);
    const Outcome a = simulate(one, TWANG_SOLVER_LOCAL_GLOBAL, 2, 3);
    const Outcome b = simulate(two, TWANG_SOLVER_LOCAL_GLOBAL, 2, 3);
    EXPECT_TRUE(same(a.state, b.state));
}

TEST(DeterminismOf, AVolumeWhoseOrderIsDrawnByLot) {
    // Large volumes are ordered by METIS, which draws random numbers: the host's must not matter,
    // and must not be used up.
    constexpr std::uint32_t n = 10;
    std::vector<double> positions;
    std::vector<std::uint32_t> tetrahedra;
    const auto at = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
        return (z * n + y) * n + x;
    };
    for (std::uint32_t z = 0; z < n; ++z)
        for (std::uint32_t y = 0; y < n; ++y)
            for (std::uint32_t x = 0; x < n; ++x) {
                positions.insert(positions.end(), {0.1 * x, 0.1 * y, 0.1 * z});
                if (x + 1 < n && y + 1 < n && z + 1 < n)
                    tetrahedra.insert(tetrahedra.end(), {at(x, y, z), at(x + 1, y, z),
                                                         at(x, y + 1, z), at(x, y, z + 1)});
            }
    twang_mesh_def def;
    def.positions = positions.data();
    def.vertex_count = n * n * n;
    def.tetrahedra = tetrahedra.data();
    def.tetrahedron_count = static_cast<std::uint32_t>(tetrahedra.size() / 4);
    const auto build_and_step = [&](unsigned seed) {
        std::srand(seed);
        const int expected = std::rand();
        std::srand(seed);
        const Model model = make_model(def);
        EXPECT_EQ(std::rand(), expected) << "the host's random numbers were disturbed";
        const World world = make_world(plain());
        const twang_body body = add(world, model, {0});
        EXPECT_TRUE(steps(world, 3));
        return bits(world, body);
    };
    const auto first = build_and_step(1);
    for (const unsigned seed : {2u, 12345u}) EXPECT_TRUE(same(build_and_step(seed), first));
}

TEST(DeterminismOf, ABodyWhileOthersComeAndGo) {
    for (const twang_solver solver : every_solver) {
        SCOPED_TRACE(name(solver));
        twang_world_def def = plain(solver);
        if (solver == TWANG_SOLVER_SYMPLECTIC) def.time_step = 1e-4;
        const Model other = cloth(5, 3);
        Scene alone(7, 6, def, {0, 6}), crowded(7, 6, def, {0, 6});
        std::vector<twang_body> others;
        for (int i = 0; i < 20; ++i) {
            if (i % 3 == 0) others.push_back(add(crowded.world, other, {0}));
            if (i % 5 == 1) others.push_back(add(crowded.world, crowded.model, {0, 6}));
            if (i % 4 == 3) {
                ASSERT_TRUE(ok(twang_body_destroy(crowded.world.get(), others.front())));
                others.erase(others.begin());
            }
            ASSERT_TRUE(steps(alone.world, 1));
            ASSERT_TRUE(steps(crowded.world, 1));
        }
        EXPECT_TRUE(same(bits(crowded.world, crowded.body), bits(alone.world, alone.body)));
    }
}
