// Times whole frames of the shipped scenes: frame/SCENE/SOLVER/WORKERS, one step an iteration.
// Reading the scene, building the world and its first two steps are not timed. A run lasts as many
// frames as Google Benchmark asks for, so the scene goes on moving while it is measured.
#include <algorithm>
#include <set>
#include <string>
#include <thread>

#include <benchmark/benchmark.h>

#include <twang/io.hpp>

namespace {

void frame(benchmark::State& state, const std::string& name, twang_solver solver, int workers) {
    auto scene = twang::io::read_scene(TWANG_ASSETS_DIR "/scenes/" + name + ".json");
    if (!scene) return state.SkipWithError(scene.error().text().c_str());
    scene->world.solver = twang::default_solver(solver);
    scene->world.workers = workers;
    auto stage = twang::io::instantiate(*scene);
    if (!stage) return state.SkipWithError(stage.error().text().c_str());

    twang::Status status = TWANG_OK;
    for (int warm_up = 0; warm_up < 2 && status == TWANG_OK; ++warm_up) status = stage->step();
    for (auto _ : state) {
        if (status == TWANG_OK) status = stage->step();
        if (status != TWANG_OK) {
            state.SkipWithError(twang::last_error());
            break;
        }
    }
    state.counters["vertices"] = static_cast<double>(stage->body.vertex_count());
    state.counters["iterations"] = stage->body.report().iterations; // of the last frame
}

void register_frames() {
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    for (const char* scene : {"cloth", "curtain"}) {
        for (const twang_solver solver :
             {TWANG_LOCAL_GLOBAL, TWANG_NEWTON, TWANG_NEWTON_CG, TWANG_LINEAR}) {
            for (const int workers : std::set{1, cores}) {
                const std::string name = std::string("frame/") + scene + '/' +
                                         twang::io::name(solver) + '/' + std::to_string(workers);
                benchmark::RegisterBenchmark(name.c_str(), frame, scene, solver, workers)
                    ->Unit(benchmark::kMillisecond)
                    ->UseRealTime();
            }
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    register_frames();
    benchmark::Initialize(&argc, argv); // answers --help itself
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
