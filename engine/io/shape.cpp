// Reads "shape", a generator with its numbers or a mesh file, and "springs".
#include <array>
#include <cmath>

#include "failure.hpp"
#include "generators.hpp"
#include "scene_parts.hpp"
#include "text.hpp"

namespace twang::io {

namespace {

void check_size(double vertices, const json::Value& value, const Notes& notes) {
    if (vertices <= max_vertices) return;
    notes.fail(value.line, "the shape has " + decimal(vertices) + " vertices; the limit is " +
                               decimal(max_vertices));
}

std::uint32_t to_count(std::int64_t count) { return static_cast<std::uint32_t>(count); }

double length_of_cross(Vec3 a, Vec3 b) {
    return std::hypot(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

Mesh read_cloth(const json::Value& value, Notes& notes) {
    Fields fields(value, "cloth", notes);
    ClothDef def;
    const std::int64_t columns = fields.need_integer("columns", between(2, max_vertices));
    const std::int64_t rows = fields.need_integer("rows", between(2, max_vertices));
    def.spacing = fields.number("spacing", def.spacing, above(0));
    def.origin = fields.vector("origin", def.origin);
    def.across = fields.vector("across", def.across);
    def.down = fields.vector("down", def.down);
    fields.warn_of_unknown();
    check_size(static_cast<double>(columns) * static_cast<double>(rows), value, notes);
    if (!(length_of_cross(def.across, def.down) > 0.0)) {
        notes.fail(value.line, "'across' and 'down' must point in different directions");
    }
    def.columns = to_count(columns);
    def.rows = to_count(rows);
    return make_grid(def);
}

Mesh read_square(const json::Value& value, Notes& notes) {
    Fields fields(value, "square", notes);
    const std::int64_t side_vertices =
        fields.need_integer("vertices_per_side", between(2, max_vertices));
    const double side = fields.number("side", 1.0, above(0));
    const Vec3 origin = fields.vector("origin", {});
    fields.warn_of_unknown();
    check_size(static_cast<double>(side_vertices) * static_cast<double>(side_vertices), value,
               notes);
    ClothDef def;
    def.columns = def.rows = to_count(side_vertices);
    def.spacing = side / static_cast<double>(side_vertices - 1);
    def.origin = origin;
    def.down = {0.0, 1.0, 0.0}; // rows go up from the origin
    return make_grid(def);
}

Mesh read_rope(const json::Value& value, Notes& notes) {
    Fields fields(value, "rope", notes);
    const std::int64_t vertices = fields.need_integer("vertices", at_least(2));
    const Vec3 from = fields.vector("from", {});
    const Vec3 to = fields.vector("to", {1.0, 0.0, 0.0});
    fields.warn_of_unknown();
    check_size(static_cast<double>(vertices), value, notes);
    if (from.x == to.x && from.y == to.y && from.z == to.z) {
        notes.fail(value.line, "'from' and 'to' must be different points");
    }
    return make_rope(to_count(vertices), from, to);
}

Mesh read_block(const json::Value& value, Notes& notes) {
    Fields fields(value, "block", notes);
    const json::Value& cells_value = fields.need("cells");
    const json::Array& list = as_list(cells_value, "cells", notes);
    if (list.size() != 3) notes.fail(cells_value.line, "'cells' must be three whole numbers");
    std::array<std::uint32_t, 3> cells{};
    double vertices = 1.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        cells[axis] = to_count(as_integer(list[axis], "cells", notes, between(1, max_vertices)));
        vertices *= cells[axis] + 1.0;
    }
    const Vec3 size = fields.vector("size", {1.0, 1.0, 1.0});
    const Vec3 origin = fields.vector("origin", {});
    fields.warn_of_unknown();
    check_size(vertices, value, notes);
    if (!(size.x > 0.0 && size.y > 0.0 && size.z > 0.0)) {
        notes.fail(value.line, "'size' must be above 0 along every axis");
    }
    return make_block(cells, size, origin);
}

Mesh read_balloon(const json::Value& value, Notes& notes) {
    Fields fields(value, "balloon", notes);
    Balloon balloon;
    balloon.subdivisions = to_count(fields.integer("subdivisions", 3, between(0, 10)));
    balloon.radius = fields.number("radius", balloon.radius, above(0));
    balloon.centre = fields.vector("centre", balloon.centre);
    balloon.string = fields.number("string", 0.0, at_least(0));
    const std::int64_t vertices =
        fields.integer("string_vertices", balloon.string > 0.0 ? 20 : 0, between(0, max_vertices));
    fields.warn_of_unknown();
    if ((balloon.string > 0.0) != (vertices > 0)) {
        notes.fail(value.line, "a 'string' has a length and vertices, or neither");
    }
    const double sphere = 10.0 * std::pow(4.0, balloon.subdivisions) + 2.0;
    check_size(sphere + static_cast<double>(vertices), value, notes);
    balloon.string_vertices = to_count(vertices);
    return make_balloon(balloon);
}

Mesh read_jelly(const json::Value& value, Notes& notes) {
    Fields fields(value, "jelly", notes);
    JellyDef def;
    const std::int64_t across = fields.integer("across", def.across, between(1, max_vertices));
    const std::int64_t up = fields.integer("up", def.up, between(1, max_vertices));
    def.radius = fields.number("radius", def.radius, above(0));
    def.height = fields.number("height", def.height, above(0));
    def.flutes = to_count(fields.integer("flutes", def.flutes, between(0, 1000)));
    def.base = fields.vector("base", def.base);
    fields.warn_of_unknown();
    const double side = static_cast<double>(across) + 1.0;
    check_size(side * side * (static_cast<double>(up) + 1.0), value, notes);
    def.across = to_count(across);
    def.up = to_count(up);
    return make_jelly(def);
}

Mesh read_points(const json::Value& value, const Notes& notes) {
    Mesh mesh;
    for (const json::Value& point : as_list(value, "points", notes)) {
        const Vec3 p = as_vector(point, "points", notes);
        mesh.positions.insert(mesh.positions.end(), {p.x, p.y, p.z});
    }
    if (mesh.positions.empty()) notes.fail(value.line, "'points' must not be empty");
    return mesh;
}

} // namespace

Mesh read_named_mesh(const json::Value& name, const std::filesystem::path& directory,
                     Notes& notes) {
    const std::string& file = as_text(name, "file", notes);
    if (file.empty()) notes.fail(name.line, "the name of the mesh file is empty");
    Result<Mesh> mesh = read_mesh((directory / file).string());
    if (!mesh) throw Failure{mesh.error()};
    notes.warnings.insert(notes.warnings.end(), mesh->warnings.begin(), mesh->warnings.end());
    return std::move(*mesh);
}

Mesh read_placed_mesh(const json::Value& value, const std::filesystem::path& directory,
                      Notes& notes) {
    if (value.text()) return read_named_mesh(value, directory, notes);
    Fields fields(value, "mesh", notes);
    const json::Value& name = fields.need("file");
    const double scale = fields.number("scale", 1.0, above(0));
    const Vec3 shift = fields.vector("translate", {});
    fields.warn_of_unknown();
    Mesh mesh = read_named_mesh(name, directory, notes);
    const std::array<double, 3> translate = {shift.x, shift.y, shift.z};
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
        mesh.positions[i] = scale * mesh.positions[i] + translate[i % 3];
    }
    return mesh;
}

Shape read_shape(const json::Value& value, const std::filesystem::path& directory, Notes& notes) {
    Fields fields(value, "shape", notes);
    std::string_view key;
    const json::Value* const shape = fields.find_one_of(
        {"cloth", "square", "rope", "block", "balloon", "jelly", "mesh", "points"}, key);
    fields.warn_of_unknown();
    if (!shape) {
        notes.fail(value.line,
                   "'shape' needs one of cloth, square, rope, block, balloon, jelly, mesh, points");
    }
    if (key == "cloth") return {read_cloth(*shape, notes)};
    if (key == "square") return {read_square(*shape, notes), true};
    if (key == "rope") return {read_rope(*shape, notes)};
    if (key == "block") return {read_block(*shape, notes)};
    if (key == "balloon") return {read_balloon(*shape, notes)};
    if (key == "jelly") return {read_jelly(*shape, notes)};
    if (key == "mesh") return {read_placed_mesh(*shape, directory, notes)};
    return {read_points(*shape, notes)};
}

std::vector<SpringDef> read_springs(const json::Value& value, std::uint32_t vertex_count,
                                    double stiffness, const Notes& notes) {
    std::vector<SpringDef> springs;
    const Range vertices = between(0, vertex_count - 1.0);
    for (const json::Value& item : as_list(value, "springs", notes)) {
        const json::Array& list = as_list(item, "springs", notes);
        if (list.size() < 2 || list.size() > 4) {
            notes.fail(item.line,
                       "a spring is [a, b], [a, b, stiffness] or "
                       "[a, b, stiffness, rest_length]");
        }
        SpringDef spring;
        spring.a = to_count(as_integer(list[0], "springs", notes, vertices));
        spring.b = to_count(as_integer(list[1], "springs", notes, vertices));
        spring.stiffness = stiffness;
        if (list.size() > 2) spring.stiffness = as_number(list[2], "stiffness", notes, at_least(0));
        if (list.size() > 3) {
            spring.rest_length = as_number(list[3], "rest_length", notes, at_least(0));
        }
        springs.push_back(spring);
    }
    return springs;
}

} // namespace twang::io
