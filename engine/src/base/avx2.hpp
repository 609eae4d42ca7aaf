// Helpers for the files that are compiled for AVX2 and FMA. Only those files may include this
// header. The unnamed namespace keeps the linker from using a function that was compiled for AVX2
// in another file.
#pragma once

#include <immintrin.h>

#include "base/vec3.hpp"

namespace twang::core {

namespace {

// Returns 1/sqrt(square) to 23 bits: the estimate of the CPU and one Newton step.
inline __m256 inverse_root(__m256 square) {
    const __m256 estimate = _mm256_rsqrt_ps(square);
    const __m256 half = _mm256_mul_ps(_mm256_mul_ps(_mm256_set1_ps(0.5f), square), estimate);
    return _mm256_mul_ps(estimate, _mm256_fnmadd_ps(half, estimate, _mm256_set1_ps(1.5f)));
}

// Returns x^2 + y^2 + z^2 per lane.
inline __m256 square_of(__m256 x, __m256 y, __m256 z) {
    return _mm256_fmadd_ps(x, x, _mm256_fmadd_ps(y, y, _mm256_mul_ps(z, z)));
}

// Returns own - other, subtracted in double and rounded to float. `other` is read as four doubles:
// the fourth number of the result depends on what follows in memory.
inline __m128 difference(__m256d own, const double* other) {
    return _mm256_cvtpd_ps(_mm256_sub_pd(own, _mm256_loadu_pd(other)));
}

// Coordinates of eight vertices, one vertex per lane.
struct Three {
    __m256 x, y, z;
};

// Transposes eight vertices to their x, y and z. t[i] holds vertices i and i + 4, as x, y, z and a
// fourth number that is ignored.
inline Three transpose(const __m256 (&t)[4]) {
    const __m256 a = _mm256_unpacklo_ps(t[0], t[1]), b = _mm256_unpacklo_ps(t[2], t[3]);
    const __m256 c = _mm256_unpackhi_ps(t[0], t[1]), d = _mm256_unpackhi_ps(t[2], t[3]);
    return {_mm256_shuffle_ps(a, b, 0x44), _mm256_shuffle_ps(a, b, 0xEE),
            _mm256_shuffle_ps(c, d, 0x44)};
}

// Transposes x, y, z of eight vertices back: out[i] holds vertices i and i + 4 as x, y, z, 0.
inline void transpose(const Three& s, __m256 (&out)[4]) {
    const __m256 zero = _mm256_setzero_ps();
    const __m256 xy_low = _mm256_unpacklo_ps(s.x, s.y), xy_high = _mm256_unpackhi_ps(s.x, s.y);
    const __m256 z_low = _mm256_unpacklo_ps(s.z, zero), z_high = _mm256_unpackhi_ps(s.z, zero);
    out[0] = _mm256_shuffle_ps(xy_low, z_low, 0x44);
    out[1] = _mm256_shuffle_ps(xy_low, z_low, 0xEE);
    out[2] = _mm256_shuffle_ps(xy_high, z_high, 0x44);
    out[3] = _mm256_shuffle_ps(xy_high, z_high, 0xEE);
}

// sum_lanes returns the sums of the lanes of eight vectors p[0] to p[7]: lane i is the sum over
// p[i]. Blends run beside the shuffles at no cost, and this way needs only eight shuffles.
inline __m256 sum_pairs(__m256 a, __m256 b) {
    return _mm256_add_ps(_mm256_blend_ps(a, b, 0xAA),
                         _mm256_permute_ps(_mm256_blend_ps(b, a, 0xAA), 0xB1));
}
inline __m256 sum_fours(const __m256* p) {
    const __m256 a = sum_pairs(p[0], p[1]), b = sum_pairs(p[2], p[3]);
    return _mm256_add_ps(_mm256_blend_ps(a, b, 0xCC),
                         _mm256_permute_ps(_mm256_blend_ps(b, a, 0xCC), 0x4E));
}
inline __m256 sum_lanes(const __m256* p) {
    const __m256 low = sum_fours(p), high = sum_fours(p + 4);
    return _mm256_add_ps(_mm256_permute2f128_ps(low, high, 0x20),
                         _mm256_permute2f128_ps(low, high, 0x31));
}

} // namespace

} // namespace twang::core
