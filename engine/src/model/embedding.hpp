// What a renderer needs of a body: smooth normals, and a fine mesh that rides along with the coarse
// one that is simulated. Each fine vertex is bound once, at rest, to the nearest tetrahedron, or
// where there are none triangle; afterwards it is a weighted sum.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/jobs.hpp"
#include "model/model.hpp"

namespace twang::core {

// Of the triangles around a vertex, weighted by their areas; length 1, or 0 where there are none.
Vec3 smooth_normal(std::span<const std::uint32_t> triangles, const Lists<std::uint32_t>& corners,
                   const Vec3* x, std::size_t vertex);

// In a tetrahedron: sum of weight * x over its four corners, outside it continued. On a triangle:
// sum of weight * (x + offset * smooth normal) over its three corners, so the rest shape comes out
// exactly, and neighbouring triangles fit together at any distance from them.
struct Anchor {
    std::uint32_t corners[4];
    double weights[4]; // of a triangle, the last is the offset in m
};

struct Embedding {
    std::shared_ptr<const Model> model;
    std::vector<Anchor> anchors;          // per fine vertex
    std::vector<std::uint32_t> triangles; // of the fine mesh
    Lists<std::uint32_t> corners;         // per fine vertex, entries of `triangles`
    bool in_tetrahedra = false;
    double farthest = 0.0;    // m: from a fine vertex to the element it is bound to
    double worst_error = 0.0; // m: between a fine vertex and where its anchor puts it at rest

    std::size_t vertex_count() const { return anchors.size(); }
};

Status make_embedding(std::shared_ptr<const Model> model, const twang_fine_mesh_def& def,
                      Embedding& embedding);

// Memory for carrying, kept from frame to frame.
struct CarryScratch {
    std::vector<Vec3> coarse, coarse_normals; // of the body
    std::vector<Vec3> fine;
};
// Where the fine vertices are with the body's at scratch.coarse: into scratch.fine.
void carry(const Embedding& embedding, CarryScratch& scratch, Jobs& jobs);

} // namespace twang::core
