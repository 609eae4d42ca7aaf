// The batch loops for AVX2 and FMA.
#include "panel_batch.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include "avx2.hpp"

namespace twang::core {

namespace {

// Sum over columns of panel value times vertex, for `Rows` rows side by side in a block.
template <int Rows>
void rows_times(const float* p, const float* columns, int width, Three* sum) {
    for (int r = 0; r < Rows; ++r)
        sum[r] = {_mm256_setzero_ps(), _mm256_setzero_ps(), _mm256_setzero_ps()};
    for (int c = 0; c < width; ++c, p += 8, columns += 24) {
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

// P^T times one coordinate of the rows, for one column: eight sums, added as sum_lanes adds.
__m256 column_times(const float* p, std::size_t stride, const std::int32_t* rows, int blocks,
                    const float* v) {
    __m256 sum[8];
    for (__m256& s : sum) s = _mm256_setzero_ps();
    for (int b = 0; b < blocks; ++b, p += stride, rows += 8)
        for (int l = 0; l < 8; ++l)
            sum[l] = _mm256_fmadd_ps(_mm256_broadcast_ss(p + l),
                                     _mm256_load_ps(v + 24 * std::size_t(rows[l])), sum[l]);
    return _mm256_add_ps(
        _mm256_add_ps(_mm256_add_ps(sum[0], sum[1]), _mm256_add_ps(sum[2], sum[3])),
        _mm256_add_ps(_mm256_add_ps(sum[4], sum[5]), _mm256_add_ps(sum[6], sum[7])));
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
    const std::size_t stride = std::size_t{8} * node.width;
    const float* columns = v + 24 * std::size_t(node.first);
    for (int b = 0; b < node.blocks; ++b)
        for (int half = 0; half < 8; half += 4) {
            Three sum[4];
            rows_times<4>(p + b * stride + half, columns, node.width, sum);
            for (int r = 0; r < 4; ++r) {
                float* to = v + 24 * std::size_t(rows[8 * b + half + r]);
                add_to(to, sum[r].x);
                add_to(to + 8, sum[r].y);
                add_to(to + 16, sum[r].z);
            }
        }
}

void batch_backward(const Supernode& node, const float* p, const float* d, const std::int32_t* rows,
                    float* v, float* fresh) {
    const std::size_t stride = std::size_t{8} * node.width;
    float* columns = v + 24 * std::size_t(node.first);
    for (int c = 0; c < node.width; c += 4) {
        Three sum[4];
        rows_times<4>(d + c / 8 * stride + c % 8, columns, node.width, sum);
        for (int k = 0; k < 4 && c + k < node.width; ++k) {
            __m256 axes[3] = {sum[k].x, sum[k].y, sum[k].z};
            for (int axis = 0; axis < 3; ++axis) {
                if (node.blocks > 0)
                    axes[axis] = _mm256_add_ps(
                        axes[axis],
                        column_times(p + 8 * (c + k), stride, rows, node.blocks, v + 8 * axis));
                _mm256_store_ps(fresh + 24 * (c + k) + 8 * axis, axes[axis]);
            }
        }
    }
    std::copy(fresh, fresh + 24 * node.width, columns);
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
