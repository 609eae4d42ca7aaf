#include "suites/live_scripts.hpp"

#include <algorithm>
#include <memory>

namespace bench {

namespace {

Change nothing() {
    return [](auto&&...) { return false; };
}

// A pin every tenth frame, a dozen at a time, the oldest let go again; once also one of those the
// factor was made with, so that another is taken before the end.
Change pins() {
    return [](twang::io::Stage& stage, int frame) {
        const std::size_t n = stage.body.vertex_count();
        if (frame == 60) check(stage.body.unpin(0));
        if (frame % 10 != 0) return false;
        check(stage.body.pin(somewhere(frame / 10, n)));
        if (frame >= 120) check(stage.body.unpin(somewhere(frame / 10 - 12, n)));
        return true;
    };
}

// A hand that takes hold of the cloth and moves it about.
Change drag() {
    auto hand = std::make_shared<twang::Grab>();
    return [hand](twang::io::Stage& stage, int frame) {
        const std::size_t vertex = stage.body.vertex_count() * 3 / 4;
        const float* at = &stage.body.positions()[3 * vertex];
        if (frame % 120 == 0)
            *hand = stage.body.grab({.vertices = {static_cast<std::uint32_t>(vertex)},
                                     .target = {at[0], at[1], at[2]},
                                     .stiffness = 500.0});
        if (frame % 120 == 100) check(hand->release());
        if (frame % 120 < 100)
            check(hand->move_to({at[0], at[1] + 0.02 * (frame % 120 < 50), at[2] + 0.01}));
        return frame % 120 > 0 && frame % 120 < 100; // moved and no more
    };
}

Change time_step() {
    return [](twang::io::Stage& stage, int frame) {
        if (frame % 120 == 0)
            check(stage.world.set_time_step(frame % 240 == 0 ? 1.0 / 120.0 : 1.0 / 60.0));
        return frame % 120 == 0;
    };
}

// A limit that lets cloth tear under its weight: from then on it has springs of its own.
void may_tear(twang::io::Stage& stage) { check(stage.body.set_tear_strain(0.5)); }

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

constexpr LiveScript scripts[] = {{"quiet", nothing, nullptr},
                                  {"pin", pins, nullptr},
                                  {"drag", drag, nullptr},
                                  {"time-step", time_step, nullptr},
                                  {"tear", tear, may_tear}};

// Under a name that does not depend on the compiler: callgrind is told to count inside it.
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

std::uint32_t somewhere(int k, std::size_t n) {
    return static_cast<std::uint32_t>((2654435761u * static_cast<std::uint64_t>(k + 1)) % n);
}

} // namespace bench
