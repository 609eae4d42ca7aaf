// Kernels of the coarse Hessian, scalar and for AVX2. For a group of hooke springs with
// coefficients c_s in the group's basis,
//   gather  computes the moments sum_s c_s[k] c_s[l] h_s, h_s the projected 3x3 block of spring s
//   spread  applies the basis to the moments and scatters them to the blocks of the nodes
//   fill    sets the blocks of the Hessian from these sums, with inertia on their diagonals
//   factor  Cholesky factor of the Hessian, see linear/skyline_factor.hpp
//   solve   solves with this factor; solve_constant with the factor of U^T Q U
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/memory.hpp"
#include "base/vec3.hpp"
#include "linear/skyline.hpp"

namespace twang::core {

inline constexpr int max_basis = 8; // as many as a cell has corners
inline constexpr int max_moments = max_basis * max_basis;

// Eight springs; padding has stiffness 0.
struct alignas(32) SpringPack {
    std::uint32_t a[8], b[8];
    float stiffness[8], rest_length[8];
};

// Springs between the same two cells of the grid.
struct CoarseGroup {
    std::uint32_t first_pack = 0, packs = 0;
    int basis = 0;                    // number of vectors
    std::vector<int> nodes;           // ascending
    std::vector<float> direction;     // basis x nodes
    std::vector<std::uint32_t> block; // of the shape, for nodes (0,0) (1,0) (1,1) (2,0) ...
};

struct CoarseLists {
    std::vector<CoarseGroup> groups;
    HostVector<SpringPack> packs;
    HostVector<float> coefficients;            // per pack, 8 for each vector of the group's basis
    std::vector<std::uint32_t> coefficient_of; // per pack: index of the first
};

// xx, xy, xz, yy, yz, zz and two unused, to fill a vector register.
template <class Real>
struct alignas(32) Six {
    Real v[8];
};

// Moments of the vectors k and l of the basis, at index k basis + l.
template <class Real>
struct Moments {
    Six<Real> of[max_moments];
};

// Calls f with the size of the group's basis as a compile-time constant.
template <class F>
void with_basis(int basis, F&& f) {
    switch (basis) {
    case 1: return f(std::integral_constant<int, 1>{});
    case 2: return f(std::integral_constant<int, 2>{});
    case 3: return f(std::integral_constant<int, 3>{});
    case 4: return f(std::integral_constant<int, 4>{});
    case 5: return f(std::integral_constant<int, 5>{});
    case 6: return f(std::integral_constant<int, 6>{});
    case 7: return f(std::integral_constant<int, 7>{});
    default: return f(std::integral_constant<int, max_basis>{});
    }
}

template <class Real>
struct CoarseKernels {
    void (*gather)(const CoarseLists& lists, const CoarseGroup& group, const Vec3* x,
                   Moments<Real>& moments);
    void (*spread)(const CoarseGroup& group, const Moments<Real>& moments, Six<Real>* blocks);
    void (*fill)(const Six<Real>* sums, const double* inertia, double share, std::size_t count,
                 SkylineBlock<3>* blocks);
    bool (*factor)(const SkylineShape& shape, SkylineBlock<3>* blocks);
    void (*solve)(const SkylineShape& shape, const SkylineBlock<3>* blocks, SkylineRow* x);
    void (*solve_constant)(const SkylineShape& shape, const SkylineBlock<1>* blocks, SkylineRow* x);
};

template <class Real>
CoarseKernels<Real> scalar_coarse();
CoarseKernels<float> avx2_coarse();
template <class Real>
const CoarseKernels<Real>& coarse_kernels(); // by instruction set

} // namespace twang::core
