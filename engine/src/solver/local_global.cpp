// The paper's loop (Liu et al. 2013, section 4) in correction form: x := x - Q^-1 grad g(x). With
// the gradient gathered from the projected directions this is the textbook iteration at the same
// cost, but a resting body stays bitwise still and the precision of L does not limit the answer.
// Accelerated, the same corrections are mixed into better steps, under a safeguard. Contact adds
// its potentials to g, and to the Hessian of the coarse correction, see contacts.hpp.
#include <algorithm>
#include <cmath>

#include "solver/joint.hpp"

namespace twang::core {

namespace {

// Of one body.
template <class V>
void plain(SolveContext& context, Joint& joint, VertexArray<V>& correction) {
    Precision<V> precision;
    for (int iteration = 0; iteration < joint.settings.iterations; ++iteration) {
        const double g = precision.evaluate(joint, joint.x, correction);
        joint.clock.lap(&twang_stage_ms::project);
        solve(context.objective.system, context.work.solve, joint.jobs, correction.data());
        joint.clock.lap(&twang_stage_ms::solve);
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

// In contact, where the plain correction promises nothing: the share of the predicted fall of g
// that a step must bring, and how far it is shortened at once.
constexpr double fair_share = 1e-4, shortest = 0.02, longest_cut = 0.7;

// After a single iteration a cloth that has met a collider is thrown back by springs that were left
// stretched.
constexpr int fewest_in_contact = 2;

template <class V>
class Accelerated {
public:
    Accelerated(Joint& joint, AcceleratedArrays<V>& arrays)
        : joint_(joint),
          a_(arrays),
          contacts_(joint.has_contacts()),
          two_level_(joint.settings.acceleration == TWANG_TWO_LEVEL),
          iterations_(contacts_ ? std::max(fewest_in_contact, joint.settings.iterations)
                                : joint.settings.iterations) {}

    void run() {
        g_ = evaluate_at(joint_.x);
        if (contacts_) meet_colliders();
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
    // Without it as an acceleration, the coarse correction carries what Q does not know of.
    bool adds_coarse() const { return two_level_ || contacts_; }

    // Puts what inertia carries into colliders in front of them, and takes the body along: Newton's
    // step in the coarse unknowns comes first. Vertices put there alone stretch springs by more
    // than few iterations can relax, and what is left throws a cloth back into the air.
    void meet_colliders() {
        joint_.prepare_coarse<V>(two_level_);
        coarse_step();
        joint_.place();
        g_ = evaluate_at(joint_.x);
    }
    // The coarse Hessian of meet_colliders serves the first iteration.
    bool renews_coarse() const {
        return adds_coarse() && iteration_ <= unsettled_iterations &&
               !(contacts_ && iteration_ == 0);
    }

    void iterate() {
        if (contacts_) update_contacts();
        if (renews_coarse()) joint_.prepare_coarse<V>(two_level_);
        std::copy(a_.g.begin(), a_.g.end(), a_.q.begin());
        joint_.clock.lap(&twang_stage_ms::accelerate);
        joint_.solve(a_.q);
        joint_.clock.lap(&twang_stage_ms::solve);
        correct();
        if (settled_)
            a_.memory.remember(flat(a_.p), flat(a_.g), flat(a_.g_old), flat(a_.q), flat(a_.q_old),
                               joint_.jobs);
        settled_ = !two_level_ || iteration_ >= unsettled_iterations;
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
            settled_ = false;
        }
    }

    // The last iteration of a step: the coarse correction first, then the plain one. With H in the
    // place of g that takes the error e = x - x* to (I - Q^-1 H)(I - C) e, C the projection to
    // coarse fields that is orthogonal in H: its eigenvalues are 0 ... 1, so that no field goes
    // beyond x*. What iterations leave undone then only makes springs softer, see integrator.hpp.
    // The sum of the two corrections, as in iterate(), goes too far in some fields; with BDF2 a
    // cloth exploded with one iteration of that. The plain correction always lowers g, so g is not
    // asked for again and the cost is the same. In contact it may overshoot, and is shortened.
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
        joint_.clock.lap(&twang_stage_ms::solve);
        joint_.keep_held(a_.p);
        scale(a_.p, Real(-1));
        double move = 0.0;
        if (contacts_) {
            a_.g.swap(a_.g_old);
            double next;
            if (!descend(g_, 3, move, next)) keep_x(next);
        } else {
            move = move_by_p();
            joint_.x.swap(joint_.trial);
        }
        done_ = joint_.record(g, move);
        ++iteration_;
    }

    // Newton's step in the coarse unknowns alone, where it lowers g.
    void coarse_step() {
        joint_.solve_coarse(a_.g, a_.p);
        joint_.keep_held(a_.p);
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

    // trial = x + p; returns the longest move.
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
        joint_.clock.lap(&twang_stage_ms::project);
        return g;
    }

    void update_contacts() {
        g_ += joint_.update_friction_limits(a_.g);
        joint_.clock.lap(&twang_stage_ms::collide);
    }

    // Adds to q = Q^-1 g the coarse correction.
    void correct() {
        if (!contacts_)
            promised_ = 0.5 * joint_.sum(joint_.jobs, a_.q.size(), [&](std::size_t i) {
                return dot(widen(a_.g[i]), widen(a_.q[i]));
            });
        if (adds_coarse()) joint_.add_coarse(a_.g, a_.q);
        joint_.keep_held(a_.q);
    }

    // Moves x by p where that lowers g by what the plain correction is sure to lower it, else by
    // half of p, else by the plain correction. Leaves the new gradient and the move in p; returns
    // the longest.
    double step(double g, double& next) {
        const double allowed = g - promised_ + precision_.rounding(joint_, g);
        double move = 0.0;
        for (int attempt = 0; attempt < 3; ++attempt) {
            if (attempt == 1) scale(a_.p, Real(0.5));
            if (attempt == 2) take_plain();
            move = move_by_p();
            next = evaluate_at(joint_.trial);
            if (next <= allowed) break;
            joint_.count_rejected();
        }
        joint_.x.swap(joint_.trial);
        return move;
    }

    // Moves x by p, or by what a parabola through what is known of g shortens it to, in so many
    // attempts; g_old is the gradient. True where g falls by a fair share of what its slope
    // promises.
    bool descend(double g, int attempts, double& move, double& next) {
        const double allowed = g + precision_.rounding(joint_, g);
        double slope = joint_.sum(joint_.jobs, a_.p.size(), [&](std::size_t i) {
            return dot(widen(a_.g_old[i]), widen(a_.p[i]));
        });
        for (int attempt = 0; attempt < attempts; ++attempt) {
            move = move_by_p();
            next = evaluate_at(joint_.trial);
            if (next <= allowed + fair_share * slope) {
                joint_.x.swap(joint_.trial);
                return true;
            }
            joint_.count_rejected();
            const double factor =
                std::clamp(-slope / (2.0 * (next - g - slope)), shortest, longest_cut);
            scale(a_.p, static_cast<Real>(factor));
            slope *= factor;
        }
        return false;
    }

    // In contact: by p, else by the correction without the memory, else not at all.
    double contact_step(double g, double& next) {
        double move;
        if (descend(g, 2, move, next)) return move;
        for (std::size_t i = 0; i < a_.p.size(); ++i) a_.p[i] = a_.q_old[i];
        scale(a_.p, Real(-1));
        if (!descend(g, 4, move, next)) {
            keep_x(next);
            a_.g = a_.g_old;
            next = g;
            a_.memory.forget();
            settled_ = false;
        }
        return move;
    }

    // Where no step lowers g. What is no longer finite is for the step to see.
    void keep_x(double next) {
        if (!std::isfinite(next)) joint_.x.swap(joint_.trial);
    }

    void take_plain() {
        std::copy(a_.q_old.begin(), a_.q_old.end(), a_.p.begin());
        if (two_level_) joint_.take_back_coarse(a_.p);
        joint_.keep_held(a_.p);
        scale(a_.p, Real(-1));
    }

    Joint& joint_;
    AcceleratedArrays<V>& a_;
    bool contacts_; // there are some
    bool two_level_;
    int iterations_;
    Precision<V> precision_;
    double g_ = 0.0;
    int iteration_ = 0;
    bool settled_ = false, done_ = false;
    // Q bounds the Hessian, so g(x - Q^-1 grad) <= g(x) - 1/2 grad . Q^-1 grad.
    double promised_ = 0.0;
};

} // namespace

Status local_global(Joint& joint) {
    const bool guarded = joint.settings.acceleration != TWANG_PLAIN || joint.has_contacts();
    SolveContext& first = *joint.parts()[0].context;
    if (guarded && joint.is_float())
        Accelerated(joint, joint.accelerated<Float4>()).run();
    else if (guarded)
        Accelerated(joint, joint.accelerated<Vec3>()).run();
    else if (joint.is_float())
        plain(first, joint, first.work.float_direction);
    else
        plain(first, joint, first.work.direction);
    joint.finish();
    return TWANG_OK;
}

} // namespace twang::core
