// The limit to stretch: what it shortens, what it leaves alone, and that it moves nothing else.
#include "world/strain_limit.hpp"

#include "scenes.hpp"

namespace twang::test {
namespace {

// Positions in the caller's order after the passes.
std::vector<Vec3> limited(const Net& net, std::vector<Vec3> at, double most, int passes,
                          const std::vector<std::uint32_t>& held = {}, int workers = 1) {
    const auto model = inner_model(net.def());
    core::VertexArray<Vec3> x(at.size());
    std::vector<char> is_held(at.size(), 0);
    for (std::size_t i = 0; i < at.size(); ++i) x[model->to_inner[i]] = at[i];
    for (const std::uint32_t v : held) is_held[model->to_inner[v]] = 1;
    core::Jobs jobs(workers);
    core::StrainLimit limit(*model, most, passes);
    limit.apply(*model, nullptr, is_held.data(), x, jobs);
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = x[model->to_inner[i]];
    return at;
}

double worst_stretch(const Net& net, const std::vector<Vec3>& x) {
    double worst = 0.0;
    for (const SpringDef& s : net.springs)
        if (s.kind == TWANG_STRUCTURAL)
            worst = std::max(
                worst,
                length(x[s.a] - x[s.b]) / length(net.positions[s.a] - net.positions[s.b]) - 1.0);
    return worst;
}

TEST(StrainLimit, OneSpringIsShortenedToTheLimitByMass) {
    Net net = chain_net(2, 1.0, 1.0, 100.0, {1.0, 0.0, 0.0});
    net.masses = {1.0, 3.0};
    const std::vector<Vec3> x = limited(net, {{0, 0, 0}, {2, 0, 0}}, 0.2, 1);
    EXPECT_NEAR(x[0].x, 0.6, 1e-15); // 0.8 too long: three parts for the lighter end
    EXPECT_NEAR(x[1].x, 1.8, 1e-15);
    const std::vector<Vec3> pinned = limited(net, {{0, 0, 0}, {2, 0, 0}}, 0.2, 1, {0});
    EXPECT_EQ(pinned[0].x, 0.0);
    EXPECT_NEAR(pinned[1].x, 1.2, 1e-15);
}

TEST(StrainLimit, WhatIsShortEnoughKeepsItsBits) {
    const Net net = cloth_net(9, 9);
    std::vector<Vec3> x = net.positions;
    for (Vec3& p : x) p = 1.0999 * p;
    for (std::size_t i = 0; i < x.size(); i += 5) x[i] = 0.999 * x[i]; // some shorter
    const std::vector<Vec3> after = limited(net, x, 0.15, 20);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(length(after[i] - x[i]), 0.0);
}

TEST(StrainLimit, PassesApproachTheLimitAndKeepMomentum) {
    const Net net = cloth_net(17, 17);
    Random random(4);
    std::vector<Vec3> x = net.positions;
    for (Vec3& p : x) p = 1.3 * p + random.vector(0.01);
    double before = worst_stretch(net, x);
    for (const int passes : {1, 10, 100, 1000}) {
        const std::vector<Vec3> after = limited(net, x, 0.1, passes);
        Vec3 shift{};
        for (std::size_t i = 0; i < x.size(); ++i) shift += net.masses[i] * (after[i] - x[i]);
        EXPECT_LT(length(shift), 1e-15);
        const double now = worst_stretch(net, after);
        EXPECT_LT(now, before);
        before = now;
    }
    EXPECT_LT(before, 0.1 + 1e-3);
}

TEST(StrainLimit, SameBitsForAnyNumberOfWorkers) {
    const Net net = cloth_net(70, 70);
    std::vector<Vec3> x = net.positions;
    Random random(5);
    for (Vec3& p : x) p = 1.2 * p + random.vector(0.01);
    const std::vector<Vec3> alone = limited(net, x, 0.05, 5, {0, 69});
    for (const int workers : {2, 3, 8}) {
        const std::vector<Vec3> shared = limited(net, x, 0.05, 5, {0, 69}, workers);
        for (std::size_t i = 0; i < x.size(); ++i)
            ASSERT_TRUE(alone[i].x == shared[i].x && alone[i].y == shared[i].y &&
                        alone[i].z == shared[i].z);
    }
}

// The falling cloth: limited to 1 % it settles at 1 %, and falls as it did without.
TEST(StrainLimit, AFallingClothStaysShortAndFallsAsFast) {
    const std::uint32_t n = 32;
    const double spacing = 1.0 / (n - 1);
    const Model model = Model::cloth({.columns = n,
                                      .rows = n,
                                      .spacing = spacing,
                                      .mass = 1.0,
                                      .stiffness = 100.0 / spacing,
                                      .shear = 100.0 / spacing,
                                      .bend = 100.0 / spacing,
                                      .down = {0.0, 0.0, 1.0}});
    const std::uint32_t pins[] = {0, n - 1};
    struct Fall {
        double low = 0.0, worst = 0.0, settled = 0.0;
    };
    for (const twang_integrator integrator : {TWANG_IMPLICIT_EULER, TWANG_BDF2}) {
        Fall free, tight;
        for (Fall* fall : {&free, &tight}) {
            WorldDef def;
            def.workers = 1;
            def.solver.integrator = integrator;
            if (integrator == TWANG_BDF2)
                def.damping = 1.0; // or it does not settle in five seconds
            World world(def);
            BodyDef body_def;
            body_def.pins = pins;
            body_def.pin_count = 2;
            Body body = world.add(model, body_def);
            ASSERT_EQ(body.set_max_strain(fall == &tight ? 0.01 : 0.0, 10), TWANG_OK);
            for (int frame = 1; frame <= 300; ++frame) {
                ASSERT_EQ(world.step(), TWANG_OK) << last_error();
                if (frame > 10) fall->worst = std::max(fall->worst, body.measure().max_stretch);
                for (std::size_t i = 1; frame == 30 && i < body.positions().size(); i += 3)
                    fall->low = std::min<double>(fall->low, body.positions()[i]);
            }
            fall->settled = body.measure().max_stretch;
        }
        EXPECT_GT(free.worst, 0.03);
        EXPECT_GT(free.settled, 0.015);
        EXPECT_LT(tight.worst, 0.02);
        EXPECT_LT(tight.settled, 0.0101);
        EXPECT_NEAR(tight.low, free.low, 0.005);
    }
}

} // namespace
} // namespace twang::test
