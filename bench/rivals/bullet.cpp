// Bullet in comparison: the same cloth as a soft body.
#include "rivals/rivals.hpp"

#if TWANG_BENCH_BULLET

#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace bench {

namespace {

// A static rigid sphere.
struct SphereCollider {
    btSphereShape shape;
    btRigidBody body;
    explicit SphereCollider(const twang::ColliderDef& def)
        : shape(static_cast<btScalar>(def.radius)), body(0.0f, nullptr, &shape) {
        const twang::Vec3 c = def.centre;
        body.setWorldTransform(btTransform(btQuaternion::getIdentity(), btVector3(c.x, c.y, c.z)));
        body.setFriction(static_cast<btScalar>(def.friction));
    }
};

// A Bullet world with soft bodies and static spheres.
struct World {
    std::vector<std::unique_ptr<SphereCollider>> spheres;
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btSoftRigidDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};

    explicit World(const twang::io::Scene& scene) {
        const twang::Vec3 g = scene.world.gravity;
        world.setGravity(btVector3(g.x, g.y, g.z));
        world.getWorldInfo().m_gravity = world.getGravity();
        for (const twang::io::SceneCollider& collider : scene.colliders) {
            if (collider.def.shape != TWANG_SHAPE_SPHERE || !collider.motion.is_rest())
                throw std::runtime_error("only balls at rest");
            spheres.push_back(std::make_unique<SphereCollider>(collider.def));
            world.addRigidBody(&spheres.back()->body);
            // Bullet interpolates distances in a grid, whose default cells are about as wide as
            // such a sphere.
            auto& distances = world.getWorldInfo().m_sparsesdf;
            distances.setDefaultVoxelsz(static_cast<btScalar>(collider.def.radius / 12.0));
            distances.Reset();
        }
    }
};

// Sets contact of vertices with the surfaces of rigid bodies, with the engine's thickness and
// friction. Bullet's default softness of contacts is turned off.
void set_contact(btSoftBody& body, const twang::io::Scene& scene) {
    body.m_cfg.collisions = scene.colliders.empty() ? 0 : btSoftBody::fCollision::SDF_RS;
    body.m_cfg.kDF = 1.0f; // is multiplied by the friction of the other body
    body.m_cfg.kKHR = 1.0f;
    if (!scene.colliders.empty())
        body.getCollisionShape()->setMargin(
            static_cast<btScalar>(scene.colliders.front().def.thickness));
}

// Makes a soft body with links of full stiffness and masses distributed by area, as in the engine.
std::unique_ptr<btSoftBody> make_cloth(World& world, const twang::io::Scene& scene,
                                       int iterations) {
    const int count = static_cast<int>(scene.mesh.vertex_count());
    const std::vector<double>& start =
        scene.positions.empty() ? scene.mesh.positions : scene.positions;
    const double* p = start.data();
    std::vector<btVector3> positions(count);
    for (int i = 0; i < count; ++i) positions[i].setValue(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
    std::vector<btScalar> masses(count, 0.0f);
    const double share = scene.material.mass / static_cast<double>(scene.mesh.quads.size());
    for (const std::uint32_t corner : scene.mesh.quads)
        masses[corner] += static_cast<btScalar>(share);
    for (const std::uint32_t pin : scene.pins) masses[pin] = 0.0f; // 0: fixed

    auto body = std::make_unique<btSoftBody>(&world.world.getWorldInfo(), count, positions.data(),
                                             masses.data());
    body->m_materials[0]->m_kLST = 1.0f;
    for (const twang::SpringDef& spring : scene.springs)
        body->appendLink(static_cast<int>(spring.a), static_cast<int>(spring.b));
    body->m_cfg.piterations = iterations;
    body->m_cfg.kDP = static_cast<btScalar>(
        -std::expm1(-scene.world.damping * scene.world.time_step)); // share lost per step
    set_contact(*body, scene);
    body->randomizeConstraints();
    world.world.addSoftBody(body.get());
    return body;
}

// randomizeConstraints() shuffles the links; nodes keep their order.
void copy_positions(const btSoftBody& body, std::vector<double>& xyz) {
    for (int i = 0; i < body.m_nodes.size(); ++i)
        for (int c = 0; c < 3; ++c) xyz[3 * i + c] = body.m_nodes[i].m_x[c];
}

} // namespace

bool has_bullet() { return true; }

std::vector<double> play_bullet(const twang::io::Scene& scene, int iterations, int frames,
                                const FrameObserver& observe) {
    World world(scene);
    const auto body = make_cloth(world, scene, iterations);
    std::vector<double> times, xyz(scene.mesh.positions.size());
    for (int frame = 1; frame <= frames; ++frame) {
        times.push_back(milliseconds_of(
            [&] { world.world.stepSimulation(scene.world.time_step, 1, scene.world.time_step); }));
        if (!observe) continue;
        copy_positions(*body, xyz);
        if (!observe(frame, xyz)) break;
    }
    copy_positions(*body, xyz);
    world.world.removeSoftBody(body.get());
    if (!std::all_of(xyz.begin(), xyz.end(), [](double x) { return std::isfinite(x); }))
        throw std::runtime_error("it exploded");
    return times;
}

} // namespace bench

#else

#include <stdexcept>

namespace bench {

bool has_bullet() { return false; }
std::vector<double> play_bullet(const twang::io::Scene&, int, int, const FrameObserver&) {
    throw std::runtime_error("built without Bullet");
}

} // namespace bench

#endif
