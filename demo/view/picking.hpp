// Picking: finds the first point on a body along the ray through the mouse pointer.
#ifndef TWANG_DEMO_PICKING_HPP
#define TWANG_DEMO_PICKING_HPP

#include <array>
#include <cstdint>
#include <optional>

#include "simulation/simulation.hpp"
#include "view/camera.hpp"

namespace twang::demo {

// A point on a body as the weighted mean of three vertices: barycentric coordinates in a triangle.
// On a body without triangles one vertex has weight 1.
struct Grip {
    std::array<std::uint32_t, 3> vertices{};
    std::array<double, 3> weights{1, 0, 0}; // their sum is 1
    std::uint32_t nearest() const;          // the vertex with the largest weight
};

struct Hit {
    Grip grip;
    std::size_t run = 0; // index in Simulation::runs()
    Point at;            // in world coordinates, including the run's offset
};

// Picks at place (x, y) of the picture, in the camera's coordinates from -1 to 1. Returns nothing
// when no body is there.
std::optional<Hit> pick(const Simulation& simulation, const OrbitCamera& camera, float x, float y,
                        float aspect);

} // namespace twang::demo

#endif // TWANG_DEMO_PICKING_HPP
