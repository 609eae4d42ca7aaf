// energy: the share of the energy above rest that is left after 1, 10 and 60 seconds without
// damping, for both integrators. The exact motion loses none.
#include <array>
#include <stdexcept>

#include "suites/energy.hpp"
#include "suites/suites.hpp"

namespace bench {

namespace {

using twang::io::Scene;

// Two masses of 0.5 kg on a spring of 100 N/m, stretched by a tenth: 3.2 swings a second.
Scene oscillator() {
    Scene scene;
    scene.mesh.positions = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0};
    scene.springs = {{.a = 0, .b = 1, .stiffness = 100.0}};
    scene.material.mass = 1.0;
    scene.world.gravity = {};
    return scene;
}

Scene undamped(const std::string& name) {
    Scene scene = shipped_scene(name);
    scene.world.damping = 0.0;
    return scene;
}

double energy(const twang::io::Stage& stage, const Scene& scene) {
    const twang::Measures m = stage.body.measure();
    const twang::Vec3 g = scene.world.gravity, c = m.centre;
    return m.kinetic_energy + m.elastic_energy -
           stage.model.info().mass * (g.x * c.x + g.y * c.y + g.z * c.z);
}

twang::io::Stage begin(Scene scene, const twang::SolverDef& solver) {
    scene.world.solver = solver;
    scene.world.workers = 1;
    auto stage = twang::io::instantiate(scene);
    if (!stage) throw std::runtime_error(stage.error().text());
    return std::move(*stage);
}

// Returns the energy of the static equilibrium.
double rest_energy(const std::string& name, const Scene& scene) {
    if (name == "oscillator") return 0.0;
    const twang::io::Stage stage = [&] {
        twang::io::Stage made = begin(scene, twang::default_solver(TWANG_SOLVER_STATIC));
        check(made.step());
        return made;
    }();
    return energy(stage, scene);
}

void measure(benchmark::State& state, const std::string& name, twang_integrator integrator) {
    const Scene scene = name == "oscillator" ? oscillator() : undamped(name);
    const double at_rest = rest_energy(name, scene);
    twang::SolverDef solver = scene.world.solver;
    solver.integrator = integrator;
    twang::io::Stage stage = begin(scene, solver);
    if (name == "oscillator") {
        const double stretched[] = {-0.05, 0.0, 0.0, 1.05, 0.0, 0.0};
        check(stage.body.set_positions(stretched));
    }
    const double start = energy(stage, scene) - at_rest, h = scene.world.time_step;
    int steps = 0;
    for (const int seconds : energy_seconds) {
        for (; steps * h < seconds - 0.5 * h; ++steps) check(stage.step());
        state.counters["left_" + std::to_string(seconds)] =
            (energy(stage, scene) - at_rest) / start;
    }
    for (auto _ : state) state.SetIterationTime(1e-3 * stage.body.report().total_ms);
}

} // namespace

Group energy_group() {
    const auto add = [](Suite& suite) {
        for (const char* scene : energy_scenes)
            for (const auto& [name, integrator] :
                 {std::pair{"implicit-euler", TWANG_IMPLICIT_EULER}, std::pair{"bdf2", TWANG_BDF2}})
                suite.add_manual(std::string("energy/") + scene + '/' + name, 1,
                                 guarded([=, integrator = integrator](benchmark::State& state) {
                                     measure(state, scene, integrator);
                                 }));
    };
    return {"energy", add};
}

} // namespace bench
