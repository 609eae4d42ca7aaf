// fall: the cheapest setting of each method at which falling cloth has the right stretch and
// motion, and its time per frame. bullet: the same cloth in Bullet's soft body.
#include <stdexcept>

#include "rivals/rivals.hpp"
#include "suites/fall.hpp"
#include "suites/inside.hpp"
#include "suites/methods.hpp"
#include "suites/suites.hpp"

namespace bench {

namespace {

constexpr int timed_frames = 120; // falling and swinging

// A cloth and the settings that were found for it so far, by name.
struct FallSearch {
    FallSearch(int side, const std::string& folder) : fall(side, folder) {}
    // Searches with one worker: the number of workers does not change the bits.
    const std::optional<Fall::Passing>& find(const std::string& name, Setting setting) {
        auto& place = found[name];
        setting.workers = 1;
        if (!place) place = fall.search(setting);
        return *place;
    }
    Fall fall;
    std::map<std::string, std::optional<std::optional<Fall::Passing>>> found;
};
using FallSearchPointer = std::shared_ptr<Lazy<FallSearch>>;

void add_fall(Suite& suite, int side, const std::string& name, const Setting& setting, int repeats,
              const FallSearchPointer& search) {
    suite.add_manual(
        "fall/" + std::to_string(side) + '/' + name + '/' + std::to_string(setting.workers),
        repeats, guarded([=](benchmark::State& state) {
            FallSearch& s = search->get();
            const auto& found = s.find(name, setting);
            if (!found) throw std::runtime_error("not reached within 100 iterations");
            Setting timed = found->setting;
            timed.workers = setting.workers;
            for (auto _ : state)
                state.SetIterationTime(1e-3 * median(s.fall.time_frames(timed, timed_frames)));
            state.counters["n"] = side * side;
            state.counters["iterations"] = timed.solver.iterations;
            state.counters["substeps"] = timed.substeps;
            state.counters["max_stretch"] = found->run.stretch.max;
            state.counters["mean_stretch"] = found->run.stretch.mean;
            count_errors(state, found->run.rms);
        }));
}

// One textbook iteration on the same cloth: the unit of the report's relative times.
struct TextbookIteration {
    explicit TextbookIteration(const Problem& problem)
        : eigen(eigen_solver(system_matrix(problem))), textbook(problem, *eigen) {}
    std::unique_ptr<DirectSolver> eigen;
    Textbook textbook;
};

void add_textbook_iteration(Suite& suite, int side) {
    const auto textbook_iteration = std::make_shared<Lazy<TextbookIteration>>([=] {
        const twang::io::Stage stage = start(falling_cloth(side), 1, 10);
        return TextbookIteration(
            Inside(stage, stored_system(stage, TWANG_PRECISION_BEST), 1).problem());
    });
    suite.add("fall/" + std::to_string(side) + "/textbook-iteration/1",
              guarded([=](benchmark::State& state) {
                  Textbook& textbook = textbook_iteration->get().textbook;
                  for (auto _ : state) textbook.iterate();
                  state.counters["n"] = side * side;
              }));
}

} // namespace

Group fall_group(int side, const Options& options) {
    const bool quick = options.quick;
    const std::string folder = options.out;
    const auto add = [=](Suite& suite) {
        const auto search =
            std::make_shared<Lazy<FallSearch>>([=] { return FallSearch(side, folder); });
        const twang::SolverDef own = twang::WorldDef{}.solver;
        const int repeats = quick ? 1 : 3;
        for (const int workers : {1, 2})
            add_fall(suite, side, "default", {own, 1, workers}, repeats, search);
        add_fall(suite, side, "default-2x", {own, 2}, repeats, search);
        add_textbook_iteration(suite, side);
        for (const Method& method : methods) {
            const bool is_fast = method.acceleration == TWANG_ACCELERATION_LBFGS ||
                                 method.acceleration == TWANG_ACCELERATION_TWO_LEVEL ||
                                 method.solver == TWANG_SOLVER_NEWTON_CG;
            if (method.solver == TWANG_SOLVER_NEWTON || (quick && !is_fast)) continue;
            add_fall(suite, side, method.name, {settings(method, 1)}, 1, search);
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
                    const twang::io::Scene scene = falling_cloth(side);
                    const StretchGauge gauge(scene);
                    Stretch stretch;
                    const auto observe = [&](int frame, const std::vector<double>& xyz) {
                        if (frame == 30) state.counters["lowest_30"] = lowest(xyz);
                        if (frame >= 240) stretch.keep_worst(gauge.measure(xyz));
                        return true;
                    };
                    const double ms = median(play_bullet(scene, iterations, 300, observe));
                    for (auto _ : state) state.SetIterationTime(1e-3 * ms);
                    state.counters["n"] = side * side;
                    state.counters["iterations"] = iterations;
                    state.counters["max_stretch"] = stretch.max;
                    state.counters["mean_stretch"] = stretch.mean;
                }));
    };
    return {"bullet: fall" + std::to_string(side), add};
}

} // namespace bench
