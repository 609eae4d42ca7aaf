// The seam to the sparse libraries: ordering and Cholesky, by CHOLMOD (factor_cholmod.cpp) or by
// Eigen (factor_eigen.cpp); a build has one of them. Both report success on a matrix with NaN in
// it, so what comes out is checked here. Nobody outside factor*.cpp sees either library's types.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.hpp"

namespace twang::core {

// The lower triangle, diagonal included, of a symmetric matrix by columns; rows ascend, so the
// diagonal comes first in its column. Values live apart, in the same order.
struct Pattern {
    int n = 0;
    std::vector<int> column_start; // n + 1
    std::vector<int> rows;
};

// L of L L^T by columns; the diagonal comes first in its column.
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

// Measured on cloth and blocks from 1,000 to 160,000 vertices: minimum degree fills surfaces no
// more than nested dissection does and takes a tenth of the time; volumes it fills up to 1.5 times
// more.
inline Ordering choose_ordering(std::size_t vertices, int dimension) {
    return dimension >= 3 && vertices >= 1000 ? Ordering::nested_dissection
                                              : Ordering::minimum_degree;
}

// A fill-reducing elimination order, postordered: order[new] = old. Deterministic; leaves rand()
// alone. Eigen knows minimum degree only.
Status find_order(const Pattern& pattern, Ordering ordering, std::vector<int>& order);

enum class Form { llt, ldlt };

// One symbolic analysis in natural order, any number of numeric factorisations.
class Factor {
public:
    Factor();
    ~Factor();
    Factor(const Factor&) = delete;
    Factor& operator=(const Factor&) = delete;

    // The pattern is kept by reference.
    Status analyse(const Pattern& pattern, Form form);
    // FACTOR_FAILED where the matrix is not positive definite or not finite.
    Status factorise(const double* values);
    // b := A^-1 b
    Status solve(double* b);
    Status extract(LowerFactor& lower) const; // Form::llt only

private:
    struct Library;
    std::unique_ptr<Library> library_;
};

} // namespace twang::core
