#include "show.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

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

std::uint64_t new_shape() {
    static std::uint64_t shapes = 0;
    return ++shapes;
}

std::vector<SpringDef> springs_of(const Model& model) {
    std::vector<SpringDef> springs(model.info().springs);
    twang_model_copy_springs(model.get(), springs.data(), springs.size());
    return springs;
}

// The springs that lead to vertices without skin. Inside a solid none is seen.
std::vector<SpringDef> bare_springs(const std::vector<SpringDef>& springs, const Surface& surface,
                                    std::size_t vertices) {
    std::vector<SpringDef> bare;
    if (surface.solid) return bare;
    std::vector<bool> skinned(vertices);
    for (const std::uint32_t corner : surface.triangles) skinned[corner] = true;
    for (const SpringDef& spring : springs) {
        if (!skinned[spring.a] || !skinned[spring.b]) bare.push_back(spring);
    }
    return bare;
}

void take_pose(const Body& body, Pose& pose) {
    pose.before.swap(pose.now);
    const std::span<const float> now = body.positions();
    pose.now.assign(now.begin(), now.end());
}

void take_poses(Act& act) {
    take_pose(act.stage.body, act);
    for (std::size_t i = 0; i < act.copies.size(); ++i) {
        take_pose(act.stage.bodies[i + 1], act.copies[i]);
    }
}

void blend_pose(Pose& pose, float t, const std::vector<std::uint32_t>& triangles) {
    pose.seen.resize(pose.now.size());
    for (std::size_t i = 0; i < pose.now.size(); ++i) {
        pose.seen[i] = pose.before[i] + t * (pose.now[i] - pose.before[i]);
    }
    if (!triangles.empty()) smooth_normals(pose.seen, triangles, pose.normals);
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
    io::Scene with_solver = scene;
    with_solver.world.solver = solver;
    if (!windy) with_solver.air = {.drag = 0.0};
    io::Result<io::Stage> stage = make_stage(with_solver);
    if (!stage) return stage.error();
    auto act = std::make_unique<Act>();
    act->stage = std::move(*stage);
    act->solver = solver;
    act->surface = make_surface(scene, act->stage.model);
    act->triangles = act->surface.triangles;
    act->shape = act->whole = new_shape();
    act->springs = springs_of(act->stage.model);
    act->strings = bare_springs(act->springs, act->surface, act->stage.body.vertex_count());
    act->stage.world.set_iteration_callback(note_iteration, &act->residuals);
    act->copies.resize(act->stage.bodies.size() - 1);
    for (int twice = 0; twice < 2; ++twice) take_poses(*act); // before and now
    act->report = act->stage.world.report();
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
        const auto include = [&](const Pose& pose) {
            for (std::size_t i = 0; i + 2 < pose.before.size(); i += 3) {
                bounds.include(point(&pose.before[i]));
            }
        };
        include(*acts[0]);
        for (const Pose& copy : acts[0]->copies) include(copy);
        const float apart =
            0.7f * std::max(bounds.high.x - bounds.low.x, 0.6f * (bounds.high.y - bounds.low.y)) +
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
    time_ = 0;
    steps_ = 0;
    prepare(1);
    return {};
}

std::optional<io::Error> Show::reset() {
    settle();
    if (auto error = make_acts(scene_, comparing())) return error;
    time_ = 0;
    steps_ = 0;
    prepare(1);
    return {};
}

std::optional<io::Error> Show::rebuild() {
    const auto moves = [](const auto& each) { return !each.motion.is_rest(); };
    const bool moving = std::any_of(scene_.colliders.begin(), scene_.colliders.end(), moves) ||
                        std::any_of(scene_.moving_pins.begin(), scene_.moving_pins.end(), moves);
    if (moving || scene_.copies.total() > 1.0) return reset();
    settle();
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
    settle();
    if (auto error = make_acts(scene_, both)) return error;
    time_ = 0;
    steps_ = 0;
    prepare(1);
    return {};
}

void Show::apply_solver() {
    acts_[0]->solver = scene_.world.solver;
    if (acts_[0]->stage.world.set_solver(scene_.world.solver) != TWANG_OK) failure_ = last_error();
}

void Show::apply_time_step() {
    const double h = scene_.world.time_step;
    for (const auto& act : acts_) act->post([h](Act& a) { a.stage.world.set_time_step(h); });
}

void Show::apply_gravity() {
    const Vec3 gravity = scene_.world.gravity;
    for (const auto& act : acts_) {
        act->post([gravity](Act& a) { a.stage.world.set_gravity(gravity); });
    }
}

void Show::apply_wind() {
    const AirDef air = windy ? scene_.air : AirDef{.drag = 0.0};
    for (const auto& act : acts_) act->post([air](Act& a) { a.stage.world.set_air(air); });
}

Vec3 Show::collider_centre(std::size_t i) const {
    const io::SceneCollider& collider = scene_.colliders[i];
    return collider.motion.at(collider.def.centre, seen_time_);
}

Turn Show::collider_turn(std::size_t i) const {
    const io::SceneCollider& collider = scene_.colliders[i];
    return turn_by(collider.motion.rotation_at(collider.def.rotation, seen_time_));
}

void Act::post(std::function<void(Act&)> task) {
    if (busy()) {
        tasks.push_back(std::move(task));
    } else {
        task(*this);
    }
}

void Act::look_for_tears() {
    const std::size_t now = stage.body.broken_springs();
    if (now == broken) return;
    broken = now;
    std::vector<std::uint8_t> torn(triangles.size() / 3);
    if (stage.body.copy_torn_triangles(torn) != TWANG_OK) return;
    surface.triangles.clear();
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        if (!torn[i / 3]) surface.triangles.push_back(triangles[i]);
    }
    shape = new_shape();
}

// What a finished step leaves to be seen.
void Show::collect(Act& act, Status status) {
    take_poses(act);
    act.report = act.stage.world.report();
    act.ms.add(act.report.total_ms);
    act.energy.add(act.report.kinetic_energy + act.report.elastic_energy);
    for (const auto& task : std::exchange(act.tasks, {})) task(act);
    act.look_for_tears();
    if (status == TWANG_OK) return;
    status_ = status;
    failure_ = twang_status_text(status);
    paused = true;
}

void Show::take_step(Act& act) {
    act.residuals.clear();
    collect(act, act.stage.step());
    if (&act != acts_[0].get()) return;
    time_ += scene_.world.time_step;
    ++steps_;
    ++last_steps_;
}

// Lets an act that may be slow take its steps in the background, one at a time.
void Show::run_behind(Act& act, double seconds) {
    if (act.busy()) {
        if (act.running.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
        collect(act, act.running.get());
    }
    const double h = scene_.world.time_step;
    act.owed = std::min(act.owed + seconds, 2 * h);
    if (paused || act.owed < h * (1 - 1e-9)) return;
    act.owed -= h;
    act.residuals.clear();
    act.running = std::async(std::launch::async, [&act] { return act.stage.step(); });
}

void Show::settle() {
    for (const auto& act : acts_) {
        if (act->busy()) collect(*act, act->running.get());
    }
}

void Show::advance(double seconds, Pace pace) {
    last_steps_ = 0;
    const double h = scene_.world.time_step;
    if (pace == Pace::live) {
        seconds = std::min(seconds, longest_pause);
        for (std::size_t i = 1; i < acts_.size(); ++i) run_behind(*acts_[i], seconds);
    }
    if (paused) {
        prepare(1);
        return;
    }
    const Clock::time_point start = Clock::now();
    double& owed = acts_[0]->owed;
    owed += seconds;
    while (owed >= h * (1 - 1e-9) && !paused) {
        take_step(*acts_[0]);
        for (std::size_t i = 1; i < acts_.size() && pace == Pace::exact; ++i) take_step(*acts_[i]);
        owed = std::max(owed - h, 0.0);
        const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
        if (pace == Pace::live && (last_steps_ == most_steps || ms > longest_ms)) {
            owed = std::min(owed, h * 0.5);
        }
    }
    prepare(std::min(owed / h, 1.0));
}

void Show::step() {
    settle();
    for (const auto& act : acts_) {
        take_step(*act);
        act->owed = 0;
    }
    prepare(1);
}

void Show::prepare(double blend) {
    const auto t = static_cast<float>(blend);
    seen_time_ = std::max(time_ - (1 - blend) * scene_.world.time_step, 0.0);
    for (const auto& act : acts_) {
        const float own = act == acts_[0] ? t : 1.0f; // the slow one is behind anyway
        blend_pose(*act, own, act->surface.triangles);
        for (Pose& copy : act->copies) blend_pose(copy, own, act->triangles);
        if (act->busy()) continue;
        act->pins.clear();
        for (std::uint32_t i = 0; i < act->now.size() / 3; ++i) {
            if (act->stage.body.is_pinned(i)) act->pins.push_back(i);
        }
    }
}

} // namespace twang::demo
