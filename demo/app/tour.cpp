#include "app/tour.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <thread>

#include "app/interrupt.hpp"
#include "app/messages.hpp"
#include "app/scenes.hpp"
#include "view/viewer.hpp"

namespace twang::demo {
namespace {

struct Stop {
    const char* scene;
    int frames;
    int picture; // the frame whose picture is saved
};
constexpr Stop stops[] = {
    {"cloth", 120, 40}, {"flag", 120, 110}, {"drape", 130, 120}, {"bunny", 120, 12}};

struct Row {
    std::string scene;
    std::vector<double> step_ms, draw_ms;
};

double median(std::vector<double> values) {
    if (values.empty()) return 0.0;
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

io::Result<io::Scene> read_stop(const Options& options, const Stop& stop) {
    Options wanted = options;
    wanted.scene = stop.scene;
    // Half the cores, unless --workers is given: ffmpeg runs at the same time.
    if (!options.workers) {
        wanted.workers = std::max(static_cast<int>(std::thread::hardware_concurrency()) / 2, 1);
    }
    return open_scene(wanted);
}

// Plays the frames of one stop. Returns false when the viewer ended early or the picture could not
// be saved; `error` is set in the second case.
bool play(Viewer& viewer, const Stop& stop, const std::string& picture, Row& row,
          std::optional<io::Error>& error) {
    row.scene = stop.scene;
    for (int frame = 1; frame <= stop.frames; ++frame) {
        viewer.session().camera.orbit(0.0015f, 0);
        if (!viewer.frame()) return false;
        row.step_ms.push_back(viewer.session().simulation.runs()[0]->report.total_ms);
        row.draw_ms.push_back(viewer.draw_ms());
        if (frame == stop.picture && (error = viewer.save_picture(picture))) return false;
    }
    return true;
}

void print_table(const std::vector<Row>& rows, Size size) {
    std::printf("\nms per frame (median)   simulate      draw, %d x %d\n", size.width, size.height);
    for (const Row& row : rows) {
        std::printf("  %-20s %9.2f %9.2f\n", row.scene.c_str(), median(row.step_ms),
                    median(row.draw_ms));
    }
}

} // namespace

int run_tour(const Options& options) {
    watch_for_interrupts();
    const std::filesystem::path folder = options.tour;
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) {
        return complain({options.tour, 0, "cannot make this folder: " + failed.message(),
                         io::Exit::unreadable});
    }
    Options with_movie = options;
    if (!options.size) with_movie.size = Size{960, 600}; // small: software rendering is slow
    with_movie.record = (folder / "tour.mp4").string();
    io::Result<io::Scene> first = read_stop(options, stops[0]);
    if (!first) return complain(first.error());
    io::Result<std::unique_ptr<Viewer>> viewer = Viewer::open(with_movie, *first);
    if (!viewer) return complain(viewer.error());

    std::vector<Row> rows;
    std::vector<std::string> written = {with_movie.record};
    std::optional<io::Error> error;
    for (const Stop& stop : stops) {
        if (!rows.empty()) {
            io::Result<io::Scene> scene = read_stop(options, stop);
            if (!scene) return complain(scene.error());
            if ((error = (*viewer)->open_scene(std::move(*scene)))) return complain(*error);
        }
        written.push_back((folder / (std::string(stop.scene) + ".png")).string());
        rows.emplace_back();
        if (!play(**viewer, stop, written.back(), rows.back(), error)) break;
    }
    const Size size = (*viewer)->session().size;
    const int exit = (*viewer)->finish();
    if (error) return complain(*error);
    if (exit != 0) return exit;
    print_table(rows, size);
    std::printf("\n");
    for (const std::string& path : written) std::printf("%s\n", path.c_str());
    return 0;
}

} // namespace twang::demo
