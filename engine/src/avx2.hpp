// Pieces that the files for AVX2 share. Only they include this; hence the namespace without a name.
#pragma once

#include <immintrin.h>

#include "vec3.hpp"

namespace twang::core {

namespace {

// 1/sqrt to 23 bits: the estimate and one Newton step.
inline __m256 inverse_root(__m256 square) {
    const __m256 guess = _mm256_rsqrt_ps(square);
    const __m256 half = _mm256_mul_ps(_mm256_mul_ps(_mm256_set1_ps(0.5f), square), guess);
    return _mm256_mul_ps(guess, _mm256_fnmadd_ps(half, guess, _mm256_set1_ps(1.5f)));
}

inline __m256 square_of(__m256 x, __m256 y, __m256 z) {
    return _mm256_fmadd_ps(x, x, _mm256_fmadd_ps(y, y, _mm256_mul_ps(z, z)));
}

// own - x[other], formed in double; the fourth number is whatever follows.
inline __m128 difference(const Vec3* x, __m256d own, std::uint32_t other) {
    return _mm256_cvtpd_ps(_mm256_sub_pd(own, _mm256_loadu_pd(&x[other].x)));
}

struct Three {
    __m256 x, y, z;
};

// Vertices 0 4, 1 5, 2 6, 3 7 as xyz? to x, y, z of all eight.
inline Three transpose(const __m256 (&t)[4]) {
    const __m256 a = _mm256_unpacklo_ps(t[0], t[1]), b = _mm256_unpacklo_ps(t[2], t[3]);
    const __m256 c = _mm256_unpackhi_ps(t[0], t[1]), d = _mm256_unpackhi_ps(t[2], t[3]);
    return {_mm256_shuffle_ps(a, b, 0x44), _mm256_shuffle_ps(a, b, 0xEE),
            _mm256_shuffle_ps(c, d, 0x44)};
}

} // namespace

} // namespace twang::core
