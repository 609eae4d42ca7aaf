// Generates cloths and blocks, and reads scene files. See workloads.hpp.
#include "suites/workloads.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace bench {

namespace {

using std::uint32_t;
using twang::io::Scene;

// A horizontal square of 1 m with structural, shear and skip-one springs; quads give it an area.
Scene square(int side, double stiffness, double mass) {
    Scene scene;
    const uint32_t n = side;
    const auto at = [&](uint32_t row, uint32_t column) { return row * n + column; };
    for (uint32_t row = 0; row < n; ++row)
        for (uint32_t column = 0; column < n; ++column)
            scene.mesh.positions.insert(scene.mesh.positions.end(),
                                        {column / (n - 1.0), 0.0, row / (n - 1.0)});
    const auto spring = [&](uint32_t row, uint32_t column, int down, int right,
                            twang_spring_kind kind) {
        const uint32_t to_row = row + down, to_column = column + right;
        if (to_row < n && to_column < n)
            scene.springs.push_back({.a = at(row, column),
                                     .b = at(to_row, to_column),
                                     .stiffness = stiffness,
                                     .kind = kind});
    };
    for (uint32_t row = 0; row < n; ++row)
        for (uint32_t column = 0; column < n; ++column) {
            spring(row, column, 0, 1, TWANG_STRUCTURAL);
            spring(row, column, 1, 0, TWANG_STRUCTURAL);
            spring(row, column, 1, 1, TWANG_SHEAR);
            spring(row, column, 1, -1, TWANG_SHEAR);
            spring(row, column, 0, 2, TWANG_BEND);
            spring(row, column, 2, 0, TWANG_BEND);
            if (row + 1 < n && column + 1 < n)
                scene.mesh.quads.insert(scene.mesh.quads.end(),
                                        {at(row, column), at(row, column + 1),
                                         at(row + 1, column + 1), at(row + 1, column)});
        }
    scene.material.mass = mass;
    return scene;
}

std::size_t power(std::size_t base, int exponent) {
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

Workload file(const std::string& name, Scene scene) {
    const bool is_volume = !scene.mesh.tetrahedra.empty();
    return {name, scene.mesh.vertex_count(), is_volume,
            [scene = std::move(scene)] { return scene; }};
}

} // namespace

Scene cloth(int side) {
    Scene scene = square(side, 1000.0, 0.3);
    const int patch = std::max(2, side / 16);
    for (int row = 0; row < patch; ++row)
        for (int column = 0; column < side; ++column)
            if (column < patch || column >= side - patch) scene.pins.push_back(row * side + column);
    return scene;
}

Scene block(int side) {
    Scene scene;
    const auto at = [&](const std::array<int, 3>& c) {
        return static_cast<uint32_t>((c[0] * side + c[1]) * side + c[2]);
    };
    for (int x = 0; x < side; ++x)
        for (int y = 0; y < side; ++y)
            for (int z = 0; z < side; ++z) {
                const double scale = 1.0 / (side - 1);
                scene.mesh.positions.insert(scene.mesh.positions.end(),
                                            {x * scale, y * scale, z * scale});
                if (x == 0) scene.pins.push_back(at({x, y, z}));
                if (std::max({x, y, z}) == side - 1) continue;
                // Each of the six paths from a cell's first corner to its last, along one axis at a
                // time, gives the four corners of a tetrahedron.
                std::array axes{0, 1, 2};
                do {
                    std::array corner{x, y, z};
                    scene.mesh.tetrahedra.push_back(at(corner));
                    for (const int axis : axes) {
                        ++corner[axis];
                        scene.mesh.tetrahedra.push_back(at(corner));
                    }
                } while (std::next_permutation(axes.begin(), axes.end()));
            }
    scene.material.stiffness = 1000.0;
    scene.material.mass = 100.0;
    return scene;
}

Scene falling_cloth(int side) {
    Scene scene = square(side, 100.0 * (side - 1), 1.0);
    scene.pins = {0, static_cast<uint32_t>(side - 1)};
    return scene;
}

Scene shipped_scene(const std::string& name) {
    auto scene = twang::io::read_scene(TWANG_ASSETS_DIR "/scenes/" + name + ".json");
    if (!scene) throw std::runtime_error(scene.error().text());
    return *scene;
}

twang::io::Result<std::vector<Workload>> read_workloads(const Options& options) {
    const std::vector<int> cloths =
        options.quick ? std::vector{32, 100} : std::vector{32, 64, 100, 200, 400};
    const std::vector<int> blocks = options.quick ? std::vector{12} : std::vector{12, 20, 30};
    std::vector<Workload> all;
    for (const int side : cloths)
        all.push_back(
            {"cloth" + std::to_string(side), power(side, 2), false, [=] { return cloth(side); }});
    for (const int side : blocks)
        all.push_back(
            {"block" + std::to_string(side), power(side, 3), true, [=] { return block(side); }});

    auto curtain = twang::io::read_scene(TWANG_ASSETS_DIR "/scenes/curtain.json");
    if (!curtain) return curtain.error();
    all.push_back(file("curtain", *curtain));
    for (const std::string& path : options.scenes) {
        auto scene = twang::io::read_scene(path);
        if (!scene) return scene.error();
        all.push_back(file(scene->name, *scene));
    }
    return all;
}

} // namespace bench
