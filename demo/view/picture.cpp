#include "view/picture.hpp"

#include <algorithm>
#include <limits>

namespace twang::demo {
namespace {

constexpr Colour pin_colour = {0.78f, 0.48f, 0.12f};
constexpr Colour drag_colour = {0.90f, 0.16f, 0.10f};
constexpr Colour rope_colour = {0.55f, 0.36f, 0.18f};
constexpr Colour contact_colour = {0.95f, 0.75f, 0.10f};
constexpr float full_colour_strain = 0.05f; // strain of the full colour

const Material cloth_material = {{0.95f, 0.95f, 0.95f}, {0.74f, 0.74f, 0.76f}, 0.06f, 0.25f, true};
const Material unpatterned_material = {
    {0.12f, 0.32f, 0.38f}, {0.60f, 0.50f, 0.36f}, 0.06f, 0.25f, false};
const Material obstacle_material = {{0.50f, 0.48f, 0.45f}, {0.50f, 0.48f, 0.45f}, 0.25f, 0, false};

// Returns rubber, in a colour chosen by a hash of the scene's name.
Material solid_material(const std::string& name) {
    constexpr Colour palette[] = {{0.60f, 0.15f, 0.07f},
                                  {0.06f, 0.30f, 0.36f},
                                  {0.56f, 0.02f, 0.09f},
                                  {0.70f, 0.36f, 0.06f},
                                  {0.22f, 0.10f, 0.34f}};
    std::uint32_t hash = 0;
    for (const char c : name) hash = 127 * hash + static_cast<unsigned char>(c);
    const Colour colour = palette[hash % std::size(palette)];
    return {colour, colour, 0.5f, 0, false};
}

// Returns blue for a compressed spring, pale at rest, red for a stretched spring.
Colour strain_colour(float strain) {
    const float t = std::clamp(strain / full_colour_strain, -1.0f, 1.0f);
    const Colour rest = {0.75f, 0.78f, 0.70f};
    const Colour end = t > 0 ? Colour{0.90f, 0.04f, 0.03f} : Colour{0.03f, 0.12f, 0.90f};
    const float s = std::sqrt(std::fabs(t));
    return {rest.red + s * (end.red - rest.red), rest.green + s * (end.green - rest.green),
            rest.blue + s * (end.blue - rest.blue)};
}

Point rest_point(const io::Scene& scene, std::size_t vertex) {
    const std::vector<double>& xyz =
        scene.positions.empty() ? scene.mesh.positions : scene.positions;
    return point(Vec3{xyz[3 * vertex], xyz[3 * vertex + 1], xyz[3 * vertex + 2]});
}

Bounds start_bounds(const io::Scene& scene) {
    Bounds bounds;
    for (std::uint32_t i = 0; i < scene.mesh.vertex_count(); ++i) {
        bounds.include(rest_point(scene, i));
    }
    return bounds;
}

} // namespace

float ground_height(const io::Scene& scene) {
    for (const io::SceneCollider& collider : scene.colliders) {
        const ColliderDef& def = collider.def;
        const Point up = rotation_by(def.rotation)(normalized(point(def.normal)));
        if (def.shape == TWANG_SHAPE_PLANE && up.y > 0.99f) {
            return static_cast<float>(def.centre.y);
        }
    }
    const Bounds bounds = start_bounds(scene);
    float low = bounds.low.y;
    if (!scene.pins.empty()) {
        for (std::uint32_t i = 0; i < scene.mesh.vertex_count(); ++i) {
            const Point p = rest_point(scene, i);
            float nearest = std::numeric_limits<float>::max(), hangs = p.y;
            for (const std::uint32_t pin : scene.pins) {
                const Point pin_at = rest_point(scene, pin);
                const float away = length(p - pin_at);
                if (away >= nearest) continue;
                nearest = away;
                hangs = pin_at.y - away;
            }
            low = std::min(low, hangs);
        }
    }
    for (const io::SceneCollider& collider : scene.colliders) { // colliders stand on the floor
        const SolidShape shape = make_shape(collider.def);
        const Rotation turn = rotation_by(collider.def.rotation);
        for (std::size_t i = 0; i + 2 < shape.positions.size(); i += 3) {
            const float up = turn(point(&shape.positions[i])).y;
            low = std::min(low, up + static_cast<float>(collider.def.centre.y));
        }
    }
    return low - 0.08f * bounds.diagonal();
}

void Picture::set_scenery(const Simulation& simulation) {
    // Starts far above the numbers of Run::shape, so that none are equal.
    static std::uint64_t shapes = std::uint64_t{1} << 62;
    generation_ = simulation.generation();
    obstacles_.clear();
    obstacle_ids_.clear();
    for (const io::SceneCollider& collider : simulation.scene().colliders) {
        obstacles_.push_back(make_shape(collider.def));
        obstacle_ids_.push_back(++shapes);
    }
    drawing_.ground = ground_height(simulation.scene());
    pin_radius_ = 0.007f * start_bounds(simulation.scene()).diagonal();
}

void Picture::add_obstacles(const Simulation& simulation, Point offset) {
    for (std::size_t i = 0; i < obstacles_.size(); ++i) {
        const SolidShape& shape = obstacles_[i];
        if (shape.triangles.empty()) continue;
        Skin skin;
        skin.shape = obstacle_ids_[i];
        skin.positions = shape.positions;
        skin.normals = shape.normals;
        skin.triangles = shape.triangles;
        skin.material = obstacle_material;
        skin.turn = simulation.collider_turn(i);
        skin.offset = point(simulation.collider_centre(i)) + offset;
        drawing_.skins.push_back(skin);
        for (std::size_t k = 0; k + 2 < shape.positions.size(); k += 3) {
            drawing_.bounds.include(skin.turn(point(&shape.positions[k])) + skin.offset);
        }
    }
}

void Picture::add_spring(const Run& run, const Pose& pose, std::size_t index,
                         std::vector<Rod>& rods, bool by_strain) {
    if (pose.broken > 0 && pose.broken_springs[index]) return;
    const SpringDef& spring = run.springs[index];
    const Point a = point(&pose.seen[3 * spring.a]), b = point(&pose.seen[3 * spring.b]);
    const auto rest = static_cast<float>(spring.rest_length);
    const float strain = rest > 0 ? length(b - a) / rest - 1 : 0.0f;
    rods.push_back(
        {a + run.offset, b + run.offset, by_strain ? strain_colour(strain) : rope_colour});
}

void Picture::add_pins(const Run& run) {
    // Many pins are drawn smaller.
    const float radius = run.pins.size() > 40 ? 0.5f * pin_radius_ : pin_radius_;
    for (const std::uint32_t pin : run.pins) {
        drawing_.balls.push_back({point(&run.seen[3 * pin]) + run.offset, radius, pin_colour});
    }
}

void Picture::add_contacts(const Simulation& simulation, const Run& run) {
    for (std::size_t i = 0; i < obstacles_.size(); ++i) {
        const ColliderDef& def = simulation.scene().colliders[i].def;
        const Point centre = point(simulation.collider_centre(i));
        const Rotation turn = simulation.collider_turn(i);
        const float near = static_cast<float>(def.thickness) + 0.15f * pin_radius_;
        for (std::size_t k = 0; k + 2 < run.seen.size(); k += 3) {
            const Point p = point(&run.seen[k]);
            if (distance_to(def, turn.back(p - centre)) > near) continue;
            drawing_.dots.push_back({p + run.offset, p + run.offset, contact_colour});
        }
    }
}

void Picture::add_pose(const Session& session, const Run& run, const Pose& pose) {
    const Looks& looks = session.looks;
    for (std::size_t i = 0; i + 2 < pose.seen.size(); i += 3) {
        drawing_.bounds.include(point(&pose.seen[i]) + run.offset);
    }
    for (const std::uint32_t spring : run.bare_springs) {
        add_spring(run, pose, spring, drawing_.rods, looks.springs);
    }
    const bool first = &pose == &run;
    if (run.surface.triangles.empty()) return;
    Skin skin;
    skin.shape = first ? run.shape : run.whole_shape;
    skin.positions = pose.seen;
    skin.normals = pose.normals;
    skin.triangles = first ? run.surface.triangles : run.triangles;
    skin.pattern = run.surface.pattern;
    skin.material = run.surface.solid             ? solid_material(session.simulation.scene().name)
                    : run.surface.pattern.empty() ? unpatterned_material
                                                  : cloth_material;
    if (!looks.pattern && skin.material.woven) skin.material = unpatterned_material;
    skin.offset = run.offset;
    drawing_.skins.push_back(skin);
    if (!looks.springs) return;
    for (std::size_t i = 0; i < run.springs.size(); ++i) {
        add_spring(run, pose, i, drawing_.lines, true);
    }
}

const Drawing& Picture::compose(const Session& session) {
    const Simulation& simulation = session.simulation;
    if (generation_ != simulation.generation()) set_scenery(simulation);
    drawing_.skins.clear();
    drawing_.rods.clear();
    drawing_.lines.clear();
    drawing_.balls.clear();
    drawing_.dots.clear();
    drawing_.bounds = {};
    drawing_.rod_radius = 0.6f * pin_radius_;
    for (const auto& run : simulation.runs()) {
        add_pose(session, *run, *run);
        for (const Pose& copy : run->copies) add_pose(session, *run, copy);
        add_pins(*run);
        if (session.looks.contacts) add_contacts(simulation, *run);
        add_obstacles(simulation, run->offset);
    }
    if (session.drag.holds(simulation)) {
        drawing_.balls.push_back({session.drag.at(), 1.4f * pin_radius_, drag_colour});
    }
    return drawing_;
}

} // namespace twang::demo
