// One spring: gradient and curvature are the derivatives of the energy, the projection is the
// nearest positive one, and a collapsed spring still gives numbers.
#include "springs/spring.hpp"

#include <Eigen/Eigenvalues>

#include "scenes.hpp"

namespace twang::test {
namespace {

using core::spring_energy;
using core::spring_gradient;
using core::spring_hessian;

constexpr int spring_count = 10'000;

struct Sample {
    twang_energy energy;
    double k, r;
    Vec3 d;
    double step; // for differences
};

// Lengths from a millionth of the rest length to ten times it. The differences below are of sixth
// order: exact for stvk, a polynomial, with any step; for hooke the step follows the length.
Sample draw(Random& random, twang_energy energy) {
    const double k = random.log_uniform(1.0, 1e6), r = random.log_uniform(1e-3, 10.0);
    const double l = r * random.log_uniform(1e-6, 10.0);
    return {energy, k, r, l * random.direction(),
            energy == TWANG_STVK ? 0.1 * std::max(l, r) : 0.01 * l};
}

// The central difference of sixth order of f along an axis.
template <class F>
auto difference(const Sample& s, int axis, F f) {
    const auto odd = [&](double steps) {
        Vec3 ahead = s.d, behind = s.d;
        (&ahead.x)[axis] += steps * s.step;
        (&behind.x)[axis] -= steps * s.step;
        return f(ahead) - f(behind);
    };
    return (1.0 / s.step) *
           ((3.0 / 4.0) * odd(1.0) - (3.0 / 20.0) * odd(2.0) + (1.0 / 60.0) * odd(3.0));
}

class SpringMath : public testing::TestWithParam<twang_energy> {};

TEST_P(SpringMath, GradientIsTheDerivativeOfTheEnergy) {
    Random random(1);
    double worst = 0.0;
    for (int i = 0; i < spring_count; ++i) {
        const Sample s = draw(random, GetParam());
        const auto energy = [&](Vec3 d) { return spring_energy(s.energy, s.k, s.r, d); };
        const core::SpringGradient pull = spring_gradient(s.energy, s.k, s.r, s.d, true);
        EXPECT_EQ(pull.energy, energy(s.d));
        const Vec3 expected{difference(s, 0, energy), difference(s, 1, energy),
                            difference(s, 2, energy)};
        // A spring at rest has no gradient to be relative to.
        const double scale = std::max(length(pull.gradient), 1e-3 * s.k * length(s.d));
        worst = std::max(worst, length(pull.gradient - expected) / scale);
    }
    RecordProperty("worst", std::to_string(worst * 1e7) + "e-7");
    EXPECT_LT(worst, 1e-7);
}

TEST_P(SpringMath, CurvatureIsTheDerivativeOfTheGradient) {
    Random random(2);
    double worst = 0.0;
    for (int i = 0; i < spring_count; ++i) {
        const Sample s = draw(random, GetParam());
        const auto gradient = [&](Vec3 d) {
            return spring_gradient(s.energy, s.k, s.r, d, true).gradient;
        };
        const core::SpringHessian curve = spring_hessian(s.energy, s.k, s.r, s.d, true);
        const double scale = std::max(std::abs(curve.across), std::abs(curve.along));
        for (int axis = 0; axis < 3; ++axis) {
            Vec3 unit{};
            (&unit.x)[axis] = 1.0;
            const Vec3 expected = difference(s, axis, gradient);
            worst = std::max(worst, length(curve.block() * unit - expected) / scale);
            worst = std::max(worst, length(curve.times(unit) - expected) / scale);
        }
    }
    RecordProperty("worst", std::to_string(worst * 1e5) + "e-5");
    EXPECT_LT(worst, 1e-5);
}

Eigen::Matrix3d dense(const core::Sym3& b) {
    Eigen::Matrix3d m;
    m << b.xx, b.xy, b.xz, b.xy, b.yy, b.yz, b.xz, b.yz, b.zz;
    return m;
}

TEST_P(SpringMath, ProjectionClampsTheEigenvalues) {
    Random random(3);
    int clamped = 0;
    for (int i = 0; i < spring_count; ++i) {
        const Sample s = draw(random, GetParam());
        const core::SpringHessian curve = spring_hessian(s.energy, s.k, s.r, s.d, true);
        const Eigen::Matrix3d block = dense(curve.block());
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(block);
        const Eigen::Vector3d kept = eigen.eigenvalues().cwiseMax(0.0);
        const Eigen::Matrix3d expected =
            eigen.eigenvectors() * kept.asDiagonal() * eigen.eigenvectors().transpose();
        EXPECT_LT((dense(curve.projected().block()) - expected).norm(), 1e-12 * block.norm());
        clamped += eigen.eigenvalues().minCoeff() < 0.0;
    }
    EXPECT_GT(clamped, spring_count / 4);
    EXPECT_LT(clamped, spring_count);
}

TEST_P(SpringMath, RestCurvatureIsTheOneAlongASpringAtRest) {
    const Vec3 d{0.0, 0.6, 0.8};
    const core::SpringHessian curve = spring_hessian(GetParam(), 3.0, 1.0, d, true);
    EXPECT_NEAR(curve.along, 3.0 * core::rest_curvature(GetParam()), 1e-12);
    EXPECT_NEAR(curve.across, 0.0, 1e-12);
    EXPECT_NEAR(length(spring_gradient(GetParam(), 3.0, 1.0, d, true).gradient), 0.0, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Energies, SpringMath, testing::Values(TWANG_HOOKE, TWANG_STVK),
                         [](const auto& info) {
                             return std::string(info.param == TWANG_HOOKE ? "hooke" : "stvk");
                         });

// Known by hand: a spring of 2 N/m and 1 m, 3 m long, in the direction of z.
TEST(SpringMath, HandComputedValues) {
    const Vec3 d{0.0, 0.0, 3.0};
    const core::SpringGradient hooke = spring_gradient(TWANG_HOOKE, 2.0, 1.0, d, true);
    EXPECT_DOUBLE_EQ(hooke.energy, 4.0);
    EXPECT_DOUBLE_EQ(hooke.gradient.z, 4.0);
    const core::SpringGradient stvk = spring_gradient(TWANG_STVK, 2.0, 1.0, d, true);
    EXPECT_DOUBLE_EQ(stvk.energy, 64.0);
    EXPECT_DOUBLE_EQ(stvk.gradient.z, 96.0);
}

TEST(SpringMath, CollapsedSpringTakesAFixedPlanarDirection) {
    for (const double l : {0.0, 1e-160, 1e-300}) {
        const Vec3 d{0.0, 0.0, l};
        const Vec3 first = spring_gradient(TWANG_HOOKE, 5.0, 2.0, d, true).gradient;
        const Vec3 second = spring_gradient(TWANG_HOOKE, 5.0, 2.0, -d, false).gradient;
        EXPECT_DOUBLE_EQ(length(first), 10.0);
        EXPECT_EQ(first.z, 0.0);
        EXPECT_EQ(length(first + second), 0.0); // the ends agree
        const core::SpringHessian curve = spring_hessian(TWANG_HOOKE, 5.0, 2.0, d, true);
        EXPECT_TRUE(core::finite(curve.times({1.0, 1.0, 1.0})));
        EXPECT_LT(curve.across, -1e50);
        EXPECT_EQ(curve.projected().across, 0.0);
        EXPECT_EQ(curve.projected().along, 5.0);
        const core::SpringGradient stvk = spring_gradient(TWANG_STVK, 5.0, 2.0, d, true);
        EXPECT_LE(length(stvk.gradient), 10.0 * l);
        EXPECT_DOUBLE_EQ(stvk.energy, 10.0);
    }
}

// Lengths that squaring would lose must not lose the direction before the fixed one takes over.
TEST(SpringMath, NearCollapsedSpringKeepsItsDirection) {
    for (double l = 1e-2; l > 1e-140; l *= 1e-3) {
        const Vec3 d = l * Vec3{0.48, -0.6, 0.64};
        const Vec3 gradient = spring_gradient(TWANG_HOOKE, 1.0, 1.0, d, true).gradient;
        EXPECT_LT(length(gradient + (1.0 - l) * Vec3{0.48, -0.6, 0.64}), 1e-12) << l;
    }
}

TEST(SpringMath, RestLengthZeroIsALinearSpring) {
    Random random(4);
    for (int i = 0; i < 100; ++i) {
        const Vec3 d = random.log_uniform(1e-9, 1e3) * random.direction();
        const double l = length(d);
        EXPECT_LT(length(spring_gradient(TWANG_HOOKE, 7.0, 0.0, d, true).gradient - 7.0 * d),
                  1e-14 * 7.0 * l);
        const core::SpringHessian curve = spring_hessian(TWANG_HOOKE, 7.0, 0.0, d, true);
        EXPECT_EQ(curve.across, 7.0);
        EXPECT_EQ(curve.along, 7.0);
    }
    EXPECT_EQ(length(spring_gradient(TWANG_HOOKE, 7.0, 0.0, {}, true).gradient), 0.0);
}

} // namespace
} // namespace twang::test
