// The frame of a Newton method: directions from the caller, back-tracking line search, stopping.
#pragma once

#include <cmath>

#include "solver/joint.hpp"

namespace twang::core {

template <class V>
class Descent {
public:
    // `gradient` and `direction` are room for it; find_direction below reads the one and fills the
    // other.
    Descent(Joint& joint, VertexArray<V>& gradient, VertexArray<V>& direction)
        : joint_(joint), gradient_(gradient), direction_(direction) {}

    // Minimises the objective from joint.x. `find_direction` returns a Status.
    template <class FindDirection>
    Status run(FindDirection&& find_direction);

    // In parts: the objective and its gradient at joint.x,
    void look() { g_ = precision_.evaluate(joint_, joint_.x, gradient_); }
    double objective() const { return g_; }
    // and how steeply the direction falls. Backs off from joint.x + direction until the objective
    // falls by a fair share of what that slope, below 0, promises; moves there, and has looked.
    // Returns the fraction of the direction taken; 0 when no fraction helps: look again then.
    double slope() { return joint_.product(gradient_, direction_); }
    double search(double slope);

private:
    static constexpr double fair_share = 1e-4;
    static constexpr int most_halvings = 40;

    Joint& joint_;
    VertexArray<V>& gradient_;
    VertexArray<V>& direction_;
    Precision<V> precision_;
    double g_ = 0.0;
};

template <class V>
double Descent<V>::search(double slope) {
    // A fall that drowns in the rounding of g cannot be judged; there the direction is at its most
    // reliable, and only must not lead up.
    const double noise = 10.0 * precision_.rounding(joint_, g_);
    const bool drowns = -slope <= noise;
    double fraction = 1.0;
    for (int halving = 0; halving < most_halvings; ++halving, fraction *= 0.5) {
        joint_.jobs.ranges(joint_.size(), BlockSum::block, [&](std::size_t i, std::size_t end) {
            for (; i < end; ++i) joint_.trial[i] = joint_.x[i] + fraction * widen(direction_[i]);
        });
        const double next = precision_.evaluate(joint_, joint_.trial, gradient_);
        if (next <= g_ + (drowns ? noise : fair_share * fraction * slope)) {
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
        joint_.clock.lap(&twang_stage_ms::project);
        if (const Status s = find_direction(); s != TWANG_OK) return s;
        const double g = g_;
        const double fall = slope();
        if (!std::isfinite(fall) || !std::isfinite(g))
            return fail(TWANG_DIVERGED, "the objective is no longer finite");
        const double move = longest(direction_);
        const double fraction = fall <= 0.0 && move > 0.0 ? search(fall) : 0.0;
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
