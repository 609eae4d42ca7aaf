// What the tests of contact share: a level cloth, turned points, obstacles in a step, and meshes as
// obstacles.
#ifndef TWANG_TESTS_CONTACT_SCENES_HPP
#define TWANG_TESTS_CONTACT_SCENES_HPP

#include "contact/collider.hpp"
#include "scenes.hpp"

namespace twang::test {

// A cloth of 1 m and 0.2 kg, level, its middle at the origin, `height` above.
inline ClothDef level_cloth(std::uint32_t side, double height) {
    ClothDef def;
    def.columns = def.rows = side;
    def.spacing = 1.0 / (side - 1);
    def.origin = {-0.5, height, -0.5};
    def.down = {0.0, 0.0, 1.0};
    return def;
}

inline std::vector<Vec3> positions_of(const Body& body) {
    std::vector<Vec3> x(body.vertex_count());
    EXPECT_EQ(body.copy_positions({&x.data()->x, 3 * x.size()}), TWANG_OK);
    return x;
}

// Over vertices.
inline double rms_distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += dot(a[i] - b[i], a[i] - b[i]);
    return std::sqrt(sum / static_cast<double>(a.size()));
}

// p about an axis of length 1 through the origin (Rodrigues).
inline Vec3 turned(Vec3 p, Vec3 axis, double angle) {
    return std::cos(angle) * p + std::sin(angle) * core::cross(axis, p) +
           ((1.0 - std::cos(angle)) * dot(axis, p)) * axis;
}

// In a step that takes it to a pose, from where it is defined.
inline core::Obstacle moving(const ColliderDef& def, Vec3 centre, Quaternion rotation) {
    core::Obstacle obstacle = core::make_obstacle(def);
    obstacle.next = core::pose_at(obstacle, centre, rotation);
    return core::in_substep(obstacle, 0, 1);
}
inline core::Obstacle resting(const ColliderDef& def) {
    return moving(def, def.centre, def.rotation);
}

struct Mesh {
    std::vector<Vec3> positions;
    std::vector<std::uint32_t> triangles;

    ColliderDef def() const {
        ColliderDef def{.shape = TWANG_SHAPE_MESH};
        def.positions = &positions.data()->x;
        def.vertex_count = static_cast<std::uint32_t>(positions.size());
        def.triangles = triangles.data();
        def.triangle_count = static_cast<std::uint32_t>(triangles.size() / 3);
        return def;
    }
    std::shared_ptr<const core::MeshCollider> surface() const {
        std::shared_ptr<const core::MeshCollider> made;
        EXPECT_EQ(core::MeshCollider::make(&positions.data()->x, def().vertex_count,
                                           triangles.data(), def().triangle_count, made),
                  TWANG_OK)
            << core::last_error();
        return made;
    }
};

// A closed box about the origin.
inline Mesh box_mesh(Vec3 half) {
    Mesh mesh;
    for (int i = 0; i < 8; ++i)
        mesh.positions.push_back(
            {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
    mesh.triangles = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    return mesh;
}

} // namespace twang::test

#endif // TWANG_TESTS_CONTACT_SCENES_HPP
