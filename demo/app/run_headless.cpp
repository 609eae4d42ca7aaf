#include "app/run_headless.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "app/interrupt.hpp"
#include "app/messages.hpp"
#include "app/progress.hpp"
#include "app/record.hpp"
#include "app/report.hpp"
#include "app/scenes.hpp"
#include "app/summary.hpp"
#include "app/trajectory.hpp"
#include "record/obj_sequence.hpp"
#include "record/output_file.hpp"

namespace twang::demo {
namespace {

// The requested files. Opened before the first frame, so that a bad path fails at once and not
// after the simulation.
struct Outputs {
    std::optional<Trajectory> trajectory;
    std::optional<OutputFile> report;
    std::optional<ObjSequence> objs;
    std::optional<io::Error> failure; // of objs
};

bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code error;
    return std::filesystem::equivalent(a, b, error);
}

io::Result<Outputs> open_outputs(const Options& options, const io::Scene& scene,
                                 const Model& model) {
    Outputs outputs;
    for (const std::string* path : {&options.trajectory, &options.report}) {
        if (is_same_file(*path, scene.file)) {
            return usage_error("'" + *path + "' would overwrite the scene");
        }
    }
    if (!options.trajectory.empty()) {
        io::Result<Trajectory> opened = Trajectory::open(options.trajectory);
        if (!opened) return opened.error();
        outputs.trajectory = std::move(*opened);
    }
    if (!options.report.empty()) {
        io::Result<OutputFile> opened = OutputFile::open(options.report);
        if (!opened) return opened.error();
        outputs.report = std::move(*opened);
    }
    if (!options.export_folder.empty()) {
        io::Result<ObjSequence> opened = ObjSequence::open(options.export_folder, scene, model);
        if (!opened) return opened.error();
        outputs.objs = std::move(*opened);
    }
    return outputs;
}

// Prints why the step of this frame failed and returns the exit code.
int complain_of_step(const io::Scene& scene, int frame, Status status) {
    const std::string_view reason = last_error();
    say(scene.name + ": frame " + std::to_string(frame) + ": " +
        std::string(reason.empty() ? twang_status_text(status) : reason));
    return static_cast<int>(exit_code(status));
}

// Runs the frames. Stops early at a failed step, at a signal or at a failed write, and returns the
// exit code of the first two. A failed write of trajectory or report is returned by its close(),
// one of the .obj files stands in outputs.failure.
int simulate(io::Stage& stage, const io::Scene& scene, Outputs& outputs, Record& record) {
    std::vector<double> xyz(3 * stage.body.vertex_count());
    const auto write_frame = [&](int frame) {
        if (!outputs.trajectory && !outputs.objs) return true;
        stage.body.copy_positions(xyz);
        if (outputs.objs && (outputs.failure = outputs.objs->write(frame, xyz))) return false;
        return !outputs.trajectory || outputs.trajectory->write(frame, xyz);
    };
    record.status = name(TWANG_OK);
    if (!write_frame(0)) return 0;
    Progress progress(scene.frames);
    for (int frame = 1; frame <= scene.frames; ++frame) {
        if (const int signal = interrupted_by()) {
            record.status = "INTERRUPTED";
            return 128 + signal;
        }
        if (const Status status = stage.step(); status != TWANG_OK) {
            record.status = name(status);
            progress.erase();
            return complain_of_step(scene, frame, status);
        }
        record.last = stage.world.report();
        record.timings.add(record.last);
        record.max_penetration = std::max(record.max_penetration, record.last.max_penetration);
        if (!write_frame(frame)) return 0;
        progress.show(frame);
    }
    return 0;
}

void count_tears(const io::Stage& stage, Record& record) {
    std::vector<std::uint8_t> torn(record.model.triangles);
    for (const Body& body : stage.bodies) {
        record.broken_springs += body.broken_springs();
        if (body.copy_torn_triangles(torn) != TWANG_OK) continue;
        record.torn_triangles += static_cast<std::size_t>(std::count(torn.begin(), torn.end(), 1));
    }
}

Record run(io::Stage& stage, const io::Scene& scene, Outputs& outputs, int& exit) {
    using Clock = std::chrono::steady_clock;
    Record record;
    record.model = stage.model.info();
    record.precomputation = stage.body.precomputation();
    const Clock::time_point start = Clock::now();
    exit = simulate(stage, scene, outputs, record);
    record.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    record.measures = stage.measure();
    count_tears(stage, record);
    return record;
}

} // namespace

int run_headless(const Options& options, const io::Scene& scene) {
    watch_for_interrupts();
    io::Result<io::Stage> stage = make_stage(scene);
    if (!stage) return complain(stage.error());
    io::Result<Outputs> outputs = open_outputs(options, scene, stage->model);
    if (!outputs) return complain(outputs.error());

    int exit = 0;
    const Record record = run(*stage, scene, *outputs, exit);
    if (outputs->failure) return complain(*outputs->failure);
    if (outputs->trajectory) {
        if (const auto error = outputs->trajectory->close()) return complain(*error);
    }
    if (outputs->report) {
        outputs->report->write(report_json(scene, record));
        if (const auto error = outputs->report->close()) return complain(*error);
    }
    const bool stdout_taken = options.trajectory == "-" || options.report == "-";
    print_summary(stdout_taken ? stderr : stdout, scene, record);
    return exit;
}

} // namespace twang::demo
