// A small symmetric positive definite matrix of B x B blocks, stored row by row from the first
// block that is not zero: fill stays inside. Grid nodes in natural order make short rows. Its
// Cholesky factorisation is in skyline_factor.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
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

// Element (i, j) is v[j][i]; the columns of a 3 x 3 block are as long as a vector of four.
template <int B>
struct SkylineBlock {
    static constexpr int room = B == 3 ? 4 : B;
    double v[B][room] = {};
};

// x := A^-1 x, from the factored blocks, for `Columns` right-hand sides side by side: B * Columns
// numbers per row.
template <int Columns, int B>
void solve_skyline(const SkylineShape& shape, const std::vector<SkylineBlock<B>>& blocks,
                   double* x) {
    constexpr int stride = B * Columns;
    const auto add = [](const SkylineBlock<B>& block, bool transposed, double sign,
                        const double* from, double* to) {
        for (int i = 0; i < B; ++i)
            for (int k = 0; k < B; ++k)
                for (int c = 0; c < Columns; ++c)
                    to[i * Columns + c] +=
                        sign * (transposed ? block.v[i][k] : block.v[k][i]) * from[k * Columns + c];
    };
    const auto divide = [&](const SkylineBlock<B>& inverse, bool transposed, double* at) {
        double old[stride];
        std::copy(at, at + stride, old);
        std::fill(at, at + stride, 0.0);
        add(inverse, transposed, 1.0, old, at);
    };
    for (int a = 0; a < shape.rows(); ++a) {
        for (int b = shape.first[a]; b < a; ++b)
            add(blocks[shape.at(a, b)], false, -1.0, x + b * stride, x + a * stride);
        divide(blocks[shape.at(a, a)], false, x + a * stride);
    }
    for (int a = shape.rows() - 1; a >= 0; --a) {
        divide(blocks[shape.at(a, a)], true, x + a * stride);
        for (int b = shape.first[a]; b < a; ++b)
            add(blocks[shape.at(a, b)], true, -1.0, x + a * stride, x + b * stride);
    }
}

} // namespace twang::core
