// Parts of the demo that need no window: time, skins, the eye, what is under the mouse.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "demo/camera.hpp"
#include "demo/collider_shapes.hpp"
#include "demo/hand.hpp"
#include "demo/picking.hpp"
#include "demo/picture.hpp"
#include "demo/scenes.hpp"
#include "demo/show.hpp"
#include "demo/surface.hpp"
#include "demo/weave.hpp"

namespace twang::demo {
namespace {

io::Scene scene_named(const std::string& name) {
    Options options;
    options.scene = name;
    options.workers = 1;
    io::Result<io::Scene> scene = open_scene(options);
    EXPECT_TRUE(scene) << name;
    scene->world.solver.iterations = std::min(scene->world.solver.iterations, 5); // enough here
    return std::move(*scene);
}

std::vector<double> positions(const Act& act) {
    std::vector<double> xyz(3 * act.stage.body.vertex_count());
    act.stage.body.copy_positions(xyz);
    return xyz;
}

constexpr double h = 1.0 / 60;

// ---- Time ------------------------------------------------------------------------------------

TEST(Show, ExactTimeTakesEveryStepAndLiveTimeNeverCatchesUpForLong) {
    Show show;
    ASSERT_FALSE(show.open(scene_named("rope")));
    show.advance(1.0, Pace::exact);
    EXPECT_EQ(show.last_steps(), 60);
    show.advance(1000.0, Pace::live); // a breakpoint, a closed lid
    EXPECT_GE(show.last_steps(), 1);
    EXPECT_LE(show.last_steps(), 4);
    show.advance(0.0, Pace::live); // and nothing is left to be caught up with
    EXPECT_EQ(show.last_steps(), 0);
}

TEST(Show, DrawsBetweenTheLastTwoSteps) {
    Show show;
    ASSERT_FALSE(show.open(scene_named("rope")));
    show.advance(20.5 * h, Pace::exact);
    EXPECT_EQ(show.steps(), 20);
    const Act& act = *show.acts()[0];
    double moved = 0;
    for (std::size_t i = 0; i < act.now.size(); ++i) {
        EXPECT_NEAR(act.seen[i], 0.5f * (act.before[i] + act.now[i]), 1e-5);
        moved += std::fabs(act.now[i] - act.before[i]);
    }
    EXPECT_GT(moved, 0.01);
}

TEST(Show, ObstaclesAreDrawnWhenTheBodyIs) {
    Show show;
    ASSERT_FALSE(show.open(scene_named("drape"))); // its ball swings along x
    const io::SceneCollider& ball = show.scene().colliders[0];
    ASSERT_FALSE(ball.motion.is_rest());
    show.advance(20.25 * h, Pace::exact);
    EXPECT_NEAR(show.collider_centre(0).x, ball.motion.at(ball.def.centre, 19.25 * h).x, 1e-9);
}

TEST(Show, ObstaclesAreDrawnAsTheyAreTurned) {
    Show show;
    ASSERT_FALSE(show.open(scene_named("cape"))); // its arms swing about x
    const io::Motion& motion = show.scene().colliders[1].motion;
    show.advance(20.25 * h, Pace::exact);
    const double angle = motion.swing * std::numbers::pi / 180 *
                         std::sin(2 * std::numbers::pi * motion.frequency * 19.25 * h);
    ASSERT_GT(angle, 0.1);
    const Point down = show.collider_turn(1)({0, -1, 0});
    EXPECT_NEAR(down.y, -std::cos(angle), 1e-6);
    EXPECT_NEAR(down.z, -std::sin(angle), 1e-6);
    EXPECT_NEAR(length(show.collider_turn(1).back(down) - Point{0, -1, 0}), 0, 1e-6);
    EXPECT_NEAR(show.collider_turn(0)({0, 0, 1}).z, 1, 1e-6); // the body does not turn
}

TEST(Show, PausesStepsAndStartsAgain) {
    Show show;
    ASSERT_FALSE(show.open(scene_named("cloth")));
    const std::vector<double> start = positions(*show.acts()[0]);
    show.paused = true;
    show.advance(1.0, Pace::exact);
    EXPECT_EQ(positions(*show.acts()[0]), start);
    show.step();
    EXPECT_EQ(show.steps(), 1);
    EXPECT_NE(positions(*show.acts()[0]), start);
    ASSERT_FALSE(show.reset());
    EXPECT_EQ(positions(*show.acts()[0]), start);
    EXPECT_EQ(show.time(), 0.0);
}

TEST(Show, ARebuiltBodyGoesOnWhereItWas) {
    Show show;
    ASSERT_FALSE(show.open(scene_named("cloth")));
    show.advance(30 * h, Pace::exact);
    const std::vector<double> before = positions(*show.acts()[0]);
    show.scene().material.stiffness *= 2;
    ASSERT_FALSE(show.rebuild());
    EXPECT_EQ(positions(*show.acts()[0]), before);
    EXPECT_EQ(show.acts()[0]->pins, (std::vector<std::uint32_t>{0, 40}));
    EXPECT_EQ(show.acts()[0]->springs[0].stiffness, show.scene().material.stiffness);
    show.advance(h, Pace::exact); // with its velocity
    double farthest = 0;
    const std::vector<double> after = positions(*show.acts()[0]);
    for (std::size_t i = 0; i < after.size(); ++i) {
        farthest = std::max(farthest, std::fabs(after[i] - before[i]));
    }
    EXPECT_GT(farthest, 0.01);
}

TEST(Show, BesideNewtonBothFallAlike) {
    Show show;
    ASSERT_FALSE(show.open(scene_named("net")));
    ASSERT_FALSE(show.compare(true));
    ASSERT_EQ(show.acts().size(), 2u);
    EXPECT_EQ(show.acts()[1]->solver.solver, TWANG_NEWTON);
    EXPECT_NE(show.acts()[0]->offset.x, show.acts()[1]->offset.x);
    show.advance(20 * h, Pace::exact);
    const std::vector<double> a = positions(*show.acts()[0]), b = positions(*show.acts()[1]);
    double apart = 0, fallen = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        apart = std::max(apart, std::fabs(a[i] - b[i]));
        fallen = std::max(fallen, std::fabs(a[i] - show.scene().mesh.positions[i]));
    }
    EXPECT_GT(fallen, 0.2);
    EXPECT_LT(apart, 0.05 * fallen);
    ASSERT_FALSE(show.compare(false));
    EXPECT_EQ(show.acts().size(), 1u);
}

TEST(Show, LiveTheSecondActStepsInTheBackground) {
    Show show;
    ASSERT_FALSE(show.open(scene_named("net")));
    ASSERT_FALSE(show.compare(true));
    const std::vector<float> start = show.acts()[1]->now;
    int rounds = 0;
    while (show.acts()[1]->now == start && ++rounds < 1000000) show.advance(h, Pace::live);
    EXPECT_NE(show.acts()[1]->now, start);
    // What is asked of it meanwhile is done when it is ready.
    while (!show.acts()[1]->busy()) show.advance(h, Pace::live);
    bool done = false;
    show.acts()[1]->post([&](Act& act) { done = act.stage.body.pin(5) == TWANG_OK; });
    show.paused = true;
    while (show.acts()[1]->busy()) show.advance(h, Pace::live);
    EXPECT_TRUE(done);
    EXPECT_TRUE(show.acts()[1]->stage.body.is_pinned(5));
}

TEST(Show, AFailedStepPausesAndResetRevives) {
    io::Scene scene = scene_named("net");
    scene.world.solver = default_solver(TWANG_SYMPLECTIC);
    scene.world.time_step = 0.5;
    Show show;
    ASSERT_FALSE(show.open(scene));
    show.advance(1000, Pace::exact);
    EXPECT_EQ(show.status(), TWANG_DIVERGED);
    EXPECT_TRUE(show.paused);
    EXPECT_FALSE(show.failure().empty());
    ASSERT_FALSE(show.reset());
    EXPECT_EQ(show.status(), TWANG_OK);
}

TEST(Show, KeepsWhatIsOnWhenAnotherSceneCannotBeOpened) {
    Show show;
    ASSERT_FALSE(show.open(scene_named("rope")));
    io::Scene broken = scene_named("cloth");
    broken.world.time_step = -1;
    EXPECT_TRUE(show.open(broken));
    EXPECT_EQ(show.scene().name, "rope");
    show.advance(h, Pace::exact);
    EXPECT_EQ(show.steps(), 1);
}

// ---- Skins -----------------------------------------------------------------------------------

TEST(Surface, OfTetrahedraIsClosedAndFacesOutward) {
    for (const char* name : {"block", "jelly", "bunny"}) {
        SCOPED_TRACE(name);
        Show show;
        ASSERT_FALSE(show.open(scene_named(name)));
        const Act& act = *show.acts()[0];
        const std::vector<std::uint32_t>& t = act.surface.triangles;
        EXPECT_TRUE(act.surface.solid);
        std::map<std::pair<std::uint32_t, std::uint32_t>, int> sides;
        double volume = 0;
        const std::vector<double>& p = show.scene().mesh.positions;
        for (std::size_t i = 0; i + 2 < t.size(); i += 3) {
            for (int k = 0; k < 3; ++k) ++sides[{t[i + k], t[i + (k + 1) % 3]}];
            const auto at = [&](int k, int axis) { return p[3 * t[i + k] + axis]; };
            volume += at(0, 0) * (at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1)) / 6 +
                      at(0, 1) * (at(1, 2) * at(2, 0) - at(1, 0) * at(2, 2)) / 6 +
                      at(0, 2) * (at(1, 0) * at(2, 1) - at(1, 1) * at(2, 0)) / 6;
        }
        EXPECT_GT(volume, 0.0);
        for (const auto& [side, count] : sides) {
            EXPECT_EQ(count, 1);
            EXPECT_EQ(sides.count({side.second, side.first}), 1u);
        }
        if (std::string(name) == "bunny") {
            EXPECT_EQ(t.size(), 3u * 3674);
            EXPECT_NEAR(volume, 0.2157, 1e-4);
        }
    }
}

TEST(Surface, ThePatternOfAClothIsInMetres) {
    Show show;
    ASSERT_FALSE(show.open(scene_named("flag"))); // 1.44 m x 0.96 m
    const std::vector<float>& pattern = show.acts()[0]->surface.pattern;
    float width = 0, height = 0;
    for (std::size_t i = 0; i < pattern.size(); i += 2) {
        width = std::max(width, pattern[i]);
        height = std::max(height, pattern[i + 1]);
    }
    EXPECT_NEAR(width, 1.44, 1e-3);
    EXPECT_NEAR(height, 0.96, 1e-3);
}

TEST(Surface, NormalsHaveLengthOneAndPointOut) {
    const SolidShape ball = make_unit_ball(16, 12);
    std::vector<float> normals;
    smooth_normals(ball.positions, ball.triangles, normals);
    for (std::size_t i = 0; i + 2 < normals.size(); i += 3) {
        const Point normal = point(&normals[i]), out = point(&ball.positions[i]);
        EXPECT_NEAR(length(normal), 1, 1e-5);
        if (std::fabs(out.y) < 0.95f) {
            EXPECT_GT(dot(normal, out), 0.9f);
        }
    }
}

TEST(Weave, RepeatsWithoutASeamAndHasManyColours) {
    const std::vector<std::uint8_t> pixels = make_weave();
    ASSERT_EQ(pixels.size(), 3u * weave_side * weave_side);
    std::set<std::uint32_t> colours;
    for (std::size_t i = 0; i < pixels.size(); i += 3) {
        colours.insert(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
    }
    EXPECT_GT(colours.size(), 100u);
}

TEST(ColliderShapes, LieOnTheSurfaceTheyStandFor) {
    const auto of_shape = [](twang_shape shape, double end_radius) {
        ColliderDef def;
        def.shape = shape;
        def.centre = {1, 2, 3};
        def.end = {1.5, 2.5, 3};
        def.thickness = 0;
        def.end_radius = end_radius;
        return def;
    };
    // Capsules: of one radius, tapered both ways, and with one ball within the other.
    for (const ColliderDef& def :
         {of_shape(TWANG_SPHERE, TWANG_SAME), of_shape(TWANG_BOX, TWANG_SAME),
          of_shape(TWANG_CAPSULE, TWANG_SAME), of_shape(TWANG_CAPSULE, 0.1),
          of_shape(TWANG_CAPSULE, 0.9), of_shape(TWANG_CAPSULE, 1.5)}) {
        SCOPED_TRACE(def.end_radius);
        const SolidShape solid = make_shape(def);
        ASSERT_FALSE(solid.triangles.empty());
        for (std::size_t i = 0; i + 2 < solid.positions.size(); i += 3) {
            const Point p = point(&solid.positions[i]); // from the centre
            EXPECT_NEAR(distance_to(def, p), 0, 1e-5);
            const Point out = p + 0.1f * point(&solid.normals[i]);
            if (def.shape != TWANG_BOX) {
                EXPECT_NEAR(distance_to(def, out), 0.1, 1e-5);
            }
        }
    }
}

// ---- The eye and the hand --------------------------------------------------------------------

TEST(OrbitCamera, SeesAPointWhereItsRayGoes) {
    OrbitCamera camera(io::Camera{{1, 2, 3}, {0.1, 0.2, 0.3}, 50});
    camera.orbit(0.3f, -0.2f);
    camera.pan(0.1f, 0.05f);
    camera.zoom(1.3f);
    const Ray ray = camera.ray(0.4f, -0.3f, 1.6f);
    const Point seen = camera.seen_at(ray.origin + 2.5f * ray.direction, 1.6f);
    EXPECT_NEAR(seen.x, 0.4, 1e-4);
    EXPECT_NEAR(seen.y, -0.3, 1e-4);
    EXPECT_GT(seen.z, 0);
    const Matrix m = camera.view_projection(1.6f);
    const Point p = ray.origin + 2.5f * ray.direction;
    const float w = m.m[3] * p.x + m.m[7] * p.y + m.m[11] * p.z + m.m[15];
    EXPECT_NEAR((m.m[0] * p.x + m.m[4] * p.y + m.m[8] * p.z + m.m[12]) / w, 0.4, 1e-4);
    EXPECT_NEAR((m.m[1] * p.x + m.m[5] * p.y + m.m[9] * p.z + m.m[13]) / w, -0.3, 1e-4);
}

TEST(Picking, FindsThePlaceUnderThePointerAndNothingBesideIt) {
    for (const char* name : {"cloth", "rope", "bunny"}) {
        SCOPED_TRACE(name);
        Show show;
        ASSERT_FALSE(show.open(scene_named(name)));
        const Act& act = *show.acts()[0];
        const OrbitCamera camera(*show.scene().camera);
        Point aim = point(&act.seen[3 * 3]); // on a rope, a vertex; else the middle of a triangle
        if (!act.surface.triangles.empty()) {
            aim = {};
            for (int i = 0; i < 3; ++i) {
                aim = aim + (1.0f / 3) * point(&act.seen[3 * act.surface.triangles[i]]);
            }
        }
        const Point seen = camera.seen_at(aim, 1.6f);
        const std::optional<Hit> hit = pick(show, camera, seen.x, seen.y, 1.6f);
        ASSERT_TRUE(hit);
        const Point again = camera.seen_at(hit->at, 1.6f);
        EXPECT_NEAR(again.x, seen.x, 2e-2);
        EXPECT_NEAR(again.y, seen.y, 2e-2);
        double sum = 0;
        Point at;
        for (int i = 0; i < 3; ++i) {
            sum += hit->grip.weights[i];
            at = at + static_cast<float>(hit->grip.weights[i]) *
                          point(&act.seen[3 * hit->grip.vertices[i]]);
        }
        EXPECT_NEAR(sum, 1, 1e-6);
        EXPECT_LT(length(at - hit->at), 1e-3f);
        EXPECT_FALSE(pick(show, camera, 0.97f, 0.97f, 1.6f));
    }
}

TEST(Hand, PullsAVertexToItsPlaceAndLetsGo) {
    Show show;
    ASSERT_FALSE(show.open(scene_named("cloth")));
    const Act& act = *show.acts()[0];
    Hit hit;
    hit.grip = {{820, 820, 820}, {1, 0, 0}};
    hit.at = point(&act.seen[3 * 820]);
    Hand hand;
    hand.take(show, hit);
    EXPECT_TRUE(hand.holds(show));
    const Point goal = hit.at + Point{0, 0.2f, -0.2f};
    hand.move(show, goal);
    show.advance(90 * h, Pace::exact);
    EXPECT_LT(length(point(&act.now[3 * 820]) - goal), 0.02f);
    hand.let_go(show);
    EXPECT_FALSE(hand.holds(show));
    show.advance(30 * h, Pace::exact);
    EXPECT_GT(length(point(&act.now[3 * 820]) - goal), 0.1f);
    EXPECT_EQ(act.pins, (std::vector<std::uint32_t>{0, 40}));
    hand.take(show, hit);
    ASSERT_FALSE(show.reset()); // the body it held is gone
    EXPECT_FALSE(hand.holds(show));
    hand.let_go(show);
}

TEST(Hand, CutsWhatIsSeenToCrossTheLine) {
    Show show;
    ASSERT_FALSE(show.open(scene_named("cloth")));
    show.advance(120 * h, Pace::exact); // it hangs
    const Act& act = *show.acts()[0];
    const OrbitCamera camera(*show.scene().camera);
    const std::size_t whole = act.surface.triangles.size();
    const std::uint64_t shape = act.shape;
    cut(show, camera, {0.9f, -0.9f, 0}, {0.99f, -0.9f, 0}, 1.6f); // beside it
    EXPECT_EQ(act.broken, 0u);
    const Point left = camera.seen_at(point(&act.seen[3 * (20 * 41)]), 1.6f);
    const Point right = camera.seen_at(point(&act.seen[3 * (20 * 41 + 40)]), 1.6f);
    cut(show, camera, left + 0.1f * (left - right), right + 0.1f * (right - left), 1.6f);
    EXPECT_GT(act.broken, 41u);
    EXPECT_LT(act.surface.triangles.size(), whole);
    EXPECT_GT(act.surface.triangles.size(), whole / 2);
    EXPECT_NE(act.shape, shape);
    show.advance(60 * h, Pace::exact);
    EXPECT_LT(act.now[3 * (40 * 41 + 20) + 1], -2.0f); // the lower half has fallen
    EXPECT_GT(act.now[3 * 20 + 1], -0.5f);             // the upper half still hangs
}

TEST(Picture, ShowsEveryBody) {
    Session session;
    io::Scene scene = scene_named("cloth");
    const Point offset = {3, 0, -2};
    scene.copies = {{2, 1, 2}, {offset.x, 0, offset.z}};
    ASSERT_FALSE(session.show.open(scene));
    for (int step = 0; step < 3; ++step) session.show.step();
    Picture picture;
    const Drawing& drawing = picture.compose(session);
    ASSERT_EQ(drawing.skins.size(), 4u + scene.colliders.size());
    const Skin &first = drawing.skins[0], &last = drawing.skins[3];
    EXPECT_EQ(first.triangles.size(), last.triangles.size());
    ASSERT_EQ(first.normals.size(), last.normals.size());
    ASSERT_EQ(first.positions.size(), last.positions.size());
    for (std::size_t i = 0; i + 2 < first.positions.size(); i += 3) {
        const Point apart = point(&last.positions[i]) - point(&first.positions[i]);
        ASSERT_LT(length(apart - offset), 1e-3f) << i / 3;
    }
    ASSERT_FALSE(session.show.rebuild()); // as they started, for they have no one state to go on in
    EXPECT_EQ(session.show.steps(), 0);
}

TEST(Picture, TheFloorIsTheScenesOrBelowAllThatHangs) {
    EXPECT_EQ(ground_height(scene_named("drape")), 0.0f);
    const float under_cloth = ground_height(scene_named("cloth")); // 1 m long, held at y = 0
    EXPECT_LT(under_cloth, -1.0f);
    EXPECT_GT(under_cloth, -1.4f);
    const float under_cape = ground_height(scene_named("cape")); // on a body 0.85 m tall
    EXPECT_LT(under_cape, -0.85f);
    EXPECT_GT(under_cape, -1.1f);
}

} // namespace
} // namespace twang::demo
