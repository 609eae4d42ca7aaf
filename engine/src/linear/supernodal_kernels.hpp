// The forward and backward loops over a supernode, written once for every instruction set. An Ops
// type offers two packs of numbers, Wide of 16 and Narrow of 8, each with
//   zero(), load(const Stored*), load(const Real*), broadcast(const Real*), multiply_add(a, b, c)
// and
//   add_tail(wide sum, narrow a, narrow b)  adds the product to the first half of the sum
//   add_to_rows, read_rows, read_columns    between x, y, z of 16 or 8 vertices and xyz0
//   write_columns<Count>                    sums of the lanes, to xyz0
// The order of every sum is the same for all Ops. Each instruction set has one file that includes
// this header.
#pragma once

#include "linear/supernodal_solve.hpp"

namespace twang::core {

// x, y and z of as many vertices as a pack has lanes.
template <class Pack>
struct Axes {
    Pack x, y, z;
};

template <class Ops>
struct PanelLoops {
    using Stored = typename Ops::Stored;
    using Real = typename Ops::Real;
    using Wide = typename Ops::Wide;
    using Narrow = typename Ops::Narrow;

    // Returns the sum over columns of panel entry times vertex, for a pack of rows.
    template <class Pack>
    static inline Axes<Pack> rows_times(const Stored* p, const Real* v, int width) {
        Axes<Pack> sum{Pack::zero(), Pack::zero(), Pack::zero()};
        for (int c = 0; c < width; ++c, p += Pack::lanes, v += 4) {
            const Pack q = Pack::load(p);
            sum.x = multiply_add(q, Pack::broadcast(v), sum.x);
            sum.y = multiply_add(q, Pack::broadcast(v + 1), sum.y);
            sum.z = multiply_add(q, Pack::broadcast(v + 2), sum.z);
        }
        return sum;
    }

    // x_rows += P x_columns. Rows within the task go to `inner`, the other rows to `top`.
    static void forward(const Supernode& node, const Stored* p, const std::int32_t* rows,
                        Real* inner, Real* top) {
        const Real* columns = inner + 4 * std::size_t(node.first);
        const auto target = [&](int block) { return block < node.inner_blocks ? inner : top; };
        int b = 0;
        for (; b + 2 <= node.blocks; b += 2, p += std::size_t{16} * node.width)
            Ops::add_to_rows(rows_times<Wide>(p, columns, node.width), rows + 8 * b, target(b),
                             target(b + 1));
        if (b < node.blocks)
            Ops::add_to_rows(rows_times<Narrow>(p, columns, node.width), rows + 8 * b, target(b));
    }

    // Adds, for `Count` columns from `first` on, the transpose of a panel of `blocks` blocks times
    // the vertices in `below`.
    template <int Count, class Value>
    static inline void columns_times(const Value* p, int width, int blocks, int first,
                                     const Real* below, Axes<Wide>* sum) {
        const Value* q = p + 16 * first;
        for (int pair = 0; pair < blocks / 2; ++pair, q += std::size_t{16} * width, below += 48) {
            const Wide x = Wide::load(below), y = Wide::load(below + 16),
                       z = Wide::load(below + 32);
            for (int k = 0; k < Count; ++k) {
                const Wide a = Wide::load(q + 16 * k);
                sum[k].x = multiply_add(a, x, sum[k].x);
                sum[k].y = multiply_add(a, y, sum[k].y);
                sum[k].z = multiply_add(a, z, sum[k].z);
            }
        }
        if (blocks % 2 == 0) return;
        q = p + std::size_t{8} * (blocks - 1) * width + 8 * first;
        const Narrow x = Narrow::load(below), y = Narrow::load(below + 8),
                     z = Narrow::load(below + 16);
        for (int k = 0; k < Count; ++k) {
            const Narrow a = Narrow::load(q + 8 * k);
            Ops::add_tail(sum[k].x, a, x);
            Ops::add_tail(sum[k].y, a, y);
            Ops::add_tail(sum[k].z, a, z);
        }
    }

    struct Backward {
        const Supernode& node;
        const Stored* p;
        const Real* d;
        const Real *own, *below; // vertices of the columns and of the rows below, by packs x, y, z
        Real* updated;           // new values of the columns, xyz0
    };
    // Computes the new values of `Count` columns from `first` on.
    template <int Count>
    static inline void new_columns(const Backward& b, int first) {
        Axes<Wide> sum[Count];
        for (Axes<Wide>& s : sum) s = {Wide::zero(), Wide::zero(), Wide::zero()};
        const int width = b.node.width;
        columns_times<Count>(b.d, width, blocks_for(width), first, b.own, sum);
        columns_times<Count>(b.p, width, b.node.blocks, first, b.below, sum);
        Ops::template write_columns<Count>(sum, b.updated + 4 * first);
    }
    // The columns after the last full step, fewer than a step.
    template <int Count>
    static inline void remaining_columns(const Backward& b, int first) {
        if constexpr (Count > 0) {
            if (b.node.width - first == Count)
                new_columns<Count>(b, first);
            else
                remaining_columns<Count - 1>(b, first);
        }
    }

    // x_columns = D x_columns + P^T x_rows.
    static void backward(const Supernode& node, const Stored* p, const Real* d,
                         const std::int32_t* rows, Real* v, Real* buffer) {
        Real* columns = v + 4 * std::size_t(node.first);
        Real* own = buffer;
        const int own_blocks = blocks_for(node.width);
        Real* below = own + 48 * ((own_blocks + 1) / 2); // starts on a cache line
        Real* updated = below + 24 * std::size_t(node.blocks);
        // Copies the columns to `updated` first: vertices after the last column, which would fill
        // the last block, may belong to another task.
        std::copy(columns, columns + 4 * node.width, updated);
        std::fill(updated + 4 * node.width, updated + 32 * own_blocks, Real{0});
        for (int b = 0; b < own_blocks; b += 2)
            if (b + 1 < own_blocks)
                Ops::template read_columns<Wide>(updated + 32 * b, own + 24 * b);
            else
                Ops::template read_columns<Narrow>(updated + 32 * b, own + 24 * b);
        for (int b = 0; b < node.blocks; b += 2)
            if (b + 1 < node.blocks)
                Ops::template read_rows<Wide>(rows + 8 * b, v, below + 24 * b);
            else
                Ops::template read_rows<Narrow>(rows + 8 * b, v, below + 24 * b);
        const Backward b{node, p, d, own, below, updated};
        constexpr int step = Ops::columns_at_once;
        int first = 0;
        for (; first + step <= node.width; first += step) new_columns<step>(b, first);
        remaining_columns<step - 1>(b, first);
        std::copy(updated, updated + 4 * node.width, columns);
    }
};

} // namespace twang::core
