// The loops of batch_lbfgs.hpp in AVX2: one body per lane, eight lanes.
#include "solver/batch_lbfgs.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include <algorithm>
#include <cmath>

#include "base/lanes_avx2.hpp"

namespace twang::core {

namespace {

// Vertices per tile: g and the change of g stay in the cache while all products are computed.
constexpr std::size_t tile = 64;
constexpr std::size_t unroll = memory_lanes / 4; // vertices with partial sums of their own
constexpr std::size_t block_vertices = memory_block / 4;

// The partial sums of one product: x, y, z of `unroll` vertices. The fourth number of a vertex,
// which Memory sums as well, is always 0.
struct ProductSums {
    Floats sum[3 * unroll];
};

// products += a b over `count` vertices, a multiple of unroll.
void add_products(const float* a, const float* b, std::size_t count, ProductSums& products) {
    ProductSums sums = products;
    for (std::size_t i = 0; i < count;
         i += unroll, a += unroll * vertex_stride, b += unroll * vertex_stride)
        for (std::size_t k = 0; k < 3 * unroll; ++k)
            sums.sum[k] = sums.sum[k] + load(a + batch_width * k) * load(b + batch_width * k);
    products = sums;
}

// Returns the sum of the partial sums in double, then of the remaining vertices of a and b.
WideDoubles sum_in_double(const ProductSums& products, const float* a, const float* b,
                          std::size_t remainder) {
    WideDoubles sum = all_wide(0.0);
    for (const Floats& part : products.sum) sum = sum + widen(part);
    for (std::size_t k = 0; k < 3 * remainder; ++k)
        sum = sum + widen(load(a + batch_width * k)) * widen(load(b + batch_width * k));
    return sum;
}

void subtract(const float* a, const float* b, std::size_t count, float* out) {
    for (std::size_t k = 0; k < 3 * batch_width * count; k += batch_width)
        store(out + k, load(a + k) - load(b + k));
}

// The square of the longest move of each body.
struct LongestMove {
    WideDoubles square = all_wide(0.0);
    void add(WideDoubles value) {
        square.low = max_keeping_nan(square.low, value.low);
        square.high = max_keeping_nan(square.high, value.high);
    }
    static Doubles max_keeping_nan(Doubles maximum, Doubles value) {
        return {
            _mm256_blendv_pd(maximum.v, value.v, _mm256_cmp_pd(value.v, maximum.v, _CMP_NLE_UQ))};
    }
};

// Moves one vertex by p. Products of floats are exact in double.
inline void move_vertex(const Floats (&p)[3], const double* x, double* trial,
                        LongestMove& longest) {
    WideDoubles square;
    for (int axis = 0; axis < 3; ++axis) {
        const WideDoubles move = widen(p[axis]);
        store(trial + batch_width * axis, load_wide(x + batch_width * axis) + move);
        square = axis == 0 ? move * move : square + move * move;
    }
    longest.add(square);
}

} // namespace

void batch_dot(std::size_t n, const float* a, const float* b, double* dots) {
    WideDoubles total = all_wide(0.0);
    for (std::size_t first = 0; first < n; first += BlockSum::block) {
        WideDoubles sum = all_wide(0.0);
        for (std::size_t i = first; i < std::min(first + BlockSum::block, n); ++i) {
            const float* u = a + i * vertex_stride;
            const float* v = b + i * vertex_stride;
            const auto product = [&](int axis) {
                return widen(load(u + batch_width * axis)) * widen(load(v + batch_width * axis));
            };
            sum = sum + (product(0) + product(1) + product(2));
        }
        total = total + sum;
    }
    store(dots, total);
}

void batch_products(std::size_t n, const BatchLbfgs& memory, float* newest_z, const float* g,
                    const float* g_old, const float* q, const float* q_old, double* sums) {
    constexpr int max_products = 2 * Mix::most + 2;
    const int newest = memory.count - 1, count = 2 * memory.count + 2;
    alignas(32) float change[tile * vertex_stride];
    std::fill_n(sums, batch_width * count, 0.0);
    for (std::size_t first = 0; first < n; first += block_vertices) {
        const std::size_t end = std::min(first + block_vertices, n);
        ProductSums products[max_products];
        for (int k = 0; k < count; ++k)
            for (Floats& part : products[k].sum) part = all(0.0f);
        for (std::size_t begin = first; begin < end; begin += tile) {
            const std::size_t at = begin * vertex_stride, size = std::min(tile, end - begin);
            const std::size_t whole = size / unroll * unroll, rest = whole * vertex_stride;
            subtract(q + at, q_old + at, size, newest_z + at);
            subtract(g + at, g_old + at, size, change);
            const auto accumulate = [&](int k, const float* a, const float* b) {
                add_products(a, b, whole, products[k]);
                if (begin + size == end) {
                    double* sum = sums + batch_width * k;
                    store(sum, load_wide(sum) +
                                   sum_in_double(products[k], a + rest, b + rest, size - whole));
                }
            };
            for (int i = 0; i <= newest; ++i) {
                accumulate(2 * i, memory.s[i] + at, g + at);
                accumulate(2 * i + 1, memory.z[i] + at, g + at);
            }
            accumulate(count - 2, memory.s[newest] + at, change);
            accumulate(count - 1, newest_z + at, change);
        }
    }
}

void batch_combine(std::size_t n, const BatchLbfgs& memory, const Mix* mixes, const float* q,
                   float* p, const double* x, double* trial, double* square) {
    alignas(32) float c[batch_width], a[Mix::most][batch_width], b[Mix::most][batch_width];
    for (int lane = 0; lane < batch_width; ++lane) {
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
        for (int axis = 0; axis < 3; ++axis) sum[axis] = factor * load(q + at + batch_width * axis);
        for (int k = 0; k < memory.count; ++k)
            for (int axis = 0; axis < 3; ++axis) {
                const std::size_t place = at + batch_width * axis;
                sum[axis] = sum[axis] + (load(a[k]) * load(memory.s[k] + place) +
                                         load(b[k]) * load(memory.z[k] + place));
            }
        for (int axis = 0; axis < 3; ++axis) store(p + at + batch_width * axis, sum[axis]);
        move_vertex(sum, x + at, trial + at, longest);
    }
    store(square, longest.square);
}

void batch_move(std::size_t n, const float* factor, float* p, const double* x, double* trial,
                double* square) {
    const Floats scale = load(factor);
    LongestMove longest;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t at = i * vertex_stride;
        Floats moved[3];
        for (int axis = 0; axis < 3; ++axis) {
            moved[axis] = scale * load(p + at + batch_width * axis);
            store(p + at + batch_width * axis, moved[axis]);
        }
        move_vertex(moved, x + at, trial + at, longest);
    }
    store(square, longest.square);
}

} // namespace twang::core

#else

namespace twang::core {

// Compiled for a machine without AVX2 and FMA, where these functions are never called.
void batch_dot(std::size_t, const float*, const float*, double*) {}
void batch_products(std::size_t, const BatchLbfgs&, float*, const float*, const float*,
                    const float*, const float*, double*) {}
void batch_combine(std::size_t, const BatchLbfgs&, const Mix*, const float*, float*, const double*,
                   double*, double*) {}
void batch_move(std::size_t, const float*, float*, const double*, double*, double*) {}

} // namespace twang::core

#endif
