// The loops over panels side by side for AVX2 and FMA.
#include "linear/batch_supernodal.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include "base/avx2.hpp"

namespace twang::core {

namespace {

// Sum over columns of panel value times vertex, for `Rows` rows side by side in a block whose
// columns lie `apart`.
template <int Rows>
void rows_times(const float* p, int apart, const float* columns, int width, Three* sum) {
    for (int r = 0; r < Rows; ++r)
        sum[r] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps()};
    for (int c = 0; c < width; ++c, p += apart, columns += vertex_stride) {
        const __m256 x = _mm256_load_ps(columns), y = _mm256_load_ps(columns + abreast),
                     z = _mm256_load_ps(columns + 2 * abreast);
        for (int r = 0; r < Rows; ++r) {
            const __m256 q = _mm256_broadcast_ss(p + r);
            sum[r].x = _mm256_fmadd_ps(q, x, sum[r].x);
            sum[r].y = _mm256_fmadd_ps(q, y, sum[r].y);
            sum[r].z = _mm256_fmadd_ps(q, z, sum[r].z);
        }
    }
}

// Rows are counted in numbers of a vertex xyz0.
template <class Real>
Real* row_of(Real* v, std::int32_t row) {
    return v + vertex_stride / 4 * row;
}

void add_to(float* v, __m256 value) { _mm256_store_ps(v, _mm256_add_ps(_mm256_load_ps(v), value)); }

// The same for 1 to 4 rows.
void rows_times(const float* p, int apart, const float* columns, int width, int rows, Three* sum) {
    switch (rows) {
    case 1: return rows_times<1>(p, apart, columns, width, sum);
    case 2: return rows_times<2>(p, apart, columns, width, sum);
    case 3: return rows_times<3>(p, apart, columns, width, sum);
    default: return rows_times<4>(p, apart, columns, width, sum);
    }
}

Three add(const Three& a, const Three& b) {
    return {_mm256_add_ps(a.x, b.x), _mm256_add_ps(a.y, b.y), _mm256_add_ps(a.z, b.z)};
}

// sum += panel values, which lie `apart` for `Columns` columns, times a vertex.
template <int Columns>
inline void add_row(const float* p, int apart, const float* vertex, Three* sum) {
    const __m256 x = _mm256_load_ps(vertex), y = _mm256_load_ps(vertex + abreast),
                 z = _mm256_load_ps(vertex + 2 * abreast);
    for (int c = 0; c < Columns; ++c) {
        const __m256 q = _mm256_broadcast_ss(p + c * apart);
        sum[c].x = _mm256_fmadd_ps(q, x, sum[c].x);
        sum[c].y = _mm256_fmadd_ps(q, y, sum[c].y);
        sum[c].z = _mm256_fmadd_ps(q, z, sum[c].z);
    }
}

// The rows at one place of the blocks of a panel.
struct Place {
    const float* p; // the place in the first block, first column
    int width, blocks;
    int used; // blocks that have a row there
};

// Adds the products with them, those of the first blocks of pairs to one sum and those of the
// second to another. `row(b)` is where the row of block b lies.
template <int Columns, class Row>
inline void add_place(const Place& place, int column, Row&& row, Three* first, Three* second) {
    const float* q = place.p;
    int b = 0;
    for (; b + 2 <= place.used; b += 2, q += std::size_t{16} * place.width) {
        add_row<Columns>(q + 16 * column, 16, row(b), first);
        add_row<Columns>(q + 16 * column + 8, 16, row(b + 1), second);
    }
    const int apart = b + 1 < place.blocks ? 16 : 8;
    if (b < place.used) add_row<Columns>(q + apart * column, apart, row(b), first);
}

// What the rows at one place of all blocks, those of D and those of P, add to `Columns` columns.
template <int Columns>
inline void add_both(const Place& own, const float* own_row, const Place& below,
                     const std::int32_t* below_rows, const float* v, int column, float* out) {
    const __m256 zero = _mm256_setzero_ps();
    Three first[Columns], second[Columns];
    for (int c = 0; c < Columns; ++c) first[c] = second[c] = {zero, zero, zero};
    add_place<Columns>(
        own, column, [&](int b) { return own_row + 8 * vertex_stride * b; }, first, second);
    add_place<Columns>(
        below, column, [&](int b) { return row_of(v, below_rows[8 * b]); }, first, second);
    for (int c = 0; c < Columns; ++c, out += vertex_stride) {
        const Three sum = add(first[c], second[c]);
        _mm256_store_ps(out, sum.x);
        _mm256_store_ps(out + abreast, sum.y);
        _mm256_store_ps(out + 2 * abreast, sum.z);
    }
}

} // namespace

void side_forward(const Supernode& node, const float* p, const std::int32_t* rows,
                  std::int32_t padding, float* v) {
    const float* columns = v + vertex_stride * std::size_t(node.first);
    for (int r = 0; r < 8 * node.blocks; r += 4) {
        const int b = r / 8, apart = b + 1 == node.blocks && b % 2 == 0 ? 8 : 16;
        const std::int32_t* row = rows + r;
        int count = 4;
        while (count > 0 && row[count - 1] == padding) --count;
        if (count == 0) continue;
        Three sum[4];
        rows_times(p + place_of(b, node.blocks, node.width, 0) + r % 8, apart, columns, node.width,
                   count, sum);
        for (int k = 0; k < count; ++k) {
            float* to = row_of(v, row[k]);
            add_to(to, sum[k].x);
            add_to(to + abreast, sum[k].y);
            add_to(to + 2 * abreast, sum[k].z);
        }
    }
}

// In the order of the kernels for one body: eight sums for a column, one for each place in a block.
void side_backward(const Supernode& node, const float* p, const float* d, const std::int32_t* rows,
                   std::int32_t padding, float* v, float* fresh) {
    const int width = node.width, last = 8 * (node.blocks - 1);
    float* columns = v + vertex_stride * std::size_t(node.first);
    for (int l = 0; l < 8; ++l) {
        const bool padded = node.blocks > 0 && rows[last + l] == padding; // adds nothing
        const Place own{d + l, width, blocks_for(width), (width - l + 7) / 8};
        const Place below{p + l, width, node.blocks, node.blocks - padded};
        float* out = fresh + vertex_stride * width * l;
        int c = 0;
        for (; c + 2 <= width; c += 2)
            add_both<2>(own, columns + vertex_stride * l, below, rows + l, v, c,
                        out + vertex_stride * c);
        if (c < width)
            add_both<1>(own, columns + vertex_stride * l, below, rows + l, v, c,
                        out + vertex_stride * c);
    }
    const std::size_t numbers = vertex_stride * width;
    for (std::size_t k = 0; k < numbers; k += abreast) {
        const auto sum = [&](int l) { return _mm256_load_ps(fresh + numbers * l + k); };
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

// Built for a machine without these instructions: suits_side_panels says so, and nothing comes
// here.
void side_forward(const Supernode&, const float*, const std::int32_t*, std::int32_t, float*) {}
void side_backward(const Supernode&, const float*, const float*, const std::int32_t*, std::int32_t,
                   float*, float*) {}

} // namespace twang::core

#endif
