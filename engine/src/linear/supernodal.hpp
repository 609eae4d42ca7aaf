// The factor Q = L L^T repacked for speed: dense supernodal panels instead of columns.
//   A supernode is a run of w columns with one list of rows below them. Its columns of L consist of
//   L11 (w x w) and L21; stored are P = -L21 L11^-1 and D = (L11 L11^T)^-1. Then
//     forward   x_rows += P x_columns
//     backward  x_columns = D x_columns + P^T x_rows
//   replace both triangular solves, with the same memory traffic and without a division.
// Panels consist of blocks of 8 rows. Blocks are stored in pairs, column after column within a
// pair; the last block of an odd number is stored alone. Subtrees of the elimination tree are
// packed into independent tasks; the remaining supernodes are the top. Tasks depend only on the
// factor, not on the number of workers, so the bits do not either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/arrays.hpp"
#include "linear/cholesky.hpp"

namespace twang::core {

struct Supernode {
    int first, width;
    int inner_blocks, blocks; // blocks of 8 rows: within the task, and all
    std::size_t panel;        // offset of P
    std::size_t diagonal;     // offset of D
    std::size_t rows;         // offset in the list of rows, 8 per block; padding is row n, or
                              // within a task the first column of the supernode
};

// Number of blocks that hold so many rows.
inline int blocks_for(int rows) { return (rows + 7) / 8; }

// Returns the offset of the 8 rows of a block and column in a panel of `blocks` blocks and `width`
// columns.
inline std::size_t place_of(int block, int blocks, int width, int column) {
    const std::size_t before = std::size_t{16} * (block / 2) * width;
    const bool alone = block + 1 == blocks && block % 2 == 0;
    return before + (alone ? 8 * column : 16 * column + 8 * (block % 2));
}

struct Panels {
    static constexpr int block = 8;
    int n = 0;
    std::vector<Supernode> supernodes;
    std::vector<int> supernode_of;   // supernode per column
    std::vector<int> parent;         // supernode of its first row below; -1: none
    AlignedArray<std::int32_t> rows; // times 4: offset of a row in a vector of xyz0
    // P and D by precision. With P in half, D is in float: the range of half is too small for D.
    AlignedArray<float> p_float, d_float;
    AlignedArray<double> p_double, d_double;
    AlignedArray<std::uint16_t> p_half;
    // Scale per vertex, with half precision only: the panels are those of Q scaled to a unit
    // diagonal of L. Without scaling, pins would exceed the range of half.
    std::vector<float> scale;
    std::vector<std::vector<int>> tasks;          // supernodes per task, ascending
    std::vector<int> top;                         // supernodes outside all tasks, ascending
    std::vector<std::pair<int, int>> top_columns; // column ranges of the top
    // Largest number of blocks and of columns of a supernode.
    int max_blocks = 0, widest = 0;
    std::size_t value_bytes = 0;
    std::size_t touched_bytes = 0; // read by one solve: P and the rows twice, D once

    std::size_t bytes() const {
        return value_bytes + rows.size() * sizeof(std::int32_t) +
               supernodes.size() * sizeof(Supernode);
    }
};

// Packs L into panels.
void make_panels(const LowerFactor& lower, twang_precision precision, Panels& panels);

} // namespace twang::core
