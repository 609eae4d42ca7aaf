#include "forces.hpp"

namespace twang::core {

namespace {

// Air presses along the normal, in proportion to the area and to how fast it meets the triangle.
Vec3 wind_on(const std::uint32_t* triangle, const Surroundings& s, const Vec3* x, const Vec3* v) {
    const Vec3 a = x[triangle[0]], b = x[triangle[1]], c = x[triangle[2]];
    const Vec3 normal = 0.5 * cross(b - a, c - a); // its length is the area
    const double area = length(normal);
    if (!(area > 0.0)) return {};
    const Vec3 mean = (1.0 / 3.0) * (v[triangle[0]] + v[triangle[1]] + v[triangle[2]]);
    return (s.drag * dot(s.wind - mean, normal) / area) * normal;
}

} // namespace

void push(const Model& model, const Surroundings& s, const Vec3* x, const Vec3* v,
          const Vec3* user_forces, Vec3* forces, Jobs& jobs) {
    jobs.ranges(model.vertex_count(), 512, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            Vec3 force = model.masses[i] * s.gravity;
            if (user_forces) force += user_forces[i];
            if (s.drag > 0.0)
                for (const auto* c = model.corners.begin(i); c != model.corners.end(i); ++c)
                    force += (1.0 / 3.0) * wind_on(&model.triangles[*c / 3 * 3], s, x, v);
            forces[i] = force;
        }
    });
}

} // namespace twang::core
