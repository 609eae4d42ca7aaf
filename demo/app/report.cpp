#include "app/report.hpp"

#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/options.hpp"

namespace twang::demo {
namespace {

using Json = nlohmann::ordered_json; // keeps keys in the order of insertion

// Adds the settings of the run, not its results.
void add_settings(Json& json, const io::Scene& scene) {
    const WorldDef& world = scene.world;
    json["version"] = version_text();
    json["scene"] = scene.name;
    json["title"] = scene.title;
    json["solver"] = io::name(world.solver.solver);
    json["max_iterations"] = world.solver.iterations;
    json["tolerance"] = world.solver.tolerance;
    json["acceleration"] = io::name(world.solver.acceleration);
    if (io::has_integrator(world.solver.solver)) {
        json["integrator"] = io::name(world.solver.integrator);
        json["numerical_damping"] = world.solver.numerical_damping;
    }
    json["budget_ms"] = world.solver.budget_ms;
    json["energy"] = io::name(scene.energy);
    json["pins"] = io::name(world.pin_method);
    json["arithmetic"] = io::name(world.arithmetic);
    json["time_step"] = world.time_step;
    json["gravity"] = {world.gravity.x, world.gravity.y, world.gravity.z};
    json["damping"] = world.damping;
    json["workers"] = world.workers;
}

void add_model(Json& json, const io::Scene& scene, const ModelInfo& model) {
    json["bodies"] = static_cast<std::uint64_t>(scene.copies.total());
    json["vertices"] = model.vertices;
    json["springs"] = model.springs;
    json["pinned_vertices"] = scene.pins.size();
    json["mass"] = model.mass;
    json["size"] = model.size;
}

Json precomputation(const Record& record) {
    const Precomputation& found = record.precomputation;
    return {{"n", found.n},
            {"nnz_q", found.q_nonzeros},
            {"nnz_l", found.l_nonzeros},
            {"bytes", found.bytes},
            {"precision", io::name(found.precision)},
            {"order_ms", found.order_ms},
            {"assemble_ms", found.assemble_ms},
            {"factor_ms", found.factor_ms},
            {"pack_ms", found.pack_ms},
            {"total_ms", record.precomputation_ms()}};
}

void add_work(Json& json, const Timings& timings) {
    Json& ms = json["ms"];
    for (std::size_t row = 0; row < timing_names.size(); ++row) {
        const Quantiles quantiles = timings.ms(row);
        ms[timing_names[row]] = {{"median", quantiles.median}, {"p99", quantiles.p99}};
    }
    const Quantiles iterations = timings.iterations();
    json["iterations"] = timings.mean_iterations();
    json["iteration_counts"] = {{"median", iterations.median},
                                {"max", static_cast<int>(iterations.max)},
                                {"total", timings.total_iterations()}};
    json["inner_iterations"] = timings.inner_iterations();
    json["rejected_steps"] = timings.rejected_steps();
    json["projected_systems"] = timings.projected_systems();
    json["converged_frames"] = timings.converged_frames();
}

void add_outcome(Json& json, const Record& record) {
    const Measures& measures = record.measures;
    json["residual"] = record.last.residual;
    json["error_estimate"] = record.last.error_estimate;
    json["kinetic_energy"] = measures.kinetic_energy;
    json["elastic_energy"] = measures.elastic_energy;
    json["max_stretch"] = measures.max_stretch;
    json["mean_stretch"] = measures.mean_stretch;
    json["mean_speed"] = measures.mean_speed;
    json["contacts"] = record.last.contacts;
    json["max_penetration"] = record.max_penetration;
    json["broken_springs"] = record.broken_springs;
    json["torn_triangles"] = record.torn_triangles;
    json["state_hash"] = hash_text(record);
}

} // namespace

std::string report_json(const io::Scene& scene, const Record& record) {
    Json json;
    add_settings(json, scene);
    add_model(json, scene, record.model);
    json["status"] = record.status;
    json["frames"] = record.timings.frames();
    json["seconds"] = record.seconds;
    json["precomputation"] = precomputation(record);
    add_work(json, record.timings);
    json["unconverged_frames"] = unconverged_frames(scene, record);
    add_outcome(json, record);
    // Invalid UTF-8 in a title is replaced: by default dump() throws, and the report would be lost.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::uint64_t unconverged_frames(const io::Scene& scene, const Record& record) {
    const SolverDef& solver = scene.world.solver;
    const bool is_newton =
        solver.solver == TWANG_SOLVER_NEWTON || solver.solver == TWANG_SOLVER_NEWTON_CG;
    if (!is_newton || solver.tolerance == 0.0) return 0;
    return record.timings.frames() - record.timings.converged_frames();
}

std::string hash_text(const Record& record) {
    char text[17];
    std::snprintf(text, sizeof text, "%016" PRIx64, record.measures.state_hash);
    return text;
}

} // namespace twang::demo
