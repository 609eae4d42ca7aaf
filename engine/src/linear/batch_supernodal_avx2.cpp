// The batched panel loops for AVX2 and FMA, one body per lane.
#include "linear/batch_supernodal.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include "base/avx2.hpp"

namespace twang::core {

namespace {

// Computes, for `Rows` consecutive rows of a block, the sum over columns of panel entry times
// vertex. Columns of the block lie `column_stride` floats apart.
template <int Rows>
void rows_times(const float* p, int column_stride, const float* columns, int width, Three* sum) {
    for (int r = 0; r < Rows; ++r)
        sum[r] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps()};
    for (int c = 0; c < width; ++c, p += column_stride, columns += vertex_stride) {
        const __m256 x = _mm256_load_ps(columns), y = _mm256_load_ps(columns + batch_width),
                     z = _mm256_load_ps(columns + 2 * batch_width);
        for (int r = 0; r < Rows; ++r) {
            const __m256 q = _mm256_broadcast_ss(p + r);
            sum[r].x = _mm256_fmadd_ps(q, x, sum[r].x);
            sum[r].y = _mm256_fmadd_ps(q, y, sum[r].y);
            sum[r].z = _mm256_fmadd_ps(q, z, sum[r].z);
        }
    }
}

// Returns the vertex of a row. Entries of the list of rows count four numbers per vertex, as for
// xyz0.
template <class Real>
Real* row_of(Real* v, std::int32_t row) {
    return v + vertex_stride / 4 * row;
}

void add_to(float* v, __m256 value) { _mm256_store_ps(v, _mm256_add_ps(_mm256_load_ps(v), value)); }

// The same for 1 to 4 rows.
void rows_times(const float* p, int column_stride, const float* columns, int width, int rows,
                Three* sum) {
    switch (rows) {
    case 1: return rows_times<1>(p, column_stride, columns, width, sum);
    case 2: return rows_times<2>(p, column_stride, columns, width, sum);
    case 3: return rows_times<3>(p, column_stride, columns, width, sum);
    default: return rows_times<4>(p, column_stride, columns, width, sum);
    }
}

Three add(const Three& a, const Three& b) {
    return {_mm256_add_ps(a.x, b.x), _mm256_add_ps(a.y, b.y), _mm256_add_ps(a.z, b.z)};
}

// sum[c] += panel entry of column c times a vertex, for `Columns` columns that lie `column_stride`
// floats apart.
template <int Columns>
inline void add_row(const float* p, int column_stride, const float* vertex, Three* sum) {
    const __m256 x = _mm256_load_ps(vertex), y = _mm256_load_ps(vertex + batch_width),
                 z = _mm256_load_ps(vertex + 2 * batch_width);
    for (int c = 0; c < Columns; ++c) {
        const __m256 q = _mm256_broadcast_ss(p + c * column_stride);
        sum[c].x = _mm256_fmadd_ps(q, x, sum[c].x);
        sum[c].y = _mm256_fmadd_ps(q, y, sum[c].y);
        sum[c].z = _mm256_fmadd_ps(q, z, sum[c].z);
    }
}

// Row l, 0 to 7, of every block of a panel.
struct BlockRow {
    const float* p; // row l of the first block, first column
    int width, blocks;
    int used; // blocks whose row l is not padding
};

// Adds the products with these rows: rows of the first block of each pair to `first`, rows of the
// second block to `second`. row(b) returns the vertex of the row of block b.
template <int Columns, class Row>
inline void add_block_row(const BlockRow& block_row, int column, Row&& row, Three* first,
                          Three* second) {
    const float* q = block_row.p;
    int b = 0;
    for (; b + 2 <= block_row.used; b += 2, q += std::size_t{16} * block_row.width) {
        add_row<Columns>(q + 16 * column, 16, row(b), first);
        add_row<Columns>(q + 16 * column + 8, 16, row(b + 1), second);
    }
    const int column_stride = b + 1 < block_row.blocks ? 16 : 8;
    if (b < block_row.used)
        add_row<Columns>(q + column_stride * column, column_stride, row(b), first);
}

// Computes what row l of all blocks, those of D and those of P, adds to `Columns` columns.
template <int Columns>
inline void add_own_and_below(const BlockRow& own, const float* own_row, const BlockRow& below,
                              const std::int32_t* below_rows, const float* v, int column,
                              float* out) {
    const __m256 zero = _mm256_setzero_ps();
    Three first[Columns], second[Columns];
    for (int c = 0; c < Columns; ++c) first[c] = second[c] = {zero, zero, zero};
    add_block_row<Columns>(
        own, column, [&](int b) { return own_row + 8 * vertex_stride * b; }, first, second);
    add_block_row<Columns>(
        below, column, [&](int b) { return row_of(v, below_rows[8 * b]); }, first, second);
    for (int c = 0; c < Columns; ++c, out += vertex_stride) {
        const Three sum = add(first[c], second[c]);
        _mm256_store_ps(out, sum.x);
        _mm256_store_ps(out + batch_width, sum.y);
        _mm256_store_ps(out + 2 * batch_width, sum.z);
    }
}

} // namespace

void batch_forward(const Supernode& node, const float* p, const std::int32_t* rows,
                   std::int32_t padding, float* v) {
    const float* columns = v + vertex_stride * std::size_t(node.first);
    for (int r = 0; r < 8 * node.blocks; r += 4) {
        const int b = r / 8, column_stride = b + 1 == node.blocks && b % 2 == 0 ? 8 : 16;
        const std::int32_t* row = rows + r;
        int count = 4;
        while (count > 0 && row[count - 1] == padding) --count;
        if (count == 0) continue;
        Three sum[4];
        rows_times(p + place_of(b, node.blocks, node.width, 0) + r % 8, column_stride, columns,
                   node.width, count, sum);
        for (int k = 0; k < count; ++k) {
            float* to = row_of(v, row[k]);
            add_to(to, sum[k].x);
            add_to(to + batch_width, sum[k].y);
            add_to(to + 2 * batch_width, sum[k].z);
        }
    }
}

// Sums in the order of the kernels for one body: eight partial sums per column, one for each row l
// of a block.
void batch_backward(const Supernode& node, const float* p, const float* d, const std::int32_t* rows,
                    std::int32_t padding, float* v, float* partial_sums) {
    const int width = node.width, last = 8 * (node.blocks - 1);
    float* columns = v + vertex_stride * std::size_t(node.first);
    for (int l = 0; l < 8; ++l) {
        const bool padded = node.blocks > 0 && rows[last + l] == padding; // padding adds nothing
        const BlockRow own{d + l, width, blocks_for(width), (width - l + 7) / 8};
        const BlockRow below{p + l, width, node.blocks, node.blocks - padded};
        float* out = partial_sums + vertex_stride * width * l;
        int c = 0;
        for (; c + 2 <= width; c += 2)
            add_own_and_below<2>(own, columns + vertex_stride * l, below, rows + l, v, c,
                                 out + vertex_stride * c);
        if (c < width)
            add_own_and_below<1>(own, columns + vertex_stride * l, below, rows + l, v, c,
                                 out + vertex_stride * c);
    }
    const std::size_t numbers = vertex_stride * width;
    for (std::size_t k = 0; k < numbers; k += batch_width) {
        const auto sum = [&](int l) { return _mm256_load_ps(partial_sums + numbers * l + k); };
        const auto four = [&](int l) {
            return _mm256_add_ps(_mm256_add_ps(sum(l), sum(l + 2)),
                                 _mm256_add_ps(sum(l + 1), sum(l + 3)));
        };
        _mm256_store_ps(columns + k, _mm256_add_ps(four(0), four(4)));
    }
}

} // namespace twang::core

#else

namespace twang::core {

// Built without AVX2: supports_batch returns false, so these are never called.
void batch_forward(const Supernode&, const float*, const std::int32_t*, std::int32_t, float*) {}
void batch_backward(const Supernode&, const float*, const float*, const std::int32_t*, std::int32_t,
                    float*, float*) {}

} // namespace twang::core

#endif
