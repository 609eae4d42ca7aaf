// Chooses how a file is read: as a scene of our own format, as a scene of the mass-spring course,
// or as a mesh alone.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "failure.hpp"
#include "mesh.hpp"
#include "scene_parts.hpp"
#include "text.hpp"

namespace twang::io {

namespace {

bool is_mesh_file(const std::string& path) {
    const std::string extension = extension_of(path);
    return extension == ".obj" || extension == ".mesh";
}

Scene read_bare(const std::string& path) {
    Result<Mesh> mesh = read_mesh(path);
    if (!mesh) throw Failure{mesh.error()};
    std::vector<std::string> warnings = mesh->warnings;
    Scene scene = make_bare_scene(std::move(*mesh), path);
    scene.warnings = std::move(warnings);
    return scene;
}

Scene read_json(const std::string& path) {
    const json::Value root = json::parse(path, load_text(path));
    const std::filesystem::path directory = std::filesystem::path(path).parent_path();
    Notes notes{path, {}};
    const json::Object* const object = root.object();
    const bool course =
        object && std::any_of(object->begin(), object->end(),
                              [](const json::Member& member) { return member.key == "obj"; });
    Scene scene =
        course ? read_course_scene(root, directory, notes) : read_own_scene(root, directory, notes);
    notes.place_unknown();
    scene.warnings = std::move(notes.warnings);
    return scene;
}

} // namespace

std::string Error::text() const {
    return file + (line > 0 ? ':' + std::to_string(line) : "") + ": " + reason;
}

Result<Scene> read_scene(const std::string& path) {
    return guarded(path, [&] {
        Scene scene = is_mesh_file(path) ? read_bare(path) : read_json(path);
        const std::vector<double>& start =
            scene.positions.empty() ? scene.mesh.positions : scene.positions;
        if (!std::isfinite(bounds_of(scene.mesh.positions).diagonal()) ||
            !std::isfinite(bounds_of(start).diagonal())) {
            fail(path, 0, "the coordinates are too large to compute with");
        }
        scene.file = path;
        scene.name = std::filesystem::path(path).stem().string();
        if (scene.title.empty()) scene.title = scene.name;
        return scene;
    });
}

} // namespace twang::io
