#include "controls.hpp"

#include <GLFW/glfw3.h>

#include "keys.hpp"

namespace twang::demo {
namespace {

constexpr float turn = 2.0f; // radians for half a picture

} // namespace

void Controls::handle(const Event& event, Session& session) {
    switch (event.kind) {
    case Event::press: press(event, session); break;
    case Event::move: move(event, session); break;
    case Event::release:
        if (event.code != button_) break;
        if (doing_ == Doing::dragging) session.hand.let_go(session.show);
        doing_ = Doing::nothing;
        break;
    case Event::scroll: session.camera.zoom(std::pow(1.12f, event.y)); break;
    case Event::key: press_key(event.code, session); break;
    }
}

void Controls::press(const Event& event, Session& session) {
    if (doing_ != Doing::nothing) return;
    button_ = event.code;
    x_ = event.x;
    y_ = event.y;
    if (event.code != GLFW_MOUSE_BUTTON_LEFT || event.shift) {
        doing_ = Doing::panning;
        return;
    }
    if (event.blade) {
        doing_ = Doing::cutting;
        return;
    }
    const std::optional<Hit> hit =
        pick(session.show, session.camera, event.x, event.y, session.size.aspect());
    if (hit && event.control) {
        toggle_pin(session.show, *hit);
    } else if (hit) {
        grabbed_ = hit->at;
        session.hand.take(session.show, *hit);
        doing_ = Doing::dragging;
    } else if (!event.control) {
        doing_ = Doing::orbiting;
    }
}

void Controls::move(const Event& event, Session& session) {
    const Point before = {x_, y_, 0}, now = {event.x, event.y, 0};
    const float right = event.x - x_, up = event.y - y_;
    const float aspect = session.size.aspect();
    x_ = event.x;
    y_ = event.y;
    switch (doing_) {
    case Doing::nothing: break;
    case Doing::orbiting: session.camera.orbit(turn * right, turn * up); break;
    case Doing::panning: session.camera.pan(0.5f * right * aspect, 0.5f * up); break;
    case Doing::cutting: cut(session.show, session.camera, before, now, aspect); break;
    case Doing::dragging: {
        const Ray ray = session.camera.ray(event.x, event.y, aspect);
        const Point facing = session.camera.forward();
        const float along =
            dot(grabbed_ - ray.origin, facing) / std::max(dot(ray.direction, facing), 1e-3f);
        session.hand.move(session.show, ray.origin + along * ray.direction);
        break;
    }
    }
}

} // namespace twang::demo
