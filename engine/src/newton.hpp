// The frame of a Newton method: directions from the caller, back-tracking line search, stopping.
#pragma once

#include <cmath>

#include "solving.hpp"

namespace twang::core {

template <class V>
class Descent {
public:
    // `gradient` and `direction` are room for it; find_direction below reads the one and fills the
    // other.
    Descent(SolveContext& context, VertexArray<V>& gradient, VertexArray<V>& direction)
        : context_(context), work_(context.work), gradient_(gradient), direction_(direction) {}

    // Minimises the objective from work.x. `find_direction` returns a Status.
    template <class FindDirection>
    Status run(FindDirection&& find_direction);

    // In parts: the objective and its gradient at work.x,
    void look() { g_ = precision_.evaluate(context_, work_.x, gradient_); }
    double objective() const { return g_; }
    // and how steeply the direction falls. Backs off from work.x + direction until the objective
    // falls by a fair share of what that slope, below 0, promises; moves there, and has looked.
    // Returns the fraction of the direction taken; 0 when no fraction helps: look again then.
    double slope() { return product(context_, gradient_, direction_); }
    double search(double slope);

private:
    static constexpr double fair_share = 1e-4;
    static constexpr int most_halvings = 40;

    SolveContext& context_;
    Workspace& work_;
    VertexArray<V>& gradient_;
    VertexArray<V>& direction_;
    Precision<V> precision_;
    double g_ = 0.0;
};

template <class V>
double Descent<V>::search(double slope) {
    // A fall that drowns in the rounding of g cannot be judged; there the direction is at its most
    // reliable, and only must not lead up.
    const double noise = 10.0 * precision_.rounding(context_, g_);
    const bool drowns = -slope <= noise;
    double fraction = 1.0;
    for (int halving = 0; halving < most_halvings; ++halving, fraction *= 0.5) {
        context_.jobs.ranges(work_.x.size(), BlockSum::block, [&](std::size_t i, std::size_t end) {
            for (; i < end; ++i) work_.trial[i] = work_.x[i] + fraction * widen(direction_[i]);
        });
        const double next = precision_.evaluate(context_, work_.trial, gradient_);
        if (next <= g_ + (drowns ? noise : fair_share * fraction * slope)) {
            work_.x.swap(work_.trial);
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
    for (int iteration = 0; iteration < context_.settings.iterations; ++iteration) {
        if (Contacts* contacts = context_.objective.contacts)
            g_ += contacts->update_friction_limits(work_.x.data(), gradient_.data());
        context_.clock.lap(&twang_stage_ms::project);
        if (const Status s = find_direction(); s != TWANG_OK) return s;
        const double g = g_;
        const double fall = slope();
        if (!std::isfinite(fall) || !std::isfinite(g))
            return fail(TWANG_DIVERGED, "the objective is no longer finite");
        const double move = longest(direction_);
        const double fraction = fall <= 0.0 && move > 0.0 ? search(fall) : 0.0;
        const bool done = record(context_, g, move);
        context_.clock.lap(&twang_stage_ms::accelerate);
        if (done) break;
        if (precision_.sharpen(context_, fraction * move))
            look();
        else if (fraction == 0.0)
            break;
    }
    return TWANG_OK;
}

} // namespace twang::core
