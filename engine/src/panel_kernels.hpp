// The two loops over a supernode, written once for any Pack of 8 numbers. A Pack type offers
//   load(const Stored*), broadcast(const Real*), zero(), multiply_add(a, b, c), a + b
// and, for Three of them that hold x, y, z of 8 vertices,
//   add_to_rows, read_rows, write_columns, and sums (eight packs to one of their sums).
// Included by one file per instruction set.
#pragma once

#include "panel_solve.hpp"

namespace twang::core {

template <class Ops>
struct PanelLoops {
    using Stored = typename Ops::Stored;
    using Real = typename Ops::Real;
    using Pack = typename Ops::Pack;
    using Three = typename Ops::Three;

    // Sum over columns of panel column times vertex, for `Blocks` blocks of 8 rows.
    template <int Blocks, class Value>
    static inline void rows_times(const Value* p, std::size_t stride, const Real* v, int width,
                                  Three* sum) {
        for (int b = 0; b < Blocks; ++b) sum[b] = {Ops::zero(), Ops::zero(), Ops::zero()};
        for (int c = 0; c < width; ++c, v += 4) {
            const Pack x = Ops::broadcast(v), y = Ops::broadcast(v + 1), z = Ops::broadcast(v + 2);
            for (int b = 0; b < Blocks; ++b) {
                const Pack q = Ops::load(p + b * stride + 8 * c);
                sum[b].x = Ops::multiply_add(q, x, sum[b].x);
                sum[b].y = Ops::multiply_add(q, y, sum[b].y);
                sum[b].z = Ops::multiply_add(q, z, sum[b].z);
            }
        }
    }

    static void forward_blocks(const Supernode& node, int begin, int end, const Stored* p,
                               const std::int32_t* rows, const Real* columns, Real* out) {
        const std::size_t stride = std::size_t{8} * node.width;
        int b = begin;
        for (; b + 2 <= end; b += 2) {
            Three sum[2];
            rows_times<2>(p + b * stride, stride, columns, node.width, sum);
            Ops::add_to_rows(sum[0], rows + 8 * b, out);
            Ops::add_to_rows(sum[1], rows + 8 * b + 8, out);
        }
        if (b < end) {
            Three sum[1];
            rows_times<1>(p + b * stride, stride, columns, node.width, sum);
            Ops::add_to_rows(sum[0], rows + 8 * b, out);
        }
    }

    static void forward(const Supernode& node, const Stored* p, const std::int32_t* rows,
                        Real* inner, Real* top) {
        const Real* columns = inner + 4 * std::size_t(node.first);
        forward_blocks(node, 0, node.inner_blocks, p, rows, columns, inner);
        forward_blocks(node, node.inner_blocks, node.blocks, p, rows, columns, top);
    }

    // P^T times the rows, for `Columns` columns from `p`; x, y, z hold 4 packs each.
    template <int Columns>
    static inline void columns_times(const Stored* p, std::size_t stride, const Real* below,
                                     int blocks, Pack* x, Pack* y, Pack* z) {
        for (int i = 0; i < 4; ++i) x[i] = y[i] = z[i] = Ops::zero();
        for (int b = 0; b < blocks; ++b, p += stride, below += 24) {
            const Pack bx = Ops::load_real(below), by = Ops::load_real(below + 8),
                       bz = Ops::load_real(below + 16);
            for (int i = 0; i < Columns; ++i) {
                const Pack q = Ops::load(p + 8 * i);
                x[i] = Ops::multiply_add(q, bx, x[i]);
                y[i] = Ops::multiply_add(q, by, y[i]);
                z[i] = Ops::multiply_add(q, bz, z[i]);
            }
        }
    }

    // The same for up to eight columns; x, y, z hold 8 packs each.
    static inline void eight_columns(const Stored* p, std::size_t stride, const Real* below,
                                     int blocks, int columns, Pack* x, Pack* y, Pack* z) {
        for (int half = 0; half < 8; half += 4, p += 32, x += 4, y += 4, z += 4)
            switch (std::min(columns - half, 4)) {
            case 4: columns_times<4>(p, stride, below, blocks, x, y, z); break;
            case 3: columns_times<3>(p, stride, below, blocks, x, y, z); break;
            case 2: columns_times<2>(p, stride, below, blocks, x, y, z); break;
            case 1: columns_times<1>(p, stride, below, blocks, x, y, z); break;
            default: columns_times<0>(p, stride, below, 0, x, y, z);
            }
    }

    // The new values of 8 columns from `first` on, written to `out`.
    static inline void finish(const Supernode& node, const Stored* p, const Real* below, int first,
                              Three sum, Real* out) {
        const std::size_t stride = std::size_t{8} * node.width;
        if (node.blocks > 0) {
            Pack x[8], y[8], z[8];
            eight_columns(p + 8 * first, stride, below, node.blocks, node.width - first, x, y, z);
            sum.x = Ops::add(sum.x, Ops::sums(x));
            sum.y = Ops::add(sum.y, Ops::sums(y));
            sum.z = Ops::add(sum.z, Ops::sums(z));
        }
        Ops::write_columns(sum, out);
    }

    static void backward(const Supernode& node, const Stored* p, const Real* d,
                         const std::int32_t* rows, Real* v, Real* room) {
        Real* below = room;
        Real* fresh = room + 24 * std::size_t(node.blocks);
        for (int b = 0; b < node.blocks; ++b) Ops::read_rows(rows + 8 * b, v, below + 24 * b);
        Real* columns = v + 4 * std::size_t(node.first);
        const std::size_t stride = std::size_t{8} * node.width;
        int c = 0;
        for (; c + 8 < node.width; c += 16) {
            Three sum[2];
            rows_times<2>(d + c / 8 * stride, stride, columns, node.width, sum);
            finish(node, p, below, c, sum[0], fresh + 4 * c);
            finish(node, p, below, c + 8, sum[1], fresh + 4 * c + 32);
        }
        if (c < node.width) {
            Three sum[1];
            rows_times<1>(d + c / 8 * stride, stride, columns, node.width, sum);
            finish(node, p, below, c, sum[0], fresh + 4 * c);
        }
        std::copy(fresh, fresh + 4 * node.width, columns);
    }
};

} // namespace twang::core
