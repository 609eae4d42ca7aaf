// A mesh in the layout of the engine, the choice of its reader, and its measures. See mesh.hpp.
#include "mesh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "failure.hpp"
#include "text.hpp"

namespace twang::io {

namespace {

class MeanLength {
public:
    explicit MeanLength(const Mesh& mesh) : positions_(mesh.positions) {}

    void add(std::uint32_t a, std::uint32_t b) {
        const double* const p = &positions_[3 * std::size_t{a}];
        const double* const q = &positions_[3 * std::size_t{b}];
        sum_ += std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
        ++count_;
    }
    void add_polygon(std::span<const std::uint32_t> corners) {
        for (std::size_t i = 0; i < corners.size(); ++i) {
            add(corners[i], corners[i + 1 < corners.size() ? i + 1 : 0]);
        }
    }
    void add_tetrahedron(std::span<const std::uint32_t> corners) {
        for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t j = i + 1; j < 4; ++j) add(corners[i], corners[j]);
        }
    }
    double value() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : 0.0; }

private:
    const std::vector<double>& positions_;
    double sum_ = 0.0;
    std::size_t count_ = 0;
};

template <class Use>
void for_each_group(std::span<const std::uint32_t> list, std::size_t size, Use use) {
    for (std::size_t i = 0; i + size <= list.size(); i += size) use(list.subspan(i, size));
}

template <class Use>
void for_each_separated(std::span<const std::uint32_t> list, Use use) {
    for (auto begin = list.begin(); begin != list.end();) {
        const auto end = std::find(begin, list.end(), TWANG_END);
        use(std::span(begin, end));
        begin = end == list.end() ? end : end + 1;
    }
}

std::uint32_t count_of(const std::vector<std::uint32_t>& list, std::size_t each) {
    return static_cast<std::uint32_t>(list.size() / each);
}

} // namespace

MeshDef Mesh::def() const {
    MeshDef def;
    def.positions = positions.data();
    def.vertex_count = vertex_count();
    def.triangles = triangles.data();
    def.triangle_count = count_of(triangles, 3);
    def.quads = quads.data();
    def.quad_count = count_of(quads, 4);
    def.polygons = polygons.data();
    def.polygon_index_count = count_of(polygons, 1);
    def.tetrahedra = tetrahedra.data();
    def.tetrahedron_count = count_of(tetrahedra, 4);
    def.polylines = polylines.data();
    def.polyline_index_count = count_of(polylines, 1);
    return def;
}

Result<Mesh> read_mesh(const std::string& path) {
    const std::string extension = extension_of(path);
    if (extension == ".obj") return read_obj(path);
    if (extension == ".mesh") return read_medit(path);
    return guarded(path, [&]() -> Mesh {
        load_text(path); // an unreadable file is reported as that, whatever its name
        fail(path, 0, "not a mesh file: its name ends neither in .obj nor in .mesh");
    });
}

Vec3 Bounds::centre() const {
    return {0.5 * (low.x + high.x), 0.5 * (low.y + high.y), 0.5 * (low.z + high.z)};
}

double Bounds::diagonal() const {
    return std::hypot(high.x - low.x, high.y - low.y, high.z - low.z);
}

Bounds bounds_of(std::span<const double> positions) {
    if (positions.size() < 3) return {};
    constexpr double most = std::numeric_limits<double>::max();
    Bounds bounds{{most, most, most}, {-most, -most, -most}};
    for (std::size_t i = 0; i + 3 <= positions.size(); i += 3) {
        const double* const p = &positions[i];
        bounds.low = {std::min(bounds.low.x, p[0]), std::min(bounds.low.y, p[1]),
                      std::min(bounds.low.z, p[2])};
        bounds.high = {std::max(bounds.high.x, p[0]), std::max(bounds.high.y, p[1]),
                       std::max(bounds.high.z, p[2])};
    }
    return bounds;
}

double mean_side_length(const Mesh& mesh) {
    MeanLength mean(mesh);
    const auto add_polygon = [&](auto corners) { mean.add_polygon(corners); };
    for_each_group(mesh.triangles, 3, add_polygon);
    for_each_group(mesh.quads, 4, add_polygon);
    for_each_separated(mesh.polygons, add_polygon);
    for_each_group(mesh.tetrahedra, 4, [&](auto corners) { mean.add_tetrahedron(corners); });
    for_each_separated(mesh.polylines, [&](auto line) {
        for (std::size_t i = 0; i + 1 < line.size(); ++i) mean.add(line[i], line[i + 1]);
    });
    return mean.value();
}

std::vector<std::uint32_t> face_triangles(const Mesh& mesh) {
    std::vector<std::uint32_t> triangles = mesh.triangles;
    const auto add_fan = [&](const std::uint32_t* corners, std::size_t count) {
        for (std::size_t i = 2; i < count; ++i) {
            triangles.insert(triangles.end(), {corners[0], corners[i - 1], corners[i]});
        }
    };
    for (std::size_t i = 0; i + 4 <= mesh.quads.size(); i += 4) add_fan(&mesh.quads[i], 4);
    std::size_t first = 0;
    for (std::size_t i = 0; i <= mesh.polygons.size(); ++i) {
        if (i < mesh.polygons.size() && mesh.polygons[i] != TWANG_END) continue;
        add_fan(mesh.polygons.data() + first, i - first);
        first = i + 1;
    }
    return triangles;
}

Camera fitted_camera(const Bounds& bounds) {
    Camera camera;
    camera.target = bounds.centre();
    const double diagonal = bounds.diagonal();
    const double radius = diagonal > 0.0 ? 0.5 * diagonal : 1.0;
    const double half_angle = 0.5 * camera.field_of_view * std::numbers::pi / 180.0;
    const double distance = 1.15 * radius / std::sin(half_angle);
    camera.eye = {camera.target.x + 0.28 * distance, camera.target.y + 0.16 * distance,
                  camera.target.z + 0.9465 * distance}; // (0.28, 0.16, 0.9465) has length 1
    return camera;
}

} // namespace twang::io
