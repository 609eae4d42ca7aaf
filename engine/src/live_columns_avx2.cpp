// The columns of a live system for AVX2, bit for bit as the plain ones; called only where the
// machine has it.
#include "live_columns.hpp"

#if defined(__AVX2__)
#include <immintrin.h>

namespace twang::core {

namespace {

// Two vertices to a vector.
void subtract(const LiveColumns<Float4>& columns, std::size_t group, Float4* v) {
    constexpr int pairs = 4;
    const __m256i two[pairs] = {
        _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1), _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3),
        _mm256_setr_epi32(4, 4, 4, 4, 5, 5, 5, 5), _mm256_setr_epi32(6, 6, 6, 6, 7, 7, 7, 7)};
    float* at = &v[8 * group].x;
    __m256 sum[pairs];
    for (int k = 0; k < pairs; ++k) sum[k] = _mm256_loadu_ps(at + 8 * k);
    for (std::size_t c = 0; c < columns.count; ++c) {
        const __m256 z = _mm256_loadu_ps(columns.z[c] + 8 * group);
        const __m256 u = _mm256_broadcast_ps(reinterpret_cast<const __m128*>(&columns.u[c]));
        for (int k = 0; k < pairs; ++k)
            sum[k] = _mm256_sub_ps(sum[k], _mm256_mul_ps(_mm256_permutevar8x32_ps(z, two[k]), u));
    }
    for (int k = 0; k < pairs; ++k) _mm256_storeu_ps(at + 8 * k, sum[k]);
}

} // namespace

SubtractKernel<Float4> avx2_subtract() { return subtract; }

} // namespace twang::core

#else

namespace twang::core {

SubtractKernel<Float4> avx2_subtract() { return plain_subtract<Float4>; }

} // namespace twang::core

#endif
