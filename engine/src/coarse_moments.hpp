// The sums behind the coarse Hessian: for a group of hooke springs with coefficients c_s,
//   sum_s c_s[k] c_s[l] h_s,  h_s the projected 3x3 block of spring s,
// eight springs at a time. coarse_moments_avx2.cpp is the same code compiled for AVX2.
#pragma once

#include <cstdint>
#include <vector>

#include "arrays.hpp"
#include "vec3.hpp"

namespace twang::core {

inline constexpr int most_basis = 7; // of 8 weights that sum to 1
inline constexpr int most_moments = most_basis * (most_basis + 1) / 2;

// Eight springs; padding has stiffness 0.
struct alignas(32) SpringPack {
    std::uint32_t a[8], b[8];
    float stiffness[8], rest_length[8];
};

struct MomentLists {
    std::vector<SpringPack> packs;
    std::vector<float> coefficients;           // per pack, 8 for each vector of the group's basis
    std::vector<std::uint32_t> coefficient_of; // per pack: where they start
};

// xx, xy, xz, yy, yz, zz for each pair k >= l of the basis, in the order 00 10 11 20 ...
struct Moments {
    double of[most_moments][6];
};

using MomentKernel = void (*)(const MomentLists& lists, std::uint32_t first_pack,
                              std::uint32_t packs, int basis, const Vec3* x, Moments& moments);

template <class Real>
MomentKernel plain_moments();
MomentKernel avx2_moments();
template <class Real>
MomentKernel moment_kernel(); // the best this machine has

} // namespace twang::core
