// The objective of a step: gradient and Hessian, assembled and applied, against finite differences
// on random networks with pins of both kinds; the same bits for any number of workers.
#include "solver/objective.hpp"

#include "scenes.hpp"

namespace twang::test {
namespace {

struct Case {
    twang_energy energy;
    twang_pin_method method;
};

class ObjectiveTest : public testing::TestWithParam<Case> {
protected:
    static constexpr double h = 0.1;
    const std::vector<std::uint32_t> held{0, 4, 11};
    Random random{7};

    Problem problem(std::uint64_t seed) {
        return Problem(random_net(seed, 12), GetParam().energy, GetParam().method, h, held);
    }
    // Positions, and with them an inertial target and forces, that mean nothing in particular. Pins
    // are near their targets: farther off, their pull would drown the rest in its rounding.
    std::vector<Vec3> somewhere(Problem& p) {
        for (Vec3& v : p.y) v += random.vector(0.3);
        for (Vec3& v : p.forces) v = random.vector(5.0);
        std::vector<Vec3> x = p.model->rest_positions;
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = p.pins.holds(i) ? p.pins.target(i) + 1e-7 * random.direction()
                                   : x[i] + random.vector(0.3);
        return x;
    }
    // Of f along coordinate c of vertex i, by central differences of fourth order.
    template <class F>
    static auto difference(std::vector<Vec3> x, std::size_t i, int c, F f) {
        constexpr double step = 1e-3;
        const double start = (&x[i].x)[c];
        const auto at = [&](double steps) {
            (&x[i].x)[c] = start + steps * step;
            return f(x);
        };
        const auto ahead = at(1.0), behind = at(-1.0), far_ahead = at(2.0), far_behind = at(-2.0);
        using Value = std::decay_t<decltype(ahead)>;
        return Value((8.0 * (ahead - behind) - (far_ahead - far_behind)) / (12.0 * step));
    }
};

// Each vertex is judged by its own scale: pins weigh 1e7 times the rest.
TEST_P(ObjectiveTest, GradientIsTheDerivativeOfTheValue) {
    double worst = 0.0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        Problem p = problem(seed);
        const std::vector<Vec3> x = somewhere(p);
        const std::vector<Vec3> gradient = p.gradient(x);
        EXPECT_EQ(core::evaluate(p.objective(), x.data(), std::vector<Vec3>(x.size()).data(),
                                 p.jobs, p.sum),
                  p.value(x));
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (p.system->eliminates(i)) {
                EXPECT_EQ(length(gradient[i]), 0.0);
                continue;
            }
            for (int c = 0; c < 3; ++c) {
                const double expected =
                    difference(x, i, c, [&](const auto& moved) { return p.value(moved); });
                worst =
                    std::max(worst, std::abs((&gradient[i].x)[c] - expected) / length(gradient[i]));
            }
        }
    }
    RecordProperty("worst", std::to_string(worst * 1e7) + "e-7");
    EXPECT_LT(worst, 1e-7);
}

TEST_P(ObjectiveTest, PenaltyPullsBackByItsWeight) {
    Problem p = problem(3);
    std::vector<Vec3> x = somewhere(p);
    const std::vector<Vec3> before = p.gradient(x);
    const std::uint32_t pin = p.model->to_inner[4];
    const Vec3 shift{1e-3, -2e-3, 3e-3};
    p.pins.pin(pin, p.pins.target(pin) + shift);
    EXPECT_FALSE(p.pins.apply_changes(x.data())); // only the target changed
    const std::vector<Vec3> after = p.gradient(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Vec3 expected = i == pin ? (-p.system->pin_weights[i]) * shift : Vec3{};
        EXPECT_LE(length(after[i] - before[i] - expected), 1e-9 * length(before[i]));
    }
}

// Both forms of the Hessian, exact and shifted, against differences of the gradient.
TEST_P(ObjectiveTest, HessianIsTheDerivativeOfTheGradient) {
    double worst = 0.0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
        for (const double shift : {0.0, 2.5}) {
            Problem p = problem(seed);
            const std::vector<Vec3> x = somewhere(p);
            const std::size_t n = x.size();
            std::vector<core::SpringHessian> curve(p.model->springs.size());
            core::compute_spring_hessians(p.objective(), x.data(), false, curve.data(), p.jobs);
            const core::Pattern pattern = core::hessian_pattern(*p.model);
            std::vector<double> values(pattern.rows.size());
            core::assemble_hessian(p.objective(), curve.data(), shift, pattern, values.data(),
                                   p.jobs);
            const Eigen::MatrixXd assembled = dense_symmetric(pattern, values);
            for (std::size_t j = 0; j < n; ++j)
                for (int c = 0; c < 3; ++c) {
                    std::vector<Vec3> unit(n), applied(n);
                    (&unit[j].x)[c] = 1.0;
                    core::hessian_times(p.objective(), curve.data(), shift, unit.data(),
                                        applied.data(), p.jobs);
                    if (p.system->eliminates(j)) { // its column is the unit's, of any size
                        EXPECT_LT(distance(applied, unit), 1e-15);
                        Eigen::VectorXd rest = assembled.col(3 * j + c);
                        EXPECT_GT(rest[3 * j + c], 0.0);
                        rest[3 * j + c] = 0.0;
                        EXPECT_EQ(rest.norm(), 0.0);
                        continue;
                    }
                    Eigen::VectorXd expected =
                        difference(x, j, c, [&](const auto& moved) -> Eigen::VectorXd {
                            return flat(p.gradient(moved));
                        });
                    expected[3 * j + c] += shift * p.model->masses[j];
                    for (std::size_t i = 0; i < n; ++i)
                        if (p.system->eliminates(i)) expected.segment<3>(3 * i).setZero();
                    const double scale = expected.norm();
                    worst = std::max(worst, (assembled.col(3 * j + c) - expected).norm() / scale);
                    worst = std::max(worst, (flat(applied) - expected).norm() / scale);
                }
        }
    RecordProperty("worst", std::to_string(worst * 1e5) + "e-5");
    EXPECT_LT(worst, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ObjectiveTest,
    testing::Values(Case{TWANG_HOOKE, TWANG_PIN_PENALTY}, Case{TWANG_HOOKE, TWANG_PIN_ELIMINATION},
                    Case{TWANG_STVK, TWANG_PIN_PENALTY}, Case{TWANG_STVK, TWANG_PIN_ELIMINATION}),
    [](const auto& info) {
        return std::string(info.param.energy == TWANG_HOOKE ? "hooke" : "stvk") +
               (info.param.method == TWANG_PIN_PENALTY ? "_penalty" : "_elimination");
    });

TEST(Objective, HandComputedValue) {
    Net net = chain_net(2, 1.0, 2.0, 50.0, {1.0, 0.0, 0.0});
    Problem p(net, TWANG_HOOKE, TWANG_PIN_PENALTY, 0.5, {});
    const std::uint32_t a = p.model->to_inner[0], b = p.model->to_inner[1];
    std::vector<Vec3> x(2);
    x[a] = {0.0, 0.0, 0.0};
    x[b] = {1.5, 0.0, 0.0};
    p.forces[b] = {4.0, 0.0, 0.0};
    // 4/2 * 2 * 0.5^2 inertia, 50/2 * 0.5^2 spring, -4 * 1.5 work
    EXPECT_DOUBLE_EQ(p.value(x), 1.0 + 6.25 - 6.0);
    EXPECT_DOUBLE_EQ(p.gradient(x)[b].x, 4.0 + 25.0 - 4.0);
    EXPECT_DOUBLE_EQ(p.gradient(x)[a].x, -25.0);
    p.inertia = 0.0; // static
    EXPECT_DOUBLE_EQ(p.value(x), 6.25 - 6.0);
}

TEST(Objective, ProjectedHessianIsPositiveWhereTheExactOneIsNot) {
    Net net = random_net(5, 12);
    Problem p(net, TWANG_HOOKE, TWANG_PIN_PENALTY, 10.0, {});
    std::vector<Vec3> x = p.model->rest_positions;
    for (Vec3& v : x) v = 0.2 * v; // crushed
    std::vector<core::SpringHessian> curve(p.model->springs.size());
    Random random(3);
    double least[2] = {1e300, 1e300};
    for (const bool projected : {false, true}) {
        core::compute_spring_hessians(p.objective(), x.data(), projected, curve.data(), p.jobs);
        for (int trial = 0; trial < 200; ++trial) {
            std::vector<Vec3> v(x.size()), product(x.size());
            for (Vec3& a : v) a = random.vector(1.0);
            core::hessian_times(p.objective(), curve.data(), 0.0, v.data(), product.data(), p.jobs);
            least[projected] = std::min(least[projected], flat(v).dot(flat(product)));
        }
    }
    EXPECT_LT(least[0], 0.0);
    EXPECT_GT(least[1], 0.0);
}

TEST(Objective, HasTheSameBitsForAnyWorkers) {
    const Net net = cloth_net(60, 50); // above the count from which work is shared
    Problem p(net, TWANG_HOOKE, TWANG_PIN_PENALTY, 0.02, {0, 59});
    Random random(1);
    std::vector<Vec3> x = p.model->rest_positions;
    for (Vec3& v : x) v += random.vector(0.01);
    const std::size_t n = x.size();
    std::vector<Vec3> first_gradient, first_product;
    double first_value = 0.0;
    for (const int workers : {1, 2, 3, 8}) {
        core::Jobs jobs(workers);
        std::vector<Vec3> gradient(n), product(n);
        std::vector<core::SpringHessian> curve(p.model->springs.size());
        const double value = core::evaluate(p.objective(), x.data(), gradient.data(), jobs, p.sum);
        core::compute_spring_hessians(p.objective(), x.data(), true, curve.data(), jobs);
        core::hessian_times(p.objective(), curve.data(), 1.0, x.data(), product.data(), jobs);
        if (workers == 1) {
            first_value = value;
            first_gradient = gradient;
            first_product = product;
        }
        EXPECT_EQ(value, first_value);
        EXPECT_EQ(distance(gradient, first_gradient), 0.0);
        EXPECT_EQ(distance(product, first_product), 0.0);
    }
}

} // namespace
} // namespace twang::test
