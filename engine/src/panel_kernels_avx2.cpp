// The panel loops for AVX2, FMA and F16C; compiled with those on, called only where the machine has
// them.
#include "panel_kernels.hpp"

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include "avx2.hpp"

namespace twang::core {

namespace {

template <class StoredType>
struct FloatOps {
    using Stored = StoredType;
    using Real = float;
    using Pack = __m256;
    using Three = core::Three;

    static Pack zero() { return _mm256_setzero_ps(); }
    static Pack load_real(const float* p) { return _mm256_load_ps(p); }
    static Pack load(const float* p) { return _mm256_load_ps(p); }
    static Pack load(const std::uint16_t* p) {
        return _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(p)));
    }
    static Pack broadcast(const float* p) { return _mm256_broadcast_ss(p); }
    static Pack multiply_add(Pack a, Pack b, Pack c) { return _mm256_fmadd_ps(a, b, c); }
    static Pack add(Pack a, Pack b) { return _mm256_add_ps(a, b); }

    static Pack sums(const Pack* p) { return sum_lanes(p); }
    static void add_to_rows(const Three& sum, const std::int32_t* rows, float* v) {
        Pack t[4];
        transpose(sum, t);
        for (int i = 0; i < 4; ++i) {
            float* low = v + 4 * std::size_t(rows[i]);
            _mm_store_ps(low, _mm_add_ps(_mm_load_ps(low), _mm256_castps256_ps128(t[i])));
        }
        for (int i = 0; i < 4; ++i) {
            float* high = v + 4 * std::size_t(rows[i + 4]);
            _mm_store_ps(high, _mm_add_ps(_mm_load_ps(high), _mm256_extractf128_ps(t[i], 1)));
        }
    }
    static void read_rows(const std::int32_t* rows, const float* v, float* out) {
        Pack t[4];
        for (int i = 0; i < 4; ++i)
            t[i] = _mm256_insertf128_ps(
                _mm256_castps128_ps256(_mm_load_ps(v + 4 * std::size_t(rows[i]))),
                _mm_load_ps(v + 4 * std::size_t(rows[i + 4])), 1);
        const Three columns = transpose(t);
        _mm256_store_ps(out, columns.x);
        _mm256_store_ps(out + 8, columns.y);
        _mm256_store_ps(out + 16, columns.z);
    }
    static void write_columns(const Three& sum, float* out) {
        Pack t[4];
        transpose(sum, t);
        for (int i = 0; i < 4; ++i) {
            _mm_store_ps(out + 4 * i, _mm256_castps256_ps128(t[i]));
            _mm_store_ps(out + 4 * i + 16, _mm256_extractf128_ps(t[i], 1));
        }
    }
};

} // namespace

template <>
PanelKernels<float, float> avx2_kernels() {
    using Loops = PanelLoops<FloatOps<float>>;
    return {Loops::forward, Loops::backward};
}
template <>
PanelKernels<std::uint16_t, float> avx2_kernels() {
    using Loops = PanelLoops<FloatOps<std::uint16_t>>;
    return {Loops::forward, Loops::backward};
}
template <>
PanelKernels<double, double> avx2_kernels() {
    return plain_kernels<double, double>();
}

} // namespace twang::core

#else

namespace twang::core {

// Built for a machine without these instructions: the choice at run time never comes here.
template <class Stored, class Real>
PanelKernels<Stored, Real> avx2_kernels() {
    return plain_kernels<Stored, Real>();
}
template PanelKernels<float, float> avx2_kernels();
template PanelKernels<double, double> avx2_kernels();
template PanelKernels<std::uint16_t, float> avx2_kernels();

} // namespace twang::core

#endif
