// twang.h: statuses, defaults, models.
#include <cmath>

#include "api/handles.hpp"
#include "model/build.hpp"

using namespace twang::core;

const char* twang_status_name(twang_status status) {
    switch (status) {
#define NAME(name, text) \
    case TWANG_##name: return #name;
        TWANG_STATUS_TABLE(NAME)
#undef NAME
    case TWANG_STATUS_COUNT: break;
    }
    return "?";
}

const char* twang_status_text(twang_status status) {
    switch (status) {
#define TEXT(name, text) \
    case TWANG_##name: return text;
        TWANG_STATUS_TABLE(TEXT)
#undef TEXT
    case TWANG_STATUS_COUNT: break;
    }
    return "?";
}

const char* twang_last_error(void) { return last_error(); }
twang_status twang_refuse(const char* reason) {
    return fail(TWANG_INVALID_ARGUMENT, "%s", reason ? reason : "");
}

namespace {

template <class Def>
Status set_default(Def* def) {
    if (!def) return missing("def");
    *def = Def{};
    return TWANG_OK;
}

template <class Def>
Status create(const Def* def, Status (*build)(const Def&, Network&), twang_model** model) {
    if (!def) return missing("def");
    if (!model) return missing("model");
    if (const Status s = check_allocator(def->allocator); s != TWANG_OK) return s;
    const MemoryScope memory(def->allocator);
    return guarded([&] {
        Network network;
        if (const Status s = build(*def, network); s != TWANG_OK) return s;
        auto made = std::make_unique<twang_model>();
        if (const Status s = make_model(std::move(network), made->model); s != TWANG_OK) return s;
        *model = made.release();
        return TWANG_OK;
    });
}

// Checks the arguments of a copy out of a model: both pointers, and the count that the caller
// expects.
Status check_copy(const twang_model* model, const void* to, std::size_t count, std::size_t own,
                  const char* what) {
    if (!to && own > 0) return missing(what);
    if (!model) return missing("model");
    if (count != own)
        return fail(TWANG_INVALID_ARGUMENT, "room for %zu %s, but the model has %zu", count, what,
                    own);
    return TWANG_OK;
}

} // namespace

twang_status twang_default_cloth(twang_cloth_def* def) { return set_default(def); }
twang_status twang_default_mesh(twang_mesh_def* def) { return set_default(def); }
twang_status twang_default_spring(twang_spring_def* def) { return set_default(def); }
twang_status twang_default_world(twang_world_def* def) { return set_default(def); }
twang_status twang_default_air(twang_air_def* def) { return set_default(def); }
twang_status twang_default_body(twang_body_def* def) { return set_default(def); }
twang_status twang_default_collider(twang_collider_def* def) { return set_default(def); }

twang_status twang_default_solver(twang_solver solver, twang_solver_def* def) {
    if (!def) return missing("def");
    twang_solver_def made;
    made.solver = solver;
    switch (solver) {
    case TWANG_SOLVER_LOCAL_GLOBAL: break;
    case TWANG_SOLVER_NEWTON:
    case TWANG_SOLVER_NEWTON_CG:
        made.iterations = 100;
        made.tolerance = 1e-6;
        break;
    case TWANG_SOLVER_LINEAR:
    case TWANG_SOLVER_SYMPLECTIC: made.iterations = 1; break;
    case TWANG_SOLVER_STATIC:
        made.iterations = 1000;
        made.tolerance = 1e-6;
        break;
    default: return fail(TWANG_INVALID_ARGUMENT, "solver %d", static_cast<int>(solver));
    }
    *def = made;
    return TWANG_OK;
}

twang_status twang_model_create_cloth(const twang_cloth_def* def, twang_model** model) {
    return create(def, build_cloth, model);
}

twang_status twang_model_create_mesh(const twang_mesh_def* def, twang_model** model) {
    return create(def, build_mesh, model);
}

twang_status twang_model_destroy(twang_model** model) {
    if (!model || !*model) return missing("model");
    delete *model;
    *model = nullptr;
    return TWANG_OK;
}

twang_status twang_model_get_info(const twang_model* model, twang_model_info* info) {
    if (!model) return missing("model");
    if (!info) return missing("info");
    const Model& m = *model->model;
    *info = {static_cast<std::uint32_t>(m.vertex_count()),
             static_cast<std::uint32_t>(m.springs.size()),
             static_cast<std::uint32_t>(m.triangles.size() / 3),
             m.total_mass,
             m.size,
             m.order_ms,
             std::abs(m.rest_volume),
             m.notes};
    return TWANG_OK;
}

twang_status twang_model_copy_springs(const twang_model* model, twang_spring_def* springs,
                                      size_t count) {
    const std::size_t own = model ? model->model->springs.size() : 0;
    if (const Status s = check_copy(model, springs, count, own, "springs"); s != TWANG_OK) return s;
    const Model& m = *model->model;
    for (std::size_t i = 0; i < own; ++i) {
        const Spring& s = m.springs[i];
        springs[i] = {m.to_user[s.a], m.to_user[s.b], s.stiffness, s.rest_length, s.kind};
    }
    return TWANG_OK;
}

twang_status twang_model_copy_triangles(const twang_model* model, uint32_t* indices,
                                        size_t index_count) {
    const std::size_t own = model ? model->model->triangles.size() : 0;
    if (const Status s = check_copy(model, indices, index_count, own, "indices"); s != TWANG_OK)
        return s;
    for (std::size_t i = 0; i < own; ++i)
        indices[i] = model->model->to_user[model->model->triangles[i]];
    return TWANG_OK;
}

twang_status twang_model_copy_masses(const twang_model* model, double* masses, size_t count) {
    const std::size_t own = model ? model->model->vertex_count() : 0;
    if (const Status s = check_copy(model, masses, count, own, "masses"); s != TWANG_OK) return s;
    for (std::size_t i = 0; i < own; ++i)
        masses[model->model->to_user[i]] = model->model->masses[i];
    return TWANG_OK;
}

twang_status twang_model_copy_rest_positions(const twang_model* model, double* xyz,
                                             size_t vertex_count) {
    const std::size_t own = model ? model->model->vertex_count() : 0;
    if (const Status s = check_copy(model, xyz, vertex_count, own, "vertices"); s != TWANG_OK)
        return s;
    for (std::size_t i = 0; i < own; ++i) {
        const Vec3 p = model->model->rest_positions[i];
        double* to = xyz + 3 * std::size_t{model->model->to_user[i]};
        to[0] = p.x, to[1] = p.y, to[2] = p.z;
    }
    return TWANG_OK;
}
