// Reads a scene of the mass-spring course: {"obj": "net.obj", "k": 300, "m": 1, "b": [1, 5, 35]}.
// The sides of the faces are the springs, there is no damping, and h = 1/60 s unless "h" is given.
#include "mesh.hpp"
#include "scene_parts.hpp"
#include "text.hpp"

namespace twang::io {

namespace {

// Reads the mass of every vertex (kg). Without "m" faces weigh 1 kg per square metre and lines 1 kg
// per metre.
void read_mass(const json::Value* value, Scene& scene, const Notes& notes) {
    if (!value) {
        scene.material.density = 1.0;
        return;
    }
    scene.masses.assign(scene.mesh.vertex_count(), as_number(*value, "m", notes, above(0)));
}

// Reads the pinned vertices, which count from 1.
std::vector<std::uint32_t> read_fixed(const json::Value& value, std::uint32_t vertex_count,
                                      const Notes& notes) {
    std::vector<bool> chosen(vertex_count, false);
    std::vector<std::uint32_t> pins;
    for (const json::Value& item : as_list(value, "b", notes)) {
        const std::int64_t number = as_integer(item, "b", notes, between(1, vertex_count));
        const auto vertex = static_cast<std::uint32_t>(number - 1);
        if (!chosen[vertex]) pins.push_back(vertex);
        chosen[vertex] = true;
    }
    return pins;
}

} // namespace

Scene read_course_scene(const json::Value& root, const std::filesystem::path& directory,
                        Notes& notes) {
    Fields fields(root, "scene", notes);
    Scene scene;
    const json::Value& obj = fields.need("obj");
    scene.mesh = read_named_mesh(obj, directory, notes);
    scene.material.stiffness = fields.need_number("k", at_least(0));
    read_mass(fields.find("m"), scene, notes);
    if (const json::Value* const value = fields.find("b")) {
        scene.pins = read_fixed(*value, scene.mesh.vertex_count(), notes);
    }
    const std::string picture = fields.text("png");
    if (!picture.empty()) scene.texture = (directory / picture).string();
    scene.world.time_step = fields.number("h", scene.world.time_step, above(0));
    fields.warn_of_unknown();
    scene.title = std::filesystem::path(*obj.text()).filename().string() + " with springs of " +
                  decimal(scene.material.stiffness) + " N/m";
    scene.camera = fitted_camera(bounds_of(scene.mesh.positions));
    return scene;
}

} // namespace twang::io
