// What is going on in the window: the show, the eye, the hand and what is to be seen. Controls and
// panel change it, the picture is composed from it.
#ifndef TWANG_DEMO_SESSION_HPP
#define TWANG_DEMO_SESSION_HPP

#include <optional>
#include <string>

#include "camera.hpp"
#include "drawing.hpp"
#include "hand.hpp"
#include "show.hpp"

namespace twang::demo {

struct Looks {
    bool panel = true;
    bool help = false;
    bool springs = false;  // coloured by strain
    bool pattern = true;   // of the cloth
    bool contacts = false; // dots where a body touches an obstacle
};

struct Session {
    Show show;
    OrbitCamera camera;
    std::optional<io::Camera> view; // in place of the scenes' own
    Hand hand;
    Looks looks;
    Size size;                // of the picture
    std::string wanted_scene; // to be opened before the next frame; "": none
    std::string notice;       // a line for the visitor: why something was not done
    bool closing = false;
};

// The scene's own view, from farther away when two bodies are to be seen.
void reset_view(Session& session);

// Turns the comparison on or off, and steps back to see both.
void set_comparing(Session& session, bool both);

} // namespace twang::demo

#endif // TWANG_DEMO_SESSION_HPP
