// A small symmetric positive definite matrix in skyline storage: B x B blocks, each row from its
// first nonzero block to the diagonal. The Cholesky factor has its fill inside the skyline. Nodes
// of a grid in natural order have short rows. Factorisation and solves are in skyline_factor.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace twang::core {

struct SkylineShape {
    std::vector<int> first;         // first block of row a
    std::vector<int> last;          // last row that may have a block in column b
    std::vector<std::size_t> start; // offset of row a; block (a, b) is at start[a] + b - first[a]

    explicit SkylineShape(std::vector<int> first_blocks = {}) : first(std::move(first_blocks)) {
        finish();
    }
    // Computes `last` and `start` from `first`.
    void finish() {
        start.assign(1, 0);
        last.resize(first.size());
        std::iota(last.begin(), last.end(), 0);
        for (int a = 0; a < rows(); ++a) {
            start.push_back(start.back() + a + 1 - first[a]);
            last[first[a]] = a; // rows ascend, so the last one stays
        }
        for (std::size_t b = 1; b < last.size(); ++b) last[b] = std::max(last[b], last[b - 1]);
    }
    int rows() const { return static_cast<int>(first.size()); }
    std::size_t at(int a, int b) const { return start[a] + b - first[a]; }
    std::size_t blocks() const { return start.back(); }
    bool has(int a, int b) const { return first[a] <= b; } // b <= a
};

// Element (i, j) is v[j][i]. Columns of a 3 x 3 block are padded with 0 to four numbers.
template <int B>
struct alignas(B == 3 ? 32 : 8) SkylineBlock {
    static constexpr int room = B == 3 ? 4 : B;
    double v[B][room] = {};
};

// x, y, z and 0 of one row: of a vector for 3 x 3 blocks, or of three vectors for 1 x 1 blocks.
struct alignas(32) SkylineRow {
    double v[4] = {};
};

} // namespace twang::core
