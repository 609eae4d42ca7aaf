// The nearest triangle or tetrahedron of a mesh to a point, by a tree of bounding boxes over the
// elements. The tree is built once, in the constructor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/vec3.hpp"

namespace twang::core {

// Barycentric coordinates of the projection of p onto the plane of a, b, c.
struct TriangleWeights {
    double a, b, c;
};
TriangleWeights weights_in_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c);
// Barycentric coordinates of p.
struct TetrahedronWeights {
    double a, b, c, d;
};
TetrahedronWeights weights_in_tetrahedron(Vec3 p, Vec3 a, Vec3 b, Vec3 c, Vec3 d);

// Return the distance, m; 0 for points inside a tetrahedron.
double distance_to_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c);
double distance_to_tetrahedron(Vec3 p, Vec3 a, Vec3 b, Vec3 c, Vec3 d);

class NearestElement {
public:
    // `elements` has 3 or 4 vertex indices per element, as `corners` tells. Elements without area
    // or volume are left out. `elements` and `x` are kept by reference.
    NearestElement(std::span<const std::uint32_t> elements, int corners, const Vec3* x);

    bool is_empty() const { return order_.empty(); }
    struct Found {
        std::uint32_t element; // index of the element
        double distance;       // m
    };
    Found find(Vec3 point) const; // must not be empty; of equally near elements the first

private:
    struct Box {
        Vec3 low, high;
        std::uint32_t begin, end; // range in order_
        std::uint32_t right;      // right child, 0 in a leaf; the left child is the next box
    };
    std::uint32_t build(std::uint32_t begin, std::uint32_t end);
    double distance(Vec3 point, std::uint32_t element) const;
    Vec3 corner(std::uint32_t element, int i) const {
        return x_[elements_[corners_ * element + i]];
    }

    std::span<const std::uint32_t> elements_;
    int corners_;
    const Vec3* x_;
    std::vector<std::uint32_t> order_;
    std::vector<Vec3> centres_;
    std::vector<Box> boxes_;
};

} // namespace twang::core
