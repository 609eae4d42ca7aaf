// Eigen in comparison: SimplicialLLT with its own ordering.
#include <Eigen/SparseCholesky>
#include <chrono>
#include <stdexcept>

#include "rivals/rivals.hpp"

namespace bench {

namespace {

using Clock = std::chrono::steady_clock;
using Sparse = Eigen::SparseMatrix<double>;
using Columns = Eigen::Matrix<double, Eigen::Dynamic, 3>;

double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

class EigenSolver : public DirectSolver {
public:
    explicit EigenSolver(const Matrix& matrix) : n_(matrix.n) {
        const Eigen::Map<const Sparse> view(matrix.n, matrix.n, matrix.rows.size(),
                                            matrix.column_start.data(), matrix.rows.data(),
                                            matrix.values.data());
        const Sparse lower = view;
        auto begin = Clock::now();
        llt_.analyzePattern(lower);
        analyse_ms = ms_since(begin);
        begin = Clock::now();
        llt_.factorize(lower);
        factor_ms = ms_since(begin);
        if (llt_.info() != Eigen::Success) throw std::runtime_error("Eigen cannot factor this");
    }
    void solve(const double* b, double* x) const override {
        Eigen::Map<Columns>(x, n_, 3) = llt_.solve(Eigen::Map<const Columns>(b, n_, 3));
    }

private:
    int n_;
    Eigen::SimplicialLLT<Sparse> llt_;
};

} // namespace

std::unique_ptr<DirectSolver> eigen_solver(const Matrix& matrix) {
    return std::make_unique<EigenSolver>(matrix);
}

} // namespace bench
