#include "world/step.hpp"

#include <cmath>
#include <cstdio>
#include <utility>

#include "solver/reactions.hpp"

namespace twang::core {

namespace {

// Whether the solver minimises the objective, see BodyStep::minimises.
bool minimises(twang_solver solver) {
    return solver == TWANG_SOLVER_LOCAL_GLOBAL || solver == TWANG_SOLVER_NEWTON ||
           solver == TWANG_SOLVER_NEWTON_CG;
}

// With fewer iterations BDF2 does not take back what a collider has done to the velocities: one
// iteration stretches a cape 3 times as far as implicit Euler does.
constexpr int min_iterations_of_bdf2_in_contact = 3;

bool touches_collider(const Body& body) {
    const auto& contact = body.history.contact;
    return std::any_of(contact.begin(), contact.end(), [](auto& c) { return c.normal > 0.0; });
}

// The integrator of this substep. BDF2 needs a last step of the same length, in which no body
// touched this one, and in contact a few iterations; its coefficient a is limited to that of the
// factor.
Integrator integrator_of(const Frame& frame, const Body& body) {
    const double h = frame.time_step;
    const twang_solver_def& settings = body.settings;
    Integrator integrator{0.0, h, exp_minus(frame.damping * h)};
    if (settings.solver == TWANG_SOLVER_STATIC) integrator.decay = 0.0;
    if (minimises(settings.solver) && body.history.time_step == h && !body.history.touched &&
        (settings.iterations >= min_iterations_of_bdf2_in_contact || !touches_collider(body)))
        integrator.a = std::min(a_of(wanted_integrator(frame, body), settings.numerical_damping),
                                largest_a(body.system.base().key.integrator));
    return integrator;
}

// Motion of the vertices in the step before, which decides between static and kinetic friction.
PreviousMotion previous_motion(const Body& body) {
    return {body.x.data(), body.history.displacement.data(), body.work.integrator.h};
}

// The integrator at one vertex: implicit Euler if the vertex touched a collider in the step before,
// because BDF2 would continue the sudden change of velocity. If another body touched this one,
// integrator_of gives implicit Euler to all vertices: with different integrators inside a body its
// internal forces would not cancel.
Integrator integrator_at(const Body& body, std::size_t i) {
    Integrator integrator = body.work.integrator;
    if (body.history.contact[i].normal > 0.0) integrator.a = 0.0;
    return integrator;
}

// The inertial target y without its force term.
Vec3 coasting_position(const Body& body, std::size_t i) {
    return body.x[i] + integrator_at(body, i).coast(body.history.displacement[i], body.v[i],
                                                    body.history.velocity[i]);
}

// Sets the start of the solve. Solvers that minimise start from where inertia takes the body; the
// one-step solvers are linearised about the positions x. Pinned vertices start at their targets,
// except with symplectic Euler, and except penalty pins with the other one-step solvers.
void place_start(Body& body, Jobs& jobs) {
    const twang_solver solver = body.settings.solver;
    const bool from_x = !minimises(solver), pins_move_first = solver != TWANG_SOLVER_SYMPLECTIC;
    Workspace& work = body.work;
    jobs.ranges(body.x.size(), 512, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            work.x[i] = from_x ? body.x[i] : coasting_position(body, i);
            if (body.pins.holds(i) && (!from_x || body.system.eliminates(i)) && pins_move_first)
                work.x[i] = body.pins.target(i);
        }
    });
}

// External forces on the vertices. Air forces taken at the start of a step are one step late, which
// drives oscillations. Implicit Euler damps them; for BDF2 the air is evaluated where inertia takes
// the body.
void find_external_forces(const Frame& frame, Body& body, Jobs& jobs) {
    Workspace& work = body.work;
    const Integrator& integrator = work.integrator;
    const Vec3 *x = body.x.data(), *v = body.v.data();
    if (integrator.a > 0.0) {
        x = work.x.data();
        v = work.gradient.data(); // unused until the solver runs
        for (std::size_t i = 0; i < body.x.size(); ++i)
            work.gradient[i] =
                integrator_at(body, i).coasting_velocity(body.v[i], body.history.velocity[i]);
    }
    push({*body.model, x, v, body.has_user_forces ? body.user_forces.data() : nullptr,
          body.own_springs ? body.torn.triangles.data() : nullptr,
          body.settings.solver == TWANG_SOLVER_STATIC ? 0.0 : integrator.gamma_h()},
         frame.surroundings, body.own, body.air.data(), work.forces.data(), jobs);
    penalise(frame.obstacles, {x, body.x.size()}, work.forces.data());
}

// The inertial target y and the weights of inertia w = m / (gamma h)^2.
void predict(Body& body, Jobs& jobs) {
    Workspace& work = body.work;
    work.uniform_weights = work.integrator.a == 0.0 || !touches_collider(body);
    jobs.ranges(body.x.size(), 512, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const double mass = body.model->masses[i], square = integrator_at(body, i).square();
            work.y[i] = coasting_position(body, i) + (square / mass) * work.forces[i];
            work.weights[i] = mass / square;
        }
    });
}

bool meets_obstacles(const Frame& frame, const Body& body) {
    return !frame.obstacles.empty() && minimises(body.settings.solver);
}

// Whether a collider has contacts with edges and triangles too, not only with vertices.
bool meets_points(const Frame& frame, const Body& body) {
    return meets_obstacles(frame, body) &&
           std::any_of(frame.obstacles.begin(), frame.obstacles.end(),
                       [](const Obstacle& o) { return o.def.between_vertices != 0; });
}

void find_contacts(const Frame& frame, Body& body, const Contacts::Input& input) {
    body.work.contacts.clear();
    if (meets_obstacles(frame, body) ||
        (body.vertex_radius > 0.0 && minimises(body.settings.solver)))
        body.work.fit_contacts(body.system.base(), body.settings, meets_points(frame, body));
    if (!meets_obstacles(frame, body)) return;
    body.work.contacts.find(input, body.work.x);
}

Status run_solver(SolveContext& context) {
    Joint joint(context);
    switch (context.settings.solver) {
    case TWANG_SOLVER_LOCAL_GLOBAL: return local_global(joint);
    case TWANG_SOLVER_NEWTON: return newton(context);
    case TWANG_SOLVER_NEWTON_CG: return newton_cg(joint);
    case TWANG_SOLVER_LINEAR: return linear_implicit(context);
    case TWANG_SOLVER_SYMPLECTIC: return explicit_euler(context);
    case TWANG_SOLVER_STATIC: return statics(context);
    }
    return fail(TWANG_INTERNAL, "solver %d", static_cast<int>(context.settings.solver));
}

// Lets gas out through torn triangles. The time constant need not depend on the size of the hole: a
// pressure of some hundred pascals falls to that of the air around when a few thousandths of the
// gas are gone.
void leak_gas(const Frame& frame, Body& body) {
    constexpr double time_constant = 0.02; // s, to 1/e
    constexpr double min_gas = 1e-4;       // share of the gas; less counts as none
    if (!body.torn.has_hole || body.own.gas == 0.0) return;
    body.own.gas *= exp_minus(frame.time_step / time_constant);
    if (body.own.gas < min_gas) body.own.gas = 0.0;
}

// Adds the pin reactions of this substep to their mean over the step. Symplectic Euler evaluates
// its springs at the start of the step, the other solvers at their solution.
void store_pin_reactions(const Frame& frame, const SolveContext& context, Body& body) {
    if (frame.substep == 0)
        for (const std::uint32_t i : body.pins.list()) body.pin_reactions[i] = {};
    const Vec3* x = body.work.x.data();
    add_reactions(context.objective, body.work.contacts, context.touched, x,
                  body.settings.solver == TWANG_SOLVER_SYMPLECTIC ? context.x_n : x,
                  1.0 / frame.substeps, body.pin_reactions.data());
}

// Computes the new velocities and replaces the state, if all of it is finite. For a vertex that has
// just met a collider, and for a body touched by others, the velocity is the move over the time
// step, see integrator_at.
Status commit(const Frame& frame, Body& body) {
    Workspace& work = body.work;
    History& history = body.history;
    VertexArray<Vec3>& velocity = work.direction; // unused after the solve
    for (std::size_t i = 0; i < work.x.size(); ++i) {
        const Vec3 move = work.x[i] - body.x[i];
        velocity[i] =
            integrator_at(body, i).velocity(move, history.touched ? move : history.displacement[i]);
    }
    work.contacts.for_each_touched([&](std::size_t i) {
        const Vec3 move = work.x[i] - body.x[i];
        velocity[i] = integrator_at(body, i).velocity(move, move);
    });
    work.contacts.limit_separation_velocity(frame.time_step, velocity.data());
    for (std::size_t i = 0; i < work.x.size(); ++i) {
        if (!fits_float(work.x[i]) || !fits_float(velocity[i]))
            return fail(TWANG_DIVERGED, "vertex %u is no longer finite in float",
                        body.model->to_user[i]);
    }
    for (const std::uint32_t i : body.pins.list())
        if (!finite(body.pin_reactions[i]))
            return fail(TWANG_DIVERGED, "the force on the pin of vertex %u is no longer finite",
                        body.model->to_user[i]);
    history.time_step = frame.time_step;
    for (std::size_t i = 0; i < work.x.size(); ++i) {
        history.displacement[i] = work.x[i] - body.x[i];
        history.velocity[i] = work.integrator.decay * body.v[i];
    }
    work.contacts.store(history);
    if (body.settings.solver == TWANG_SOLVER_STATIC) history.forget();
    body.x.swap(work.x);
    body.v.swap(velocity);
    if (frame.substep == 0) body.before.swap(work.x);
    show(body);
    return TWANG_OK;
}

// Adds the numbers of a report that are sums over substeps.
void add_to(twang_report& report, const twang_report& before) {
    report.iterations += before.iterations;
    report.inner_iterations += before.inner_iterations;
    report.rejected_steps += before.rejected_steps;
    report.projected_systems += before.projected_systems;
    report.converged &= before.converged;
    report.total_ms += before.total_ms;
    for (auto stage : all_stages) report.ms.*stage += before.ms.*stage;
}

} // namespace

const Vec3* start_of(const Frame& frame, const Body& body) {
    return (frame.substep == 0 ? body.before : body.work.x).data(); // see commit
}

void BodyStep::apply_changes() {
    body_.report = {};
    body_.report.enabled = last_.enabled; // for a step that fails
    body_.report.steps = last_.steps;
    clock_.emplace(body_.report.ms);
    guard([&] { return core::apply_changes(frame_, body_); });
    if (status_ == TWANG_OK) clock_->lap(&twang_stage_ms::apply_changes);
}

void BodyStep::begin(Jobs& jobs) {
    if (std::exchange(jobs_, &jobs)) return;
    guard([&] {
        const double h = frame_.time_step;
        const bool is_static = body_.settings.solver == TWANG_SOLVER_STATIC;
        Workspace& work = body_.work;
        clock_->skip();
        work.integrator = integrator_of(frame_, body_);
        body_.history.touched = false;
        if (body_.history.time_step == 0.0) body_.history.begin(body_.v, frame_.time_step);
        place_start(body_, jobs);
        clock_->lap(&twang_stage_ms::predict);
        find_external_forces(frame_, body_, jobs);
        clock_->lap(&twang_stage_ms::external_forces);
        predict(body_, jobs);
        clock_->lap(&twang_stage_ms::predict);

        const bool has_points = meets_points(frame_, body_);
        if (has_points) body_.history.points.reserve(body_.x.size());
        contacts_input_.emplace(Contacts::Input{
            body_.springs(), work.weights.data(), jobs, frame_.obstacles, previous_motion(body_),
            work.y.data(), body_.history.contact.data(), body_.pins.held().data(),
            body_.model->size, body_.model->groups, has_points ? body_.model.get() : nullptr,
            body_.history.points, body_.own_springs.get(), body_.torn.triangles.data()});
        find_contacts(frame_, body_, *contacts_input_);
        clock_->lap(&twang_stage_ms::contact);

        objective_.emplace(Objective{
            *body_.model, body_.springs(), body_.system, body_.pins, body_.energy, work.y.data(),
            is_static ? work.forces.data() : nullptr, is_static ? nullptr : work.weights.data(),
            work.contacts.empty() ? nullptr : &work.contacts});
        Components* components = nullptr;
        if (body_.own_springs && body_.own_springs->broken_count() > 0) {
            components = &body_.torn.components;
            components->find(*body_.model, *body_.own_springs);
        }
        context_.emplace(SolveContext{*objective_, body_.settings, h, body_.x.data(),
                                      body_.v.data(), jobs, frame_.on_iteration, frame_.user,
                                      handle_, work, components, *clock_, body_.report});
        return Status{TWANG_OK};
    });
}

void BodyStep::solve() {
    if (!std::exchange(solved_, true)) run();
}

void BodyStep::run() {
    guard([&] {
        clock_->skip();
        return run_solver(*context_);
    });
}

bool BodyStep::minimises() const { return core::minimises(body_.settings.solver); }

bool BodyStep::find_missed() {
    bool missed = false;
    if (meets_obstacles(frame_, body_))
        guard([&] {
            clock_->skip();
            missed = body_.work.contacts.find_missed(body_.work.x);
            clock_->lap(&twang_stage_ms::contact);
            return Status{TWANG_OK};
        });
    return missed;
}

void BodyStep::restart() {
    guard([&] {
        Workspace& work = body_.work;
        place_start(body_, *jobs_);
        work.contacts.start();
        objective_->contacts = work.contacts.empty() ? nullptr : &work.contacts;
        return Status{TWANG_OK};
    });
}

void BodyStep::clamp_missed() {
    if (find_missed()) body_.work.contacts.clamp(body_.work.x.data());
}

void BodyStep::solve_missed() {
    if (!find_missed()) return;
    restart();
    run();
    clamp_missed();
}

void BodyStep::finish() {
    guard([&] {
        Workspace& work = body_.work;
        const char* held = body_.pins.held().data();
        clock_->skip();
        work.contacts.settle(work.x.data(), body_.model->size);
        body_.strain_limit.apply(*body_.model, body_.own_springs.get(), held, work.x, *jobs_);
        store_pin_reactions(frame_, *context_, body_);
        const double share = minimises() ? min_thickness_fraction : 1.0;
        collide(frame_.obstacles, share, {work.x.data(), work.x.size()}, previous_motion(body_),
                held, body_.model->groups, *jobs_);
        body_.report.contacts = static_cast<std::int32_t>(work.contacts.touching());
        body_.report.max_penetration =
            deepest(frame_.obstacles, {work.x.data(), work.x.size()}, held, body_.model->groups);
        clock_->lap(&twang_stage_ms::contact);

        if (body_.torn.limit > 0.0 && tear_stretched(*body_.model, work.x.data(), *jobs_,
                                                     body_springs(body_), body_.torn) > 0)
            body_.wants_system = true;
        const Status committed = commit(frame_, body_);
        if (committed == TWANG_OK)
            leak_gas(frame_, body_);
        else // those of the failed step may not be finite
            std::fill(body_.pin_reactions.begin(), body_.pin_reactions.end(), Vec3{});
        clock_->lap(&twang_stage_ms::commit);
        return committed;
    });
    if (status_ == TWANG_OK) end();
}

// Completes the report and drops used forces, whether the step succeeded or failed.
void BodyStep::end() {
    const bool last_substep = frame_.substep + 1 == frame_.substeps;
    // Out of memory, the body keeps its state and stays enabled: the next step tries again.
    const bool waits = status_ == TWANG_OUT_OF_MEMORY;
    if (body_.has_user_forces && !waits && (last_substep || status_ != TWANG_OK)) {
        std::fill(body_.user_forces.begin(), body_.user_forces.end(), Vec3{});
        body_.has_user_forces = false;
    }
    twang_report& report = body_.report;
    if (status_ != TWANG_OK) std::snprintf(body_.reason, sizeof body_.reason, "%s", last_error());
    report.status = status_;
    report.enabled = status_ == TWANG_OK || waits;
    report.steps += status_ == TWANG_OK && last_substep;
    for (auto stage : all_stages) report.total_ms += report.ms.*stage;
    if (frame_.substep > 0) add_to(report, last_);
}

} // namespace twang::core
