// The paper's loop (Liu et al. 2013, section 4) in correction form: x := x - Q^-1 grad g(x). With
// the gradient gathered from the projected directions this is the textbook iteration at the same
// cost, but a resting body stays bitwise still and the precision of L does not limit the answer.
// Accelerated, the same corrections are mixed into better steps, under a safeguard. In contact they
// keep to what the obstacles allow, see contacts.hpp.
#include <algorithm>
#include <cmath>

#include "solving.hpp"

namespace twang::core {

namespace {

template <class V>
void plain(SolveContext& context, VertexArray<V>& correction) {
    Workspace& work = context.work;
    Precision<V> precision;
    for (int iteration = 0; iteration < context.settings.iterations; ++iteration) {
        const double g = precision.evaluate(context, work.x, correction);
        context.clock.lap(&twang_stage_ms::project);
        solve(context.objective.system, work.solve, context.jobs, correction.data());
        context.clock.lap(&twang_stage_ms::solve);
        const double move =
            std::sqrt(work.sum.largest(context.jobs, work.x.size(), [&](std::size_t i) {
                const Vec3 step = widen(correction[i]);
                work.x[i] -= step;
                return dot(step, step);
            }));
        const bool done = record(context, g, move);
        context.clock.lap(&twang_stage_ms::accelerate);
        if (done) break;
        precision.sharpen(context, move);
    }
}

// In contact: of the fall that the gradient predicts, and of a step that went too far.
constexpr double fair_share = 1e-4, shortest = 0.02;
// Of g, which in contact may not creep up unseen: friction keeps what it is led to.
constexpr double least_rise = 1e-9;
// Of the contacts: what was learnt holds until so many have begun or ceased to touch or stick.
constexpr double many = 0.3;

template <class V>
class Accelerated {
public:
    Accelerated(SolveContext& context, AcceleratedArrays<V>& arrays)
        : context_(context),
          work_(context.work),
          a_(arrays),
          objective_(context.objective),
          contacts_(context.contacts),
          two_level_(context.settings.acceleration == TWANG_TWO_LEVEL) {}

    void run() {
        g_ = evaluate_at(work_.x);
        a_.memory.forget();
        while (!done_ && iteration_ < context_.settings.iterations)
            if (!contacts_ && is_last())
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
    const CoarseSystem& coarse() const { return objective_.system.base().coarse; }

    bool is_last() const { return iteration_ + 1 == context_.settings.iterations; }
    // A single iteration in contact is a plain one, for what iterate_last says.
    bool adds_coarse() const {
        return two_level_ && !(contacts_ && context_.settings.iterations == 1);
    }

    void iterate() {
        const bool changed = contacts_ && judge();
        if (stuck_ && !changed) {
            done_ = true;
            return;
        }
        if (adds_coarse() && (iteration_ == 0 || changed)) bar();
        if (adds_coarse() && (changed || iteration_ <= unsettled_iterations)) prepare_coarse();
        std::copy(a_.g.begin(), a_.g.end(), a_.q.begin());
        context_.clock.lap(&twang_stage_ms::accelerate);
        solve(objective_.system, work_.solve, context_.jobs, a_.q.data());
        context_.clock.lap(&twang_stage_ms::solve);
        correct();
        if (settled_)
            a_.memory.remember(flat(a_.p), flat(a_.g), flat(a_.g_old), flat(a_.q), flat(a_.q_old),
                               context_.jobs);
        settled_ = !two_level_ || iteration_ >= unsettled_iterations;
        const Mix mix = a_.memory.mix(context_.settings.acceleration, flat(a_.q), context_.jobs);
        a_.memory.combine(mix, flat(a_.q), flat(a_.p), context_.jobs);
        a_.g.swap(a_.g_old);
        a_.q.swap(a_.q_old);
        double next = 0.0;
        const double move = contacts_ ? contact_step(g_, next) : step(g_, next);
        done_ = record(context_, g_, move);
        g_ = next;
        ++iteration_;
        context_.clock.lap(&twang_stage_ms::accelerate);
        if (!done_ && precision_.sharpen(context_, move)) {
            g_ = evaluate_at(work_.x);
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
    // asked for again and the cost is the same.
    void iterate_last() {
        const double g = g_;
        if (two_level_) {
            if (iteration_ == 0) bar();
            if (iteration_ <= unsettled_iterations) prepare_coarse();
            work_.coarse.solve(objective_.model, coarse(), a_.g.data(), a_.p.data(), context_.jobs);
            objective_.system.keep_held(a_.p.data());
            scale(a_.p, Real(-1));
            move_by_p();
            a_.g.swap(a_.g_old);
            const double next = evaluate_at(work_.trial);
            if (next <= g + precision_.rounding(context_, g)) {
                work_.x.swap(work_.trial);
            } else {
                ++context_.report.rejected_steps;
                a_.g.swap(a_.g_old);
            }
        }
        std::copy(a_.g.begin(), a_.g.end(), a_.p.begin());
        context_.clock.lap(&twang_stage_ms::accelerate);
        solve(objective_.system, work_.solve, context_.jobs, a_.p.data());
        context_.clock.lap(&twang_stage_ms::solve);
        objective_.system.keep_held(a_.p.data());
        scale(a_.p, Real(-1));
        const double move = move_by_p();
        work_.x.swap(work_.trial);
        done_ = record(context_, g, move);
        ++iteration_;
    }

    // trial = x + p; returns the longest move.
    double move_by_p() {
        const double square = work_.sum.largest(context_.jobs, work_.x.size(), [&](std::size_t i) {
            const Vec3 move = widen(a_.p[i]);
            work_.trial[i] = work_.x[i] + move;
            return dot(move, move);
        });
        context_.clock.lap(&twang_stage_ms::accelerate);
        return std::sqrt(square);
    }

    void prepare_coarse() {
        work_.coarse.prepare<V>(coarse(), work_.x.data(), inertia_share(context_), context_.jobs);
    }

    double evaluate_at(const VertexArray<Vec3>& x) {
        const double g = precision_.evaluate(context_, x, a_.g);
        context_.clock.lap(&twang_stage_ms::project);
        return g;
    }

    // Which contacts touch, stick and slide, and what they bear of the gradient. True when some
    // have changed.
    bool judge() {
        const bool first = iteration_ == 0;
        if (first) contacts_->guess(work_.x);
        const std::size_t changes = first ? 0 : contacts_->judge(work_.x, a_.g);
        contacts_->bear(work_.x, a_.g);
        if (static_cast<double>(changes) > many * static_cast<double>(contacts_->touching())) {
            a_.memory.forget();
            settled_ = false;
        }
        context_.clock.lap(&twang_stage_ms::collide);
        return changes > 0;
    }

    void bar() {
        const auto bars = contacts_ ? contacts_->bars() : std::span<const CoarseBar>{};
        work_.coarse.bar<V>(objective_.model, coarse(), bars);
    }

    // Adds to q = Q^-1 g the coarse correction, and makes it keep to contacts.
    void correct() {
        if (!contacts_)
            promised_ = 0.5 * work_.sum(context_.jobs, a_.q.size(), [&](std::size_t i) {
                return dot(widen(a_.g[i]), widen(a_.q[i]));
            });
        if (adds_coarse())
            work_.coarse.add(objective_.model, coarse(), a_.g.data(), a_.q.data(), context_.jobs);
        objective_.system.keep_held(a_.q.data());
        if (!contacts_) return;
        context_.clock.lap(&twang_stage_ms::accelerate);
        contacts_->hold(work_.x, a_.q);
        context_.clock.lap(&twang_stage_ms::collide);
    }

    // Moves x by p where that lowers g by what the plain correction is sure to lower it, else by
    // half of p, else by the plain correction. Leaves the new gradient and the move in p; returns
    // the longest.
    double step(double g, double& next) {
        const double allowed = g - promised_ + precision_.rounding(context_, g);
        double move = 0.0;
        for (int attempt = 0; attempt < 3; ++attempt) {
            if (attempt == 1) scale(a_.p, Real(0.5));
            if (attempt == 2) take_plain();
            move = move_by_p();
            next = evaluate_at(work_.trial);
            if (next <= allowed) break;
            ++context_.report.rejected_steps;
        }
        work_.x.swap(work_.trial);
        return move;
    }

    // The same in contact, where even the plain correction promises nothing. Each is shortened, if
    // need be, to the lowest point of the parabola through what is known, the plain one twice.
    // Where all fail x stays, and what is returned is how far the last would have gone.
    double contact_step(double g, double& next) {
        double square = 0.0, slope = 0.0, rise = 0.0;
        stuck_ = false;
        for (int attempt = 0; attempt < 5; ++attempt) {
            if (attempt == 2) take_plain_in_contact();
            if (attempt == 0 || attempt == 2) {
                contacts_->snap(work_.x, a_.p);
                slope = work_.sum(context_.jobs, a_.p.size(), [&](std::size_t i) {
                    return dot(widen(a_.g_old[i]), widen(a_.p[i]));
                });
            } else {
                const double lowest = -slope / (2.0 * (rise - slope));
                const double factor = std::clamp(lowest, shortest, 0.7);
                scale(a_.p, static_cast<Real>(factor));
                slope *= factor;
            }
            for (std::size_t i = 0; i < work_.x.size(); ++i)
                work_.trial[i] = work_.x[i] + widen(a_.p[i]);
            contacts_->clamp(work_.trial);
            context_.clock.lap(&twang_stage_ms::collide);
            square = work_.sum.largest(context_.jobs, work_.x.size(), [&](std::size_t i) {
                const Vec3 move = work_.trial[i] - work_.x[i];
                return dot(move, move);
            });
            context_.clock.lap(&twang_stage_ms::accelerate);
            next = evaluate_at(work_.trial);
            rise = next - g + contacts_->work(work_.x, work_.trial);
            if (rise <= fair_share * slope + least_rise * std::abs(g)) {
                work_.x.swap(work_.trial);
                return std::sqrt(square);
            }
            ++context_.report.rejected_steps;
        }
        if (!std::isfinite(rise)) work_.x.swap(work_.trial); // for the step to see
        next = g;
        stuck_ = true;
        return std::sqrt(square);
    }

    void take_plain() {
        std::copy(a_.q_old.begin(), a_.q_old.end(), a_.p.begin());
        if (two_level_)
            work_.coarse.take_back(objective_.model, coarse(), a_.p.data(), context_.jobs);
        objective_.system.keep_held(a_.p.data());
        scale(a_.p, Real(-1));
    }

    // The coarse correction cannot be taken back once contacts have changed it.
    void take_plain_in_contact() {
        std::copy(a_.g_old.begin(), a_.g_old.end(), a_.p.begin());
        solve(objective_.system, work_.solve, context_.jobs, a_.p.data());
        objective_.system.keep_held(a_.p.data());
        contacts_->hold(work_.x, a_.p);
        scale(a_.p, Real(-1));
    }

    SolveContext& context_;
    Workspace& work_;
    AcceleratedArrays<V>& a_;
    const Objective& objective_;
    Contacts* contacts_; // null: none
    bool two_level_;
    Precision<V> precision_;
    double g_ = 0.0;
    int iteration_ = 0;
    bool settled_ = false, done_ = false, stuck_ = false;
    // Q bounds the Hessian, so g(x - Q^-1 grad) <= g(x) - 1/2 grad . Q^-1 grad.
    double promised_ = 0.0;
};

} // namespace

Status local_global(SolveContext& context) {
    Workspace& work = context.work;
    const bool is_float = context.objective.system.is_float();
    const bool guarded = context.settings.acceleration != TWANG_PLAIN || context.contacts;
    if (guarded && is_float)
        Accelerated(context, work.fast).run();
    else if (guarded)
        Accelerated(context, work.exact).run();
    else if (is_float)
        plain(context, work.float_direction);
    else
        plain(context, work.direction);
    keep_centre(context);
    return TWANG_OK;
}

} // namespace twang::core
