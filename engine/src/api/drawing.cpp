// twang.h: normals and embedded meshes for drawing, and the forces on pins.
#include "api/handles.hpp"
#include "base/strided.hpp"

using namespace twang::core;

struct twang_embedding {
    Embedding embedding;
};

twang_status twang_body_copy_normals(const twang_world* world, twang_body body, float* xyz,
                                     size_t stride) {
    if (!xyz) return missing("xyz");
    return inside<Body>(world, body, [&](const World&, Body& b) {
        if (const Status s = check_stride(stride); s != TWANG_OK) return s;
        const StridedFloats out{xyz, stride};
        const Model& m = *b.model;
        for (std::size_t i = 0; i < m.vertex_count(); ++i)
            out.put(m.to_user[i], smooth_normal(m.triangles, m.corners, b.x.data(), i));
        return TWANG_OK;
    });
}

twang_status twang_default_fine_mesh(twang_fine_mesh_def* def) {
    if (!def) return missing("def");
    *def = {};
    return TWANG_OK;
}

twang_status twang_embedding_create(const twang_model* model, const twang_fine_mesh_def* def,
                                    twang_embedding** embedding) {
    if (!model) return missing("model");
    if (!def) return missing("def");
    if (!embedding) return missing("embedding");
    return guarded([&] {
        auto made = std::make_unique<twang_embedding>();
        if (const Status s = make_embedding(model->model, *def, made->embedding); s != TWANG_OK)
            return s;
        *embedding = made.release();
        return TWANG_OK;
    });
}

twang_status twang_embedding_destroy(twang_embedding** embedding) {
    if (!embedding || !*embedding) return missing("embedding");
    delete *embedding;
    *embedding = nullptr;
    return TWANG_OK;
}

twang_status twang_embedding_get_info(const twang_embedding* embedding,
                                      twang_embedding_info* info) {
    if (!embedding) return missing("embedding");
    if (!info) return missing("info");
    const Embedding& e = embedding->embedding;
    *info = {static_cast<std::uint32_t>(e.vertex_count()), e.in_tetrahedra ? 1 : 0, e.farthest,
             e.worst_error};
    return TWANG_OK;
}

twang_status twang_embedding_write(const twang_embedding* embedding, twang_world* world,
                                   twang_body body, int32_t interpolated,
                                   twang_float_stream positions, twang_float_stream normals) {
    if (!embedding) return missing("embedding");
    return inside<Body>(world, body, [&](World& w, Body& b) {
        const Embedding& e = embedding->embedding;
        if (e.model != b.model)
            return fail(TWANG_MESH_MISMATCH, "the embedding was made for another model");
        for (const twang_float_stream& stream : {positions, normals})
            if (stream.xyz)
                if (const Status s = check_stride(stream.stride); s != TWANG_OK) return s;
        EmbeddingScratch& scratch = w.carry_scratch;
        const double t = interpolated ? w.fraction() : 1.0;
        scratch.coarse.assign(b.x.begin(), b.x.end());
        if (interpolated)
            for (std::size_t i = 0; i < b.x.size(); ++i)
                scratch.coarse[i] = b.before[i] + t * (b.x[i] - b.before[i]);
        carry(e, scratch, w.jobs);
        for (std::size_t i = 0; i < e.vertex_count(); ++i)
            if (!fits_float(scratch.fine[i]))
                return fail(TWANG_OUT_OF_RANGE,
                            "vertex %zu of the fine mesh is too far away for float", i);
        w.jobs.ranges(e.vertex_count(), 512, [&](std::size_t begin, std::size_t end) {
            const StridedFloats to{positions.xyz, positions.stride};
            const StridedFloats up{normals.xyz, normals.stride};
            for (std::size_t i = begin; i < end; ++i) {
                if (positions.xyz) to.put(i, scratch.fine[i]);
                if (normals.xyz)
                    up.put(i, smooth_normal(e.triangles, e.corners, scratch.fine.data(), i));
            }
        });
        return TWANG_OK;
    });
}

twang_status twang_body_pin_force(const twang_world* world, twang_body body,
                                  const uint32_t* vertices, size_t count, twang_vec3 point,
                                  twang_vec3* force, twang_vec3* torque) {
    if (!vertices && count > 0) return missing("vertices");
    return inside<Body>(world, body, [&](const World&, Body& b) {
        if (!finite(point)) return fail(TWANG_NOT_FINITE, "the point is not finite");
        for (std::size_t k = 0; k < count; ++k)
            if (const Status s = check_vertex(b, vertices[k]); s != TWANG_OK) return s;
        Vec3 sum{}, torque_sum{};
        const auto add = [&](std::uint32_t i) {
            if (!b.pins.holds(i)) return;
            sum -= b.pin_reactions[i];
            torque_sum -= cross(b.x[i] - point, b.pin_reactions[i]);
        };
        if (vertices)
            for (std::size_t k = 0; k < count; ++k) add(b.model->to_inner[vertices[k]]);
        else
            for (const std::uint32_t i : b.pins.list()) add(i);
        if (force) *force = sum;
        if (torque) *torque = torque_sum;
        return TWANG_OK;
    });
}
