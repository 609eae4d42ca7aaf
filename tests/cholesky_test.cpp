// Ordering and Cholesky, whichever library does them: agreement with dense algebra, refusal of what
// cannot be factored, and no trace left in the host's rand().
#include "linear/cholesky.hpp"

#include <cstdlib>
#include <limits>
#include <set>

#include <Eigen/Cholesky>

#include "scenes.hpp"

namespace twang::test {
namespace {

using core::Factor;
using core::Form;
using core::Ordering;
using core::Pattern;

constexpr std::array forms{Form::llt, Form::ldlt};

struct Matrix {
    Pattern pattern;
    std::vector<double> values;
};

// A random sparse matrix, its diagonal `dominance` times the sum of its row: positive definite
// above 1.
Matrix random_matrix(std::uint64_t seed, std::uint32_t n, double dominance) {
    Random random(seed);
    Matrix matrix{inner_model(random_net(seed, n).def())->pattern, {}};
    const Pattern& p = matrix.pattern;
    matrix.values.resize(p.rows.size());
    std::vector<double> row_sum(n, 0.1);
    for (std::uint32_t c = 0; c < n; ++c)
        for (int k = p.column_start[c] + 1; k < p.column_start[c + 1]; ++k) {
            matrix.values[k] = random.uniform(-1.0, 1.0);
            row_sum[c] += std::abs(matrix.values[k]);
            row_sum[p.rows[k]] += std::abs(matrix.values[k]);
        }
    for (std::uint32_t c = 0; c < n; ++c) matrix.values[p.column_start[c]] = dominance * row_sum[c];
    return matrix;
}

Status factorise(const Matrix& matrix, Form form) {
    Factor factor;
    EXPECT_EQ(factor.analyse(matrix.pattern, form), TWANG_OK);
    return factor.factorise(matrix.values.data());
}

TEST(Factor, SolvesLikeDense) {
    for (const Form form : forms)
        for (const std::uint32_t n : {1u, 2u, 17u, 120u}) {
            const Matrix matrix = random_matrix(n, n, 1.05);
            const Eigen::MatrixXd dense = dense_symmetric(matrix.pattern, matrix.values);
            Random random(n + 1);
            Eigen::VectorXd b(n);
            for (double& v : b) v = random.uniform(-1.0, 1.0);
            const Eigen::VectorXd expected = dense.llt().solve(b);
            Factor factor;
            ASSERT_EQ(factor.analyse(matrix.pattern, form), TWANG_OK);
            ASSERT_EQ(factor.factorise(matrix.values.data()), TWANG_OK) << core::last_error();
            ASSERT_EQ(factor.solve(b.data()), TWANG_OK);
            EXPECT_LT((b - expected).norm(), 1e-12 * expected.norm()) << n;
        }
}

TEST(Factor, ExtractedFactorMultipliesToTheMatrix) {
    for (const std::uint32_t n : {1u, 5u, 80u}) {
        const Matrix matrix = random_matrix(n, n, 1.05);
        Factor factor;
        core::LowerFactor lower;
        ASSERT_EQ(factor.analyse(matrix.pattern, Form::llt), TWANG_OK);
        ASSERT_EQ(factor.factorise(matrix.values.data()), TWANG_OK);
        ASSERT_EQ(factor.extract(lower), TWANG_OK);
        ASSERT_EQ(lower.n, static_cast<int>(n));
        ASSERT_EQ(lower.rows.size(), lower.values.size());
        ASSERT_EQ(lower.column_start.back(), static_cast<int>(lower.rows.size()));
        for (int c = 0; c < lower.n; ++c) {
            EXPECT_EQ(lower.rows[lower.column_start[c]], c); // the diagonal first, then ascending
            EXPECT_TRUE(std::is_sorted(lower.rows.begin() + lower.column_start[c],
                                       lower.rows.begin() + lower.column_start[c + 1]));
        }
        const Eigen::MatrixXd l = dense_lower(lower);
        const Eigen::MatrixXd a = dense_symmetric(matrix.pattern, matrix.values);
        EXPECT_LT((l * l.transpose() - a).norm(), 1e-13 * a.norm());
    }
}

// The symbolic analysis serves any values of the same pattern, also after a failure.
TEST(Factor, IsReusable) {
    const Matrix one = random_matrix(5, 60, 1.1), bad = random_matrix(5, 60, 0.1);
    for (const Form form : forms) {
        Factor factor;
        ASSERT_EQ(factor.analyse(one.pattern, form), TWANG_OK);
        Eigen::VectorXd first = Eigen::VectorXd::Ones(60), again = first, doubled = first;
        ASSERT_EQ(factor.factorise(one.values.data()), TWANG_OK);
        ASSERT_EQ(factor.solve(first.data()), TWANG_OK);
        EXPECT_EQ(factor.factorise(bad.values.data()), TWANG_FACTOR_FAILED);
        ASSERT_EQ(factor.factorise(one.values.data()), TWANG_OK);
        ASSERT_EQ(factor.solve(again.data()), TWANG_OK);
        EXPECT_EQ(first, again);
        std::vector<double> twice = one.values;
        for (double& v : twice) v *= 2.0;
        ASSERT_EQ(factor.factorise(twice.data()), TWANG_OK);
        ASSERT_EQ(factor.solve(doubled.data()), TWANG_OK);
        EXPECT_LT((2.0 * doubled - first).norm(), 1e-14 * first.norm());
    }
}

TEST(Factor, RefusesWhatIsNotPositiveDefinite) {
    for (const Form form : forms) {
        EXPECT_EQ(factorise(random_matrix(3, 40, 0.2), form), TWANG_FACTOR_FAILED);
        Matrix zero = random_matrix(3, 40, 1.1);
        zero.values.assign(zero.values.size(), 0.0);
        EXPECT_EQ(factorise(zero, form), TWANG_FACTOR_FAILED);
        Matrix negative = random_matrix(3, 40, 1.1);
        negative.values[negative.pattern.column_start[39]] = -1.0; // the last pivot
        EXPECT_EQ(factorise(negative, form), TWANG_FACTOR_FAILED);
    }
}

TEST(Factor, RefusesWhatIsNotFinite) {
    for (const Form form : forms)
        for (const double poison :
             {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
            const Matrix sound = random_matrix(4, 50, 1.1);
            const auto n = sound.values.size();
            for (const std::size_t at : {std::size_t{0}, std::size_t{1}, n / 2, n - 1}) {
                Matrix sick = sound;
                sick.values[at] = poison;
                EXPECT_EQ(factorise(sick, form), TWANG_FACTOR_FAILED) << at << ' ' << poison;
            }
        }
}

// ---- Orders ----------------------------------------------------------------------------------

std::vector<int> order_of(const Pattern& pattern, Ordering ordering) {
    std::vector<int> order;
    EXPECT_EQ(core::find_order(pattern, ordering, order), TWANG_OK);
    return order;
}

// A block of tetrahedra large enough for nested dissection.
const Pattern& volume() {
    static const Pattern pattern = inner_model(Lattice(10, 10, 10, 0.1).def())->pattern;
    return pattern;
}

class Order : public testing::TestWithParam<Ordering> {};

TEST_P(Order, IsAPermutation) {
    for (const Pattern& pattern :
         {random_matrix(1, 1, 1.1).pattern, random_matrix(1, 90, 1.1).pattern, volume()}) {
        const std::vector<int> order = order_of(pattern, GetParam());
        const std::set<int> distinct(order.begin(), order.end());
        ASSERT_EQ(order.size(), static_cast<std::size_t>(pattern.n));
        EXPECT_EQ(distinct.size(), order.size());
        EXPECT_EQ(*distinct.begin(), 0);
        EXPECT_EQ(*distinct.rbegin(), pattern.n - 1);
    }
}

TEST_P(Order, IsTheSameEveryTime) {
    const std::vector<int> first = order_of(volume(), GetParam());
    std::srand(99); // what the host does with its generator is no matter
    for (int i = 0; i < 10; ++i) (void)std::rand();
    EXPECT_EQ(order_of(volume(), GetParam()), first);
}

TEST_P(Order, LeavesTheHostsRandomNumbersAlone) {
    std::srand(7);
    std::vector<int> undisturbed(20), seen(20);
    for (int& r : undisturbed) r = std::rand();
    std::srand(7);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (i == 5 || i == 6) (void)order_of(volume(), GetParam());
        seen[i] = std::rand();
    }
    EXPECT_EQ(seen, undisturbed);
}

// The fill is what an order is for: far below that of the numbering the mesh came with.
TEST_P(Order, ReducesTheFill) {
    const Net cloth = cloth_net(30, 30);
    const auto fill = [](const Pattern& pattern) {
        std::vector<double> values(pattern.rows.size(), -1.0);
        for (int c = 0; c < pattern.n; ++c) values[pattern.column_start[c]] = 100.0;
        Factor factor;
        core::LowerFactor lower;
        EXPECT_EQ(factor.analyse(pattern, Form::llt), TWANG_OK);
        EXPECT_EQ(factor.factorise(values.data()), TWANG_OK);
        EXPECT_EQ(factor.extract(lower), TWANG_OK);
        return lower.values.size();
    };
    // As the mesh came, and as ordered.
    const auto pattern_by = [&](const std::vector<int>& to_new) {
        std::vector<std::set<int>> columns(cloth.size());
        for (std::uint32_t i = 0; i < cloth.size(); ++i) columns[i].insert(static_cast<int>(i));
        for (const SpringDef& s : cloth.springs)
            columns[std::min(to_new[s.a], to_new[s.b])].insert(std::max(to_new[s.a], to_new[s.b]));
        Pattern pattern;
        pattern.n = static_cast<int>(cloth.size());
        pattern.column_start.push_back(0);
        for (const auto& column : columns) {
            pattern.rows.insert(pattern.rows.end(), column.begin(), column.end());
            pattern.column_start.push_back(static_cast<int>(pattern.rows.size()));
        }
        return pattern;
    };
    std::vector<int> identity(cloth.size()), inverse(cloth.size());
    std::iota(identity.begin(), identity.end(), 0);
    const Pattern natural = pattern_by(identity);
    const std::vector<int> order = order_of(natural, GetParam());
    for (std::size_t i = 0; i < order.size(); ++i) inverse[order[i]] = static_cast<int>(i);
    EXPECT_LT(1.5 * fill(pattern_by(inverse)), fill(natural));
}

INSTANTIATE_TEST_SUITE_P(Orders, Order,
                         testing::Values(Ordering::minimum_degree, Ordering::nested_dissection),
                         [](const auto& info) {
                             return std::string(info.param == Ordering::minimum_degree
                                                    ? "minimum_degree"
                                                    : "nested_dissection");
                         });

TEST(Order, LargeVolumesAreDissected) {
    EXPECT_EQ(core::choose_ordering(100'000, 2), Ordering::minimum_degree);
    EXPECT_EQ(core::choose_ordering(999, 3), Ordering::minimum_degree);
    EXPECT_EQ(core::choose_ordering(1000, 3), Ordering::nested_dissection);
}

} // namespace
} // namespace twang::test
