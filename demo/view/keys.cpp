#include "view/keys.hpp"

#include <GLFW/glfw3.h>

namespace twang::demo {
namespace {

constexpr const char* numbered[] = {"cloth",   "flag", "drape",   "bunny", "jelly",
                                    "curtain", "cape", "balloon", "rope"};

void set_notice(Session& session, const std::optional<io::Error>& error) {
    session.notice = error ? error->reason : std::string();
}

const Key table[] = {
    {GLFW_KEY_SPACE, "Space", "pause, go on",
     [](Session& s) { s.simulation.paused = !s.simulation.paused; }},
    {GLFW_KEY_N, "N", "pause and take a single step",
     [](Session& s) {
         s.simulation.paused = true;
         s.simulation.step();
     }},
    {GLFW_KEY_R, "R", "start the scene again",
     [](Session& s) { set_notice(s, s.simulation.reset()); }},
    {GLFW_KEY_W, "W", "wind on, off",
     [](Session& s) {
         s.simulation.windy = !s.simulation.windy;
         s.simulation.apply_wind();
     }},
    {GLFW_KEY_C, "C", "compare with Newton's method, side by side",
     [](Session& s) { set_comparing(s, !s.simulation.comparing()); }},
    {GLFW_KEY_S, "S", "show the springs, coloured by strain",
     [](Session& s) { s.looks.springs = !s.looks.springs; }},
    {GLFW_KEY_D, "D", "show where obstacles are touched",
     [](Session& s) { s.looks.contacts = !s.looks.contacts; }},
    {GLFW_KEY_T, "T", "woven pattern on, off",
     [](Session& s) { s.looks.pattern = !s.looks.pattern; }},
    {GLFW_KEY_F, "F", "the scene's own view again", [](Session& s) { reset_view(s); }},
    {GLFW_KEY_P, "P", "panel on, off", [](Session& s) { s.looks.panel = !s.looks.panel; }},
    {GLFW_KEY_H, "H", "these keys", [](Session& s) { s.looks.help = !s.looks.help; }},
    {GLFW_KEY_ESCAPE, "Esc", "quit", [](Session& s) { s.closing = true; }},
};

} // namespace

std::span<const Key> keys() { return table; }

std::span<const char* const> scenes_on_keys() { return numbered; }

bool press_key(int code, Session& session) {
    const int digit = code - GLFW_KEY_1;
    if (digit >= 0 && digit < static_cast<int>(std::size(numbered))) {
        session.wanted_scene = numbered[digit];
        return true;
    }
    for (const Key& key : table) {
        if (key.code != code) continue;
        key.press(session);
        return true;
    }
    return false;
}

} // namespace twang::demo
