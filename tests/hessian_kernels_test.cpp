// The Hessian on eight vertices at a time: products against the plain ones in double, with plain
// and AVX2 kernels, with pins and grabs; collapsed springs; the same bits for any number of
// workers.
#include "springs/hessian_kernels.hpp"

#include "base/cpu.hpp"
#include "fast_problem.hpp"

namespace twang::test {
namespace {

using core::HessianKernels;
using core::HessianSlot;

std::vector<HessianKernels> all_kernels() {
    std::vector<HessianKernels> kernels{core::scalar_hessian()};
    if (core::cpu_has_avx2()) kernels.push_back(core::avx2_hessian());
    return kernels;
}

struct Product {
    std::vector<Vec3> result;
    double with_p;
};

struct Fast : FastProblem {
    VertexArray<Float4> p_;

    Fast(const Net& net, Random& random, const std::vector<std::uint32_t>& held = {},
         twang_pin_method method = TWANG_PIN_PENALTY)
        : FastProblem(net, held, method), p_(net.size()) {
        shake(random, 0.2); // some springs pushed together, some stretched
        for (std::size_t i = 0; i < x.size(); ++i) {
            const Vec3 v = p.live.eliminates(i) ? Vec3{} : random.vector(1.0);
            p_[i] = {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z),
                     0.0f};
        }
    }
    std::size_t slots() const { return p.model->gather.slots.size(); }

    Product exact() {
        std::vector<core::SpringHessian> curve(p.model->springs.size());
        core::compute_spring_hessians(objective(), x.data(), true, curve.data(), p.jobs);
        const std::vector<Vec3> wide = widened(p_);
        std::vector<Vec3> result(x.size());
        core::hessian_times(objective(), curve.data(), 0.0, wide.data(), result.data(), p.jobs);
        return {result, flat(wide).dot(flat(result))};
    }
    Product fast(core::Jobs& jobs) {
        core::AlignedArray<HessianSlot> curve(slots());
        core::compute_spring_hessians(objective(), x.data(), curve.data(), jobs);
        VertexArray<Float4> result(x.size());
        const double with_p =
            core::hessian_times(objective(), curve.data(), p_.data(), result.data(), jobs, p.sum);
        return {widened(result), with_p};
    }
    // Inertia and springs by one kernel.
    Product by(const HessianKernels& kernels) const {
        core::AlignedArray<HessianSlot> curve(slots());
        VertexArray<Float4> result(x.size());
        Product product{{}, 0.0};
        const std::size_t groups = (x.size() + 7) / 8;
        for (std::size_t group = 0; group < groups; ++group)
            kernels.curve(p.model->gather, x.data(), group, curve.data());
        for (std::size_t group = 0; group < groups; ++group)
            product.with_p += kernels.times(
                {p.model->gather, curve.data(), weights.data(), p_.data()}, group, result.data());
        product.result = widened(result);
        for (std::size_t i = x.size(); i < 8 * groups; ++i)
            EXPECT_EQ(length(core::widen(result.data()[i])), 0.0); // nothing beyond the end
        return product;
    }
};

void expect_close(const Product& a, const Product& expected, double bound) {
    EXPECT_LT((flat(a.result) - flat(expected.result)).norm() / flat(expected.result).norm(),
              bound);
    EXPECT_LT(std::abs(a.with_p - expected.with_p) / expected.with_p, bound);
    EXPECT_GT(expected.with_p, 0.0);
}

TEST(HessianGather, AgreesWithThePlainProduct) {
    Random random(3);
    for (const Net& net : kernel_nets()) {
        Fast f(net, random);
        for (const HessianKernels& kernels : all_kernels())
            expect_close(f.by(kernels), f.exact(), 1e-6);
        for (const twang_pin_method method : pin_methods) {
            Fast held(net, random, {0, 5}, method);
            expect_close(held.fast(held.p.jobs), held.exact(), 1e-6);
        }
    }
}

// Pins that came after the factor, and hands that hold a vertex or a point of a triangle.
TEST(HessianGather, KnowsWhatChangedSince) {
    Random random(4);
    for (const twang_pin_method method : pin_methods) {
        Fast f(cloth_net(9, 9), random, {0, 8}, method);
        f.p.pins.pin(30, f.x[30]);
        f.p.pins.unpin(f.p.model->to_inner[8]);
        f.p.pins.apply_changes(f.x.data());
        const core::Grab grabs[] = {{{40, 40, 40}, {1.0, 0.0, 0.0}, {}, 300.0},
                                    {{50, 51, 30}, {0.2, 0.5, 0.3}, {}, 5000.0}};
        core::SolveScratch scratch(*f.p.system);
        f.p.live.apply_changes(f.p.pins.held(), grabs, scratch, f.p.jobs);
        for (std::size_t i = 0; i < f.x.size(); ++i)
            if (f.p.live.eliminates(i)) f.p_[i] = {};
        const Product fast = f.fast(f.p.jobs);
        expect_close(fast, f.exact(), 1e-6);
        for (std::size_t i = 0; i < f.x.size(); ++i)
            if (f.p.live.eliminates(i)) {
                EXPECT_EQ(length(fast.result[i]), 0.0);
            }
    }
}

// Such a spring is stiff along a fixed direction and not at all across.
TEST(HessianGather, CollapsedSpringsKeepToTheFixedDirection) {
    for (const double apart : {0.0, 1e-200, 1e-20, 9e-16, 2e-15, 1e-10}) {
        Random random(7);
        Fast f(cloth_net(9, 9), random);
        const std::uint32_t a = f.p.model->to_inner[40], b = f.p.model->to_inner[41];
        f.x[a] = {}; // where doubles are dense enough
        f.x[b] = {0.6 * apart, 0.0, 0.8 * apart};
        expect_close(f.fast(f.p.jobs), f.exact(), 1e-6);
        for (const HessianKernels& kernels : all_kernels())
            expect_close(f.by(kernels), f.exact(), 1e-6);
    }
}

TEST(HessianGather, HasTheSameBitsForAnyWorkers) {
    Random random(8);
    Fast f(cloth_net(60, 50), random, {0, 59}); // above the count from which work is shared
    const Product first = f.fast(f.p.jobs);
    for (const int workers : {2, 3, 8}) {
        core::Jobs jobs(workers);
        const Product again = f.fast(jobs);
        EXPECT_EQ(again.with_p, first.with_p) << workers << " workers";
        EXPECT_EQ(distance(again.result, first.result), 0.0) << workers << " workers";
    }
}

} // namespace
} // namespace twang::test
