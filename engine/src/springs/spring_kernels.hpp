// The local step of hooke springs: gradient and energy of inertia and springs,
//   gradient_i = w_i (x_i - y_i) + sum over springs of k (d - r n),
// where r n = r d / l is the projection of the local step; for groups of eight vertices, in float
// on differences that were formed in double. Each vertex sums its own springs, so every spring is
// computed at both ends: no races, no atomics, one fixed order of sums. The links of a group lie in
// padded lists: slot s holds the s-th link of each of the eight vertices. objective.cpp has the
// same sums in double, for every energy, in evaluate().
#pragma once

#include <cstdint>

#include "base/arrays.hpp"
#include "base/csr.hpp"
#include "base/vec3.hpp"

namespace twang::core {

// x, y, z and a zero: the layout of a vertex in the supernodal solve.
struct alignas(16) Float4 {
    float x, y, z, w;
};

template <class V>
Vec3 widen(const V& v) {
    return {v.x, v.y, v.z};
}
template <class V>
void put(V& to, Vec3 from) {
    using Real = decltype(V::x);
    to.x = static_cast<Real>(from.x);
    to.y = static_cast<Real>(from.y);
    to.z = static_cast<Real>(from.z);
}

// One link of each of the eight vertices of a group.
struct alignas(32) LinkSlot {
    std::uint32_t other[8]; // bytes from x; padding has the own vertex and stiffness 0
    float stiffness[8];
    float rest_length[8];
};

struct GatherLists {
    std::vector<std::uint32_t> start; // slots of vertices 8 i to 8 i + 7: start[i] .. start[i + 1]
    AlignedArray<LinkSlot> slots;
};

// Input of a group of eight vertices. All arrays are VertexArrays or have their padding.
struct GatherInput {
    const GatherLists& lists;
    const Vec3* x;
    const Vec3* y;         // inertial target
    const double* inertia; // w = m / (gamma h)^2, N/m
};

// Computes the gradient of inertia and springs for vertices 8 group to 8 group + 7, and their
// energy, with half of the energy of each spring. Returns false where a spring is too short for its
// direction in float; the caller then computes the whole gradient in double.
using GatherKernel = bool (*)(const GatherInput& input, std::size_t group, Float4* gradient,
                              double& energy);
// Returns the length of d as that kernel computes the length: with a rest length measured this way,
// springs have exactly no force at rest.
using LengthKernel = float (*)(Vec3 d);

inline constexpr std::size_t gather_block = 64;    // groups per partial sum of the energy
inline constexpr float min_square_length = 1e-30f; // m^2; below, a spring is too short for float

struct GatherKernels {
    GatherKernel gather;
    LengthKernel length;
};

GatherKernels scalar_gather();
GatherKernels avx2_gather();
const GatherKernels& gather_kernels(); // the fastest that the CPU supports

// Rest lengths equal to the distance at rest are measured again with `length`.
GatherLists make_gather_lists(const Lists<Link>& links, const std::vector<Vec3>& rest_positions,
                              LengthKernel length);

} // namespace twang::core
