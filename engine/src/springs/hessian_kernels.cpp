// The scalar Hessian kernels, and the choice of kernels.
#include "springs/hessian_kernels.hpp"

#include <cmath>

#include "base/cpu.hpp"
#include "springs/spring.hpp"

namespace twang::core {

namespace {

void scalar_curve(const GatherLists& lists, const Vec3* x, std::size_t group, HessianSlot* slots) {
    for (std::uint32_t s = lists.start[group]; s < lists.start[group + 1]; ++s)
        for (std::size_t lane = 0; lane < 8; ++lane) {
            const LinkSlot& link = lists.slots.data()[s];
            const std::size_t i = 8 * group + lane, other = link.other[lane] / sizeof(Vec3);
            const SpringHessian curve =
                spring_hessian(TWANG_HOOKE, link.stiffness[lane], link.rest_length[lane],
                               x[i] - x[other], i < other)
                    .projected();
            const Vec3 m = std::sqrt(curve.along - curve.across) * curve.n;
            HessianSlot& slot = slots[s];
            slot.other[lane] = static_cast<std::uint32_t>(other * sizeof(Float4));
            slot.x[lane] = static_cast<float>(m.x);
            slot.y[lane] = static_cast<float>(m.y);
            slot.z[lane] = static_cast<float>(m.z);
            slot.across[lane] = static_cast<float>(curve.across);
        }
}

double scalar_times(const HessianInput& in, std::size_t group, Float4* result) {
    double product = 0.0;
    for (std::size_t lane = 0; lane < 8; ++lane) {
        const std::size_t i = 8 * group + lane;
        const Float4 p = in.p[i];
        const float weight = static_cast<float>(in.inertia[i]);
        Float4 sum{weight * p.x, weight * p.y, weight * p.z, 0.0f};
        for (std::uint32_t s = in.lists.start[group]; s < in.lists.start[group + 1]; ++s) {
            const HessianSlot& slot = in.slots[s];
            const Float4& other = in.p[slot.other[lane] / sizeof(Float4)];
            const float dx = p.x - other.x, dy = p.y - other.y, dz = p.z - other.z;
            const float along = slot.x[lane] * dx + slot.y[lane] * dy + slot.z[lane] * dz;
            sum.x += slot.across[lane] * dx + along * slot.x[lane];
            sum.y += slot.across[lane] * dy + along * slot.y[lane];
            sum.z += slot.across[lane] * dz + along * slot.z[lane];
        }
        result[i] = sum;
        product += dot(widen(p), widen(sum));
    }
    return product;
}

} // namespace

HessianKernels scalar_hessian() { return {scalar_curve, scalar_times}; }

const HessianKernels& hessian_kernels() {
    static const HessianKernels chosen = cpu_has_avx2() ? avx2_hessian() : scalar_hessian();
    return chosen;
}

} // namespace twang::core
