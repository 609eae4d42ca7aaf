// The iterations of local_global.cpp for a batch: accelerated by two-level, in float, without
// contacts. A body that meets a rare case becomes inactive.
#include "solver/batch.hpp"

#include <cmath>
#include <utility>

namespace twang::core {

bool Batch::suits(const System& system, const twang_solver_def& settings) {
    return settings.solver == TWANG_SOLVER_LOCAL_GLOBAL &&
           settings.acceleration == TWANG_ACCELERATION_TWO_LEVEL && settings.tolerance == 0.0 &&
           settings.budget_ms == 0.0 && supports_batch(system.panels) && system.coarse.usable &&
           system.fine_grid.usable;
}

bool Batch::suits(const SolveContext& context) {
    const Objective& o = context.objective;
    return suits(o.system.base(), context.settings) && !context.on_iteration && !o.contacts &&
           o.system.changes() == 0 && &o.springs == &o.model && context.work.uniform_weights;
}

bool Batch::together(const SolveContext& a, const SolveContext& b) {
    return a.objective.system.shared() == b.objective.system.shared() &&
           a.settings.iterations == b.settings.iterations &&
           a.work.integrator.square() == b.work.integrator.square();
}

void Batch::fit(const System& system) {
    const std::size_t length = vertex_stride * (std::size_t(system.panels.n) + 8);
    for (AlignedArray<double>* array : {&x_, &trial_, &y_}) make_room(*array, length);
    for (AlignedArray<float>* array : {&g_, &g_old_, &q_, &q_old_}) make_room(*array, length);
    for (AlignedArray<float>& array : s_) make_room(array, length);
    for (AlignedArray<float>& array : z_) make_room(array, length);
    make_room(supernode_scratch_, batch_scratch_size(system.panels));
    coarse_.fit(system.coarse);
    coarse_.fit(system.fine_grid);
}

// One solve of a batch. Bit k of active_ is set while body k can be solved in the batch.
class BatchRun {
public:
    BatchRun(Batch& batch, std::span<SolveContext* const> contexts)
        : batch_(batch),
          contexts_(contexts),
          objective_(contexts[0]->objective),
          n_(objective_.model.vertex_count()),
          active_((1u << contexts.size()) - 1),
          ms_{},
          clock_(ms_) {
        for (std::size_t k = 0; k < contexts.size(); ++k) reports_[k] = contexts[k]->report;
    }

    unsigned operator()() {
        read();
        evaluate(x_, g_now_);
        const int last = contexts_[0]->settings.iterations - 1;
        for (int i = 0; i < last && active_; ++i) iterate(i);
        iterate_last(last);
        write();
        return active_;
    }

private:
    // Calls f(k) for each active body.
    template <class F>
    void each_active(F&& f) const {
        for (std::size_t k = 0; k < contexts_.size(); ++k)
            if (active_ >> k & 1) f(k);
    }
    void deactivate(std::size_t k) { active_ &= ~(1u << k); }
    const CoarseSystem& coarse() const {
        const System& system = objective_.system.base();
        return has_iterations_for_fine_grid(contexts_[0]->settings) ? system.fine_grid
                                                                    : system.coarse;
    }

    // Copies x and y of each body to its lane. Unused lanes repeat the first body.
    void read() {
        const Vec3 *x[batch_width], *y[batch_width];
        for (std::size_t k = 0; k < batch_width; ++k) {
            const SolveContext& context = *contexts_[k < contexts_.size() ? k : 0];
            x[k] = context.work.x.data();
            y[k] = context.objective.y;
        }
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t k = 0; k < batch_width; ++k) {
                put(x[k][i], x_ + vertex_stride * i + k);
                put(y[k][i], batch_.y_.data() + vertex_stride * i + k);
            }
    }
    static void put(Vec3 v, double* to) {
        to[0] = v.x, to[batch_width] = v.y, to[2 * batch_width] = v.z;
    }
    static Vec3 get(const double* from) {
        return {from[0], from[batch_width], from[2 * batch_width]};
    }

    // Copies x of active bodies back, restores the reports of the rest and shares out the time.
    void write() {
        for (std::size_t i = 0; i < n_; ++i)
            each_active(
                [&](std::size_t k) { contexts_[k]->work.x[i] = get(x_ + vertex_stride * i + k); });
        clock_.lap(&twang_stage_ms::accelerate);
        for (std::size_t k = 0; k < contexts_.size(); ++k) {
            SolveContext& context = *contexts_[k];
            if (!(active_ >> k & 1)) context.report = reports_[k];
            for (auto stage : {&twang_stage_ms::local_step, &twang_stage_ms::global_step,
                               &twang_stage_ms::accelerate})
                context.clock.charge(stage, ms_.*stage / contexts_.size());
            context.clock.skip();
            if (active_ >> k & 1) keep_centre(context);
        }
    }

    // Does what evaluate() of objective.hpp does, with the fast kernels.
    void evaluate(const double* x, double* g) {
        active_ &= ~batch_gather(
            {objective_.springs.gather, n_, x, batch_.y_.data(), objective_.weights}, g_, g);
        each_active([&](std::size_t k) {
            const Objective& o = contexts_[k]->objective;
            for (const std::uint32_t i : o.pins.list()) {
                const Vec3 offset = get(x + vertex_stride * i + k) - o.pins.target(i);
                const Vec3 term = o.system.pin_weights[i] * offset;
                g[k] += 0.5 * dot(offset, term);
                float* to = g_ + vertex_stride * i + k;
                const double sum[3] = {term.x, term.y, term.z};
                for (int axis = 0; axis < 3; ++axis, to += batch_width)
                    *to = o.system.eliminates(i) ? 0.0f : *to + static_cast<float>(sum[axis]);
            }
        });
        clock_.lap(&twang_stage_ms::local_step);
    }

    void prepare_coarse(int iteration) {
        if (iteration <= renewed_iterations)
            active_ &= batch_.coarse_.prepare(coarse(), x_, inertia_share(*contexts_[0]));
    }

    // Does what Accelerated::iterate_last() in local_global.cpp does.
    void iterate_last(int iteration) {
        prepare_coarse(iteration);
        batch_.coarse_.solve(coarse(), g_, p());
        alignas(32) float factor[batch_width];
        alignas(32) double square[batch_width], next[batch_width];
        std::fill_n(factor, batch_width, -1.0f);
        batch_move(n_, factor, p(), x_, trial_, square);
        clock_.lap(&twang_stage_ms::accelerate);
        evaluate(trial_, next);
        unsigned rejected = 0;
        each_active([&](std::size_t k) {
            if (next[k] <= g_now_[k] + float_rounding(*contexts_[k], g_now_[k])) return;
            rejected |= 1u << k;
            ++contexts_[k]->report.rejected_steps;
        });
        if (rejected) { // move 0 for these; the same move again for the rest
            for (int k = 0; k < batch_width; ++k) factor[k] = rejected >> k & 1 ? 0.0f : 1.0f;
            batch_move(n_, factor, p(), x_, trial_, square);
            evaluate(trial_, next);
        }
        std::swap(x_, trial_);
        std::copy_n(g_, vertex_stride * n_, q_);
        clock_.lap(&twang_stage_ms::accelerate);
        batch_solve(objective_.system.base().panels, q_, batch_.supernode_scratch_.data());
        clock_.lap(&twang_stage_ms::global_step);
        std::fill_n(factor, batch_width, -1.0f);
        batch_move(n_, factor, q_, x_, trial_, square);
        std::swap(x_, trial_);
        each_active([&](std::size_t k) {
            record(*contexts_[k], g_now_[k], std::sqrt(square[k]));
            if (!std::isfinite(next[k]) || !std::isfinite(square[k])) deactivate(k);
        });
    }

    // Does what Accelerated::iterate() in local_global.cpp does.
    void iterate(int iteration) {
        prepare_coarse(iteration);
        std::copy_n(g_, vertex_stride * n_, q_);
        clock_.lap(&twang_stage_ms::accelerate);
        batch_solve(objective_.system.base().panels, q_, batch_.supernode_scratch_.data());
        clock_.lap(&twang_stage_ms::global_step);
        double predicted_decrease[batch_width];
        batch_dot(n_, g_, q_, predicted_decrease);
        batch_.coarse_.add(coarse(), g_, q_);
        if (iteration > renewed_iterations) remember();
        for (double& value : predicted_decrease) value *= 0.5;
        step(predicted_decrease);
    }

    float* s(int i) { return batch_.s_[(first_ + i) % Mix::most].data(); }
    float* z(int i) { return batch_.z_[(first_ + i) % Mix::most].data(); }
    // The next step p is stored where the memory will keep this step. With a full memory that is
    // the place of the oldest step, whose last use is in computing p.
    float* p() { return s(memory_.count); }

    void remember() {
        if (memory_.count == Mix::most) {
            first_ = (first_ + 1) % Mix::most;
            --memory_.count;
            for (MemoryProducts& products : products_) products.drop_oldest();
        }
        alignas(32) double sums[(2 * Mix::most + 2) * batch_width];
        ++memory_.count;
        for (int i = 0; i < memory_.count; ++i) memory_.s[i] = s(i), memory_.z[i] = z(i);
        batch_products(n_, memory_, z(memory_.count - 1), g_, g_old_, q_, q_old_, sums);
        each_active([&](std::size_t k) {
            double own[2 * Mix::most + 2];
            for (int i = 0; i < 2 * memory_.count + 2; ++i) own[i] = sums[batch_width * i + k];
            if (!products_[k].learn(own)) deactivate(k);
        });
    }

    // Does what Accelerated::step() in local_global.cpp does: moves x by p where that lowers g by
    // predicted_decrease, else by p / 2, else by the unaccelerated correction.
    void step(const double* predicted_decrease) {
        Mix mixes[batch_width];
        each_active([&](std::size_t k) { mixes[k] = products_[k].lbfgs(); });
        alignas(32) double square[batch_width], next[batch_width];
        batch_combine(n_, memory_, mixes, q_, p(), x_, trial_, square);
        std::swap(g_, g_old_);
        std::swap(q_, q_old_);
        for (int attempt = 0; attempt < 3; ++attempt) {
            clock_.lap(&twang_stage_ms::accelerate);
            evaluate(trial_, next);
            unsigned rejected = 0;
            each_active([&](std::size_t k) {
                const double allowed =
                    g_now_[k] - predicted_decrease[k] + float_rounding(*contexts_[k], g_now_[k]);
                if (next[k] <= allowed) return;
                rejected |= 1u << k;
                ++contexts_[k]->report.rejected_steps;
            });
            if (!rejected || attempt == 2) break;
            retry(attempt, rejected, square);
        }
        std::swap(x_, trial_);
        each_active([&](std::size_t k) {
            record(*contexts_[k], g_now_[k], std::sqrt(square[k]));
            g_now_[k] = next[k];
            if (!std::isfinite(next[k]) || !std::isfinite(square[k])) deactivate(k);
        });
    }

    // Computes another step for rejected bodies; the steps of the rest come out unchanged.
    void retry(int attempt, unsigned rejected, double* square) {
        alignas(32) float factor[batch_width];
        for (int k = 0; k < batch_width; ++k)
            factor[k] = attempt == 0 && (rejected >> k & 1) ? 0.5f : 1.0f;
        if (attempt == 1) batch_.coarse_.unaccelerated_step(coarse(), q_old_, rejected, p());
        batch_move(n_, factor, p(), x_, trial_, square);
    }

    Batch& batch_;
    std::span<SolveContext* const> contexts_;
    const Objective& objective_; // of the first body, for what the batch shares
    std::size_t n_;
    unsigned active_;
    twang_stage_ms ms_;
    StageClock clock_;
    twang_report reports_[batch_width];
    double* x_ = batch_.x_.data();
    double* trial_ = batch_.trial_.data();
    float *g_ = batch_.g_.data(), *g_old_ = batch_.g_old_.data();
    float *q_ = batch_.q_.data(), *q_old_ = batch_.q_old_.data();
    alignas(32) double g_now_[batch_width] = {};
    MemoryProducts products_[batch_width];
    BatchLbfgs memory_;
    int first_ = 0; // the oldest step in the ring of s_ and z_
};

unsigned Batch::solve(std::span<SolveContext* const> contexts) {
    return BatchRun(*this, contexts)();
}

} // namespace twang::core
