// The local step of spring_kernels for a batch of eight bodies that share their springs: the data
// of a spring are read once for all eight, and nothing is transposed. Each body has the bits of the
// AVX2 kernel for one body. Needs AVX2: call only on CPUs that have AVX2.
#pragma once

#include "base/lanes.hpp"
#include "springs/spring_kernels.hpp"

namespace twang::core {

// x, y and the gradient have vertex_stride numbers per vertex.
struct BatchGatherInput {
    const GatherLists& lists;
    std::size_t n; // vertices
    const double* x;
    const double* y;
    const double* inertia; // w = m / (gamma h)^2, N/m, per vertex, the same for all bodies
};

// Computes the gradients of inertia and springs and, per body, the energy, summed in the order of
// evaluate(). Bit k of the result is set if body k has a spring too short for float; gradient and
// energy of that body are then invalid.
unsigned batch_gather(const BatchGatherInput& input, float* gradient, double* energy);

} // namespace twang::core
