// Forward and backward substitution against dense algebra.
#include "linear/triangular_solve.hpp"

#include <Eigen/Cholesky>

#include "scenes.hpp"

namespace twang::test {
namespace {

// A lower triangle with about `share` of its entries, diagonal first in each column.
core::LowerFactor random_lower(Random& random, int n, double share) {
    core::LowerFactor lower;
    lower.n = n;
    lower.column_start.push_back(0);
    for (int column = 0; column < n; ++column) {
        for (int row = column; row < n; ++row)
            if (row == column || random.uniform(0.0, 1.0) < share) {
                lower.rows.push_back(row);
                lower.values.push_back(row == column ? random.uniform(1.0, 2.0)
                                                     : random.uniform(-0.3, 0.3));
            }
        lower.column_start.push_back(static_cast<int>(lower.rows.size()));
    }
    return lower;
}

TEST(TriangularSolve, AgreesWithDense) {
    Random random(1);
    for (const int n : {1, 2, 3, 10, 60})
        for (const double share : {0.0, 0.1, 0.5, 1.0}) {
            const core::LowerFactor lower = random_lower(random, n, share);
            const Eigen::MatrixXd l = dense_lower(lower);
            std::vector<Vec3> b(n);
            for (Vec3& v : b) v = random.vector(10.0);
            const Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>> columns(
                &b.data()->x, n, 3);
            const Eigen::MatrixXd expected = (l * l.transpose()).ldlt().solve(columns);
            triangular_solve(lower, b.data());
            EXPECT_LT((columns - expected).norm(), 1e-11 * expected.norm()) << n << ' ' << share;
        }
}

TEST(TriangularSolve, LeavesZeroAlone) {
    Random random(2);
    const core::LowerFactor lower = random_lower(random, 30, 0.3);
    std::vector<Vec3> b(30);
    triangular_solve(lower, b.data());
    for (const Vec3& v : b) EXPECT_EQ(length(v), 0.0);
}

// The three right-hand sides do not mix: z stays exactly 0 in a planar scene.
TEST(TriangularSolve, CoordinatesAreIndependent) {
    Random random(3);
    const core::LowerFactor lower = random_lower(random, 30, 0.3);
    std::vector<Vec3> all(30);
    for (Vec3& v : all) v = random.vector(1.0);
    std::vector<Vec3> planar = all;
    for (Vec3& v : planar) v.z = 0.0;
    triangular_solve(lower, all.data());
    triangular_solve(lower, planar.data());
    for (int i = 0; i < 30; ++i) {
        EXPECT_EQ(planar[i].x, all[i].x);
        EXPECT_EQ(planar[i].y, all[i].y);
        EXPECT_EQ(planar[i].z, 0.0);
    }
}

TEST(LowerFactor, CountsItsBytes) {
    Random random(4);
    const core::LowerFactor lower = random_lower(random, 3, 1.0);
    EXPECT_EQ(lower.bytes(), (4 + 6) * sizeof(int) + 6 * sizeof(double));
}

} // namespace
} // namespace twang::test
