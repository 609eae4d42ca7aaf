// Bullet as a rival: the same cloth as a soft body.
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

// A ball that stays where it is.
struct VertexSphere {
    btSphereShape shape;
    btRigidBody body;
    explicit VertexSphere(const twang::ColliderDef& def)
        : shape(static_cast<btScalar>(def.radius)), body(0.0f, nullptr, &shape) {
        const twang::Vec3 c = def.centre;
        body.setWorldTransform(btTransform(btQuaternion::getIdentity(), btVector3(c.x, c.y, c.z)));
        body.setFriction(static_cast<btScalar>(def.friction));
    }
};

// A world with soft bodies and balls in it.
struct World {
    std::vector<std::unique_ptr<VertexSphere>> balls;
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
            balls.push_back(std::make_unique<VertexSphere>(collider.def));
            world.addRigidBody(&balls.back()->body);
            // Distances are interpolated in a grid, which as it comes is as wide as such a ball.
            auto& distances = world.getWorldInfo().m_sparsesdf;
            distances.setDefaultVoxelsz(static_cast<btScalar>(collider.def.radius / 12.0));
            distances.Reset();
        }
    }
};

// Vertices against the surfaces of rigid bodies, kept off and rubbing as the engine is told to; the
// softness in contact that Bullet begins with is turned off.
void set_contact(btSoftBody& body, const twang::io::Scene& scene) {
    body.m_cfg.collisions = scene.colliders.empty() ? 0 : btSoftBody::fCollision::SDF_RS;
    body.m_cfg.kDF = 1.0f; // times the friction of what it touches
    body.m_cfg.kKHR = 1.0f;
    if (!scene.colliders.empty())
        body.getCollisionShape()->setMargin(
            static_cast<btScalar>(scene.colliders.front().def.thickness));
}

// Links of full stiffness, the masses spread by area as the engine does.
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
    for (const std::uint32_t pin : scene.pins) masses[pin] = 0.0f; // held

    auto body = std::make_unique<btSoftBody>(&world.world.getWorldInfo(), count, positions.data(),
                                             masses.data());
    body->m_materials[0]->m_kLST = 1.0f;
    for (const twang::SpringDef& spring : scene.springs)
        body->appendLink(static_cast<int>(spring.a), static_cast<int>(spring.b));
    body->m_cfg.piterations = iterations;
    body->m_cfg.kDP = static_cast<btScalar>(
        -std::expm1(-scene.world.damping * scene.world.time_step)); // a step's share
    set_contact(*body, scene);
    body->randomizeConstraints();
    world.world.addSoftBody(body.get());
    return body;
}

// Nodes stay in the order in which they were made; only links are shuffled.
void copy_positions(const btSoftBody& body, std::vector<double>& xyz) {
    for (int i = 0; i < body.m_nodes.size(); ++i)
        for (int c = 0; c < 3; ++c) xyz[3 * i + c] = body.m_nodes[i].m_x[c];
}

} // namespace

bool has_bullet() { return true; }

std::vector<double> play_bullet(const twang::io::Scene& scene, int iterations, int frames,
                                const Watch& watch) {
    World world(scene);
    const auto body = make_cloth(world, scene, iterations);
    std::vector<double> times, xyz(scene.mesh.positions.size());
    for (int frame = 1; frame <= frames; ++frame) {
        times.push_back(milliseconds_of(
            [&] { world.world.stepSimulation(scene.world.time_step, 1, scene.world.time_step); }));
        if (!watch) continue;
        copy_positions(*body, xyz);
        if (!watch(frame, xyz)) break;
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
std::vector<double> play_bullet(const twang::io::Scene&, int, int, const Watch&) {
    throw std::runtime_error("built without Bullet");
}

} // namespace bench

#endif
