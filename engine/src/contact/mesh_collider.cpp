// Pseudonormals and tree of a mesh collider, and the search for the nearest point.
#include "contact/mesh_collider.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace twang::core {

namespace {

constexpr std::uint32_t leaf_size = 4;
constexpr int max_tree_depth = 64;

Vec3 unit_or_zero(Vec3 v) {
    const double l = length(v);
    return l > 0.0 ? (1.0 / l) * v : Vec3{};
}

double square_to_box(Vec3 low, Vec3 high, Vec3 p) {
    const auto off = [](double a, double b, double x) { return std::max({a - x, 0.0, x - b}); };
    const Vec3 d{off(low.x, high.x, p.x), off(low.y, high.y, p.y), off(low.z, high.z, p.z)};
    return dot(d, d);
}

// Returns the nearest point of a segment to p, and its parameter t: 0 at a, 1 at b.
Vec3 nearest_on(Vec3 a, Vec3 b, Vec3 p, double& t) {
    const Vec3 along = b - a;
    t = std::clamp(dot(p - a, along) / dot(along, along), 0.0, 1.0);
    return a + t * along;
}

} // namespace

Status MeshCollider::make(const double* positions, std::uint32_t vertex_count,
                          const std::uint32_t* triangles, std::uint32_t triangle_count,
                          std::shared_ptr<const MeshCollider>& surface) {
    if (!positions || !triangles)
        return fail(TWANG_INVALID_ARGUMENT, "positions or triangles of the collider are null");
    if (vertex_count == 0 || triangle_count == 0)
        return fail(TWANG_OUT_OF_RANGE, "a collider of %u vertices and %u triangles", vertex_count,
                    triangle_count);
    const auto corner = [&](std::uint32_t i) {
        const double* p = positions + 3 * std::size_t{i};
        return Vec3{p[0], p[1], p[2]};
    };
    for (std::uint32_t i = 0; i < vertex_count; ++i)
        if (!finite(corner(i)))
            return fail(TWANG_NOT_FINITE, "vertex %u of the collider is not finite", i);
    auto made = std::make_shared<MeshCollider>();
    std::vector<std::uint32_t> indices;
    for (std::uint32_t t = 0; t < triangle_count; ++t) {
        const std::uint32_t* named = triangles + 3 * std::size_t{t};
        for (int k = 0; k < 3; ++k)
            if (named[k] >= vertex_count)
                return fail(TWANG_INDEX_OUT_OF_RANGE,
                            "triangle %u of the collider names vertex %u of %u", t, named[k],
                            vertex_count);
        Triangle triangle{};
        for (int k = 0; k < 3; ++k) triangle.corner[k] = corner(named[k]);
        triangle.face = unit_or_zero(cross(triangle.corner[1] - triangle.corner[0],
                                           triangle.corner[2] - triangle.corner[0]));
        if (length(triangle.face) == 0.0) continue;
        made->triangles_.push_back(triangle);
        indices.insert(indices.end(), named, named + 3);
    }
    if (made->triangles_.empty())
        return fail(TWANG_OUT_OF_RANGE, "no triangle of the collider has an area");
    made->find_normals(indices);
    std::vector<std::uint32_t> order(made->triangles_.size());
    std::iota(order.begin(), order.end(), 0u);
    made->nodes_.emplace_back();
    made->split(0, order, 0, static_cast<std::uint32_t>(order.size()));
    std::vector<Triangle> sorted;
    for (const std::uint32_t t : order) sorted.push_back(made->triangles_[t]);
    made->triangles_ = std::move(sorted);
    surface = std::move(made);
    return TWANG_OK;
}

// Finds whether the mesh is closed, and its pseudonormals, outward if closed.
void MeshCollider::find_normals(const std::vector<std::uint32_t>& indices) {
    using Edge = std::pair<std::uint32_t, std::uint32_t>;
    std::map<Edge, int> directed;
    std::map<Edge, Vec3> edges;
    std::map<std::uint32_t, Vec3> corners;
    double volume = 0.0;
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
        const Triangle& triangle = triangles_[t];
        volume += dot(triangle.corner[0], cross(triangle.corner[1], triangle.corner[2]));
        for (int k = 0; k < 3; ++k) {
            const std::uint32_t a = indices[3 * t + (k + 1) % 3], b = indices[3 * t + (k + 2) % 3];
            ++directed[{a, b}];
            edges[std::minmax(a, b)] += triangle.face;
            const Vec3 u = triangle.corner[(k + 1) % 3] - triangle.corner[k];
            const Vec3 v = triangle.corner[(k + 2) % 3] - triangle.corner[k];
            corners[indices[3 * t + k]] +=
                std::atan2(length(cross(u, v)), dot(u, v)) * triangle.face;
        }
    }
    closed_ = std::all_of(directed.begin(), directed.end(), [&](const auto& edge) {
        const auto back = directed.find({edge.first.second, edge.first.first});
        return edge.second == 1 && back != directed.end() && back->second == 1;
    });
    const double sign = closed_ && volume < 0.0 ? -1.0 : 1.0;
    for (std::size_t t = 0; t < triangles_.size(); ++t)
        for (int k = 0; k < 3; ++k) {
            const std::uint32_t a = indices[3 * t + (k + 1) % 3], b = indices[3 * t + (k + 2) % 3];
            triangles_[t].edge[k] = sign * unit_or_zero(edges[std::minmax(a, b)]);
            triangles_[t].vertex[k] = sign * unit_or_zero(corners[indices[3 * t + k]]);
        }
    for (Triangle& triangle : triangles_) triangle.face = sign * triangle.face;
}

// Halves a node along its longest axis, by the centroids of the triangles.
void MeshCollider::split(std::uint32_t node, std::vector<std::uint32_t>& order, std::uint32_t begin,
                         std::uint32_t end) {
    Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    for (std::uint32_t i = begin; i < end; ++i)
        for (const Vec3& p : triangles_[order[i]].corner) {
            low = least(low, p);
            high = greatest(high, p);
        }
    nodes_[node] = {low, high, begin, end - begin, end - begin <= leaf_size};
    if (nodes_[node].leaf) return;
    const Vec3 size = high - low;
    double Vec3::*axis = size.x >= size.y && size.x >= size.z ? &Vec3::x
                         : size.y >= size.z                   ? &Vec3::y
                                                              : &Vec3::z;
    const auto middle = [&](std::uint32_t t) {
        const Triangle& triangle = triangles_[t];
        return triangle.corner[0].*axis + triangle.corner[1].*axis + triangle.corner[2].*axis;
    };
    const std::uint32_t half = begin + (end - begin) / 2;
    std::sort(order.begin() + begin, order.begin() + end, [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(middle(a), a) < std::pair(middle(b), b);
    });
    const auto children = static_cast<std::uint32_t>(nodes_.size());
    nodes_.resize(nodes_.size() + 2);
    nodes_[node].first = children;
    split(children, order, begin, half);
    split(children + 1, order, half, end);
}

Distance MeshCollider::distance_to(Vec3 p) const {
    double nearest = std::numeric_limits<double>::infinity(); // squared
    Vec3 foot{}, normal{};
    const auto visit = [&](const Triangle& t) {
        const Vec3 *c = t.corner, area = cross(c[1] - c[0], c[2] - c[0]);
        double weight[3];
        for (int k = 0; k < 3; ++k)
            weight[k] = dot(cross(c[(k + 2) % 3] - c[(k + 1) % 3], p - c[(k + 1) % 3]), area);
        const auto keep_nearer = [&](Vec3 point, Vec3 side) {
            const Vec3 off = p - point;
            if (!(dot(off, off) < nearest)) return;
            nearest = dot(off, off);
            foot = point;
            normal = side;
        };
        if (weight[0] > 0.0 && weight[1] > 0.0 && weight[2] > 0.0) {
            const double height = dot(p - c[0], area) / dot(area, area);
            keep_nearer(p - height * area, t.face);
            return;
        }
        for (int k = 0; k < 3; ++k) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            double at;
            const Vec3 point = nearest_on(c[a], c[b], p, at);
            keep_nearer(point, at <= 0.0 ? t.vertex[a] : at >= 1.0 ? t.vertex[b] : t.edge[k]);
        }
    };
    std::uint32_t stack[2 * max_tree_depth];
    int height = 0;
    stack[height++] = 0;
    while (height > 0) {
        const Node& node = nodes_[stack[--height]];
        if (square_to_box(node.low, node.high, p) >= nearest) continue;
        if (node.leaf) {
            for (std::uint32_t i = 0; i < node.count; ++i) visit(triangles_[node.first + i]);
            continue;
        }
        std::uint32_t near_child = node.first, far_child = node.first + 1;
        if (square_to_box(nodes_[far_child].low, nodes_[far_child].high, p) <
            square_to_box(nodes_[near_child].low, nodes_[near_child].high, p))
            std::swap(near_child, far_child);
        stack[height++] = far_child;
        stack[height++] = near_child;
    }
    const Vec3 off = p - foot;
    const double distance = std::sqrt(nearest);
    const bool inside = closed_ && dot(off, normal) < 0.0;
    if (!(distance > 0.0)) return {0.0, length(normal) > 0.0 ? normal : Vec3{0.0, 1.0, 0.0}};
    return inside ? Distance{-distance, (-1.0 / distance) * off}
                  : Distance{distance, (1.0 / distance) * off};
}

} // namespace twang::core
