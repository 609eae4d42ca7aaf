// Boxes are split at the median centre of their elements along their longest axis. find() visits
// the nearer child first and skips boxes that are farther than the best element.
#include "geometry/triangle_tree.hpp"

#include <algorithm>
#include <limits>

namespace twang::core {

namespace {

constexpr std::uint32_t max_leaf_size = 4;

double distance_to_segment(Vec3 p, Vec3 a, Vec3 b) {
    const Vec3 along = b - a;
    const double square = dot(along, along);
    const double t = square > 0.0 ? std::clamp(dot(p - a, along) / square, 0.0, 1.0) : 0.0;
    return length(p - (a + t * along));
}

double& coordinate(Vec3& v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

double distance_to_box(Vec3 p, Vec3 low, Vec3 high) {
    return length({std::max({low.x - p.x, p.x - high.x, 0.0}),
                   std::max({low.y - p.y, p.y - high.y, 0.0}),
                   std::max({low.z - p.z, p.z - high.z, 0.0})});
}

} // namespace

TriangleWeights weights_in_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c) {
    const Vec3 normal = cross(b - a, c - a);
    const double square = dot(normal, normal);
    const double of_b = dot(cross(p - a, c - a), normal) / square;
    const double of_c = dot(cross(b - a, p - a), normal) / square;
    return {1.0 - of_b - of_c, of_b, of_c};
}

TetrahedronWeights weights_in_tetrahedron(Vec3 p, Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
    const Vec3 ab = b - a, ac = c - a, ad = d - a, ap = p - a;
    const double six_volumes = dot(ab, cross(ac, ad));
    const double of_b = dot(ap, cross(ac, ad)) / six_volumes,
                 of_c = dot(ap, cross(ad, ab)) / six_volumes,
                 of_d = dot(ap, cross(ab, ac)) / six_volumes;
    return {1.0 - of_b - of_c - of_d, of_b, of_c, of_d};
}

double distance_to_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c) {
    const TriangleWeights w = weights_in_triangle(p, a, b, c);
    if (w.a >= 0.0 && w.b >= 0.0 && w.c >= 0.0) return length(p - (w.a * a + w.b * b + w.c * c));
    return std::min(
        {distance_to_segment(p, a, b), distance_to_segment(p, b, c), distance_to_segment(p, c, a)});
}

double distance_to_tetrahedron(Vec3 p, Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
    const TetrahedronWeights w = weights_in_tetrahedron(p, a, b, c, d);
    if (w.a >= 0.0 && w.b >= 0.0 && w.c >= 0.0 && w.d >= 0.0) return 0.0;
    return std::min({distance_to_triangle(p, a, b, c), distance_to_triangle(p, a, b, d),
                     distance_to_triangle(p, a, c, d), distance_to_triangle(p, b, c, d)});
}

NearestElement::NearestElement(std::span<const std::uint32_t> elements, int corners, const Vec3* x)
    : elements_(elements), corners_(corners), x_(x) {
    const auto count = static_cast<std::uint32_t>(elements.size() / corners);
    centres_.resize(count);
    for (std::uint32_t e = 0; e < count; ++e) {
        const Vec3 a = corner(e, 0), ab = corner(e, 1) - a, ac = corner(e, 2) - a;
        const double measure =
            corners == 3 ? length(cross(ab, ac)) : std::abs(dot(cross(ab, ac), corner(e, 3) - a));
        if (!(measure > 0.0)) continue;
        order_.push_back(e);
        for (int i = 0; i < corners; ++i) centres_[e] += (1.0 / corners) * corner(e, i);
    }
    if (!order_.empty()) build(0, static_cast<std::uint32_t>(order_.size()));
}

std::uint32_t NearestElement::build(std::uint32_t begin, std::uint32_t end) {
    const auto index = static_cast<std::uint32_t>(boxes_.size());
    Vec3 low = corner(order_[begin], 0), high = low;
    for (std::uint32_t k = begin; k < end; ++k)
        for (int i = 0; i < corners_; ++i) {
            const Vec3 p = corner(order_[k], i);
            low = least(low, p);
            high = greatest(high, p);
        }
    boxes_.push_back({low, high, begin, end, 0});
    if (end - begin <= max_leaf_size) return index;
    const Vec3 size = high - low;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const std::uint32_t middle = begin + (end - begin) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                     [&](std::uint32_t i, std::uint32_t j) {
                         const double a = coordinate(centres_[i], axis),
                                      b = coordinate(centres_[j], axis);
                         return a != b ? a < b : i < j;
                     });
    build(begin, middle);
    const std::uint32_t right = build(middle, end);
    boxes_[index].right = right;
    return index;
}

double NearestElement::distance(Vec3 p, std::uint32_t e) const {
    return corners_ == 3
               ? distance_to_triangle(p, corner(e, 0), corner(e, 1), corner(e, 2))
               : distance_to_tetrahedron(p, corner(e, 0), corner(e, 1), corner(e, 2), corner(e, 3));
}

NearestElement::Found NearestElement::find(Vec3 point) const {
    Found best{0, std::numeric_limits<double>::infinity()};
    std::uint32_t stack[64], count = 0; // boxes to visit; the depth of the tree is below 64
    stack[count++] = 0;
    while (count > 0) {
        const std::uint32_t index = stack[--count];
        const Box& box = boxes_[index];
        if (distance_to_box(point, box.low, box.high) > best.distance) continue;
        if (box.right == 0) {
            for (std::uint32_t k = box.begin; k < box.end; ++k) {
                const std::uint32_t e = order_[k];
                const double d = distance(point, e);
                if (d < best.distance || (d == best.distance && e < best.element)) best = {e, d};
            }
            continue;
        }
        const std::uint32_t left = index + 1, right = box.right;
        const auto box_distance = [&](std::uint32_t b) {
            return distance_to_box(point, boxes_[b].low, boxes_[b].high);
        };
        const bool left_first = box_distance(left) <= box_distance(right);
        stack[count++] = left_first ? right : left;
        stack[count++] = left_first ? left : right;
    }
    return best;
}

} // namespace twang::core
