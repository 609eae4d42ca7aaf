// The local step on eight vertices at a time: gradient and energy against the plain evaluation in
// double, with plain and AVX2 kernels; exactly nothing at rest; the plain path where a spring has
// collapsed; the same bits for any number of workers.
#include "springs/spring_kernels.hpp"

#include "base/cpu.hpp"
#include "fast_problem.hpp"

namespace twang::test {
namespace {

using core::GatherKernels;
using core::Springs;

std::vector<GatherKernels> all_kernels() {
    std::vector<GatherKernels> kernels{core::scalar_gather()};
    if (core::cpu_has_avx2()) kernels.push_back(core::avx2_gather());
    return kernels;
}

struct Evaluation {
    std::vector<Vec3> gradient;
    double energy;
};

struct Fast : FastProblem {
    using FastProblem::FastProblem;

    Evaluation exact() {
        std::vector<Vec3> gradient(x.size());
        const double g = core::evaluate(objective(), x.data(), gradient.data(), p.jobs, p.sum);
        return {gradient, g};
    }
    Evaluation fast(core::Jobs& jobs, Springs springs = Springs::fast) {
        VertexArray<Float4> gradient(x.size());
        const double g =
            core::evaluate(objective(), x.data(), gradient.data(), jobs, p.sum, springs);
        return {widened(gradient), g};
    }
    // Inertia and springs by one kernel; every group must be within its reach.
    Evaluation by(const GatherKernels& kernels) const {
        const core::GatherLists lists =
            core::make_gather_lists(p.model->links, p.model->rest_positions, kernels.length);
        VertexArray<Float4> gradient(x.size());
        double sum = 0.0;
        for (std::size_t group = 0; 8 * group < x.size(); ++group) {
            double energy = 0.0;
            EXPECT_TRUE(kernels.gather({lists, x.data(), y.data(), weights.data()}, group,
                                       gradient.data(), energy));
            sum += energy;
        }
        return {widened(gradient), sum};
    }
};

double gradient_error(const Evaluation& a, const Evaluation& expected) {
    return (flat(a.gradient) - flat(expected.gradient)).norm() / flat(expected.gradient).norm();
}
double energy_error(const Evaluation& a, const Evaluation& expected) {
    return std::abs(a.energy - expected.energy) / std::abs(expected.energy);
}

// Springs that are stretched by some share of their length: of a shorter stretch, float has fewer
// digits.
TEST(Gather, AgreesWithThePlainEvaluation) {
    Random random(3);
    for (const Net& net : kernel_nets())
        for (const double extent : {0.03, 0.3}) {
            Fast f(net);
            f.shake(random, extent);
            for (const GatherKernels& kernels : all_kernels()) {
                EXPECT_LT(gradient_error(f.by(kernels), f.exact()), 1e-6);
                EXPECT_LT(energy_error(f.by(kernels), f.exact()), 1e-6);
            }
            for (const twang_pin_method method : pin_methods) {
                Fast held(net, {0, 5}, method);
                held.shake(random, extent);
                EXPECT_LT(gradient_error(held.fast(held.p.jobs), held.exact()), 1e-6);
                EXPECT_LT(energy_error(held.fast(held.p.jobs), held.exact()), 1e-6);
            }
        }
}

TEST(Gather, PlainAndAvx2KernelsAgree) {
    if (!core::cpu_has_avx2()) GTEST_SKIP() << "no AVX2 here";
    Random random(4);
    for (const Net& net : kernel_nets()) {
        Fast f(net);
        f.shake(random, 0.1);
        const Evaluation plain = f.by(core::scalar_gather()), avx2 = f.by(core::avx2_gather());
        EXPECT_LT(gradient_error(avx2, plain), 1e-6);
        EXPECT_LT(energy_error(avx2, plain), 1e-6);
    }
}

TEST(Gather, ExactSpringsAreDoubleRoundedToFloat) {
    Random random(5);
    for (const Net& net : kernel_nets()) {
        Fast f(net, {0, 5}, TWANG_PIN_ELIMINATION);
        f.shake(random, 0.1);
        const Evaluation exact = f.exact(), rounded = f.fast(f.p.jobs, Springs::exact);
        for (std::size_t i = 0; i < f.x.size(); ++i)
            for (int c = 0; c < 3; ++c)
                EXPECT_EQ((&rounded.gradient[i].x)[c],
                          static_cast<float>((&exact.gradient[i].x)[c]));
        EXPECT_LT(energy_error(rounded, exact), 1e-14);
    }
}

// Wherever the body is: differences are formed in double before they are rounded.
TEST(Gather, RestIsExactlyForceless) {
    ClothDef tilted;
    tilted.columns = 11;
    tilted.rows = 7;
    tilted.across = {0.6, 0.1, 0.3};
    tilted.down = {0.1, -0.7, 0.2};
    Random random(6);
    for (const Net& net : {cloth_net(tilted), block_net(4, 3, 3, 0.17), cloth_net(9, 9)})
        for (const double far : {0.0, 1.0, 10.0}) {
            Fast f(net);
            const Vec3 shift = random.vector(far);
            for (std::size_t i = 0; i < f.x.size(); ++i) f.y[i] = f.x[i] += shift;
            for (const GatherKernels& kernels : all_kernels()) {
                const Evaluation rest = f.by(kernels);
                EXPECT_EQ(flat(rest.gradient).norm(), 0.0);
                EXPECT_EQ(rest.energy, 0.0);
            }
            EXPECT_EQ(flat(f.fast(f.p.jobs).gradient).norm(), 0.0);
        }
}

// The kernels give up exactly on groups with a spring too short for them.
TEST(Gather, CollapsedSpringsTakeThePlainPath) {
    const Net net = cloth_net(9, 9);
    for (const double apart : {0.0, 1e-200, 1e-20, 9e-16, 2e-15, 1e-10}) {
        Fast f(net);
        Random random(7);
        f.shake(random, 0.1);
        const std::uint32_t a = f.p.model->to_inner[40], b = f.p.model->to_inner[41];
        f.x[a] = {}; // where doubles are dense enough
        f.x[b] = {0.6 * apart, 0.0, 0.8 * apart};
        const Evaluation exact = f.exact(), fast = f.fast(f.p.jobs);
        EXPECT_LT(gradient_error(fast, exact), 1e-6) << apart;
        EXPECT_LT(energy_error(fast, exact), 1e-6) << apart;
        const core::GatherInput input{f.p.model->gather, f.x.data(), f.y.data(), f.weights.data()};
        VertexArray<Float4> gradient(f.x.size());
        double energy;
        for (const GatherKernels& kernels : all_kernels())
            for (std::size_t group = 0; 8 * group < f.x.size(); ++group)
                EXPECT_EQ(kernels.gather(input, group, gradient.data(), energy),
                          apart > 1e-15 || (group != a / 8 && group != b / 8))
                    << apart;
    }
}

TEST(Gather, HasTheSameBitsForAnyWorkers) {
    Fast f(cloth_net(60, 50), {0, 59}); // above the count from which work is shared
    Random random(8);
    f.shake(random, 0.01);
    for (const Springs springs : {Springs::fast, Springs::exact}) {
        const Evaluation first = f.fast(f.p.jobs, springs);
        for (const int workers : {2, 3, 8}) {
            core::Jobs jobs(workers);
            const Evaluation again = f.fast(jobs, springs);
            EXPECT_EQ(again.energy, first.energy) << workers << " workers";
            EXPECT_EQ(distance(again.gradient, first.gradient), 0.0) << workers << " workers";
        }
    }
}

} // namespace
} // namespace twang::test
