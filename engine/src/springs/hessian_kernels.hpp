// The Hessian applied fast, on the lists of gather.hpp: eight vertices at a time, in float. The
// projected block of a hooke spring is
//   across I + m m^T,  m = sqrt(along - across) n:
// four numbers, found once for every x, that then serve many products. The plain twins are curves()
// and hessian_times() in objective.
#pragma once

#include "springs/spring_kernels.hpp"

namespace twang::core {

// One slot of eight vertices; padding is all 0 and names the vertex itself.
struct alignas(32) CurveSlot {
    std::uint32_t other[8]; // in bytes from p
    float x[8], y[8], z[8]; // m
    float across[8];
};

struct HessianInput {
    const GatherLists& lists;
    const CurveSlot* slots;
    const double* inertia; // mass / h^2; a VertexArray
    const Float4* p;       // likewise
};

struct HessianKernels {
    // The slots of vertices 8 group ... 8 group + 7, x a VertexArray.
    void (*curve)(const GatherLists& lists, const Vec3* x, std::size_t group, CurveSlot* slots);
    // Of the same vertices: result = (inertia + springs) p. Returns p . result.
    double (*times)(const HessianInput& input, std::size_t group, Float4* result);
};

HessianKernels plain_hessian();
HessianKernels avx2_hessian();
const HessianKernels& hessian_kernels(); // the best this machine has

} // namespace twang::core
