// linear: sparse Cholesky factors L L^T, solves with such factors, and small dense algebra. linear
// knows matrices and vectors only; linear may not know springs, bodies, pins or contacts.
//
// This file is the interface to the sparse libraries: fill-reducing order and Cholesky
// factorisation, by CHOLMOD (cholesky_cholmod.cpp) or by Eigen (cholesky_eigen.cpp); a build has
// one of them. Both libraries report success on a matrix with NaN in it, so factorise() checks the
// diagonal of the factor. Types of the libraries appear only in cholesky_*.cpp, except for Eigen's
// dense matrices in supernodal.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.hpp"

namespace twang::core {

// The lower triangle of a symmetric matrix by columns, diagonal included. Rows ascend, so the
// diagonal comes first in its column. The values are stored elsewhere, in the same order.
struct Pattern {
    int n = 0;
    std::vector<int> column_start; // n + 1
    std::vector<int> rows;
};

// L of A = L L^T by columns; the diagonal comes first in its column.
struct LowerFactor {
    int n = 0;
    std::vector<int> column_start;
    std::vector<int> rows;
    std::vector<double> values;

    std::size_t bytes() const {
        return (column_start.size() + rows.size()) * sizeof(int) + values.size() * sizeof(double);
    }
};

enum class Ordering { minimum_degree, nested_dissection };

// Measured on cloth and blocks from 1,000 to 160,000 vertices. On surfaces, minimum degree has no
// more fill than nested dissection and takes a tenth of the time. On volumes, minimum degree has up
// to 1.5 times the fill.
inline Ordering choose_ordering(std::size_t vertices, int dimension) {
    return dimension >= 3 && vertices >= 1000 ? Ordering::nested_dissection
                                              : Ordering::minimum_degree;
}

// Computes a fill-reducing elimination order, postordered: order[new] = old. Deterministic, and
// does not disturb the sequence of rand(). Eigen has minimum degree only and ignores `ordering`.
Status find_order(const Pattern& pattern, Ordering ordering, std::vector<int>& order);

// L L^T or L D L^T.
enum class Form { llt, ldlt };

// A factor with one symbolic analysis, in natural order, and any number of numeric factorisations.
class Factor {
public:
    Factor();
    ~Factor();
    Factor(const Factor&) = delete;
    Factor& operator=(const Factor&) = delete;

    // Analyses the pattern, which is kept by reference.
    Status analyse(const Pattern& pattern, Form form);
    // Returns TWANG_FACTOR_FAILED if the matrix is not positive definite or not finite.
    Status factorise(const double* values);
    // Solves A x = b in place.
    Status solve(double* b);
    // Copies L. Form::llt only.
    Status extract(LowerFactor& lower) const;

private:
    struct Library;
    std::unique_ptr<Library> library_;
};

} // namespace twang::core
