// Smooth normals for a renderer, and the embedding of a fine mesh in the coarse mesh that is
// simulated. Each fine vertex is bound once, at rest, to the nearest tetrahedron, or to the nearest
// triangle of a model without tetrahedra. Afterwards its position is a weighted sum over the
// corners c:
//   in a tetrahedron   sum_c w_c x_c, also outside of the tetrahedron
//   on a triangle      sum_c w_c (x_c + d n_c), with the offset d in m and the smooth normals n_c
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/jobs.hpp"
#include "model/model.hpp"

namespace twang::core {

// Returns the mean normal of the triangles around a vertex, weighted by their areas: of length 1,
// or 0 where there are none.
Vec3 smooth_normal(std::span<const std::uint32_t> triangles, const Lists<std::uint32_t>& corners,
                   const Vec3* x, std::size_t vertex);

// Weights of a fine vertex, for the formulas above. The offset along smooth normals reproduces the
// rest shape exactly, and neighbouring triangles fit together at any distance from them.
struct Anchor {
    std::uint32_t corners[4];
    double weights[4]; // of a triangle, the last is the offset d in m
};

struct Embedding {
    std::shared_ptr<const Model> model;
    std::vector<Anchor> anchors;          // per fine vertex
    std::vector<std::uint32_t> triangles; // of the fine mesh
    Lists<std::uint32_t> corners;         // per fine vertex, entries of `triangles`
    bool in_tetrahedra = false;
    double farthest = 0.0;    // m: largest distance from a fine vertex to its element
    double worst_error = 0.0; // m: largest error of an anchored position at rest

    std::size_t vertex_count() const { return anchors.size(); }
};

Status make_embedding(std::shared_ptr<const Model> model, const twang_fine_mesh_def& def,
                      Embedding& embedding);

// Scratch for carry(), kept from frame to frame.
struct EmbeddingScratch {
    std::vector<Vec3> coarse, coarse_normals; // of the body's vertices
    std::vector<Vec3> fine;
};
// Computes the fine positions from the body's in scratch.coarse, into scratch.fine.
void carry(const Embedding& embedding, EmbeddingScratch& scratch, Jobs& jobs);

} // namespace twang::core
