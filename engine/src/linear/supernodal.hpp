// The factor of Q repacked for speed: dense supernodal panels instead of columns.
//   A supernode is a run of w columns with one list of rows below them. With its part of L split
//   into L11 (w x w) and L21, it stores P = -L21 L11^-1 and D = (L11 L11^T)^-1. Then
//     forward   x_rows += P x_columns
//     backward  x_columns = D x_columns + P^T x_rows
//   replaces both triangular solves, at the same traffic and without a division.
// Panels lie in blocks of 8 rows, two blocks side by side and column after column inside such a
// pair; the last of an odd number lies by itself. Subtrees of the elimination tree are gathered
// into tasks that do not depend on each other; what is left is the top. The tasks are a property of
// the factor, not of the worker count, so the bits do not depend on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/arrays.hpp"
#include "linear/cholesky.hpp"

namespace twang::core {

struct Supernode {
    int first, width;
    int inner_blocks, blocks; // blocks of 8 rows: those inside the task's own columns, and all
    std::size_t panel;        // offset of its P, and
    std::size_t diagonal;     // of its D
    std::size_t rows;         // offset in the list of rows, 8 per block; padding names row n, or
                              // inside a task the first column
};

inline int blocks_for(int rows) { return (rows + 7) / 8; }

// Where the 8 rows of a block lie in a panel of so many blocks and columns.
inline std::size_t place_of(int block, int blocks, int width, int column) {
    const std::size_t before = std::size_t{16} * (block / 2) * width;
    const bool alone = block + 1 == blocks && block % 2 == 0;
    return before + (alone ? 8 * column : 16 * column + 8 * (block % 2));
}

struct Panels {
    static constexpr int block = 8;
    int n = 0;
    std::vector<Supernode> supernodes;
    std::vector<int> supernode_of;   // per column
    std::vector<int> parent;         // per supernode: the one with its first row below; -1: none
    AlignedArray<std::int32_t> rows; // times 4, as they lie in a vector of xyz0
    // By precision; D stays in float beside P in half, whose range is too small for it.
    AlignedArray<float> p_float, d_float;
    AlignedArray<double> p_double, d_double;
    AlignedArray<std::uint16_t> p_half;
    // With half, of Q scaled so that L has a unit diagonal: pins would leave half's range. Per
    // vertex.
    std::vector<float> scale;
    std::vector<std::vector<int>> tasks;          // supernodes, ascending
    std::vector<int> top;                         // supernodes, ascending; what the tasks leave
    std::vector<std::pair<int, int>> top_columns; // ranges
    int most_blocks = 0, widest = 0;
    std::size_t value_bytes = 0;
    std::size_t touched_bytes = 0; // by one solve: P and the rows twice, D once

    std::size_t bytes() const {
        return value_bytes + rows.size() * sizeof(std::int32_t) +
               supernodes.size() * sizeof(Supernode);
    }
};

void make_panels(const LowerFactor& lower, twang_precision precision, Panels& panels);

} // namespace twang::core
