// Mouse and keys: translates window events into changes of the session, which are orbit, pan, zoom,
// drag, pin, cut and the actions of keys.
#ifndef TWANG_DEMO_CONTROLS_HPP
#define TWANG_DEMO_CONTROLS_HPP

#include "view/session.hpp"
#include "view/window.hpp"

namespace twang::demo {

class Controls {
public:
    void handle(const Event& event, Session& session);
    // Cuts what has moved through the blade since the last event. Called once per picture.
    void advance(Session& session);

private:
    enum class Mode { nothing, orbiting, panning, dragging, cutting };

    void press(const Event& event, Session& session);
    void move(const Event& event, Session& session);

    Mode mode_ = Mode::nothing;
    int button_ = 0;      // whose press began mode_
    float x_ = 0, y_ = 0; // last place of the pointer in the picture
    Point grabbed_; // the picked point; a drag moves in the plane through it that faces the camera
};

} // namespace twang::demo

#endif // TWANG_DEMO_CONTROLS_HPP
