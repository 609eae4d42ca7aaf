#include "simulation/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/scenes.hpp"

namespace twang::demo {
namespace {

constexpr int max_steps = 4;         // per picture, with Pace::live
constexpr double max_step_ms = 30.0; // with Pace::live, no further step begins in this picture
constexpr double max_elapsed = 0.1;  // s per picture with Pace::live; a breakpoint or a dragged
                                     // window would add much more

using Clock = std::chrono::steady_clock;

void record_residual(void* user, const twang_iteration* iteration) {
    static_cast<std::vector<float>*>(user)->push_back(static_cast<float>(iteration->residual));
}

std::uint64_t new_shape_id() {
    static std::uint64_t shapes = 0;
    return ++shapes;
}

std::vector<SpringDef> springs_of(const Model& model) {
    std::vector<SpringDef> springs(model.info().springs);
    twang_model_copy_springs(model.get(), springs.data(), springs.size());
    return springs;
}

// Returns the indices of the springs with an end vertex that belongs to no triangle; none for a
// solid, whose springs are hidden inside.
std::vector<std::uint32_t> springs_without_triangles(const std::vector<SpringDef>& springs,
                                                     const Surface& surface, std::size_t vertices) {
    std::vector<std::uint32_t> bare;
    if (surface.solid) return bare;
    std::vector<bool> has_triangle(vertices);
    for (const std::uint32_t corner : surface.triangles) has_triangle[corner] = true;
    for (std::uint32_t i = 0; i < springs.size(); ++i) {
        if (!has_triangle[springs[i].a] || !has_triangle[springs[i].b]) bare.push_back(i);
    }
    return bare;
}

// Moves `now` to `before` and copies the body's positions to `now`.
void update_pose(const Body& body, Pose& pose) {
    pose.before.swap(pose.now);
    const std::span<const float> now = body.positions();
    pose.now.assign(now.begin(), now.end());
}

// Returns whether springs have broken since the last call.
bool update_broken_springs(const Body& body, std::size_t springs, Pose& pose) {
    const std::size_t now = body.broken_springs();
    if (now == pose.broken) return false;
    pose.broken = now;
    pose.broken_springs.resize(springs);
    body.copy_broken_springs(pose.broken_springs);
    return true;
}

void update_poses(Run& run) {
    update_pose(run.stage.body, run);
    for (std::size_t i = 0; i < run.copies.size(); ++i) {
        update_pose(run.stage.bodies[i + 1], run.copies[i]);
    }
}

// Interpolates `seen`, from `before` at t = 0 to `now` at t = 1.
void interpolate_pose(Pose& pose, float t, const std::vector<std::uint32_t>& triangles) {
    pose.seen.resize(pose.now.size());
    for (std::size_t i = 0; i < pose.now.size(); ++i) {
        pose.seen[i] = pose.before[i] + t * (pose.now[i] - pose.before[i]);
    }
    if (!triangles.empty()) smooth_normals(pose.seen, triangles, pose.normals);
}

// Returns the scene with the run's current positions, velocities and pins as its initial state.
io::Scene with_current_state(const io::Scene& scene, const Run& run) {
    io::Scene now = scene;
    const Body& body = run.stage.body;
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

io::Result<std::unique_ptr<Run>> Simulation::make_run(const io::Scene& scene,
                                                      const SolverDef& solver) const {
    io::Scene with_solver = scene;
    with_solver.world.solver = solver;
    if (!windy) with_solver.air = {.drag = 0.0};
    io::Result<io::Stage> stage = make_stage(with_solver);
    if (!stage) return stage.error();
    auto run = std::make_unique<Run>();
    run->stage = std::move(*stage);
    run->solver = solver;
    run->surface = make_surface(scene, run->stage.model);
    run->triangles = run->surface.triangles;
    run->shape = run->whole_shape = new_shape_id();
    run->springs = springs_of(run->stage.model);
    run->bare_springs =
        springs_without_triangles(run->springs, run->surface, run->stage.body.vertex_count());
    run->stage.world.set_iteration_callback(record_residual, &run->residuals);
    run->copies.resize(run->stage.bodies.size() - 1);
    for (int twice = 0; twice < 2; ++twice) update_poses(*run); // fills `before` and `now`
    run->report = run->stage.world.report();
    return run;
}

std::optional<io::Error> Simulation::make_runs(const io::Scene& scene, bool both) {
    io::Result<std::unique_ptr<Run>> first = make_run(scene, scene.world.solver);
    if (!first) return first.error();
    std::vector<std::unique_ptr<Run>> runs;
    runs.push_back(std::move(*first));
    if (both) {
        io::Result<std::unique_ptr<Run>> second =
            make_run(scene, default_solver(TWANG_SOLVER_NEWTON));
        if (!second) return second.error();
        runs.push_back(std::move(*second));
        Bounds bounds;
        const auto include = [&](const Pose& pose) {
            for (std::size_t i = 0; i + 2 < pose.before.size(); i += 3) {
                bounds.include(point(&pose.before[i]));
            }
        };
        include(*runs[0]);
        for (const Pose& copy : runs[0]->copies) include(copy);
        const float half_distance =
            0.7f * std::max(bounds.high.x - bounds.low.x, 0.6f * (bounds.high.y - bounds.low.y)) +
            0.05f;
        runs[0]->offset.x = -half_distance;
        runs[1]->offset.x = half_distance;
    }
    runs_ = std::move(runs);
    ++generation_;
    status_ = TWANG_OK;
    failure_.clear();
    return {};
}

std::optional<io::Error> Simulation::open(io::Scene scene) {
    const bool was_windy = windy;
    windy = scene.air.drag > 0.0 || scene.air.lift > 0.0;
    if (auto error = make_runs(scene, false)) {
        windy = was_windy;
        return error;
    }
    scene_ = std::move(scene);
    if (!windy) { // the wind that apply_wind() turns on later
        scene_.air.velocity = {4.0, 0.0, 2.5};
        scene_.air.drag = 1.0;
    }
    time_ = 0;
    steps_ = 0;
    interpolate(1);
    return {};
}

std::optional<io::Error> Simulation::reset() {
    finish_background_steps();
    if (auto error = make_runs(scene_, comparing())) return error;
    time_ = 0;
    steps_ = 0;
    interpolate(1);
    return {};
}

std::optional<io::Error> Simulation::rebuild() {
    const auto moves = [](const auto& each) { return !each.motion.is_rest(); };
    const bool moving = std::any_of(scene_.colliders.begin(), scene_.colliders.end(), moves) ||
                        std::any_of(scene_.moving_pins.begin(), scene_.moving_pins.end(), moves);
    if (moving || scene_.copies.total() > 1.0) return reset();
    finish_background_steps();
    std::vector<std::unique_ptr<Run>> runs;
    for (const std::unique_ptr<Run>& old : runs_) {
        io::Result<std::unique_ptr<Run>> run =
            make_run(with_current_state(scene_, *old), old->solver);
        if (!run) return run.error();
        (*run)->offset = old->offset;
        (*run)->ms = old->ms;
        (*run)->energy = old->energy;
        runs.push_back(std::move(*run));
    }
    runs_ = std::move(runs);
    ++generation_;
    status_ = TWANG_OK;
    interpolate(1);
    return {};
}

std::optional<io::Error> Simulation::compare(bool both) {
    if (both == comparing()) return {};
    finish_background_steps();
    if (auto error = make_runs(scene_, both)) return error;
    time_ = 0;
    steps_ = 0;
    interpolate(1);
    return {};
}

void Simulation::apply_solver() {
    runs_[0]->solver = scene_.world.solver;
    if (runs_[0]->stage.world.set_solver(scene_.world.solver) != TWANG_OK) failure_ = last_error();
}

void Simulation::apply_time_step() {
    const double h = scene_.world.time_step;
    for (const auto& run : runs_) run->post([h](Run& a) { a.stage.world.set_time_step(h); });
}

void Simulation::apply_gravity() {
    const Vec3 gravity = scene_.world.gravity;
    for (const auto& run : runs_) {
        run->post([gravity](Run& a) { a.stage.world.set_gravity(gravity); });
    }
}

void Simulation::apply_wind() {
    const AirDef air = windy ? scene_.air : AirDef{.drag = 0.0};
    for (const auto& run : runs_) run->post([air](Run& a) { a.stage.world.set_air(air); });
}

Vec3 Simulation::collider_centre(std::size_t i) const {
    const io::SceneCollider& collider = scene_.colliders[i];
    return collider.motion.at(collider.def.centre, drawn_time_);
}

Rotation Simulation::collider_turn(std::size_t i) const {
    const io::SceneCollider& collider = scene_.colliders[i];
    return rotation_by(collider.motion.rotation_at(collider.def.rotation, drawn_time_));
}

void Run::post(std::function<void(Run&)> task) {
    if (busy()) {
        tasks.push_back(std::move(task));
    } else {
        task(*this);
    }
}

void Run::update_tears() {
    for (std::size_t i = 0; i < copies.size(); ++i) {
        update_broken_springs(stage.bodies[i + 1], springs.size(), copies[i]);
    }
    if (!update_broken_springs(stage.body, springs.size(), *this)) return;
    std::vector<std::uint8_t> torn(triangles.size() / 3);
    if (stage.body.copy_torn_triangles(torn) != TWANG_OK) return;
    surface.triangles.clear();
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        if (!torn[i / 3]) surface.triangles.push_back(triangles[i]);
    }
    shape = new_shape_id();
}

// Reads the poses and figures after a step, and executes the tasks that waited for its end.
void Simulation::finish_step(Run& run, Status status) {
    update_poses(run);
    run.report = run.stage.world.report();
    run.ms.add(run.report.total_ms);
    run.energy.add(run.report.kinetic_energy + run.report.elastic_energy);
    for (const auto& task : std::exchange(run.tasks, {})) task(run);
    run.update_tears();
    if (status == TWANG_OK) return;
    status_ = status;
    failure_ = twang_status_text(status);
    paused = true;
}

void Simulation::take_step(Run& run) {
    run.residuals.clear();
    finish_step(run, run.stage.step());
    if (&run != runs_[0].get()) return;
    time_ += scene_.world.time_step;
    ++steps_;
    ++last_steps_;
}

// Advances a run by steps in the background, one at a time, so that a slow solver does not delay
// the picture.
void Simulation::step_in_background(Run& run, double seconds) {
    if (run.busy()) {
        if (run.running.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
        finish_step(run, run.running.get());
    }
    const double h = scene_.world.time_step;
    run.owed = std::min(run.owed + seconds, 2 * h);
    if (paused || run.owed < h * (1 - 1e-9)) return;
    run.owed -= h;
    run.residuals.clear();
    run.running = std::async(std::launch::async, [&run] { return run.stage.step(); });
}

void Simulation::finish_background_steps() {
    for (const auto& run : runs_) {
        if (run->busy()) finish_step(*run, run->running.get());
    }
}

void Simulation::advance(double seconds, Pace pace) {
    last_steps_ = 0;
    const double h = scene_.world.time_step;
    if (pace == Pace::live) {
        seconds = std::min(seconds, max_elapsed);
        for (std::size_t i = 1; i < runs_.size(); ++i) step_in_background(*runs_[i], seconds);
    }
    if (paused) {
        interpolate(1);
        return;
    }
    const Clock::time_point start = Clock::now();
    double& owed = runs_[0]->owed;
    owed += seconds;
    while (owed >= h * (1 - 1e-9) && !paused) {
        take_step(*runs_[0]);
        for (std::size_t i = 1; i < runs_.size() && pace == Pace::exact; ++i) take_step(*runs_[i]);
        owed = std::max(owed - h, 0.0);
        const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
        if (pace == Pace::live && (last_steps_ == max_steps || ms > max_step_ms)) {
            owed = std::min(owed, h * 0.5);
        }
    }
    interpolate(std::min(owed / h, 1.0));
}

void Simulation::step() {
    finish_background_steps();
    for (const auto& run : runs_) {
        take_step(*run);
        run->owed = 0;
    }
    interpolate(1);
}

void Simulation::interpolate(double blend) {
    const auto t = static_cast<float>(blend);
    drawn_time_ = std::max(time_ - (1 - blend) * scene_.world.time_step, 0.0);
    for (const auto& run : runs_) {
        const float own = run == runs_[0] ? t : 1.0f; // the second run is drawn after its last step
        interpolate_pose(*run, own, run->surface.triangles);
        for (Pose& copy : run->copies) interpolate_pose(copy, own, run->triangles);
        if (run->busy()) continue;
        run->pins.clear();
        for (std::uint32_t i = 0; i < run->now.size() / 3; ++i) {
            if (run->stage.body.is_pinned(i)) run->pins.push_back(i);
        }
    }
}

} // namespace twang::demo
