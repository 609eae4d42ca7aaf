// Arithmetic on a number of each of the eight bodies of a batch, for files that are compiled for
// AVX2. The unnamed namespace keeps the linker from using these functions in files for other
// instruction sets. As in the whole engine, a product is rounded before it is added, except in
// add_product and subtract_product.
#pragma once

#include <immintrin.h>

#include "base/lanes.hpp"

namespace twang::core {

namespace {

// One float of each of eight bodies.
struct Floats {
    __m256 v;
};
// One double of each of four bodies.
struct Doubles {
    __m256d v;
};
// One double of each of eight bodies: bodies 0 to 3, then 4 to 7.
struct WideDoubles {
    Doubles low, high;
};

inline Floats load(const float* p) { return {_mm256_load_ps(p)}; }
inline Doubles load(const double* p) { return {_mm256_load_pd(p)}; }
inline WideDoubles load_wide(const double* p) { return {load(p), load(p + 4)}; }
inline void store(float* p, Floats a) { _mm256_store_ps(p, a.v); }
inline void store(double* p, Doubles a) { _mm256_store_pd(p, a.v); }
inline void store(double* p, WideDoubles a) { store(p, a.low), store(p + 4, a.high); }
inline Floats all(float a) { return {_mm256_set1_ps(a)}; }
inline Doubles all(double a) { return {_mm256_set1_pd(a)}; }
inline WideDoubles all_wide(double a) { return {all(a), all(a)}; }

inline Floats operator+(Floats a, Floats b) { return {_mm256_add_ps(a.v, b.v)}; }
inline Floats operator-(Floats a, Floats b) { return {_mm256_sub_ps(a.v, b.v)}; }
inline Floats operator*(Floats a, Floats b) { return {_mm256_mul_ps(a.v, b.v)}; }
inline Doubles operator+(Doubles a, Doubles b) { return {_mm256_add_pd(a.v, b.v)}; }
inline Doubles operator-(Doubles a, Doubles b) { return {_mm256_sub_pd(a.v, b.v)}; }
inline Doubles operator*(Doubles a, Doubles b) { return {_mm256_mul_pd(a.v, b.v)}; }
inline Doubles operator/(Doubles a, Doubles b) { return {_mm256_div_pd(a.v, b.v)}; }
inline WideDoubles operator+(WideDoubles a, WideDoubles b) {
    return {a.low + b.low, a.high + b.high};
}
inline WideDoubles operator-(WideDoubles a, WideDoubles b) {
    return {a.low - b.low, a.high - b.high};
}
inline WideDoubles operator*(WideDoubles a, WideDoubles b) {
    return {a.low * b.low, a.high * b.high};
}

// Returns sum + a b or sum - a b, rounded once.
inline Floats add_product(Floats sum, Floats a, Floats b) {
    return {_mm256_fmadd_ps(a.v, b.v, sum.v)};
}
inline Doubles add_product(Doubles sum, Doubles a, Doubles b) {
    return {_mm256_fmadd_pd(a.v, b.v, sum.v)};
}
inline Doubles subtract_product(Doubles sum, Doubles a, Doubles b) {
    return {_mm256_fnmadd_pd(a.v, b.v, sum.v)};
}
inline WideDoubles add_product(WideDoubles sum, WideDoubles a, WideDoubles b) {
    return {add_product(sum.low, a.low, b.low), add_product(sum.high, a.high, b.high)};
}
inline WideDoubles widen(Floats a) {
    return {{_mm256_cvtps_pd(_mm256_castps256_ps128(a.v))},
            {_mm256_cvtps_pd(_mm256_extractf128_ps(a.v, 1))}};
}
inline Floats narrow(WideDoubles a) {
    return {_mm256_set_m128(_mm256_cvtpd_ps(a.high.v), _mm256_cvtpd_ps(a.low.v))};
}

} // namespace

} // namespace twang::core
