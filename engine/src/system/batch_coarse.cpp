// The coarse correction of a batch, as a sequence of its stages.
#include "system/batch_coarse.hpp"

#include <algorithm>

namespace twang::core {

void BatchCoarse::fit(const CoarseSystem& system) {
    constexpr int max_pairs = max_basis * (max_basis + 1) / 2;
    make_room(parts_, batch_width * max_pairs * six_stride);
    make_room(moments_, max_moments * six_stride);
    make_room(sums_, system.shape.blocks() * six_stride);
    make_room(hessian_, system.shape.blocks() * 9 * batch_width);
    make_room(coefficients_, system.space->nodes * vertex_stride);
    make_room(constant_, system.space->nodes * vertex_stride);
}

unsigned BatchCoarse::prepare(const CoarseSystem& system, const double* x, double inertia) {
    std::fill_n(sums_.data(), system.shape.blocks() * six_stride, 0.0f);
    for (const CoarseGroup& group : system.lists.groups) {
        batch_moments(system.lists, group, x, parts_.data(), moments_.data());
        batch_scatter(group, moments_.data(), sums_.data());
    }
    batch_fill(system, sums_.data(), inertia, hessian_.data());
    return batch_factor(system.shape, hessian_.data());
}

void BatchCoarse::add(const CoarseSystem& system, const float* r, float* q) {
    const std::size_t numbers = system.space->nodes * vertex_stride;
    batch_restrict(system, r, coefficients_.data());
    std::copy_n(coefficients_.data(), numbers, constant_.data());
    batch_skyline(system.shape, hessian_.data(), coefficients_.data());
    batch_skyline(system.shape, system.constant, constant_.data());
    batch_subtract(numbers, coefficients_.data(), constant_.data());
    batch_prolong(system, coefficients_.data(), q);
}

void BatchCoarse::solve(const CoarseSystem& system, const float* r, float* q) {
    batch_restrict(system, r, coefficients_.data());
    batch_skyline(system.shape, hessian_.data(), coefficients_.data());
    std::fill_n(q, system.space->vertices() * vertex_stride, 0.0f);
    batch_prolong(system, coefficients_.data(), q);
}

void BatchCoarse::unaccelerated_step(const CoarseSystem& system, const float* q, unsigned mask,
                                     float* p) const {
    batch_unaccelerated_step(system, coefficients_.data(), q, mask, p);
}

} // namespace twang::core
