// The range of float: positions, velocities and normals are given out as floats, and all of these
// are finite. What is beyond the range is refused where it is set, and a step that would reach it
// fails.
#include <cmath>

#include "api_support.hpp"

using namespace api;

namespace {

constexpr double too_far = 3.5e38; // finite in double only

testing::AssertionResult floats_are_finite(const Scene& s) {
    const std::size_t n = 3 * vertex_count(s.world, s.body);
    std::vector<float> normals(n), drawn(n);
    EXPECT_TRUE(ok(twang_body_copy_normals(s.world.get(), s.body, normals.data(), 12)));
    EXPECT_TRUE(ok(twang_body_copy_interpolated(s.world.get(), s.body, drawn.data(), 12)));
    const float* arrays[] = {twang_body_positions(s.world.get(), s.body),
                             twang_body_velocities(s.world.get(), s.body), normals.data(),
                             drawn.data()};
    for (const float*& array : arrays)
        for (std::size_t i = 0; i < n; ++i)
            if (!std::isfinite(array[i]))
                return testing::AssertionFailure()
                       << "array " << &array - arrays << " has " << array[i] << " at " << i;
    return testing::AssertionSuccess();
}

std::vector<double> scaled(std::vector<double> xyz, double factor) {
    for (double& value : xyz) value *= factor;
    return xyz;
}

} // namespace

// The cloth spans about a metre: scaled, its corners are the largest coordinates.
TEST(FloatRange, NormalsAreOfLengthOneUpToItsEnd) {
    Scene s(4, 4);
    const auto rest = positions(s.world, s.body);
    double most = 0.0;
    for (const double value : rest) most = std::max(most, std::abs(value));
    for (const double size : {1e30, 1e38, 3.4e38}) {
        const auto x = scaled(rest, size / most);
        ASSERT_TRUE(ok(twang_body_set_positions(s.world.get(), s.body, x.data(), 16)));
        EXPECT_TRUE(floats_are_finite(s)) << size;
        float normals[48];
        ASSERT_TRUE(ok(twang_body_copy_normals(s.world.get(), s.body, normals, 12)));
        for (int i = 0; i < 48; i += 3)
            EXPECT_NEAR(std::hypot(normals[i], normals[i + 1], normals[i + 2]), 1.0, 1e-6);
    }
    for (const double size : {too_far, 1e160, 1e300}) {
        const auto before = snapshot(s.world);
        const auto x = scaled(rest, size / most);
        EXPECT_TRUE(fails(TWANG_OUT_OF_RANGE, "too large for float",
                          twang_body_set_positions(s.world.get(), s.body, x.data(), 16)))
            << size;
        EXPECT_TRUE(snapshot(s.world) == before);
        EXPECT_TRUE(floats_are_finite(s)) << size;
    }
    const auto flat = scaled(rest, 0.0);
    ASSERT_TRUE(ok(twang_body_set_positions(s.world.get(), s.body, flat.data(), 16)));
    EXPECT_TRUE(floats_are_finite(s)) << "no area";
}

TEST(FloatRange, BeyondItEveryCallRefuses) {
    Scene s(4, 4, plain(), {0});
    twang_world* w = s.world.get();
    twang_grab_def grab;
    twang_grab held{}, other{};
    ASSERT_TRUE(ok(twang_body_grab(w, s.body, &grab, &held)));
    grab.target = {too_far, 0.0, 0.0};
    ASSERT_TRUE(steps(s.world, 3));
    const auto before = snapshot(s.world);
    std::vector<double> v(48, 0.0);
    v[7] = -too_far;
    const double targets[] = {0.0, 0.0, too_far};
    const std::uint32_t vertex = 0;
    const auto refused = [&](const char* words, twang_status status) {
        EXPECT_TRUE(fails(TWANG_OUT_OF_RANGE, words, status));
        EXPECT_TRUE(snapshot(s.world) == before);
        EXPECT_TRUE(floats_are_finite(s));
    };
    refused("velocity of vertex 2", twang_body_set_velocities(w, s.body, v.data(), 16));
    refused("vertex 3", twang_body_add_impulse(w, s.body, 3, {1e38, 0.0, 0.0}));
    refused("infinitely far", twang_body_teleport(w, s.body, {0, 0, 0, 1}, {}, {0, too_far, 0}));
    refused("vertex 5", twang_body_pin_at(w, s.body, 5, {0.0, too_far, 0.0}));
    refused("vertex 0", twang_body_set_pin_targets(w, s.body, &vertex, targets, 1));
    refused("target of the grab", twang_body_grab(w, s.body, &grab, &other));
    refused("target of the grab", twang_body_move_grab(w, s.body, held, grab.target));

    twang_body_def def;
    twang_body body{};
    def.velocities = v.data();
    EXPECT_TRUE(fails(TWANG_OUT_OF_RANGE, "velocity of vertex 2",
                      twang_body_create(w, s.model.get(), &def, &body)));
    twang_mesh_def mesh;
    mesh.positions = targets;
    mesh.vertex_count = 1;
    twang_model* model = nullptr;
    EXPECT_TRUE(fails(TWANG_OUT_OF_RANGE, "vertex 0", twang_model_create_mesh(&mesh, &model)));
    twang_fine_mesh_def fine;
    fine.positions = targets;
    fine.vertex_count = 1;
    twang_embedding* embedding = nullptr;
    EXPECT_TRUE(fails(TWANG_OUT_OF_RANGE, "vertex 0",
                      twang_embedding_create(s.model.get(), &fine, &embedding)));
}

TEST(FloatRange, AnInfiniteForceOnAPinFailsTheStep) {
    for (const twang_pin_method method : pin_methods) {
        twang_world_def def = plain();
        def.pin_method = method;
        Scene s(4, 4, def, {0});
        ASSERT_TRUE(steps(s.world, 3));
        for (int i = 0; i < 2; ++i) // their sum is infinite, each of them is not
            ASSERT_TRUE(ok(twang_body_add_force(s.world.get(), s.body, 0, {0.0, 1e308, 0.0})));
        EXPECT_TRUE(is(TWANG_DIVERGED, twang_world_step(s.world.get())));
        twang_vec3 force{}, torque{};
        ASSERT_TRUE(
            ok(twang_body_pin_force(s.world.get(), s.body, nullptr, 0, {}, &force, &torque)));
        EXPECT_TRUE(std::isfinite(force.y)) << force.y;
        EXPECT_TRUE(std::isfinite(torque.x + torque.z));
    }
}

// Without springs between them nothing is infinite in double: only in float.
TEST(FloatRange, AStepThatLeavesItFailsAndIsRolledBack) {
    for (const twang_solver solver : dynamic_solvers) {
        SCOPED_TRACE(name(solver));
        twang_world_def def = plain(solver);
        def.time_step = 1.0;
        Scene s(1, 1, def);
        const double v[] = {3e38, 0.0, 0.0};
        ASSERT_TRUE(ok(twang_body_set_velocities(s.world.get(), s.body, v, 1)));
        twang_status status = TWANG_OK;
        for (int i = 0; i < 5 && status == TWANG_OK; ++i) {
            status = twang_world_step(s.world.get());
            EXPECT_TRUE(floats_are_finite(s)) << i;
        }
        EXPECT_TRUE(is(TWANG_DIVERGED, status));
        EXPECT_TRUE(floats_are_finite(s));
        EXPECT_EQ(report(s.world, s.body).enabled, 0);
    }
}
