// The panel, drawn with Dear ImGui on top of the picture: controls for scene, solver and forces;
// plots of times, residuals and energy; the list of keys; labels above compared bodies.
#ifndef TWANG_DEMO_PANEL_HPP
#define TWANG_DEMO_PANEL_HPP

#include <string>
#include <vector>

#include "view/session.hpp"
#include "view/window.hpp"

namespace twang::demo {

class Panel {
public:
    explicit Panel(Window& window);
    ~Panel();
    Panel(const Panel&) = delete;
    Panel& operator=(const Panel&) = delete;

    // Returns whether the event is for the panel and not for the scene behind it.
    bool takes(const Event& event) const;
    // Draws over the window's picture and applies the changes that the user made.
    void draw(Session& session, double frames_per_second);

private:
    std::vector<std::string> scenes_;
};

} // namespace twang::demo

#endif // TWANG_DEMO_PANEL_HPP
