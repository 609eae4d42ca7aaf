// The parts that scene files are read by. Each takes JSON values and fails on what is wrong with
// them (see failure.hpp); none touches the engine's objects.
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
    bool diagonals = false; // its quads have diagonal springs unless the material says otherwise
};

// The value of "shape". `directory` is where mesh files are looked for.
Shape read_shape(const json::Value& value, const std::filesystem::path& directory, Notes& notes);

// A mesh file that a scene names; its warnings join the scene's.
Mesh read_named_mesh(const json::Value& name, const std::filesystem::path& directory, Notes& notes);

// The value of "springs": [a, b], [a, b, stiffness] or [a, b, stiffness, rest length] each.
std::vector<SpringDef> read_springs(const json::Value& value, std::uint32_t vertex_count,
                                    double stiffness, const Notes& notes);

// A mesh file, or {file, scale, translate}.
Mesh read_placed_mesh(const json::Value& value, const std::filesystem::path& directory,
                      Notes& notes);

// The value of "pins": each vertex once, in the order of the file, as its first entry says. Points
// and boxes look at `positions`, the rest shape.
struct Pins {
    std::vector<std::uint32_t> vertices;
    std::vector<MovingPins> moving;
};
Pins read_pins(const json::Value& value, std::span<const double> positions, Notes& notes);

// The value of "motion", in pins and colliders; only the latter turn.
enum class Turning { no, yes };
Motion read_motion(const json::Value& value, Turning turning, Notes& notes);
// The value of an axis.
Vec3 read_axis(Fields& fields, Vec3 otherwise, const Notes& notes);

// The value of "copies", of a shape with so many vertices.
Copies read_copies(const json::Value& value, std::uint32_t vertex_count, Notes& notes);

std::vector<SceneCollider> read_colliders(const json::Value& value,
                                          const std::filesystem::path& directory, Notes& notes);

// Scenes: in our own format, in the mass-spring course's, and from a mesh alone. All leave name,
// file and warnings to read_scene.
Scene read_own_scene(const json::Value& root, const std::filesystem::path& directory, Notes& notes);
Scene read_course_scene(const json::Value& root, const std::filesystem::path& directory,
                        Notes& notes);
Scene make_bare_scene(Mesh mesh, const std::string& file);

} // namespace twang::io

#endif // TWANG_IO_SCENE_PARTS_HPP
