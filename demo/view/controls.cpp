#include "view/controls.hpp"

#include <GLFW/glfw3.h>

#include "view/keys.hpp"

namespace twang::demo {
namespace {

constexpr float orbit_radians = 2.0f; // for a movement of the pointer by half the picture

} // namespace

void Controls::handle(const Event& event, Session& session) {
    switch (event.kind) {
    case Event::press: press(event, session); break;
    case Event::move: move(event, session); break;
    case Event::release:
        if (event.code != button_) break;
        if (mode_ == Mode::dragging) session.drag.let_go(session.simulation);
        if (mode_ == Mode::cutting) {
            move(event, session);
            end_cut(session.simulation);
        }
        mode_ = Mode::nothing;
        break;
    case Event::scroll: session.camera.zoom(std::pow(1.12f, event.y)); break;
    case Event::key: press_key(event.code, session); break;
    }
}

void Controls::advance(Session& session) {
    if (mode_ != Mode::cutting) return;
    cut_to(session.simulation, session.camera, {x_, y_, 0}, session.size.aspect());
}

void Controls::press(const Event& event, Session& session) {
    if (mode_ != Mode::nothing) return;
    button_ = event.code;
    x_ = event.x;
    y_ = event.y;
    if (event.code != GLFW_MOUSE_BUTTON_LEFT || event.shift) {
        mode_ = Mode::panning;
        return;
    }
    if (event.blade) {
        mode_ = Mode::cutting;
        end_cut(session.simulation);
        advance(session);
        return;
    }
    const std::optional<Hit> hit =
        pick(session.simulation, session.camera, event.x, event.y, session.size.aspect());
    if (hit && event.control) {
        toggle_pin(session.simulation, *hit);
    } else if (hit) {
        grabbed_ = hit->at;
        session.drag.take(session.simulation, *hit);
        mode_ = Mode::dragging;
    } else if (!event.control) {
        mode_ = Mode::orbiting;
    }
}

void Controls::move(const Event& event, Session& session) {
    const float right = event.x - x_, up = event.y - y_;
    const float aspect = session.size.aspect();
    x_ = event.x;
    y_ = event.y;
    switch (mode_) {
    case Mode::nothing: break;
    case Mode::orbiting: session.camera.orbit(orbit_radians * right, orbit_radians * up); break;
    case Mode::panning: session.camera.pan(0.5f * right * aspect, 0.5f * up); break;
    case Mode::cutting: advance(session); break;
    case Mode::dragging: {
        const Ray ray = session.camera.ray(event.x, event.y, aspect);
        const Point facing = session.camera.forward();
        const float along =
            dot(grabbed_ - ray.origin, facing) / std::max(dot(ray.direction, facing), 1e-3f);
        session.drag.move(session.simulation, ray.origin + along * ray.direction);
        break;
    }
    }
}

} // namespace twang::demo
