// Local-global (Liu et al. 2013, section 4) in correction form: x := x - Q^-1 grad g(x). With the
// gradient gathered from the projected directions this is the textbook iteration at the same cost,
// but a resting body stays bitwise still, and the precision of the factor L does not limit the
// accuracy of x. The accelerated loop combines the same corrections into better steps
// (acceleration.hpp) and safeguards each step. Contacts add their potentials to g, and to the
// Hessian of the coarse correction, see contact/contact.hpp.
#include <algorithm>
#include <cmath>

#include "solver/joint.hpp"

namespace twang::core {

namespace {

// The unaccelerated loop, for one body without contacts.
template <class V>
void iterate_unaccelerated(SolveContext& context, Joint& joint, VertexArray<V>& correction) {
    Precision<V> precision;
    for (int iteration = 0; iteration < joint.settings.iterations; ++iteration) {
        const double g = precision.evaluate(joint, joint.x, correction);
        joint.clock.lap(&twang_stage_ms::local_step);
        solve(context.objective.system, context.work.solve, joint.jobs, correction.data());
        joint.clock.lap(&twang_stage_ms::global_step);
        const double move =
            std::sqrt(joint.sum.largest(joint.jobs, joint.size(), [&](std::size_t i) {
                const Vec3 step = widen(correction[i]);
                joint.x[i] -= step;
                return dot(step, step);
            }));
        const bool done = joint.record(g, move);
        joint.clock.lap(&twang_stage_ms::accelerate);
        if (done) break;
        precision.sharpen(joint, move);
    }
}

// The line search in contact, where the unaccelerated correction guarantees no decrease of g: the
// fraction of the predicted decrease that a step must reach, and the bounds of the factor by which
// a rejected step is shortened.
constexpr double sufficient_decrease = 1e-4, min_step_factor = 0.02, max_step_factor = 0.7;

// After a single iteration, springs that are still stretched throw a cloth back from a collider.
constexpr int min_iterations_in_contact = 2;

// The accelerated loop of one step, for one body or several in contact.
template <class V>
class Accelerated {
public:
    Accelerated(Joint& joint, AcceleratedArrays<V>& arrays)
        : joint_(joint),
          a_(arrays),
          contacts_(joint.has_contacts()),
          two_level_(joint.settings.acceleration == TWANG_ACCELERATION_TWO_LEVEL),
          iterations_(contacts_ ? std::max(min_iterations_in_contact, joint.settings.iterations)
                                : joint.settings.iterations) {}

    void run() {
        g_ = evaluate_at(joint_.x);
        if (contacts_) start_in_contact();
        a_.memory.forget();
        while (!done_ && iteration_ < iterations_)
            if (is_last())
                iterate_last();
            else
                iterate();
    }

private:
    using Real = decltype(V::x);
    static Real* flat(VertexArray<V>& v) { return &v.data()->x; }
    static void scale(VertexArray<V>& v, Real factor) {
        for (V& a : v) a.x *= factor, a.y *= factor, a.z *= factor;
    }

    bool is_last() const { return iteration_ + 1 == iterations_; }
    // Without two-level acceleration, the coarse correction is still needed for the contacts, which
    // Q does not contain.
    bool adds_coarse() const { return two_level_ || contacts_; }

    // Moves vertices that inertia carried into colliders to the surface. A Newton step in the
    // coarse unknowns comes first and takes the rest of the body along: moving these vertices alone
    // would stretch springs by more than a few iterations can relax, and the remaining stretch
    // would throw a cloth back into the air.
    void start_in_contact() {
        joint_.prepare_coarse<V>(two_level_);
        coarse_step();
        joint_.place();
        g_ = evaluate_at(joint_.x);
    }
    // The first iteration in contact uses the coarse Hessian of start_in_contact().
    bool renews_coarse() const {
        return adds_coarse() && iteration_ <= renewed_iterations && !(contacts_ && iteration_ == 0);
    }

    void iterate() {
        if (contacts_) update_contacts();
        if (renews_coarse()) joint_.prepare_coarse<V>(two_level_);
        std::copy(a_.g.begin(), a_.g.end(), a_.q.begin());
        joint_.clock.lap(&twang_stage_ms::accelerate);
        joint_.solve(a_.q);
        joint_.clock.lap(&twang_stage_ms::global_step);
        correct_q();
        if (pair_is_valid_)
            a_.memory.remember(flat(a_.p), flat(a_.g), flat(a_.g_old), flat(a_.q), flat(a_.q_old),
                               joint_.jobs);
        pair_is_valid_ = !two_level_ || iteration_ >= renewed_iterations;
        const Mix mix = a_.memory.mix(joint_.settings.acceleration, flat(a_.q), joint_.jobs);
        a_.memory.combine(mix, flat(a_.q), flat(a_.p), joint_.jobs);
        a_.g.swap(a_.g_old);
        a_.q.swap(a_.q_old);
        double next = 0.0;
        const double move = contacts_ ? contact_step(g_, next) : step(g_, next);
        done_ = joint_.record(g_, move);
        g_ = next;
        ++iteration_;
        joint_.clock.lap(&twang_stage_ms::accelerate);
        if (!done_ && precision_.sharpen(joint_, move)) {
            g_ = evaluate_at(joint_.x);
            a_.memory.forget();
            pair_is_valid_ = false;
        }
    }

    // The last iteration of a step: the coarse correction first, then the unaccelerated one. With g
    // replaced by its quadratic model of Hessian H, the error e = x - x* becomes
    //   (I - Q^-1 H)(I - C) e,
    // C the H-orthogonal projection to coarse fields. The eigenvalues of this product are 0 ... 1,
    // so that no field overshoots x*. The remaining error then only makes springs softer, see
    // system/integrator.hpp. The sum of the two corrections, as in iterate(), overshoots in some
    // fields; with BDF2 a cloth exploded after one iteration of that sum. The unaccelerated
    // correction always lowers g, so g is not evaluated again and the cost is the same. In contact
    // this correction may overshoot, and goes through the line search.
    void iterate_last() {
        if (contacts_) update_contacts();
        const double g = g_;
        if (adds_coarse()) {
            if (renews_coarse()) joint_.prepare_coarse<V>(two_level_);
            coarse_step();
        }
        std::copy(a_.g.begin(), a_.g.end(), a_.p.begin());
        joint_.clock.lap(&twang_stage_ms::accelerate);
        joint_.solve(a_.p);
        joint_.clock.lap(&twang_stage_ms::global_step);
        joint_.zero_pinned(a_.p);
        scale(a_.p, Real(-1));
        double move = 0.0;
        if (contacts_) {
            a_.g.swap(a_.g_old);
            double next;
            if (!line_search(g_, 3, move, next)) expose_non_finite(next);
        } else {
            move = move_by_p();
            joint_.x.swap(joint_.trial);
        }
        done_ = joint_.record(g, move);
        ++iteration_;
    }

    // A Newton step in the coarse unknowns alone; rejected where it does not lower g.
    void coarse_step() {
        joint_.solve_coarse(a_.g, a_.p);
        joint_.zero_pinned(a_.p);
        scale(a_.p, Real(-1));
        move_by_p();
        a_.g.swap(a_.g_old);
        const double next = evaluate_at(joint_.trial);
        if (next <= g_ + precision_.rounding(joint_, g_)) {
            joint_.x.swap(joint_.trial);
            g_ = next;
        } else {
            joint_.count_rejected();
            a_.g.swap(a_.g_old);
        }
    }

    // trial := x + p; returns the length of the longest move.
    double move_by_p() {
        const double square = joint_.sum.largest(joint_.jobs, joint_.size(), [&](std::size_t i) {
            const Vec3 move = widen(a_.p[i]);
            joint_.trial[i] = joint_.x[i] + move;
            return dot(move, move);
        });
        joint_.clock.lap(&twang_stage_ms::accelerate);
        return std::sqrt(square);
    }

    double evaluate_at(const VertexArray<Vec3>& x) {
        const double g = precision_.evaluate(joint_, x, a_.g);
        joint_.clock.lap(&twang_stage_ms::local_step);
        return g;
    }

    void update_contacts() {
        g_ += joint_.update_friction_limits(a_.g);
        joint_.clock.lap(&twang_stage_ms::contact);
    }

    // Adds the coarse correction to q = Q^-1 grad g.
    void correct_q() {
        if (!contacts_)
            predicted_decrease_ = 0.5 * joint_.sum(joint_.jobs, a_.q.size(), [&](std::size_t i) {
                return dot(widen(a_.g[i]), widen(a_.q[i]));
            });
        if (adds_coarse()) joint_.add_coarse(a_.g, a_.q);
        joint_.zero_pinned(a_.q);
    }

    // Moves x by p where that lowers g by at least predicted_decrease_, else by p / 2, else by the
    // unaccelerated correction. Leaves the new gradient in a_.g and the move in a_.p; returns the
    // length of the longest move.
    double step(double g, double& next) {
        const double allowed = g - predicted_decrease_ + precision_.rounding(joint_, g);
        double move = 0.0;
        for (int attempt = 0; attempt < 3; ++attempt) {
            if (attempt == 1) scale(a_.p, Real(0.5));
            if (attempt == 2) use_unaccelerated_correction();
            move = move_by_p();
            next = evaluate_at(joint_.trial);
            if (next <= allowed) break;
            joint_.count_rejected();
        }
        joint_.x.swap(joint_.trial);
        return move;
    }

    // Line search along p from x, where the gradient is g_old. After a rejected attempt p is scaled
    // to the minimum of the parabola through g(x), its slope and the rejected value. Returns true,
    // with x moved, where g falls by the fraction sufficient_decrease of what the slope predicts.
    bool line_search(double g, int attempts, double& move, double& next) {
        const double allowed = g + precision_.rounding(joint_, g);
        double slope = joint_.sum(joint_.jobs, a_.p.size(), [&](std::size_t i) {
            return dot(widen(a_.g_old[i]), widen(a_.p[i]));
        });
        for (int attempt = 0; attempt < attempts; ++attempt) {
            move = move_by_p();
            next = evaluate_at(joint_.trial);
            if (next <= allowed + sufficient_decrease * slope) {
                joint_.x.swap(joint_.trial);
                return true;
            }
            joint_.count_rejected();
            const double factor =
                std::clamp(-slope / (2.0 * (next - g - slope)), min_step_factor, max_step_factor);
            scale(a_.p, static_cast<Real>(factor));
            slope *= factor;
        }
        return false;
    }

    // In contact: moves x by p, else by -q, the correction without the memory, else not at all.
    double contact_step(double g, double& next) {
        double move;
        if (line_search(g, 2, move, next)) return move;
        for (std::size_t i = 0; i < a_.p.size(); ++i) a_.p[i] = a_.q_old[i];
        scale(a_.p, Real(-1));
        if (!line_search(g, 4, move, next)) {
            expose_non_finite(next);
            a_.g = a_.g_old;
            next = g;
            a_.memory.forget();
            pair_is_valid_ = false;
        }
        return move;
    }

    // Called where no step lowers g. Keeps x, except where the trial is not finite: then x becomes
    // the trial, so that the caller detects the divergence.
    void expose_non_finite(double next) {
        if (!std::isfinite(next)) joint_.x.swap(joint_.trial);
    }

    // p := -Q^-1 grad g.
    void use_unaccelerated_correction() {
        std::copy(a_.q_old.begin(), a_.q_old.end(), a_.p.begin());
        if (two_level_) joint_.subtract_last_coarse(a_.p);
        joint_.zero_pinned(a_.p);
        scale(a_.p, Real(-1));
    }

    Joint& joint_;
    AcceleratedArrays<V>& a_;
    bool contacts_; // the joint has contacts
    bool two_level_;
    int iterations_;
    Precision<V> precision_;
    double g_ = 0.0;
    int iteration_ = 0;
    // pair_is_valid_: the memory may keep the last step p, which led from q_old to q with the same
    // coarse Hessian and the same precision.
    bool pair_is_valid_ = false, done_ = false;
    // The decrease of g that the unaccelerated correction guarantees: Q bounds the Hessian, so
    // g(x - Q^-1 grad g) <= g(x) - 1/2 grad g . Q^-1 grad g.
    double predicted_decrease_ = 0.0;
};

} // namespace

Status local_global(Joint& joint) {
    const bool guarded =
        joint.settings.acceleration != TWANG_ACCELERATION_NONE || joint.has_contacts();
    SolveContext& first = *joint.parts()[0].context;
    if (guarded && joint.is_float())
        Accelerated(joint, joint.accelerated<Float4>()).run();
    else if (guarded)
        Accelerated(joint, joint.accelerated<Vec3>()).run();
    else if (joint.is_float())
        iterate_unaccelerated(first, joint, first.work.float_direction);
    else
        iterate_unaccelerated(first, joint, first.work.direction);
    joint.finish();
    return TWANG_OK;
}

} // namespace twang::core
