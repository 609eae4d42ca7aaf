// The outer loop of the Newton methods: the caller computes directions p; Descent searches a
// fraction t by back-tracking so that x + t p lowers g by the Armijo condition
//   g(x + t p) <= g(x) + c t grad g . p,   c = sufficient_decrease,
// and decides when to stop. Used by newton, newton-cg and static.
#pragma once

#include <cmath>

#include "solver/joint.hpp"

namespace twang::core {

template <class V>
class Descent {
public:
    // `gradient` and `direction` have the size of the joint. Descent fills `gradient`;
    // find_direction reads `gradient` and fills `direction`.
    Descent(Joint& joint, VertexArray<V>& gradient, VertexArray<V>& direction)
        : joint_(joint), gradient_(gradient), direction_(direction) {}

    // Minimises the objective from joint.x. find_direction() returns a Status.
    template <class FindDirection>
    Status run(FindDirection&& find_direction);

    // The parts of run(), for other loops. Evaluates the objective and its gradient at joint.x.
    void look() { g_ = precision_.evaluate(joint_, joint_.x, gradient_); }
    double objective() const { return g_; }
    // Returns the directional derivative grad g . p.
    double slope() { return joint_.product(gradient_, direction_); }
    // Line search from joint.x + direction, with the slope at most 0. Moves x to the point found,
    // where objective and gradient are then evaluated. Returns the fraction t of the direction; 0
    // if no fraction is accepted: then the gradient is stale, and look() must be called.
    double search(double slope);

private:
    static constexpr double sufficient_decrease = 1e-4;
    static constexpr int max_halvings = 40;

    Joint& joint_;
    VertexArray<V>& gradient_;
    VertexArray<V>& direction_;
    Precision<V> precision_;
    double g_ = 0.0;
};

template <class V>
double Descent<V>::search(double slope) {
    // A decrease below the rounding error of g cannot be measured. So near to the minimum the
    // direction is most reliable, and g must only not increase by more than the rounding error.
    const double noise = 10.0 * precision_.rounding(joint_, g_);
    const bool below_noise = -slope <= noise;
    double fraction = 1.0;
    for (int halving = 0; halving < max_halvings; ++halving, fraction *= 0.5) {
        joint_.jobs.ranges(joint_.size(), BlockSum::block, [&](std::size_t i, std::size_t end) {
            for (; i < end; ++i) joint_.trial[i] = joint_.x[i] + fraction * widen(direction_[i]);
        });
        const double next = precision_.evaluate(joint_, joint_.trial, gradient_);
        if (next <= g_ + (below_noise ? noise : sufficient_decrease * fraction * slope)) {
            joint_.x.swap(joint_.trial);
            g_ = next;
            return fraction;
        }
    }
    return 0.0;
}

template <class V>
template <class FindDirection>
Status Descent<V>::run(FindDirection&& find_direction) {
    look();
    for (int iteration = 0; iteration < joint_.settings.iterations; ++iteration) {
        if (joint_.has_contacts()) g_ += joint_.update_friction_limits(gradient_);
        joint_.clock.lap(&twang_stage_ms::local_step);
        if (const Status s = find_direction(); s != TWANG_OK) return s;
        const double g = g_;
        const double directional_derivative = slope();
        if (!std::isfinite(directional_derivative) || !std::isfinite(g))
            return fail(TWANG_DIVERGED, "the objective is no longer finite");
        const double move = longest(direction_);
        const double fraction =
            directional_derivative <= 0.0 && move > 0.0 ? search(directional_derivative) : 0.0;
        const bool done = joint_.record(g, move);
        joint_.clock.lap(&twang_stage_ms::accelerate);
        if (done) break;
        if (precision_.sharpen(joint_, fraction * move))
            look();
        else if (fraction == 0.0)
            break;
    }
    return TWANG_OK;
}

} // namespace twang::core
