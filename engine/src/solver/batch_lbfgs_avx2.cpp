#include "solver/batch_lbfgs.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include <algorithm>
#include <cmath>

#include "base/lanes_avx2.hpp"

namespace twang::core {

namespace {

// Vertices; g and its change stay near while all products are taken.
constexpr std::size_t tile = 64;
constexpr std::size_t phases = memory_lanes / 4; // vertices whose sums are kept apart
constexpr std::size_t block_vertices = memory_block / 4;

// The lanes of one product: xyz of so many vertices; the fourth is always 0.
struct Lanes {
    Floats sum[3 * phases];
};

// sum += a b over `count` vertices, a multiple of phases.
void add_products(const float* a, const float* b, std::size_t count, Lanes& lanes) {
    Lanes sums = lanes;
    for (std::size_t i = 0; i < count;
         i += phases, a += phases * vertex_stride, b += phases * vertex_stride)
        for (std::size_t k = 0; k < 3 * phases; ++k)
            sums.sum[k] = sums.sum[k] + load(a + abreast * k) * load(b + abreast * k);
    lanes = sums;
}

// All of them in double, then the vertices that are left over.
WideDoubles total(const Lanes& lanes, const float* a, const float* b, std::size_t left) {
    WideDoubles sum = all_wide(0.0);
    for (const Floats& part : lanes.sum) sum = sum + widen(part);
    for (std::size_t k = 0; k < 3 * left; ++k)
        sum = sum + widen(load(a + abreast * k)) * widen(load(b + abreast * k));
    return sum;
}

void subtract(const float* a, const float* b, std::size_t count, float* out) {
    for (std::size_t k = 0; k < 3 * abreast * count; k += abreast)
        store(out + k, load(a + k) - load(b + k));
}

struct LongestMove {
    WideDoubles square = all_wide(0.0);
    void add(WideDoubles value) {
        square.low = pick(square.low, value.low);
        square.high = pick(square.high, value.high);
    }
    static Doubles pick(Doubles most, Doubles value) { // keeps a NaN
        return {_mm256_blendv_pd(most.v, value.v, _mm256_cmp_pd(value.v, most.v, _CMP_NLE_UQ))};
    }
};

// Moves one vertex; the products of floats are exact in double.
inline void move_vertex(const Floats (&p)[3], const double* x, double* trial,
                        LongestMove& longest) {
    WideDoubles square;
    for (int axis = 0; axis < 3; ++axis) {
        const WideDoubles move = widen(p[axis]);
        store(trial + abreast * axis, load_wide(x + abreast * axis) + move);
        square = axis == 0 ? move * move : square + move * move;
    }
    longest.add(square);
}

} // namespace

void side_dot(std::size_t n, const float* a, const float* b, double* dots) {
    WideDoubles total = all_wide(0.0);
    for (std::size_t first = 0; first < n; first += BlockSum::block) {
        WideDoubles sum = all_wide(0.0);
        for (std::size_t i = first; i < std::min(first + BlockSum::block, n); ++i) {
            const float* u = a + i * vertex_stride;
            const float* v = b + i * vertex_stride;
            const auto product = [&](int axis) {
                return widen(load(u + abreast * axis)) * widen(load(v + abreast * axis));
            };
            sum = sum + (product(0) + product(1) + product(2));
        }
        total = total + sum;
    }
    store(dots, total);
}

void side_products(std::size_t n, const SideMemory& memory, float* newest_z, const float* g,
                   const float* g_old, const float* q, const float* q_old, double* sums) {
    constexpr int most = 2 * Mix::most + 2;
    const int newest = memory.count - 1, count = 2 * memory.count + 2;
    alignas(32) float change[tile * vertex_stride];
    std::fill_n(sums, abreast * count, 0.0);
    for (std::size_t first = 0; first < n; first += block_vertices) {
        const std::size_t end = std::min(first + block_vertices, n);
        Lanes lanes[most];
        for (int k = 0; k < count; ++k)
            for (Floats& part : lanes[k].sum) part = all(0.0f);
        for (std::size_t begin = first; begin < end; begin += tile) {
            const std::size_t at = begin * vertex_stride, size = std::min(tile, end - begin);
            const std::size_t whole = size / phases * phases, rest = whole * vertex_stride;
            subtract(q + at, q_old + at, size, newest_z + at);
            subtract(g + at, g_old + at, size, change);
            const auto take = [&](int k, const float* a, const float* b) {
                add_products(a, b, whole, lanes[k]);
                if (begin + size == end) {
                    double* sum = sums + abreast * k;
                    store(sum, load_wide(sum) + total(lanes[k], a + rest, b + rest, size - whole));
                }
            };
            for (int i = 0; i <= newest; ++i) {
                take(2 * i, memory.s[i] + at, g + at);
                take(2 * i + 1, memory.z[i] + at, g + at);
            }
            take(count - 2, memory.s[newest] + at, change);
            take(count - 1, newest_z + at, change);
        }
    }
}

void side_combine(std::size_t n, const SideMemory& memory, const Mix* mixes, const float* q,
                  float* p, const double* x, double* trial, double* square) {
    alignas(32) float c[abreast], a[Mix::most][abreast], b[Mix::most][abreast];
    for (int lane = 0; lane < abreast; ++lane) {
        c[lane] = static_cast<float>(-mixes[lane].q);
        for (int k = 0; k < memory.count; ++k) {
            a[k][lane] = static_cast<float>(mixes[lane].s[k]);
            b[k][lane] = static_cast<float>(mixes[lane].z[k]);
        }
    }
    const Floats factor = load(c);
    LongestMove longest;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t at = i * vertex_stride;
        Floats sum[3];
        for (int axis = 0; axis < 3; ++axis) sum[axis] = factor * load(q + at + abreast * axis);
        for (int k = 0; k < memory.count; ++k)
            for (int axis = 0; axis < 3; ++axis) {
                const std::size_t place = at + abreast * axis;
                sum[axis] = sum[axis] + (load(a[k]) * load(memory.s[k] + place) +
                                         load(b[k]) * load(memory.z[k] + place));
            }
        for (int axis = 0; axis < 3; ++axis) store(p + at + abreast * axis, sum[axis]);
        move_vertex(sum, x + at, trial + at, longest);
    }
    store(square, longest.square);
}

void side_move(std::size_t n, const float* factor, float* p, const double* x, double* trial,
               double* square) {
    const Floats scale = load(factor);
    LongestMove longest;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t at = i * vertex_stride;
        Floats moved[3];
        for (int axis = 0; axis < 3; ++axis) {
            moved[axis] = scale * load(p + at + abreast * axis);
            store(p + at + abreast * axis, moved[axis]);
        }
        move_vertex(moved, x + at, trial + at, longest);
    }
    store(square, longest.square);
}

} // namespace twang::core

#else

namespace twang::core {

// Built for a machine without these instructions: nothing comes here.
void side_dot(std::size_t, const float*, const float*, double*) {}
void side_products(std::size_t, const SideMemory&, float*, const float*, const float*, const float*,
                   const float*, double*) {}
void side_combine(std::size_t, const SideMemory&, const Mix*, const float*, float*, const double*,
                  double*, double*) {}
void side_move(std::size_t, const float*, float*, const double*, double*, double*) {}

} // namespace twang::core

#endif
