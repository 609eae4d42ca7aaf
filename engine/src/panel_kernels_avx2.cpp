// The panel loops for AVX2, FMA and F16C; compiled with those on, called only where the machine has
// them.
#include "panel_kernels.hpp"

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include <immintrin.h>

namespace twang::core {

namespace {

template <class StoredType>
struct FloatOps {
    using Stored = StoredType;
    using Real = float;
    using Pack = __m256;
    struct Three {
        Pack x, y, z;
    };

    static Pack zero() { return _mm256_setzero_ps(); }
    static Pack load_real(const float* p) { return _mm256_load_ps(p); }
    static Pack load(const float* p) { return _mm256_load_ps(p); }
    static Pack load(const std::uint16_t* p) {
        return _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(p)));
    }
    static Pack broadcast(const float* p) { return _mm256_broadcast_ss(p); }
    static Pack multiply_add(Pack a, Pack b, Pack c) { return _mm256_fmadd_ps(a, b, c); }
    static Pack add(Pack a, Pack b) { return _mm256_add_ps(a, b); }

    // Sums of the lanes of eight packs. Blends are free beside shuffles, of which this needs eight.
    static Pack sums(const Pack* p) {
        const Pack low = fours(p), high = fours(p + 4);
        return _mm256_add_ps(_mm256_permute2f128_ps(low, high, 0x20),
                             _mm256_permute2f128_ps(low, high, 0x31));
    }
    static Pack fours(const Pack* p) {
        const Pack a = pairs(p[0], p[1]), b = pairs(p[2], p[3]);
        return _mm256_add_ps(_mm256_blend_ps(a, b, 0xCC),
                             _mm256_permute_ps(_mm256_blend_ps(b, a, 0xCC), 0x4E));
    }
    static Pack pairs(Pack a, Pack b) {
        return _mm256_add_ps(_mm256_blend_ps(a, b, 0xAA),
                             _mm256_permute_ps(_mm256_blend_ps(b, a, 0xAA), 0xB1));
    }

    // Eight x, y, z as xyz0 of vertices 0 4, 1 5, 2 6, 3 7.
    static void transpose(const Three& s, Pack* out) {
        const Pack zero = _mm256_setzero_ps();
        const Pack xy_low = _mm256_unpacklo_ps(s.x, s.y), xy_high = _mm256_unpackhi_ps(s.x, s.y);
        const Pack z_low = _mm256_unpacklo_ps(s.z, zero), z_high = _mm256_unpackhi_ps(s.z, zero);
        out[0] = _mm256_shuffle_ps(xy_low, z_low, 0x44);
        out[1] = _mm256_shuffle_ps(xy_low, z_low, 0xEE);
        out[2] = _mm256_shuffle_ps(xy_high, z_high, 0x44);
        out[3] = _mm256_shuffle_ps(xy_high, z_high, 0xEE);
    }
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
        const Pack a = _mm256_unpacklo_ps(t[0], t[1]), b = _mm256_unpacklo_ps(t[2], t[3]);
        const Pack c = _mm256_unpackhi_ps(t[0], t[1]), d = _mm256_unpackhi_ps(t[2], t[3]);
        _mm256_store_ps(out, _mm256_shuffle_ps(a, b, 0x44));
        _mm256_store_ps(out + 8, _mm256_shuffle_ps(a, b, 0xEE));
        _mm256_store_ps(out + 16, _mm256_shuffle_ps(c, d, 0x44));
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
