// The demo with its window: wires window, controls, show, picture, renderer, panel and the files
// that are written. frame() is the whole loop's body.
#ifndef TWANG_DEMO_VIEWER_HPP
#define TWANG_DEMO_VIEWER_HPP

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "controls.hpp"
#include "movie.hpp"
#include "obj_sequence.hpp"
#include "options.hpp"
#include "panel.hpp"
#include "picture.hpp"
#include "renderer.hpp"
#include "session.hpp"
#include "window.hpp"

namespace twang::demo {

class Viewer {
public:
    // With `debug` OpenGL's complaints are counted.
    static io::Result<std::unique_ptr<Viewer>> open(const Options& options, io::Scene scene,
                                                    bool debug = false);

    // Events, steps, picture, files. False when it is over: closed, interrupted, all frames done
    // or a file that takes no more.
    bool frame();
    // Finishes the files; says what went wrong and returns the exit code.
    int finish();

    // Another scene in the same window.
    std::optional<io::Error> open_scene(io::Scene scene);
    std::optional<io::Error> save_picture(const std::string& path);

    Session& session() { return session_; }
    Window& window() { return *window_; }
    const Image& image();                       // as last drawn, without the panel
    std::function<void()> before_swap;          // called when the window's picture is complete
    double draw_ms() const { return draw_ms_; } // of the last picture, until the card was done

private:
    Viewer(const Options& options, std::unique_ptr<Window> window);
    std::optional<io::Error> open_files();
    void handle_events();
    void advance();
    void draw();
    bool write_files(); // false: no more
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
    int last_frame_ = 0; // after which it ends; 0: never
    bool exact_ = false; // one picture is 1/60 s, whatever the clock says
    std::optional<io::Error> error_;
    std::chrono::steady_clock::time_point clock_;
    double seconds_ = 1.0 / 60; // of the last frame, smoothed for the panel
    double draw_ms_ = 0;
};

} // namespace twang::demo

#endif // TWANG_DEMO_VIEWER_HPP
