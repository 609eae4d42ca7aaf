// The Hessian kernels for AVX2 and FMA. Compiled with both; called only on CPUs that have both.
#include "springs/hessian_kernels.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include "base/avx2.hpp"

namespace twang::core {

namespace {

void avx2_curve(const GatherLists& lists, const Vec3* x, std::size_t group, HessianSlot* slots) {
    const auto at = [&](std::uint32_t bytes) {
        return reinterpret_cast<const double*>(reinterpret_cast<const char*>(x) + bytes);
    };
    __m256d own[8];
    for (int lane = 0; lane < 8; ++lane) own[lane] = _mm256_loadu_pd(&x[8 * group + lane].x);
    const __m256 shortest = _mm256_set1_ps(min_square_length), zero = _mm256_setzero_ps();
    // Converts bytes of a Vec3 to bytes of a Float4: times 2/3. The dividend is a multiple of 3, so
    // multiplying by the inverse of 3 modulo 2^32 divides exactly.
    static_assert(sizeof(Vec3) == 24 && sizeof(Float4) == 16);
    const __m256i two_thirds = _mm256_set1_epi32(0x55555556);
    __m256 collapsed = zero;
    for (std::uint32_t s = lists.start[group]; s < lists.start[group + 1]; ++s) {
        const LinkSlot& link = lists.slots.data()[s];
        __m256 t[4];
        for (int lane = 0; lane < 4; ++lane)
            t[lane] = _mm256_set_m128(difference(own[lane + 4], at(link.other[lane + 4])),
                                      difference(own[lane], at(link.other[lane])));
        const Three d = transpose(t);
        const __m256 k = _mm256_load_ps(link.stiffness);
        const __m256 square = square_of(d.x, d.y, d.z);
        const __m256 too_short = _mm256_cmp_ps(square, shortest, _CMP_LT_OQ);
        collapsed = _mm256_or_ps(collapsed, _mm256_and_ps(too_short, k));
        const __m256 inverse = inverse_root(_mm256_max_ps(square, shortest));
        const __m256 ratio = _mm256_mul_ps(_mm256_load_ps(link.rest_length), inverse);
        const __m256 across = _mm256_max_ps(_mm256_fnmadd_ps(k, ratio, k), zero);
        const __m256 scale = _mm256_mul_ps(_mm256_sqrt_ps(_mm256_sub_ps(k, across)), inverse);
        HessianSlot& slot = slots[s];
        const __m256i other = _mm256_load_si256(reinterpret_cast<const __m256i*>(link.other));
        _mm256_store_si256(reinterpret_cast<__m256i*>(slot.other),
                           _mm256_mullo_epi32(other, two_thirds));
        _mm256_store_ps(slot.x, _mm256_mul_ps(scale, d.x));
        _mm256_store_ps(slot.y, _mm256_mul_ps(scale, d.y));
        _mm256_store_ps(slot.z, _mm256_mul_ps(scale, d.z));
        _mm256_store_ps(slot.across, across);
    }
    // Some spring is too short for its direction in float: computes the group again in double.
    if (_mm256_movemask_ps(_mm256_cmp_ps(collapsed, zero, _CMP_NEQ_UQ)))
        scalar_hessian().curve(lists, x, group, slots);
}

double avx2_times(const HessianInput& in, std::size_t group, Float4* result) {
    const auto at = [&](std::uint32_t bytes) {
        return _mm_load_ps(
            reinterpret_cast<const float*>(reinterpret_cast<const char*>(in.p) + bytes));
    };
    __m256 t[4];
    for (int lane = 0; lane < 4; ++lane)
        t[lane] = _mm256_set_m128(_mm_load_ps(&in.p[8 * group + lane + 4].x),
                                  _mm_load_ps(&in.p[8 * group + lane].x));
    const Three p = transpose(t);
    const double* inertia = in.inertia + 8 * group;
    const __m256 weight = _mm256_set_m128(_mm256_cvtpd_ps(_mm256_loadu_pd(inertia + 4)),
                                          _mm256_cvtpd_ps(_mm256_loadu_pd(inertia)));
    Three sum{_mm256_mul_ps(weight, p.x), _mm256_mul_ps(weight, p.y), _mm256_mul_ps(weight, p.z)};
    const HessianSlot* end = in.slots + in.lists.start[group + 1];
    for (const HessianSlot* slot = in.slots + in.lists.start[group]; slot != end; ++slot) {
        for (int lane = 0; lane < 4; ++lane)
            t[lane] = _mm256_set_m128(at(slot->other[lane + 4]), at(slot->other[lane]));
        const Three other = transpose(t);
        const Three d{_mm256_sub_ps(p.x, other.x), _mm256_sub_ps(p.y, other.y),
                      _mm256_sub_ps(p.z, other.z)};
        const Three m{_mm256_load_ps(slot->x), _mm256_load_ps(slot->y), _mm256_load_ps(slot->z)};
        const __m256 across = _mm256_load_ps(slot->across);
        const __m256 along =
            _mm256_fmadd_ps(m.x, d.x, _mm256_fmadd_ps(m.y, d.y, _mm256_mul_ps(m.z, d.z)));
        sum.x = _mm256_fmadd_ps(across, d.x, _mm256_fmadd_ps(along, m.x, sum.x));
        sum.y = _mm256_fmadd_ps(across, d.y, _mm256_fmadd_ps(along, m.y, sum.y));
        sum.z = _mm256_fmadd_ps(across, d.z, _mm256_fmadd_ps(along, m.z, sum.z));
    }
    const __m256 product =
        _mm256_fmadd_ps(p.x, sum.x, _mm256_fmadd_ps(p.y, sum.y, _mm256_mul_ps(p.z, sum.z)));
    transpose(sum, t);
    for (int lane = 0; lane < 4; ++lane) {
        _mm_store_ps(&result[8 * group + lane].x, _mm256_castps256_ps128(t[lane]));
        _mm_store_ps(&result[8 * group + lane + 4].x, _mm256_extractf128_ps(t[lane], 1));
    }
    alignas(32) double parts[4];
    _mm256_store_pd(parts, _mm256_add_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(product)),
                                         _mm256_cvtps_pd(_mm256_extractf128_ps(product, 1))));
    return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

} // namespace

HessianKernels avx2_hessian() { return {avx2_curve, avx2_times}; }

} // namespace twang::core

#else

namespace twang::core {

HessianKernels avx2_hessian() { return scalar_hessian(); }

} // namespace twang::core

#endif
