// crowd: many capes in one world, compared with a single cape. The capes share a model and a factor
// but move differently. The time is that of a frame of all capes; per_cape_ms is that time / the
// number of capes.
#include <chrono>

#include "suites/suites.hpp"

namespace bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t columns = 26, rows = 40; // 1,040 vertices

struct Capes {
    twang::Model model = twang::Model::cloth({.columns = columns, .rows = rows, .spacing = 0.03});
    twang::World world;
    std::vector<twang::Body> bodies;

    Capes(int count, int workers) : world({.workers = workers}) {
        check(model.status());
        const std::uint32_t shoulders[] = {0, 1, columns - 2, columns - 1};
        std::vector<double> velocities(3 * columns * rows, 0.0);
        for (int k = 0; k < count; ++k) {
            for (std::size_t i = 0; i < columns * rows; ++i)
                velocities[3 * i + 2] = 0.5 + 0.01 * k; // every cape moves differently
            bodies.push_back(world.add(
                model, {.pins = shoulders, .pin_count = 4, .velocities = velocities.data()}));
            check(bodies.back().status());
        }
        check(world.set_wind({1.0, 0.0, 3.0}, 1.0));
    }
};

void add_capes(Suite& suite, int count, int workers, int repeats) {
    const std::string name = "crowd/cape/" + std::to_string(count) + '/' + std::to_string(workers);
    suite.add_manual(name, repeats, guarded([=](benchmark::State& state) {
                         Capes capes(count, workers);
                         for (int frame = 0; frame < 20; ++frame) check(capes.world.step());
                         std::vector<double> seconds;
                         for (int frame = 0; frame < 60; ++frame) {
                             const auto begin = Clock::now();
                             check(capes.world.step());
                             const std::chrono::duration<double> passed = Clock::now() - begin;
                             seconds.push_back(passed.count());
                         }
                         for (auto _ : state) state.SetIterationTime(median(seconds));
                         state.counters["capes"] = count;
                         state.counters["n"] = columns * rows;
                         state.counters["per_cape_ms"] = 1e3 * median(seconds) / count;
                     }));
}

} // namespace

Group crowd_group(const Options& options) {
    const int repeats = options.quick ? 1 : 5;
    const auto add = [=](Suite& suite) {
        for (const int count : {1, 10, 100})
            for (const int workers : {1, 2}) add_capes(suite, count, workers, repeats);
    };
    return {"crowd: capes", add};
}

} // namespace bench
