// Halving of the rest shape, and conservative distance tests in loops that compilers vectorise.
#include "geometry/vertex_groups.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace twang::core {

namespace {

// Relative to distances and to coordinates: far more than rounding errors, far less than matters.
constexpr double distance_tolerance = 1e-6, coordinate_tolerance = 1e-9;

// Sorts vertices into groups. The left half consists of whole groups.
void split(std::span<const Vec3> positions, std::span<std::uint32_t> vertices) {
    Vec3 low = positions[vertices[0]], high = low;
    for (const std::uint32_t i : vertices) {
        low = least(low, positions[i]);
        high = greatest(high, positions[i]);
    }
    if (vertices.size() <= VertexGroups::size) {
        const Vec3 middle = 0.5 * (low + high);
        const auto place = [&](std::uint32_t i) {
            return std::pair(length(positions[i] - middle), i);
        };
        std::sort(vertices.begin(), vertices.end());
        std::iter_swap(vertices.begin(),
                       std::min_element(vertices.begin(), vertices.end(),
                                        [&](auto a, auto b) { return place(a) < place(b); }));
        return;
    }
    const Vec3 extent = high - low;
    double Vec3::*axis = extent.x >= extent.y && extent.x >= extent.z ? &Vec3::x
                         : extent.y >= extent.z                       ? &Vec3::y
                                                                      : &Vec3::z;
    const std::size_t groups = (vertices.size() + VertexGroups::size - 1) / VertexGroups::size;
    const std::size_t half = groups / 2 * VertexGroups::size;
    // By vertex index where coordinates are equal, so that the halves do not depend on how the
    // standard library implements nth_element.
    std::nth_element(vertices.begin(), vertices.begin() + static_cast<std::ptrdiff_t>(half),
                     vertices.end(), [&](std::uint32_t a, std::uint32_t b) {
                         return std::pair(positions[a].*axis, a) < std::pair(positions[b].*axis, b);
                     });
    split(positions, vertices.first(half));
    split(positions, vertices.subspan(half));
}

double l1_norm(Vec3 v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); }

// Returns the reach plus a bound on the rounding errors of a distance.
double widened_reach(double reach, double coordinates) {
    return reach + distance_tolerance * std::abs(reach) + coordinate_tolerance * coordinates;
}

// Clamps without a branch, so that the compiler can use vector instructions; both keep a NaN.
double max_with_0(double value) { return 0.5 * (value + std::abs(value)); }
double clamp_0_1(double value) { return 1.0 - max_with_0(1.0 - max_with_0(value)); }

} // namespace

VertexGroups make_vertex_groups(std::span<const Vec3> rest_positions) {
    VertexGroups groups;
    groups.vertices.resize(rest_positions.size());
    std::iota(groups.vertices.begin(), groups.vertices.end(), 0u);
    split(rest_positions, groups.vertices);
    return groups;
}

GroupPoints::GroupPoints(std::span<const std::uint32_t> vertices, const Vec3* positions) {
    for (const std::uint32_t i : vertices) {
        x[count] = positions[i].x;
        y[count] = positions[i].y;
        z[count] = positions[i].z;
        ++count;
    }
    for (; count % lanes != 0; ++count) {
        x[count] = x[count - 1];
        y[count] = y[count - 1];
        z[count] = z[count - 1];
    }
}

BoundingSphere GroupPoints::bounds() const {
    double squares[VertexGroups::size];
    for (std::size_t l = 0; l < count; ++l) {
        const double dx = x[l] - x[0], dy = y[l] - y[0], dz = z[l] - z[0];
        squares[l] = dx * dx + dy * dy + dz * dz;
    }
    double farthest = 0.0;
    for (std::size_t k = 0; k < count; ++k)
        farthest = squares[k] <= farthest ? farthest : squares[k]; // keeps a NaN
    return {{x[0], y[0], z[0]}, std::sqrt(farthest)};
}

void Rejection::by_capsule(const GroupPoints& points, Vec3 centre, Vec3 arm, double radius) {
    const double square = dot(arm, arm), inverse = square > 0.0 ? 1.0 / square : 0.0;
    const double coordinates = l1_norm(centre) + l1_norm(arm) + radius;
    for (std::size_t l = 0; l < points.count; ++l) {
        const double x = points.x[l] - centre.x, y = points.y[l] - centre.y,
                     z = points.z[l] - centre.z;
        const double t = clamp_0_1((x * arm.x + y * arm.y + z * arm.z) * inverse);
        const double dx = x - t * arm.x, dy = y - t * arm.y, dz = z - t * arm.z;
        const double within = max_with_0(widened_reach(
            reach[l] + radius, coordinates + std::abs(x) + std::abs(y) + std::abs(z)));
        excess[l] = dx * dx + dy * dy + dz * dz - within * within;
    }
}

void Rejection::by_plane(const GroupPoints& points, Vec3 centre, Vec3 normal) {
    const double coordinates = l1_norm(centre);
    for (std::size_t l = 0; l < points.count; ++l) {
        const double x = points.x[l] - centre.x, y = points.y[l] - centre.y,
                     z = points.z[l] - centre.z;
        excess[l] = x * normal.x + y * normal.y + z * normal.z -
                    widened_reach(reach[l], coordinates + std::abs(x) + std::abs(y) + std::abs(z));
    }
}

void Rejection::by_box(const GroupPoints& points, Vec3 centre, const Rotation& turn, Vec3 middle,
                       Vec3 half) {
    const double coordinates = l1_norm(centre) + l1_norm(middle) + l1_norm(half);
    const auto beyond = [](double at, double edge) { return max_with_0(std::abs(at) - edge); };
    for (std::size_t l = 0; l < points.count; ++l) {
        const double x = points.x[l] - centre.x, y = points.y[l] - centre.y,
                     z = points.z[l] - centre.z;
        const double dx =
            beyond(x * turn.x_row.x + y * turn.y_row.x + z * turn.z_row.x - middle.x, half.x);
        const double dy =
            beyond(x * turn.x_row.y + y * turn.y_row.y + z * turn.z_row.y - middle.y, half.y);
        const double dz =
            beyond(x * turn.x_row.z + y * turn.y_row.z + z * turn.z_row.z - middle.z, half.z);
        const double within = max_with_0(
            widened_reach(reach[l], coordinates + std::abs(x) + std::abs(y) + std::abs(z)));
        excess[l] = dx * dx + dy * dy + dz * dz - within * within;
    }
}

} // namespace twang::core
