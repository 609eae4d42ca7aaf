// Coarse correction of a batch of eight bodies, from residuals to corrections: restriction, solves,
// prolongation.
#include "system/batch_coarse.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include <algorithm>

#include "base/lanes_avx2.hpp"

namespace twang::core {

namespace {

// Solves as solve_skyline does, for four bodies.
void solve_four(const SkylineShape& shape, const double* hessian, double* x) {
    const auto at = [&](int a, int b) { return hessian + 36 * shape.at(a, b); };
    for (int a = 0; a < shape.rows(); ++a) {
        double* own = x + 12 * a;
        Doubles sum[3] = {load(own), load(own + 4), load(own + 8)}, value[3];
        for (int b = shape.first[a]; b < a; ++b)
            for (int k = 0; k < 3; ++k)
                for (int i = 0; i < 3; ++i)
                    sum[i] = subtract_product(sum[i], load(at(a, b) + 4 * (3 * k + i)),
                                              load(x + 12 * b + 4 * k));
        const double* inverse = at(a, a);
        for (int i = 0; i < 3; ++i) {
            value[i] = load(inverse + 4 * i) * sum[0];
            for (int k = 1; k < 3; ++k)
                value[i] = add_product(value[i], load(inverse + 4 * (3 * k + i)), sum[k]);
            store(own + 4 * i, value[i]);
        }
    }
    for (int b = shape.rows() - 1; b >= 0; --b) {
        Doubles part[9];
        for (Doubles& p : part) p = all(0.0);
        for (int a = b + 1; a <= shape.last[b]; ++a) {
            if (!shape.has(a, b)) continue;
            const Doubles other[3] = {load(x + 12 * a), load(x + 12 * a + 4), load(x + 12 * a + 8)};
            for (int k = 0; k < 9; ++k)
                part[k] = add_product(part[k], load(at(a, b) + 4 * k), other[k % 3]);
        }
        double* own = x + 12 * b;
        Doubles rest[3];
        for (int k = 0; k < 3; ++k)
            rest[k] = load(own + 4 * k) - ((part[3 * k] + part[3 * k + 1]) + part[3 * k + 2]);
        const double* inverse = at(b, b);
        for (int k = 0; k < 3; ++k) {
            Doubles value = load(inverse + 12 * k) * rest[0];
            for (int i = 1; i < 3; ++i)
                value = add_product(value, load(inverse + 4 * (3 * k + i)), rest[i]);
            store(own + 4 * k, value);
        }
    }
}

void solve_four(const SkylineShape& shape, const std::vector<SkylineBlock<1>>& blocks, double* x) {
    const auto at = [&](int a, int b) { return all(blocks[shape.at(a, b)].v[0][0]); };
    const auto subtract_row = [](Doubles factor, const double* from, Doubles* sum) {
        for (int k = 0; k < 3; ++k) sum[k] = subtract_product(sum[k], factor, load(from + 4 * k));
    };
    const auto finish = [&](int row, const Doubles* sum) {
        for (int k = 0; k < 3; ++k) store(x + 12 * row + 4 * k, at(row, row) * sum[k]);
    };
    const auto begin = [&](int row, Doubles* sum) {
        for (int k = 0; k < 3; ++k) sum[k] = load(x + 12 * row + 4 * k);
    };
    Doubles sum[3];
    for (int a = 0; a < shape.rows(); ++a) {
        begin(a, sum);
        for (int b = shape.first[a]; b < a; ++b) subtract_row(at(a, b), x + 12 * b, sum);
        finish(a, sum);
    }
    for (int b = shape.rows() - 1; b >= 0; --b) {
        begin(b, sum);
        for (int a = b + 1; a <= shape.last[b]; ++a)
            if (shape.has(a, b)) subtract_row(at(a, b), x + 12 * a, sum);
        finish(b, sum);
    }
}

// Coefficients of all nodes in float, times a sign.
struct NodeCoefficients {
    Floats v[CoarseSpace::max_nodes][3];

    NodeCoefficients(int nodes, const double* coefficients, double sign) {
        const std::size_t half = 12 * std::size_t(nodes);
        for (int k = 0; k < 3 * nodes; ++k)
            v[k / 3][k % 3] = narrow({all(sign) * load(coefficients + 4 * k),
                                      all(sign) * load(coefficients + half + 4 * k)});
    }
    // sum += weights times coefficients, for vertex i.
    void add(const CoarseSpace& space, const float* weight, std::size_t i, Floats* sum) const {
        const std::size_t corners = space.corners;
        for (std::size_t c = i * corners; c < (i + 1) * corners; ++c)
            for (int axis = 0; axis < 3; ++axis)
                sum[axis] = sum[axis] + all(weight[c]) * v[space.node[c]][axis];
    }
};

} // namespace

void batch_restrict(const CoarseSystem& system, const float* r, double* coefficients) {
    const CoarseSpace& space = *system.space;
    const std::size_t n = system.space->vertices(), corners = space.corners;
    const std::size_t half = 12 * std::size_t(space.nodes);
    std::fill_n(coefficients, 2 * half, 0.0);
    for (std::size_t first = 0; first < n; first += coarse_block) {
        Floats sum[CoarseSpace::max_nodes][3];
        for (auto& node : sum)
            for (Floats& axis : node) axis = all(0.0f);
        for (std::size_t i = first; i < std::min(first + coarse_block, n); ++i) {
            const float* own = r + i * vertex_stride;
            const Floats x = load(own), y = load(own + 8), z = load(own + 16);
            for (std::size_t c = i * corners; c < (i + 1) * corners; ++c) {
                Floats* to = sum[space.node[c]];
                const Floats weight = all(system.weight[c]);
                to[0] = to[0] + weight * x;
                to[1] = to[1] + weight * y;
                to[2] = to[2] + weight * z;
            }
        }
        for (int k = 0; k < 3 * space.nodes; ++k) {
            const WideDoubles part = widen(sum[k / 3][k % 3]);
            double* low = coefficients + 4 * k;
            store(low, load(low) + part.low);
            store(low + half, load(low + half) + part.high);
        }
    }
}

void batch_skyline(const SkylineShape& shape, const double* hessian, double* x) {
    solve_four(shape, hessian, x);
    solve_four(shape, hessian + 36 * shape.blocks(), x + 12 * std::size_t(shape.rows()));
}

void batch_skyline(const SkylineShape& shape, const std::vector<SkylineBlock<1>>& blocks,
                   double* x) {
    solve_four(shape, blocks, x);
    solve_four(shape, blocks, x + 12 * std::size_t(shape.rows()));
}

void batch_subtract(std::size_t count, double* a, const double* b) {
    for (std::size_t k = 0; k < count; k += 4) store(a + k, load(a + k) - load(b + k));
}

void batch_prolong(const CoarseSystem& system, const double* coefficients, float* q) {
    const NodeCoefficients nodes(system.space->nodes, coefficients, 1.0);
    for (std::size_t i = 0; i < system.space->vertices(); ++i, q += vertex_stride) {
        Floats sum[3] = {load(q), load(q + 8), load(q + 16)};
        nodes.add(*system.space, system.weight.data(), i, sum);
        for (int axis = 0; axis < 3; ++axis) store(q + 8 * axis, sum[axis]);
    }
}

void batch_unaccelerated_step(const CoarseSystem& system, const double* coefficients,
                              const float* q, unsigned mask, float* p) {
    const NodeCoefficients nodes(system.space->nodes, coefficients, -1.0);
    alignas(32) float lane_mask[batch_width];
    for (int lane = 0; lane < batch_width; ++lane)
        lane_mask[lane] = mask >> lane & 1 ? -1.0f : 0.0f;
    const Floats sign = load(lane_mask); // the sign bit selects
    for (std::size_t i = 0; i < system.space->vertices();
         ++i, q += vertex_stride, p += vertex_stride) {
        Floats sum[3] = {load(q), load(q + 8), load(q + 16)};
        nodes.add(*system.space, system.weight.data(), i, sum);
        for (int axis = 0; axis < 3; ++axis) {
            const Floats negated = sum[axis] * all(-1.0f);
            store(p + 8 * axis, {_mm256_blendv_ps(load(p + 8 * axis).v, negated.v, sign.v)});
        }
    }
}

} // namespace twang::core

#else

namespace twang::core {

// Built without AVX2 and FMA: never called.
void batch_restrict(const CoarseSystem&, const float*, double*) {}
void batch_skyline(const SkylineShape&, const double*, double*) {}
void batch_skyline(const SkylineShape&, const std::vector<SkylineBlock<1>>&, double*) {}
void batch_subtract(std::size_t, double*, const double*) {}
void batch_prolong(const CoarseSystem&, const double*, float*) {}
void batch_unaccelerated_step(const CoarseSystem&, const double*, const float*, unsigned, float*) {}

} // namespace twang::core

#endif
