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
btSoftBody* make_cloth(World& world, const twang::io::Scene& scene, int iterations) {
    const int count = static_cast<int>(scene.mesh.vertex_count());
    const double* p = scene.mesh.positions.data();
    std::vector<btVector3> positions(count);
    for (int i = 0; i < count; ++i) positions[i].setValue(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
    std::vector<btScalar> masses(count, 0.0f);
    const double share = scene.material.mass / static_cast<double>(scene.mesh.quads.size());
    for (const std::uint32_t corner : scene.mesh.quads)
        masses[corner] += static_cast<btScalar>(share);
    for (const std::uint32_t pin : scene.pins) masses[pin] = 0.0f; // held

    auto* body =
        new btSoftBody(&world.world.getWorldInfo(), count, positions.data(), masses.data());
    body->m_materials[0]->m_kLST = 1.0f;
    for (const twang::SpringDef& spring : scene.springs)
        body->appendLink(static_cast<int>(spring.a), static_cast<int>(spring.b));
    body->m_cfg.piterations = iterations;
    body->m_cfg.collisions = 0;
    body->randomizeConstraints();
    world.world.addSoftBody(body);
    return body;
}

struct Stretch {
    double max = 0.0, mean = 0.0;
};

Stretch stretch(const btSoftBody& body) {
    Stretch s;
    for (int i = 0; i < body.m_links.size(); ++i) {
        const btSoftBody::Link& link = body.m_links[i];
        const double now = (link.m_n[0]->m_x - link.m_n[1]->m_x).length();
        const double longer = std::max(0.0, now / link.m_rl - 1.0);
        s.max = std::max(s.max, longer);
        s.mean += longer / body.m_links.size();
    }
    return s;
}

double lowest(const btSoftBody& body) {
    double y = 0.0;
    for (int i = 0; i < body.m_nodes.size(); ++i) y = std::min<double>(y, body.m_nodes[i].m_x.y());
    return y;
}

} // namespace

bool has_bullet() { return true; }

std::optional<BulletRun> play_bullet(const twang::io::Scene& scene, int iterations) {
    World world;
    const twang::Vec3 g = scene.world.gravity;
    world.world.setGravity(btVector3(g.x, g.y, g.z));
    world.world.getWorldInfo().m_gravity = world.world.getGravity();
    btSoftBody* body = make_cloth(world, scene, iterations);
    std::vector<double> times;
    BulletRun run{};
    for (int frame = 1; frame <= 300; ++frame) {
        const auto begin = std::chrono::steady_clock::now();
        world.world.stepSimulation(scene.world.time_step, 1, scene.world.time_step);
        const std::chrono::duration<double, std::milli> ms =
            std::chrono::steady_clock::now() - begin;
        times.push_back(ms.count());
        if (frame == 30) run.lowest = lowest(*body);
        if (frame < 240) continue;
        const Stretch now = stretch(*body);
        run.max_stretch = std::max(run.max_stretch, now.max);
        run.mean_stretch = std::max(run.mean_stretch, now.mean);
    }
    const bool is_finite = std::isfinite(stretch(*body).mean);
    world.world.removeSoftBody(body);
    delete body;
    if (!is_finite) return {};
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    run.frame_ms = times[times.size() / 2];
    return run;
}

} // namespace bench

#else

namespace bench {

bool has_bullet() { return false; }
std::optional<BulletRun> play_bullet(const twang::io::Scene&, int) { return {}; }

} // namespace bench

#endif
