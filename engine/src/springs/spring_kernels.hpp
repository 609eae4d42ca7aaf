// The local step made fast: springs gathered per vertex, eight vertices at a time, in float on
// differences that were formed in double. Links lie in padded lists, slot after slot for eight
// vertices side by side. A spring is computed at both ends: no races, no atomics, one fixed order.
// hooke only. The plain twin is evaluate() in objective.
#pragma once

#include <cstdint>

#include "base/arrays.hpp"
#include "base/csr.hpp"
#include "base/vec3.hpp"

namespace twang::core {

// Three numbers and a zero, as the panels want them.
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

// One slot of eight vertices.
struct alignas(32) LinkSlot {
    std::uint32_t other[8]; // in bytes from x; padding names the vertex itself, with stiffness 0
    float stiffness[8];
    float rest_length[8];
};

struct GatherLists {
    std::vector<std::uint32_t> start; // slots of vertices 8 i ... 8 i + 7: start[i] .. start[i + 1]
    AlignedArray<LinkSlot> slots;
};

// What a group of eight vertices is computed from. All arrays are VertexArrays or as long as one.
struct GatherInput {
    const GatherLists& lists;
    const Vec3* x;
    const Vec3* y;         // inertial target
    const double* inertia; // mass / h^2
};

// The gradient of inertia and springs for vertices 8 group ... 8 group + 7, and their energy (of a
// spring, half). False where a spring is so short that float cannot tell its direction: the caller
// takes the plain path then.
using GatherKernel = bool (*)(const GatherInput& input, std::size_t group, Float4* gradient,
                              double& energy);
// The length of d as that kernel computes it: a rest length measured so makes rest exactly
// forceless.
using LengthKernel = float (*)(Vec3 d);

inline constexpr std::size_t gather_block = 64;  // groups whose energy is summed in one go
inline constexpr float shortest_square = 1e-30f; // m^2

struct GatherKernels {
    GatherKernel gather;
    LengthKernel length;
};

GatherKernels plain_gather();
GatherKernels avx2_gather();
const GatherKernels& gather_kernels(); // the best this machine has

GatherLists make_gather_lists(const Lists<Link>& links, const std::vector<Vec3>& rest_positions,
                              LengthKernel length);

} // namespace twang::core
