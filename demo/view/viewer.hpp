// The demo with its window. Connects window, controls, simulation, picture, renderer, panel and the
// files that are written; frame() is the body of the main loop.
//
// The folder view/ owns everything that is seen or done in the window: the window and its input
// events, the camera, picking and dragging, keys and panel, and the way from the simulation's poses
// to pixels: session -> picture -> drawing -> renderer. Only view/ calls OpenGL, GLFW and Dear
// ImGui. view/ takes no steps itself; it advances simulation/ by the elapsed time.
#ifndef TWANG_DEMO_VIEWER_HPP
#define TWANG_DEMO_VIEWER_HPP

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "app/options.hpp"
#include "record/movie.hpp"
#include "record/obj_sequence.hpp"
#include "view/controls.hpp"
#include "view/panel.hpp"
#include "view/picture.hpp"
#include "view/renderer.hpp"
#include "view/session.hpp"
#include "view/window.hpp"

namespace twang::demo {

class Viewer {
public:
    // With `debug` OpenGL's errors are counted in window().
    static io::Result<std::unique_ptr<Viewer>> open(const Options& options, io::Scene scene,
                                                    bool debug = false);

    // Handles events, takes steps, draws and writes files. Returns false at the end: when the
    // window is closed, a signal was caught, all frames are done, a file cannot be written, or a
    // step failed in a run of exact time (see exact_).
    bool frame();
    // Finishes the files, prints the first error and returns the exit code.
    int finish();

    // Opens another scene in the same window.
    std::optional<io::Error> open_scene(io::Scene scene);
    std::optional<io::Error> save_picture(const std::string& path);

    Session& session() { return session_; }
    Window& window() { return *window_; }
    const Image& image();              // the last drawn picture, without the panel
    std::function<void()> before_swap; // called when the window's picture is complete
    // Milliseconds to draw the last picture, including the GPU's work when exact_.
    double draw_ms() const { return draw_ms_; }

private:
    Viewer(const Options& options, std::unique_ptr<Window> window);
    std::optional<io::Error> open_files();
    void handle_events();
    void advance();
    void draw();
    bool write_files(); // false: the last frame, or a write failed
    std::optional<io::Error> write_obj() const;

    Options options_;
    std::unique_ptr<Window> window_;
    Renderer renderer_;
    Panel panel_;
    Controls controls_;
    Picture picture_;
    Session session_;
    std::optional<Movie> movie_;
    std::optional<ObjSequence> objs_;
    Image image_;
    bool image_fresh_ = false;
    int frames_ = 0;     // drawn
    int last_frame_ = 0; // frame() returns false after this frame; 0: never
    bool exact_ = false; // Pace::exact: one picture is 1/60 s of simulated time
    std::optional<io::Error> error_;
    std::chrono::steady_clock::time_point clock_;
    double seconds_ = 1.0 / 60; // of the last frame, smoothed for the panel
    double draw_ms_ = 0;
};

} // namespace twang::demo

#endif // TWANG_DEMO_VIEWER_HPP
