#include "picture.hpp"

#include <algorithm>
#include <limits>

namespace twang::demo {
namespace {

constexpr Colour brass = {0.78f, 0.48f, 0.12f};
constexpr Colour held = {0.90f, 0.16f, 0.10f};
constexpr Colour hemp = {0.55f, 0.36f, 0.18f};
constexpr Colour contact = {0.95f, 0.75f, 0.10f};
constexpr float strong = 0.05f; // the strain that gets the full colour

const Material cloth = {{0.95f, 0.95f, 0.95f}, {0.74f, 0.74f, 0.76f}, 0.06f, 0.25f, true};
const Material plain_cloth = {{0.12f, 0.32f, 0.38f}, {0.60f, 0.50f, 0.36f}, 0.06f, 0.25f, false};
const Material clay = {{0.50f, 0.48f, 0.45f}, {0.50f, 0.48f, 0.45f}, 0.25f, 0, false};

// Rubber, in a colour that a scene's name picks.
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

// Blue where a spring is pressed, pale at rest, red where it is stretched.
Colour strain_colour(float strain) {
    const float t = std::clamp(strain / strong, -1.0f, 1.0f);
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
        const Point up = turn_by(def.rotation)(normalized(point(def.normal)));
        if (def.shape == TWANG_PLANE && up.y > 0.99f) {
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
                const Point held_at = rest_point(scene, pin);
                const float away = length(p - held_at);
                if (away >= nearest) continue;
                nearest = away;
                hangs = held_at.y - away;
            }
            low = std::min(low, hangs);
        }
    }
    for (const io::SceneCollider& collider : scene.colliders) { // obstacles stand on it
        const SolidShape shape = make_shape(collider.def);
        const Turn turn = turn_by(collider.def.rotation);
        for (std::size_t i = 0; i + 2 < shape.positions.size(); i += 3) {
            const float up = turn(point(&shape.positions[i])).y;
            low = std::min(low, up + static_cast<float>(collider.def.centre.y));
        }
    }
    return low - 0.08f * bounds.diagonal();
}

void Picture::set_scenery(const Show& show) {
    static std::uint64_t shapes = std::uint64_t{1} << 62; // apart from those of acts
    generation_ = show.generation();
    obstacles_.clear();
    obstacle_ids_.clear();
    for (const io::SceneCollider& collider : show.scene().colliders) {
        obstacles_.push_back(make_shape(collider.def));
        obstacle_ids_.push_back(++shapes);
    }
    drawing_.ground = ground_height(show.scene());
    grain_ = 0.007f * start_bounds(show.scene()).diagonal();
}

void Picture::add_obstacles(const Show& show, Point offset) {
    for (std::size_t i = 0; i < obstacles_.size(); ++i) {
        const SolidShape& shape = obstacles_[i];
        if (shape.triangles.empty()) continue;
        Skin skin;
        skin.shape = obstacle_ids_[i];
        skin.positions = shape.positions;
        skin.normals = shape.normals;
        skin.triangles = shape.triangles;
        skin.material = clay;
        skin.turn = show.collider_turn(i);
        skin.offset = point(show.collider_centre(i)) + offset;
        drawing_.skins.push_back(skin);
        for (std::size_t k = 0; k + 2 < shape.positions.size(); k += 3) {
            drawing_.bounds.include(skin.turn(point(&shape.positions[k])) + skin.offset);
        }
    }
}

void Picture::add_springs(const Act& act, const Pose& pose, const std::vector<SpringDef>& springs,
                          std::vector<Rod>& rods, bool by_strain) {
    rods.reserve(rods.size() + springs.size());
    for (const SpringDef& spring : springs) {
        const Point a = point(&pose.seen[3 * spring.a]), b = point(&pose.seen[3 * spring.b]);
        const auto rest = static_cast<float>(spring.rest_length);
        const float strain = rest > 0 ? length(b - a) / rest - 1 : 0.0f;
        if (act.broken > 0 && strain > 0.5f) continue; // most likely one of those
        rods.push_back({a + act.offset, b + act.offset, by_strain ? strain_colour(strain) : hemp});
    }
}

void Picture::add_pins(const Act& act) {
    const float radius = act.pins.size() > 40 ? 0.5f * grain_ : grain_; // a crowd is smaller
    for (const std::uint32_t pin : act.pins) {
        drawing_.balls.push_back({point(&act.seen[3 * pin]) + act.offset, radius, brass});
    }
}

void Picture::add_contacts(const Show& show, const Act& act) {
    for (std::size_t i = 0; i < obstacles_.size(); ++i) {
        const ColliderDef& def = show.scene().colliders[i].def;
        const Point centre = point(show.collider_centre(i));
        const Turn turn = show.collider_turn(i);
        const float near = static_cast<float>(def.thickness) + 0.15f * grain_;
        for (std::size_t k = 0; k + 2 < act.seen.size(); k += 3) {
            const Point p = point(&act.seen[k]);
            if (distance_to(def, turn.back(p - centre)) > near) continue;
            drawing_.dots.push_back({p + act.offset, p + act.offset, contact});
        }
    }
}

void Picture::add_pose(const Session& session, const Act& act, const Pose& pose) {
    const Looks& looks = session.looks;
    for (std::size_t i = 0; i + 2 < pose.seen.size(); i += 3) {
        drawing_.bounds.include(point(&pose.seen[i]) + act.offset);
    }
    add_springs(act, pose, act.strings, drawing_.rods, looks.springs);
    const bool first = &pose == &act;
    if (act.surface.triangles.empty()) return;
    Skin skin;
    skin.shape = first ? act.shape : act.whole;
    skin.positions = pose.seen;
    skin.normals = pose.normals;
    skin.triangles = first ? act.surface.triangles : act.triangles;
    skin.pattern = act.surface.pattern;
    skin.material = act.surface.solid             ? solid_material(session.show.scene().name)
                    : act.surface.pattern.empty() ? plain_cloth
                                                  : cloth;
    if (!looks.pattern && skin.material.woven) skin.material = plain_cloth;
    skin.offset = act.offset;
    drawing_.skins.push_back(skin);
    if (looks.springs) add_springs(act, pose, act.springs, drawing_.lines, true);
}

const Drawing& Picture::compose(const Session& session) {
    const Show& show = session.show;
    if (generation_ != show.generation()) set_scenery(show);
    drawing_.skins.clear();
    drawing_.rods.clear();
    drawing_.lines.clear();
    drawing_.balls.clear();
    drawing_.dots.clear();
    drawing_.bounds = {};
    drawing_.rod_radius = 0.6f * grain_;
    for (const auto& act : show.acts()) {
        add_pose(session, *act, *act);
        for (const Pose& copy : act->copies) add_pose(session, *act, copy);
        add_pins(*act);
        if (session.looks.contacts) add_contacts(show, *act);
        add_obstacles(show, act->offset);
    }
    if (session.hand.holds(show)) {
        drawing_.balls.push_back({session.hand.at(), 1.4f * grain_, held});
    }
    return drawing_;
}

} // namespace twang::demo
