// Bodies that touch bodies: layers that must not cross, small bodies thrown at a cloth, what
// slides on a floor, what lies on sleepers, every solver, and bits.

#include <functional>

#include "crossings.hpp"
#include "scenes.hpp"

namespace twang::test {
namespace {

constexpr double edge = 0.03;

ClothDef level(std::uint32_t side, Vec3 origin) {
    ClothDef def;
    def.columns = def.rows = side;
    def.spacing = edge;
    def.mass = 0.2 * (side - 1) * (side - 1) * edge * edge + 1e-4;
    def.origin = origin;
    def.down = {0.0, 0.0, 1.0};
    return def;
}

// A cloth of side x side that is held at its rim.
Body add_held(World& world, std::uint32_t side, double radius) {
    std::vector<std::uint32_t> rim;
    for (std::uint32_t i = 0; i < side * side; ++i)
        if (i % side == 0 || i % side == side - 1 || i / side == 0 || i / side == side - 1)
            rim.push_back(i);
    BodyDef held;
    held.pins = rim.data();
    held.pin_count = static_cast<std::uint32_t>(rim.size());
    held.vertex_radius = radius;
    return world.add(Model::cloth(level(side, {})), held);
}

double lowest_of(const Body& body) {
    double low = std::numeric_limits<double>::infinity();
    for (const Vec3& x : positions_of(body)) low = std::min(low, x.y);
    return low;
}

// Balls of half an edge leave no more room than they need: a cloth whose vertices lie over the
// middles of cells must not find its way between them.
TEST(BodyContact, AClothStaysOnACloth) {
    for (const double radius : {0.5 * edge, 0.8 * edge})
        for (const double offset : {0.0, 0.25 * edge, 0.5 * edge}) {
            World world{WorldDef{.workers = 1}};
            const Body net = add_held(world, 20, radius);
            const Vec3 at{4 * edge + offset, 2.0 * radius + 0.02, 4 * edge + offset};
            const Body patch = world.add(Model::cloth(level(12, at)), {.vertex_radius = radius});
            for (int frame = 0; frame < 180; ++frame) ASSERT_EQ(world.step(), TWANG_OK);
            EXPECT_GT(lowest_of(patch), -0.05) << radius << ' ' << offset;
            EXPECT_LT(patch.measure().mean_speed, 0.02) << radius << ' ' << offset;
            EXPECT_LT(patch.measure().max_stretch, 0.05);
            EXPECT_LT(net.measure().max_stretch, 0.1);
            EXPECT_GT(patch.report().contacts, 50);
            EXPECT_GT(patch.report().ms.contact, 0.0);
        }
}

// Balls of half an edge leave no more room than they need: a heavy one must not open the meshes.
TEST(BodyContact, ASmallBodyDoesNotPassThroughACloth) {
    for (const auto& [radius, mass, speed, substeps] : {std::tuple{0.5 * edge, 0.0005, 0.5, 1},
                                                        {0.5 * edge, 0.0005, 2.0, 1},
                                                        {0.5 * edge, 0.004, 0.5, 1},
                                                        {0.5 * edge, 0.004, 2.0, 1},
                                                        {0.5 * edge, 0.004, 4.0, 1},
                                                        {0.8 * edge, 0.004, 0.5, 1},
                                                        {0.8 * edge, 0.004, 2.0, 1}}) {
        World world{WorldDef{.workers = 1, .substeps = substeps}};
        add_held(world, 16, radius);
        ClothDef def = level(1, {7.5 * edge, 2.5 * radius, 7.5 * edge});
        def.mass = mass;
        Body ball = world.add(Model::cloth(def), {.vertex_radius = radius});
        const double velocity[3] = {0.0, -speed, 0.0};
        ASSERT_EQ(ball.set_velocities(velocity), TWANG_OK);
        for (int frame = 0; frame < 60; ++frame) ASSERT_EQ(world.step(), TWANG_OK);
        EXPECT_GT(lowest_of(ball), -0.1) << mass << " kg, " << speed << " m/s";
    }
}

// What lies on a floor cannot be pushed into it, but along it.
TEST(BodyContact, BodiesOnAFloorPushEachOther) {
    World world{WorldDef{.workers = 1}};
    ASSERT_TRUE(world.add({.shape = TWANG_SHAPE_PLANE, .friction = 0.0}));
    const double radius = 0.45 * edge;
    Body a = world.add(Model::cloth(level(8, {0.0, 0.005, 0.0})),
                       {.vertex_radius = radius, .vertex_friction = 0.0});
    const Body b = world.add(Model::cloth(level(8, {0.25, 0.005, 0.0})),
                             {.vertex_radius = radius, .vertex_friction = 0.0});
    std::vector<double> velocities(3 * 64, 0.0);
    for (std::size_t i = 0; i < velocities.size(); i += 3) velocities[i] = 1.0;
    ASSERT_EQ(a.set_velocities(velocities), TWANG_OK);
    for (int frame = 0; frame < 40; ++frame) {
        ASSERT_EQ(world.step(), TWANG_OK);
        ASSERT_LT(a.measure().centre.x + 0.2, b.measure().centre.x) << frame;
    }
    const double both = a.measure().momentum.x + b.measure().momentum.x;
    EXPECT_GT(b.measure().momentum.x, 0.4 * both); // at least half of it went over
}

// The same with substeps and with damping: neither may keep what lies still in motion.
TEST(BodyContact, SubstepsAndDampingStirNothing) {
    for (const auto& [substeps, damping] : {std::pair{1, 0.0}, {4, 0.0}, {1, 1.0}}) {
        World world{WorldDef{.workers = 1, .damping = damping, .substeps = substeps}};
        add_held(world, 16, 0.6 * edge);
        const Body patch = world.add(Model::cloth(level(8, {4 * edge, 0.05, 4 * edge})),
                                     {.vertex_radius = 0.6 * edge});
        for (int frame = 0; frame < 300; ++frame) ASSERT_EQ(world.step(), TWANG_OK);
        EXPECT_LT(patch.measure().mean_speed, 0.03) << substeps << ' ' << damping;
    }
}

// Level cloths one above the other, half an edge aside.
struct Stack {
    World world;
    Body lower, upper;

    Stack(std::uint32_t side, double radius, const ColliderDef& below, const WorldDef& def)
        : world{def} {
        const double from = -0.5 * (side - 1) * edge, aside = from + 0.5 * edge;
        EXPECT_TRUE(world.add(below));
        lower = world.add(Model::cloth(level(side, {from, 0.01, from})), {.vertex_radius = radius});
        upper =
            world.add(Model::cloth(level(side, {aside, 0.06, aside})), {.vertex_radius = radius});
    }
    // m/s, over the last of so many seconds.
    double speed_after(int seconds) {
        double sum = 0.0;
        for (int frame = 0; frame < 60 * seconds; ++frame) {
            EXPECT_EQ(world.step(), TWANG_OK);
            if (frame >= 60 * (seconds - 1))
                sum += (lower.measure().mean_speed + upper.measure().mean_speed) / 120.0;
        }
        return sum;
    }
};

// Where both hang over, only their springs bear them there.
TEST(BodyContact, ClothsOnABoxComeToRest) {
    for (const double damping : {0.5, 1.0}) {
        Stack s(20, 0.5 * edge,
                {.shape = TWANG_SHAPE_BOX,
                 .centre = {0.0, -0.25, 0.0},
                 .half_extents = {0.2, 0.25, 0.2}},
                {.workers = 1, .damping = damping});
        EXPECT_LT(s.speed_after(10), 0.015);
        EXPECT_LT(s.lower.measure().max_stretch, 0.1);
        EXPECT_LT(s.upper.measure().max_stretch, 0.1);
        EXPECT_GT(lowest_of(s.upper), -0.3);
    }
}

TEST(BodyContact, ClothsOnAFloorLieStillWithSubsteps) {
    for (const int substeps : {1, 4})
        for (const double radius : {0.5 * edge, 0.7 * edge}) {
            Stack s(9, radius, {.shape = TWANG_SHAPE_PLANE},
                    {.workers = 1, .damping = 1.0, .substeps = substeps});
            EXPECT_LT(s.speed_after(6), 0.015) << substeps << ' ' << radius;
            EXPECT_GT(lowest_of(s.upper), 0.005 + 0.5 * radius);
        }
}

// A cloth is no plate because it lies on another.
TEST(BodyContact, AClothDrapesOverACloth) {
    Stack s(
        20, 0.5 * edge,
        {.shape = TWANG_SHAPE_SPHERE, .centre = {0.0, -0.2, 0.0}, .radius = 0.2, .friction = 0.5},
        {.workers = 1, .damping = 1.0});
    s.speed_after(3);
    EXPECT_LT(s.lower.measure().centre.y, -0.05);
    EXPECT_LT(s.upper.measure().centre.y, -0.02);
    EXPECT_GT(lowest_of(s.upper), -0.5); // and stays there
}

TEST(BodyContact, OverlapsEndWithoutSpeed) {
    for (const double aside : {0.0, 0.3 * edge}) { // at the very same place, and nearly
        World world{WorldDef{.gravity = {}, .workers = 1}};
        const double radius = 0.5 * edge;
        const Body a = world.add(Model::cloth(level(9, {})), {.vertex_radius = radius});
        const Body b =
            world.add(Model::cloth(level(9, {aside, 0.1 * aside, 0.0})), {.vertex_radius = radius});
        double fastest = 0.0;
        for (int frame = 0; frame < 60; ++frame) {
            ASSERT_EQ(world.step(), TWANG_OK);
            fastest = std::max(fastest, a.measure().mean_speed);
        }
        EXPECT_LT(fastest, 0.2); // 1.8 m/s would be half a ball in a step
        EXPECT_GT(length(a.measure().centre - b.measure().centre), 0.3 * edge) << aside;
    }
}

// Two vertices and a spring between them, shorter than their balls are wide.
TEST(BodyContact, BallsPartWhenTheirSpringBreaks) {
    World world{WorldDef{.gravity = {}, .workers = 1}};
    ClothDef def = level(1, {});
    def.columns = 2;
    Body pair = world.add(Model::cloth(def), {.vertex_radius = 0.7 * edge});
    const auto apart = [&] {
        for (int frame = 0; frame < 60; ++frame) EXPECT_EQ(world.step(), TWANG_OK);
        const std::vector<Vec3> x = positions_of(pair);
        return length(x[1] - x[0]);
    };
    EXPECT_NEAR(apart(), edge, 1e-6);
    std::uint32_t broken = 0;
    ASSERT_EQ(twang_body_set_tear_strain(world.get(), pair.id(), 10.0), TWANG_OK);
    const twang_blade_def blade{{0.5 * edge, -1.0, -1.0}, {0.5 * edge, 1.0, -1.0}, {0.0, 0.0, 2.0}};
    ASSERT_EQ(twang_body_cut(world.get(), pair.id(), &blade, &broken), TWANG_OK);
    ASSERT_EQ(broken, 1u);
    EXPECT_GT(apart(), 1.35 * edge);
}

TEST(BodyContact, MomentumIsKept) {
    World world{WorldDef{.gravity = {}, .workers = 1}};
    const Body a = world.add(Model::cloth(level(6, {})), {.vertex_radius = 0.5 * edge});
    Body b = world.add(Model::cloth(level(4, {0.02, 0.05, 0.02})), {.vertex_radius = 0.5 * edge});
    std::vector<double> velocities(3 * 16, 0.0);
    for (std::size_t i = 1; i < velocities.size(); i += 3) velocities[i] = -1.0;
    ASSERT_EQ(b.set_velocities(velocities), TWANG_OK);
    const double before = b.measure().momentum.y;
    for (int frame = 0; frame < 30; ++frame) ASSERT_EQ(world.step(), TWANG_OK);
    EXPECT_NEAR(a.measure().momentum.y + b.measure().momentum.y, before, 0.01 * std::abs(before));
    EXPECT_LT(a.measure().momentum.y, 0.2 * before); // it went over
}

struct Sleepers {
    World world{WorldDef{.workers = 1, .damping = 2.0, .sleep_speed = 0.01, .sleep_steps = 20}};
    Body lower, upper;

    Sleepers() {
        EXPECT_TRUE(world.add({.shape = TWANG_SHAPE_PLANE, .centre = {0.0, -0.005, 0.0}}));
        lower = world.add(Model::cloth(level(9, {})), {.vertex_radius = 0.02});
        upper = world.add(Model::cloth(level(9, {0.0, 0.045, 0.0})), {.vertex_radius = 0.02});
        for (int frame = 0; frame < 600 && !upper.report().asleep; ++frame)
            EXPECT_EQ(world.step(), TWANG_OK);
        EXPECT_TRUE(upper.report().asleep);
    }
    // What a second later is left of the height of the upper one.
    double height_then() {
        for (int frame = 0; frame < 60; ++frame) EXPECT_EQ(world.step(), TWANG_OK);
        return upper.measure().centre.y;
    }
};

TEST(BodyContact, WhatLiesOnASleeperStaysAndFallsWhenThatIsGone) {
    EXPECT_GT(Sleepers().height_then(), 0.03);
    Sleepers gone;
    ASSERT_EQ(gone.lower.destroy(), TWANG_OK);
    EXPECT_LT(gone.height_then(), 0.01);
    Sleepers moved;
    ASSERT_EQ(moved.lower.teleport({0.0, 0.0, 0.0, 1.0}, {}, {5.0, 0.0, 0.0}), TWANG_OK);
    EXPECT_LT(moved.height_then(), 0.01);
    Sleepers through;
    ASSERT_EQ(through.lower.set_vertex_spheres(0.0), TWANG_OK);
    EXPECT_LT(through.height_then(), 0.01);
}

// ---- Layers that must not cross
// ------------------------------------------------------------------

// Cloths as balls of half an edge, with what they fall on.
struct Layers {
    World world;
    std::vector<Body> bodies;
    std::vector<std::uint32_t> columns;

    explicit Layers(int workers = 1, int iterations = 10)
        : world{
              WorldDef{.workers = workers, .solver = {.iterations = iterations}, .damping = 0.3}} {}

    void add(std::uint32_t across, std::uint32_t rows, Vec3 origin, Vec3 down,
             std::vector<std::uint32_t> pins = {}) {
        ClothDef def;
        def.columns = across;
        def.rows = rows;
        def.spacing = edge;
        def.mass = 0.2 * (across - 1) * (rows - 1) * edge * edge;
        def.origin = origin;
        def.down = down;
        BodyDef body;
        body.vertex_radius = 0.5 * edge;
        body.pins = pins.data();
        body.pin_count = static_cast<std::uint32_t>(pins.size());
        bodies.push_back(world.add(Model::cloth(def), body));
        columns.push_back(across);
    }
    int crossings() const {
        std::vector<Layer> layers;
        for (std::size_t k = 0; k < bodies.size(); ++k)
            layers.push_back(grid_layer(positions_of(bodies[k]), columns[k]));
        return count_crossings(layers);
    }
    double stretch() const {
        double most = 0.0;
        for (const Body& body : bodies) most = std::max(most, body.measure().max_stretch);
        return most;
    }
    // The most crossings in so many frames.
    int run(int frames) {
        int most = 0;
        for (int frame = 0; frame < frames; ++frame) {
            EXPECT_EQ(world.step(), TWANG_OK);
            if (frame % 4 == 0) most = std::max(most, crossings());
        }
        return most;
    }
};

constexpr Vec3 level_down{0.0, 0.0, 1.0};

// A cloth that hangs a little aslant is let down on a floor, and folds.
void add_fold(Layers& layers) {
    EXPECT_TRUE(layers.world.add(
        {.shape = TWANG_SHAPE_PLANE, .centre = {0.0, -1.3, 0.0}, .friction = 0.4}));
    layers.add(25, 41, {-0.36, 0.0, 0.0}, {0.0, -1.0, 0.02});
}

void add_stack(Layers& layers, int sheets) {
    EXPECT_TRUE(layers.world.add({.centre = {0.0, -0.35, 0.0}, .radius = 0.3, .friction = 0.4}));
    for (int k = 0; k < sheets; ++k)
        layers.add(25, 25, {-0.36 + 0.004 * k, 0.05 * k, -0.36 + 0.003 * k}, level_down);
}

// A ball on a floor, a cloth around it.
void add_wrap(Layers& layers) {
    EXPECT_TRUE(layers.world.add(
        {.shape = TWANG_SHAPE_PLANE, .centre = {0.0, -0.6, 0.0}, .friction = 0.4}));
    EXPECT_TRUE(layers.world.add({.centre = {0.0, -0.3, 0.0}, .radius = 0.2, .friction = 0.3}));
    layers.add(41, 41, {-0.6, 0.0, -0.6}, level_down);
}

void add_patch_on_net(Layers& layers) {
    constexpr std::uint32_t side = 25;
    std::vector<std::uint32_t> rim;
    for (std::uint32_t i = 0; i < side * side; ++i)
        if (i % side == 0 || i % side == side - 1 || i / side == 0 || i / side == side - 1)
            rim.push_back(i);
    layers.add(side, side, {-0.36, 0.0, -0.36}, level_down, rim);
    layers.add(13, 13, {-0.18, 0.15, -0.17}, level_down);
}

TEST(BodyContact, CrossingsAreSeen) {
    Layers layers;
    add_stack(layers, 2);
    for (Body& body : layers.bodies) ASSERT_EQ(body.set_vertex_spheres(0.0), TWANG_OK);
    EXPECT_GT(layers.run(60), 50);
}

TEST(BodyContact, LayersNeverCross) {
    for (const int iterations : {2, 10})
        for (const auto& [name, add] :
             std::initializer_list<std::pair<const char*, std::function<void(Layers&)>>>{
                 {"fold", add_fold},
                 {"stack", [](Layers& layers) { add_stack(layers, 5); }},
                 {"wrap", add_wrap},
                 {"net", add_patch_on_net}}) {
            Layers layers(1, iterations);
            add(layers);
            EXPECT_EQ(layers.run(150), 0) << name << ", " << iterations << " iterations";
            EXPECT_LT(layers.stretch(), 0.05) << name << ", " << iterations << " iterations";
        }
}

// Two cloths that fly at each other at 6 m/s, a fifth of their width in a step.
TEST(BodyContact, ClothsThatCollideDoNotCross) {
    Layers layers;
    ASSERT_EQ(layers.world.set_gravity({}), TWANG_OK);
    layers.add(17, 17, {-0.24, 0.0, -0.24}, level_down);
    layers.add(17, 17, {-0.235, 0.25, -0.23}, level_down);
    const std::size_t numbers = 3 * layers.bodies[0].vertex_count();
    for (int k = 0; k < 2; ++k) {
        std::vector<double> velocities(numbers, 0.0);
        for (std::size_t i = 1; i < numbers; i += 3) velocities[i] = k ? -3.0 : 3.0;
        ASSERT_EQ(layers.bodies[k].set_velocities(velocities), TWANG_OK);
    }
    EXPECT_EQ(layers.run(30), 0);
    EXPECT_GT(layers.bodies[1].measure().centre.y, layers.bodies[0].measure().centre.y);
}

TEST(BodyContact, TwoLayersOnABallComeToRest) {
    Layers layers;
    add_stack(layers, 2);
    for (int frame = 0; frame < 360; ++frame) ASSERT_EQ(layers.world.step(), TWANG_OK);
    for (const Body& body : layers.bodies) EXPECT_LT(body.measure().mean_speed, 0.004);
}

// ---- Solvers, integrators
// --------------------------------------------------------------------------

TEST(BodyContact, EverySolverKeepsBodiesApart) {
    for (const twang_solver solver :
         {TWANG_SOLVER_LOCAL_GLOBAL, TWANG_SOLVER_NEWTON, TWANG_SOLVER_NEWTON_CG,
          TWANG_SOLVER_LINEAR, TWANG_SOLVER_SYMPLECTIC}) {
        World world{WorldDef{
            .workers = 1, .damping = 1.0, .substeps = solver == TWANG_SOLVER_SYMPLECTIC ? 60 : 1}};
        ASSERT_TRUE(world.add({.shape = TWANG_SHAPE_PLANE, .centre = {0.0, -0.01, 0.0}}));
        ClothDef def = level(8, {});
        def.stiffness = def.shear = def.bend = 100.0;
        const SolverDef own{.solver = solver};
        const Body lower =
            world.add(Model::cloth(def), {.solver = &own, .vertex_radius = 0.5 * edge});
        def.origin = {0.3 * edge, 0.06, 0.4 * edge};
        const Body upper =
            world.add(Model::cloth(def), {.solver = &own, .vertex_radius = 0.5 * edge});
        for (int frame = 0; frame < 60; ++frame) ASSERT_EQ(world.step(), TWANG_OK) << solver;
        EXPECT_GT(upper.measure().centre.y - lower.measure().centre.y, 0.5 * edge) << solver;
        EXPECT_LT(upper.measure().mean_speed, 0.05) << solver;
    }
}

// One of them by local-global, the other by linear: they are put apart at the end of the step.
TEST(BodyContact, BodiesOfDifferentSolversTouch) {
    for (const twang_solver solver : {TWANG_SOLVER_NEWTON_CG, TWANG_SOLVER_LINEAR}) {
        World world{WorldDef{.gravity = {}, .workers = 1}};
        const SolverDef other{.solver = solver};
        const Body a = world.add(Model::cloth(level(6, {})), {.vertex_radius = 0.5 * edge});
        Body b = world.add(Model::cloth(level(4, {0.02, 0.05, 0.02})),
                           {.solver = &other, .vertex_radius = 0.5 * edge});
        std::vector<double> velocities(3 * 16, 0.0);
        for (std::size_t i = 1; i < velocities.size(); i += 3) velocities[i] = -1.0;
        ASSERT_EQ(b.set_velocities(velocities), TWANG_OK);
        const double before = b.measure().momentum.y;
        for (int frame = 0; frame < 30; ++frame) ASSERT_EQ(world.step(), TWANG_OK);
        EXPECT_LT(a.measure().momentum.y, 0.2 * before) << solver;
        EXPECT_NEAR(a.measure().momentum.y + b.measure().momentum.y, before,
                    0.02 * std::abs(before))
            << solver;
    }
}

// Of a patch that falls on a net, for cloth that buckles is chaotic: a micrometre at the start
// becomes a centimetre.
TEST(BodyContact, LocalGlobalMovesAsTheConvergedStepDoes) {
    const auto run = [](const SolverDef& solver, int frames) {
        World world{WorldDef{.workers = 1, .solver = solver, .damping = 0.3}};
        const Body net = add_held(world, 16, 0.5 * edge);
        const Body patch = world.add(Model::cloth(level(8, {4.3 * edge, 0.05, 3.8 * edge})),
                                     {.vertex_radius = 0.5 * edge});
        for (int frame = 0; frame < frames; ++frame) EXPECT_EQ(world.step(), TWANG_OK);
        std::vector<Vec3> x = positions_of(net);
        for (const Vec3& p : positions_of(patch)) x.push_back(p);
        return x;
    };
    const SolverDef newton{.solver = TWANG_SOLVER_NEWTON_CG, .iterations = 200, .tolerance = 1e-5};
    for (const int frames : {8, 30}) {
        const std::vector<Vec3> converged = run(newton, frames);
        EXPECT_LT(rms_distance(run({}, frames), converged), 0.004) << frames;
        EXPECT_LT(rms_distance(run({.iterations = 200}, frames), converged), 0.003) << frames;
    }
    EXPECT_LT(rms_distance(run({.iterations = 100}, 40), run(newton, 40)), 3e-4);
}

// A body that touches nothing moves as one without balls, by BDF2.
TEST(BodyContact, BallsDoNotChangeAFreeMotion) {
    const auto run = [](double radius) {
        World world{WorldDef{.workers = 1}};
        const std::uint32_t pin = 0;
        const Body body = world.add(Model::cloth(level(9, {})),
                                    {.pins = &pin, .pin_count = 1, .vertex_radius = radius});
        for (int frame = 0; frame < 20; ++frame) EXPECT_EQ(world.step(), TWANG_OK);
        return body.measure().state_hash;
    };
    EXPECT_EQ(run(0.4 * edge), run(0.0));
}

// ---- Bits
// ----------------------------------------------------------------------------------------

// Nothing of a collision outlives a reset, whatever happened to the bodies in between: they move as
// those of a new world.
TEST(BodyContact, AResetForgetsThePush) {
    const auto hash_after = [](int steps, World& world) {
        for (int i = 0; i < steps; ++i) EXPECT_EQ(world.step(), TWANG_OK);
        return world.hash();
    };
    for (const int in_between : {0, 1, 2, 3}) {
        SCOPED_TRACE(in_between);
        World world{WorldDef{.workers = 1}}, fresh{WorldDef{.workers = 1}};
        std::vector<Body> bodies;
        for (World* each : {&world, &fresh}) {
            bodies.push_back(add_held(*each, 12, 0.5 * edge));
            bodies.push_back(each->add(Model::cloth(level(8, {2 * edge, 0.99 * edge, 2 * edge})),
                                       {.vertex_radius = 0.5 * edge}));
        }
        hash_after(20, world);
        EXPECT_GT(bodies[1].report().contacts, 10);
        for (const int k : {0, 1}) { // without spheres there is no search for contacts
            if (in_between == 1) {
                EXPECT_EQ(bodies[k].set_vertex_spheres(0.0, 0.3), TWANG_OK);
            }
            if (in_between == 2) {
                EXPECT_EQ(bodies[k].sleep(), TWANG_OK);
            }
            if (in_between == 3 && k == 1) {
                EXPECT_EQ(bodies[k].reset(), TWANG_OK);
            }
        }
        if (in_between > 0) hash_after(2, world);
        for (const int k : {0, 1}) {
            ASSERT_EQ(bodies[k].reset(), TWANG_OK);
            if (in_between == 1) {
                EXPECT_EQ(bodies[k].set_vertex_spheres(0.5 * edge, 0.3), TWANG_OK);
            }
        }
        EXPECT_EQ(world.hash(), fresh.hash());
        for (int step = 0; step < 20; ++step)
            ASSERT_EQ(hash_after(1, world), hash_after(1, fresh)) << step;
    }
}

TEST(BodyContact, TheSameBitsForAnyWorkersAndAfterARestore) {
    const auto hash = [](const Layers& layers) {
        std::uint64_t value = 0;
        EXPECT_EQ(twang_world_get_hash(layers.world.get(), &value), TWANG_OK);
        return value;
    };
    const auto save = [](const Layers& layers) {
        std::vector<std::byte> bytes(layers.world.snapshot_size());
        EXPECT_EQ(layers.world.save(bytes), TWANG_OK);
        return bytes;
    };
    const auto make = [](Layers& layers) {
        add_stack(layers, 3);
        // Some that touch themselves alone.
        for (int k = 0; k < 3; ++k) layers.add(12, 24, {3.0 + k, 0.0, 0.0}, {0.0, -1.0, 0.02});
        EXPECT_TRUE(layers.world.add({.shape = TWANG_SHAPE_PLANE, .centre = {0.0, -0.8, 0.0}}));
    };
    std::vector<std::uint64_t> expected;
    std::vector<std::byte> saved;
    for (const int workers : {1, 2, 3, 8}) {
        Layers layers(workers);
        make(layers);
        for (int frame = 0; frame < 80; ++frame) {
            ASSERT_EQ(layers.world.step(), TWANG_OK);
            if (frame == 50 && workers == 1) saved = save(layers);
            if (workers == 1)
                expected.push_back(hash(layers));
            else
                ASSERT_EQ(hash(layers), expected[frame]) << workers << ", frame " << frame;
        }
        EXPECT_GT(layers.bodies[1].report().contacts, 50);
        EXPECT_GT(layers.bodies[4].report().contacts, 5);
    }
    for (const int workers : {1, 2}) {
        Layers layers(workers);
        make(layers);
        ASSERT_EQ(layers.world.step(), TWANG_OK);
        ASSERT_EQ(layers.world.restore(saved), TWANG_OK);
        EXPECT_EQ(hash(layers), expected[50]);
        EXPECT_EQ(save(layers), saved);
        for (int frame = 51; frame < 80; ++frame) {
            ASSERT_EQ(layers.world.step(), TWANG_OK);
            ASSERT_EQ(hash(layers), expected[frame]) << workers << ", frame " << frame;
        }
    }
}

} // namespace
} // namespace twang::test
