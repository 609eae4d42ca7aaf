// The coarse kernels for AVX2 and FMA: compiled with both enabled, called only where the machine
// has both.
#include "system/coarse_kernels.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include "base/avx2.hpp"
#include "linear/skyline_factor.hpp"

namespace twang::core {

namespace {

template <int Basis>
void gather_moments(const CoarseLists& lists, const CoarseGroup& group, const Vec3* x,
                    Moments<float>& moments) {
    constexpr int pairs = Basis * (Basis + 1) / 2;
    __m256 sum[pairs][8]; // six of them used
    for (auto& pair : sum)
        for (__m256& part : pair) part = _mm256_setzero_ps();
    for (std::uint32_t p = group.first_pack; p < group.first_pack + group.packs; ++p) {
        const SpringPack& pack = lists.packs[p];
        const float* c = &lists.coefficients[lists.coefficient_of[p]];
        const auto d_of = [&](int lane) {
            return difference(_mm256_loadu_pd(&x[pack.a[lane]].x), &x[pack.b[lane]].x);
        };
        __m256 t[4];
        for (int lane = 0; lane < 4; ++lane) t[lane] = _mm256_set_m128(d_of(lane + 4), d_of(lane));
        const Three d = transpose(t);
        const __m256 square = _mm256_max_ps(square_of(d.x, d.y, d.z), _mm256_set1_ps(1e-30f));
        const __m256 inverse = inverse_root(square);
        const __m256 along = _mm256_load_ps(pack.stiffness);
        const __m256 slack =
            _mm256_fnmadd_ps(_mm256_load_ps(pack.rest_length), inverse, _mm256_set1_ps(1.0f));
        const __m256 across = _mm256_mul_ps(along, _mm256_max_ps(slack, _mm256_setzero_ps()));
        const __m256 extra = _mm256_sub_ps(along, across);
        const __m256 nx = _mm256_mul_ps(d.x, inverse), ny = _mm256_mul_ps(d.y, inverse),
                     nz = _mm256_mul_ps(d.z, inverse);
        const __m256 ex = _mm256_mul_ps(extra, nx), ey = _mm256_mul_ps(extra, ny),
                     ez = _mm256_mul_ps(extra, nz);
        const __m256 h[6] = {_mm256_fmadd_ps(ex, nx, across), _mm256_mul_ps(ex, ny),
                             _mm256_mul_ps(ex, nz),           _mm256_fmadd_ps(ey, ny, across),
                             _mm256_mul_ps(ey, nz),           _mm256_fmadd_ps(ez, nz, across)};
        __m256 w[Basis];
        for (int k = 0; k < Basis; ++k) w[k] = _mm256_loadu_ps(c + 8 * k);
        for (int k = 0, pair = 0; k < Basis; ++k)
            for (int l = 0; l <= k; ++l, ++pair) {
                const __m256 product = _mm256_mul_ps(w[k], w[l]);
                for (int i = 0; i < 6; ++i)
                    sum[pair][i] = _mm256_fmadd_ps(product, h[i], sum[pair][i]);
            }
    }
    for (int k = 0, pair = 0; k < Basis; ++k)
        for (int l = 0; l <= k; ++l, ++pair) {
            const __m256 total = sum_lanes(sum[pair]);
            _mm256_store_ps(moments.of[k * Basis + l].v, total);
            _mm256_store_ps(moments.of[l * Basis + k].v, total);
        }
}

template <int Basis>
void scatter_moments(const CoarseGroup& group, const Moments<float>& moments, Six<float>* blocks) {
    const int size = static_cast<int>(group.nodes.size());
    const float* direction = group.direction.data();
    const std::uint32_t* block = group.block.data();
    for (int a = 0; a < size; ++a) {
        __m256 half[Basis]; // the basis applied on one side
        for (int l = 0; l < Basis; ++l) {
            half[l] = _mm256_setzero_ps();
            for (int k = 0; k < Basis; ++k)
                half[l] = _mm256_fmadd_ps(_mm256_broadcast_ss(direction + k * size + a),
                                          _mm256_load_ps(moments.of[k * Basis + l].v), half[l]);
        }
        for (int b = 0; b <= a; ++b, ++block) {
            float* at = blocks[*block].v;
            __m256 sum = _mm256_load_ps(at);
            for (int l = 0; l < Basis; ++l)
                sum = _mm256_fmadd_ps(_mm256_broadcast_ss(direction + l * size + b), half[l], sum);
            _mm256_store_ps(at, sum);
        }
    }
}

void gather_group(const CoarseLists& lists, const CoarseGroup& group, const Vec3* x,
                  Moments<float>& moments) {
    with_basis(group.basis,
               [&](auto basis) { gather_moments<basis.value>(lists, group, x, moments); });
}

void scatter_group(const CoarseGroup& group, const Moments<float>& moments, Six<float>* blocks) {
    with_basis(group.basis,
               [&](auto basis) { scatter_moments<basis.value>(group, moments, blocks); });
}

void fill_blocks(const Six<float>* sums, const double* inertia, double share, std::size_t count,
                 SkylineBlock<3>* blocks) {
    // Indices of the columns among the six numbers; index 6 holds 0.
    const __m256i place[3] = {_mm256_setr_epi32(0, 1, 2, 6, 6, 6, 6, 6),
                              _mm256_setr_epi32(1, 3, 4, 6, 6, 6, 6, 6),
                              _mm256_setr_epi32(2, 4, 5, 6, 6, 6, 6, 6)};
    const __m256d ones[3] = {_mm256_setr_pd(1.0, 0.0, 0.0, 0.0), _mm256_setr_pd(0.0, 1.0, 0.0, 0.0),
                             _mm256_setr_pd(0.0, 0.0, 1.0, 0.0)};
    for (std::size_t k = 0; k < count; ++k) {
        const __m256 six = _mm256_blend_ps(_mm256_load_ps(sums[k].v), _mm256_setzero_ps(), 0xC0);
        const __m256d m = _mm256_set1_pd(share * inertia[k]);
        for (int j = 0; j < 3; ++j) {
            const __m128 column = _mm256_castps256_ps128(_mm256_permutevar8x32_ps(six, place[j]));
            _mm256_store_pd(blocks[k].v[j],
                            _mm256_add_pd(_mm256_cvtps_pd(column), _mm256_mul_pd(m, ones[j])));
        }
    }
}

} // namespace

CoarseKernels<float> avx2_coarse() {
    return {gather_group,      scatter_group, fill_blocks,
            factor_skyline<3>, solve_skyline, solve_skyline};
}

} // namespace twang::core

#else

namespace twang::core {

CoarseKernels<float> avx2_coarse() { return scalar_coarse<float>(); }

} // namespace twang::core

#endif
