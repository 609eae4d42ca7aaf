// Which triangle or tetrahedron is nearest to a point: a tree of boxes over the elements, made
// once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/vec3.hpp"

namespace twang::core {

// The weights of a, b, c that give p's projection onto their plane.
struct TriangleWeights {
    double a, b, c;
};
TriangleWeights weights_in_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c);
struct TetrahedronWeights {
    double a, b, c, d;
};
TetrahedronWeights weights_in_tetrahedron(Vec3 p, Vec3 a, Vec3 b, Vec3 c, Vec3 d);

// 0 for points inside a tetrahedron.
double distance_to_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c);
double distance_to_tetrahedron(Vec3 p, Vec3 a, Vec3 b, Vec3 c, Vec3 d);

class NearestElement {
public:
    // `elements` has 3 or 4 corners each; those without area or volume are left out.
    NearestElement(std::span<const std::uint32_t> elements, int corners, const Vec3* x);

    bool is_empty() const { return order_.empty(); }
    struct Found {
        std::uint32_t element; // its number
        double distance;       // m
    };
    Found find(Vec3 point) const; // not when empty; the first of several that are as near

private:
    struct Box {
        Vec3 low, high;
        std::uint32_t begin, end; // of order_
        std::uint32_t right;      // the other half; the one half follows its box. 0: a leaf
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
