#include "simulation/surface.hpp"

#include <algorithm>
#include <cmath>

#include "simulation/linear.hpp"

namespace twang::demo {
namespace {

// Returns the texture coordinates in metres: u and v are scaled by sqrt(a) and sqrt(b), where a and
// b are the least-squares solution of length^2 = a du^2 + b dv^2 over all sides of the triangles.
std::vector<float> pattern_in_metres(const io::Mesh& mesh,
                                     const std::vector<std::uint32_t>& triangles) {
    double uu = 0, uv = 0, vv = 0, u_length = 0, v_length = 0;
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        const std::size_t a = triangles[i];
        const std::size_t b = triangles[i % 3 == 2 ? i - 2 : i + 1];
        const double du = mesh.texture[2 * a] - mesh.texture[2 * b];
        const double dv = mesh.texture[2 * a + 1] - mesh.texture[2 * b + 1];
        double squared = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const double d = mesh.positions[3 * a + axis] - mesh.positions[3 * b + axis];
            squared += d * d;
        }
        uu += du * du * du * du;
        uv += du * du * dv * dv;
        vv += dv * dv * dv * dv;
        u_length += du * du * squared;
        v_length += dv * dv * squared;
    }
    const double determinant = uu * vv - uv * uv;
    if (!(determinant > 0)) return {};
    const double a = (u_length * vv - v_length * uv) / determinant;
    const double b = (v_length * uu - u_length * uv) / determinant;
    const double scales[2] = {std::sqrt(std::max(a, 0.0)), std::sqrt(std::max(b, 0.0))};
    std::vector<float> pattern(mesh.texture.size());
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        pattern[i] = static_cast<float>(scales[i % 2] * mesh.texture[i]);
    }
    return pattern;
}

} // namespace

Surface make_surface(const io::Scene& scene, const Model& model) {
    Surface surface;
    surface.solid = !scene.mesh.tetrahedra.empty();
    surface.triangles.resize(3 * std::size_t{model.info().triangles});
    twang_model_copy_triangles(model.get(), surface.triangles.data(), surface.triangles.size());
    if (scene.mesh.texture.size() == 2 * std::size_t{scene.mesh.vertex_count()}) {
        surface.pattern = pattern_in_metres(scene.mesh, surface.triangles);
    }
    return surface;
}

void smooth_normals(std::span<const float> xyz, std::span<const std::uint32_t> triangles,
                    std::vector<float>& normals) {
    normals.assign(xyz.size(), 0.0f);
    for (std::size_t i = 0; i + 2 < triangles.size(); i += 3) {
        const Point a = point(&xyz[3 * triangles[i]]);
        const Point normal =
            cross(point(&xyz[3 * triangles[i + 1]]) - a, point(&xyz[3 * triangles[i + 2]]) - a);
        for (std::size_t k = i; k < i + 3; ++k) {
            float* const sum = &normals[3 * triangles[k]];
            sum[0] += normal.x;
            sum[1] += normal.y;
            sum[2] += normal.z;
        }
    }
    for (std::size_t i = 0; i + 2 < normals.size(); i += 3) {
        const Point unit = normalized(point(&normals[i]));
        normals[i] = unit.x;
        normals[i + 1] = unit.y;
        normals[i + 2] = unit.z;
    }
}

} // namespace twang::demo
