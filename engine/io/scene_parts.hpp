// Readers of the parts of scene files. Each takes a JSON value and fails if that is wrong (see
// failure.hpp). None uses objects of the engine.
#ifndef TWANG_IO_SCENE_PARTS_HPP
#define TWANG_IO_SCENE_PARTS_HPP

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include <twang/io.hpp>

#include "fields.hpp"
#include "json.hpp"

namespace twang::io {

struct Shape {
    Mesh mesh;
    bool diagonals = false; // quads have diagonal springs unless the material sets "shear"
};

// Reads "shape". Paths of mesh files are relative to `directory`.
Shape read_shape(const json::Value& value, const std::filesystem::path& directory, Notes& notes);

// Reads the mesh file that a scene names; its warnings are added to the scene's.
Mesh read_named_mesh(const json::Value& name, const std::filesystem::path& directory, Notes& notes);

// Reads "springs": [a, b], [a, b, stiffness] or [a, b, stiffness, rest length] each.
std::vector<SpringDef> read_springs(const json::Value& value, std::uint32_t vertex_count,
                                    double stiffness, const Notes& notes);

// Reads a mesh file, or {file, scale, translate}.
Mesh read_placed_mesh(const json::Value& value, const std::filesystem::path& directory,
                      Notes& notes);

// Reads "pins": each vertex once, in the order of the file; the first entry of a vertex decides.
// Entries by point and by box refer to `positions`, the rest shape.
struct Pins {
    std::vector<std::uint32_t> vertices;
    std::vector<MovingPins> moving;
};
Pins read_pins(const json::Value& value, std::span<const double> positions, Notes& notes);

// Reads "motion" of pins or colliders; only colliders rotate.
enum class Turning { no, yes };
Motion read_motion(const json::Value& value, Turning turning, Notes& notes);
// Reads "axis"; fails on a vector of length 0.
Vec3 read_axis(Fields& fields, Vec3 otherwise, const Notes& notes);

// Reads "copies" of a shape with vertex_count vertices.
Copies read_copies(const json::Value& value, std::uint32_t vertex_count, Notes& notes);

std::vector<SceneCollider> read_colliders(const json::Value& value,
                                          const std::filesystem::path& directory, Notes& notes);

// Read scenes in our own format and in that of the mass-spring course, and make a scene from a mesh
// alone. read_scene sets name, file and warnings.
Scene read_own_scene(const json::Value& root, const std::filesystem::path& directory, Notes& notes);
Scene read_course_scene(const json::Value& root, const std::filesystem::path& directory,
                        Notes& notes);
Scene make_bare_scene(Mesh mesh, const std::string& file);

} // namespace twang::io

#endif // TWANG_IO_SCENE_PARTS_HPP
