#include "app/summary.hpp"

#include <cinttypes>
#include <cmath>

#include "app/report.hpp"

namespace twang::demo {
namespace {

void print_setup(std::FILE* out, const io::Scene& scene, const Record& record) {
    const WorldDef& world = scene.world;
    const ModelInfo& model = record.model;
    const Precomputation& found = record.precomputation;
    std::fprintf(out, "%s: %s\n", scene.name.c_str(), scene.title.c_str());
    std::fprintf(out, "  model           %u vertices, %u springs (%s), %.4g kg, %zu pinned (%s)\n",
                 model.vertices, model.springs, io::name(scene.energy), model.mass,
                 scene.pins.size(), io::name(world.pin_method));
    if (scene.copies.total() > 1.0) {
        std::fprintf(out, "                  %.0f bodies of it, times and energies of all\n",
                     scene.copies.total());
    }
    std::fprintf(out,
                 "  solver          %s, acceleration %s\n"
                 "                  at most %d iterations, tolerance %g m/s",
                 io::name(world.solver.solver), io::name(world.solver.acceleration),
                 world.solver.iterations, world.solver.tolerance);
    if (world.solver.budget_ms > 0.0) std::fprintf(out, ", budget %g ms", world.solver.budget_ms);
    if (io::has_integrator(world.solver.solver)) {
        std::fprintf(out, "\n  integrator      %s", io::name(world.solver.integrator));
        if (world.solver.numerical_damping > 0.0)
            std::fprintf(out, ", numerical damping %g", world.solver.numerical_damping);
    }
    std::fprintf(out, "\n  time step       %.6g s, %d worker%s, %s arithmetic\n", world.time_step,
                 world.workers, world.workers == 1 ? "" : "s", io::name(world.arithmetic));
    std::fprintf(out,
                 "  precomputation  n = %u, nnz(Q) = %" PRIu64 ", nnz(L) = %" PRIu64
                 ", %.1f kB (%s)\n"
                 "                  %.2f ms: order %.2f, assemble %.2f, factor %.2f, pack %.2f\n",
                 found.n, found.q_nonzeros, found.l_nonzeros,
                 static_cast<double>(found.bytes) / 1000.0, io::name(found.precision),
                 record.precomputation_ms(), found.order_ms, found.assemble_ms, found.factor_ms,
                 found.pack_ms);
}

void print_times(std::FILE* out, const Timings& timings) {
    if (timings.frames() == 0) return;
    std::fprintf(out, "\n  ms per frame      median         p99\n");
    for (std::size_t row = 0; row < timing_names.size(); ++row) {
        const Quantiles quantiles = timings.ms(row);
        std::fprintf(out, "  %-12s %11.4f %11.4f\n", timing_names[row], quantiles.median,
                     quantiles.p99);
    }
    std::fprintf(out, "\n");
}

void print_outcome(std::FILE* out, const Record& record) {
    const Measures& measures = record.measures;
    if (record.timings.frames() > 0) {
        std::fprintf(out, "  iterations      %.4g a frame, rejected steps: %" PRIu64 "\n",
                     record.timings.mean_iterations(), record.timings.rejected_steps());
        std::fprintf(out, "  last frame      residual %.3g m/s", record.last.residual);
        // Infinite where there is no rate of convergence to judge by, as after a single iteration.
        if (std::isfinite(record.last.error_estimate))
            std::fprintf(out, ", error estimate %.3g m", record.last.error_estimate);
        std::fprintf(out, "\n");
    }
    std::fprintf(out, "  stretch         max %.3g %%, mean %.3g %%\n", 100.0 * measures.max_stretch,
                 100.0 * measures.mean_stretch);
    if (record.broken_springs > 0) {
        std::fprintf(out, "  torn            %zu springs, %zu triangles\n", record.broken_springs,
                     record.torn_triangles);
    }
    std::fprintf(out, "  energy          kinetic %.6g J, elastic %.6g J; mean speed %.3g m/s\n",
                 measures.kinetic_energy, measures.elastic_energy, measures.mean_speed);
    std::fprintf(out, "  state hash      %s\n", hash_text(record).c_str());
}

} // namespace

void print_summary(std::FILE* out, const io::Scene& scene, const Record& record) {
    print_setup(out, scene, record);
    std::string end = record.status == "OK" ? "" : "; ended by " + record.status;
    if (const std::uint64_t count = unconverged_frames(scene, record))
        end += "; " + std::to_string(count) + " not converged";
    std::fprintf(out, "  frames          %zu in %.3g s%s\n", record.timings.frames(),
                 record.seconds, end.c_str());
    print_times(out, record.timings);
    print_outcome(out, record);
}

} // namespace twang::demo
