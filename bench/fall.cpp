#include "fall.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>

#include "suites.hpp"

namespace bench {

namespace {

constexpr std::uint64_t reference_version = 1; // raised when the workload changes

double lowest(const std::vector<double>& xyz) {
    double y = INFINITY;
    for (std::size_t i = 1; i < xyz.size(); i += 3) y = std::min(y, xyz[i]);
    return y;
}

bool read_reference(const std::string& path, std::size_t vertices, FallReference& reference) {
    std::ifstream file(path, std::ios::binary);
    const auto read = [&](auto* data, std::size_t count) {
        file.read(reinterpret_cast<char*>(data),
                  static_cast<std::streamsize>(count * sizeof *data));
    };
    std::uint64_t version = 0;
    read(&version, 1);
    read(&reference.lowest_25, 1);
    read(&reference.lowest_30, 1);
    reference.at_30.resize(3 * vertices);
    read(reference.at_30.data(), 3 * vertices);
    return file.good() && version == reference_version;
}

void write_reference(const std::string& path, const FallReference& reference) {
    std::ofstream file(path, std::ios::binary);
    const auto write = [&](const auto* data, std::size_t count) {
        file.write(reinterpret_cast<const char*>(data),
                   static_cast<std::streamsize>(count * sizeof *data));
    };
    write(&reference_version, 1);
    write(&reference.lowest_25, 1);
    write(&reference.lowest_30, 1);
    write(reference.at_30.data(), reference.at_30.size());
}

} // namespace

bool FallRun::moves_truly(const FallReference& reference) const {
    const auto is_near = [](double a, double b) { return std::abs(a - b) <= 0.03 * std::abs(b); };
    return is_near(lowest_25, reference.lowest_25) && is_near(lowest_30, reference.lowest_30) &&
           rms < 0.03;
}

bool FallRun::is_stiff() const { return max_stretch < 0.10 && mean_stretch < 0.02; }

Fall::Fall(int side, const std::string& folder)
    : side_(side), stage_(start(falling_cloth(side), 1, 0)) {
    springs_.resize(stage_.model.info().springs);
    check(twang_model_copy_springs(stage_.model.get(), springs_.data(), springs_.size()));
    const std::string path = folder + "/fall-reference-" + std::to_string(side) + ".bin";
    if (read_reference(path, stage_.body.vertex_count(), reference_)) return;
    reference_ = make_reference();
    write_reference(path, reference_);
}

void Fall::begin(const twang::SolverDef& solver, int workers) {
    if (workers > 1 && !parallel_) parallel_ = start(falling_cloth(side_), workers, 0);
    now_ = workers > 1 ? &*parallel_ : &stage_;
    check(now_->world.set_solver(solver));
    check(now_->body.reset());
}

double Fall::step() {
    const auto begin = std::chrono::steady_clock::now();
    check(now_->step());
    const std::chrono::duration<double, std::milli> passed =
        std::chrono::steady_clock::now() - begin;
    return passed.count();
}

std::vector<double> Fall::positions() const {
    std::vector<double> xyz(3 * now_->body.vertex_count());
    check(now_->body.copy_positions(xyz));
    return xyz;
}

// How much longer springs are than at rest; a shortened one counts 0.
void Fall::measure_stretch(FallRun& run) const {
    const std::vector<double> xyz = positions();
    double max = 0.0, sum = 0.0;
    for (const twang::SpringDef& spring : springs_) {
        const double *a = &xyz[3 * spring.a], *b = &xyz[3 * spring.b];
        const double length = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        const double longer = std::max(0.0, length / spring.rest_length - 1.0);
        max = std::max(max, longer);
        sum += longer;
    }
    run.max_stretch = std::max(run.max_stretch, max);
    run.mean_stretch = std::max(run.mean_stretch, sum / springs_.size());
}

FallReference Fall::make_reference() {
    begin({TWANG_NEWTON_CG, 200, 1e-3}, 1);
    FallReference reference;
    for (int frame = 1; frame <= 30; ++frame) {
        step();
        if (frame == 25) reference.lowest_25 = lowest(positions());
    }
    reference.at_30 = positions();
    reference.lowest_30 = lowest(reference.at_30);
    return reference;
}

FallRun Fall::play(const twang::SolverDef& solver, int workers) {
    begin(solver, workers);
    FallRun run;
    for (int frame = 1; frame <= 300; ++frame) {
        run.frame_ms.push_back(step());
        if (frame == 25) run.lowest_25 = lowest(positions());
        if (frame == 30) {
            const std::vector<double> xyz = positions();
            run.lowest_30 = lowest(xyz);
            double sum = 0.0;
            for (std::size_t i = 0; i < xyz.size(); ++i)
                sum += (xyz[i] - reference_.at_30[i]) * (xyz[i] - reference_.at_30[i]);
            run.rms = std::sqrt(sum / (xyz.size() / 3));
            if (!run.moves_truly(reference_)) break;
        }
        if (frame >= 240) measure_stretch(run);
    }
    return run;
}

std::vector<double> Fall::time_frames(const twang::SolverDef& solver, int workers, int frames) {
    begin(solver, workers);
    std::vector<double> ms;
    for (int frame = 0; frame < frames; ++frame) ms.push_back(step());
    return ms;
}

std::optional<Fall::Found> Fall::search(twang::SolverDef solver) {
    for (const int iterations : {1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100}) {
        solver.iterations = iterations;
        FallRun run = play(solver, 1);
        if (run.moves_truly(reference_) && run.is_stiff()) return Found{solver, std::move(run)};
    }
    return {};
}

} // namespace bench
