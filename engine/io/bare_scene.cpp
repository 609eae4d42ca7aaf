// Makes a scene of a mesh alone: 1 kg, pinned at the highest vertices, stiff enough for its weight.
#include <array>
#include <cmath>
#include <filesystem>

#include "mesh.hpp"
#include "scene_parts.hpp"

namespace twang::io {

namespace {

// Returns the stiffness k = m g / (0.01 l), with the mean length l of sides: a single spring that
// carries the whole weight is 1 % longer than at rest.
double holding_stiffness(const Mesh& mesh, const MeshDef& material, const WorldDef& world) {
    constexpr double stretch = 0.01;
    const double weight = material.mass * std::abs(world.gravity.y);
    const double stiffness = weight / (stretch * mean_side_length(mesh));
    return std::isfinite(stiffness) ? stiffness : material.stiffness;
}

// Returns the vertices within a thousandth of the height below the top. A mesh without height is
// pinned at its far side (the lowest z), and one without depth at its left side (the lowest x).
// Otherwise all vertices would be pinned.
std::vector<std::uint32_t> highest_vertices(const Mesh& mesh) {
    constexpr double share = 1e-3;
    struct Side {
        std::size_t axis;
        double sign, top, extent;
    };
    const Bounds bounds = bounds_of(mesh.positions);
    const std::array<Side, 3> sides = {{{1, 1.0, bounds.high.y, bounds.high.y - bounds.low.y},
                                        {2, -1.0, -bounds.low.z, bounds.high.z - bounds.low.z},
                                        {0, -1.0, -bounds.low.x, bounds.high.x - bounds.low.x}}};
    const double flat = share * bounds.diagonal();
    std::vector<std::uint32_t> pins;
    for (const Side& side : sides) {
        if (side.extent <= flat && side.axis != 0) continue;
        for (std::uint32_t vertex = 0; vertex < mesh.vertex_count(); ++vertex) {
            const double height = side.sign * mesh.positions[3 * std::size_t{vertex} + side.axis];
            if (height >= side.top - share * side.extent) pins.push_back(vertex);
        }
        break;
    }
    return pins;
}

} // namespace

Scene make_bare_scene(Mesh mesh, const std::string& file) {
    Scene scene;
    scene.mesh = std::move(mesh);
    scene.title =
        std::filesystem::path(file).filename().string() + ", hung from its highest points";
    scene.material.mass = 1.0;
    scene.material.stiffness = holding_stiffness(scene.mesh, scene.material, scene.world);
    scene.pins = highest_vertices(scene.mesh);
    scene.camera = fitted_camera(bounds_of(scene.mesh.positions));
    return scene;
}

} // namespace twang::io
