// The scripts: pins, a grab, time steps and cuts. See live_scripts.hpp.
#include "suites/live_scripts.hpp"

#include <algorithm>
#include <memory>

namespace bench {

namespace {

Change no_change() {
    return [](auto&&...) { return false; };
}

// Pins a vertex every tenth frame, at most a dozen at a time; then the oldest pin is released. In
// frame 60 it also releases a pin that the factor was made with, so that a new factor is applied
// before the end.
Change pins() {
    return [](twang::io::Stage& stage, int frame) {
        const std::size_t n = stage.body.vertex_count();
        if (frame == 60) check(stage.body.unpin(0));
        if (frame % 10 != 0) return false;
        check(stage.body.pin(scattered_vertex(frame / 10, n)));
        if (frame >= 120) check(stage.body.unpin(scattered_vertex(frame / 10 - 12, n)));
        return true;
    };
}

// A grab that takes hold of the cloth and moves it.
Change drag() {
    auto grab = std::make_shared<twang::Grab>();
    return [grab](twang::io::Stage& stage, int frame) {
        const std::size_t vertex = stage.body.vertex_count() * 3 / 4;
        const float* at = &stage.body.positions()[3 * vertex];
        if (frame % 120 == 0)
            *grab = stage.body.grab({.vertices = {static_cast<std::uint32_t>(vertex)},
                                     .target = {at[0], at[1], at[2]},
                                     .stiffness = 500.0});
        if (frame % 120 == 100) check(grab->release());
        if (frame % 120 < 100)
            check(grab->move_to({at[0], at[1] + 0.02 * (frame % 120 < 50), at[2] + 0.01}));
        return frame % 120 > 0 && frame % 120 < 100; // the grab was moved and nothing else changed
    };
}

Change time_step() {
    return [](twang::io::Stage& stage, int frame) {
        if (frame % 120 == 0)
            check(stage.world.set_time_step(frame % 240 == 0 ? 1.0 / 120.0 : 1.0 / 60.0));
        return frame % 120 == 0;
    };
}

// Sets a limit at which cloth tears under its weight. The body then has springs of its own, apart
// from the model's.
void set_tear_limit(twang::io::Stage& stage) { check(stage.body.set_tear_strain(0.5)); }

// Cuts from the lower edge upwards.
Change tear() {
    return [](twang::io::Stage& stage, int frame) {
        if (frame % 60 != 0) return false;
        const auto at = [&](std::size_t vertex) {
            const float* p = &stage.body.positions()[3 * vertex];
            return twang::Vec3{p[0], p[1], p[2]};
        };
        const std::size_t n = stage.body.vertex_count(), side = 100;
        const twang::Vec3 below = at(n - side + 10 + frame / 5), above = at(n / 2 + 10 + frame / 5);
        check(stage.body.cut({{below.x, below.y, below.z - 0.5},
                              {above.x, above.y, above.z - 0.5},
                              {0.0, 0.0, 1.0}}));
        return true;
    };
}

constexpr LiveScript scripts[] = {{"quiet", no_change, nullptr},
                                  {"pin", pins, nullptr},
                                  {"drag", drag, nullptr},
                                  {"time-step", time_step, nullptr},
                                  {"tear", tear, set_tear_limit}};

// Has a name that does not depend on the compiler: callgrind counts inside this function.
extern "C" [[gnu::noinline]] bool twang_live_frame(const Change& change, twang::io::Stage& stage,
                                                   int frame) {
    const bool changed = change(stage, frame);
    check(stage.step());
    return changed;
}

} // namespace

std::span<const LiveScript> live_scripts() { return scripts; }

const LiveScript* find_live_script(const std::string& name) {
    const auto* found = std::find_if(std::begin(scripts), std::end(scripts),
                                     [&](const LiveScript& script) { return script.name == name; });
    return found == std::end(scripts) ? nullptr : found;
}

bool live_frame(const Change& change, twang::io::Stage& stage, int frame) {
    return twang_live_frame(change, stage, frame);
}

std::uint32_t scattered_vertex(int k, std::size_t n) {
    return static_cast<std::uint32_t>((2654435761u * static_cast<std::uint64_t>(k + 1)) % n);
}

} // namespace bench
