// The panel loops for AVX2, FMA and F16C. Compiled with these; called only on CPUs that have them.
#include "linear/supernodal_kernels.hpp"

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include "base/avx2.hpp"

namespace twang::core {

namespace {

struct Narrow256 {
    static constexpr int lanes = 8;
    __m256 v;

    static Narrow256 zero() { return {_mm256_setzero_ps()}; }
    static Narrow256 load(const float* p) { return {_mm256_load_ps(p)}; }
    static Narrow256 load(const std::uint16_t* p) {
        return {_mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(p)))};
    }
    static Narrow256 broadcast(const float* p) { return {_mm256_broadcast_ss(p)}; }
    friend Narrow256 multiply_add(Narrow256 a, Narrow256 b, Narrow256 c) {
        return {_mm256_fmadd_ps(a.v, b.v, c.v)};
    }
};

void add_to(float* v, __m128 value) { _mm_store_ps(v, _mm_add_ps(_mm_load_ps(v), value)); }

void add_to_eight(const Axes<Narrow256>& sum, const std::int32_t* rows, float* v) {
    __m256 t[4];
    transpose(Three{sum.x.v, sum.y.v, sum.z.v}, t);
    for (int i = 0; i < 4; ++i) add_to(v + rows[i], _mm256_castps256_ps128(t[i]));
    for (int i = 0; i < 4; ++i) add_to(v + rows[i + 4], _mm256_extractf128_ps(t[i], 1));
}

__m256 two_vertices(const float* a, const float* b) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(a)), _mm_load_ps(b), 1);
}

// Reads eight vertices, each as xyz0 at vertex(i): x to `out`, y and z one and two times
// `axis_stride` after.
template <class Vertex>
void read_eight(Vertex&& vertex, float* out, int axis_stride) {
    __m256 t[4];
    for (int i = 0; i < 4; ++i) t[i] = two_vertices(vertex(i), vertex(i + 4));
    const Three columns = transpose(t);
    _mm256_store_ps(out, columns.x);
    _mm256_store_ps(out + axis_stride, columns.y);
    _mm256_store_ps(out + 2 * axis_stride, columns.z);
}

struct Wide256 {
    static constexpr int lanes = 16;
    __m256 low, high;

    static Wide256 zero() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
    template <class Value>
    static Wide256 load(const Value* p) {
        return {Narrow256::load(p).v, Narrow256::load(p + 8).v};
    }
    static Wide256 broadcast(const float* p) {
        const __m256 v = _mm256_broadcast_ss(p);
        return {v, v};
    }
    friend Wide256 multiply_add(Wide256 a, Wide256 b, Wide256 c) {
        return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
    }
};

template <class StoredType>
struct Avx2Ops {
    using Stored = StoredType;
    using Real = float;
    using Wide = Wide256;
    using Narrow = Narrow256;
    static constexpr int columns_at_once = 2;

    static void add_tail(Wide& sum, Narrow a, Narrow b) {
        sum.low = _mm256_fmadd_ps(a.v, b.v, sum.low);
    }
    static void add_to_rows(const Axes<Narrow>& sum, const std::int32_t* rows, float* v) {
        add_to_eight(sum, rows, v);
    }
    static void add_to_rows(const Axes<Wide>& sum, const std::int32_t* rows, float* v, float* w) {
        add_to_eight({{sum.x.low}, {sum.y.low}, {sum.z.low}}, rows, v);
        add_to_eight({{sum.x.high}, {sum.y.high}, {sum.z.high}}, rows + 8, w);
    }
    template <class Pack>
    static void read_rows(const std::int32_t* rows, const float* v, float* out) {
        for (int half = 0; half < Pack::lanes; half += 8)
            read_eight([&](int i) { return v + rows[half + i]; }, out + half, Pack::lanes);
    }
    template <class Pack>
    static void read_columns(const float* v, float* out) {
        for (int half = 0; half < Pack::lanes; half += 8)
            read_eight([&](int i) { return v + 4 * (half + i); }, out + half, Pack::lanes);
    }
    template <int Count>
    static void write_columns(const Axes<Wide>* sum, float* out) {
        const auto halves = [](const Wide& a) { return _mm256_add_ps(a.low, a.high); };
        for (int k = 0; k < Count; ++k, out += 4) {
            const __m256 both =
                sum_fours_of_axes(halves(sum[k].x), halves(sum[k].y), halves(sum[k].z));
            _mm_store_ps(out,
                         _mm_add_ps(_mm256_castps256_ps128(both), _mm256_extractf128_ps(both, 1)));
        }
    }
    // Returns xyz0 in both halves: in each half, the sums of the four numbers of x, y and z there.
    static __m256 sum_fours_of_axes(__m256 x, __m256 y, __m256 z) {
        const __m256 zero = _mm256_setzero_ps();
        const __m256d xy =
            _mm256_castps_pd(_mm256_add_ps(_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y)));
        const __m256d z0 = _mm256_castps_pd(
            _mm256_add_ps(_mm256_unpacklo_ps(z, zero), _mm256_unpackhi_ps(z, zero)));
        return _mm256_add_ps(_mm256_castpd_ps(_mm256_unpacklo_pd(xy, z0)),
                             _mm256_castpd_ps(_mm256_unpackhi_pd(xy, z0)));
    }
};

} // namespace

template <>
PanelKernels<float, float> avx2_kernels() {
    using Loops = PanelLoops<Avx2Ops<float>>;
    return {Loops::forward, Loops::backward};
}
template <>
PanelKernels<std::uint16_t, float> avx2_kernels() {
    using Loops = PanelLoops<Avx2Ops<std::uint16_t>>;
    return {Loops::forward, Loops::backward};
}
template <>
PanelKernels<double, double> avx2_kernels() {
    return scalar_kernels<double, double>();
}

} // namespace twang::core

#else

namespace twang::core {

// Built without AVX2: the choice at run time never calls this.
template <class Stored, class Real>
PanelKernels<Stored, Real> avx2_kernels() {
    return scalar_kernels<Stored, Real>();
}
template PanelKernels<float, float> avx2_kernels();
template PanelKernels<double, double> avx2_kernels();
template PanelKernels<std::uint16_t, float> avx2_kernels();

} // namespace twang::core

#endif
