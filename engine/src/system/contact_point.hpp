// A point of a body, p(x) = sum_k w_k x_k over a few vertices, or the difference of two such
// points.
#pragma once

#include "springs/spring_kernels.hpp"

namespace twang::core {

struct ContactPoint {
    static constexpr int most = 4;
    std::uint32_t vertices[most];
    double weights[most];
    int count;

    template <class V>
    Vec3 at(const V* x) const {
        Vec3 sum = weights[0] * widen(x[vertices[0]]);
        for (int k = 1; k < count; ++k) sum += weights[k] * widen(x[vertices[k]]);
        return sum;
    }
    // Adds a force at the point to the forces at its vertices, in place of an old one.
    template <class V>
    void add(Vec3 force, V* forces, Vec3 old = {}) const {
        for (int k = 0; k < count; ++k) {
            V& to = forces[vertices[k]];
            put(to, widen(to) + weights[k] * force - weights[k] * old);
        }
    }
};

inline ContactPoint at_vertex(std::uint32_t vertex) { return {{vertex}, {1.0}, 1}; }

} // namespace twang::core
