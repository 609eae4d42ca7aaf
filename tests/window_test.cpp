// The window as a person uses it: a real mouse and real keys (xdotool) on a screen that nobody sees
// (Xvfb). The viewer runs in this process, so that what a click did can be looked up. Nothing waits
// for a time, only for what is to happen.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include "app/scenes.hpp"
#include "run_demo.hpp"
#include "view/keys.hpp"
#include "view/viewer.hpp"

namespace twang::demo {
namespace {

using test::Outcome;
using test::read_text;
using test::ScratchFolder;

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// What a command prints, without the newline at its end.
std::string output_of(const std::string& command) {
    std::string text;
    std::FILE* const pipe = popen(command.c_str(), "r");
    if (!pipe) throw std::runtime_error("popen");
    for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
    pclose(pipe);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

io::Scene scene_named(const std::string& name) {
    Options options;
    options.scene = name;
    options.workers = 1;
    io::Result<io::Scene> scene = open_scene(options);
    EXPECT_TRUE(scene) << name;
    return std::move(*scene);
}

Options quiet_options() {
    Options options;
    options.size = Size{400, 300};
    options.workers = 1;
    options.frames = 1000000000; // a picture is 1/60 s, however long it takes
    return options;
}

std::unique_ptr<Viewer> open_viewer(const Options& options, const std::string& scene) {
    io::Scene read = scene_named(scene);
    read.frames = options.frames.value_or(read.frames);
    io::Result<std::unique_ptr<Viewer>> viewer = Viewer::open(options, read, true);
    if (!viewer) throw std::runtime_error(viewer.error().text());
    (*viewer)->session().looks.panel = false;
    return std::move(*viewer);
}

// One window for most tests: opening takes longest.
class WindowTest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        viewer_ = open_viewer(quiet_options(), "cloth");
        viewer_->frame();
        id_ = output_of("xdotool search --name '^Twang' | tail -n 1");
        ASSERT_FALSE(id_.empty());
    }
    static void TearDownTestSuite() { viewer_.reset(); }

    void SetUp() override {
        Session& s = session();
        s.looks = Looks{};
        s.looks.panel = false;
        s.simulation.paused = false;
        ASSERT_FALSE(viewer_->open_scene(scene_named("cloth")));
        ASSERT_TRUE(viewer_->frame());
    }
    void TearDown() override {
        EXPECT_EQ(viewer_->window().gl_errors(), 0) << viewer_->window().gl_message();
    }

    static Session& session() { return viewer_->session(); }
    static void type(const std::string& what) {
        ASSERT_EQ(std::system(("xdotool " + what).c_str()), 0) << what;
    }
    // Shows frames until something has happened.
    static bool until(const std::function<bool()>& happened) {
        for (int frame = 0; frame < 3000; ++frame) {
            if (happened()) return true;
            if (!viewer_->frame()) return false;
        }
        return false;
    }
    static void frames(int count) {
        for (int i = 0; i < count; ++i) ASSERT_TRUE(viewer_->frame());
    }
    // Simulates without showing anything: drawing is what takes time here.
    static void skip(int steps) { session().simulation.advance(steps / 60.0, Pace::exact); }
    // Points at a place in the picture, from -1 to 1.
    static void point_at(float x, float y) {
        const Size size = viewer_->window().size();
        type("mousemove --window " + id_ + " " +
             std::to_string(std::lround(0.5f * (1 + x) * static_cast<float>(size.width))) + " " +
             std::to_string(std::lround(0.5f * (1 - y) * static_cast<float>(size.height))));
    }
    static Point vertex(std::uint32_t index) {
        return point(&session().simulation.runs()[0]->now[3 * std::size_t{index}]);
    }
    static Point seen(std::uint32_t index) {
        return session().camera.seen_at(point(&session().simulation.runs()[0]->seen[3 * index]),
                                        session().size.aspect());
    }

    static std::unique_ptr<Viewer> viewer_;
    static std::string id_;
};

std::unique_ptr<Viewer> WindowTest::viewer_;
std::string WindowTest::id_;

// Pixels that differ by more than noise.
std::size_t changed_pixels(const Image& a, const Image& b) {
    std::size_t count = 0;
    for (std::size_t i = 0; i + 2 < a.rgb.size() && i + 2 < b.rgb.size(); i += 3) {
        int most = 0;
        for (int k = 0; k < 3; ++k) most = std::max(most, std::abs(a.rgb[i + k] - b.rgb[i + k]));
        count += most > 12;
    }
    return count;
}

void expect_a_picture(const Image& image) {
    ASSERT_FALSE(image.size.empty());
    std::set<int> colours;
    double sum = 0;
    for (std::size_t i = 0; i + 2 < image.rgb.size(); i += 3) {
        sum += image.rgb[i] + image.rgb[i + 1] + image.rgb[i + 2];
        colours.insert(image.rgb[i] << 16 | image.rgb[i + 1] << 8 | image.rgb[i + 2]);
    }
    EXPECT_GT(sum / static_cast<double>(image.rgb.size()), 60.0); // not black
    EXPECT_LT(sum / static_cast<double>(image.rgb.size()), 245.0);
    EXPECT_GT(colours.size(), 200u);
}

// ---- Drawing ---------------------------------------------------------------------------------

TEST_F(WindowTest, EverySceneOpensDrawsAndMoves) {
    for (const std::string& name : shipped_scenes()) {
        SCOPED_TRACE(name);
        ASSERT_FALSE(viewer_->open_scene(scene_named(name)));
        session().simulation.paused = true;
        frames(1);
        const Image first = viewer_->image();
        expect_a_picture(first);
        session().simulation.paused = false;
        skip(12);
        frames(1);
        EXPECT_GT(changed_pixels(first, viewer_->image()), 30u);
        EXPECT_EQ(viewer_->window().gl_errors(), 0) << viewer_->window().gl_message();
    }
}

TEST_F(WindowTest, TheWindowShowsThePictureWithThePanelOnIt) {
    Image window;
    viewer_->before_swap = [&] { // afterwards the back buffer may hold anything
        window.size = viewer_->window().size();
        window.rgb.resize(3 * static_cast<std::size_t>(window.size.width * window.size.height));
        glReadBuffer(GL_BACK);
        glPixelStorei(GL_PACK_ALIGNMENT, 1);
        glReadPixels(0, 0, window.size.width, window.size.height, GL_RGB, GL_UNSIGNED_BYTE,
                     window.rgb.data());
        const std::size_t row = 3 * static_cast<std::size_t>(window.size.width);
        for (int i = 0; i < window.size.height / 2; ++i) {
            std::swap_ranges(window.rgb.begin() + row * i, window.rgb.begin() + row * (i + 1),
                             window.rgb.end() - row * (i + 1));
        }
    };
    frames(3);
    const std::size_t pixels = window.rgb.size() / 3;
    EXPECT_LT(changed_pixels(window, viewer_->image()), pixels / 20); // the line of hints
    session().looks.panel = true;
    frames(3);
    EXPECT_GT(changed_pixels(window, viewer_->image()), pixels / 4);
    viewer_->before_swap = nullptr;
}

TEST_F(WindowTest, SpringsPatternAndContactsAreSeen) {
    ASSERT_FALSE(viewer_->open_scene(scene_named("drape")));
    skip(50); // it lies on the ball by now
    session().simulation.paused = true;
    frames(1);
    const Image plain = viewer_->image();
    for (bool* look :
         {&session().looks.springs, &session().looks.pattern, &session().looks.contacts}) {
        *look = !*look;
        frames(1);
        EXPECT_GT(changed_pixels(plain, viewer_->image()), 100u);
        *look = !*look;
        frames(1);
        EXPECT_EQ(changed_pixels(plain, viewer_->image()), 0u);
    }
}

// ---- The mouse -------------------------------------------------------------------------------

TEST_F(WindowTest, ADragMovesTheVertexUnderItAndLetsGo) {
    const std::uint32_t grabbed = 40 * 41 + 20; // the middle of the free side
    skip(45);
    session().simulation.paused = true; // so that it is where it is seen
    frames(1);
    const Point at = seen(grabbed);
    point_at(at.x, at.y + 0.02f);
    type("mousedown 1");
    ASSERT_TRUE(until([&] { return session().drag.holds(session().simulation); }));
    const std::uint32_t held = session().drag.grip().nearest();
    const Point before = vertex(held);
    session().simulation.paused = false;
    point_at(at.x - 0.2f, at.y + 0.35f);
    point_at(at.x - 0.3f, at.y + 0.5f);
    ASSERT_TRUE(until([&] {
        const Point now = seen(held);
        return std::hypot(now.x - (at.x - 0.3f), now.y - (at.y + 0.5f)) < 0.06f;
    }));
    EXPECT_GT(length(vertex(held) - before), 0.2f);
    const Point pulled = vertex(held);
    type("mouseup 1");
    ASSERT_TRUE(until([&] { return !session().drag.holds(session().simulation); }));
    EXPECT_TRUE(until([&] { return length(vertex(held) - pulled) > 0.2f; })); // it falls
    EXPECT_EQ(session().simulation.runs()[0]->pins.size(), 2u);
}

TEST_F(WindowTest, ControlAndAClickPinAndUnpin) {
    skip(30);
    session().simulation.paused = true;
    frames(1);
    const Point at = seen(20 * 41 + 20);
    point_at(at.x, at.y);
    type("keydown ctrl click 1 keyup ctrl");
    ASSERT_TRUE(until([&] { return session().simulation.runs()[0]->pins.size() == 3; }));
    std::uint32_t pinned = 0;
    for (const std::uint32_t pin : session().simulation.runs()[0]->pins) {
        if (pin != 0 && pin != 40) pinned = pin;
    }
    const Point place = vertex(pinned);
    session().simulation.paused = false;
    skip(60);
    EXPECT_LT(length(vertex(pinned) - place), 1e-3f); // it holds
    session().simulation.paused = true;
    frames(1);
    point_at(seen(pinned).x, seen(pinned).y);
    type("keydown ctrl click 1 keyup ctrl");
    EXPECT_TRUE(until([&] { return session().simulation.runs()[0]->pins.size() == 2; }));
}

TEST_F(WindowTest, XAndADragCut) {
    skip(120); // it hangs
    session().simulation.paused = true;
    frames(1);
    const Image whole = viewer_->image();
    const Point left = seen(20 * 41), right = seen(20 * 41 + 40);
    point_at(left.x - 0.1f, left.y);
    frames(3);
    type("keydown x");
    frames(3);
    type("mousedown 1");
    frames(3);
    point_at(right.x + 0.1f, right.y);
    EXPECT_TRUE(until([&] { return session().simulation.runs()[0]->broken > 41; }));
    type("mouseup 1 keyup x");
    frames(3);
    EXPECT_FALSE(session().drag.holds(session().simulation));
    EXPECT_GT(changed_pixels(whole, viewer_->image()), 30u); // a slit
}

TEST_F(WindowTest, XAndADragInManyMovesLeaveNoThreadsInAClothThatSwings) {
    skip(85); // it swings past its lowest place
    frames(1);
    point_at(-0.7f, 0.25f);
    frames(3);
    type("keydown x mousedown 1");
    frames(1);
    for (int k = 1; k <= 22; ++k) {
        point_at(-0.7f + 1.4f * static_cast<float>(k) / 22, 0.25f);
        frames(1);
    }
    type("mouseup 1 keyup x");
    frames(3);
    EXPECT_GT(session().simulation.runs()[0]->broken, 100u);
    skip(60);
    for (std::uint32_t i = 40 * 41; i < 41 * 41; ++i) EXPECT_LT(vertex(i).y, -2.0f) << i;
}

TEST_F(WindowTest, XAndAPointerAtRestCutWhatSwingsThrough) {
    skip(85);
    frames(1);
    point_at(seen(20 * 41 + 20).x, seen(20 * 41 + 20).y);
    frames(3);
    type("keydown x mousedown 1");
    frames(30);
    EXPECT_GT(session().simulation.runs()[0]->broken, 10u);
    type("mouseup 1 keyup x");
    frames(3);
}

TEST_F(WindowTest, TheViewTurnsMovesAndComesNearer) {
    const auto drag = [&](const std::string& button) {
        point_at(-0.9f, -0.5f);
        type("mousedown " + button);
        frames(3);
        point_at(-0.7f, -0.6f);
        const Point eye = session().camera.eye();
        EXPECT_TRUE(until([&] { return length(session().camera.eye() - eye) > 0; }));
        type("mouseup " + button);
        frames(3);
    };
    const Point target = session().camera.target(), eye = session().camera.eye();
    drag("1");
    EXPECT_EQ(length(session().camera.target() - target), 0.0f);
    EXPECT_GT(length(session().camera.eye() - eye), 0.05f);
    drag("3");
    EXPECT_GT(length(session().camera.target() - target), 0.02f);
    const float away = length(session().camera.eye() - session().camera.target());
    type("click 4"); // the wheel
    EXPECT_TRUE(until(
        [&] { return length(session().camera.eye() - session().camera.target()) < 0.95f * away; }));
}

// ---- The keys --------------------------------------------------------------------------------

TEST_F(WindowTest, EveryKeyDoesWhatTheHelpSays) {
    Session& s = session();
    const std::map<std::string, std::function<bool()>> effects = {
        {"Space", [&] { return s.simulation.paused; }},
        {"N", [&] { return s.simulation.paused && s.simulation.steps() > 0; }},
        {"R", [&] { return s.simulation.steps() < 3; }},
        {"W", [&] { return s.simulation.windy; }},
        {"C", [&] { return s.simulation.comparing(); }},
        {"S", [&] { return s.looks.springs; }},
        {"D", [&] { return s.looks.contacts; }},
        {"T", [&] { return !s.looks.pattern; }},
        {"F",
         [&] {
             return length(s.camera.eye() - Point{1.35f, 0.1f, 2.1f}) < 1e-3f;
         }},
        {"P", [&] { return s.looks.panel; }},
        {"H", [&] { return s.looks.help; }},
        {"Esc", [&] { return s.closing; }}};
    point_at(0.9f, 0.9f);
    for (const Key& key : keys()) {
        SCOPED_TRACE(key.label);
        ASSERT_TRUE(effects.count(key.label)) << "a key without a test";
        SetUp();
        s.camera.orbit(0.5f, 0.1f);
        frames(4);
        const auto& happened = effects.at(key.label);
        EXPECT_FALSE(happened()) << "before it is pressed";
        const std::string name = key.label;
        type("key " + std::string(name == "Space" ? "space" : name == "Esc" ? "Escape" : name));
        if (name == "Esc") {
            EXPECT_FALSE(until([] { return false; })); // it ends
            EXPECT_TRUE(s.closing);
            s.closing = false;
        } else {
            EXPECT_TRUE(until(happened));
        }
    }
    SetUp();
    for (std::size_t i = 0; i < scenes_on_keys().size(); ++i) {
        type("key " + std::to_string((i + 1) % 9 + 1));
        EXPECT_TRUE(until([&] {
            return s.simulation.scene().name == scenes_on_keys()[(i + 1) % 9];
        })) << scenes_on_keys()[(i + 1) % 9];
    }
}

// ---- Sizes -----------------------------------------------------------------------------------

TEST_F(WindowTest, AnySizeWillDo) {
    type("windowsize " + id_ + " 1 1");
    EXPECT_TRUE(until([&] { return viewer_->window().size() == Size{1, 1}; }));
    frames(3);
    type("windowsize " + id_ + " 640 200");
    EXPECT_TRUE(until([&] { return viewer_->window().size() == Size{640, 200}; }));
    frames(2);
    EXPECT_EQ(viewer_->image().size, (Size{640, 200}));
    expect_a_picture(viewer_->image());
    type("windowunmap " + id_); // as minimising does
    frames(3);
    type("windowmap " + id_);
    frames(3);
    type("windowsize " + id_ + " 400 300");
    EXPECT_TRUE(until([&] { return viewer_->image().size == Size{400, 300}; }));
    Renderer renderer;
    Picture picture;
    renderer.draw(picture.compose(session()), session().camera, Size{0, 0}); // minimised to nothing
    renderer.show(Size{0, 0});
    Image image;
    renderer.read(image);
    EXPECT_TRUE(image.rgb.empty());
}

// ---- Files -----------------------------------------------------------------------------------

std::string probe(const std::string& path) {
    return output_of(
        "ffprobe -v error -count_frames -select_streams v:0 -show_entries "
        "stream=width,height,nb_read_frames -of csv=p=0 '" +
        path + "'");
}

TEST(WindowFiles, ClosingWhileItRecordsLeavesAGoodFile) {
    const ScratchFolder folder;
    Options options = quiet_options();
    options.size = Size{160, 121};
    options.record = folder / "cut short.mp4";
    std::unique_ptr<Viewer> viewer = open_viewer(options, "cloth");
    for (int i = 0; i < 7; ++i) ASSERT_TRUE(viewer->frame());
    const std::string id = output_of("xdotool search --name '^Twang' | tail -n 1");
    ASSERT_EQ(std::system(("xdotool windowsize " + id + " 300 40").c_str()), 0);
    int frames = 7;
    while (viewer->window().size() != Size{300, 40} && frames < 3000) {
        ASSERT_TRUE(viewer->frame());
        ++frames;
    }
    for (int i = 0; i < 5; ++i, ++frames) ASSERT_TRUE(viewer->frame()); // the film keeps its size
    viewer->session().closing = true;
    EXPECT_FALSE(viewer->frame());
    EXPECT_EQ(viewer->finish(), 0);
    EXPECT_EQ(viewer->window().gl_errors(), 0) << viewer->window().gl_message();
    EXPECT_EQ(probe(options.record), "160,122," + std::to_string(frames));
}

Outcome run_in_window(std::vector<std::string> arguments) {
    test::Launch launch;
    launch.arguments = std::move(arguments);
    launch.display = true;
    return test::run_demo(launch);
}

TEST(WindowFiles, FilmsPicturesAndObjsAreWritten) {
    const ScratchFolder folder;
    const std::vector<std::string> common = {"net",     "--frames",  "10", "--size",
                                             "160x120", "--workers", "1"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), common.begin(), common.end());
        return run_in_window(more);
    };
    Outcome outcome = with({"--record", folder / "a.gif", "--screenshot", folder / "a.png",
                            "--export", folder / "objs"});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_TRUE(probe(folder / "a.gif").starts_with("160,120,")) << probe(folder / "a.gif");
    EXPECT_EQ(probe(folder / "a.png"), "160,120,1");
    for (const char* name : {"objs/net-00000.obj", "objs/net-00010.obj"}) {
        EXPECT_TRUE(io::read_obj(folder / name)) << name;
    }
    outcome = with({"--record", folder / "a.webp"});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    const std::string webp = read_text(folder / "a.webp");
    EXPECT_EQ(webp.substr(0, 4) + webp.substr(8, 4), "RIFFWEBP");
    EXPECT_TRUE(contains(webp.substr(0, 200), "ANIM"));

    for (const char* option : {"--record", "--screenshot"}) {
        const std::string path =
            folder / (std::string("no/a") + (option[2] == 'r' ? ".mp4" : ".png"));
        outcome = with({option, path});
        EXPECT_EQ(outcome.exit, 3) << option;
        EXPECT_EQ(outcome.err_lines(), 1u) << outcome.err;
        EXPECT_TRUE(contains(outcome.err, path)) << outcome.err;
    }
}

TEST(WindowFiles, WithoutFfmpegItSaysSo) {
    const ScratchFolder folder;
    const std::string path = std::getenv("PATH");
    setenv("PATH", (folder / "empty").c_str(), 1);
    const Outcome outcome = run_in_window({"net", "--frames", "2", "--record", folder / "a.mp4"});
    setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(outcome.exit, 3);
    EXPECT_EQ(outcome.err_lines(), 1u) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "ffmpeg")) << outcome.err;
    EXPECT_EQ(read_text(folder / "a.mp4"), "");
}

} // namespace
} // namespace twang::demo
