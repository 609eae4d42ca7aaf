// The coarse kernels in scalar code, and the choice of kernels by instruction set.
#include <cmath>

#include "base/cpu.hpp"
#include "linear/skyline_factor.hpp"
#include "system/coarse_kernels.hpp"

namespace twang::core {

namespace {

template <class Real>
void gather_moments(const CoarseLists& lists, const CoarseGroup& group, const Vec3* x,
                    Moments<Real>& moments) {
    const int basis = group.basis;
    for (int pair = 0; pair < basis * basis; ++pair) moments.of[pair] = {};
    for (std::uint32_t p = group.first_pack; p < group.first_pack + group.packs; ++p) {
        const SpringPack& pack = lists.packs[p];
        const float* c = &lists.coefficients[lists.coefficient_of[p]];
        for (int lane = 0; lane < 8; ++lane) {
            const Vec3 d = x[pack.a[lane]] - x[pack.b[lane]];
            const Real dx = static_cast<Real>(d.x), dy = static_cast<Real>(d.y),
                       dz = static_cast<Real>(d.z);
            const Real square = std::max(dx * dx + dy * dy + dz * dz, Real(1e-30));
            const Real inverse = Real(1) / std::sqrt(square);
            const Real nx = dx * inverse, ny = dy * inverse, nz = dz * inverse;
            const Real along = pack.stiffness[lane];
            const Real across =
                along * std::max(Real(0), Real(1) - pack.rest_length[lane] * inverse);
            const Real extra = along - across;
            const Real h[6] = {across + extra * nx * nx, extra * nx * ny, extra * nx * nz,
                               across + extra * ny * ny, extra * ny * nz, across + extra * nz * nz};
            for (int k = 0; k < basis; ++k)
                for (int l = 0; l <= k; ++l) {
                    const Real w = Real(c[8 * k + lane]) * c[8 * l + lane];
                    for (int i = 0; i < 6; ++i) moments.of[k * basis + l].v[i] += w * h[i];
                }
        }
    }
    for (int k = 0; k < basis; ++k)
        for (int l = 0; l < k; ++l) moments.of[l * basis + k] = moments.of[k * basis + l];
}

template <class Real>
void scatter_moments(const CoarseGroup& group, const Moments<Real>& moments, Six<Real>* blocks) {
    const int size = static_cast<int>(group.nodes.size()), basis = group.basis;
    const std::uint32_t* block = group.block.data();
    for (int a = 0; a < size; ++a) {
        Six<Real> half[max_basis] = {}; // the basis applied on one side
        for (int k = 0; k < basis; ++k) {
            const Real d = group.direction[k * size + a];
            for (int l = 0; l < basis; ++l)
                for (int i = 0; i < 8; ++i) half[l].v[i] += d * moments.of[k * basis + l].v[i];
        }
        for (int b = 0; b <= a; ++b, ++block) {
            Six<Real> sum = blocks[*block];
            for (int l = 0; l < basis; ++l) {
                const Real d = group.direction[l * size + b];
                for (int i = 0; i < 8; ++i) sum.v[i] += d * half[l].v[i];
            }
            blocks[*block] = sum;
        }
    }
}

template <class Real>
void fill_blocks(const Six<Real>* sums, const double* inertia, double share, std::size_t count,
                 SkylineBlock<3>* blocks) {
    for (std::size_t k = 0; k < count; ++k) {
        const Real* s = sums[k].v;
        const double m = share * inertia[k];
        blocks[k] = {{{s[0] + m, s[1], s[2]}, {s[1], s[3] + m, s[4]}, {s[2], s[4], s[5] + m}}};
    }
}

} // namespace

template <class Real>
CoarseKernels<Real> scalar_coarse() {
    return {gather_moments<Real>, scatter_moments<Real>, fill_blocks<Real>,
            factor_skyline<3>,    solve_skyline,         solve_skyline};
}
template CoarseKernels<float> scalar_coarse();
template CoarseKernels<double> scalar_coarse();

template <>
const CoarseKernels<float>& coarse_kernels() {
    static const CoarseKernels<float> chosen =
        cpu_has_avx2() ? avx2_coarse() : scalar_coarse<float>();
    return chosen;
}
template <>
const CoarseKernels<double>& coarse_kernels() {
    static const CoarseKernels<double> chosen = scalar_coarse<double>();
    return chosen;
}

} // namespace twang::core
