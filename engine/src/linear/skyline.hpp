// A small symmetric positive definite matrix of B x B blocks, stored row by row from the first
// block that is not zero: fill stays inside. Grid nodes in natural order make short rows. Its
// Cholesky factorisation and the solves are in skyline_factor.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace twang::core {

struct SkylineShape {
    std::vector<int> first;         // of row a: its first block
    std::vector<int> last;          // of column b: the last row that may have a block there
    std::vector<std::size_t> start; // of row a; block (a, b) lies at start[a] + b - first[a]

    explicit SkylineShape(std::vector<int> first_blocks = {}) : first(std::move(first_blocks)) {
        finish();
    }
    // After a change of `first`.
    void finish() {
        start.assign(1, 0);
        last.resize(first.size());
        std::iota(last.begin(), last.end(), 0);
        for (int a = 0; a < rows(); ++a) {
            start.push_back(start.back() + a + 1 - first[a]);
            last[first[a]] = a; // the rows come in order
        }
        for (std::size_t b = 1; b < last.size(); ++b) last[b] = std::max(last[b], last[b - 1]);
    }
    int rows() const { return static_cast<int>(first.size()); }
    std::size_t at(int a, int b) const { return start[a] + b - first[a]; }
    std::size_t blocks() const { return start.back(); }
    bool has(int a, int b) const { return first[a] <= b; } // b <= a
};

// Element (i, j) is v[j][i]; the columns of a 3 x 3 block are as long as a vector of four, and
// end with 0.
template <int B>
struct alignas(B == 3 ? 32 : 8) SkylineBlock {
    static constexpr int room = B == 3 ? 4 : B;
    double v[B][room] = {};
};

// x, y, z of a row and 0: of a vector with 3 x 3 blocks, or of three vectors with 1 x 1 blocks.
struct alignas(32) SkylineRow {
    double v[4] = {};
};

} // namespace twang::core
