// The batch loops for AVX2 and FMA.
#include "panel_batch.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include "avx2.hpp"

namespace twang::core {

namespace {

// Sum over columns of panel value times vertex, for `Rows` rows side by side in a block whose
// columns lie `apart`.
template <int Rows>
void rows_times(const float* p, int apart, const float* columns, int width, Three* sum) {
    for (int r = 0; r < Rows; ++r)
        sum[r] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps()};
    for (int c = 0; c < width; ++c, p += apart, columns += 24) {
        const __m256 x = _mm256_load_ps(columns), y = _mm256_load_ps(columns + 8),
                     z = _mm256_load_ps(columns + 16);
        for (int r = 0; r < Rows; ++r) {
            const __m256 q = _mm256_broadcast_ss(p + r);
            sum[r].x = _mm256_fmadd_ps(q, x, sum[r].x);
            sum[r].y = _mm256_fmadd_ps(q, y, sum[r].y);
            sum[r].z = _mm256_fmadd_ps(q, z, sum[r].z);
        }
    }
}

void add_to(float* v, __m256 value) { _mm256_store_ps(v, _mm256_add_ps(_mm256_load_ps(v), value)); }

// Adds, for one column of a panel and one coordinate, the products with its rows to the eight sums
// of the first or of the second blocks of pairs. `row(i)` is where row i lies.
template <class Row>
void add_products(const float* p, int width, int blocks, int column, int second, Row&& row,
                  __m256* sum) {
    for (int b = second; b < blocks; b += 2) {
        const float* q = p + place_of(b, blocks, width, column);
        for (int l = 0; l < 8; ++l)
            sum[l] =
                _mm256_fmadd_ps(_mm256_broadcast_ss(q + l), _mm256_load_ps(row(8 * b + l)), sum[l]);
    }
}

// The new value of one coordinate of a column, summed in the order of the kernels for one body.
__m256 new_column(const Supernode& node, const float* p, const float* d, const std::int32_t* rows,
                  const float* v, int column) {
    const auto own = [&](int i) { return v + 24 * std::size_t(node.first + i); };
    const auto below = [&](int i) { return v + 6 * std::size_t(rows[i]); };
    __m256 h[8], sum[8];
    for (const int second : {1, 0}) {
        for (__m256& s : sum) s = _mm256_setzero_ps();
        add_products(d, node.width, blocks_for(node.width), column, second, own, sum);
        add_products(p, node.width, node.blocks, column, second, below, sum);
        for (int l = 0; l < 8; ++l) h[l] = second ? sum[l] : _mm256_add_ps(sum[l], h[l]);
    }
    const auto four = [&](const __m256* a) {
        return _mm256_add_ps(_mm256_add_ps(a[0], a[2]), _mm256_add_ps(a[1], a[3]));
    };
    return _mm256_add_ps(four(h), four(h + 4));
}

} // namespace

void batch_read(const Float4* const* v, int count, std::size_t n, float* to) {
    const Float4* from[8];
    for (int k = 0; k < 8; ++k) from[k] = v[k < count ? k : 0]; // idle lanes repeat the first
    for (std::size_t i = 0; i < n; ++i, to += 24) {
        __m256 t[4];
        for (int k = 0; k < 4; ++k)
            t[k] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(&from[k][i].x)),
                                        _mm_load_ps(&from[k + 4][i].x), 1);
        const Three columns = transpose(t);
        _mm256_store_ps(to, columns.x);
        _mm256_store_ps(to + 8, columns.y);
        _mm256_store_ps(to + 16, columns.z);
    }
}

void batch_write(const float* from, int count, std::size_t n, Float4* const* v) {
    for (std::size_t i = 0; i < n; ++i, from += 24) {
        __m256 t[4];
        transpose(Three{_mm256_load_ps(from), _mm256_load_ps(from + 8), _mm256_load_ps(from + 16)},
                  t);
        for (int k = 0; k < 4; ++k) {
            if (k < count) _mm_store_ps(&v[k][i].x, _mm256_castps256_ps128(t[k]));
            if (k + 4 < count) _mm_store_ps(&v[k + 4][i].x, _mm256_extractf128_ps(t[k], 1));
        }
    }
}

void batch_forward(const Supernode& node, const float* p, const std::int32_t* rows, float* v) {
    const float* columns = v + 24 * std::size_t(node.first);
    for (int b = 0; b < node.blocks; ++b) {
        const float* q = p + place_of(b, node.blocks, node.width, 0);
        const int apart = b + 1 == node.blocks && b % 2 == 0 ? 8 : 16;
        for (int half = 0; half < 8; half += 4) {
            Three sum[4];
            rows_times<4>(q + half, apart, columns, node.width, sum);
            for (int r = 0; r < 4; ++r) {
                float* to = v + 6 * std::size_t(rows[8 * b + half + r]);
                add_to(to, sum[r].x);
                add_to(to + 8, sum[r].y);
                add_to(to + 16, sum[r].z);
            }
        }
    }
}

void batch_backward(const Supernode& node, const float* p, const float* d, const std::int32_t* rows,
                    float* v, float* fresh) {
    for (int c = 0; c < node.width; ++c)
        for (int axis = 0; axis < 3; ++axis)
            _mm256_store_ps(fresh + 24 * c + 8 * axis,
                            new_column(node, p, d, rows, v + 8 * axis, c));
    std::copy(fresh, fresh + 24 * node.width, v + 24 * std::size_t(node.first));
}

} // namespace twang::core

#else

namespace twang::core {

// Built for a machine without these instructions: PanelBatch::suits says so, and nothing comes
// here.
void batch_read(const Float4* const*, int, std::size_t, float*) {}
void batch_write(const float*, int, std::size_t, Float4* const*) {}
void batch_forward(const Supernode&, const float*, const std::int32_t*, float*) {}
void batch_backward(const Supernode&, const float*, const float*, const std::int32_t*, float*,
                    float*) {}

} // namespace twang::core

#endif
