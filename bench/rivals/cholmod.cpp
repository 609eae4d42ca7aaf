// CHOLMOD in comparison: its simplicial or its supernodal solve, whichever is faster.
#include "rivals/rivals.hpp"

#if TWANG_BENCH_CHOLMOD

#include <suitesparse/cholmod.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace bench {

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

class CholmodSolver : public DirectSolver {
public:
    CholmodSolver(const Matrix& matrix, int method) : n_(matrix.n) {
        cholmod_start(&common_);
        common_.print = 0;
        common_.supernodal = method;
        cholmod_sparse view{};
        view.nrow = view.ncol = matrix.n;
        view.nzmax = matrix.rows.size();
        view.p = const_cast<int*>(matrix.column_start.data());
        view.i = const_cast<int*>(matrix.rows.data());
        view.x = const_cast<double*>(matrix.values.data());
        view.stype = -1;
        view.itype = CHOLMOD_INT;
        view.xtype = CHOLMOD_REAL;
        view.dtype = CHOLMOD_DOUBLE;
        view.sorted = view.packed = 1;
        auto begin = Clock::now();
        factor_ = cholmod_analyze(&view, &common_);
        analyse_ms = ms_since(begin);
        begin = Clock::now();
        cholmod_factorize(&view, factor_, &common_);
        factor_ms = ms_since(begin);
    }
    ~CholmodSolver() override {
        cholmod_free_factor(&factor_, &common_);
        cholmod_free_dense(&x_, &common_);
        cholmod_free_dense(&y_, &common_);
        cholmod_free_dense(&e_, &common_);
        cholmod_finish(&common_);
    }
    CholmodSolver(const CholmodSolver&) = delete;
    CholmodSolver& operator=(const CholmodSolver&) = delete;

    bool is_good() const { return factor_ && common_.status == CHOLMOD_OK; }
    void solve(const double* b, double* x) const override {
        cholmod_dense right{};
        right.nrow = right.d = n_;
        right.ncol = 3;
        right.nzmax = 3 * static_cast<std::size_t>(n_);
        right.x = const_cast<double*>(b);
        right.xtype = CHOLMOD_REAL;
        right.dtype = CHOLMOD_DOUBLE;
        cholmod_solve2(CHOLMOD_A, factor_, &right, nullptr, &x_, nullptr, &y_, &e_, &common_);
        const double* found = static_cast<const double*>(x_->x);
        std::copy(found, found + 3 * static_cast<std::size_t>(n_), x);
    }

private:
    int n_;
    mutable cholmod_common common_;
    cholmod_factor* factor_ = nullptr;
    mutable cholmod_dense *x_ = nullptr, *y_ = nullptr, *e_ = nullptr; // kept between solves
};

// Returns the shortest time of four solves.
double solve_ms(const DirectSolver& solver, int n) {
    std::vector<double> b(3 * static_cast<std::size_t>(n), 1.0), x(b.size());
    double best = 1e300;
    for (int repeat = 0; repeat < 4; ++repeat) {
        const auto begin = Clock::now();
        solver.solve(b.data(), x.data());
        best = std::min(best, ms_since(begin));
    }
    return best;
}

} // namespace

bool has_cholmod() { return true; }

std::unique_ptr<DirectSolver> cholmod_solver(const Matrix& matrix) {
    auto simplicial = std::make_unique<CholmodSolver>(matrix, CHOLMOD_SIMPLICIAL);
    auto supernodal = std::make_unique<CholmodSolver>(matrix, CHOLMOD_SUPERNODAL);
    if (!simplicial->is_good()) throw std::runtime_error("CHOLMOD cannot factor this");
    if (supernodal->is_good() && solve_ms(*supernodal, matrix.n) < solve_ms(*simplicial, matrix.n))
        return supernodal;
    return simplicial;
}

} // namespace bench

#else

namespace bench {

bool has_cholmod() { return false; }
std::unique_ptr<DirectSolver> cholmod_solver(const Matrix&) { return nullptr; }

} // namespace bench

#endif
