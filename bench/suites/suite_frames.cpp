// frame: the time of a frame at default settings, by every solver. precompute: the time before the
// first frame.
#include <chrono>

#include "suites/allocations.hpp"
#include "suites/inside.hpp"
#include "suites/suites.hpp"

namespace bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int warm_up = 10;          // frames by the default solver, after which the scene moves
constexpr int frames_per_reset = 60; // then the scene starts again

// One world per number of workers, used by all solvers in turn.
struct Worlds {
    explicit Worlds(const twang::io::Scene& scene)
        : one([=] { return start(scene, 1, 0); }), two([=] { return start(scene, 2, 0); }) {}
    twang::io::Stage& with(int workers) { return workers == 1 ? one.get() : two.get(); }
    Lazy<twang::io::Stage> one, two;
};
using WorldsPointer = std::shared_ptr<Lazy<Worlds>>;

// Resets the scene, steps until it moves, and sets the solver to be measured.
void prepare(twang::io::Stage& stage, const twang::SolverDef& solver) {
    check(stage.body.reset());
    check(stage.world.set_solver(twang::default_solver(TWANG_SOLVER_LOCAL_GLOBAL)));
    for (int frame = 0; frame < warm_up; ++frame) check(stage.step());
    check(stage.world.set_solver(solver));
}

void set_counters(benchmark::State& state, const twang::io::Stage& stage) {
    const twang::Precomputation made = stage.body.precomputation();
    state.counters["n"] = made.n;
    state.counters["springs"] = stage.model.info().springs;
    state.counters["l_nonzeros"] = static_cast<double>(made.l_nonzeros);
    state.counters["bytes"] = static_cast<double>(made.bytes);
    state.counters["iterations"] = stage.body.report().iterations; // in the last frame
}

// Adds a solver whose frames all take the same time.
void add_loop(Suite& suite, const std::string& name, const WorldsPointer& worlds,
              twang::SolverDef solver, int workers) {
    suite.add(name + '/' + std::to_string(workers), guarded([=](benchmark::State& state) {
                  twang::io::Stage& stage = worlds->get().with(workers);
                  prepare(stage, solver);
                  check(stage.step()); // allocates the solver's buffers
                  long allocated = 0;
                  int frame = 0;
                  for (auto _ : state) {
                      if (++frame % frames_per_reset == 0) {
                          state.PauseTiming();
                          prepare(stage, solver);
                          check(stage.step());
                          state.ResumeTiming();
                      }
                      const long before = allocations();
                      check(stage.step());
                      allocated += allocations() - before;
                  }
                  set_counters(state, stage);
                  state.counters["allocations"] = static_cast<double>(allocated) / frame;
              }));
}

// Adds a solver that runs until convergence: the median of a few frames.
void add_frames(Suite& suite, const std::string& name, const WorldsPointer& worlds,
                twang::SolverDef solver, int workers, int frames) {
    suite.add_manual(name + '/' + std::to_string(workers), 1, guarded([=](benchmark::State& state) {
                         twang::io::Stage& stage = worlds->get().with(workers);
                         prepare(stage, solver);
                         std::vector<double> seconds;
                         for (int frame = 0; frame < frames; ++frame) {
                             const auto begin = Clock::now();
                             check(stage.step());
                             const std::chrono::duration<double> passed = Clock::now() - begin;
                             seconds.push_back(passed.count());
                         }
                         for (auto _ : state) state.SetIterationTime(median(seconds));
                         set_counters(state, stage);
                     }));
}

// Adds the engine's precomputation: everything from the springs to the packed factor.
void add_own_precompute(Suite& suite, const std::string& name, const Workload& workload,
                        int repeats) {
    suite.add_manual(name, repeats, guarded([=](benchmark::State& state) {
                         const twang::io::Stage stage = start(workload.make(), 1, 0);
                         const twang::Precomputation made = stage.body.precomputation();
                         const double ms =
                             made.order_ms + made.assemble_ms + made.factor_ms + made.pack_ms;
                         for (auto _ : state) state.SetIterationTime(1e-3 * ms);
                         set_counters(state, stage);
                         state.counters["order_ms"] = made.order_ms;
                         state.counters["assemble_ms"] = made.assemble_ms;
                         state.counters["factor_ms"] = made.factor_ms;
                         state.counters["pack_ms"] = made.pack_ms;
                     }));
}

// Adds the library that the engine was not built with: orders and factors the same matrix.
void add_other_precompute(Suite& suite, const std::string& name, const Workload& workload,
                          int repeats,
                          std::unique_ptr<DirectSolver> (*make)(const Matrix& matrix)) {
    suite.add_manual(name, repeats, guarded([=](benchmark::State& state) {
                         const twang::io::Stage stage = start(workload.make(), 1, 1);
                         const Inside inside(stage, stored_system(stage, TWANG_PRECISION_BEST), 1);
                         const auto solver = make(system_matrix(inside.problem()));
                         const double ms = solver->analyse_ms + solver->factor_ms;
                         for (auto _ : state) state.SetIterationTime(1e-3 * ms);
                         set_counters(state, stage);
                         state.counters["order_ms"] = solver->analyse_ms;
                         state.counters["factor_ms"] = solver->factor_ms;
                     }));
}

} // namespace

Group frame_group(const Workload& workload, const Options& options) {
    const int repeats = options.quick ? 1 : 3;
    const bool quick = options.quick, is_small = workload.vertices <= 2'000;
    const int frames = is_small ? repeats : 1; // of solvers that take seconds per frame
    const auto add = [=](Suite& suite) {
        const auto worlds = std::make_shared<Lazy<Worlds>>([=] { return Worlds(workload.make()); });
        const std::string frame = "frame/" + workload.name + '/';
        const auto fixed = [&](twang_solver solver, int workers) {
            add_loop(suite, frame + twang::io::name(solver), worlds, twang::default_solver(solver),
                     workers);
        };
        const auto converging = [&](twang_solver solver, int workers) {
            add_frames(suite, frame + twang::io::name(solver), worlds,
                       twang::default_solver(solver), workers, frames);
        };
        for (const int workers : {1, 2}) {
            fixed(TWANG_SOLVER_LOCAL_GLOBAL, workers);
            fixed(TWANG_SOLVER_SYMPLECTIC, workers);
        }
        // The other solvers run until convergence, which takes seconds, and minutes on large
        // scenes, where they are left out. Factorisation uses one worker.
        const bool runs_converging = is_small || (!quick && workload.vertices <= 5'000);
        if (runs_converging) {
            converging(TWANG_SOLVER_NEWTON_CG, 1);
            converging(TWANG_SOLVER_NEWTON_CG, 2);
        }
        if (is_small || (runs_converging && suits_direct(workload))) {
            converging(TWANG_SOLVER_NEWTON, 1);
            converging(TWANG_SOLVER_LINEAR, 1);
        }
        if (is_small && !quick) converging(TWANG_SOLVER_STATIC, 1);
        if (workload.name == "curtain") { // the comparison of the paper's first figure
            twang::SolverDef ten = twang::default_solver(TWANG_SOLVER_LOCAL_GLOBAL);
            ten.iterations = 10;
            ten.tolerance = 0.0;
            add_loop(suite, frame + "default-10", worlds, ten, 1);
            add_frames(suite, frame + "newton-converged", worlds, {TWANG_SOLVER_NEWTON, 100, 1e-4},
                       1, 1);
        }

        const std::string precompute = "precompute/" + workload.name + '/';
        if (TWANG_BENCH_ENGINE_USES_CHOLMOD) {
            add_own_precompute(suite, precompute + "cholmod", workload, repeats);
            add_other_precompute(suite, precompute + "eigen", workload, repeats, eigen_solver);
        } else {
            add_own_precompute(suite, precompute + "eigen", workload, repeats);
            if (has_cholmod())
                add_other_precompute(suite, precompute + "cholmod", workload, repeats,
                                     cholmod_solver);
        }
    };
    return {"frame, precompute: " + workload.name, add};
}

} // namespace bench
