// Four doubles in one register, or in a loop where AVX2 and FMA are missing. add_product and
// subtract_product do not round the product where FMA is available. Each file that includes this
// header is compiled for its own instruction set. The unnamed namespace keeps the linker from using
// one version of a function in all files.
#pragma once

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

namespace twang::core {

namespace {

#if defined(__AVX2__) && defined(__FMA__)

struct Four {
    __m256d v;
};
inline Four load_four(const double* p) { return {_mm256_load_pd(p)}; }
inline void store_four(double* p, Four a) { _mm256_store_pd(p, a.v); }
inline Four four_of(double a) { return {_mm256_set1_pd(a)}; }
inline Four times(Four a, Four b) { return {_mm256_mul_pd(a.v, b.v)}; }
inline Four add_product(Four sum, Four a, Four b) { return {_mm256_fmadd_pd(a.v, b.v, sum.v)}; }
inline Four subtract_product(Four sum, Four a, Four b) {
    return {_mm256_fnmadd_pd(a.v, b.v, sum.v)};
}
inline double add_product(double sum, double a, double b) { return __builtin_fma(a, b, sum); }
inline double subtract_product(double sum, double a, double b) { return __builtin_fma(-a, b, sum); }

#else

struct Four {
    double v[4];
};
inline Four load_four(const double* p) { return {{p[0], p[1], p[2], p[3]}}; }
inline void store_four(double* p, Four a) {
    for (int i = 0; i < 4; ++i) p[i] = a.v[i];
}
inline Four four_of(double a) { return {{a, a, a, a}}; }
inline Four times(Four a, Four b) {
    for (int i = 0; i < 4; ++i) a.v[i] *= b.v[i];
    return a;
}
inline Four add_product(Four sum, Four a, Four b) {
    for (int i = 0; i < 4; ++i) sum.v[i] += a.v[i] * b.v[i];
    return sum;
}
inline Four subtract_product(Four sum, Four a, Four b) {
    for (int i = 0; i < 4; ++i) sum.v[i] -= a.v[i] * b.v[i];
    return sum;
}
inline double add_product(double sum, double a, double b) { return sum + a * b; }
inline double subtract_product(double sum, double a, double b) { return sum - a * b; }

#endif

} // namespace

} // namespace twang::core
