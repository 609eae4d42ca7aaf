#include "app/scenes.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

#include "app/messages.hpp"
#include "app/nearest.hpp"

namespace twang::demo {
namespace {

namespace fs = std::filesystem;

fs::path scenes_folder() {
    const char* assets = std::getenv("TWANG_ASSETS");
    return fs::path(assets && *assets ? assets : TWANG_ASSETS_DIR) / "scenes";
}

bool is_mesh_or_scene(const fs::path& path) {
    const fs::path extension = path.extension();
    return extension == ".json" || extension == ".obj" || extension == ".mesh";
}

io::Error no_such_scene(const std::string& wanted) {
    const std::vector<std::string> known = shipped_scenes();
    const fs::path path = wanted;
    const std::string meant =
        nearest(is_mesh_or_scene(path) ? path.stem().string() : wanted, known);
    std::string reason = "no such scene or file";
    reason +=
        meant.empty() ? "; --list shows the shipped scenes" : "; did you mean '" + meant + "'?";
    return {wanted, 0, reason, io::Exit::unreadable};
}

// Returns the number of workers that TWANG_ALL_CORES means, for the report.
int all_cores() {
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, TWANG_MAX_WORKERS);
}

void apply(const Options& options, io::Scene& scene) {
    WorldDef& world = scene.world;
    if (options.solver && *options.solver != world.solver.solver) {
        world.solver = default_solver(*options.solver);
    }
    if (options.iterations) world.solver.iterations = *options.iterations;
    if (options.tolerance) world.solver.tolerance = *options.tolerance;
    if (options.acceleration) world.solver.acceleration = *options.acceleration;
    if (world.solver.solver != TWANG_SOLVER_LOCAL_GLOBAL)
        world.solver.acceleration = TWANG_ACCELERATION_NONE;
    if (options.integrator) world.solver.integrator = *options.integrator;
    if (options.numerical_damping) world.solver.numerical_damping = *options.numerical_damping;
    if (options.budget) world.solver.budget_ms = *options.budget;
    if (options.energy) scene.energy = *options.energy;
    if (options.time_step) world.time_step = *options.time_step;
    if (options.gravity) world.gravity = {0.0, *options.gravity, 0.0};
    if (options.workers) world.workers = *options.workers;
    if (world.workers == TWANG_ALL_CORES) world.workers = all_cores();
    if (options.pins) world.pin_method = *options.pins;
    if (options.precision) world.precision = *options.precision;
    if (options.arithmetic) world.arithmetic = *options.arithmetic;
    if (options.frames) scene.frames = *options.frames;
}

} // namespace

std::vector<std::string> shipped_scenes() {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator at(scenes_folder(), error), end; !error && at != end;
         at.increment(error)) {
        if (at->path().extension() == ".json") names.push_back(at->path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

io::Result<std::string> find_scene(const std::string& wanted) {
    std::error_code error;
    if (wanted.find('/') == std::string::npos && !is_mesh_or_scene(wanted)) {
        const fs::path shipped = scenes_folder() / (wanted + ".json");
        if (fs::exists(shipped, error)) return shipped.string();
    }
    // A file that exists but cannot be accessed is returned as found: read_scene() then reports
    // why.
    if (fs::exists(wanted, error) || (error && error != std::errc::no_such_file_or_directory)) {
        return wanted;
    }
    return no_such_scene(wanted);
}

io::Result<io::Scene> open_scene(const Options& options) {
    const io::Result<std::string> file = find_scene(options.scene);
    if (!file) return file.error();
    io::Result<io::Scene> scene = io::read_scene(*file);
    if (!scene) return scene;
    apply(options, *scene);
    const twang_solver solver = scene->world.solver.solver;
    if (options.acceleration && solver != TWANG_SOLVER_LOCAL_GLOBAL) {
        return usage_error(std::string("--acceleration: for local-global only, not for ") +
                           io::name(solver));
    }
    if ((options.integrator || options.numerical_damping) && !io::has_integrator(solver)) {
        return usage_error(
            std::string(options.integrator ? "--integrator" : "--numerical-damping") +
            ": for local-global, newton and newton-cg only, not for " + io::name(solver));
    }
    return scene;
}

io::Result<io::Stage> make_stage(const io::Scene& scene) {
    io::Result<io::Stage> stage = io::instantiate(scene);
    if (stage || stage.error().exit != io::Exit::invalid) return stage;
    // For example --solver local-global on a scene of stvk springs. When the file without the
    // options can be instantiated, the options are at fault.
    const io::Result<io::Scene> without_options = io::read_scene(scene.file);
    if (without_options && io::instantiate(*without_options))
        return usage_error(stage.error().reason);
    return stage;
}

int list_scenes() {
    const std::vector<std::string> names = shipped_scenes();
    if (names.empty()) {
        return complain({scenes_folder().string(), 0,
                         "no scenes here; TWANG_ASSETS names another folder",
                         io::Exit::unreadable});
    }
    std::size_t width = 0;
    for (const std::string& name : names) width = std::max(width, name.size());
    int exit = 0;
    for (const std::string& name : names) {
        const io::Result<io::Scene> scene =
            io::read_scene((scenes_folder() / (name + ".json")).string());
        if (!scene) {
            exit = complain(scene.error());
            continue;
        }
        std::printf("%-*s  %s\n", static_cast<int>(width), name.c_str(), scene->title.c_str());
    }
    return exit;
}

} // namespace twang::demo
