// What the fast kernels are tested on: an objective in the arrays that they ask for.
#pragma once

#include "scenes.hpp"

namespace twang::test {

using core::Float4;
using core::VertexArray;

inline std::vector<Vec3> widened(const VertexArray<Float4>& v) {
    std::vector<Vec3> wide;
    for (const Float4& a : v) wide.push_back({a.x, a.y, a.z});
    return wide;
}

struct FastProblem {
    Problem p;
    VertexArray<Vec3> x, y;
    VertexArray<double> weights;

    explicit FastProblem(const Net& net, const std::vector<std::uint32_t>& held = {},
                         twang_pin_method method = TWANG_PIN_PENALTY)
        : p(net, TWANG_HOOKE, method, 0.02, held),
          x(p.model->rest_positions),
          y(p.model->rest_positions),
          weights(net.size()) {
        for (std::size_t i = 0; i < x.size(); ++i) weights[i] = p.inertia * p.model->masses[i];
    }
    // Away from rest; pins near their targets, or their pull would drown the rest.
    void shake(Random& random, double extent) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            y[i] += random.vector(extent);
            x[i] += p.pins.holds(i) ? 1e-7 * random.direction() : random.vector(extent);
        }
    }
    core::Objective objective() const {
        return {*p.model, *p.model, p.live, p.pins, TWANG_HOOKE, y.data(), nullptr, weights.data()};
    }
};

// With whole groups of eight vertices and without; with a vertex that has no springs.
inline std::vector<Net> kernel_nets() {
    Net lonely = random_net(2, 20);
    lonely.positions.push_back({3.0, 0.0, 0.0});
    lonely.masses.push_back(0.3);
    return {random_net(1, 64, 6), lonely, cloth_net(13, 11), block_net(4, 3, 3, 0.2),
            chain_net(9, 0.1, 0.01, 100.0)};
}

} // namespace twang::test
