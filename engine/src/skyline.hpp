// Cholesky of a small symmetric positive definite matrix of B x B blocks, stored row by row from
// the first block that is not zero: fill stays inside. Grid nodes in natural order make short rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace twang::core {

struct SkylineShape {
    std::vector<int> first;         // of row a: its first block
    std::vector<std::size_t> start; // of row a; block (a, b) lies at start[a] + b - first[a]

    explicit SkylineShape(std::vector<int> first_blocks = {}) : first(std::move(first_blocks)) {
        start.push_back(0);
        for (std::size_t a = 0; a < first.size(); ++a)
            start.push_back(start.back() + a + 1 - first[a]);
    }
    int rows() const { return static_cast<int>(first.size()); }
    std::size_t at(int a, int b) const { return start[a] + b - first[a]; }
    std::size_t blocks() const { return start.back(); }
};

template <int B>
class Skyline {
public:
    struct Block {
        double v[B][B];
    };

    Skyline() = default;
    explicit Skyline(const SkylineShape& shape) : blocks_(shape.blocks()) {}
    Block& operator[](std::size_t i) { return blocks_[i]; }

    // In place; diagonal blocks become the inverse of their Cholesky factor. False where the matrix
    // is not positive definite. Rows without a diagonal stand alone: they become those of 1.
    bool factor(const SkylineShape& shape) {
        for (int a = 0; a < shape.rows(); ++a)
            for (int b = shape.first[a]; b <= a; ++b) {
                Block& block = blocks_[shape.at(a, b)];
                const int from = std::max(shape.first[a], shape.first[b]);
                const Block* left = &blocks_[shape.at(a, from)];
                const Block* other = &blocks_[shape.at(b, from)];
                Block sum = block;
                for (int c = from; c < b; ++c, ++left, ++other)
                    for (int i = 0; i < B; ++i)
                        for (int j = 0; j < B; ++j)
                            for (int k = 0; k < B; ++k)
                                sum.v[i][j] -= left->v[i][k] * other->v[j][k];
                if (b == a) {
                    if (!invert_root(sum, block)) return false;
                } else {
                    const Block& inverse = blocks_[shape.at(b, b)];
                    for (int i = 0; i < B; ++i)
                        for (int j = 0; j < B; ++j) {
                            double total = 0.0;
                            for (int k = 0; k <= j; ++k) total += sum.v[i][k] * inverse.v[j][k];
                            block.v[i][j] = total;
                        }
                }
            }
        return true;
    }

    // x := A^-1 x for `Columns` right-hand sides side by side, B * Columns numbers per row.
    template <int Columns>
    void solve(const SkylineShape& shape, double* x) const {
        constexpr int stride = B * Columns;
        for (int a = 0; a < shape.rows(); ++a) {
            for (int b = shape.first[a]; b < a; ++b)
                subtract<Columns, false>(blocks_[shape.at(a, b)], x + b * stride, x + a * stride);
            apply<Columns, false>(blocks_[shape.at(a, a)], x + a * stride);
        }
        for (int a = shape.rows() - 1; a >= 0; --a) {
            apply<Columns, true>(blocks_[shape.at(a, a)], x + a * stride);
            for (int b = shape.first[a]; b < a; ++b)
                subtract<Columns, true>(blocks_[shape.at(a, b)], x + a * stride, x + b * stride);
        }
    }

private:
    // inverse := the inverse of the lower Cholesky factor of a.
    static bool invert_root(const Block& a, Block& inverse) {
        const Block original = inverse; // what stood on the diagonal before elimination
        Block root{};
        for (int i = 0; i < B; ++i)
            for (int j = 0; j <= i; ++j) {
                double sum = a.v[i][j];
                for (int k = 0; k < j; ++k) sum -= root.v[i][k] * root.v[j][k];
                if (i != j)
                    root.v[i][j] = sum / root.v[j][j];
                else if (original.v[i][i] == 0.0)
                    root.v[i][i] = 1.0;
                else if (sum > 1e-13 * original.v[i][i])
                    root.v[i][i] = std::sqrt(sum);
                else
                    return false;
            }
        inverse = {};
        for (int j = 0; j < B; ++j)
            for (int i = j; i < B; ++i) {
                double sum = i == j ? 1.0 : 0.0;
                for (int k = j; k < i; ++k) sum -= root.v[i][k] * inverse.v[k][j];
                inverse.v[i][j] = sum / root.v[i][i];
            }
        return true;
    }
    // y -= block x, or its transpose.
    template <int Columns, bool Transposed>
    static void subtract(const Block& block, const double* x, double* y) {
        for (int i = 0; i < B; ++i)
            for (int k = 0; k < B; ++k)
                for (int c = 0; c < Columns; ++c)
                    y[i * Columns + c] -=
                        (Transposed ? block.v[k][i] : block.v[i][k]) * x[k * Columns + c];
    }
    template <int Columns, bool Transposed>
    static void apply(const Block& block, double* x) {
        double old[B * Columns];
        std::copy(x, x + B * Columns, old);
        std::fill(x, x + B * Columns, 0.0);
        for (int i = 0; i < B; ++i)
            for (int k = 0; k < B; ++k)
                for (int c = 0; c < Columns; ++c)
                    x[i * Columns + c] +=
                        (Transposed ? block.v[k][i] : block.v[i][k]) * old[k * Columns + c];
    }

    std::vector<Block> blocks_;
};

} // namespace twang::core
