// A triangle mesh that things can lie on: the nearest point of it, and on which side a point is.
// The triangles lie in a tree of boxes. Where the mesh is closed, its inside counts as such, told
// by normals that are weighted by angle at vertices and averaged at edges (Baerentzen and Aanaes
// 2005); an open one has no inside, and both of its sides are outside.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "base/vec3.hpp"

namespace twang::core {

struct Distance {
    double distance; // m, below 0 inside
    Vec3 normal;     // outward, length 1
};

class MeshCollider {
public:
    // xyz per vertex and three indices per triangle, checked and copied; triangles without an area
    // are left out.
    static Status make(const double* positions, std::uint32_t vertex_count,
                       const std::uint32_t* triangles, std::uint32_t triangle_count,
                       std::shared_ptr<const MeshCollider>& surface);
    Distance distance_to(Vec3 point) const;
    bool closed() const { return closed_; }
    Vec3 low() const { return nodes_[0].low; } // corners of the box around all triangles
    Vec3 high() const { return nodes_[0].high; }

private:
    struct Triangle {
        Vec3 corner[3];
        Vec3 face, edge[3], vertex[3]; // normals; edge k lies across from corner k
    };
    struct Node {
        Vec3 low, high;
        std::uint32_t first, count; // triangles; of an inner node: its children first, first + 1
        bool leaf;
    };
    void weigh(const std::vector<std::uint32_t>& indices);
    void split(std::uint32_t node, std::vector<std::uint32_t>& order, std::uint32_t begin,
               std::uint32_t end);

    std::vector<Triangle> triangles_;
    std::vector<Node> nodes_;
    bool closed_ = false;
};

} // namespace twang::core
