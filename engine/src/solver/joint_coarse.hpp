// The coarse system of bodies that touch: the coarse unknowns of all, coupled by their contacts,
//   U^T H U = diag(U_k^T H_k U_k) + sum_c u_c u_c^T (x) curvature_c,
// u_c the weights of the point of contact c at the nodes of both bodies. Without the coupling a
// body would take the others for walls, and what lies on one another would fall in slow motion.
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
        std::size_t first; // of the body's vertices among all
    };

    // For so many vertices of so many bodies there will be no allocation.
    void reserve(std::size_t vertices, std::size_t bodies);
    // Takes the Hessians that the parts have assembled, adds the constraints between them and
    // factors the sum. `parts` must last.
    template <class V>
    void prepare(std::span<const Part> parts, std::span<const CoarseConstraint> constraints);
    // Solves for what the parts have restricted, and gives it back to them.
    template <class V>
    void solve();

private:
    struct Weight {
        int node; // among all
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
