// Composes what the renderer draws from what is going on: skins and rods of bodies, obstacles,
// pins, contacts, springs by strain. Knows materials and colours; draws nothing itself.
#ifndef TWANG_DEMO_PICTURE_HPP
#define TWANG_DEMO_PICTURE_HPP

#include <vector>

#include "collider_shapes.hpp"
#include "drawing.hpp"
#include "session.hpp"

namespace twang::demo {

class Picture {
public:
    // Good until the next call and while the session's bodies live.
    const Drawing& compose(const Session& session);

private:
    void set_scenery(const Show& show);
    void add_pose(const Session& session, const Act& act, const Pose& pose);
    void add_obstacles(const Show& show, Point offset);
    void add_springs(const Act& act, const Pose& pose, const std::vector<SpringDef>& springs,
                     std::vector<Rod>& rods, bool by_strain);
    void add_pins(const Act& act);
    void add_contacts(const Show& show, const Act& act);

    std::uint64_t generation_ = 0;
    std::vector<SolidShape> obstacles_;
    std::vector<std::uint64_t> obstacle_ids_;
    float grain_ = 0.02f; // m: a small part of the scene, the size of a pin
    Drawing drawing_;
};

// How high the floor is: the scene's own, or just below the obstacles and all that hanging bodies
// can reach.
float ground_height(const io::Scene& scene);

} // namespace twang::demo

#endif // TWANG_DEMO_PICTURE_HPP
