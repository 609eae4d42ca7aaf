// The coarse system of bodies that touch: the coarse unknowns of all bodies, coupled by contacts,
//   U^T H U = diag(U_k^T H_k U_k) + sum_c u_c u_c^T (x) curvature_c,
// with H_k of body k and u_c the weights of the point of contact c at the nodes of both bodies.
// Without the coupling each body would treat the other bodies as walls, and bodies that lie on each
// other would fall in slow motion. The coarse system of one body is in system/coarse.hpp.
#pragma once

#include <span>
#include <vector>

#include "system/coarse.hpp"

namespace twang::core {

class JointCoarse {
public:
    struct Part {
        const CoarseSystem* system;
        CoarseStep* step;
        std::size_t first; // index of the body's vertex 0 in the joint arrays
    };

    // Makes room: up to these numbers, prepare and solve do not allocate.
    void reserve(std::size_t vertices, std::size_t bodies);
    // Copies the coarse Hessians that the parts have assembled, adds the constraints between bodies
    // and factors the sum. `parts` must outlive all calls of solve().
    template <class V>
    void prepare(std::span<const Part> parts, std::span<const CoarseConstraint> constraints);
    // Solves with the restricted gradients in the coefficients of the parts, and replaces these
    // coefficients by the solution.
    template <class V>
    void solve();

private:
    struct Weight {
        int node; // index among the nodes of all bodies
        double weight;
    };
    std::span<const Weight> weights_at(const ContactPoint& point);
    void make_shape(std::span<const CoarseConstraint> constraints);

    std::span<const Part> parts_;
    std::vector<int> first_node_; // per part
    std::vector<Weight> weights_;
    SkylineShape shape_;
    std::vector<SkylineBlock<3>> hessian_;
    std::vector<SkylineRow> unknowns_;
    bool usable_ = false;
};

} // namespace twang::core
