// The long sums and linear combinations of Memory (acceleration.hpp) for a batch of eight bodies.
// MemoryProducts computes the coefficients from the sums, per body. Each body gets the same bits as
// alone. For AVX2; called only on machines that have AVX2.
#pragma once

#include "base/lanes.hpp"
#include "solver/acceleration.hpp"

namespace twang::core {

// The last steps of a batch. All arrays hold vertex_stride numbers per vertex.
struct BatchLbfgs {
    int count = 0; // pairs s, z, oldest first
    float* s[Mix::most];
    float* z[Mix::most];
};

// Computes a . b for every body, summed in the order of BlockSum.
void batch_dot(std::size_t n, const float* a, const float* b, double* dots);

// Sets the newest z := q - q_old, and computes for every body the sums that MemoryProducts::learn
// takes: the products of g with every s and z, then of the change of g with the newest s and z.
// sums: batch_width numbers per product.
void batch_products(std::size_t n, const BatchLbfgs& memory, float* newest_z, const float* g,
                    const float* g_old, const float* q, const float* q_old, double* sums);

// p := -c q + sum_i a_i s_i + b_i z_i with the Mix of each body, trial := x + p, and the square of
// the longest move. p may be the oldest s.
void batch_combine(std::size_t n, const BatchLbfgs& memory, const Mix* mixes, const float* q,
                   float* p, const double* x, double* trial, double* square);

// p := factor p, then trial := x + p and the square of the longest move.
void batch_move(std::size_t n, const float* factor, float* p, const double* x, double* trial,
                double* square);

} // namespace twang::core
