// The local step of gather for eight bodies side by side that share their springs: what a spring is
// made of is read once for all, and nothing is transposed. The bits are those of the AVX2 kernel
// for each body alone. For AVX2; called only where the machine has it.
#pragma once

#include "base/lanes.hpp"
#include "springs/spring_kernels.hpp"

namespace twang::core {

// x and y hold vertex_stride numbers per vertex.
struct SideGatherInput {
    const GatherLists& lists;
    std::size_t n; // vertices
    const double* x;
    const double* y;
    const double* inertia; // mass / h^2, per vertex, the same for all
};

// The gradients of inertia and springs and their energies, summed as evaluate() does. Bit k of the
// result: body k has a spring too short for float, and nothing was found for it.
unsigned side_gather(const SideGatherInput& input, float* gradient, double* energy);

} // namespace twang::core
