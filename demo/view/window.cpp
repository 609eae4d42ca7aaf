#include "view/window.hpp"

#include <GLFW/glfw3.h>
#include <glad/gl.h>

namespace twang::demo {
namespace {

// Debug output is an extension of OpenGL 3.3 (KHR_debug), which the generated loader does not
// include.
constexpr GLenum debug_output = 0x92E0, debug_synchronous = 0x8242, debug_error = 0x824C;
using DebugCallback = void(GLAD_API_PTR*)(GLenum source, GLenum type, GLuint id, GLenum severity,
                                          GLsizei length, const char* message, const void* user);
using SetDebugCallback = void(GLAD_API_PTR*)(DebugCallback callback, const void* user);

void GLAD_API_PTR on_debug(GLenum, GLenum type, GLuint, GLenum, GLsizei, const char* message,
                           const void* user) {
    if (type != debug_error) return;
    static_cast<Window*>(const_cast<void*>(user))->note_gl_error(message);
}

Window& owner(GLFWwindow* window) {
    return *static_cast<Window*>(glfwGetWindowUserPointer(window));
}

// Makes an event with the modifiers and the place of the pointer.
Event event_at_pointer(GLFWwindow* window, Event::Kind kind, int code) {
    const auto held = [&](int left, int right) {
        return glfwGetKey(window, left) == GLFW_PRESS || glfwGetKey(window, right) == GLFW_PRESS;
    };
    Event event;
    event.kind = kind;
    event.code = code;
    event.shift = held(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT);
    event.control = held(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL);
    event.blade = held(GLFW_KEY_X, GLFW_KEY_X);
    double x = 0, y = 0;
    int width = 0, height = 0;
    glfwGetCursorPos(window, &x, &y);
    glfwGetWindowSize(window, &width, &height);
    event.x = width > 0 ? static_cast<float>(2 * x / width - 1) : 0.0f;
    event.y = height > 0 ? static_cast<float>(1 - 2 * y / height) : 0.0f;
    return event;
}

io::Error no_display(const std::string& reason) {
    return {"twang_demo", 0, reason + "; --headless simulates without a window",
            io::Exit::no_display};
}

std::string glfw_reason(const char* otherwise) {
    const char* description = nullptr;
    glfwGetError(&description);
    return description ? description : otherwise;
}

} // namespace

io::Result<std::unique_ptr<Window>> Window::open(Size size, const std::string& title, bool debug) {
    if (!glfwInit()) return no_display("no display: " + glfw_reason("GLFW cannot start"));
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, debug ? GLFW_TRUE : GLFW_FALSE);
    glfwWindowHint(GLFW_DEPTH_BITS, 0); // the renderer has its own depth buffer
    GLFWwindow* const handle =
        glfwCreateWindow(size.width, size.height, title.c_str(), nullptr, nullptr);
    if (!handle) {
        const io::Error error = no_display("no window: " + glfw_reason("OpenGL 3.3 is missing"));
        glfwTerminate();
        return error;
    }
    std::unique_ptr<Window> window(new Window(handle));
    glfwMakeContextCurrent(handle);
    if (!gladLoadGL(glfwGetProcAddress)) return no_display("OpenGL 3.3 cannot be loaded");
    glfwSwapInterval(1);
    window->listen(debug);
    return window;
}

Window::~Window() {
    glfwDestroyWindow(window_);
    glfwTerminate();
}

void Window::listen(bool debug) {
    glfwSetWindowUserPointer(window_, this);
    glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int button, int action, int) {
        owner(w).add(
            event_at_pointer(w, action == GLFW_PRESS ? Event::press : Event::release, button));
    });
    glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double, double) {
        owner(w).add(event_at_pointer(w, Event::move, 0));
    });
    glfwSetScrollCallback(window_, [](GLFWwindow* w, double x, double y) {
        Event event = event_at_pointer(w, Event::scroll, 0);
        event.x = static_cast<float>(x);
        event.y = static_cast<float>(y);
        owner(w).add(event);
    });
    glfwSetKeyCallback(window_, [](GLFWwindow* w, int key, int, int action, int) {
        if (action == GLFW_PRESS) owner(w).add(event_at_pointer(w, Event::key, key));
    });
    if (!debug) return;
    const auto set_callback =
        reinterpret_cast<SetDebugCallback>(glfwGetProcAddress("glDebugMessageCallback"));
    if (!set_callback) return;
    glEnable(debug_output);
    glEnable(debug_synchronous);
    set_callback(on_debug, this);
}

void Window::note_gl_error(const char* message) {
    if (gl_errors_++ == 0) gl_message_ = message;
}

std::vector<Event> Window::poll() {
    glfwPollEvents();
    return std::exchange(events_, {});
}

void Window::wait(double seconds) {
    if (seconds > 0) glfwWaitEventsTimeout(seconds);
}

void Window::swap() { glfwSwapBuffers(window_); }

void Window::set_title(const std::string& title) { glfwSetWindowTitle(window_, title.c_str()); }

Size Window::size() const {
    Size size{0, 0};
    if (!glfwGetWindowAttrib(window_, GLFW_ICONIFIED)) {
        glfwGetFramebufferSize(window_, &size.width, &size.height);
    }
    return size;
}

bool Window::closing() const { return glfwWindowShouldClose(window_); }

} // namespace twang::demo
