// Assembly and factor of the coarse Hessian for a batch of eight bodies.
#include "system/batch_coarse.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include <algorithm>

#include "base/avx2.hpp"
#include "base/lanes_avx2.hpp"

namespace twang::core {

namespace {

constexpr std::uint32_t chunk_size = 32; // spring packs

// Hessians of the springs in one lane of the packs of a chunk.
template <int AllPairs>
struct Hessians {
    Floats h[chunk_size][6];
    float product[chunk_size][AllPairs]; // of two coefficients, per pair
};

Floats difference(const double* a, const double* b) { return narrow(load_wide(a) - load_wide(b)); }

// Computes the projected Hessian block of one spring, as gather_moments in coarse_kernels_avx2.cpp
// does.
inline void find_spring_hessian(const double* a, const double* b, float stiffness,
                                float rest_length, Floats* h) {
    const Floats dx = difference(a, b), dy = difference(a + 8, b + 8),
                 dz = difference(a + 16, b + 16);
    const Floats square{_mm256_max_ps(square_of(dx.v, dy.v, dz.v), _mm256_set1_ps(1e-30f))};
    const Floats inverse{inverse_root(square.v)}, along = all(stiffness);
    const __m256 slack = _mm256_fnmadd_ps(all(rest_length).v, inverse.v, _mm256_set1_ps(1.0f));
    const Floats across = along * Floats{_mm256_max_ps(slack, _mm256_setzero_ps())};
    const Floats extra = along - across;
    const Floats nx = dx * inverse, ny = dy * inverse, nz = dz * inverse;
    const Floats ex = extra * nx, ey = extra * ny, ez = extra * nz;
    h[0] = add_product(across, ex, nx);
    h[1] = ex * ny;
    h[2] = ex * nz;
    h[3] = add_product(across, ey, ny);
    h[4] = ey * nz;
    h[5] = add_product(across, ez, nz);
}

// Adds the sums of product times h for `Pairs` pairs of the basis, from `pair` on.
template <int Pairs, int AllPairs>
void add_moments(const Hessians<AllPairs>& hessians, int count, int pair, float* part) {
    Floats sum[Pairs][6];
    for (int k = 0; k < 6 * Pairs; ++k) sum[k / 6][k % 6] = load(part + batch_width * k);
    for (int s = 0; s < count; ++s)
        for (int k = 0; k < Pairs; ++k) {
            const Floats product = all(hessians.product[s][pair + k]);
            for (int i = 0; i < 6; ++i)
                sum[k][i] = add_product(sum[k][i], product, hessians.h[s][i]);
        }
    for (int k = 0; k < 6 * Pairs; ++k) store(part + batch_width * k, sum[k / 6][k % 6]);
}

template <int Basis>
void gather_moments(const CoarseLists& lists, const CoarseGroup& group, const double* x,
                    float* parts, float* moments) {
    constexpr int pairs = Basis * (Basis + 1) / 2;
    Hessians<pairs> hessians;
    std::fill_n(parts, batch_width * pairs * six_stride, 0.0f);
    for (int place = 0; place < 8; ++place) {
        float* part = parts + place * pairs * six_stride;
        for (std::uint32_t first = 0; first < group.packs; first += chunk_size) {
            int count = 0;
            for (std::uint32_t p = first; p < std::min(first + chunk_size, group.packs); ++p) {
                const SpringPack& pack = lists.packs[group.first_pack + p];
                if (pack.stiffness[place] == 0.0f) continue; // adds nothing
                find_spring_hessian(x + vertex_stride * pack.a[place],
                                    x + vertex_stride * pack.b[place], pack.stiffness[place],
                                    pack.rest_length[place], hessians.h[count]);
                const float* c =
                    &lists.coefficients[lists.coefficient_of[group.first_pack + p] + place];
                float* product = hessians.product[count++];
                for (int k = 0; k < Basis; ++k)
                    for (int l = 0; l <= k; ++l) *product++ = c[8 * k] * c[8 * l];
            }
            int pair = 0;
            for (; pair + 2 <= pairs; pair += 2)
                add_moments<2>(hessians, count, pair, part + pair * six_stride);
            if (pair < pairs) add_moments<1>(hessians, count, pair, part + pair * six_stride);
        }
    }
    const std::size_t stride = pairs * six_stride;
    for (int k = 0, pair = 0; k < Basis; ++k)
        for (int l = 0; l <= k; ++l, ++pair)
            for (int i = 0; i < 6; ++i) {
                const float* at = parts + pair * six_stride + batch_width * i;
                const auto part = [&](int place) { return load(at + place * stride); };
                const Floats sum = ((part(0) + part(1)) + (part(2) + part(3))) +
                                   ((part(4) + part(5)) + (part(6) + part(7)));
                store(moments + (k * Basis + l) * six_stride + batch_width * i, sum);
                store(moments + (l * Basis + k) * six_stride + batch_width * i, sum);
            }
}

template <int Basis>
void scatter_moments(const CoarseGroup& group, const float* moments, float* blocks) {
    const int size = static_cast<int>(group.nodes.size());
    const float* direction = group.direction.data();
    const std::uint32_t* block = group.block.data();
    Floats half[Basis][6]; // the basis applied on one side
    for (int a = 0; a < size; ++a) {
        for (int l = 0; l < Basis; ++l) {
            Floats sum[6];
            for (Floats& part : sum) part = all(0.0f);
            for (int k = 0; k < Basis; ++k) {
                const float* from = moments + (k * Basis + l) * six_stride;
                const Floats weight = all(direction[k * size + a]);
                for (int i = 0; i < 6; ++i)
                    sum[i] = add_product(sum[i], weight, load(from + batch_width * i));
            }
            std::copy(sum, sum + 6, half[l]);
        }
        for (int b = 0; b <= a; ++b, ++block) {
            float* at = blocks + *block * six_stride;
            Floats sum[6];
            for (int i = 0; i < 6; ++i) sum[i] = load(at + batch_width * i);
            for (int l = 0; l < Basis; ++l) {
                const Floats weight = all(direction[l * size + b]);
                for (int i = 0; i < 6; ++i) sum[i] = add_product(sum[i], weight, half[l][i]);
            }
            for (int i = 0; i < 6; ++i) store(at + batch_width * i, sum[i]);
        }
    }
}

// Block (a, b) of four bodies, read from nine vectors; element (i, j) is vector 3 j + i.
struct Block {
    Doubles v[9];
};

Block read(const double* at) {
    Block block;
    for (int k = 0; k < 9; ++k) block.v[k] = load(at + 4 * k);
    return block;
}
void write(double* at, const Block& block) {
    for (int k = 0; k < 9; ++k) store(at + 4 * k, block.v[k]);
}

// Computes the inverse root as invert_root in linear/skyline_factor.hpp does. Bit k of the result:
// body k has one.
int invert_root(const Block& a, double* at) {
    Doubles root[3][3];
    int valid = 15;
    const Doubles zero = all(0.0), one = all(1.0);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j) {
            Doubles sum = a.v[3 * j + i];
            for (int k = 0; k < j; ++k) sum = sum - root[i][k] * root[j][k];
            if (i != j) {
                root[i][j] = sum / root[j][j];
                continue;
            }
            const Doubles before = load(at + 4 * (4 * i));
            const __m256d is_zero = _mm256_cmp_pd(before.v, zero.v, _CMP_EQ_OQ);
            const __m256d is_positive = _mm256_cmp_pd(sum.v, (all(1e-13) * before).v, _CMP_GT_OQ);
            valid &= _mm256_movemask_pd(_mm256_or_pd(is_zero, is_positive));
            root[i][i] = {_mm256_blendv_pd(_mm256_sqrt_pd(sum.v), one.v, is_zero)};
        }
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
            Doubles sum = i == j ? one : zero;
            for (int k = j; k < i; ++k) sum = sum - root[i][k] * load(at + 4 * (3 * j + k));
            store(at + 4 * (3 * j + i), i < j ? zero : sum / root[i][i]);
        }
    return valid;
}

// Returns block (a, b) before the multiplication by the inverse. Every element takes its products
// in the order of factor_skyline.
Block subtracted(const SkylineShape& shape, const double* hessian, int a, int b) {
    const int from = std::max(shape.first[a], shape.first[b]);
    const double* left = hessian + 36 * shape.at(a, from);
    const double* other = hessian + 36 * shape.at(b, from);
    Block sum = read(hessian + 36 * shape.at(a, b));
    for (int c = from; c < b; ++c, left += 36, other += 36)
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < 3; ++j) {
                const Doubles factor = load(other + 4 * (3 * k + j));
                for (int i = 0; i < 3; ++i)
                    sum.v[3 * j + i] =
                        subtract_product(sum.v[3 * j + i], load(left + 4 * (3 * k + i)), factor);
            }
    return sum;
}

// Factors as factor_skyline does, for four bodies.
int factor_four(const SkylineShape& shape, double* hessian) {
    int valid = 15;
    const auto at = [&](int a, int b) { return hessian + 36 * shape.at(a, b); };
    for (int a = 0; a < shape.rows(); ++a)
        for (int b = shape.first[a]; b <= a; ++b) {
            const Block sum = subtracted(shape, hessian, a, b);
            if (b == a) {
                valid &= invert_root(sum, at(a, a));
                continue;
            }
            const double* inverse = at(b, b);
            Block block;
            for (int j = 0; j < 3; ++j)
                for (int i = 0; i < 3; ++i) {
                    Doubles value = sum.v[i] * load(inverse + 4 * j);
                    for (int k = 1; k <= j; ++k)
                        value =
                            add_product(value, sum.v[3 * k + i], load(inverse + 4 * (3 * k + j)));
                    block.v[3 * j + i] = value;
                }
            write(at(a, b), block);
        }
    return valid;
}

} // namespace

void batch_moments(const CoarseLists& lists, const CoarseGroup& group, const double* x,
                   float* parts, float* moments) {
    with_basis(group.basis,
               [&](auto basis) { gather_moments<basis.value>(lists, group, x, parts, moments); });
}

void batch_scatter(const CoarseGroup& group, const float* moments, float* blocks) {
    with_basis(group.basis,
               [&](auto basis) { scatter_moments<basis.value>(group, moments, blocks); });
}

void batch_fill(const CoarseSystem& system, const float* blocks, double inertia, double* hessian) {
    constexpr int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    const std::size_t count = system.shape.blocks();
    for (std::size_t block = 0; block < count; ++block)
        for (int k = 0; k < 9; ++k) {
            WideDoubles value = widen(load(blocks + block * six_stride + batch_width * place[k]));
            if (k % 4 == 0) value = value + all_wide(inertia * system.inertia[block]);
            store(hessian + 36 * block + 4 * k, value.low);
            store(hessian + 36 * (count + block) + 4 * k, value.high);
        }
}

unsigned batch_factor(const SkylineShape& shape, double* hessian) {
    const int low = factor_four(shape, hessian);
    const int high = factor_four(shape, hessian + 36 * shape.blocks());
    return static_cast<unsigned>(low | high << 4);
}

} // namespace twang::core

#else

namespace twang::core {

// Built without AVX2 and FMA: never called.
void batch_moments(const CoarseLists&, const CoarseGroup&, const double*, float*, float*) {}
void batch_scatter(const CoarseGroup&, const float*, float*) {}
void batch_fill(const CoarseSystem&, const float*, double, double*) {}
unsigned batch_factor(const SkylineShape&, double*) { return 0; }

} // namespace twang::core

#endif
