#include "show.hpp"

#include <algorithm>
#include <chrono>

#include "scenes.hpp"

namespace twang::demo {
namespace {

constexpr int most_steps = 4;         // in one live picture
constexpr double longest_ms = 30.0;   // after which a live picture is drawn, come what may
constexpr double longest_pause = 0.1; // s: what a breakpoint or a dragged window may add

using Clock = std::chrono::steady_clock;

void note_iteration(void* user, const twang_iteration* iteration) {
    static_cast<std::vector<float>*>(user)->push_back(static_cast<float>(iteration->residual));
}

std::vector<SpringDef> springs_of(const Model& model) {
    std::vector<SpringDef> springs(model.info().springs);
    twang_model_copy_springs(model.get(), springs.data(), springs.size());
    return springs;
}

// The scene as an act stands now: its state as the start.
io::Scene frozen(const io::Scene& scene, const Act& act) {
    io::Scene now = scene;
    const Body& body = act.stage.body;
    now.positions.resize(3 * body.vertex_count());
    now.velocities.resize(3 * body.vertex_count());
    body.copy_positions(now.positions);
    body.copy_velocities(now.velocities);
    now.pins.clear();
    for (std::uint32_t i = 0; i < body.vertex_count(); ++i) {
        if (body.is_pinned(i)) now.pins.push_back(i);
    }
    return now;
}

} // namespace

io::Result<std::unique_ptr<Act>> Show::make_act(const io::Scene& scene,
                                                const SolverDef& solver) const {
    static std::uint64_t shapes = 0;
    io::Scene with_solver = scene;
    with_solver.world.solver = solver;
    if (!windy) with_solver.air = {.drag = 0.0};
    io::Result<io::Stage> stage = make_stage(with_solver);
    if (!stage) return stage.error();
    auto act = std::make_unique<Act>();
    act->stage = std::move(*stage);
    act->solver = solver;
    act->surface = make_surface(scene, act->stage.model);
    act->shape = ++shapes;
    act->springs = springs_of(act->stage.model);
    act->stage.world.set_iteration_callback(note_iteration, &act->residuals);
    const std::span<const float> now = act->stage.body.positions();
    act->before.assign(now.begin(), now.end());
    act->report = act->stage.body.report();
    return act;
}

std::optional<io::Error> Show::make_acts(const io::Scene& scene, bool both) {
    io::Result<std::unique_ptr<Act>> first = make_act(scene, scene.world.solver);
    if (!first) return first.error();
    std::vector<std::unique_ptr<Act>> acts;
    acts.push_back(std::move(*first));
    if (both) {
        io::Result<std::unique_ptr<Act>> second = make_act(scene, default_solver(TWANG_NEWTON));
        if (!second) return second.error();
        acts.push_back(std::move(*second));
        Bounds bounds;
        for (std::size_t i = 0; i + 2 < acts[0]->before.size(); i += 3) {
            bounds.include(point(&acts[0]->before[i]));
        }
        const float apart =
            0.6f * std::max(bounds.high.x - bounds.low.x, 0.6f * (bounds.high.y - bounds.low.y)) +
            0.05f;
        acts[0]->offset.x = -apart;
        acts[1]->offset.x = apart;
    }
    acts_ = std::move(acts);
    ++generation_;
    status_ = TWANG_OK;
    failure_.clear();
    return {};
}

std::optional<io::Error> Show::open(io::Scene scene) {
    const bool was_windy = windy;
    windy = scene.air.drag > 0.0 || scene.air.lift > 0.0;
    if (auto error = make_acts(scene, false)) {
        windy = was_windy;
        return error;
    }
    scene_ = std::move(scene);
    if (!windy) { // what the wind will be when it is turned on
        scene_.air.velocity = {4.0, 0.0, 2.5};
        scene_.air.drag = 1.0;
    }
    time_ = owed_ = 0;
    steps_ = 0;
    prepare(1);
    return {};
}

std::optional<io::Error> Show::reset() {
    if (auto error = make_acts(scene_, comparing())) return error;
    time_ = owed_ = 0;
    steps_ = 0;
    prepare(1);
    return {};
}

std::optional<io::Error> Show::rebuild() {
    const bool moving = std::any_of(scene_.colliders.begin(), scene_.colliders.end(),
                                    [](const auto& each) { return !each.motion.is_rest(); });
    if (moving) return reset();
    std::vector<std::unique_ptr<Act>> acts;
    for (const std::unique_ptr<Act>& old : acts_) {
        io::Result<std::unique_ptr<Act>> act = make_act(frozen(scene_, *old), old->solver);
        if (!act) return act.error();
        (*act)->offset = old->offset;
        (*act)->ms = old->ms;
        (*act)->energy = old->energy;
        acts.push_back(std::move(*act));
    }
    acts_ = std::move(acts);
    ++generation_;
    status_ = TWANG_OK;
    prepare(1);
    return {};
}

std::optional<io::Error> Show::compare(bool both) {
    if (both == comparing()) return {};
    if (auto error = make_acts(scene_, both)) return error;
    return reset();
}

void Show::apply_solver() {
    acts_[0]->solver = scene_.world.solver;
    if (acts_[0]->stage.world.set_solver(scene_.world.solver) != TWANG_OK) failure_ = last_error();
}

void Show::apply_time_step() {
    for (const auto& act : acts_) act->stage.world.set_time_step(scene_.world.time_step);
}

void Show::apply_gravity() {
    for (const auto& act : acts_) act->stage.world.set_gravity(scene_.world.gravity);
}

void Show::apply_wind() {
    for (const auto& act : acts_) {
        act->stage.world.set_air(windy ? scene_.air : AirDef{.drag = 0.0});
    }
}

Vec3 Show::collider_centre(std::size_t i) const {
    const io::SceneCollider& collider = scene_.colliders[i];
    return collider.motion.at(collider.def.centre, time_);
}

void Show::take_step() {
    for (const auto& act : acts_) {
        const std::span<const float> now = act->stage.body.positions();
        act->before.assign(now.begin(), now.end());
        act->residuals.clear();
        const Status status = act->stage.step();
        act->report = act->stage.body.report();
        act->ms.add(act->report.total_ms);
        act->energy.add(act->report.kinetic_energy + act->report.elastic_energy);
        if (status == TWANG_OK) continue;
        status_ = status;
        failure_ = last_error();
        paused = true;
    }
    time_ += scene_.world.time_step;
    ++steps_;
    ++last_steps_;
}

void Show::advance(double seconds, Pace pace) {
    last_steps_ = 0;
    if (paused) {
        prepare(1);
        return;
    }
    const double h = scene_.world.time_step;
    const Clock::time_point start = Clock::now();
    owed_ += pace == Pace::live ? std::min(seconds, longest_pause) : seconds;
    while (owed_ >= h * (1 - 1e-9) && !paused) {
        take_step();
        owed_ = std::max(owed_ - h, 0.0);
        const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
        if (pace == Pace::live && (last_steps_ == most_steps || ms > longest_ms)) {
            owed_ = std::min(owed_, h * 0.5);
        }
    }
    prepare(std::min(owed_ / h, 1.0));
}

void Show::step() {
    take_step();
    owed_ = 0;
    prepare(1);
}

void Show::prepare(double blend) {
    const auto t = static_cast<float>(blend);
    for (const auto& act : acts_) {
        const std::span<const float> now = act->stage.body.positions();
        act->seen.resize(now.size());
        for (std::size_t i = 0; i < now.size(); ++i) {
            act->seen[i] = act->before[i] + t * (now[i] - act->before[i]);
        }
        if (!act->surface.triangles.empty()) {
            smooth_normals(act->seen, act->surface.triangles, act->normals);
        }
    }
}

} // namespace twang::demo
