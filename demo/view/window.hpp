// A window with an OpenGL 3.3 context, and the user's input in it as a list of events. No other
// file calls GLFW, except the panel's backend; keys and controls use its key codes.
#ifndef TWANG_DEMO_WINDOW_HPP
#define TWANG_DEMO_WINDOW_HPP

#include <memory>
#include <string>
#include <vector>

#include <twang/io.hpp>

#include "view/drawing.hpp"

struct GLFWwindow;

namespace twang::demo {

struct Event {
    enum Kind { press, release, move, scroll, key } kind = move;
    int code = 0; // the mouse button or key, in GLFW's numbers
    bool shift = false, control = false, blade = false; // modifiers held down; blade: the key X
    float x = 0, y = 0; // place in the picture, -1 ... 1; of a scroll, its amount
};

class Window {
public:
    // Fails with Exit::no_display where there is no display or no OpenGL 3.3. With `debug` the
    // driver's error messages are counted.
    static io::Result<std::unique_ptr<Window>> open(Size size, const std::string& title,
                                                    bool debug);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    std::vector<Event> poll(); // returns the events since the last call
    void wait(double seconds); // returns early at an event
    void swap();
    void set_title(const std::string& title);
    Size size() const; // in pixels; empty while minimised
    bool closing() const;
    GLFWwindow* handle() const { return window_; }
    int gl_errors() const { return gl_errors_; }
    const std::string& gl_message() const { return gl_message_; } // the first message

    void add(const Event& event) { events_.push_back(event); }
    void note_gl_error(const char* message);

private:
    explicit Window(GLFWwindow* window) : window_(window) {}
    void listen(bool debug);

    GLFWwindow* window_;
    std::vector<Event> events_;
    int gl_errors_ = 0;
    std::string gl_message_;
};

} // namespace twang::demo

#endif // TWANG_DEMO_WINDOW_HPP
