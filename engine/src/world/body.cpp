#include "world/body.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

Body::Body(std::shared_ptr<const Model> shared, twang_energy spring_energy)
    : model(std::move(shared)),
      energy(spring_energy),
      settings{},
      pins(model->vertex_count()),
      x(model->rest_positions),
      v(model->vertex_count()),
      history(model->vertex_count()),
      before(x),
      pin_reactions(model->vertex_count()),
      user_forces(model->vertex_count()),
      work(model->vertex_count()),
      air(model->triangles.size() / 3),
      float_positions(3 * model->vertex_count()),
      float_velocities(3 * model->vertex_count()) {
    report.enabled = 1;
}

BodySprings& body_springs(Body& body) {
    if (!body.own_springs) {
        prepare_tears(*body.model, body.torn);
        body.own_springs = std::make_unique<BodySprings>(*body.model);
    }
    return *body.own_springs;
}

std::uint32_t GrabSlots::add(const Grab& grab) {
    std::uint32_t index = 0;
    while (index < slots.size() && slots[index].in_use) ++index;
    if (index == slots.size()) slots.emplace_back();
    ++slots[index].generation;
    slots[index].max_generation = std::max(slots[index].max_generation, slots[index].generation);
    slots[index].in_use = true;
    slots[index].grab = grab;
    slots[index].from = grab.target;
    return index;
}

std::size_t GrabSlots::used() const {
    std::size_t count = 0; // slots are used in order
    while (count < slots.size() && slots[count].generation > 0) ++count;
    return count;
}

std::vector<Grab> GrabSlots::list() const {
    std::vector<Grab> grabs;
    for (const Slot& slot : slots)
        if (slot.in_use) grabs.push_back(slot.grab);
    return grabs;
}

Status check_solver(const twang_solver_def& settings, twang_energy energy) {
    if (settings.solver < TWANG_SOLVER_LOCAL_GLOBAL || settings.solver > TWANG_SOLVER_STATIC)
        return fail(TWANG_INVALID_ARGUMENT, "solver %d", static_cast<int>(settings.solver));
    if (settings.acceleration < TWANG_ACCELERATION_NONE ||
        settings.acceleration > TWANG_ACCELERATION_TWO_LEVEL)
        return fail(TWANG_INVALID_ARGUMENT, "acceleration %d",
                    static_cast<int>(settings.acceleration));
    if (settings.iterations < 1)
        return fail(TWANG_OUT_OF_RANGE, "%d iterations; at least 1 is needed", settings.iterations);
    if (!std::isfinite(settings.tolerance))
        return fail(TWANG_NOT_FINITE, "tolerance is %g", settings.tolerance);
    if (settings.tolerance < 0.0)
        return fail(TWANG_OUT_OF_RANGE, "tolerance is %g; it must be at least 0",
                    settings.tolerance);
    if (!std::isfinite(settings.budget_ms))
        return fail(TWANG_NOT_FINITE, "budget is %g ms", settings.budget_ms);
    if (settings.budget_ms < 0.0)
        return fail(TWANG_OUT_OF_RANGE, "budget is %g ms; it must be at least 0",
                    settings.budget_ms);
    if (settings.integrator != TWANG_IMPLICIT_EULER && settings.integrator != TWANG_BDF2)
        return fail(TWANG_INVALID_ARGUMENT, "integrator %d", static_cast<int>(settings.integrator));
    if (!std::isfinite(settings.numerical_damping))
        return fail(TWANG_NOT_FINITE, "numerical damping is %g", settings.numerical_damping);
    if (settings.numerical_damping < 0.0 || settings.numerical_damping > 1.0)
        return fail(TWANG_OUT_OF_RANGE, "numerical damping is %g; it must be from 0 to 1",
                    settings.numerical_damping);
    if (settings.solver == TWANG_SOLVER_LOCAL_GLOBAL && energy != TWANG_HOOKE)
        return fail(TWANG_UNSUPPORTED,
                    "local-global needs the hooke energy: stvk has no local "
                    "step with a constant Q");
    return TWANG_OK;
}

bool same(const twang_solver_def& a, const twang_solver_def& b) {
    return a.solver == b.solver && a.iterations == b.iterations && a.tolerance == b.tolerance &&
           a.acceleration == b.acceleration && a.budget_ms == b.budget_ms &&
           a.integrator == b.integrator && a.numerical_damping == b.numerical_damping;
}

Status set_solver(Body& body, const twang_solver_def& settings) {
    if (const Status s = check_solver(settings, body.energy); s != TWANG_OK) return s;
    if (const Status s = body.work.prepare(*body.model, settings.solver); s != TWANG_OK) return s;
    body.settings = settings;
    body.refit = true;
    return TWANG_OK;
}

void show(Body& body) {
    const std::vector<std::uint32_t>& to_user = body.model->to_user;
    for (std::size_t i = 0; i < to_user.size(); ++i) {
        const std::size_t at = 3 * std::size_t{to_user[i]};
        body.float_positions[at] = static_cast<float>(body.x[i].x);
        body.float_positions[at + 1] = static_cast<float>(body.x[i].y);
        body.float_positions[at + 2] = static_cast<float>(body.x[i].z);
        body.float_velocities[at] = static_cast<float>(body.v[i].x);
        body.float_velocities[at + 1] = static_cast<float>(body.v[i].y);
        body.float_velocities[at + 2] = static_cast<float>(body.v[i].z);
    }
}

void publish(Body& body) {
    body.before = body.x;
    body.history.forget();
    std::fill(body.pin_reactions.begin(), body.pin_reactions.end(), Vec3{});
    show(body);
    wake(body);
}

void wake(Body& body) {
    body.sleep.wake();
    body.report.asleep = 0;
}

void stop_motion(Body& body) {
    std::fill(body.v.begin(), body.v.end(), Vec3{});
    body.before = body.x;
    body.history.forget();
    show(body);
    body.report.asleep = 1;
}

Status teleport(Body& body, const Rotation& turn, Vec3 pivot, Vec3 move) {
    const auto moved = [&](Vec3 p) { return pivot + turn(p - pivot) + move; };
    for (std::uint32_t i = 0; i < body.x.size(); ++i)
        if (!fits_float(moved(body.x[i])) || !fits_float(moved(body.before[i])) ||
            !fits_float(turn(body.v[i])) || !finite(turn(body.pin_reactions[i])) ||
            (body.pins.will_hold(i) && !fits_float(moved(body.pins.next_target(i)))))
            return fail(TWANG_OUT_OF_RANGE, "vertex %u would end up infinitely far away for float",
                        body.model->to_user[i]);
    for (const GrabSlots::Slot& slot : body.grabs.slots)
        if (slot.in_use && !fits_float(moved(slot.grab.target)))
            return fail(TWANG_OUT_OF_RANGE,
                        "the target of a grab would end up infinitely far away for float");
    for (std::uint32_t i = 0; i < body.x.size(); ++i) {
        body.x[i] = moved(body.x[i]);
        body.before[i] = moved(body.before[i]);
        body.v[i] = turn(body.v[i]);
        body.history.displacement[i] = turn(body.history.displacement[i]);
        body.history.velocity[i] = turn(body.history.velocity[i]);
        body.history.contact[i].against = turn(body.history.contact[i].against);
        body.pin_reactions[i] = turn(body.pin_reactions[i]);
        if (body.pins.will_hold(i))
            body.pins.assign(i, body.pins.holds(i), moved(body.pins.target(i)), true,
                             moved(body.pins.next_target(i)));
    }
    for (PointForce& point : body.history.points) point.force.against = turn(point.force.against);
    for (GrabSlots::Slot& slot : body.grabs.slots)
        if (slot.in_use) {
            slot.grab.target = moved(slot.grab.target);
            slot.from = moved(slot.from);
        }
    show(body);
    wake(body);
    return TWANG_OK;
}

void reset(Body& body) {
    if (body.own_springs)
        body.own_springs->restore_all(); // first, because this may run out of memory
    body.x = body.start_x;
    body.v = body.start_v;
    for (std::uint32_t i = 0; i < body.x.size(); ++i) {
        body.pins.assign(i, body.pins.holds(i), body.x[i], body.start_held[i], body.x[i]);
        body.user_forces[i] = {};
    }
    body.has_user_forces = false;
    body.own.gas = 1.0;
    for (GrabSlots::Slot& slot : body.grabs.slots) slot.in_use = false;
    body.changed = true;
    body.pending.reset();
    if (body.own_springs) {
        recount_triangles(*body.model, *body.own_springs, body.torn);
        body.wants_system = false;
        body.wants_start_system = true;
    }
    if (body.report.status != TWANG_OK) body.stale = true;
    body.report = {};
    body.report.enabled = 1;
    publish(body);
}

void copy_out(const Model& model, const VertexArray<Vec3>& from, double* xyz) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        double* to = xyz + 3 * std::size_t{model.to_user[i]};
        to[0] = from[i].x, to[1] = from[i].y, to[2] = from[i].z;
    }
}

Status copy_in(const Model& model, const char* what, const double* xyz, VertexArray<Vec3>& to) {
    for (std::size_t i = 0; i < 3 * model.vertex_count(); ++i)
        if (!std::isfinite(xyz[i]))
            return fail(TWANG_NOT_FINITE, "%s of vertex %zu is %g", what, i / 3, xyz[i]);
    for (std::size_t i = 0; i < model.vertex_count(); ++i)
        if (const double* p = xyz + 3 * i; !fits_float({p[0], p[1], p[2]}))
            return fail(TWANG_OUT_OF_RANGE, "%s of vertex %zu is (%g, %g, %g), too large for float",
                        what, i, p[0], p[1], p[2]);
    for (std::size_t i = 0; i < model.vertex_count(); ++i) {
        const double* from = xyz + 3 * std::size_t{model.to_user[i]};
        to[i] = Vec3{from[0], from[1], from[2]} + Vec3{}; // turns -0 into 0
    }
    return TWANG_OK;
}

double kinetic_energy(const Body& body) {
    double sum = 0.0;
    for (std::size_t i = 0; i < body.v.size(); ++i)
        sum += 0.5 * body.model->masses[i] * dot(body.v[i], body.v[i]);
    return sum;
}

double elastic_energy(const Body& body) {
    double sum = 0.0;
    for (const Spring& s : body.springs().springs)
        sum += spring_energy(body.energy, s.stiffness, s.rest_length, body.x[s.a] - body.x[s.b]);
    return sum;
}

std::uint64_t state_hash(const Body& body) {
    std::uint64_t hash = 0;
    for (const auto* state : {&body.x, &body.v, &body.history.displacement, &body.history.velocity})
        for (const std::uint32_t inner : body.model->to_inner)
            hash = hash_doubles(hash, &(*state)[inner].x, 3);
    const auto add = [&](std::uint32_t where, const ContactForce& c) {
        const double numbers[] = {static_cast<double>(where),
                                  c.normal,
                                  c.against.x,
                                  c.against.y,
                                  c.against.z,
                                  c.share,
                                  double(c.slides)};
        if (c.normal > 0.0) hash = hash_doubles(hash, numbers, std::size(numbers));
    };
    for (std::size_t i = 0; i < body.x.size(); ++i)
        add(body.model->to_user[i], body.history.contact[i]);
    for (const PointForce& point : body.history.points) add(point.element, point.force);
    return hash;
}

twang_measures measure(const Body& body) {
    const Model& model = *body.model;
    twang_measures m{};
    m.kinetic_energy = kinetic_energy(body);
    m.elastic_energy = elastic_energy(body);
    std::size_t counted = 0;
    for (std::size_t k = 0; k < model.springs.size(); ++k) {
        const Spring& s = body.springs().springs[k];
        const bool broken = body.own_springs && body.own_springs->is_broken(k);
        if (broken || s.kind != TWANG_STRUCTURAL || s.rest_length == 0.0) continue;
        const double stretch = std::abs(length(body.x[s.a] - body.x[s.b]) / s.rest_length - 1.0);
        m.max_stretch = std::max(m.max_stretch, stretch);
        m.mean_stretch += stretch;
        ++counted;
    }
    if (counted > 0) m.mean_stretch /= static_cast<double>(counted);
    for (std::size_t i = 0; i < body.x.size(); ++i) {
        m.mean_speed += length(body.v[i]);
        m.centre += model.masses[i] * body.x[i];
        m.momentum += model.masses[i] * body.v[i];
    }
    m.mean_speed /= static_cast<double>(body.x.size());
    m.centre = (1.0 / model.total_mass) * m.centre;
    m.state_hash = state_hash(body);
    return m;
}

} // namespace twang::core
