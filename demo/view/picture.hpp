// Composes the renderer's Drawing from the session: surfaces and springs of bodies, colliders,
// pins, contacts, strain colours. Owns materials and colours; calls no OpenGL.
#ifndef TWANG_DEMO_PICTURE_HPP
#define TWANG_DEMO_PICTURE_HPP

#include <vector>

#include "view/collider_shapes.hpp"
#include "view/drawing.hpp"
#include "view/session.hpp"

namespace twang::demo {

class Picture {
public:
    // The result is valid until the next call, and only while the session's bodies live.
    const Drawing& compose(const Session& session);

private:
    void set_scenery(const Simulation& simulation);
    void add_pose(const Session& session, const Run& run, const Pose& pose);
    void add_obstacles(const Simulation& simulation, Point offset);
    void add_spring(const Run& run, const Pose& pose, std::size_t index, std::vector<Rod>& rods,
                    bool by_strain);
    void add_pins(const Run& run);
    void add_contacts(const Simulation& simulation, const Run& run);

    std::uint64_t generation_ = 0;
    std::vector<SolidShape> obstacles_;
    std::vector<std::uint64_t> obstacle_ids_;
    float pin_radius_ =
        0.02f; // m, 0.7 % of the scene's diagonal; rods and contact distances scale with it
    Drawing drawing_;
};

// Returns the height of the floor in metres: that of the scene's own horizontal plane, or just
// below the colliders and the lowest points that hanging bodies can reach.
float ground_height(const io::Scene& scene);

} // namespace twang::demo

#endif // TWANG_DEMO_PICTURE_HPP
