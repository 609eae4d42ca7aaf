// Assembly, factorisation and solve of the coupled coarse system as a skyline matrix.
#include "solver/joint_coarse.hpp"

#include <algorithm>

namespace twang::core {

namespace {

// Blocks of the skyline; above this number, bodies are solved without their couplings.
constexpr std::size_t max_blocks = 16384;
constexpr std::size_t max_weights = 8 * ContactPoint::most;

} // namespace

void JointCoarse::reserve(std::size_t vertices, std::size_t bodies) {
    const std::size_t nodes = vertices / min_vertices_per_coarse_node + bodies;
    weights_.reserve(max_weights);
    first_node_.reserve(bodies);
    shape_.first.reserve(nodes);
    shape_.last.reserve(nodes);
    shape_.start.reserve(nodes + 1);
    unknowns_.reserve(nodes);
    hessian_.reserve(std::min(max_blocks, nodes * (nodes + 1) / 2));
}

std::span<const JointCoarse::Weight> JointCoarse::weights_at(const ContactPoint& point) {
    weights_.clear();
    for (int k = 0; k < point.count; ++k) {
        std::size_t body = parts_.size() - 1;
        while (point.vertices[k] < parts_[body].first) --body;
        const Part& part = parts_[body];
        if (!part.step->usable()) continue;
        const CoarseSpace& space = *part.system->space;
        const std::size_t vertex = point.vertices[k] - part.first;
        for (std::size_t c = vertex * space.corners; c < (vertex + 1) * space.corners; ++c)
            if (part.system->weight[c] != 0.0f)
                weights_.push_back(
                    {first_node_[body] + space.node[c], point.weights[k] * part.system->weight[c]});
    }
    return weights_;
}

void JointCoarse::make_shape(std::span<const CoarseConstraint> constraints) {
    std::vector<int>& first = shape_.first;
    first.clear();
    first_node_.clear();
    for (const Part& part : parts_) {
        first_node_.push_back(static_cast<int>(first.size()));
        if (part.step->usable())
            for (const int own : part.system->shape.first)
                first.push_back(first_node_.back() + own);
    }
    const auto count = [&] {
        std::size_t blocks = 0;
        for (std::size_t a = 0; a < first.size(); ++a) blocks += a + 1 - first[a];
        return blocks;
    };
    for (const CoarseConstraint& c : constraints) {
        const std::span<const Weight> weights = weights_at(c.point);
        if (weights.empty()) continue;
        const int lowest = std::min_element(weights.begin(), weights.end(), [](auto& a, auto& b) {
                               return a.node < b.node;
                           })->node;
        for (const Weight& w : weights) first[w.node] = std::min(first[w.node], lowest);
    }
    if (count() > max_blocks)
        for (std::size_t k = 0; k < parts_.size(); ++k)
            if (parts_[k].step->usable())
                for (int a = 0; a < parts_[k].system->shape.rows(); ++a)
                    first[first_node_[k] + a] = first_node_[k] + parts_[k].system->shape.first[a];
    shape_.finish();
}

template <class V>
void JointCoarse::prepare(std::span<const Part> parts,
                          std::span<const CoarseConstraint> constraints) {
    parts_ = parts;
    make_shape(constraints);
    hessian_.assign(shape_.blocks(), {});
    for (std::size_t k = 0; k < parts.size(); ++k) {
        if (!parts[k].step->usable()) continue;
        const SkylineShape& own = parts[k].system->shape;
        const SkylineBlock<3>* blocks = parts[k].step->hessian();
        for (int a = 0; a < own.rows(); ++a)
            std::copy_n(blocks + own.at(a, own.first[a]), a + 1 - own.first[a],
                        &hessian_[shape_.at(first_node_[k] + a, first_node_[k] + own.first[a])]);
    }
    for (const CoarseConstraint& c : constraints) {
        const std::span<const Weight> weights = weights_at(c.point);
        for (const Weight& a : weights)
            for (const Weight& b : weights)
                add_curvature(shape_, a.node, b.node, a.weight * b.weight, c.stiffness,
                              hessian_.data());
    }
    usable_ = coarse_kernels<decltype(V::x)>().factor(shape_, hessian_.data());
}

template <class V>
void JointCoarse::solve() {
    unknowns_.assign(shape_.rows(), {});
    if (usable_) {
        for (std::size_t k = 0; k < parts_.size(); ++k)
            if (parts_[k].step->usable())
                std::ranges::copy(parts_[k].step->coefficients(), &unknowns_[first_node_[k]]);
        coarse_kernels<decltype(V::x)>().solve(shape_, hessian_.data(), unknowns_.data());
    }
    for (std::size_t k = 0; k < parts_.size(); ++k)
        if (parts_[k].step->usable())
            std::copy_n(&unknowns_[first_node_[k]], parts_[k].system->shape.rows(),
                        parts_[k].step->coefficients().begin());
}

template void JointCoarse::solve<Float4>();
template void JointCoarse::solve<Vec3>();
template void JointCoarse::prepare<Float4>(std::span<const Part>,
                                           std::span<const CoarseConstraint>);
template void JointCoarse::prepare<Vec3>(std::span<const Part>, std::span<const CoarseConstraint>);

} // namespace twang::core
