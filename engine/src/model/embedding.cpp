// Binding of fine vertices to the elements of a model, and their positions and normals.
#include "model/embedding.hpp"

#include <cmath>

#include "geometry/triangle_tree.hpp"

namespace twang::core {

namespace {

Lists<std::uint32_t> corners_of(std::span<const std::uint32_t> triangles, std::size_t vertices) {
    Lists<std::uint32_t> corners;
    corners.start.assign(vertices + 1, 0);
    for (const std::uint32_t v : triangles) ++corners.start[v + 1];
    for (std::size_t i = 0; i < vertices; ++i) corners.start[i + 1] += corners.start[i];
    corners.items.resize(triangles.size());
    std::vector<std::uint32_t> next(corners.start.begin(), corners.start.end() - 1);
    for (std::uint32_t c = 0; c < triangles.size(); ++c) corners.items[next[triangles[c]]++] = c;
    return corners;
}

Status check(const twang_fine_mesh_def& def) {
    if (!def.positions) return fail(TWANG_INVALID_ARGUMENT, "positions is null");
    if (def.vertex_count == 0) return fail(TWANG_OUT_OF_RANGE, "a fine mesh needs a vertex");
    if (def.triangle_count > 0 && !def.triangles)
        return fail(TWANG_INVALID_ARGUMENT, "triangles is null but its count is %u",
                    def.triangle_count);
    for (std::size_t i = 0; i < 3 * std::size_t{def.vertex_count}; ++i)
        if (!std::isfinite(def.positions[i]))
            return fail(TWANG_NOT_FINITE, "position of vertex %zu is %g", i / 3, def.positions[i]);
    for (std::size_t i = 0; i < def.vertex_count; ++i)
        if (const double* p = def.positions + 3 * i; !fits_float({p[0], p[1], p[2]}))
            return fail(TWANG_OUT_OF_RANGE,
                        "position of vertex %zu is (%g, %g, %g), too large for float", i, p[0],
                        p[1], p[2]);
    for (std::size_t i = 0; i < 3 * std::size_t{def.triangle_count}; ++i)
        if (def.triangles[i] >= def.vertex_count)
            return fail(TWANG_INDEX_OUT_OF_RANGE, "triangle %zu names vertex %u of %u", i / 3,
                        def.triangles[i], def.vertex_count);
    return TWANG_OK;
}

Vec3 place(const Anchor& anchor, bool in_tetrahedra, const Vec3* x, const Vec3* normals) {
    Vec3 sum{};
    if (in_tetrahedra) {
        for (int i = 0; i < 4; ++i) sum += anchor.weights[i] * x[anchor.corners[i]];
        return sum;
    }
    for (int i = 0; i < 3; ++i)
        sum += anchor.weights[i] *
               (x[anchor.corners[i]] + anchor.weights[3] * normals[anchor.corners[i]]);
    return sum;
}

// Returns the offset d at which p lies in the plane through the corners, each moved by d along its
// normal. d is the root of a cubic that is near the distance from the triangle, found by Newton's
// method.
double offset_of(Vec3 p, const Vec3 (&x)[3], const Vec3 (&n)[3]) {
    const Vec3 flat = cross(x[1] - x[0], x[2] - x[0]);
    double d = dot(p - x[0], flat) / length(flat);
    for (int i = 0; i < 50; ++i) {
        const Vec3 a = x[0] + d * n[0], ab = x[1] + d * n[1] - a, ac = x[2] + d * n[2] - a;
        const Vec3 normal = cross(ab, ac);
        const double value = dot(p - a, normal);
        const double slope =
            dot(p - a, cross(n[1] - n[0], ac) + cross(ab, n[2] - n[0])) - dot(n[0], normal);
        const double change = value / slope;
        if (!std::isfinite(change)) break;
        d -= change;
        if (std::abs(change) <= 1e-16 * length(ab)) break;
    }
    return d;
}

Anchor on_triangle(Vec3 p, const std::uint32_t* corners, const Vec3* x, const Vec3* normals) {
    const Vec3 at[3] = {x[corners[0]], x[corners[1]], x[corners[2]]};
    const Vec3 n[3] = {normals[corners[0]], normals[corners[1]], normals[corners[2]]};
    const auto anchored = [&](double d) {
        const auto w = weights_in_triangle(p, at[0] + d * n[0], at[1] + d * n[1], at[2] + d * n[2]);
        return Anchor{{corners[0], corners[1], corners[2], corners[0]}, {w.a, w.b, w.c, d}};
    };
    const auto error = [&](const Anchor& anchor) {
        return length(place(anchor, false, x, normals) - p);
    };
    const Vec3 flat = cross(at[1] - at[0], at[2] - at[0]);
    const Anchor simple = anchored(dot(p - at[0], flat) / length(flat));
    const Anchor exact = anchored(offset_of(p, at, n));
    // Where the normals differ too much for an exact anchor, the simple anchor has a small error.
    return error(exact) <= error(simple) ? exact : simple;
}

Anchor in_tetrahedron(Vec3 p, const std::uint32_t* c, const Vec3* x) {
    const auto w = weights_in_tetrahedron(p, x[c[0]], x[c[1]], x[c[2]], x[c[3]]);
    return {{c[0], c[1], c[2], c[3]}, {w.a, w.b, w.c, w.d}};
}

std::vector<Vec3> rest_normals(const Model& model) {
    std::vector<Vec3> normals(model.vertex_count());
    for (std::size_t i = 0; i < normals.size(); ++i)
        normals[i] = smooth_normal(model.triangles, model.corners, model.rest_positions.data(), i);
    return normals;
}

} // namespace

Vec3 smooth_normal(std::span<const std::uint32_t> triangles, const Lists<std::uint32_t>& corners,
                   const Vec3* x, std::size_t vertex) {
    Vec3 sum{};
    for (const auto* c = corners.begin(vertex); c != corners.end(vertex); ++c)
        sum += area_vector(&triangles[*c / 3 * 3], x);
    const double l = length(sum);
    return l > 0.0 ? (1.0 / l) * sum : Vec3{};
}

Status make_embedding(std::shared_ptr<const Model> model, const twang_fine_mesh_def& def,
                      Embedding& result) {
    if (const Status s = check(def); s != TWANG_OK) return s;
    Embedding made;
    const Vec3* x = model->rest_positions.data();
    made.in_tetrahedra = !model->tetrahedra.empty();
    const int size = made.in_tetrahedra ? 4 : 3;
    const std::vector<std::uint32_t>& elements =
        made.in_tetrahedra ? model->tetrahedra : model->triangles;
    const NearestElement nearest(elements, size, x);
    if (nearest.is_empty())
        return fail(TWANG_UNSUPPORTED, "the model has no triangles or tetrahedra to ride on");
    const std::vector<Vec3> normals = rest_normals(*model);
    made.anchors.reserve(def.vertex_count);
    for (std::size_t i = 0; i < def.vertex_count; ++i) {
        const Vec3 p{def.positions[3 * i], def.positions[3 * i + 1], def.positions[3 * i + 2]};
        const auto [element, distance] = nearest.find(p);
        const std::uint32_t* corners = &elements[std::size_t{element} * size];
        made.anchors.push_back(made.in_tetrahedra ? in_tetrahedron(p, corners, x)
                                                  : on_triangle(p, corners, x, normals.data()));
        const Vec3 reproduced = place(made.anchors.back(), made.in_tetrahedra, x, normals.data());
        made.farthest = std::max(made.farthest, distance);
        made.worst_error = std::max(made.worst_error, length(reproduced - p));
    }
    made.triangles.assign(def.triangles, def.triangles + 3 * std::size_t{def.triangle_count});
    made.corners = corners_of(made.triangles, def.vertex_count);
    made.model = std::move(model);
    result = std::move(made);
    return TWANG_OK;
}

void carry(const Embedding& e, EmbeddingScratch& scratch, Jobs& jobs) {
    const Model& model = *e.model;
    const Vec3* x = scratch.coarse.data();
    if (!e.in_tetrahedra) {
        scratch.coarse_normals.resize(model.vertex_count());
        jobs.ranges(model.vertex_count(), 512, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                scratch.coarse_normals[i] = smooth_normal(model.triangles, model.corners, x, i);
        });
    }
    scratch.fine.resize(e.vertex_count());
    jobs.ranges(e.vertex_count(), 512, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            scratch.fine[i] =
                place(e.anchors[i], e.in_tetrahedra, x, scratch.coarse_normals.data());
    });
}

} // namespace twang::core
