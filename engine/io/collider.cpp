// Reads "colliders": spheres, planes, capsules, boxes and meshes.
#include <cmath>
#include <numbers>

#include "mesh.hpp"
#include "scene_parts.hpp"

namespace twang::io {

namespace {

ColliderDef read_sphere(Fields& fields) {
    ColliderDef def;
    def.shape = TWANG_SHAPE_SPHERE;
    def.centre = fields.vector("centre", def.centre);
    def.radius = fields.number("radius", def.radius, above(0));
    def.penalty = fields.number("penalty", def.penalty, at_least(0));
    def.penalty_scale = fields.number("penalty_scale", def.penalty_scale, above(0));
    return def;
}

ColliderDef read_plane(Fields& fields, Notes& notes) {
    ColliderDef def;
    def.shape = TWANG_SHAPE_PLANE;
    def.centre = fields.vector("point", def.centre);
    def.normal = fields.vector("normal", def.normal);
    if (!(std::hypot(def.normal.x, def.normal.y, def.normal.z) > 0.0)) {
        notes.fail(fields.line(), "'normal' must not be 0");
    }
    return def;
}

ColliderDef read_capsule(Fields& fields, Notes& notes) {
    ColliderDef def;
    def.shape = TWANG_SHAPE_CAPSULE;
    def.centre = fields.vector("from", def.centre);
    def.end = fields.vector("to", def.end);
    def.radius = fields.number("radius", def.radius, above(0));
    if (const json::Value* const radius = fields.find("end_radius")) {
        def.end_radius = as_number(*radius, "end_radius", notes, above(0));
    }
    return def;
}

ColliderDef read_box(Fields& fields, Notes& notes) {
    ColliderDef def;
    def.shape = TWANG_SHAPE_BOX;
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
                            : key == "capsule" ? read_capsule(fields, notes)
                                               : read_box(fields, notes);
    fields.warn_of_unknown();
    return def;
}

Quaternion read_rotation(const json::Value& value, Notes& notes) {
    Fields fields(value, "rotation", notes);
    const Vec3 axis = read_axis(fields, Motion().axis, notes);
    const double degrees = fields.need_number("degrees");
    fields.warn_of_unknown();
    return rotation_about(axis, degrees / 180.0 * std::numbers::pi);
}

// Reads the mesh of a collider: vertices, with scale and translation applied, and triangles.
void read_mesh_geometry(const json::Value& value, const std::filesystem::path& directory,
                        SceneCollider& collider, Notes& notes) {
    const Mesh read = read_placed_mesh(value, directory, notes);
    const auto mesh = std::make_shared<Mesh>();
    mesh->positions = read.positions;
    mesh->triangles = face_triangles(read);
    if (mesh->triangles.empty()) notes.fail(value.line, "the mesh of a collider needs faces");
    collider.def.shape = TWANG_SHAPE_MESH;
    collider.def.positions = mesh->positions.data();
    collider.def.vertex_count = mesh->vertex_count();
    collider.def.triangles = mesh->triangles.data();
    collider.def.triangle_count = static_cast<std::uint32_t>(mesh->triangles.size() / 3);
    collider.mesh = mesh;
}

SceneCollider read_collider(const json::Value& value, const std::filesystem::path& directory,
                            Notes& notes) {
    Fields fields(value, "colliders", notes);
    std::string_view key;
    const json::Value* const geometry =
        fields.find_one_of({"sphere", "plane", "capsule", "box", "mesh"}, key);
    if (!geometry) {
        notes.fail(value.line, "a collider needs one of sphere, plane, capsule, box, mesh");
    }
    SceneCollider collider;
    if (key == "mesh") {
        read_mesh_geometry(*geometry, directory, collider, notes);
    } else {
        collider.def = read_geometry(*geometry, key, notes);
    }
    collider.def.thickness = fields.number("thickness", collider.def.thickness, at_least(0));
    collider.def.friction = fields.number("friction", collider.def.friction, at_least(0));
    if (const json::Value* const kinetic = fields.find("kinetic_friction")) {
        collider.def.kinetic_friction =
            as_number(*kinetic, "kinetic_friction", notes, between(0, collider.def.friction));
    }
    if (const json::Value* const between = fields.find("between_vertices")) {
        if (!between->boolean()) {
            notes.fail(between->line, "'between_vertices' must be true or false");
        }
        collider.def.between_vertices = *between->boolean();
    }
    if (const json::Value* const rotation = fields.find("rotation")) {
        collider.def.rotation = read_rotation(*rotation, notes);
    }
    if (const json::Value* const motion = fields.find("motion")) {
        collider.motion = read_motion(*motion, Turning::yes, notes);
    }
    fields.warn_of_unknown();
    return collider;
}

} // namespace

std::vector<SceneCollider> read_colliders(const json::Value& value,
                                          const std::filesystem::path& directory, Notes& notes) {
    std::vector<SceneCollider> colliders;
    for (const json::Value& item : as_list(value, "colliders", notes)) {
        colliders.push_back(read_collider(item, directory, notes));
    }
    return colliders;
}

} // namespace twang::io
