// Gusts: bounded, without a mean, smooth in place and time, and the same bits wherever they are
// computed.
#include "world/gusts.hpp"

#include "scenes.hpp"

namespace twang::test {
namespace {

const core::Gusts strong{3.0, 0.5, 2.0, 42};

TEST(Gusts, StayWithinTheirSpeedAndHaveNoMean) {
    Random random(1);
    Vec3 sum{};
    double largest = 0.0;
    constexpr int count = 40'000;
    for (int i = 0; i < count; ++i) {
        const Vec3 g = core::GustField(strong, random.uniform(0.0, 1e4)).at(random.vector(1e3));
        sum += g;
        for (const double part : {g.x, g.y, g.z}) largest = std::max(largest, std::abs(part));
    }
    EXPECT_LE(largest, 3.0);
    EXPECT_GT(largest, 2.0);
    EXPECT_LT(length(sum) / count, 0.03); // about 0.005 by chance
}

TEST(Gusts, ChangeSmoothlyFromPlaceToPlaceAndInTime) {
    // The blend rises by at most 3/2 per node, between values at most 2 apart.
    const double steepest = 1.5 * 2.0 * strong.speed;
    Random random(2);
    double sharpest = 0.0;
    for (int i = 0; i < 20'000; ++i) {
        const Vec3 p = random.vector(20.0);
        const double t = random.uniform(0.0, 50.0), step = 1e-4;
        core::GustField now(strong, t), later(strong, t + step);
        const Vec3 here = now.at(p), aside = now.at(p + Vec3{step, 0.0, 0.0}), then = later.at(p);
        EXPECT_LE(std::abs(aside.x - here.x), 1.001 * steepest / strong.metres * step);
        EXPECT_LE(std::abs(then.x - here.x), 1.001 * steepest / strong.seconds * step);
        sharpest = std::max(sharpest, std::abs(then.x - here.x) / step);
    }
    EXPECT_GT(sharpest, 0.3 * steepest / strong.seconds); // they do change
}

TEST(Gusts, DoNotDependOnWhatWasAskedBefore) {
    Random random(3);
    core::GustField walked(strong, 1.3);
    for (int i = 0; i < 10'000; ++i) {
        const Vec3 p = random.vector(30.0);
        core::GustField fresh(strong, 1.3);
        const Vec3 a = walked.at(p), b = fresh.at(p);
        ASSERT_TRUE(a.x == b.x && a.y == b.y && a.z == b.z);
    }
}

TEST(Gusts, OtherSeedsBlowOtherwise) {
    core::Gusts other = strong;
    other.seed = 43;
    core::GustField one(strong, 0.2), two(other, 0.2);
    EXPECT_GT(length(one.at({1.0, 2.0, 3.0}) - two.at({1.0, 2.0, 3.0})), 0.1);
}

TEST(Gusts, FarAwayAndBackInTimeTheyAreFinite) {
    for (const double far : {1e9, 1e18, 1e200, -1e200}) {
        core::GustField field(strong, 1e12);
        EXPECT_TRUE(core::finite(field.at({far, -far, 0.5})));
    }
}

// The same on every machine and with every compiler.
TEST(Gusts, TheseAreTheirBits) {
    std::uint64_t hash = 0;
    for (int i = 0; i < 1000; ++i) {
        core::GustField field(strong, 0.037 * i);
        const Vec3 g = field.at({0.31 * i - 100.0, 0.17 * i, -0.23 * i});
        hash = core::hash_doubles(hash, &g.x, 3);
    }
    EXPECT_EQ(hash, 0x517A8698E8674D61u);
}

} // namespace
} // namespace twang::test
