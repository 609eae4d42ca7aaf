#include "solver/batch.hpp"

#include <cmath>
#include <utility>

namespace twang::core {

bool SideBySide::suits(const System& system, const twang_solver_def& settings) {
    return settings.solver == TWANG_LOCAL_GLOBAL && settings.acceleration == TWANG_TWO_LEVEL &&
           settings.tolerance == 0.0 && settings.budget_ms == 0.0 &&
           suits_side_panels(system.panels) && system.coarse.usable && system.coarse_in_air.usable;
}

bool SideBySide::suits(const SolveContext& context) {
    const Objective& o = context.objective;
    return suits(o.system.base(), context.settings) && !context.on_iteration && !o.contacts &&
           o.system.changes() == 0 && &o.springs == &o.model && context.work.even_weights;
}

bool SideBySide::together(const SolveContext& a, const SolveContext& b) {
    return a.objective.system.shared() == b.objective.system.shared() &&
           a.settings.iterations == b.settings.iterations &&
           a.work.integrator.square() == b.work.integrator.square();
}

void SideBySide::fit(const System& system) {
    const std::size_t room = vertex_stride * (std::size_t(system.panels.n) + 8);
    for (AlignedArray<double>* array : {&x_, &trial_, &y_}) make_room(*array, room);
    for (AlignedArray<float>* array : {&g_, &g_old_, &q_, &q_old_}) make_room(*array, room);
    for (AlignedArray<float>& array : s_) make_room(array, room);
    for (AlignedArray<float>& array : z_) make_room(array, room);
    make_room(fresh_, side_room(system.panels));
    coarse_.fit(system.coarse);
    coarse_.fit(system.coarse_in_air);
}

// One solve.
class SideRun {
public:
    SideRun(SideBySide& room, std::span<SolveContext* const> contexts)
        : room_(room),
          contexts_(contexts),
          objective_(contexts[0]->objective),
          n_(objective_.model.vertex_count()),
          good_((1u << contexts.size()) - 1),
          ms_{},
          clock_(ms_) {
        for (std::size_t k = 0; k < contexts.size(); ++k) reports_[k] = contexts[k]->report;
    }

    unsigned operator()() {
        read();
        evaluate(x_, g_now_);
        const int last = contexts_[0]->settings.iterations - 1;
        for (int i = 0; i < last && good_; ++i) iterate(i);
        iterate_last(last);
        write();
        return good_;
    }

private:
    // Calls f(k) for the bodies with which all is well.
    template <class F>
    void each(F&& f) const {
        for (std::size_t k = 0; k < contexts_.size(); ++k)
            if (good_ >> k & 1) f(k);
    }
    void give_up(std::size_t k) { good_ &= ~(1u << k); }
    const CoarseSystem& coarse() const {
        const System& system = objective_.system.base();
        return has_iterations_for_fine_grid(contexts_[0]->settings) ? system.coarse_in_air
                                                                    : system.coarse;
    }

    // Idle lanes repeat the first body.
    void read() {
        const Vec3 *x[abreast], *y[abreast];
        for (std::size_t k = 0; k < abreast; ++k) {
            const SolveContext& context = *contexts_[k < contexts_.size() ? k : 0];
            x[k] = context.work.x.data();
            y[k] = context.objective.y;
        }
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t k = 0; k < abreast; ++k) {
                put(x[k][i], x_ + vertex_stride * i + k);
                put(y[k][i], room_.y_.data() + vertex_stride * i + k);
            }
    }
    static void put(Vec3 v, double* to) { to[0] = v.x, to[abreast] = v.y, to[2 * abreast] = v.z; }
    static Vec3 get(const double* from) { return {from[0], from[abreast], from[2 * abreast]}; }

    void write() {
        for (std::size_t i = 0; i < n_; ++i)
            each([&](std::size_t k) { contexts_[k]->work.x[i] = get(x_ + vertex_stride * i + k); });
        clock_.lap(&twang_stage_ms::accelerate);
        for (std::size_t k = 0; k < contexts_.size(); ++k) {
            SolveContext& context = *contexts_[k];
            if (!(good_ >> k & 1)) context.report = reports_[k];
            for (auto stage :
                 {&twang_stage_ms::project, &twang_stage_ms::solve, &twang_stage_ms::accelerate})
                context.clock.charge(stage, ms_.*stage / contexts_.size());
            context.clock.skip();
            if (good_ >> k & 1) keep_centre(context);
        }
    }

    // As evaluate() of objective.
    void evaluate(const double* x, double* g) {
        good_ &= ~side_gather(
            {objective_.springs.gather, n_, x, room_.y_.data(), objective_.weights}, g_, g);
        each([&](std::size_t k) {
            const Objective& o = contexts_[k]->objective;
            for (const std::uint32_t i : o.pins.list()) {
                const Vec3 off = get(x + vertex_stride * i + k) - o.pins.target(i);
                const Vec3 pull = o.system.pin_weights[i] * off;
                g[k] += 0.5 * dot(off, pull);
                float* to = g_ + vertex_stride * i + k;
                const double sum[3] = {pull.x, pull.y, pull.z};
                for (int axis = 0; axis < 3; ++axis, to += abreast)
                    *to = o.system.eliminates(i) ? 0.0f : *to + static_cast<float>(sum[axis]);
            }
        });
        clock_.lap(&twang_stage_ms::project);
    }

    void prepare_coarse(int iteration) {
        if (iteration <= unsettled_iterations)
            good_ &= room_.coarse_.prepare(coarse(), x_, inertia_share(*contexts_[0]));
    }

    // As Accelerated::iterate_last in local_global.
    void iterate_last(int iteration) {
        prepare_coarse(iteration);
        room_.coarse_.solve(coarse(), g_, p());
        alignas(32) float factor[abreast];
        alignas(32) double square[abreast], next[abreast];
        std::fill_n(factor, abreast, -1.0f);
        side_move(n_, factor, p(), x_, trial_, square);
        clock_.lap(&twang_stage_ms::accelerate);
        evaluate(trial_, next);
        unsigned rejected = 0;
        each([&](std::size_t k) {
            if (next[k] <= g_now_[k] + float_rounding(*contexts_[k], g_now_[k])) return;
            rejected |= 1u << k;
            ++contexts_[k]->report.rejected_steps;
        });
        if (rejected) { // these stay; the others come out as they were
            for (int k = 0; k < abreast; ++k) factor[k] = rejected >> k & 1 ? 0.0f : 1.0f;
            side_move(n_, factor, p(), x_, trial_, square);
            evaluate(trial_, next);
        }
        std::swap(x_, trial_);
        std::copy_n(g_, vertex_stride * n_, q_);
        clock_.lap(&twang_stage_ms::accelerate);
        side_solve(objective_.system.base().panels, q_, room_.fresh_.data());
        clock_.lap(&twang_stage_ms::solve);
        std::fill_n(factor, abreast, -1.0f);
        side_move(n_, factor, q_, x_, trial_, square);
        std::swap(x_, trial_);
        each([&](std::size_t k) {
            record(*contexts_[k], g_now_[k], std::sqrt(square[k]));
            if (!std::isfinite(next[k]) || !std::isfinite(square[k])) give_up(k);
        });
    }

    // As Accelerated in local_global.
    void iterate(int iteration) {
        prepare_coarse(iteration);
        std::copy_n(g_, vertex_stride * n_, q_);
        clock_.lap(&twang_stage_ms::accelerate);
        side_solve(objective_.system.base().panels, q_, room_.fresh_.data());
        clock_.lap(&twang_stage_ms::solve);
        double promised[abreast];
        side_dot(n_, g_, q_, promised);
        room_.coarse_.add(coarse(), g_, q_);
        if (iteration > unsettled_iterations) remember();
        for (double& value : promised) value *= 0.5;
        step(promised);
    }

    float* s(int i) { return room_.s_[(first_ + i) % Mix::most].data(); }
    float* z(int i) { return room_.z_[(first_ + i) % Mix::most].data(); }
    // The step to come lies where it will be remembered: in the place of the oldest, if need be,
    // which is used for the last time when the step is made.
    float* p() { return s(memory_.count); }

    void remember() {
        if (memory_.count == Mix::most) {
            first_ = (first_ + 1) % Mix::most;
            --memory_.count;
            for (MemoryProducts& products : products_) products.drop_oldest();
        }
        alignas(32) double sums[(2 * Mix::most + 2) * abreast];
        ++memory_.count;
        for (int i = 0; i < memory_.count; ++i) memory_.s[i] = s(i), memory_.z[i] = z(i);
        side_products(n_, memory_, z(memory_.count - 1), g_, g_old_, q_, q_old_, sums);
        each([&](std::size_t k) {
            double own[2 * Mix::most + 2];
            for (int i = 0; i < 2 * memory_.count + 2; ++i) own[i] = sums[abreast * i + k];
            if (!products_[k].learn(own)) give_up(k);
        });
    }

    // Moves x by p where that lowers g enough, else by half of p, else by the plain correction.
    void step(const double* promised) {
        Mix mixes[abreast];
        each([&](std::size_t k) { mixes[k] = products_[k].lbfgs(); });
        alignas(32) double square[abreast], next[abreast];
        side_combine(n_, memory_, mixes, q_, p(), x_, trial_, square);
        std::swap(g_, g_old_);
        std::swap(q_, q_old_);
        for (int attempt = 0; attempt < 3; ++attempt) {
            clock_.lap(&twang_stage_ms::accelerate);
            evaluate(trial_, next);
            unsigned rejected = 0;
            each([&](std::size_t k) {
                const double allowed =
                    g_now_[k] - promised[k] + float_rounding(*contexts_[k], g_now_[k]);
                if (next[k] <= allowed) return;
                rejected |= 1u << k;
                ++contexts_[k]->report.rejected_steps;
            });
            if (!rejected || attempt == 2) break;
            retry(attempt, rejected, square);
        }
        std::swap(x_, trial_);
        each([&](std::size_t k) {
            record(*contexts_[k], g_now_[k], std::sqrt(square[k]));
            g_now_[k] = next[k];
            if (!std::isfinite(next[k]) || !std::isfinite(square[k])) give_up(k);
        });
    }

    // Shorter steps for some; the others' come out as they were.
    void retry(int attempt, unsigned rejected, double* square) {
        alignas(32) float factor[abreast];
        for (int k = 0; k < abreast; ++k)
            factor[k] = attempt == 0 && (rejected >> k & 1) ? 0.5f : 1.0f;
        if (attempt == 1) room_.coarse_.take_plain(coarse(), q_old_, rejected, p());
        side_move(n_, factor, p(), x_, trial_, square);
    }

    SideBySide& room_;
    std::span<SolveContext* const> contexts_;
    const Objective& objective_; // of the first, for what they share
    std::size_t n_;
    unsigned good_;
    twang_stage_ms ms_;
    StageClock clock_;
    twang_report reports_[abreast];
    double* x_ = room_.x_.data();
    double* trial_ = room_.trial_.data();
    float *g_ = room_.g_.data(), *g_old_ = room_.g_old_.data();
    float *q_ = room_.q_.data(), *q_old_ = room_.q_old_.data();
    alignas(32) double g_now_[abreast] = {};
    MemoryProducts products_[abreast];
    SideMemory memory_;
    int first_ = 0; // of the memory's ring
};

unsigned SideBySide::solve(std::span<SolveContext* const> contexts) {
    return SideRun(*this, contexts)();
}

} // namespace twang::core
