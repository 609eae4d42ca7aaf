#include "hand.hpp"

#include <algorithm>

namespace twang::demo {
namespace {

bool is_pinned(const Act& act, std::uint32_t vertex) {
    return std::binary_search(act.pins.begin(), act.pins.end(), vertex);
}

// N/m: the whole body, hung from the hand, sags by a few millimetres.
double strength(const Act& act) {
    return std::max(3.0 * act.stage.model.info().mass * 9.8 / 0.01, 100.0);
}

} // namespace

void Hand::take(Show& show, const Hit& hit) {
    holding_ = true;
    generation_ = show.generation();
    grip_ = hit.grip;
    act_ = hit.act;
    by_pin_ = is_pinned(*show.acts()[act_], grip_.nearest());
    at_ = hit.at;
    if (by_pin_) return;
    GrabDef def;
    std::copy(grip_.vertices.begin(), grip_.vertices.end(), def.vertices);
    std::copy(grip_.weights.begin(), grip_.weights.end(), def.weights);
    def.target = vec3(at_ - show.acts()[act_]->offset);
    for (const auto& act : show.acts()) {
        def.stiffness = strength(*act);
        act->post([def](Act& a) { a.grab = a.stage.body.grab(def); });
    }
}

void Hand::move(Show& show, Point to) {
    if (!holds(show)) return;
    at_ = to;
    const Vec3 target = vec3(to - show.acts()[act_]->offset);
    for (const auto& act : show.acts()) {
        act->post([target, by_pin = by_pin_, vertex = grip_.nearest()](Act& a) {
            if (by_pin) {
                a.stage.body.pin(vertex, target);
            } else {
                a.grab.move_to(target);
            }
        });
    }
}

void Hand::let_go(Show& show) {
    if (holds(show) && !by_pin_) {
        for (const auto& act : show.acts()) act->post([](Act& a) { a.grab.release(); });
    }
    holding_ = false;
}

void toggle_pin(Show& show, const Hit& hit) {
    const std::uint32_t vertex = hit.grip.nearest();
    const bool pinned = is_pinned(*show.acts()[hit.act], vertex);
    for (const auto& act : show.acts()) {
        act->post([vertex, pinned](Act& a) {
            if (pinned) {
                a.stage.body.unpin(vertex);
            } else {
                a.stage.body.pin(vertex);
            }
        });
    }
}

void cut(Show& show, const OrbitCamera& camera, Point from, Point to, float aspect) {
    // The blade stands on its edge between two lines of sight, through the middle of the view.
    const Point eye = camera.eye();
    const float depth = length(camera.target() - eye);
    const Ray first = camera.ray(from.x, from.y, aspect), last = camera.ray(to.x, to.y, aspect);
    const auto on_plane = [&](const Ray& ray) {
        return eye + (depth / dot(ray.direction, camera.forward())) * ray.direction;
    };
    const Point a = on_plane(first), b = on_plane(last);
    const Point into = depth * normalized(first.direction + last.direction);
    for (const auto& act : show.acts()) {
        BladeDef blade;
        blade.from = vec3(a - 0.9f * into - act->offset);
        blade.to = vec3(b - 0.9f * into - act->offset);
        blade.along = vec3(1.8f * into);
        act->post([blade](Act& a) {
            a.stage.body.cut(blade);
            a.look_for_tears();
        });
    }
}

} // namespace twang::demo
