#include "view/picking.hpp"

#include <limits>

namespace twang::demo {
namespace {

constexpr float vertex_radius = 0.02f; // heights of the picture, of a body without triangles

// Intersects the ray with a triangle (Moller and Trumbore 1997). Returns the distance along the ray
// and sets the weights of the corners.
std::optional<float> intersect_triangle(const Ray& ray, Point a, Point b, Point c,
                                        double (&weights)[3]) {
    const Point u = b - a, v = c - a;
    const Point p = cross(ray.direction, v);
    const float determinant = dot(u, p);
    if (std::fabs(determinant) < 1e-14f) return {};
    const Point arm = ray.origin - a;
    const float s = dot(arm, p) / determinant;
    const Point q = cross(arm, u);
    const float t = dot(ray.direction, q) / determinant;
    const float along = dot(v, q) / determinant;
    if (s < 0 || t < 0 || s + t > 1 || along <= 0) return {};
    weights[0] = 1.0 - s - t;
    weights[1] = s;
    weights[2] = t;
    return along;
}

void pick_triangle(const Run& run, std::size_t index, const Ray& ray, float& nearest,
                   std::optional<Hit>& best) {
    const Ray local = {ray.origin - run.offset, ray.direction};
    const std::vector<std::uint32_t>& corners = run.surface.triangles;
    for (std::size_t i = 0; i + 2 < corners.size(); i += 3) {
        double weights[3] = {};
        const auto along = intersect_triangle(local, point(&run.seen[3 * corners[i]]),
                                              point(&run.seen[3 * corners[i + 1]]),
                                              point(&run.seen[3 * corners[i + 2]]), weights);
        if (!along || *along >= nearest) continue;
        nearest = *along;
        best = Hit{
            {{corners[i], corners[i + 1], corners[i + 2]}, {weights[0], weights[1], weights[2]}},
            index,
            ray.origin + *along * ray.direction};
    }
}

void pick_vertex(const Run& run, std::size_t index, const OrbitCamera& camera, float x, float y,
                 float aspect, float& nearest, std::optional<Hit>& best) {
    float closest = vertex_radius;
    for (std::size_t i = 0; i + 2 < run.seen.size(); i += 3) {
        const Point p = point(&run.seen[i]) + run.offset;
        const Point seen = camera.seen_at(p, aspect);
        const float away = 0.5f * std::hypot((seen.x - x) * aspect, seen.y - y);
        if (seen.z <= 0 || away >= closest) continue;
        closest = away;
        const auto vertex = static_cast<std::uint32_t>(i / 3);
        if (length(p - camera.eye()) < nearest) {
            best = Hit{{{vertex, vertex, vertex}, {1, 0, 0}}, index, p};
        }
    }
    if (best && best->run == index) nearest = length(best->at - camera.eye());
}

} // namespace

std::uint32_t Grip::nearest() const {
    int largest = 0;
    for (int i = 1; i < 3; ++i) {
        if (weights[i] > weights[largest]) largest = i;
    }
    return vertices[largest];
}

std::optional<Hit> pick(const Simulation& simulation, const OrbitCamera& camera, float x, float y,
                        float aspect) {
    const Ray ray = camera.ray(x, y, aspect);
    std::optional<Hit> best;
    float nearest = std::numeric_limits<float>::max();
    for (std::size_t i = 0; i < simulation.runs().size(); ++i) {
        const Run& run = *simulation.runs()[i];
        if (run.surface.triangles.empty()) {
            pick_vertex(run, i, camera, x, y, aspect, nearest, best);
        } else {
            pick_triangle(run, i, ray, nearest, best);
        }
    }
    return best;
}

} // namespace twang::demo
