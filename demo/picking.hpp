// What is under the mouse: the place on a body that a ray meets first.
#ifndef TWANG_DEMO_PICKING_HPP
#define TWANG_DEMO_PICKING_HPP

#include <array>
#include <cstdint>
#include <optional>

#include "camera.hpp"
#include "show.hpp"

namespace twang::demo {

// A place on a body, as weights of vertices. On a rope one vertex has all the weight.
struct Grip {
    std::array<std::uint32_t, 3> vertices{};
    std::array<double, 3> weights{1, 0, 0}; // sum 1
    std::uint32_t nearest() const;          // the vertex with the most weight
};

struct Hit {
    Grip grip;
    std::size_t act = 0;
    Point at; // in the world, offset included
};

// x and y are places in the picture, as the camera has them.
std::optional<Hit> pick(const Show& show, const OrbitCamera& camera, float x, float y,
                        float aspect);

} // namespace twang::demo

#endif // TWANG_DEMO_PICKING_HPP
