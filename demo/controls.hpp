// The mouse and the keys: orbit, pan, zoom, drag, pin, cut. Turns events into changes of the
// session.
#ifndef TWANG_DEMO_CONTROLS_HPP
#define TWANG_DEMO_CONTROLS_HPP

#include "session.hpp"
#include "window.hpp"

namespace twang::demo {

class Controls {
public:
    void handle(const Event& event, Session& session);

private:
    enum class Doing { nothing, orbiting, panning, dragging, cutting };

    void press(const Event& event, Session& session);
    void move(const Event& event, Session& session);

    Doing doing_ = Doing::nothing;
    int button_ = 0; // that began it
    float x_ = 0, y_ = 0;
    Point grabbed_; // the plane of a drag goes through here, facing the eye
};

} // namespace twang::demo

#endif // TWANG_DEMO_CONTROLS_HPP
