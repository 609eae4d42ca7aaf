// The loop of coarse_moments.hpp, for the two files that compile it, each for its own instruction
// set: hence the namespace without a name. Lanes are plain arrays which the compiler turns into
// vectors.
#pragma once

#include <algorithm>
#include <cmath>

#include "coarse_moments.hpp"

namespace twang::core {

namespace {

template <class Real, int Basis>
void gather_moments(const MomentLists& lists, std::uint32_t first_pack, std::uint32_t packs,
                    const Vec3* x, Moments& moments) {
    constexpr int pairs = Basis * (Basis + 1) / 2;
    alignas(64) Real sum[pairs][6][8] = {};
    for (std::uint32_t p = first_pack; p < first_pack + packs; ++p) {
        const SpringPack& pack = lists.packs[p];
        const float* c = &lists.coefficients[lists.coefficient_of[p]];
        alignas(64) Real d[3][8], h[6][8];
        for (int lane = 0; lane < 8; ++lane) {
            const Vec3 difference = x[pack.a[lane]] - x[pack.b[lane]];
            d[0][lane] = static_cast<Real>(difference.x);
            d[1][lane] = static_cast<Real>(difference.y);
            d[2][lane] = static_cast<Real>(difference.z);
        }
        for (int lane = 0; lane < 8; ++lane) {
            const Real square =
                d[0][lane] * d[0][lane] + d[1][lane] * d[1][lane] + d[2][lane] * d[2][lane];
            const Real inverse = Real(1) / std::sqrt(std::max(square, Real(1e-30)));
            const Real nx = d[0][lane] * inverse, ny = d[1][lane] * inverse,
                       nz = d[2][lane] * inverse;
            const Real along = pack.stiffness[lane];
            const Real across =
                along * std::max(Real(0), Real(1) - pack.rest_length[lane] * inverse);
            const Real extra = along - across;
            h[0][lane] = across + extra * nx * nx;
            h[1][lane] = extra * nx * ny;
            h[2][lane] = extra * nx * nz;
            h[3][lane] = across + extra * ny * ny;
            h[4][lane] = extra * ny * nz;
            h[5][lane] = across + extra * nz * nz;
        }
        for (int k = 0, pair = 0; k < Basis; ++k)
            for (int l = 0; l <= k; ++l, ++pair) {
                alignas(64) Real w[8];
                for (int lane = 0; lane < 8; ++lane)
                    w[lane] = Real(c[8 * k + lane]) * c[8 * l + lane];
                for (int part = 0; part < 6; ++part)
                    for (int lane = 0; lane < 8; ++lane)
                        sum[pair][part][lane] += w[lane] * h[part][lane];
            }
    }
    for (int pair = 0; pair < pairs; ++pair)
        for (int part = 0; part < 6; ++part) {
            const Real* s = sum[pair][part];
            moments.of[pair][part] =
                double((s[0] + s[4]) + (s[2] + s[6])) + double((s[1] + s[5]) + (s[3] + s[7]));
        }
}

template <class Real>
void gather_moments(const MomentLists& lists, std::uint32_t first_pack, std::uint32_t packs,
                    int basis, const Vec3* x, Moments& moments) {
    switch (basis) {
    case 1: return gather_moments<Real, 1>(lists, first_pack, packs, x, moments);
    case 2: return gather_moments<Real, 2>(lists, first_pack, packs, x, moments);
    case 3: return gather_moments<Real, 3>(lists, first_pack, packs, x, moments);
    case 4: return gather_moments<Real, 4>(lists, first_pack, packs, x, moments);
    case 5: return gather_moments<Real, 5>(lists, first_pack, packs, x, moments);
    case 6: return gather_moments<Real, 6>(lists, first_pack, packs, x, moments);
    default: return gather_moments<Real, 7>(lists, first_pack, packs, x, moments);
    }
}

} // namespace

} // namespace twang::core
