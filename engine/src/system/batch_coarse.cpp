#include "system/batch_coarse.hpp"

#include <algorithm>

namespace twang::core {

void SideCoarse::fit(const CoarseSystem& system) {
    constexpr int most_pairs = most_basis * (most_basis + 1) / 2;
    make_room(parts_, abreast * most_pairs * six_stride);
    make_room(moments_, most_moments * six_stride);
    make_room(sums_, system.shape.blocks() * six_stride);
    make_room(hessian_, system.shape.blocks() * 9 * abreast);
    make_room(coefficients_, system.space->nodes * vertex_stride);
    make_room(constant_, system.space->nodes * vertex_stride);
}

unsigned SideCoarse::prepare(const CoarseSystem& system, const double* x, double inertia) {
    std::fill_n(sums_.data(), system.shape.blocks() * six_stride, 0.0f);
    for (const CoarseGroup& group : system.lists.groups) {
        side_moments(system.lists, group, x, parts_.data(), moments_.data());
        side_spread(group, moments_.data(), sums_.data());
    }
    side_fill(system, sums_.data(), inertia, hessian_.data());
    return side_factor(system.shape, hessian_.data());
}

void SideCoarse::add(const CoarseSystem& system, const float* r, float* q) {
    const std::size_t numbers = system.space->nodes * vertex_stride;
    side_restrict(system, r, coefficients_.data());
    std::copy_n(coefficients_.data(), numbers, constant_.data());
    side_skyline(system.shape, hessian_.data(), coefficients_.data());
    side_skyline(system.shape, system.constant, constant_.data());
    side_subtract(numbers, coefficients_.data(), constant_.data());
    side_prolong(system, coefficients_.data(), q);
}

void SideCoarse::solve(const CoarseSystem& system, const float* r, float* q) {
    side_restrict(system, r, coefficients_.data());
    side_skyline(system.shape, hessian_.data(), coefficients_.data());
    std::fill_n(q, system.space->vertices() * vertex_stride, 0.0f);
    side_prolong(system, coefficients_.data(), q);
}

void SideCoarse::take_plain(const CoarseSystem& system, const float* q, unsigned mask,
                            float* p) const {
    side_take_plain(system, coefficients_.data(), q, mask, p);
}

} // namespace twang::core
