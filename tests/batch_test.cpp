// Eight bodies side by side: every kernel, and the whole solve, gives each of eight different
// bodies the bits it has alone; one that goes wrong is handed back as it was and disturbs nobody.
#include "solver/batch.hpp"

#include <cstring>
#include <limits>

#include "base/cpu.hpp"
#include "scenes.hpp"
#include "solver/joint.hpp"

namespace twang::test {
namespace {

void solve_alone(core::SolveContext& context) {
    core::Joint joint(context);
    core::local_global(joint);
}

using core::AlignedArray;
using core::batch_width;
using core::Float4;
using core::Mix;
using core::vertex_stride;
using core::VertexArray;

constexpr double h = 0.02;

// Of 1,040 vertices as of 40, and of no multiple of eight.
std::vector<Net> nets() { return {cloth_net(26, 40), cloth_net(13, 11), block_net(7, 6, 5, 0.1)}; }

template <class T>
std::uint64_t bits_of(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T>
AlignedArray<T> room(std::size_t n) {
    AlignedArray<T> made(vertex_stride * (n + 1));
    std::fill_n(made.data(), made.size(), T(0));
    return made;
}
// One body's vectors into its lane.
template <class V, class T>
void put(const VertexArray<V>& from, int lane, AlignedArray<T>& to) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        T* at = to.data() + vertex_stride * i + lane;
        at[0] = from[i].x, at[batch_width] = from[i].y, at[2 * batch_width] = from[i].z;
    }
}
template <class V, class T>
testing::AssertionResult same(const VertexArray<V>& alone, int lane, const T* together) {
    for (std::size_t i = 0; i < alone.size(); ++i) {
        const T* at = together + vertex_stride * i + lane;
        if (bits_of(alone[i].x) != bits_of(at[0]) ||
            bits_of(alone[i].y) != bits_of(at[batch_width]) ||
            bits_of(alone[i].z) != bits_of(at[2 * batch_width]))
            return testing::AssertionFailure() << "vertex " << i << " of body " << lane << ": "
                                               << alone[i].x << ", side by side " << at[0];
    }
    return testing::AssertionSuccess();
}

VertexArray<Float4> random_vectors(std::size_t n, Random& random) {
    VertexArray<Float4> made(n);
    for (Float4& v : made) {
        const Vec3 a = random.vector(1.0);
        v = {float(a.x), float(a.y), float(a.z), 0.0f};
    }
    return made;
}

struct Shared {
    std::shared_ptr<const core::Model> model;
    std::shared_ptr<const core::System> system;
    std::vector<char> held;

    explicit Shared(const Net& net, twang_pin_method method = TWANG_PIN_PENALTY)
        : model(inner_model(net.def())), held(net.size(), 0) {
        held[model->to_inner[0]] = held[model->to_inner[5]] = 1;
        EXPECT_EQ(core::make_system({model, TWANG_HOOKE, method, TWANG_PRECISION_FLOAT,
                                     TWANG_ARITHMETIC_FAST, h, held},
                                    system),
                  TWANG_OK);
    }
};

// A body, shaken out of its rest shape, in the middle of a step.
struct Lane {
    const Shared& shared;
    core::Pins pins;
    core::UpdatedSystem live;
    core::Workspace work;
    twang_solver_def settings;
    twang_report report{};
    core::StageClock clock{report.ms};
    core::Jobs jobs{1};
    core::Objective objective;
    core::SolveContext context;

    Lane(const Shared& with, int seed, double extent, int iterations = 10)
        : shared(with),
          pins(with.held.size()),
          live(with.system),
          work(with.held.size()),
          settings{.solver = TWANG_SOLVER_LOCAL_GLOBAL,
                   .iterations = iterations,
                   .tolerance = 0.0,
                   .acceleration = TWANG_ACCELERATION_TWO_LEVEL,
                   .budget_ms = 0.0},
          objective{*with.model, *with.model,   live,    pins,
                    TWANG_HOOKE, work.y.data(), nullptr, work.weights.data()},
          context{objective, settings, h,    nullptr, nullptr, jobs,  nullptr,
                  nullptr,   {},       work, nullptr, clock,   report} {
        const core::Model& model = *with.model;
        Random random(seed);
        work.fit(*with.system, settings);
        work.integrator = {0.0, h, 1.0};
        for (std::size_t i = 0; i < work.x.size(); ++i) {
            if (with.held[i]) pins.pin(i, model.rest_positions[i] + random.vector(0.01));
            work.x[i] = model.rest_positions[i] + random.vector(extent);
            work.y[i] = work.x[i] + random.vector(extent);
            work.weights[i] = model.masses[i] / (h * h);
        }
        pins.apply_changes(work.x.data());
        live.pin_weights = with.system->pin_weights;
    }
    Lane(const Lane&) = delete;
};

std::vector<std::unique_ptr<Lane>> lanes(const Shared& shared, int count, double extent,
                                         int iterations = 10, int seed = 100) {
    std::vector<std::unique_ptr<Lane>> made;
    for (int k = 0; k < count; ++k)
        made.push_back(std::make_unique<Lane>(shared, seed + k, extent, iterations));
    return made;
}

class Batch : public testing::Test {
protected:
    void SetUp() override {
        if (!core::cpu_has_avx2()) GTEST_SKIP() << "needs AVX2";
    }
};

void expect_gather_as_alone(const Shared& shared, int seed) {
    const auto bodies = lanes(shared, batch_width, 0.01, 10, seed);
    const std::size_t n = shared.held.size();
    auto x = room<double>(n), y = room<double>(n);
    auto gradient = room<float>(n);
    for (Lane* far : {bodies[1].get(), bodies[6].get()}) // where inertia has a say in the energy
        for (Vec3& target : far->work.y) target += Vec3{3.0, 1.0, 2.0};
    for (int k = 0; k < batch_width; ++k)
        put(bodies[k]->work.x, k, x), put(bodies[k]->work.y, k, y);
    alignas(32) double energy[batch_width];
    const core::BatchGatherInput input{shared.model->gather, n, x.data(), y.data(),
                                       bodies[0]->work.weights.data()};
    EXPECT_EQ(core::batch_gather(input, gradient.data(), energy), 0u);
    for (int k = 0; k < batch_width; ++k) {
        Lane& body = *bodies[k];
        body.pins = core::Pins(n); // springs and inertia only
        VertexArray<Float4> alone(n);
        const double g = core::evaluate(body.objective, body.work.x.data(), alone.data(), body.jobs,
                                        body.work.sum);
        EXPECT_TRUE(same(alone, k, gradient.data()));
        EXPECT_EQ(g, energy[k]);
    }
    // Two ends of a spring in one place: of this body, nothing is said.
    const core::Spring& spring = shared.model->springs[3];
    for (std::size_t c = 5; c < vertex_stride; c += batch_width)
        x.data()[vertex_stride * spring.a + c] = x.data()[vertex_stride * spring.b + c];
    double others[batch_width];
    std::copy(energy, energy + batch_width, others);
    EXPECT_EQ(core::batch_gather(input, gradient.data(), energy), 1u << 5);
    for (int k = 0; k < batch_width; ++k) EXPECT_TRUE(k == 5 || others[k] == energy[k]);
}

TEST_F(Batch, GradientsAndEnergiesAreThoseOfEachAlone) {
    for (const Net& net : nets()) expect_gather_as_alone(Shared(net), 100);
    // So few vertices that no bit drowns in the sum.
    const Shared chain(chain_net(11, 0.02, 0.01, 100.0, {0.6, 0.0, 0.8}));
    for (int seed = 0; seed < 20; ++seed) expect_gather_as_alone(chain, seed);
}

TEST_F(Batch, CoarseCorrectionsAreThoseOfEachAlone) {
    for (const Net& net : nets()) {
        const Shared shared(net);
        const core::CoarseSystem& system = shared.system->fine_grid;
        ASSERT_TRUE(system.usable);
        const auto bodies = lanes(shared, batch_width, 0.01);
        const std::size_t n = net.size();
        auto x = room<double>(n);
        auto r = room<float>(n), q = room<float>(n), p = room<float>(n);
        std::vector<VertexArray<Float4>> residuals, corrections;
        Random random(3);
        for (int k = 0; k < batch_width; ++k) {
            residuals.push_back(random_vectors(n, random));
            corrections.push_back(random_vectors(n, random));
            put(bodies[k]->work.x, k, x);
            put(residuals[k], k, r);
            put(corrections[k], k, q);
            put(corrections[k], k, p);
        }
        core::BatchCoarse coarse;
        coarse.fit(system);
        ASSERT_EQ(coarse.prepare(system, x.data(), 1.0), 0xFFu);
        coarse.add(system, r.data(), q.data());
        const unsigned some = 0x35;
        coarse.unaccelerated_step(system, q.data(), some, p.data());
        for (int k = 0; k < batch_width; ++k) {
            Lane& body = *bodies[k];
            const VertexArray<Float4> before = corrections[k];
            core::CoarseStep& alone = body.work.fine_grid;
            alone.prepare<Float4>(system, body.work.x.data(), 1.0, body.jobs);
            alone.add(system, residuals[k].data(), corrections[k].data(), body.jobs);
            EXPECT_TRUE(same(corrections[k], k, q.data()));
            alone.subtract_last(system, corrections[k].data(), body.jobs);
            for (Float4& v : corrections[k]) v = {-v.x, -v.y, -v.z, 0.0f};
            EXPECT_TRUE(same(some >> k & 1 ? corrections[k] : before, k, p.data()));
        }
    }
}

TEST_F(Batch, AnIndefiniteCoarseHessianIsTheBodysOwnAffair) {
    const Shared shared(cloth_net(26, 40));
    const core::CoarseSystem& system = shared.system->coarse;
    const auto bodies = lanes(shared, batch_width, 0.01);
    auto x = room<double>(1040);
    for (int k = 0; k < batch_width; ++k) put(bodies[k]->work.x, k, x);
    x.data()[vertex_stride * 400 + 3] = std::numeric_limits<double>::quiet_NaN();
    core::BatchCoarse coarse;
    coarse.fit(system);
    EXPECT_EQ(coarse.prepare(system, x.data(), 1.0), 0xFFu & ~(1u << 3));
}

TEST_F(Batch, WhatIsRememberedAndMixedIsThatOfEachAlone) {
    for (const std::size_t n : {1040u, 517u, 3u}) {
        Random random(static_cast<int>(n));
        // z is a positive multiple of the change of g, so that every step is remembered.
        auto g = room<float>(n), g_old = room<float>(n), q = room<float>(n), q_old = room<float>(n),
             p = room<float>(n);
        auto x = room<double>(n), trial = room<double>(n);
        std::vector<AlignedArray<float>> s, z;
        std::vector<core::Memory<float>> memories;
        core::MemoryProducts products[batch_width];
        std::vector<VertexArray<Float4>> old_g, old_q, step;
        std::vector<VertexArray<Vec3>> places;
        core::Jobs jobs(1);
        for (int k = 0; k < batch_width; ++k) {
            memories.emplace_back(4 * n);
            old_g.push_back(random_vectors(n, random));
            old_q.push_back(random_vectors(n, random));
            step.push_back(random_vectors(n, random));
            places.emplace_back(n);
            for (Vec3& at : places.back()) at = random.vector(1.0);
            put(places[k], k, x);
        }
        core::BatchLbfgs memory;
        for (int round = 0; round < Mix::most; ++round) {
            s.push_back(room<float>(n)), z.push_back(room<float>(n));
            memory.s[round] = s.back().data(), memory.z[round] = z.back().data();
            memory.count = round + 1;
            std::vector<VertexArray<Float4>> new_g = old_g, new_q = old_q;
            for (int k = 0; k < batch_width; ++k) {
                const VertexArray<Float4> noise = random_vectors(n, random);
                for (std::size_t i = 0; i < n; ++i)
                    for (float Float4::*c : {&Float4::x, &Float4::y, &Float4::z}) {
                        const float change = step[k][i].*c + 0.1f * noise[i].*c;
                        new_g[k][i].*c += change, new_q[k][i].*c += 0.5f * change;
                    }
                put(old_g[k], k, g_old), put(new_g[k], k, g);
                put(old_q[k], k, q_old), put(new_q[k], k, q);
                put(step[k], k, s.back());
            }
            alignas(32) double sums[(2 * Mix::most + 2) * batch_width], square[batch_width],
                dots[batch_width];
            core::batch_products(n, memory, memory.z[round], g.data(), g_old.data(), q.data(),
                                 q_old.data(), sums);
            core::batch_dot(n, g.data(), q.data(), dots);
            Mix mixes[batch_width];
            for (int k = 0; k < batch_width; ++k) {
                double own[2 * Mix::most + 2];
                for (int i = 0; i < 2 * memory.count + 2; ++i) own[i] = sums[batch_width * i + k];
                ASSERT_TRUE(products[k].learn(own));
                mixes[k] = products[k].lbfgs();
            }
            core::batch_combine(n, memory, mixes, q.data(), p.data(), x.data(), trial.data(),
                                square);
            for (int k = 0; k < batch_width; ++k) {
                const auto flat = [](VertexArray<Float4>& v) { return &v.data()->x; };
                memories[k].remember(flat(step[k]), flat(new_g[k]), flat(old_g[k]), flat(new_q[k]),
                                     flat(old_q[k]), jobs);
                const Mix mix = memories[k].mix(TWANG_ACCELERATION_TWO_LEVEL, flat(new_q[k]), jobs);
                memories[k].combine(mix, flat(new_q[k]), flat(step[k]), jobs);
                ASSERT_TRUE(same(step[k], k, p.data())) << "round " << round;
                core::BlockSum sum(n);
                EXPECT_EQ(dots[k], sum(jobs, n, [&](std::size_t i) {
                              return dot(core::widen(new_g[k][i]), core::widen(new_q[k][i]));
                          }));
                double longest = 0.0;
                for (std::size_t i = 0; i < n; ++i) {
                    const Vec3 move = core::widen(step[k][i]), there = places[k][i] + move;
                    longest = std::max(longest, dot(move, move));
                    EXPECT_EQ(there.y, trial.data()[vertex_stride * i + batch_width + k]);
                }
                EXPECT_EQ(longest, square[k]);
            }
            old_g = new_g, old_q = new_q;
        }
    }
}

// ---- The whole solve -------------------------------------------------------------------------

unsigned solve_together(const std::vector<std::unique_ptr<Lane>>& bodies) {
    std::vector<core::SolveContext*> contexts;
    for (const auto& body : bodies) {
        EXPECT_TRUE(core::Batch::suits(body->context));
        contexts.push_back(&body->context);
    }
    core::Batch side;
    side.fit(bodies[0]->live.base());
    return side.solve(contexts);
}

void expect_same_end(const Lane& alone, const Lane& together) {
    for (std::size_t i = 0; i < alone.work.x.size(); ++i) {
        ASSERT_EQ(alone.work.x[i].x, together.work.x[i].x);
        ASSERT_EQ(alone.work.x[i].y, together.work.x[i].y);
        ASSERT_EQ(alone.work.x[i].z, together.work.x[i].z);
    }
    EXPECT_EQ(alone.report.iterations, together.report.iterations);
    EXPECT_EQ(alone.report.rejected_steps, together.report.rejected_steps);
    EXPECT_EQ(alone.report.residual, together.report.residual);
    EXPECT_EQ(alone.report.error_estimate, together.report.error_estimate);
}

TEST_F(Batch, TwoToEightSolveAsEachAlone) {
    for (const Net& net : nets())
        for (const twang_pin_method method : pin_methods) {
            const Shared shared(net, method);
            for (const int count : {2, 5, 8})
                for (const int iterations : {1, 3, 4, 14}) {
                    const auto together = lanes(shared, count, 0.003, iterations);
                    const auto alone = lanes(shared, count, 0.003, iterations);
                    EXPECT_EQ(solve_together(together), (1u << count) - 1);
                    for (int k = 0; k < count; ++k) {
                        solve_alone(alone[k]->context);
                        expect_same_end(*alone[k], *together[k]);
                    }
                }
        }
}

// Shaken so much that safeguards are at work: some lanes step back, the others do not notice.
TEST_F(Batch, StepsAreRejectedLaneByLane) {
    const Shared shared(cloth_net(26, 40));
    auto together = lanes(shared, 4, 0.003), alone = lanes(shared, 4, 0.003);
    for (int k = 0; k < 4; ++k) {
        together.push_back(std::make_unique<Lane>(shared, k, 0.02 + 0.01 * k));
        alone.push_back(std::make_unique<Lane>(shared, k, 0.02 + 0.01 * k));
    }
    const unsigned solved = solve_together(together);
    EXPECT_EQ(solved, 0xFFu);
    int rejected = 0;
    for (std::size_t k = 0; k < alone.size(); ++k) {
        solve_alone(alone[k]->context);
        rejected += alone[k]->report.rejected_steps > 0;
        expect_same_end(*alone[k], *together[k]);
    }
    EXPECT_GE(rejected, 1);
    EXPECT_LT(rejected, 8);
}

TEST_F(Batch, OneThatGoesWrongIsHandedBackAndDisturbsNobody) {
    const Shared shared(cloth_net(26, 40));
    const auto spoil = [&](Lane& body, int how) {
        const core::Spring& spring = shared.model->springs[100];
        if (how == 0) body.work.y[77].y = std::numeric_limits<double>::quiet_NaN();
        if (how == 1) body.work.x[spring.a] = body.work.x[spring.b];
        if (how == 2) body.work.y[500].z = 1e300;
    };
    for (int how = 0; how < 3; ++how) {
        const auto together = lanes(shared, batch_width, 0.003),
                   alone = lanes(shared, batch_width, 0.003);
        const int bad = 2 + how;
        spoil(*together[bad], how);
        const VertexArray<Vec3> before = together[bad]->work.x;
        together[bad]->report.rejected_steps = 7;
        EXPECT_EQ(solve_together(together), 0xFFu & ~(1u << bad)) << how;
        for (std::size_t i = 0; i < before.size(); ++i)
            ASSERT_EQ(before[i].x, together[bad]->work.x[i].x);
        EXPECT_EQ(together[bad]->report.rejected_steps, 7);
        EXPECT_EQ(together[bad]->report.iterations, 0);
        for (int k = 0; k < batch_width; ++k) {
            if (k == bad) continue;
            solve_alone(alone[k]->context);
            expect_same_end(*alone[k], *together[k]);
        }
    }
}

TEST_F(Batch, SuitsOnlyWhatItCanDo) {
    const Shared shared(cloth_net(26, 40));
    Lane body(shared, 1, 0.003), other(shared, 2, 0.003);
    EXPECT_TRUE(core::Batch::suits(body.context));
    EXPECT_TRUE(core::Batch::together(body.context, other.context));
    other.settings.iterations = 9;
    EXPECT_FALSE(core::Batch::together(body.context, other.context));
    const Shared elsewhere(cloth_net(26, 40)); // as good, but not the same
    Lane stranger(elsewhere, 1, 0.003);
    EXPECT_FALSE(core::Batch::together(body.context, stranger.context));
    body.settings.tolerance = 1e-3;
    EXPECT_FALSE(core::Batch::suits(body.context));
    body.settings.tolerance = 0.0;
    body.settings.budget_ms = 1.0;
    EXPECT_FALSE(core::Batch::suits(body.context));
    body.settings.budget_ms = 0.0;
    body.settings.acceleration = TWANG_ACCELERATION_LBFGS;
    EXPECT_FALSE(core::Batch::suits(body.context));
    body.settings.acceleration = TWANG_ACCELERATION_TWO_LEVEL;
    body.context.on_iteration = [](void*, const twang_iteration*) {};
    EXPECT_FALSE(core::Batch::suits(body.context));
}

} // namespace
} // namespace twang::test
