// The panel: scene, solver and forces to change, times, residuals and energy to watch; the list of
// keys; labels over bodies that are compared. Drawn by Dear ImGui on top of the picture.
#ifndef TWANG_DEMO_PANEL_HPP
#define TWANG_DEMO_PANEL_HPP

#include <string>
#include <vector>

#include "session.hpp"
#include "window.hpp"

namespace twang::demo {

class Panel {
public:
    explicit Panel(Window& window);
    ~Panel();
    Panel(const Panel&) = delete;
    Panel& operator=(const Panel&) = delete;

    // Is this event for the panel, and not for the scene behind it?
    bool takes(const Event& event) const;
    // Draws into the window, whose picture is there already, and applies what is changed.
    void draw(Session& session, double frames_per_second);

private:
    std::vector<std::string> scenes_;
};

} // namespace twang::demo

#endif // TWANG_DEMO_PANEL_HPP
