// Cholesky factorisation of a skyline matrix in place, column by column, and solves with the
// factor. Each file that includes this header is compiled for its own instruction set; the unnamed
// namespace keeps the linker from using one version in all files. Every element subtracts its
// products in ascending order of columns, so the number of rows per pass does not change its bits.
// batch_coarse does the same for eight matrices at once.
#pragma once

#include <cmath>

#include "base/four.hpp"
#include "linear/skyline.hpp"

namespace twang::core {

namespace {

// Inverts the lower Cholesky factor of `a`. On input, the diagonal of `inverse` holds the diagonal
// of the matrix before elimination; on output, `inverse` is the inverse. A row with diagonal 0 has
// no other elements and gets diagonal 1. Returns false if a pivot is not above 1e-13 of its
// diagonal.
template <int B>
bool invert_root(const SkylineBlock<B>& a, SkylineBlock<B>& inverse) {
    double root[B][B] = {};
    for (int i = 0; i < B; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = a.v[j][i];
            for (int k = 0; k < j; ++k) sum -= root[i][k] * root[j][k];
            if (i != j)
                root[i][j] = sum / root[j][j];
            else if (inverse.v[i][i] == 0.0)
                root[i][i] = 1.0;
            else if (sum > 1e-13 * inverse.v[i][i])
                root[i][i] = std::sqrt(sum);
            else
                return false;
        }
    inverse = {};
    for (int j = 0; j < B; ++j)
        for (int i = j; i < B; ++i) {
            double sum = i == j ? 1.0 : 0.0;
            for (int k = j; k < i; ++k) sum -= root[i][k] * inverse.v[j][k];
            inverse.v[j][i] = sum / root[i][i];
        }
    return true;
}

// sums[r] -= sum over `count` blocks of left[r] other^T.
template <int Rows>
void subtract_products(const SkylineBlock<3>* const* left, const SkylineBlock<3>* other, int count,
                       SkylineBlock<3>* sums) {
    Four sum[Rows][3];
    for (int r = 0; r < Rows; ++r)
        for (int j = 0; j < 3; ++j) sum[r][j] = load_four(sums[r].v[j]);
    std::ptrdiff_t row[Rows]; // offset from `other`, in blocks
    for (int r = 0; r < Rows; ++r) row[r] = left[r] - other;
    for (int c = 0; c < count; ++c, ++other)
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k) {
            const double* factors = other->v[k];
            const Four factor[3] = {four_of(factors[0]), four_of(factors[1]), four_of(factors[2])};
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r) {
                const Four column = load_four(other[row[r]].v[k]);
                for (int j = 0; j < 3; ++j)
                    sum[r][j] = subtract_product(sum[r][j], column, factor[j]);
            }
        }
    for (int r = 0; r < Rows; ++r)
        for (int j = 0; j < 3; ++j) store_four(sums[r].v[j], sum[r][j]);
}
template <int Rows>
void subtract_products(const SkylineBlock<1>* const* left, const SkylineBlock<1>* other, int count,
                       SkylineBlock<1>* sums) {
    for (int r = 0; r < Rows; ++r)
        for (int c = 0; c < count; ++c)
            sums[r].v[0][0] =
                subtract_product(sums[r].v[0][0], left[r][c].v[0][0], other[c].v[0][0]);
}

// block := sum inverse^T
inline void multiply_inverse(const SkylineBlock<3>& sum, const SkylineBlock<3>& inverse,
                             SkylineBlock<3>& block) {
    for (int j = 0; j < 3; ++j) {
        Four column = times(load_four(sum.v[0]), four_of(inverse.v[0][j]));
        for (int k = 1; k <= j; ++k)
            column = add_product(column, load_four(sum.v[k]), four_of(inverse.v[k][j]));
        store_four(block.v[j], column);
    }
}
inline void multiply_inverse(const SkylineBlock<1>& sum, const SkylineBlock<1>& inverse,
                             SkylineBlock<1>& block) {
    block.v[0][0] = sum.v[0][0] * inverse.v[0][0];
}

constexpr int rows_per_pass = 3; // the sums of three rows fit into the registers

// Computes column b of the factor in `Rows` rows, whose blocks in column b still hold the matrix.
template <int Rows, int B>
void factor_rows(const SkylineShape& shape, SkylineBlock<B>* blocks, const int* rows, int b) {
    const SkylineBlock<B>* other = blocks + shape.at(b, shape.first[b]);
    const SkylineBlock<B>* left[Rows];
    SkylineBlock<B> sums[Rows];
    int from = shape.first[b]; // first column that all rows have
    for (int r = 0; r < Rows; ++r) from = std::max(from, shape.first[rows[r]]);
    for (int r = 0; r < Rows; ++r) {
        const int own = std::max(shape.first[b], shape.first[rows[r]]);
        const SkylineBlock<B>* row = blocks + shape.at(rows[r], own);
        sums[r] = blocks[shape.at(rows[r], b)];
        subtract_products<1>(&row, other + (own - shape.first[b]), from - own, &sums[r]);
        left[r] = row + (from - own);
    }
    subtract_products<Rows>(left, other + (from - shape.first[b]), b - from, sums);
    for (int r = 0; r < Rows; ++r)
        multiply_inverse(sums[r], blocks[shape.at(b, b)], blocks[shape.at(rows[r], b)]);
}

// Factors the matrix; diagonal blocks become the inverse of their Cholesky factor. Returns false if
// the matrix is not positive definite.
template <int B>
bool factor_skyline(const SkylineShape& shape, SkylineBlock<B>* blocks) {
    for (int b = 0; b < shape.rows(); ++b) {
        const SkylineBlock<B>* row = blocks + shape.at(b, shape.first[b]);
        SkylineBlock<B> sum = blocks[shape.at(b, b)];
        subtract_products<1>(&row, row, b - shape.first[b], &sum);
        if (!invert_root(sum, blocks[shape.at(b, b)])) return false;
        int rows[rows_per_pass], count = 0;
        for (int a = b + 1; a <= shape.last[b]; ++a) {
            if (!shape.has(a, b)) continue;
            rows[count++] = a;
            if (count < rows_per_pass) continue;
            factor_rows<rows_per_pass>(shape, blocks, rows, b);
            count = 0;
        }
        if (count == 2) factor_rows<2>(shape, blocks, rows, b);
        if (count == 1) factor_rows<1>(shape, blocks, rows, b);
    }
    return true;
}

// Solves A x = b in place with the factored blocks.
inline void solve_skyline(const SkylineShape& shape, const SkylineBlock<3>* blocks, SkylineRow* x) {
    for (int a = 0; a < shape.rows(); ++a) {
        const SkylineBlock<3>* block = blocks + shape.start[a];
        Four sum = load_four(x[a].v);
        for (int b = shape.first[a]; b < a; ++b, ++block)
            for (int k = 0; k < 3; ++k)
                sum = subtract_product(sum, load_four(block->v[k]), four_of(x[b].v[k]));
        store_four(x[a].v, sum);
        sum = times(load_four(block->v[0]), four_of(x[a].v[0]));
        for (int k = 1; k < 3; ++k)
            sum = add_product(sum, load_four(block->v[k]), four_of(x[a].v[k]));
        store_four(x[a].v, sum);
    }
    for (int b = shape.rows() - 1; b >= 0; --b) {
        Four sum[3] = {four_of(0.0), four_of(0.0), four_of(0.0)};
        for (int a = b + 1; a <= shape.last[b]; ++a) {
            if (!shape.has(a, b)) continue;
            const SkylineBlock<3>& block = blocks[shape.at(a, b)];
            const Four other = load_four(x[a].v);
            for (int k = 0; k < 3; ++k) sum[k] = add_product(sum[k], load_four(block.v[k]), other);
        }
        SkylineRow part[3];
        double rest[3];
        for (int k = 0; k < 3; ++k) {
            store_four(part[k].v, sum[k]);
            rest[k] = x[b].v[k] - ((part[k].v[0] + part[k].v[1]) + part[k].v[2]);
        }
        const SkylineBlock<3>& inverse = blocks[shape.at(b, b)];
        for (int k = 0; k < 3; ++k) {
            double own = inverse.v[k][0] * rest[0];
            for (int i = 1; i < 3; ++i) own = add_product(own, inverse.v[k][i], rest[i]);
            x[b].v[k] = own;
        }
    }
}
inline void solve_skyline(const SkylineShape& shape, const SkylineBlock<1>* blocks, SkylineRow* x) {
    for (int a = 0; a < shape.rows(); ++a) {
        const SkylineBlock<1>* block = blocks + shape.start[a];
        Four sum = load_four(x[a].v);
        for (int b = shape.first[a]; b < a; ++b, ++block)
            sum = subtract_product(sum, four_of(block->v[0][0]), load_four(x[b].v));
        store_four(x[a].v, times(four_of(block->v[0][0]), sum));
    }
    for (int b = shape.rows() - 1; b >= 0; --b) {
        Four sum = load_four(x[b].v);
        for (int a = b + 1; a <= shape.last[b]; ++a)
            if (shape.has(a, b))
                sum = subtract_product(sum, four_of(blocks[shape.at(a, b)].v[0][0]),
                                       load_four(x[a].v));
        store_four(x[b].v, times(four_of(blocks[shape.at(b, b)].v[0][0]), sum));
    }
}

} // namespace

} // namespace twang::core
