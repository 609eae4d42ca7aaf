// Bullet as a rival: the same cloth as a soft body.
#include "rivals.hpp"

#if TWANG_BENCH_BULLET

#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

namespace bench {

namespace {

// A world with soft bodies in it and nothing to collide with.
struct World {
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btSoftRigidDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
};

// Links of full stiffness, the masses spread by area as the engine does, no damping.
std::unique_ptr<btSoftBody> make_cloth(World& world, const twang::io::Scene& scene,
                                       int iterations) {
    const int count = static_cast<int>(scene.mesh.vertex_count());
    const double* p = scene.mesh.positions.data();
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
    body->m_cfg.collisions = 0;
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
    World world;
    const twang::Vec3 g = scene.world.gravity;
    world.world.setGravity(btVector3(g.x, g.y, g.z));
    world.world.getWorldInfo().m_gravity = world.world.getGravity();
    const auto body = make_cloth(world, scene, iterations);
    std::vector<double> times, xyz(scene.mesh.positions.size());
    for (int frame = 1; frame <= frames; ++frame) {
        const auto begin = std::chrono::steady_clock::now();
        world.world.stepSimulation(scene.world.time_step, 1, scene.world.time_step);
        const std::chrono::duration<double, std::milli> ms =
            std::chrono::steady_clock::now() - begin;
        times.push_back(ms.count());
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
