// The local step for AVX2 and FMA. Compiled with both; called only on CPUs that have both.
#include "springs/spring_kernels.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include "base/avx2.hpp"

namespace twang::core {

namespace {

float avx2_length(Vec3 d) {
    const __m256 x = _mm256_set1_ps(static_cast<float>(d.x)),
                 y = _mm256_set1_ps(static_cast<float>(d.y)),
                 z = _mm256_set1_ps(static_cast<float>(d.z));
    const __m256 square = square_of(x, y, z);
    return _mm256_cvtss_f32(_mm256_mul_ps(square, inverse_root(square)));
}

bool avx2_gather_group(const GatherInput& in, std::size_t group, Float4* gradient, double& energy) {
    const Vec3* first = in.x + 8 * group;
    const auto at = [&](std::uint32_t bytes) {
        return reinterpret_cast<const double*>(reinterpret_cast<const char*>(in.x) + bytes);
    };
    __m256d own[8];
    for (int lane = 0; lane < 8; ++lane) own[lane] = _mm256_loadu_pd(&first[lane].x);
    __m256 px = _mm256_setzero_ps(), py = px, pz = px, twice_spring_energy = px, collapsed = px;
    const LinkSlot* slot = in.lists.slots.data() + in.lists.start[group];
    const LinkSlot* end = in.lists.slots.data() + in.lists.start[group + 1];
    const __m256 shortest = _mm256_set1_ps(min_square_length);
    for (; slot != end; ++slot) {
        __m256 t[4];
        for (int lane = 0; lane < 4; ++lane)
            t[lane] = _mm256_set_m128(difference(own[lane + 4], at(slot->other[lane + 4])),
                                      difference(own[lane], at(slot->other[lane])));
        const Three d = transpose(t);
        const __m256 k = _mm256_load_ps(slot->stiffness);
        const __m256 square = square_of(d.x, d.y, d.z);
        const __m256 too_short = _mm256_cmp_ps(square, shortest, _CMP_LT_OQ);
        collapsed = _mm256_or_ps(collapsed, _mm256_and_ps(too_short, k));
        const __m256 inverse = inverse_root(_mm256_max_ps(square, shortest));
        const __m256 extension =
            _mm256_sub_ps(_mm256_mul_ps(square, inverse), _mm256_load_ps(slot->rest_length));
        const __m256 tension = _mm256_mul_ps(k, extension);
        const __m256 scale = _mm256_mul_ps(tension, inverse);
        px = _mm256_fmadd_ps(scale, d.x, px);
        py = _mm256_fmadd_ps(scale, d.y, py);
        pz = _mm256_fmadd_ps(scale, d.z, pz);
        twice_spring_energy = _mm256_fmadd_ps(tension, extension, twice_spring_energy);
    }
    if (_mm256_movemask_ps(_mm256_cmp_ps(collapsed, _mm256_setzero_ps(), _CMP_NEQ_UQ)))
        return false;

    // Transposes back to xyz0 per vertex and adds inertia in double.
    __m256 spring_sums[4];
    transpose({px, py, pz}, spring_sums);
    __m256d twice_energy = _mm256_setzero_pd();
    for (int lane = 0; lane < 8; ++lane) {
        const std::size_t i = 8 * group + lane;
        const __m256d offset = _mm256_blend_pd(
            _mm256_sub_pd(own[lane], _mm256_loadu_pd(&in.y[i].x)), _mm256_setzero_pd(), 0x8);
        const __m256d inertia_gradient = _mm256_mul_pd(_mm256_broadcast_sd(in.inertia + i), offset);
        twice_energy = _mm256_fmadd_pd(offset, inertia_gradient, twice_energy);
        const __m128 spring_sum = lane < 4 ? _mm256_castps256_ps128(spring_sums[lane])
                                           : _mm256_extractf128_ps(spring_sums[lane - 4], 1);
        const __m256d sum = _mm256_add_pd(inertia_gradient, _mm256_cvtps_pd(spring_sum));
        _mm_store_ps(&gradient[i].x, _mm256_cvtpd_ps(sum));
    }
    const __m256d springs =
        _mm256_add_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(twice_spring_energy)),
                      _mm256_cvtps_pd(_mm256_extractf128_ps(twice_spring_energy, 1)));
    alignas(32) double parts[4];
    _mm256_store_pd(parts, _mm256_fmadd_pd(_mm256_set1_pd(0.5), springs, twice_energy));
    energy = 0.5 * ((parts[0] + parts[1]) + (parts[2] + parts[3]));
    return true;
}

} // namespace

GatherKernels avx2_gather() { return {avx2_gather_group, avx2_length}; }

} // namespace twang::core

#else

namespace twang::core {

GatherKernels avx2_gather() { return scalar_gather(); }

} // namespace twang::core

#endif
