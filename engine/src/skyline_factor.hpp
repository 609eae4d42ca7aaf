// Cholesky of a skyline matrix in place. For files that compile it for their own instruction set:
// hence the namespace without a name.
#pragma once

#include <cmath>

#include "skyline.hpp"

namespace twang::core {

namespace {

// inverse: what stood on the diagonal before elimination in, the inverse of the lower Cholesky
// factor of `a` out. A row without a diagonal stands alone and becomes that of 1.
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

// Diagonal blocks become the inverse of their Cholesky factor. False where the matrix is not
// positive definite.
template <int B>
bool factor_skyline(const SkylineShape& shape, SkylineBlock<B>* blocks) {
    constexpr int room = SkylineBlock<B>::room;
    for (int a = 0; a < shape.rows(); ++a)
        for (int b = shape.first[a]; b <= a; ++b) {
            const int from = std::max(shape.first[a], shape.first[b]);
            const SkylineBlock<B>* left = blocks + shape.at(a, from);
            const SkylineBlock<B>* other = blocks + shape.at(b, from);
            SkylineBlock<B>& block = blocks[shape.at(a, b)];
            SkylineBlock<B> sum = block;
            for (int c = from; c < b; ++c, ++left, ++other)
                for (int j = 0; j < B; ++j)
                    for (int k = 0; k < B; ++k)
                        for (int i = 0; i < room; ++i)
                            sum.v[j][i] -= left->v[k][i] * other->v[k][j];
            if (b == a) {
                if (!invert_root(sum, block)) return false;
                continue;
            }
            const SkylineBlock<B>& inverse = blocks[shape.at(b, b)];
            block = {};
            for (int j = 0; j < B; ++j)
                for (int k = 0; k <= j; ++k)
                    for (int i = 0; i < room; ++i) block.v[j][i] += sum.v[k][i] * inverse.v[k][j];
        }
    return true;
}

} // namespace

} // namespace twang::core
