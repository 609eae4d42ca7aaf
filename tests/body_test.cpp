// body: what goes in comes out in the caller's order, reset goes back to the beginning, figures
// match their definitions, and bodies of one kind share one factor.
#include "world/body.hpp"

#include <cmath>

#include "api_support.hpp"

using namespace api;

namespace {

std::vector<double> ramp(std::size_t vertices, double first, double step) {
    std::vector<double> xyz(3 * vertices);
    for (std::size_t i = 0; i < xyz.size(); ++i) xyz[i] = first + step * static_cast<double>(i);
    return xyz;
}

std::vector<double> masses(const Model& model, std::size_t count) {
    std::vector<double> kg(count);
    EXPECT_TRUE(ok(twang_model_copy_masses(model.get(), kg.data(), count)));
    return kg;
}

void expect_floats_follow_doubles(const World& world, twang_body body) {
    const auto x = positions(world, body), v = velocities(world, body);
    const float* fx = twang_body_positions(world.get(), body);
    const float* fv = twang_body_velocities(world.get(), body);
    ASSERT_TRUE(fx && fv);
    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(fx[i], static_cast<float>(x[i])) << i;
        ASSERT_EQ(fv[i], static_cast<float>(v[i])) << i;
    }
}

} // namespace

TEST(Body, StartsWhereItsDefinitionSays) {
    const Model model = cloth(5, 4);
    const World world = make_world(plain());
    const auto x = ramp(20, -1.0, 0.01), v = ramp(20, 0.5, -0.25);
    twang_body_def def;
    def.positions = x.data();
    def.velocities = v.data();
    twang_body body{};
    ASSERT_TRUE(ok(twang_body_create(world.get(), model.get(), &def, &body)));
    EXPECT_EQ(positions(world, body), x);
    EXPECT_EQ(velocities(world, body), v);
    expect_floats_follow_doubles(world, body);
}

TEST(Body, StartsInTheRestShapeAtRestByDefault) {
    Scene s(5, 4);
    std::vector<double> rest(60);
    ASSERT_TRUE(ok(twang_model_copy_rest_positions(s.model.get(), rest.data(), 20)));
    EXPECT_EQ(positions(s.world, s.body), rest);
    EXPECT_EQ(velocities(s.world, s.body), std::vector<double>(60, 0.0));
    // Vertex r * columns + c is at spacing * (c across + r down).
    const twang_vec3 corner = position(s.world, s.body, 2 * 5 + 3);
    EXPECT_DOUBLE_EQ(corner.x, 0.09);
    EXPECT_DOUBLE_EQ(corner.y, -0.06);
}

TEST(Body, PositionsAndVelocitiesCanBeSet) {
    Scene s(5, 4);
    const auto x = ramp(20, 3.0, 0.1), v = ramp(20, 1.0, 1.0);
    ASSERT_TRUE(ok(twang_body_set_positions(s.world.get(), s.body, x.data(), 20)));
    EXPECT_EQ(positions(s.world, s.body), x);
    EXPECT_EQ(velocities(s.world, s.body), std::vector<double>(60, 0.0));
    expect_floats_follow_doubles(s.world, s.body);
    ASSERT_TRUE(ok(twang_body_set_velocities(s.world.get(), s.body, v.data(), 20)));
    EXPECT_EQ(positions(s.world, s.body), x);
    EXPECT_EQ(velocities(s.world, s.body), v);
    expect_floats_follow_doubles(s.world, s.body);
}

TEST(Body, FloatsAreFreshAfterEveryStepAtTheSameAddress) {
    Scene s(5, 4, plain(), {0});
    const float* x = twang_body_positions(s.world.get(), s.body);
    const float* v = twang_body_velocities(s.world.get(), s.body);
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(steps(s.world, 1));
        EXPECT_EQ(twang_body_positions(s.world.get(), s.body), x);
        EXPECT_EQ(twang_body_velocities(s.world.get(), s.body), v);
        expect_floats_follow_doubles(s.world, s.body);
    }
    EXPECT_LT(x[3 * 19 + 1], -0.09f) << "it fell";
}

TEST(Body, ResetGoesBackToTheBeginning) {
    for (const twang_solver solver : dynamic_solvers) {
        SCOPED_TRACE(name(solver));
        twang_world_def def = plain(solver);
        def.time_step = 1e-3;
        Scene s(5, 4, def, {0, 4});
        const auto begin = bits(s.world, s.body);
        ASSERT_TRUE(steps(s.world, 10));
        const auto tenth = bits(s.world, s.body);
        ASSERT_TRUE(ok(twang_body_unpin(s.world.get(), s.body, 0)));
        ASSERT_TRUE(ok(twang_body_pin_at(s.world.get(), s.body, 4, {9.0, 9.0, 9.0})));
        ASSERT_TRUE(ok(twang_body_pin(s.world.get(), s.body, 17)));
        ASSERT_TRUE(steps(s.world, 2));
        ASSERT_TRUE(ok(twang_body_unpin(s.world.get(), s.body, 4)));
        ASSERT_TRUE(ok(twang_body_add_force(s.world.get(), s.body, 7, {5.0, 5.0, 5.0})));

        ASSERT_TRUE(ok(twang_body_reset(s.world.get(), s.body)));
        EXPECT_TRUE(same(bits(s.world, s.body), begin));
        expect_floats_follow_doubles(s.world, s.body);
        EXPECT_TRUE(pinned(s.world, s.body, 0));
        EXPECT_TRUE(pinned(s.world, s.body, 4));
        EXPECT_FALSE(pinned(s.world, s.body, 17));
        ASSERT_TRUE(steps(s.world, 10)); // the queued force and pins are gone too
        EXPECT_TRUE(same(bits(s.world, s.body), tenth));
    }
}

TEST(Body, MeasuresAreWhatTheySay) {
    Scene s(3, 2);
    const auto x = ramp(6, 0.0, 0.02), v = ramp(6, -1.0, 0.3);
    ASSERT_TRUE(ok(twang_body_set_positions(s.world.get(), s.body, x.data(), 6)));
    ASSERT_TRUE(ok(twang_body_set_velocities(s.world.get(), s.body, v.data(), 6)));
    twang_model_info info{};
    ASSERT_TRUE(ok(twang_model_get_info(s.model.get(), &info)));
    std::vector<twang_spring_def> springs(info.springs);
    ASSERT_TRUE(ok(twang_model_copy_springs(s.model.get(), springs.data(), springs.size())));
    const auto kg = masses(s.model, 6);

    double kinetic = 0.0, speed = 0.0, total = 0.0, centre[3] = {}, momentum[3] = {};
    for (std::size_t i = 0; i < 6; ++i) {
        double square = 0.0;
        for (std::size_t c = 0; c < 3; ++c) {
            square += v[3 * i + c] * v[3 * i + c];
            centre[c] += kg[i] * x[3 * i + c];
            momentum[c] += kg[i] * v[3 * i + c];
        }
        kinetic += 0.5 * kg[i] * square;
        speed += std::sqrt(square) / 6.0;
        total += kg[i];
    }
    double elastic = 0.0, most = 0.0, mean = 0.0;
    int structural = 0;
    for (const twang_spring_def& spring : springs) {
        const double* a = &x[3 * spring.a];
        const double* b = &x[3 * spring.b];
        const double l = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), r = spring.rest_length;
        elastic += 0.5 * spring.stiffness * (l - r) * (l - r);
        if (spring.kind != TWANG_STRUCTURAL) continue;
        most = std::max(most, std::abs(l / r - 1.0));
        mean += std::abs(l / r - 1.0);
        ++structural;
    }
    ASSERT_EQ(structural, 7);

    const twang_measures m = measures(s.world, s.body);
    EXPECT_NEAR(total, 0.2, 1e-15);
    EXPECT_NEAR(m.kinetic_energy, kinetic, 1e-12 * kinetic);
    EXPECT_NEAR(m.elastic_energy, elastic, 1e-12 * elastic);
    EXPECT_NEAR(m.max_stretch, most, 1e-12 * most);
    EXPECT_NEAR(m.mean_stretch, mean / structural, 1e-12 * most);
    EXPECT_NEAR(m.mean_speed, speed, 1e-12 * speed);
    EXPECT_NEAR(m.centre.x, centre[0] / total, 1e-14);
    EXPECT_NEAR(m.centre.z, centre[2] / total, 1e-14);
    EXPECT_NEAR(m.momentum.y, momentum[1], 1e-14);
    const twang_report r = report(s.world, s.body);
    EXPECT_EQ(r.kinetic_energy, m.kinetic_energy);
    EXPECT_EQ(r.elastic_energy, m.elastic_energy);
}

TEST(Body, TheHashSeesEveryBitAndTheOrder) {
    Scene s(3, 2);
    const auto x = ramp(6, 1.0, 0.5);
    const auto hash_with = [&](std::vector<double> changed) {
        EXPECT_TRUE(ok(twang_body_set_positions(s.world.get(), s.body, changed.data(), 6)));
        return hash(s.world, s.body);
    };
    const std::uint64_t original = hash_with(x);
    // In the caller's order: positions, velocities, and what there is of the step before.
    using twang::core::hash_doubles;
    const std::vector<double> rest(3 * 18, 0.0);
    EXPECT_EQ(original, hash_doubles(hash_doubles(0, x.data(), 18), rest.data(), rest.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
        auto nudged = x;
        nudged[i] = std::nextafter(nudged[i], 10.0);
        EXPECT_NE(hash_with(nudged), original) << i;
    }
    auto swapped = x;
    std::swap(swapped[0], swapped[9]);
    EXPECT_NE(hash_with(swapped), original);
    EXPECT_EQ(hash_with(x), original);
    const std::vector<double> v(18, 1e-300);
    ASSERT_TRUE(ok(twang_body_set_velocities(s.world.get(), s.body, v.data(), 6)));
    EXPECT_NE(hash(s.world, s.body), original);
}

// The same positions and velocities, come to in another way: what is next differs, and the hash.
TEST(Body, TheHashSeesTheStepBefore) {
    twang_world_def def = plain();
    def.gravity = {};
    Scene moving(3, 2, def), fresh(3, 2, def);
    ASSERT_TRUE(ok(twang_body_add_force(moving.world.get(), moving.body, 4, {0.0, 0.1, 0.0})));
    ASSERT_TRUE(steps(moving.world, 2));
    const auto x = positions(moving.world, moving.body), v = velocities(moving.world, moving.body);
    ASSERT_TRUE(ok(twang_body_set_positions(fresh.world.get(), fresh.body, x.data(), 6)));
    ASSERT_TRUE(ok(twang_body_set_velocities(fresh.world.get(), fresh.body, v.data(), 6)));
    ASSERT_TRUE(same(bits(fresh.world, fresh.body), bits(moving.world, moving.body)));
    EXPECT_NE(hash(fresh.world, fresh.body), hash(moving.world, moving.body));
    ASSERT_TRUE(steps(moving.world, 1) && steps(fresh.world, 1));
    EXPECT_FALSE(same(bits(fresh.world, fresh.body), bits(moving.world, moving.body)));
}

TEST(Body, BodiesOfOneKindShareAFactor) {
    twang_world_def def = plain();
    def.refactor_delay = 0;
    Scene s(6, 6, def, {0});
    const twang_body same = add(s.world, s.model, {0}), other = add(s.world, s.model, {1});
    EXPECT_EQ(precomputation(s.world, s.body).shared_by, 2);
    EXPECT_EQ(precomputation(s.world, same).shared_by, 2);
    EXPECT_EQ(precomputation(s.world, other).shared_by, 1);
    EXPECT_EQ(precomputation(s.world, s.body).n, 36u);
    EXPECT_GE(precomputation(s.world, s.body).l_nonzeros,
              precomputation(s.world, s.body).q_nonzeros);

    ASSERT_TRUE(ok(twang_body_unpin(s.world.get(), other, 1)));
    ASSERT_TRUE(ok(twang_body_pin(s.world.get(), other, 0)));
    ASSERT_TRUE(steps(s.world, 1)); // now it is of the same kind
    EXPECT_EQ(precomputation(s.world, other).shared_by, 3);
    ASSERT_TRUE(ok(twang_body_destroy(s.world.get(), same)));
    EXPECT_EQ(precomputation(s.world, s.body).shared_by, 2);
}

TEST(Body, TwinsMoveAlikeAndApartFromEachOther) {
    Scene s(5, 5, plain(), {0}), alone(5, 5, plain(), {0});
    const twang_body twin = add(s.world, s.model, {0});
    for (int i = 0; i < 10; ++i) { // forces on one are not felt by the other
        ASSERT_TRUE(ok(twang_body_add_force(s.world.get(), twin, 12, {0.0, 0.0, 1.0})));
        ASSERT_TRUE(steps(s.world, 1));
    }
    ASSERT_TRUE(steps(alone.world, 10));
    EXPECT_TRUE(same(bits(s.world, s.body), bits(alone.world, alone.body)));
    EXPECT_NE(hash(s.world, s.body), hash(s.world, twin));
}

TEST(Body, OutlivesItsModel) {
    Scene s(5, 5, plain(), {0}), kept(5, 5, plain(), {0});
    s.model.reset();
    ASSERT_TRUE(steps(s.world, 5));
    ASSERT_TRUE(steps(kept.world, 5));
    EXPECT_TRUE(same(bits(s.world, s.body), bits(kept.world, kept.body)));
}

TEST(Body, ChangesItsSolverBetweenSteps) {
    twang_world_def at_once = plain();
    at_once.refactor_delay = 0;
    Scene s(5, 5, at_once, {0});
    for (int round = 0; round < 2; ++round)
        for (const twang_solver solver : every_solver) {
            const twang_solver_def def = solver_def(solver);
            ASSERT_TRUE(ok(twang_body_set_solver(s.world.get(), s.body, &def)));
            ASSERT_TRUE(ok(twang_world_set_time_step(
                s.world.get(), solver == TWANG_SOLVER_SYMPLECTIC ? 1e-4 : 1.0 / 60.0)));
            ASSERT_TRUE(steps(s.world, 2)) << name(solver);
        }
    // Newton after all this is Newton from the start.
    const twang_solver_def newton = solver_def(TWANG_SOLVER_NEWTON);
    ASSERT_TRUE(ok(twang_body_reset(s.world.get(), s.body)));
    ASSERT_TRUE(ok(twang_world_set_time_step(s.world.get(), 1.0 / 60.0)));
    ASSERT_TRUE(ok(twang_body_set_solver(s.world.get(), s.body, &newton)));
    Scene fresh(5, 5, plain(TWANG_SOLVER_NEWTON), {0});
    ASSERT_TRUE(steps(s.world, 3));
    ASSERT_TRUE(steps(fresh.world, 3));
    EXPECT_TRUE(same(bits(s.world, s.body), bits(fresh.world, fresh.body)));
}
