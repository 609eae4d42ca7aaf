// fall: the cheapest setting of each method at which cloth falls as it should, and its time per
// frame. bullet: the same cloth in Bullet's soft body.
#include <stdexcept>

#include "fall.hpp"
#include "inside.hpp"
#include "methods.hpp"
#include "rivals.hpp"
#include "suites.hpp"

namespace bench {

namespace {

constexpr int timed_frames = 120; // falling and swinging

// A cloth and what was found for it so far.
struct Searched {
    Searched(int side, const std::string& folder) : fall(side, folder) {}
    // The search does not depend on the workers: their number does not change the bits.
    const std::optional<Fall::Found>& find(const std::string& name,
                                           const twang::SolverDef& solver) {
        auto& place = found[name];
        if (!place) place = fall.search(solver);
        return *place;
    }
    Fall fall;
    std::map<std::string, std::optional<std::optional<Fall::Found>>> found;
};
using SearchedPointer = std::shared_ptr<Lazy<Searched>>;

void add_fall(Suite& suite, int side, const std::string& name, const twang::SolverDef& solver,
              int workers, int repeats, const SearchedPointer& searched) {
    suite.add_manual(
        "fall/" + std::to_string(side) + '/' + name + '/' + std::to_string(workers), repeats,
        guarded([=](benchmark::State& state) {
            Searched& s = searched->get();
            const auto& found = s.find(name, solver);
            if (!found) throw std::runtime_error("not reached within 100 iterations");
            for (auto _ : state)
                state.SetIterationTime(
                    1e-3 * median(s.fall.time_frames(found->solver, workers, timed_frames)));
            state.counters["n"] = side * side;
            state.counters["iterations"] = found->solver.iterations;
            state.counters["max_stretch"] = found->run.max_stretch;
            state.counters["mean_stretch"] = found->run.mean_stretch;
            state.counters["lowest_25"] = found->run.lowest_25;
            state.counters["lowest_30"] = found->run.lowest_30;
            state.counters["rms"] = found->run.rms;
            state.counters["true_lowest_25"] = s.fall.reference().lowest_25;
            state.counters["true_lowest_30"] = s.fall.reference().lowest_30;
        }));
}

// One textbook iteration on the same cloth: the yardstick.
struct Yardstick {
    explicit Yardstick(const Problem& problem)
        : eigen(eigen_solver(system_matrix(problem))), textbook(problem, *eigen) {}
    std::unique_ptr<DirectSolver> eigen;
    Textbook textbook;
};

void add_yardstick(Suite& suite, int side) {
    const auto yardstick = std::make_shared<Lazy<Yardstick>>([=] {
        const twang::io::Stage stage = start(falling_cloth(side), 1, 10);
        return Yardstick(Inside(stage, stored_system(stage, TWANG_BEST), 1).problem());
    });
    suite.add("fall/" + std::to_string(side) + "/textbook-iteration/1",
              guarded([=](benchmark::State& state) {
                  Textbook& textbook = yardstick->get().textbook;
                  for (auto _ : state) textbook.iterate();
                  state.counters["n"] = side * side;
              }));
}

} // namespace

Group fall_group(int side, const Options& options) {
    const bool quick = options.quick;
    const std::string folder = options.out;
    const auto add = [=](Suite& suite) {
        const auto searched =
            std::make_shared<Lazy<Searched>>([=] { return Searched(side, folder); });
        const twang::SolverDef own = twang::WorldDef{}.solver;
        for (const int workers : {1, 2})
            add_fall(suite, side, "default", own, workers, quick ? 1 : 3, searched);
        add_yardstick(suite, side);
        for (const Method& method : methods) {
            const bool is_fast = method.acceleration == TWANG_LBFGS ||
                                 method.acceleration == TWANG_TWO_LEVEL ||
                                 method.solver == TWANG_NEWTON_CG;
            if (method.solver == TWANG_NEWTON || (quick && !is_fast)) continue;
            add_fall(suite, side, method.name, settings(method, 1), 1, 1, searched);
        }
    };
    return {"fall: " + std::to_string(side), add};
}

Group bullet_group(int side, const Options& options) {
    std::vector<int> settings{1, 10, 50}; // 1 is Bullet's default
    if (!options.quick && side < 100) settings.push_back(200);
    const auto add = [=](Suite& suite) {
        if (!has_bullet()) return;
        for (const int iterations : settings)
            suite.add_manual(
                "bullet/fall" + std::to_string(side) + '/' + std::to_string(iterations), 1,
                guarded([=](benchmark::State& state) {
                    const auto run = play_bullet(falling_cloth(side), iterations);
                    if (!run) throw std::runtime_error("it exploded");
                    for (auto _ : state) state.SetIterationTime(1e-3 * run->frame_ms);
                    state.counters["n"] = side * side;
                    state.counters["iterations"] = iterations;
                    state.counters["max_stretch"] = run->max_stretch;
                    state.counters["mean_stretch"] = run->mean_stretch;
                    state.counters["lowest_30"] = run->lowest;
                }));
    };
    return {"bullet: fall" + std::to_string(side), add};
}

} // namespace bench
