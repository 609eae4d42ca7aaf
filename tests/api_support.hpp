// Shared by the tests that go through the public API: owners for models and worlds, the whole state
// of a body or a world as a value that compares bit by bit, and readable status checks.
#pragma once

#include <gtest/gtest.h>
#include <twang/twang.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TWANG_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TWANG_SANITIZED 1
#endif
#endif
#ifndef TWANG_SANITIZED
#define TWANG_SANITIZED 0
#endif

namespace api {

inline constexpr bool sanitized = TWANG_SANITIZED;
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinite = std::numeric_limits<double>::infinity();

inline constexpr twang_solver every_solver[] = {TWANG_SOLVER_LOCAL_GLOBAL, TWANG_SOLVER_NEWTON,
                                                TWANG_SOLVER_NEWTON_CG,    TWANG_SOLVER_LINEAR,
                                                TWANG_SOLVER_SYMPLECTIC,   TWANG_SOLVER_STATIC};
inline constexpr twang_solver dynamic_solvers[] = {TWANG_SOLVER_LOCAL_GLOBAL, TWANG_SOLVER_NEWTON,
                                                   TWANG_SOLVER_NEWTON_CG, TWANG_SOLVER_LINEAR,
                                                   TWANG_SOLVER_SYMPLECTIC};
inline constexpr twang_pin_method pin_methods[] = {TWANG_PIN_PENALTY, TWANG_PIN_ELIMINATION};

inline const char* name(twang_solver solver) {
    constexpr const char* names[] = {"local_global", "newton",     "newton_cg",
                                     "linear",       "symplectic", "static"};
    return names[solver];
}

// ---- Status -----------------------------------------------------------------------------------

// EXPECT_TRUE(is(TWANG_OK, call)): the failure prints both names and the engine's message.
inline testing::AssertionResult is(twang_status expected, twang_status got) {
    if (got == expected) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << twang_status_name(got) << " instead of " << twang_status_name(expected)
           << "; last error: " << twang_last_error();
}
inline testing::AssertionResult ok(twang_status got) { return is(TWANG_OK, got); }

// The same, and the engine's message holds `words`.
inline testing::AssertionResult fails(twang_status expected, const std::string& words,
                                      twang_status got) {
    if (got != expected) return is(expected, got);
    const std::string message = twang_last_error();
    if (message.find(words) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "\"" << message << "\" does not say \"" << words << "\"";
}

// ---- Owners -----------------------------------------------------------------------------------

struct Destroy {
    void operator()(twang_model* model) const { twang_model_destroy(&model); }
    void operator()(twang_world* world) const { twang_world_destroy(&world); }
};
using Model = std::unique_ptr<twang_model, Destroy>;
using World = std::unique_ptr<twang_world, Destroy>;

inline Model make_model(const twang_cloth_def& def) {
    twang_model* model = nullptr;
    EXPECT_TRUE(ok(twang_model_create_cloth(&def, &model)));
    return Model(model);
}
inline Model make_model(const twang_mesh_def& def) {
    twang_model* model = nullptr;
    EXPECT_TRUE(ok(twang_model_create_mesh(&def, &model)));
    return Model(model);
}
inline Model cloth(std::uint32_t columns, std::uint32_t rows) {
    twang_cloth_def def;
    def.columns = columns;
    def.rows = rows;
    return make_model(def);
}

inline World make_world(const twang_world_def& def) {
    twang_world* world = nullptr;
    EXPECT_TRUE(ok(twang_world_create(&def, &world)));
    return World(world);
}
inline twang_solver_def solver_def(twang_solver solver) {
    twang_solver_def def;
    EXPECT_TRUE(ok(twang_default_solver(solver, &def)));
    return def;
}
// One worker, everything else as by default.
inline twang_world_def plain(twang_solver solver = TWANG_SOLVER_LOCAL_GLOBAL) {
    twang_world_def def;
    def.workers = 1;
    def.solver = solver_def(solver);
    return def;
}

inline twang_body add(const World& world, const Model& model,
                      std::vector<std::uint32_t> pins = {}) {
    twang_body_def def;
    def.pins = pins.data();
    def.pin_count = static_cast<std::uint32_t>(pins.size());
    twang_body body{};
    EXPECT_TRUE(ok(twang_body_create(world.get(), model.get(), &def, &body)));
    return body;
}

// The most common scene: one cloth in one world.
struct Scene {
    Model model;
    World world;
    twang_body body;
    Scene(std::uint32_t columns, std::uint32_t rows, const twang_world_def& def = plain(),
          std::vector<std::uint32_t> pins = {})
        : model(cloth(columns, rows)),
          world(make_world(def)),
          body(add(world, model, std::move(pins))) {}
};

// ---- State ------------------------------------------------------------------------------------

inline std::size_t vertex_count(const World& world, twang_body body) {
    std::uint32_t count = 0;
    EXPECT_TRUE(ok(twang_body_vertex_count(world.get(), body, &count)));
    return count;
}
inline std::vector<double> positions(const World& world, twang_body body) {
    std::vector<double> xyz(3 * vertex_count(world, body));
    EXPECT_TRUE(ok(twang_body_copy_positions(world.get(), body, xyz.data(), xyz.size() / 3)));
    return xyz;
}
inline std::vector<double> velocities(const World& world, twang_body body) {
    std::vector<double> xyz(3 * vertex_count(world, body));
    EXPECT_TRUE(ok(twang_body_copy_velocities(world.get(), body, xyz.data(), xyz.size() / 3)));
    return xyz;
}
inline twang_vec3 position(const World& world, twang_body body, std::size_t vertex) {
    const std::vector<double> xyz = positions(world, body);
    return {xyz[3 * vertex], xyz[3 * vertex + 1], xyz[3 * vertex + 2]};
}
inline twang_report report(const World& world, twang_body body) {
    twang_report report{};
    EXPECT_TRUE(ok(twang_body_get_report(world.get(), body, &report)));
    return report;
}
inline twang_precomputation precomputation(const World& world, twang_body body) {
    twang_precomputation found{};
    EXPECT_TRUE(ok(twang_body_get_precomputation(world.get(), body, &found)));
    return found;
}
inline twang_measures measures(const World& world, twang_body body) {
    twang_measures measures{};
    EXPECT_TRUE(ok(twang_body_measure(world.get(), body, &measures)));
    return measures;
}
inline std::uint64_t hash(const World& world, twang_body body) {
    return measures(world, body).state_hash;
}
inline bool pinned(const World& world, twang_body body, std::uint32_t vertex) {
    std::int32_t answer = -1;
    EXPECT_TRUE(ok(twang_body_is_pinned(world.get(), body, vertex, &answer)));
    return answer == 1;
}

// Positions, then velocities, as bits: equal means the same bits, -0 and NaN included.
inline std::vector<std::uint64_t> bits(const World& world, twang_body body) {
    std::vector<std::uint64_t> words;
    for (const auto& values : {positions(world, body), velocities(world, body)})
        for (const double value : values) words.push_back(std::bit_cast<std::uint64_t>(value));
    return words;
}

inline testing::AssertionResult same(const std::vector<std::uint64_t>& a,
                                     const std::vector<std::uint64_t>& b) {
    if (a.size() != b.size()) return testing::AssertionFailure() << "sizes differ";
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] != b[i])
            return testing::AssertionFailure()
                   << "value " << i << " of " << a.size() << ": " << std::bit_cast<double>(a[i])
                   << " and " << std::bit_cast<double>(b[i]);
    return testing::AssertionSuccess();
}

// Positions, velocities, pins, forces, colliders and times of a world, and how its bodies are.
inline std::vector<std::byte> snapshot(const World& world) {
    std::size_t bytes = 0;
    EXPECT_TRUE(ok(twang_world_snapshot_size(world.get(), &bytes)));
    std::vector<std::byte> buffer(bytes);
    EXPECT_TRUE(ok(twang_world_save(world.get(), buffer.data(), bytes)));
    return buffer;
}

inline testing::AssertionResult steps(const World& world, int count) {
    for (int i = 0; i < count; ++i)
        if (const twang_status status = twang_world_step(world.get()); status != TWANG_OK)
            return is(TWANG_OK, status) << ", in step " << i;
    return testing::AssertionSuccess();
}

// A small generator of our own, so that the same events come on every machine.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint32_t below(std::uint32_t limit) { return next() % limit; }
    double between(double low, double high) { return low + (high - low) * (next() / 4294967296.0); }
    twang_vec3 vector(double size) {
        const double x = between(-size, size), y = between(-size, size);
        return {x, y, between(-size, size)};
    }

private:
    std::uint32_t next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(state_ >> 33) * 2654435761u ^
               static_cast<std::uint32_t>(state_ >> 32);
    }
    std::uint64_t state_;
};

} // namespace api
