// The long sums and combinations of acceleration's Memory for eight bodies side by side; what is
// made of the sums is Memory's business. The bits are those of each body alone. For AVX2; called
// only where the machine has it.
#pragma once

#include "base/lanes.hpp"
#include "solver/acceleration.hpp"

namespace twang::core {

// All arrays hold vertex_stride numbers per vertex.
struct SideMemory {
    int count = 0; // pairs s, z, oldest first
    float* s[Mix::most];
    float* z[Mix::most];
};

// Of every body a . b, as BlockSum sums.
void side_dot(std::size_t n, const float* a, const float* b, double* dots);

// The newest z := q - q_old, and for every body what Memory wants to know: products with g of every
// s and z, then of the newest with the change of g. sums: abreast numbers each.
void side_products(std::size_t n, const SideMemory& memory, float* newest_z, const float* g,
                   const float* g_old, const float* q, const float* q_old, double* sums);

// p = -q + ... as the bodies' mixes say, trial = x + p, and the square of the longest move.
// p may be the oldest s.
void side_combine(std::size_t n, const SideMemory& memory, const Mix* mixes, const float* q,
                  float* p, const double* x, double* trial, double* square);

// trial = x + p and the square of the longest move, after p := factor p.
void side_move(std::size_t n, const float* factor, float* p, const double* x, double* trial,
               double* square);

} // namespace twang::core
