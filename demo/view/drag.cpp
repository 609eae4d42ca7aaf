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

void cut_to(Simulation& simulation, const OrbitCamera& camera, Point at, float aspect) {
    // The edge of the blade lies along the view, from 0.1 to 1.9 times the distance between eye and
    // target.
    const Ray ray = camera.ray(at.x, at.y, aspect);
    const Point into = length(camera.target() - ray.origin) * ray.direction;
    for (const auto& run : simulation.runs()) {
        const Vec3 edge = vec3(ray.origin + 0.1f * into - run->offset), along = vec3(1.8f * into);
        run->post([edge, along](Run& a) {
            a.stroke.move_to(a.stage.body, edge, along);
            a.update_tears();
        });
    }
}

void end_cut(Simulation& simulation) {
    for (const auto& run : simulation.runs()) run->post([](Run& a) { a.stroke.end(); });
}

} // namespace twang::demo
