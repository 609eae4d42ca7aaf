// A triangle mesh as a collider: its nearest point to a given point, and the side of that point.
// The triangles are stored in a tree of bounding boxes. A closed mesh has an inside, decided by
// pseudonormals, weighted by angle at vertices and averaged at edges (Baerentzen and Aanaes 2005).
// An open mesh has no inside: both of its sides are outside.
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
    // Makes a collider from xyz per vertex and three indices per triangle, checked and copied.
    // Triangles without an area are left out.
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
        Vec3 face, edge[3], vertex[3]; // pseudonormals; edge k is opposite corner k
    };
    struct Node {
        Vec3 low, high;
        std::uint32_t first, count; // triangles; an inner node has the children first, first + 1
        bool leaf;
    };
    void find_normals(const std::vector<std::uint32_t>& indices);
    void split(std::uint32_t node, std::vector<std::uint32_t>& order, std::uint32_t begin,
               std::uint32_t end);

    std::vector<Triangle> triangles_;
    std::vector<Node> nodes_;
    bool closed_ = false;
};

} // namespace twang::core
