#include "step.hpp"

#include <cmath>

#include "reaction.hpp"

namespace twang::core {

namespace {

// y = x + h v + h^2 f/m, and where the solver starts: at x + h v, held vertices on their targets.
// The one-step solvers are linearised about the old positions.
void predict(const Frame& frame, Body& body) {
    const double h = frame.time_step;
    const twang_solver solver = body.settings.solver;
    const bool from_x =
        solver == TWANG_LINEAR || solver == TWANG_SYMPLECTIC || solver == TWANG_STATIC;
    const bool pins_move_first = solver != TWANG_SYMPLECTIC;
    Workspace& work = body.work;
    frame.jobs.ranges(body.x.size(), 512, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Vec3 carried = body.x[i] + h * body.v[i];
            work.y[i] = carried + (h * h / body.model->masses[i]) * work.forces[i];
            work.weights[i] = body.model->masses[i] / (h * h);
            work.x[i] = from_x ? body.x[i] : carried;
            if (body.pins.holds(i) && (!from_x || body.system.eliminates(i)) && pins_move_first)
                work.x[i] = body.pins.target(i);
        }
    });
}

// For the solvers that iterate; the others meet obstacles at the end of the step only.
void find_contacts(const Frame& frame, Body& body, const Touch& touch) {
    const twang_solver solver = body.settings.solver;
    body.work.contacts.clear();
    if (frame.obstacles.empty() ||
        (solver != TWANG_LOCAL_GLOBAL && solver != TWANG_NEWTON && solver != TWANG_NEWTON_CG))
        return;
    body.work.fit_contacts(body.system.base(), body.settings);
    body.work.contacts.find(touch, body.work.x);
}

Status run_solver(SolveContext& context) {
    switch (context.settings.solver) {
    case TWANG_LOCAL_GLOBAL: return local_global(context);
    case TWANG_NEWTON: return newton(context);
    case TWANG_NEWTON_CG: return newton_cg(context);
    case TWANG_LINEAR: return linear_implicit(context);
    case TWANG_SYMPLECTIC: return explicit_euler(context);
    case TWANG_STATIC: return statics(context);
    }
    return fail(TWANG_INTERNAL, "solver %d", static_cast<int>(context.settings.solver));
}

// exp(-x) for x >= 0 in plain arithmetic: the C library's differs in its last bit between machines.
double decay(double x) {
    const int halvings = x > 0.5 ? std::max(0, std::ilogb(x) + 2) : 0;
    if (halvings > 12) return 0.0;
    const double r = std::ldexp(x, -halvings);
    double sum = 1.0; // Taylor's series by Horner, to 1e-17 for r <= 1/2
    for (int k = 14; k > 0; --k) sum = 1.0 - r / k * sum;
    for (int k = 0; k < halvings; ++k) sum *= sum;
    return sum;
}

// What the pins had to push with, in the mean over the substeps. Symplectic Euler has stretched its
// springs at the start of the step, the other solvers at their solution.
void note_holding(const Frame& frame, const SolveContext& context, Body& body) {
    if (frame.substep == 0)
        for (const std::uint32_t i : body.pins.list()) body.holding[i] = {};
    const Vec3* x = body.work.x.data();
    add_reactions(context.objective, x, body.settings.solver == TWANG_SYMPLECTIC ? context.x_n : x,
                  1.0 / frame.substeps, body.holding.data());
}

// New velocities, and the new state in place of the old one if all of it is finite.
Status commit(const Frame& frame, Body& body) {
    const bool is_static = body.settings.solver == TWANG_STATIC;
    const double scale = is_static ? 0.0 : decay(frame.damping * frame.time_step) / frame.time_step;
    Workspace& work = body.work;
    VertexArray<Vec3>& velocity = work.direction; // free by now
    for (std::size_t i = 0; i < work.x.size(); ++i) velocity[i] = scale * (work.x[i] - body.x[i]);
    work.contacts.calm(frame.time_step, velocity);
    for (std::size_t i = 0; i < work.x.size(); ++i) {
        if (!finite(work.x[i]) || !finite(velocity[i]))
            return fail(TWANG_DIVERGED, "vertex %u is no longer finite", body.model->to_user[i]);
    }
    body.x.swap(work.x);
    body.v.swap(velocity);
    if (frame.substep == 0) body.before.swap(work.x);
    show(body);
    return TWANG_OK;
}

Status run(const Frame& frame, twang_body handle, Body& body) {
    StageClock clock(body.report.ms);
    const double h = frame.time_step;
    const bool is_static = body.settings.solver == TWANG_STATIC;
    Workspace& work = body.work;

    const Status admitted = admit(frame, body);
    clock.lap(&twang_stage_ms::admit);
    if (admitted != TWANG_OK) return admitted;

    push(*body.model, frame.surroundings, body.own, body.x.data(), body.v.data(),
         body.has_user_forces ? body.user_forces.data() : nullptr, work.forces.data(), frame.jobs);
    penalise(frame.obstacles, {body.x.data(), body.x.size()}, work.forces.data());
    clock.lap(&twang_stage_ms::push);

    predict(frame, body);
    clock.lap(&twang_stage_ms::predict);

    const Touch touch{*body.model,   body.springs(), body.system,         frame.obstacles,
                      body.x.data(), work.y.data(),  work.weights.data(), body.pins.held().data(),
                      work.solve,    frame.jobs};
    find_contacts(frame, body, touch);
    clock.lap(&twang_stage_ms::collide);

    const Objective objective{*body.model,        body.springs(),
                              body.system,        body.pins,
                              body.energy,        is_static ? 0.0 : 1.0 / (h * h),
                              work.y.data(),      is_static ? work.forces.data() : nullptr,
                              work.weights.data()};
    SolveContext context{objective,
                         body.settings,
                         h,
                         body.x.data(),
                         body.v.data(),
                         frame.jobs,
                         frame.on_iteration,
                         frame.user,
                         handle,
                         work,
                         work.contacts.empty() ? nullptr : &work.contacts,
                         clock,
                         body.report};
    if (const Status s = run_solver(context); s != TWANG_OK) return s; // project, solve, accelerate

    note_holding(frame, context, body);
    body.strain_limit.apply(*body.model, body.own_springs.get(), body.pins.held().data(), work.x,
                            frame.jobs);
    collide(frame.obstacles, {work.x.data(), work.x.size()}, body.x.data(), body.pins.held().data(),
            frame.jobs);
    body.report.contacts = static_cast<std::int32_t>(work.contacts.touching());
    body.report.max_penetration =
        deepest(frame.obstacles, {work.x.data(), work.x.size()}, body.pins.held().data());
    clock.lap(&twang_stage_ms::collide);

    if (body.torn.limit > 0.0 &&
        tear_stretched(*body.model, work.x.data(), frame.jobs, live_springs(body), body.torn) > 0)
        body.wants_system = true;
    const Status committed = commit(frame, body);
    clock.lap(&twang_stage_ms::commit);
    return committed;
}

// What substeps have in sum.
void add_to(twang_report& report, const twang_report& before) {
    report.iterations += before.iterations;
    report.inner_iterations += before.inner_iterations;
    report.rejected_steps += before.rejected_steps;
    report.projected_systems += before.projected_systems;
    report.converged &= before.converged;
    report.total_ms += before.total_ms;
    for (auto stage :
         {&twang_stage_ms::admit, &twang_stage_ms::push, &twang_stage_ms::predict,
          &twang_stage_ms::project, &twang_stage_ms::solve, &twang_stage_ms::accelerate,
          &twang_stage_ms::collide, &twang_stage_ms::commit})
        report.ms.*stage += before.ms.*stage;
}

} // namespace

Status step(const Frame& frame, twang_body handle, Body& body) {
    const auto begin = std::chrono::steady_clock::now();
    const twang_report last = body.report;
    const bool first_substep = frame.substep == 0,
               last_substep = frame.substep + 1 == frame.substeps;
    body.report = {};
    body.report.steps = last.steps;
    Status status;
    try {
        status = run(frame, handle, body);
    } catch (const std::bad_alloc&) {
        status = fail(TWANG_OUT_OF_MEMORY, "not enough memory for a step");
    } catch (const std::exception& e) { // thrown by the caller's callback
        status = fail(TWANG_INTERNAL, "%s", e.what());
    } catch (...) {
        status = fail(TWANG_INTERNAL, "unknown exception");
    }
    // Short of memory, the body waits as it is: the next step tries again.
    const bool waits = status == TWANG_OUT_OF_MEMORY;
    if (body.has_user_forces && !waits && (last_substep || status != TWANG_OK)) {
        std::fill(body.user_forces.begin(), body.user_forces.end(), Vec3{});
        body.has_user_forces = false;
    }
    body.report.status = status;
    body.report.enabled = status == TWANG_OK || waits;
    body.report.steps += status == TWANG_OK && last_substep;
    body.report.total_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    if (!first_substep) add_to(body.report, last);
    return status;
}

} // namespace twang::core
