// Parts of the demo that need no window: time, skins, the eye, what is under the mouse.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "app/scenes.hpp"
#include "simulation/simulation.hpp"
#include "simulation/surface.hpp"
#include "view/camera.hpp"
#include "view/collider_shapes.hpp"
#include "view/drag.hpp"
#include "view/picking.hpp"
#include "view/picture.hpp"
#include "view/weave.hpp"

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

std::vector<double> positions(const Run& run) {
    std::vector<double> xyz(3 * run.stage.body.vertex_count());
    run.stage.body.copy_positions(xyz);
    return xyz;
}

constexpr double h = 1.0 / 60;

// ---- Time ------------------------------------------------------------------------------------

// Tests name demo::Run: in a TEST, Run alone is the function testing::Test::Run().
TEST(Simulation, ExactTimeTakesEveryStepAndLiveTimeNeverCatchesUpForLong) {
    Simulation simulation;
    ASSERT_FALSE(simulation.open(scene_named("rope")));
    simulation.advance(1.0, Pace::exact);
    EXPECT_EQ(simulation.last_steps(), 60);
    simulation.advance(1000.0, Pace::live); // a breakpoint, a closed lid
    EXPECT_GE(simulation.last_steps(), 1);
    EXPECT_LE(simulation.last_steps(), 4);
    simulation.advance(0.0, Pace::live); // and nothing is left to be caught up with
    EXPECT_EQ(simulation.last_steps(), 0);
}

TEST(Simulation, DrawsBetweenTheLastTwoSteps) {
    Simulation simulation;
    ASSERT_FALSE(simulation.open(scene_named("rope")));
    simulation.advance(20.5 * h, Pace::exact);
    EXPECT_EQ(simulation.steps(), 20);
    const demo::Run& run = *simulation.runs()[0];
    double moved = 0;
    for (std::size_t i = 0; i < run.now.size(); ++i) {
        EXPECT_NEAR(run.seen[i], 0.5f * (run.before[i] + run.now[i]), 1e-5);
        moved += std::fabs(run.now[i] - run.before[i]);
    }
    EXPECT_GT(moved, 0.01);
}

TEST(Simulation, ObstaclesAreDrawnWhenTheBodyIs) {
    Simulation simulation;
    ASSERT_FALSE(simulation.open(scene_named("drape"))); // its ball swings along x
    const io::SceneCollider& ball = simulation.scene().colliders[0];
    ASSERT_FALSE(ball.motion.is_rest());
    simulation.advance(20.25 * h, Pace::exact);
    EXPECT_NEAR(simulation.collider_centre(0).x, ball.motion.at(ball.def.centre, 19.25 * h).x,
                1e-9);
}

TEST(Simulation, ObstaclesAreDrawnAsTheyAreTurned) {
    Simulation simulation;
    ASSERT_FALSE(simulation.open(scene_named("cape"))); // its arms swing about x
    const io::Motion& motion = simulation.scene().colliders[1].motion;
    simulation.advance(20.25 * h, Pace::exact);
    const double angle = motion.swing * std::numbers::pi / 180 *
                         std::sin(2 * std::numbers::pi * motion.frequency * 19.25 * h);
    ASSERT_GT(angle, 0.1);
    const Point down = simulation.collider_turn(1)({0, -1, 0});
    EXPECT_NEAR(down.y, -std::cos(angle), 1e-6);
    EXPECT_NEAR(down.z, -std::sin(angle), 1e-6);
    EXPECT_NEAR(length(simulation.collider_turn(1).back(down) - Point{0, -1, 0}), 0, 1e-6);
    EXPECT_NEAR(simulation.collider_turn(0)({0, 0, 1}).z, 1, 1e-6); // the body does not turn
}

TEST(Simulation, PausesStepsAndStartsAgain) {
    Simulation simulation;
    ASSERT_FALSE(simulation.open(scene_named("cloth")));
    const std::vector<double> start = positions(*simulation.runs()[0]);
    simulation.paused = true;
    simulation.advance(1.0, Pace::exact);
    EXPECT_EQ(positions(*simulation.runs()[0]), start);
    simulation.step();
    EXPECT_EQ(simulation.steps(), 1);
    EXPECT_NE(positions(*simulation.runs()[0]), start);
    ASSERT_FALSE(simulation.reset());
    EXPECT_EQ(positions(*simulation.runs()[0]), start);
    EXPECT_EQ(simulation.time(), 0.0);
}

TEST(Simulation, ARebuiltBodyGoesOnWhereItWas) {
    Simulation simulation;
    ASSERT_FALSE(simulation.open(scene_named("cloth")));
    simulation.advance(30 * h, Pace::exact);
    const std::vector<double> before = positions(*simulation.runs()[0]);
    simulation.scene().material.stiffness *= 2;
    ASSERT_FALSE(simulation.rebuild());
    EXPECT_EQ(positions(*simulation.runs()[0]), before);
    EXPECT_EQ(simulation.runs()[0]->pins, (std::vector<std::uint32_t>{0, 40}));
    EXPECT_EQ(simulation.runs()[0]->springs[0].stiffness, simulation.scene().material.stiffness);
    simulation.advance(h, Pace::exact); // with its velocity
    double farthest = 0;
    const std::vector<double> after = positions(*simulation.runs()[0]);
    for (std::size_t i = 0; i < after.size(); ++i) {
        farthest = std::max(farthest, std::fabs(after[i] - before[i]));
    }
    EXPECT_GT(farthest, 0.01);
}

TEST(Simulation, BesideNewtonBothFallAlike) {
    Simulation simulation;
    ASSERT_FALSE(simulation.open(scene_named("net")));
    ASSERT_FALSE(simulation.compare(true));
    ASSERT_EQ(simulation.runs().size(), 2u);
    EXPECT_EQ(simulation.runs()[1]->solver.solver, TWANG_SOLVER_NEWTON);
    EXPECT_NE(simulation.runs()[0]->offset.x, simulation.runs()[1]->offset.x);
    simulation.advance(20 * h, Pace::exact);
    const std::vector<double> a = positions(*simulation.runs()[0]),
                              b = positions(*simulation.runs()[1]);
    double apart = 0, fallen = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        apart = std::max(apart, std::fabs(a[i] - b[i]));
        fallen = std::max(fallen, std::fabs(a[i] - simulation.scene().mesh.positions[i]));
    }
    EXPECT_GT(fallen, 0.2);
    EXPECT_LT(apart, 0.05 * fallen);
    ASSERT_FALSE(simulation.compare(false));
    EXPECT_EQ(simulation.runs().size(), 1u);
}

TEST(Simulation, LiveTheSecondRunStepsInTheBackground) {
    Simulation simulation;
    ASSERT_FALSE(simulation.open(scene_named("net")));
    ASSERT_FALSE(simulation.compare(true));
    const std::vector<float> start = simulation.runs()[1]->now;
    int rounds = 0;
    while (simulation.runs()[1]->now == start && ++rounds < 1000000)
        simulation.advance(h, Pace::live);
    EXPECT_NE(simulation.runs()[1]->now, start);
    // What is asked of it meanwhile is done when it is ready.
    while (!simulation.runs()[1]->busy()) simulation.advance(h, Pace::live);
    bool done = false;
    simulation.runs()[1]->post([&](demo::Run& run) { done = run.stage.body.pin(5) == TWANG_OK; });
    simulation.paused = true;
    while (simulation.runs()[1]->busy()) simulation.advance(h, Pace::live);
    EXPECT_TRUE(done);
    EXPECT_TRUE(simulation.runs()[1]->stage.body.is_pinned(5));
}

TEST(Simulation, AFailedStepPausesAndResetRevives) {
    io::Scene scene = scene_named("net");
    scene.world.solver = default_solver(TWANG_SOLVER_SYMPLECTIC);
    scene.world.time_step = 0.5;
    Simulation simulation;
    ASSERT_FALSE(simulation.open(scene));
    simulation.advance(1000, Pace::exact);
    EXPECT_EQ(simulation.status(), TWANG_DIVERGED);
    EXPECT_TRUE(simulation.paused);
    EXPECT_FALSE(simulation.failure().empty());
    ASSERT_FALSE(simulation.reset());
    EXPECT_EQ(simulation.status(), TWANG_OK);
}

TEST(Simulation, KeepsWhatIsOnWhenAnotherSceneCannotBeOpened) {
    Simulation simulation;
    ASSERT_FALSE(simulation.open(scene_named("rope")));
    io::Scene broken = scene_named("cloth");
    broken.world.time_step = -1;
    EXPECT_TRUE(simulation.open(broken));
    EXPECT_EQ(simulation.scene().name, "rope");
    simulation.advance(h, Pace::exact);
    EXPECT_EQ(simulation.steps(), 1);
}

// ---- Skins -----------------------------------------------------------------------------------

TEST(Surface, OfTetrahedraIsClosedAndFacesOutward) {
    for (const char* name : {"block", "jelly", "bunny"}) {
        SCOPED_TRACE(name);
        Simulation simulation;
        ASSERT_FALSE(simulation.open(scene_named(name)));
        const demo::Run& run = *simulation.runs()[0];
        const std::vector<std::uint32_t>& t = run.surface.triangles;
        EXPECT_TRUE(run.surface.solid);
        std::map<std::pair<std::uint32_t, std::uint32_t>, int> sides;
        double volume = 0;
        const std::vector<double>& p = simulation.scene().mesh.positions;
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
    Simulation simulation;
    ASSERT_FALSE(simulation.open(scene_named("flag"))); // 1.44 m x 0.96 m
    const std::vector<float>& pattern = simulation.runs()[0]->surface.pattern;
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
         {of_shape(TWANG_SHAPE_SPHERE, TWANG_SAME), of_shape(TWANG_SHAPE_BOX, TWANG_SAME),
          of_shape(TWANG_SHAPE_CAPSULE, TWANG_SAME), of_shape(TWANG_SHAPE_CAPSULE, 0.1),
          of_shape(TWANG_SHAPE_CAPSULE, 0.9), of_shape(TWANG_SHAPE_CAPSULE, 1.5)}) {
        SCOPED_TRACE(def.end_radius);
        const SolidShape solid = make_shape(def);
        ASSERT_FALSE(solid.triangles.empty());
        for (std::size_t i = 0; i + 2 < solid.positions.size(); i += 3) {
            const Point p = point(&solid.positions[i]); // from the centre
            EXPECT_NEAR(distance_to(def, p), 0, 1e-5);
            const Point out = p + 0.1f * point(&solid.normals[i]);
            if (def.shape != TWANG_SHAPE_BOX) {
                EXPECT_NEAR(distance_to(def, out), 0.1, 1e-5);
            }
        }
    }
}

// ---- Camera and drag -------------------------------------------------------------------------

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
        Simulation simulation;
        ASSERT_FALSE(simulation.open(scene_named(name)));
        const demo::Run& run = *simulation.runs()[0];
        const OrbitCamera camera(*simulation.scene().camera);
        Point aim = point(&run.seen[3 * 3]); // on a rope, a vertex; else the middle of a triangle
        if (!run.surface.triangles.empty()) {
            aim = {};
            for (int i = 0; i < 3; ++i) {
                aim = aim + (1.0f / 3) * point(&run.seen[3 * run.surface.triangles[i]]);
            }
        }
        const Point seen = camera.seen_at(aim, 1.6f);
        const std::optional<Hit> hit = pick(simulation, camera, seen.x, seen.y, 1.6f);
        ASSERT_TRUE(hit);
        const Point again = camera.seen_at(hit->at, 1.6f);
        EXPECT_NEAR(again.x, seen.x, 2e-2);
        EXPECT_NEAR(again.y, seen.y, 2e-2);
        double sum = 0;
        Point at;
        for (int i = 0; i < 3; ++i) {
            sum += hit->grip.weights[i];
            at = at + static_cast<float>(hit->grip.weights[i]) *
                          point(&run.seen[3 * hit->grip.vertices[i]]);
        }
        EXPECT_NEAR(sum, 1, 1e-6);
        EXPECT_LT(length(at - hit->at), 1e-3f);
        EXPECT_FALSE(pick(simulation, camera, 0.97f, 0.97f, 1.6f));
    }
}

TEST(Drag, PullsAVertexToItsPlaceAndLetsGo) {
    Simulation simulation;
    ASSERT_FALSE(simulation.open(scene_named("cloth")));
    const demo::Run& run = *simulation.runs()[0];
    Hit hit;
    hit.grip = {{820, 820, 820}, {1, 0, 0}};
    hit.at = point(&run.seen[3 * 820]);
    Drag drag;
    drag.take(simulation, hit);
    EXPECT_TRUE(drag.holds(simulation));
    const Point goal = hit.at + Point{0, 0.2f, -0.2f};
    drag.move(simulation, goal);
    simulation.advance(90 * h, Pace::exact);
    EXPECT_LT(length(point(&run.now[3 * 820]) - goal), 0.02f);
    drag.let_go(simulation);
    EXPECT_FALSE(drag.holds(simulation));
    simulation.advance(30 * h, Pace::exact);
    EXPECT_GT(length(point(&run.now[3 * 820]) - goal), 0.1f);
    EXPECT_EQ(run.pins, (std::vector<std::uint32_t>{0, 40}));
    drag.take(simulation, hit);
    ASSERT_FALSE(simulation.reset()); // the body it held is gone
    EXPECT_FALSE(drag.holds(simulation));
    drag.let_go(simulation);
}

TEST(Drag, CutsWhatIsSeenToCrossTheLine) {
    Simulation simulation;
    ASSERT_FALSE(simulation.open(scene_named("cloth")));
    simulation.advance(120 * h, Pace::exact); // it hangs
    const demo::Run& run = *simulation.runs()[0];
    const OrbitCamera camera(*simulation.scene().camera);
    const std::size_t whole = run.surface.triangles.size();
    const std::uint64_t shape = run.shape;
    cut_to(simulation, camera, {0.9f, -0.9f, 0}, 1.6f); // beside it
    cut_to(simulation, camera, {0.99f, -0.9f, 0}, 1.6f);
    end_cut(simulation);
    EXPECT_EQ(run.broken, 0u);
    const Point left = camera.seen_at(point(&run.seen[3 * (20 * 41)]), 1.6f);
    const Point right = camera.seen_at(point(&run.seen[3 * (20 * 41 + 40)]), 1.6f);
    cut_to(simulation, camera, left + 0.1f * (left - right), 1.6f);
    EXPECT_EQ(run.broken, 0u) << "neither by the way from the last stroke nor by placing the blade";
    cut_to(simulation, camera, right + 0.1f * (right - left), 1.6f);
    end_cut(simulation);
    EXPECT_GT(run.broken, 41u);
    EXPECT_LT(run.surface.triangles.size(), whole);
    EXPECT_GT(run.surface.triangles.size(), whole / 2);
    EXPECT_NE(run.shape, shape);
    simulation.advance(60 * h, Pace::exact);
    EXPECT_LT(run.now[3 * (40 * 41 + 20) + 1], -2.0f); // the lower half has fallen
    EXPECT_GT(run.now[3 * 20 + 1], -0.5f);             // the upper half still hangs
}

// Number of vertices in the lowest row of the scene "cloth" that unbroken springs join with a pin.
std::size_t held_in_lowest_row(const demo::Run& run) {
    std::vector<bool> held(41 * 41);
    held[0] = held[40] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t s = 0; s < run.springs.size(); ++s) {
            const SpringDef& spring = run.springs[s];
            if (run.broken_springs[s] || held[spring.a] == held[spring.b]) continue;
            held[spring.a] = held[spring.b] = changed = true;
        }
    }
    return static_cast<std::size_t>(std::count(held.end() - 41, held.end(), true));
}

// One gesture from edge to edge parts the cloth, swinging or paused, however many pictures it takes
// and however long they take.
TEST(Drag, AStrokeOfTheMouseLeavesNoThreads) {
    struct Case {
        int pieces;
        bool paused;
        double steps_per_picture;
    };
    for (const Case c :
         {Case{5, false, 1.0}, Case{22, false, 1.0}, Case{60, false, 1.0}, Case{5, false, 2.0},
          Case{22, false, 2.0}, Case{60, false, 0.5}, Case{22, true, 1.0}}) {
        SCOPED_TRACE(std::to_string(c.pieces) + " pieces, " +
                     (c.paused ? "paused" : std::to_string(c.steps_per_picture) + " steps each"));
        Simulation simulation;
        ASSERT_FALSE(simulation.open(scene_named("cloth")));
        simulation.advance(85 * h, Pace::exact); // it hangs down
        demo::Run& run = *simulation.runs()[0];
        std::vector<double> speeds(run.now.size());
        for (std::size_t i = 0; i < 41 * 41; ++i) { // the lower, the faster it swings and waves
            const double down = static_cast<double>(i / 41) / 40,
                         wave = static_cast<double>(i % 41);
            speeds[3 * i] = 2.0 * down;
            speeds[3 * i + 2] = 1.5 * down * std::sin(0.4 * wave);
        }
        ASSERT_EQ(run.stage.body.set_velocities(speeds), TWANG_OK);
        simulation.advance(3 * h, Pace::exact);
        const OrbitCamera camera(*simulation.scene().camera);
        const float begin = camera.seen_at({0, -0.5f, 0}, 1.6f).y;
        simulation.paused = c.paused;
        for (int k = 0; k <= c.pieces; ++k) {
            if (k > 0) simulation.advance(c.steps_per_picture * h, Pace::exact);
            const float share = static_cast<float>(k) / static_cast<float>(c.pieces);
            cut_to(simulation, camera, {-1.2f + 2.4f * share, begin - 0.1f * share, 0}, 1.6f);
        }
        end_cut(simulation);
        ASSERT_GT(run.broken, 100u);
        EXPECT_EQ(held_in_lowest_row(run), 0u);

        Session session; // only what is not broken is drawn
        session.simulation = std::move(simulation);
        session.looks.springs = true;
        Picture picture;
        EXPECT_EQ(picture.compose(session).lines.size(), run.springs.size() - run.broken);
        session.simulation.paused = false;
        session.simulation.advance(60 * h, Pace::exact);
        EXPECT_LT(run.now[3 * (40 * 41 + 20) + 1], -2.0f) << "it falls";
    }
}

TEST(Picture, ShowsEveryBody) {
    Session session;
    io::Scene scene = scene_named("cloth");
    const Point offset = {3, 0, -2};
    scene.copies = {{2, 1, 2}, {offset.x, 0, offset.z}};
    ASSERT_FALSE(session.simulation.open(scene));
    for (int step = 0; step < 3; ++step) session.simulation.step();
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
    ASSERT_FALSE(
        session.simulation.rebuild()); // as they started, for they have no one state to go on in
    EXPECT_EQ(session.simulation.steps(), 0);
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
