// Helpers of all suites. See suites.hpp.
#include "suites/suites.hpp"

#include <stdexcept>

namespace bench {

void check(twang::Status status) {
    if (status != TWANG_OK) throw std::runtime_error(twang::last_error());
}

twang::io::Stage start(const twang::io::Scene& scene, int workers, int frames) {
    twang::io::Scene own = scene;
    own.world.workers = workers;
    own.world.pin_method = TWANG_PIN_PENALTY;
    own.world.solver = twang::default_solver(TWANG_SOLVER_LOCAL_GLOBAL);
    auto stage = twang::io::instantiate(own);
    if (!stage) throw std::runtime_error(stage.error().text());
    for (int frame = 0; frame < frames; ++frame) check(stage->step());
    return std::move(*stage);
}

void count_errors(benchmark::State& state, const AtFrames& rms) {
    for (std::size_t i = 0; i < rms.size(); ++i)
        state.counters["rms_" + std::to_string(true_frames[i])] = rms[i];
}

Suite::Function guarded(Suite::Function f) {
    return [f = std::move(f)](benchmark::State& state) {
        try {
            f(state);
        } catch (const std::exception& e) {
            state.SkipWithError(e.what());
        }
    };
}

} // namespace bench
