// Runs scenes, measures them, and computes or reads the exact motion. See motion.hpp.
#include "suites/motion.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "suites/suites.hpp"

namespace bench {

namespace {

constexpr std::uint64_t file_version = 2; // raised when the workload or the file changes
constexpr int max_substeps = 1000;        // the engine's limit

double distance(const double* a, const double* b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

std::array<std::vector<double>, true_frames.size()> positions_of(int side, int substeps,
                                                                 double& frame_ms) {
    std::array<std::vector<double>, true_frames.size()> at;
    const Setting setting{twang::default_solver(TWANG_SOLVER_SYMPLECTIC), substeps};
    frame_ms =
        median(play(falling_cloth(side), setting, true_frames.back(), [&](int frame, auto& xyz) {
            if (true_frame_index(frame) < 0) return true;
            at[true_frame_index(frame)] = xyz;
            std::fprintf(stderr, "exact motion of falling cloth %d, %d substeps: frame %d of %d\n",
                         side, substeps, frame, true_frames.back());
            return true;
        }));
    return at;
}

ExactMotion make_exact_motion(int side) {
    ExactMotion exact;
    double other_ms = 0.0;
    exact.at = positions_of(side, exact_substeps(side), exact.frame_ms);
    const auto other = positions_of(side, other_substeps(side), other_ms);
    for (std::size_t i = 0; i < other.size(); ++i) exact.change[i] = rms(exact.at[i], other[i]);
    return exact;
}

bool read(const std::string& path, std::size_t vertices, ExactMotion& exact) {
    std::ifstream file(path, std::ios::binary);
    const auto take = [&](auto* data, std::size_t count) {
        file.read(reinterpret_cast<char*>(data),
                  static_cast<std::streamsize>(count * sizeof *data));
    };
    std::uint64_t version = 0;
    take(&version, 1);
    take(exact.change.data(), exact.change.size());
    take(&exact.frame_ms, 1);
    for (auto& xyz : exact.at) {
        xyz.resize(3 * vertices);
        take(xyz.data(), xyz.size());
    }
    return file.good() && version == file_version;
}

void write(const std::string& path, const ExactMotion& exact) {
    std::ofstream file(path, std::ios::binary);
    const auto put = [&](const auto* data, std::size_t count) {
        file.write(reinterpret_cast<const char*>(data),
                   static_cast<std::streamsize>(count * sizeof *data));
    };
    put(&file_version, 1);
    put(exact.change.data(), exact.change.size());
    put(&exact.frame_ms, 1);
    for (const auto& xyz : exact.at) put(xyz.data(), xyz.size());
}

} // namespace

std::vector<double> play(const twang::io::Scene& scene, const Setting& setting, int frames,
                         const FrameObserver& observe) {
    twang::io::Scene own = scene;
    own.world.solver = setting.solver;
    own.world.substeps = setting.substeps;
    own.world.workers = setting.workers;
    own.world.pin_method = TWANG_PIN_PENALTY;
    auto stage = twang::io::instantiate(own);
    if (!stage) throw std::runtime_error(stage.error().text());
    std::vector<double> times, xyz(3 * stage->body.vertex_count());
    for (int frame = 1; frame <= frames; ++frame) {
        times.push_back(milliseconds_of([&] { check(stage->step()); }));
        if (!observe) continue;
        check(stage->body.copy_positions(xyz));
        if (!observe(frame, xyz)) break;
    }
    return times;
}

void Stretch::keep_worst(const Stretch& other) {
    max = std::max(max, other.max);
    mean = std::max(mean, other.mean);
}

StretchGauge::StretchGauge(const twang::io::Scene& scene) : springs_(scene.springs) {
    const double* p = scene.mesh.positions.data();
    for (twang::SpringDef& spring : springs_)
        spring.rest_length = distance(p + 3 * spring.a, p + 3 * spring.b);
}

StretchGauge::StretchGauge(const twang::Model& model) : springs_(model.info().springs) {
    check(model.copy_springs(springs_));
    std::erase_if(springs_, [](const twang::SpringDef& spring) {
        return spring.kind != TWANG_STRUCTURAL || spring.rest_length <= 0.0;
    });
}

Stretch StretchGauge::measure(std::span<const double> xyz) const {
    Stretch stretch;
    for (const twang::SpringDef& spring : springs_) {
        const double length = distance(&xyz[3 * spring.a], &xyz[3 * spring.b]);
        const double longer = std::max(0.0, length / spring.rest_length - 1.0);
        stretch.max = std::max(stretch.max, longer);
        stretch.mean += longer / static_cast<double>(springs_.size());
    }
    return stretch;
}

bool is_true_motion(const AtFrames& rms) {
    for (std::size_t i = 0; i < rms.size(); ++i)
        if (!(rms[i] <= true_limits[i])) return false;
    return true;
}

int true_frame_index(int frame) {
    const auto found = std::find(true_frames.begin(), true_frames.end(), frame);
    return found == true_frames.end() ? -1 : static_cast<int>(found - true_frames.begin());
}

std::string centimetres(const AtFrames& metres) {
    std::string text;
    for (const double m : metres) {
        char number[40];
        std::snprintf(number, sizeof number, m < 1.0 ? "%.1f" : "%.3g", 100.0 * m);
        text += (text.empty() ? "" : " / ") + std::string(number);
    }
    return text;
}

double rms(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum / (static_cast<double>(a.size()) / 3.0));
}

double lowest(const std::vector<double>& xyz) {
    double y = INFINITY;
    for (std::size_t i = 1; i < xyz.size(); i += 3) y = std::min(y, xyz[i]);
    return y;
}

void ExactMotion::compare(int frame, const std::vector<double>& xyz, AtFrames& errors) const {
    const int i = true_frame_index(frame);
    if (i >= 0) errors[i] = rms(xyz, at[i]);
}

int exact_substeps(int side) { return std::min(max_substeps, (120 * side + 15) / 16); }

int other_substeps(int side) {
    const int own = exact_substeps(side);
    return 2 * own <= max_substeps ? 2 * own : own / 2;
}

ExactMotion exact_motion(int side, const std::string& folder) {
    const std::string path = folder + "/exact-motion-" + std::to_string(side) + ".bin";
    ExactMotion exact;
    if (read(path, static_cast<std::size_t>(side) * side, exact)) return exact;
    exact = make_exact_motion(side);
    write(path, exact);
    return exact;
}

} // namespace bench
