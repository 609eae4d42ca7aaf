// A Joint does each operation body by body, then adds the contacts between vertices; see joint.hpp.
#include "solver/joint.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

twang_solver_def common_settings(std::span<const Joint::Part> parts) {
    twang_solver_def common = parts[0].context->settings;
    for (const Joint::Part& part : parts) {
        const twang_solver_def& own = part.context->settings;
        common.iterations = std::max(common.iterations, own.iterations);
        common.acceleration = std::max(common.acceleration, own.acceleration);
        common.tolerance = std::max(common.tolerance, own.tolerance);
    }
    return common;
}

} // namespace

void JointArrays::reserve(std::size_t places, std::size_t bodies) {
    coarse_parts.reserve(bodies);
    coarse.reserve(places, bodies);
    if (places <= x.capacity()) return;
    sum = BlockSum(places);
    trial = VertexArray<Vec3>(places);
    fast = AcceleratedArrays<Float4>(places);
    exact = AcceleratedArrays<Vec3>(places);
    x = VertexArray<Vec3>(places); // last: its capacity tells that all arrays have room
}

void JointArrays::use(std::size_t places) {
    x.use(places);
    trial.use(places);
    fast.use(places);
    exact.use(places);
}

Joint::Joint(SolveContext& context, ContactList* contacts)
    : x(context.work.x),
      trial(context.work.trial),
      sum(context.work.sum),
      jobs(context.jobs),
      clock(context.clock),
      settings(context.settings),
      single_{&context, 0},
      parts_(&single_, 1),
      contacts_(contacts),
      has_contacts_(contacts || context.objective.contacts),
      in_air_(!has_contacts_ && has_iterations_for_fine_grid(settings)) {}

Joint::Joint(std::span<const Part> parts, ContactList& contacts, JointArrays& arrays,
             Jobs& joint_jobs, StageClock& joint_clock)
    : x(arrays.x),
      trial(arrays.trial),
      sum(arrays.sum),
      jobs(joint_jobs),
      clock(joint_clock),
      settings(common_settings(parts)),
      parts_(parts),
      contacts_(&contacts),
      arrays_(&arrays),
      has_contacts_(true) {
    const Part& last = parts.back();
    arrays.use(last.first + joint_size(last.context->work.x.size()));
    arrays.coarse_parts.clear();
    each_body([&](SolveContext& context, std::size_t first) {
        std::copy(context.work.x.begin(), context.work.x.end(), x.data() + first);
        arrays.coarse_parts.push_back({&coarse_system(context), &coarse_step(context), first});
    });
}

bool Joint::is_float() const {
    return std::all_of(parts_.begin(), parts_.end(),
                       [](const Part& part) { return part.context->objective.system.is_float(); });
}

bool Joint::suits_kernels() const {
    return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) {
        return part.context->objective.system.base().suits_kernels();
    });
}

template <>
AcceleratedArrays<Float4>& Joint::accelerated() {
    return arrays_ ? arrays_->fast : single_.context->work.fast;
}
template <>
AcceleratedArrays<Vec3>& Joint::accelerated() {
    return arrays_ ? arrays_->exact : single_.context->work.exact;
}

template <class V>
ConjugateArrays<V>& Joint::conjugate() {
    constexpr bool fast = std::is_same_v<V, Float4>;
    const auto arrays_of = [](auto& owner) -> ConjugateArrays<V>& {
        if constexpr (fast)
            return owner.conjugate_fast;
        else
            return owner.conjugate_exact;
    };
    each_body([](SolveContext& context, std::size_t) {
        context.work.fit_hessians(context.objective.system.base(), fast);
    });
    ConjugateArrays<V>& arrays = arrays_ ? arrays_of(*arrays_) : arrays_of(single_.context->work);
    if (arrays.gradient.capacity() < size()) arrays = ConjugateArrays<V>(x.capacity());
    arrays.use(size());
    return arrays;
}

template <class V>
void Joint::clear_padding(VertexArray<V>& v) const {
    if (arrays_)
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            const std::size_t end = k + 1 < parts_.size() ? parts_[k + 1].first : size();
            std::fill(v.data() + parts_[k].first + parts_[k].context->work.x.size(), v.data() + end,
                      V{});
        }
}

template <class V>
double Joint::evaluate(const VertexArray<Vec3>& at, VertexArray<V>& gradient, Springs springs) {
    double g = 0.0;
    each_body([&](SolveContext& context, std::size_t first) {
        if constexpr (std::is_same_v<V, Float4>)
            g += core::evaluate(context.objective, at.data() + first, gradient.data() + first, jobs,
                                context.work.sum, springs);
        else
            g += core::evaluate(context.objective, at.data() + first, gradient.data() + first, jobs,
                                context.work.sum);
    });
    clear_padding(gradient);
    return contacts_ ? g + contacts_->add_gradient(at.data(), gradient.data()) : g;
}

double Joint::float_rounding(double g) const {
    double maximum = 0.0;
    for (const Part& part : parts_)
        maximum = std::max(maximum, core::float_rounding(*part.context, g));
    return maximum;
}

double Joint::double_rounding(double g) const {
    double maximum = 0.0;
    for (const Part& part : parts_)
        maximum = std::max(maximum, core::double_rounding(*part.context, g));
    return maximum;
}

template <class V>
void Joint::solve(VertexArray<V>& q) {
    each_body([&](SolveContext& context, std::size_t first) {
        core::solve(context.objective.system, context.work.solve, jobs, q.data() + first);
    });
    clear_padding(q);
}

template <class V>
void Joint::zero_pinned(VertexArray<V>& q) const {
    each_body([&](SolveContext& context, std::size_t first) {
        context.objective.system.zero_pinned(q.data() + first);
    });
}

template <class V>
double Joint::update_friction_limits(VertexArray<V>& gradient) {
    double change = 0.0;
    each_body([&](SolveContext& context, std::size_t first) {
        if (Contacts* own = context.objective.contacts)
            change += own->update_friction_limits(x.data() + first, gradient.data() + first);
    });
    return contacts_ ? change + contacts_->update_friction_limits(x.data(), gradient.data())
                     : change;
}

void Joint::place() {
    if (contacts_) contacts_->place(x.data());
    each_body([&](SolveContext& context, std::size_t first) {
        if (Contacts* own = context.objective.contacts) own->place(x.data() + first);
    });
}

template <class V>
void Joint::compute_hessians() {
    each_body([&](SolveContext& context, std::size_t first) {
        if constexpr (std::is_same_v<V, Float4>)
            compute_spring_hessians(context.objective, x.data() + first,
                                    context.work.hessian_slots.data(), jobs);
        else
            compute_spring_hessians(context.objective, x.data() + first, true,
                                    context.work.curve.data(), jobs);
    });
    if (contacts_) contacts_->linearise(x.data());
}

template <class V>
double Joint::hessian_times(const VertexArray<V>& p, VertexArray<V>& result) {
    double curvature = 0.0;
    each_body([&](SolveContext& context, std::size_t first) {
        if constexpr (std::is_same_v<V, Float4>)
            curvature += core::hessian_times(context.objective, context.work.hessian_slots.data(),
                                             p.data() + first, result.data() + first, jobs,
                                             context.work.sum);
        else
            core::hessian_times(context.objective, context.work.curve.data(), 0.0, p.data() + first,
                                result.data() + first, jobs);
    });
    clear_padding(result);
    if (contacts_) curvature += contacts_->add_hessian_product(p.data(), result.data());
    return std::is_same_v<V, Float4> ? curvature : product(p, result);
}

const CoarseSystem& Joint::coarse_system(const SolveContext& context) const {
    const System& system = context.objective.system.base();
    return in_air_ ? system.fine_grid : system.coarse;
}

CoarseStep& Joint::coarse_step(SolveContext& context) const {
    return in_air_ ? context.work.fine_grid : context.work.coarse;
}

template <class V>
void Joint::prepare_coarse(bool hessian) {
    if (contacts_) contacts_->linearise(x.data());
    const std::span<const CoarseConstraint> between =
        contacts_ ? contacts_->constraints() : std::span<const CoarseConstraint>{};
    for (const Part& part : parts_) {
        SolveContext& context = *part.context;
        Contacts* own = context.objective.contacts;
        const CoarseSystem& system = coarse_system(context);
        CoarseStep& step = coarse_step(context);
        if (own) own->linearise(x.data() + part.first);
        step.make_room(system, std::is_same_v<V, Float4>);
        step.constrain(own ? own->constraints() : std::span<const CoarseConstraint>{},
                       arrays_ ? std::span<const CoarseConstraint>{} : between);
        const Vec3* at = hessian ? x.data() + part.first : nullptr;
        if (arrays_)
            step.assemble<V>(system, at, inertia_share(context), jobs);
        else
            step.prepare<V>(system, at, inertia_share(context), jobs);
    }
    if (arrays_) arrays_->coarse.prepare<V>(arrays_->coarse_parts, between);
}

template <class V>
void Joint::restrict_coarse(const VertexArray<V>& g) {
    each_body([&](SolveContext& context, std::size_t first) {
        coarse_step(context).restrict(coarse_system(context), g.data() + first, jobs);
    });
    arrays_->coarse.solve<V>();
}

template <class V>
void Joint::add_coarse(const VertexArray<V>& g, VertexArray<V>& q) {
    if (arrays_) restrict_coarse(g);
    each_body([&](SolveContext& context, std::size_t first) {
        const CoarseSystem& system = coarse_system(context);
        if (arrays_)
            coarse_step(context).finish_add(system, q.data() + first, jobs);
        else
            coarse_step(context).add(system, g.data() + first, q.data() + first, jobs);
    });
}

template <class V>
void Joint::solve_coarse(const VertexArray<V>& g, VertexArray<V>& q) {
    if (arrays_) restrict_coarse(g);
    each_body([&](SolveContext& context, std::size_t first) {
        const CoarseSystem& system = coarse_system(context);
        if (arrays_)
            coarse_step(context).finish_solve(system, q.data() + first, jobs);
        else
            coarse_step(context).solve(system, g.data() + first, q.data() + first, jobs);
    });
    clear_padding(q);
}

template <class V>
void Joint::subtract_last_coarse(VertexArray<V>& q) const {
    each_body([&](SolveContext& context, std::size_t first) {
        coarse_step(context).subtract_last(coarse_system(context), q.data() + first, jobs);
    });
}

bool Joint::record(double g, double move) {
    bool converged = true, over_budget = false;
    each_body([&](SolveContext& context, std::size_t) {
        const bool last = core::record(context, g, move);
        converged = converged && context.report.converged;
        over_budget = over_budget || (last && !context.report.converged);
    });
    return converged || over_budget;
}

void Joint::count_rejected() {
    each_body([](SolveContext& context, std::size_t) { ++context.report.rejected_steps; });
}

void Joint::count_inner_iteration() {
    each_body([](SolveContext& context, std::size_t) { ++context.report.inner_iterations; });
}

void Joint::finish() {
    if (!arrays_) return keep_centre(*single_.context);
    each_body([&](SolveContext& context, std::size_t first) {
        std::copy_n(x.data() + first, context.work.x.size(), context.work.x.data());
        keep_centre(context);
    });
}

template double Joint::evaluate(const VertexArray<Vec3>&, VertexArray<Float4>&, Springs);
template double Joint::evaluate(const VertexArray<Vec3>&, VertexArray<Vec3>&, Springs);
template void Joint::solve(VertexArray<Float4>&);
template void Joint::solve(VertexArray<Vec3>&);
template void Joint::zero_pinned(VertexArray<Float4>&) const;
template void Joint::zero_pinned(VertexArray<Vec3>&) const;
template double Joint::update_friction_limits(VertexArray<Float4>&);
template double Joint::update_friction_limits(VertexArray<Vec3>&);
template void Joint::compute_hessians<Float4>();
template void Joint::compute_hessians<Vec3>();
template double Joint::hessian_times(const VertexArray<Float4>&, VertexArray<Float4>&);
template double Joint::hessian_times(const VertexArray<Vec3>&, VertexArray<Vec3>&);
template void Joint::prepare_coarse<Float4>(bool);
template void Joint::prepare_coarse<Vec3>(bool);
template void Joint::add_coarse(const VertexArray<Float4>&, VertexArray<Float4>&);
template void Joint::add_coarse(const VertexArray<Vec3>&, VertexArray<Vec3>&);
template void Joint::solve_coarse(const VertexArray<Float4>&, VertexArray<Float4>&);
template void Joint::solve_coarse(const VertexArray<Vec3>&, VertexArray<Vec3>&);
template void Joint::subtract_last_coarse(VertexArray<Float4>&) const;
template void Joint::subtract_last_coarse(VertexArray<Vec3>&) const;
template ConjugateArrays<Float4>& Joint::conjugate();
template ConjugateArrays<Vec3>& Joint::conjugate();

} // namespace twang::core
