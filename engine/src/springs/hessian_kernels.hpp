// Products with the projected Hessian of hooke springs, on the lists of spring_kernels.hpp: eight
// vertices at a time, in float. The projected block of a spring is
//   across I + m m^T,  m = sqrt(along - across) n,
// four numbers that are computed once per x and used in many products. objective.cpp has the same
// in double, for every energy, in compute_spring_hessians() and hessian_times().
#pragma once

#include "springs/spring_kernels.hpp"

namespace twang::core {

// One block of each of the eight vertices of a group. Padding is all 0 and has the own vertex as
// `other`.
struct alignas(32) HessianSlot {
    std::uint32_t other[8]; // bytes from p
    float x[8], y[8], z[8]; // m
    float across[8];
};

struct HessianInput {
    const GatherLists& lists;
    const HessianSlot* slots;
    const double* inertia; // w = m / (gamma h)^2, N/m; a VertexArray
    const Float4* p;       // a VertexArray
};

struct HessianKernels {
    // Computes the slots of vertices 8 group to 8 group + 7; x is a VertexArray.
    void (*curve)(const GatherLists& lists, const Vec3* x, std::size_t group, HessianSlot* slots);
    // Computes result = (inertia + springs) p for the same vertices. Returns p . result.
    double (*times)(const HessianInput& input, std::size_t group, Float4* result);
};

HessianKernels scalar_hessian();
HessianKernels avx2_hessian();
const HessianKernels& hessian_kernels(); // the fastest that the CPU supports

} // namespace twang::core
