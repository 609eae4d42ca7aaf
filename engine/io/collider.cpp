// Reads "colliders": spheres, planes, capsules and boxes, and how they move.
#include <cmath>

#include "scene_parts.hpp"

namespace twang::io {

namespace {

ColliderDef read_sphere(Fields& fields) {
    ColliderDef def;
    def.shape = TWANG_SPHERE;
    def.centre = fields.vector("centre", def.centre);
    def.radius = fields.number("radius", def.radius, above(0));
    return def;
}

ColliderDef read_plane(Fields& fields, Notes& notes) {
    ColliderDef def;
    def.shape = TWANG_PLANE;
    def.centre = fields.vector("point", def.centre);
    def.normal = fields.vector("normal", def.normal);
    if (!(std::hypot(def.normal.x, def.normal.y, def.normal.z) > 0.0)) {
        notes.fail(fields.line(), "'normal' must not be 0");
    }
    return def;
}

ColliderDef read_capsule(Fields& fields) {
    ColliderDef def;
    def.shape = TWANG_CAPSULE;
    def.centre = fields.vector("from", def.centre);
    def.end = fields.vector("to", def.end);
    def.radius = fields.number("radius", def.radius, above(0));
    return def;
}

ColliderDef read_box(Fields& fields, Notes& notes) {
    ColliderDef def;
    def.shape = TWANG_BOX;
    def.centre = fields.vector("centre", def.centre);
    def.half_extents = fields.vector("half_extents", def.half_extents);
    if (!(def.half_extents.x > 0.0 && def.half_extents.y > 0.0 && def.half_extents.z > 0.0)) {
        notes.fail(fields.line(), "'half_extents' must be above 0 along every axis");
    }
    return def;
}

ColliderDef read_geometry(const json::Value& value, std::string_view key, Notes& notes) {
    Fields fields(value, key, notes);
    const ColliderDef def = key == "sphere"    ? read_sphere(fields)
                            : key == "plane"   ? read_plane(fields, notes)
                            : key == "capsule" ? read_capsule(fields)
                                               : read_box(fields, notes);
    fields.warn_of_unknown();
    return def;
}

Motion read_motion(const json::Value& value, Notes& notes) {
    Fields fields(value, "motion", notes);
    Motion motion;
    motion.velocity = fields.vector("velocity", motion.velocity);
    motion.amplitude = fields.vector("amplitude", motion.amplitude);
    motion.frequency = fields.number("frequency", motion.frequency, at_least(0));
    fields.warn_of_unknown();
    return motion;
}

SceneCollider read_collider(const json::Value& value, Notes& notes) {
    Fields fields(value, "colliders", notes);
    std::string_view key;
    const json::Value* const geometry =
        fields.find_one_of({"sphere", "plane", "capsule", "box"}, key);
    if (!geometry) notes.fail(value.line, "a collider needs one of sphere, plane, capsule, box");
    SceneCollider collider;
    collider.def = read_geometry(*geometry, key, notes);
    collider.def.thickness = fields.number("thickness", collider.def.thickness, at_least(0));
    collider.def.friction = fields.number("friction", collider.def.friction, at_least(0));
    if (const json::Value* const motion = fields.find("motion")) {
        collider.motion = read_motion(*motion, notes);
    }
    fields.warn_of_unknown();
    return collider;
}

} // namespace

std::vector<SceneCollider> read_colliders(const json::Value& value, Notes& notes) {
    std::vector<SceneCollider> colliders;
    for (const json::Value& item : as_list(value, "colliders", notes)) {
        colliders.push_back(read_collider(item, notes));
    }
    return colliders;
}

} // namespace twang::io
