// The state of the window: simulation, camera, drag and display settings. Controls, keys and panel
// change the session; Picture composes the drawing from it.
#ifndef TWANG_DEMO_SESSION_HPP
#define TWANG_DEMO_SESSION_HPP

#include <optional>
#include <string>

#include "simulation/simulation.hpp"
#include "view/camera.hpp"
#include "view/drag.hpp"
#include "view/drawing.hpp"

namespace twang::demo {

struct Looks {
    bool panel = true;
    bool help = false;
    bool springs = false;  // coloured by strain
    bool pattern = true;   // of the cloth
    bool contacts = false; // dots where a body touches a collider
};

struct Session {
    Simulation simulation;
    OrbitCamera camera;
    std::optional<io::Camera> view; // replaces the scenes' own cameras
    Drag drag;
    Looks looks;
    Size size;                // of the picture
    std::string wanted_scene; // opened before the next frame; "": none
    std::string notice;       // a line for the user: why an action failed
    bool closing = false;
};

// Resets the camera to the scene's own; moves it 1.6 times as far away during a comparison.
void reset_view(Session& session);

// Turns the comparison with Newton's method on or off and resets the camera.
void set_comparing(Session& session, bool both);

} // namespace twang::demo

#endif // TWANG_DEMO_SESSION_HPP
