#include "view/drag.hpp"

#include <algorithm>

namespace twang::demo {
namespace {

bool is_pinned(const Run& run, std::uint32_t vertex) {
    return std::binary_search(run.pins.begin(), run.pins.end(), vertex);
}

// Returns the grab's stiffness in N/m: 3 m g / 0.01 m, by which the whole body, hung from the grab,
// sags by 3.3 mm; at least 100 N/m.
double grab_stiffness(const Run& run) {
    return std::max(3.0 * run.stage.model.info().mass * 9.8 / 0.01, 100.0);
}

} // namespace

void Drag::take(Simulation& simulation, const Hit& hit) {
    active_ = true;
    generation_ = simulation.generation();
    grip_ = hit.grip;
    run_ = hit.run;
    by_pin_ = is_pinned(*simulation.runs()[run_], grip_.nearest());
    at_ = hit.at;
    if (by_pin_) return;
    GrabDef def;
    std::copy(grip_.vertices.begin(), grip_.vertices.end(), def.vertices);
    std::copy(grip_.weights.begin(), grip_.weights.end(), def.weights);
    def.target = vec3(at_ - simulation.runs()[run_]->offset);
    for (const auto& run : simulation.runs()) {
        def.stiffness = grab_stiffness(*run);
        run->post([def](Run& a) { a.grab = a.stage.body.grab(def); });
    }
}

void Drag::move(Simulation& simulation, Point to) {
    if (!holds(simulation)) return;
    at_ = to;
    const Vec3 target = vec3(to - simulation.runs()[run_]->offset);
    for (const auto& run : simulation.runs()) {
        run->post([target, by_pin = by_pin_, vertex = grip_.nearest()](Run& a) {
            if (by_pin) {
                a.stage.body.pin(vertex, target);
            } else {
                a.grab.move_to(target);
            }
        });
    }
}

void Drag::let_go(Simulation& simulation) {
    if (holds(simulation) && !by_pin_) {
        for (const auto& run : simulation.runs()) run->post([](Run& a) { a.grab.release(); });
    }
    active_ = false;
}

void toggle_pin(Simulation& simulation, const Hit& hit) {
    const std::uint32_t vertex = hit.grip.nearest();
    const bool pinned = is_pinned(*simulation.runs()[hit.run], vertex);
    for (const auto& run : simulation.runs()) {
        run->post([vertex, pinned](Run& a) {
            if (pinned) {
                a.stage.body.unpin(vertex);
            } else {
                a.stage.body.pin(vertex);
            }
        });
    }
}

void cut(Simulation& simulation, const OrbitCamera& camera, Point from, Point to, float aspect) {
    // The blade is a parallelogram in the plane of the two view rays. Along the view it extends
    // from about 0.1 to 1.9 times the distance between eye and target.
    const Point eye = camera.eye();
    const float depth = length(camera.target() - eye);
    const Ray first = camera.ray(from.x, from.y, aspect), last = camera.ray(to.x, to.y, aspect);
    const auto on_plane = [&](const Ray& ray) {
        return eye + (depth / dot(ray.direction, camera.forward())) * ray.direction;
    };
    const Point a = on_plane(first), b = on_plane(last);
    const Point into = depth * normalized(first.direction + last.direction);
    for (const auto& run : simulation.runs()) {
        BladeDef blade;
        blade.from = vec3(a - 0.9f * into - run->offset);
        blade.to = vec3(b - 0.9f * into - run->offset);
        blade.along = vec3(1.8f * into);
        run->post([blade](Run& a) {
            a.stage.body.cut(blade);
            a.update_tears();
        });
    }
}

} // namespace twang::demo
