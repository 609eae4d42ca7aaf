// Order and Cholesky by CHOLMOD with its simplicial code: LGPL, no BLAS, the same bits on every
// machine, and on the thread of the caller. The supernodal module of CHOLMOD is under the GPL and
// starts OpenMP threads of its own; over Debian's reference BLAS that module was no faster, for Q
// or for the Hessian of Newton.
#include <suitesparse/cholmod.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <mutex>

#include "linear/cholesky.hpp"

namespace twang::core {

namespace {

// METIS calls rand(). Gives rand() a state of its own for the lifetime of the object, so that the
// sequence of the host is not disturbed and the order is the same every time. Locks a mutex, since
// rand() is global.
class PrivateRandom {
public:
    PrivateRandom() : lock_(mutex()) { host_ = initstate(1, state_, sizeof state_); }
    ~PrivateRandom() { setstate(host_); }
    PrivateRandom(const PrivateRandom&) = delete;
    PrivateRandom& operator=(const PrivateRandom&) = delete;

private:
    static std::mutex& mutex() {
        static std::mutex instance;
        return instance;
    }
    std::lock_guard<std::mutex> lock_;
    char state_[128];
    char* host_;
};

// Presents our arrays as a CHOLMOD matrix; CHOLMOD only reads them.
cholmod_sparse view(const Pattern& pattern, const double* values) {
    cholmod_sparse matrix{};
    matrix.nrow = matrix.ncol = pattern.n;
    matrix.nzmax = pattern.rows.size();
    matrix.p = const_cast<int*>(pattern.column_start.data());
    matrix.i = const_cast<int*>(pattern.rows.data());
    matrix.x = const_cast<double*>(values);
    matrix.stype = -1;
    matrix.itype = CHOLMOD_INT;
    matrix.xtype = values ? CHOLMOD_REAL : CHOLMOD_PATTERN;
    matrix.dtype = CHOLMOD_DOUBLE;
    matrix.sorted = 1;
    matrix.packed = 1;
    return matrix;
}

// CHOLMOD settings and workspace: simplicial, silent, one ordering method.
struct Session {
    cholmod_common common;
    Session() {
        cholmod_start(&common);
        common.print = 0;
        common.nmethods = 1;
        common.supernodal = CHOLMOD_SIMPLICIAL;
        common.quick_return_if_not_posdef = 1;
    }
    ~Session() { cholmod_finish(&common); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    Status failure(const char* what) const {
        if (common.status == CHOLMOD_OUT_OF_MEMORY)
            return fail(TWANG_OUT_OF_MEMORY, "not enough memory to %s", what);
        if (common.status == CHOLMOD_TOO_LARGE)
            return fail(TWANG_TOO_LARGE, "the matrix is too large to %s", what);
        return fail(TWANG_FACTOR_FAILED, "CHOLMOD could not %s (status %d)", what, common.status);
    }
};

} // namespace

Status find_order(const Pattern& pattern, Ordering ordering, std::vector<int>& order) {
    Session session;
    cholmod_common& common = session.common;
    common.method[0].ordering =
        ordering == Ordering::nested_dissection ? CHOLMOD_METIS : CHOLMOD_AMD;
    common.postorder = 1;
    cholmod_sparse matrix = view(pattern, nullptr);
    order.resize(pattern.n); // before cholmod_analyze, because resize may throw
    cholmod_factor* analysis;
    {
        const PrivateRandom random;
        analysis = cholmod_analyze(&matrix, &common);
    }
    if (!analysis) return session.failure("order the matrix");
    const int* permutation = static_cast<const int*>(analysis->Perm);
    std::copy(permutation, permutation + pattern.n, order.begin());
    cholmod_free_factor(&analysis, &common);
    return TWANG_OK;
}

struct Factor::Library : Session {
    const Pattern* pattern = nullptr;
    cholmod_factor* factor = nullptr;
    // Workspace that every solve reuses.
    cholmod_dense* solution = nullptr;
    cholmod_dense* scratch_y = nullptr;
    cholmod_dense* scratch_e = nullptr;

    ~Library() {
        cholmod_free_factor(&factor, &common);
        cholmod_free_dense(&solution, &common);
        cholmod_free_dense(&scratch_y, &common);
        cholmod_free_dense(&scratch_e, &common);
    }
    double diagonal(int column) const {
        const int* start = static_cast<const int*>(factor->p);
        return static_cast<const double*>(factor->x)[start[column]];
    }
};

Factor::Factor() : library_(std::make_unique<Library>()) {}
Factor::~Factor() = default;

Status Factor::analyse(const Pattern& pattern, Form form) {
    Library& library = *library_;
    cholmod_common& common = library.common;
    cholmod_free_factor(&library.factor, &common);
    common.method[0].ordering = CHOLMOD_NATURAL;
    common.postorder = 0;
    common.final_ll = form == Form::llt;
    common.final_asis = 0;
    common.final_super = 0;
    common.final_pack = 1;
    common.final_monotonic = 1;
    library.pattern = &pattern;
    cholmod_sparse matrix = view(pattern, nullptr);
    library.factor = cholmod_analyze(&matrix, &common);
    return library.factor ? TWANG_OK : library.failure("analyse the matrix");
}

Status Factor::factorise(const double* values) {
    Library& library = *library_;
    cholmod_sparse matrix = view(*library.pattern, values);
    const bool done = cholmod_factorize(&matrix, library.factor, &library.common);
    if (!done) return library.failure("factor the matrix");
    if (library.common.status == CHOLMOD_NOT_POSDEF || library.factor->minor < library.factor->n)
        return fail(TWANG_FACTOR_FAILED, "the matrix is not positive definite (column %zu)",
                    library.factor->minor);
    for (int column = 0; column < library.pattern->n; ++column) {
        const double diagonal = library.diagonal(column);
        if (!std::isfinite(diagonal) || diagonal <= 0.0)
            return fail(TWANG_FACTOR_FAILED, "the factor's diagonal is %g in column %d", diagonal,
                        column);
    }
    return TWANG_OK;
}

Status Factor::solve(double* b) {
    Library& library = *library_;
    cholmod_dense right{};
    right.nrow = right.d = right.nzmax = library.pattern->n;
    right.ncol = 1;
    right.x = b;
    right.xtype = CHOLMOD_REAL;
    right.dtype = CHOLMOD_DOUBLE;
    if (!cholmod_solve2(CHOLMOD_A, library.factor, &right, nullptr, &library.solution, nullptr,
                        &library.scratch_y, &library.scratch_e, &library.common))
        return library.failure("solve the system");
    const double* x = static_cast<const double*>(library.solution->x);
    std::copy(x, x + library.pattern->n, b);
    return TWANG_OK;
}

Status Factor::extract(LowerFactor& lower) const {
    const cholmod_factor& factor = *library_->factor;
    const int n = library_->pattern->n;
    const int* start = static_cast<const int*>(factor.p);
    const int* count = static_cast<const int*>(factor.nz);
    const int* rows = static_cast<const int*>(factor.i);
    const double* values = static_cast<const double*>(factor.x);
    lower.n = n;
    lower.column_start.assign(1, 0);
    lower.column_start.reserve(n + 1);
    lower.rows.clear();
    lower.values.clear();
    for (int column = 0; column < n; ++column) {
        const int begin = start[column], end = begin + count[column];
        lower.rows.insert(lower.rows.end(), rows + begin, rows + end);
        lower.values.insert(lower.values.end(), values + begin, values + end);
        lower.column_start.push_back(static_cast<int>(lower.rows.size()));
    }
    return TWANG_OK;
}

} // namespace twang::core
