#include "view/viewer.hpp"

#include "app/interrupt.hpp"
#include "app/messages.hpp"
#include "app/scenes.hpp"
#include "record/png_file.hpp"

namespace twang::demo {
namespace {

constexpr double min_frame_seconds =
    1.0 / 125; // s; limits the rate where the swap does not wait for the screen

double seconds_between(std::chrono::steady_clock::time_point a,
                       std::chrono::steady_clock::time_point b) {
    return std::chrono::duration<double>(b - a).count();
}

} // namespace

Viewer::Viewer(const Options& options, std::unique_ptr<Window> window)
    : options_(options),
      window_(std::move(window)),
      panel_(*window_),
      clock_(std::chrono::steady_clock::now()) {
    exact_ = !options.record.empty() || !options.screenshot.empty() ||
             !options.export_folder.empty() || !options.tour.empty() || options.frames.has_value();
}

io::Result<std::unique_ptr<Viewer>> Viewer::open(const Options& options, io::Scene scene,
                                                 bool debug) {
    const Size size = options.size.value_or(Size{});
    io::Result<std::unique_ptr<Window>> window = Window::open(size, "Twang", debug);
    if (!window) return window.error();
    std::unique_ptr<Viewer> viewer(new Viewer(options, std::move(*window)));
    if (!viewer->renderer_.complaint().empty()) {
        return io::Error{"twang_demo", 0, "OpenGL: " + viewer->renderer_.complaint(),
                         io::Exit::no_display};
    }
    viewer->renderer_.set_smooth(viewer->exact_ || !viewer->renderer_.is_software());
    viewer->session_.size = size;
    viewer->session_.view = options.camera;
    if (auto error = viewer->open_scene(std::move(scene))) return *error;
    if (auto error = viewer->open_files()) return *error;
    return viewer;
}

std::optional<io::Error> Viewer::open_files() {
    const io::Scene& scene = session_.simulation.scene();
    if (exact_ && options_.tour.empty()) last_frame_ = std::max(scene.frames, 1);
    if (!options_.record.empty()) {
        io::Result<Movie> movie = Movie::start(options_.record, session_.size);
        if (!movie) return movie.error();
        movie_ = std::move(*movie);
    }
    if (!options_.export_folder.empty()) {
        io::Result<ObjSequence> objs = ObjSequence::open(
            options_.export_folder, scene, session_.simulation.runs()[0]->stage.model);
        if (!objs) return objs.error();
        objs_ = std::move(*objs);
        if (auto error = write_obj()) return error;
    }
    return {};
}

std::optional<io::Error> Viewer::open_scene(io::Scene scene) {
    if (auto error = session_.simulation.open(std::move(scene))) return error;
    const io::Scene& now = session_.simulation.scene();
    reset_view(session_);
    session_.notice.clear();
    window_->set_title("Twang: " + now.title);
    return {};
}

void Viewer::handle_events() {
    for (const Event& event : window_->poll()) {
        if (!panel_.takes(event)) controls_.handle(event, session_);
    }
    if (session_.wanted_scene.empty()) return;
    Options wanted;
    wanted.scene = std::exchange(session_.wanted_scene, {});
    wanted.workers = options_.workers;
    io::Result<io::Scene> scene = demo::open_scene(wanted);
    if (!scene) {
        session_.notice = scene.error().text();
    } else if (auto error = open_scene(std::move(*scene))) {
        session_.notice = error->text();
    }
}

void Viewer::advance() {
    using Clock = std::chrono::steady_clock;
    double seconds = seconds_between(clock_, Clock::now());
    if (!exact_ && seconds < min_frame_seconds) {
        window_->wait(min_frame_seconds - seconds);
        seconds = seconds_between(clock_, Clock::now());
    }
    clock_ = Clock::now();
    seconds_ += 0.1 * (seconds - seconds_);
    if (exact_) {
        session_.simulation.advance(1.0 / movie_rate, Pace::exact);
    } else {
        session_.simulation.advance(seconds, Pace::live);
    }
}

void Viewer::draw() {
    const Size window = window_->size();
    // A film keeps its size when the window is resized.
    if (!movie_ && !window.empty()) session_.size = window;
    if (window.empty() && !movie_) {
        window_->wait(0.05);
        return;
    }
    const auto start = std::chrono::steady_clock::now();
    renderer_.draw(picture_.compose(session_), session_.camera, session_.size);
    if (exact_) glFinish(); // so that draw_ms_ includes the GPU's work
    draw_ms_ = 1000 * seconds_between(start, std::chrono::steady_clock::now());
    image_fresh_ = false;
    if (window.empty()) return;
    renderer_.show(window);
    glViewport(0, 0, window.width, window.height);
    panel_.draw(session_, 1 / seconds_);
    if (before_swap) before_swap();
    window_->swap();
}

const Image& Viewer::image() {
    if (!image_fresh_) renderer_.read(image_);
    image_fresh_ = true;
    return image_;
}

std::optional<io::Error> Viewer::save_picture(const std::string& path) {
    return write_png(path, image());
}

std::optional<io::Error> Viewer::write_obj() const {
    const Body& body = session_.simulation.runs()[0]->stage.body;
    std::vector<double> xyz(3 * body.vertex_count());
    body.copy_positions(xyz);
    return objs_->write(frames_, xyz);
}

bool Viewer::write_files() {
    ++frames_;
    if (movie_ && !movie_->add(image())) return false;
    if (objs_ && (error_ = write_obj())) return false;
    return last_frame_ == 0 || frames_ < last_frame_;
}

bool Viewer::frame() {
    handle_events();
    if (session_.closing || window_->closing() || interrupted_by()) return false;
    advance();
    controls_.advance(session_);
    draw();
    if (exact_ && session_.simulation.status() != TWANG_OK) {
        const io::Scene& scene = session_.simulation.scene();
        error_ = io::Error{scene.name, 0, session_.simulation.failure(),
                           exit_code(session_.simulation.status())};
        return false;
    }
    return write_files();
}

int Viewer::finish() {
    std::optional<io::Error> error = std::exchange(error_, {});
    if (movie_) {
        std::optional<io::Error> failed = movie_->close();
        if (!error) error = failed;
        movie_.reset();
    }
    if (!error && !options_.screenshot.empty()) error = save_picture(options_.screenshot);
    if (error) return complain(*error);
    const int signal = interrupted_by();
    return signal ? 128 + signal : 0;
}

} // namespace twang::demo
