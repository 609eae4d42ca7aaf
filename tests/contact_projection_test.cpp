// Contact while bodies move: coming to rest, friction on a slope, fast obstacles, layers of cloth,
// bodies on bodies; and the same bits for any number of workers.
#include "contact/contact_projection.hpp"

#include <limits>
#include <numbers>

#include "contact_scenes.hpp"

namespace twang::test {
namespace {

// ---- Rest ------------------------------------------------------------------------------------

class Drape : public testing::TestWithParam<twang_acceleration> {};

TEST_P(Drape, ComesToRestOnASphere) {
    constexpr double radius = 0.3;
    World world{WorldDef{.workers = 1, .damping = 2.0}};
    SolverDef solver;
    solver.acceleration = GetParam();
    ASSERT_EQ(world.set_solver(solver), TWANG_OK);
    const Body cloth = world.add(Model::cloth(level_cloth(33, 0.1)));
    ASSERT_TRUE(world.add({.centre = {0.0, -radius, 0.0}, .radius = radius, .friction = 0.5}));
    double fastest = 0.0;
    for (int frame = 1; frame <= 300; ++frame) {
        ASSERT_EQ(world.step(), TWANG_OK);
        double deepest = 0.0;
        for (const Vec3& x : positions_of(cloth))
            deepest = std::max(deepest, radius - length(x - Vec3{0.0, -radius, 0.0}));
        ASSERT_LE(deepest, 0.01 * radius) << frame;
        ASSERT_NEAR(cloth.report().max_penetration, deepest, 1e-12);
        fastest = std::max(fastest, cloth.measure().mean_speed);
    }
    const Measures end = cloth.measure();
    RecordProperty("mean_speed", std::to_string(end.mean_speed));
    EXPECT_GT(fastest, 0.5);          // it fell
    EXPECT_LT(end.mean_speed, 0.001); // and lies still
    EXPECT_LT(end.max_stretch, 0.03);
    EXPECT_GT(cloth.report().contacts, 50);
    // Half of the cloth hangs; it has not slid off.
    EXPECT_NEAR(end.centre.y, -0.18, 0.03);
    EXPECT_LT(std::hypot(end.centre.x, end.centre.z), 0.05);
}

// Finer, and with less time to converge in: contacts that come and go would keep it stirring. BDF2
// leaves it to the damping to calm what swings, at half its rate: exp(-4 * 5 / 2) of 1 m/s.
TEST(Contacts, AFineClothComesToRestOnASphere) {
    for (const auto& [integrator, damping] :
         {std::pair{TWANG_IMPLICIT_EULER, 1.0}, {TWANG_IMPLICIT_EULER, 2.0}, {TWANG_BDF2, 4.0}}) {
        WorldDef def{.workers = 1, .damping = damping};
        def.solver.integrator = integrator;
        World world{def};
        const Body cloth = world.add(Model::cloth(level_cloth(65, 0.1)));
        ASSERT_TRUE(world.add({.centre = {0.0, -0.3, 0.0}, .radius = 0.3, .friction = 0.5}));
        double last_second = 0.0; // m/s, the mean
        for (int frame = 1; frame <= 330; ++frame) {
            ASSERT_EQ(world.step(), TWANG_OK);
            ASSERT_LE(cloth.report().max_penetration, 0.003) << frame;
            if (frame > 270) last_second += cloth.measure().mean_speed / 60.0;
        }
        RecordProperty("mean_speed", std::to_string(last_second));
        EXPECT_LT(last_second, damping < 2.0 ? 0.0025 : 0.0015) << damping;
    }
}

INSTANTIATE_TEST_SUITE_P(Contacts, Drape,
                         testing::Values(TWANG_ACCELERATION_CHEBYSHEV,
                                         TWANG_ACCELERATION_TWO_LEVEL));

// Newton's answer, converged, is where the few iterations of local-global lead as well.
TEST(Contacts, SolversAgreeOnWhereAClothComesToRest) {
    const auto rest = [](twang_solver solver) {
        WorldDef def{.workers = 1, .damping = 4.0};
        def.solver = default_solver(solver);
        if (solver == TWANG_SOLVER_LOCAL_GLOBAL) def.solver.iterations = 10;
        World world{def};
        const Body cloth = world.add(Model::cloth(level_cloth(13, 0.01)));
        EXPECT_TRUE(world.add({.centre = {0.0, -0.3, 0.0}, .radius = 0.3, .friction = 0.5}));
        for (int frame = 0; frame < 240; ++frame) EXPECT_EQ(world.step(), TWANG_OK);
        return cloth.measure();
    };
    const Measures newton = rest(TWANG_SOLVER_NEWTON), cg = rest(TWANG_SOLVER_NEWTON_CG);
    const Measures local = rest(TWANG_SOLVER_LOCAL_GLOBAL);
    EXPECT_LT(newton.mean_speed, 0.001);
    EXPECT_LT(cg.mean_speed, 0.001);
    EXPECT_LT(local.mean_speed, 0.001);
    // Friction leaves room for more than one place.
    EXPECT_NEAR(newton.centre.y, cg.centre.y, 0.01);
    EXPECT_NEAR(newton.centre.y, local.centre.y, 0.01);
}

// ---- Motion ----------------------------------------------------------------------------------

// A cloth that lies with its edge over a bar and falls: it swings where friction holds it, else it
// slides off.
class OverABar {
public:
    OverABar(std::uint32_t side, double friction, const SolverDef& solver)
        : world_(with(solver)), cloth_(world_.add(Model::cloth(level_cloth(side, 0.0)))) {
        EXPECT_TRUE(world_.add({.shape = TWANG_SHAPE_CAPSULE,
                                .centre = {-1.0, -0.105, -0.35},
                                .end = {1.0, -0.105, -0.35},
                                .radius = 0.1,
                                .friction = friction}));
    }
    void fall(int frames) {
        for (int frame = 0; frame < frames; ++frame) {
            EXPECT_EQ(world_.step(), TWANG_OK);
            converged_ += cloth_.report().converged;
        }
    }
    int converged() const { return converged_; } // frames
    std::vector<Vec3> positions() const { return positions_of(cloth_); }

private:
    static WorldDef with(const SolverDef& solver) {
        WorldDef def{.workers = 1};
        def.solver = solver;
        return def;
    }

    World world_;
    Body cloth_;
    int converged_ = 0;
};

// The reference: sliding, held and in between, both of Newton's methods converge, to the same, and
// so does local-global with many iterations.
TEST(Contacts, SolversAgreeOnTheWayOverABar) {
    for (const auto& [friction, integrator, converged] : {std::tuple{0.0, TWANG_IMPLICIT_EULER, 14},
                                                          {0.2, TWANG_IMPLICIT_EULER, 14},
                                                          {1.0, TWANG_IMPLICIT_EULER, 14},
                                                          {0.0, TWANG_BDF2, 14},
                                                          {0.2, TWANG_BDF2, 14},
                                                          {1.0, TWANG_BDF2, 12}}) {
        const auto fall = [&, integrator = integrator](SolverDef solver, int iterations) {
            solver.iterations = iterations;
            solver.integrator = integrator;
            OverABar bar(17, friction, solver);
            bar.fall(15);
            return bar;
        };
        const OverABar newton = fall(default_solver(TWANG_SOLVER_NEWTON), 60);
        const OverABar cg = fall(default_solver(TWANG_SOLVER_NEWTON_CG), 60);
        const OverABar local = fall(SolverDef{}, 300);
        EXPECT_GE(newton.converged(), converged) << friction;
        EXPECT_GE(cg.converged(), 12) << friction;
        EXPECT_LT(rms_distance(newton.positions(), cg.positions()), 5e-4) << friction;
        EXPECT_LT(rms_distance(newton.positions(), local.positions()), friction < 1.0 ? 1e-3 : 6e-3)
            << friction;
    }
}

// Before the iterations have converged, springs press a cloth to what it touches many times as hard
// as it lies there: friction in that measure, or motion that only Q knows of, made it fall to a
// fifth of the way in the same time. After 15 frames it is still on its way down, after 30 it has
// slid off, or hangs.
TEST(Contacts, FewIterationsMoveAsTheConvergedStepDoes) {
    struct Fall {
        std::vector<Vec3> early, late;
        double lowest; // in the end
    };
    const auto fall = [](double friction, SolverDef solver, int iterations) {
        solver.iterations = iterations;
        OverABar bar(33, friction, solver);
        Fall result;
        bar.fall(15);
        result.early = bar.positions();
        bar.fall(15);
        result.late = bar.positions();
        result.lowest =
            std::min_element(result.late.begin(), result.late.end(), [](Vec3 a, Vec3 b) {
                return a.y < b.y;
            })->y;
        return result;
    };
    // BDF2 keeps the waves that run through the cloth, and a chaotic fold is farther off.
    struct Expected {
        twang_integrator integrator;
        double friction, lowest, early, late, low; // m; the last as a share
    };
    for (const auto& [integrator, friction, lowest, early, late, low] :
         {Expected{TWANG_IMPLICIT_EULER, 0.0, -1.27, 0.03, 0.12, 0.05},
          Expected{TWANG_IMPLICIT_EULER, 0.2, -1.27, 0.03, 0.12, 0.05},
          Expected{TWANG_IMPLICIT_EULER, 1.0, -0.71, 0.03, 0.06, 0.08},
          Expected{TWANG_BDF2, 0.0, -1.24, 0.04, 0.15, 0.05},
          Expected{TWANG_BDF2, 0.2, -1.24, 0.04, 0.15, 0.05},
          Expected{TWANG_BDF2, 2.0, -0.56, 0.05, 0.08, 0.3}}) {
        SCOPED_TRACE(friction);
        SCOPED_TRACE(static_cast<int>(integrator));
        const bool held = friction >= 1.0;
        SolverDef newton = default_solver(TWANG_SOLVER_NEWTON_CG), own;
        newton.integrator = own.integrator = integrator;
        newton.tolerance = 1e-3;
        const Fall converged = fall(friction, newton, 60);
        EXPECT_NEAR(converged.lowest, lowest, 0.02);
        // What the first iterations drag from its anchor comes back slowly.
        const Fall few = fall(friction, own, held ? 20 : 10);
        EXPECT_LT(rms_distance(few.early, converged.early), early);
        EXPECT_LT(rms_distance(few.late, converged.late), late);
        EXPECT_NEAR(few.lowest, converged.lowest, low * std::abs(lowest));
    }
}

// ---- Friction --------------------------------------------------------------------------------

// The way a cloth slides in a second down a slope of `share` of the angle that friction bears, and
// what it should be.
void slide(double mu, double share, double& way, double& expected) {
    const double angle = share * std::atan(mu), g = 9.8;
    World world{
        WorldDef{.gravity = {g * std::sin(angle), -g * std::cos(angle), 0.0}, .workers = 1}};
    const Body cloth = world.add(Model::cloth(level_cloth(17, 0.005)));
    EXPECT_TRUE(world.add({.shape = TWANG_SHAPE_PLANE, .thickness = 0.005, .friction = mu}));
    for (int frame = 0; frame < 60; ++frame) EXPECT_EQ(world.step(), TWANG_OK);
    way = cloth.measure().centre.x;
    // Implicit Euler: h^2 (1 + 2 + ... + 60) times the acceleration.
    expected = g * (std::sin(angle) - mu * std::cos(angle)) * 1830.0 / 3600.0;
}

TEST(Contacts, AClothOnASlopeStaysBelowTheAngleOfFrictionAndSlidesAbove) {
    for (const double mu : {0.1, 0.3, 1.0}) {
        double way, expected;
        slide(mu, 0.95, way, expected);
        EXPECT_LT(std::abs(way), 1e-6) << mu;
        slide(mu, 1.05, way, expected);
        EXPECT_NEAR(way, expected, 0.05 * expected) << mu;
        slide(mu, 1.4, way, expected);
        EXPECT_NEAR(way, expected, 0.05 * expected) << mu;
    }
}

// Static and kinetic friction: how far a cloth has slid on a slope after a second, how fast it is,
// and what Coulomb's law says it gains in speed. `push` is its speed at the start, `share` where
// the angle lies: 0 at the one that kinetic friction bears, 1 at that of static friction.
struct Slope {
    double moved = 0.0, speed = 0.0, gain = 0.0;
};
Slope slide_apart(twang_solver solver, double share, double push, int substeps = 1,
                  int frames = 60) {
    constexpr double mu_s = 0.6, mu_k = 0.3, g = 9.8;
    const double angle = std::atan(mu_k) + share * (std::atan(mu_s) - std::atan(mu_k));
    WorldDef def{.gravity = {g * std::sin(angle), -g * std::cos(angle), 0.0}, .workers = 1};
    def.solver = default_solver(solver);
    def.substeps = substeps;
    World world{def};
    const std::vector<Vec3> velocities(17 * 17, {push, 0.0, 0.0});
    const Body cloth =
        world.add(Model::cloth(level_cloth(17, 0.005)), {.velocities = &velocities.data()->x});
    EXPECT_TRUE(
        world.add({.shape = TWANG_SHAPE_PLANE, .friction = mu_s, .kinetic_friction = mu_k}));
    for (int frame = 0; frame < frames; ++frame) EXPECT_EQ(world.step(), TWANG_OK);
    const Measures end = cloth.measure();
    return {end.centre.x, end.momentum.x / 0.2,
            g * (std::sin(angle) - mu_k * std::cos(angle)) * frames / 60.0};
}

TEST(Contacts, StaticFrictionHoldsWhatRestsAndKineticBrakesWhatSlides) {
    for (const twang_solver solver : implicit_solvers) {
        SCOPED_TRACE(solver_name(solver));
        for (const double share : {0.1, 0.5, 0.9}) { // between the two angles
            EXPECT_LT(std::abs(slide_apart(solver, share, 0.0).moved), 1e-6) << share;
            for (const double push : {0.02, 0.5}) { // even slowly
                const Slope slope = slide_apart(solver, share, push);
                EXPECT_NEAR(slope.speed - push, slope.gain, 0.05 * slope.gain)
                    << share << " at " << push;
            }
        }
        for (const double share : {1.05, 1.5}) { // above both
            const Slope slope = slide_apart(solver, share, 0.0);
            EXPECT_NEAR(slope.speed, slope.gain, 0.05 * slope.gain) << share;
            const Slope start = slide_apart(solver, share, 0.0, 1, 1); // from the first step on
            EXPECT_NEAR(start.speed, start.gain, 0.05 * start.gain) << share;
        }
        const Slope slope = slide_apart(solver, -0.5, 0.5); // below both: comes to rest
        EXPECT_NEAR(slope.speed, 0.0, 1e-6);
        EXPECT_NEAR(slope.moved, 0.5 * 0.5 / (-2.0 * slope.gain), 0.01);
    }
    const Slope slope = slide_apart(TWANG_SOLVER_LOCAL_GLOBAL, 0.5, 0.02, 4);
    EXPECT_NEAR(slope.speed - 0.02, slope.gain, 0.05 * slope.gain);
    EXPECT_LT(std::abs(slide_apart(TWANG_SOLVER_LOCAL_GLOBAL, 0.5, 0.0, 4).moved), 1e-6);
}

// What lies on a belt rests on it however fast it goes: static friction takes it along, damped or
// not, up to mu_s g.
TEST(Contacts, ABeltTakesAlongWhatRestsOnIt) {
    const auto lag = [](double acceleration, double damping, int substeps) {
        World world{WorldDef{.workers = 1, .damping = damping, .substeps = substeps}};
        const Body cloth = world.add(Model::cloth(level_cloth(9, 0.005)));
        Collider belt =
            world.add({.shape = TWANG_SHAPE_PLANE, .friction = 0.6, .kinetic_friction = 0.1});
        double at = 0.0;
        for (int frame = 1; frame <= 60; ++frame) {
            at = 0.5 * acceleration * std::pow(frame / 60.0, 2);
            EXPECT_EQ(belt.move_to({at, 0.0, 0.0}), TWANG_OK);
            EXPECT_EQ(world.step(), TWANG_OK);
        }
        return at - cloth.measure().centre.x;
    };
    EXPECT_LT(std::abs(lag(4.0, 0.0, 1)), 1e-6); // mu_k g is 1, mu_s g 5.9
    EXPECT_LT(std::abs(lag(1.5, 1.0, 1)), 1e-6);
    // The first of three substeps makes up for the whole step: three times the acceleration.
    EXPECT_LT(std::abs(lag(1.0, 2.0, 3)), 1e-6);
    for (const int substeps : {1, 3}) // it slips, taken along by mu_k
        EXPECT_NEAR(lag(8.0, 0.0, substeps), 0.5 * (8.0 - 0.98), 0.2);
}

// ---- Fast obstacles --------------------------------------------------------------------------

// A ball flies into a cloth that nothing holds: whoever is in its way stays in front of it,
// wherever the ball is when a step begins.
void fly_into_cloth(double speed, int substeps, double phase) {
    constexpr double radius = 0.2;
    ClothDef def = level_cloth(33, 0.0);
    def.origin = {-0.5, -0.5, 0.0};
    def.down = {0.0, 1.0, 0.0};
    const std::vector<Vec3> rest = cloth_net(def).positions;
    World world{WorldDef{.gravity = {}, .workers = 1, .substeps = substeps}};
    const Body cloth = world.add(Model::cloth(def));
    const double start = -0.5 - phase * speed / 60.0;
    Collider ball = world.add({.centre = {0.0, 0.0, start}, .radius = radius});
    const int frames = static_cast<int>(60.0 * 1.5 / speed) + 3;
    for (int frame = 1; frame <= frames; ++frame) {
        const double z = start + speed * frame / 60.0;
        ASSERT_EQ(ball.move_to({0.0, 0.0, z}), TWANG_OK);
        ASSERT_EQ(world.step(), TWANG_OK);
        ASSERT_LE(cloth.report().max_penetration, 0.01 * radius);
        int hit = 0;
        const std::vector<Vec3> x = positions_of(cloth);
        for (std::size_t i = 0; i < x.size(); ++i)
            if (std::hypot(rest[i].x, rest[i].y) < 0.7 * radius) {
                ASSERT_GT(x[i].z, z) << speed << " m/s, frame " << frame << ", phase " << phase;
                ++hit;
            }
        ASSERT_GT(hit, 30);
    }
    EXPECT_GT(cloth.measure().momentum.z, 0.1 * 0.2 * speed); // carried along
}

TEST(Contacts, AFastBallDoesNotPassThrough) {
    for (const double speed : {5.0, 20.0, 30.0}) fly_into_cloth(speed, 1, 0.0);
    for (const double phase : {0.2, 0.4, 0.6, 0.8}) {
        fly_into_cloth(20.0, 1, phase);
        fly_into_cloth(60.0, 3, phase); // a metre a step
    }
}

// A plate of 2 cm and a small cloth meet at 20 m/s, a third of a metre a step. Whichever of the two
// flies, and where the plate swings like a door, the cloth stays in front of it.
TEST(Contacts, AFastPlateDoesNotPassThrough) {
    constexpr double speed = 20.0, arm = 1.5; // m from the hinge
    enum { cloth_flies, plate_flies, plate_swings };
    for (const auto what : {cloth_flies, plate_flies, plate_swings}) {
        ClothDef def = level_cloth(33, 0.1);
        def.spacing = 0.005;
        def.origin = {arm, 0.1, 0.0};
        World world{WorldDef{.gravity = {}, .workers = 1}};
        const double fall = what == cloth_flies ? -speed : 0.0;
        const std::vector<Vec3> velocities(33 * 33, {0.0, fall, 0.0});
        const Body cloth = world.add(Model::cloth(def), {.velocities = &velocities.data()->x});
        Collider plate = world.add({.shape = TWANG_SHAPE_BOX, .half_extents = {2.0, 0.01, 2.0}});
        for (int frame = 1; frame <= 3; ++frame) {
            const double way = speed * frame / 60.0;
            const double rise = what == plate_flies ? way : 0.0;
            const double angle = what == plate_swings ? way / arm : 0.0;
            ASSERT_EQ(plate.move({0.0, rise, 0.0},
                                 {0.0, 0.0, std::sin(0.5 * angle), std::cos(0.5 * angle)}),
                      TWANG_OK);
            ASSERT_EQ(world.step(), TWANG_OK);
            for (const Vec3& x : positions_of(cloth))
                ASSERT_GT(std::cos(angle) * (x.y - rise) - std::sin(angle) * x.x, 0.0099)
                    << what << ", frame " << frame;
        }
    }
}

// What pushes into a cloth that is held at its corners, and stops there: then nothing moves towards
// it any more, and only the springs would pull the cloth through.
TEST(Contacts, SpringsDoNotPullAClothThrough) {
    const ColliderDef ball{.radius = 0.1},
        plate{.shape = TWANG_SHAPE_BOX, .half_extents = {0.15, 0.15, 0.005}};
    for (const twang_solver solver : {TWANG_SOLVER_LOCAL_GLOBAL, TWANG_SOLVER_NEWTON_CG})
        for (const bool is_ball : {true, false})
            for (const double speed : {3.0, 5.0}) {
                SCOPED_TRACE(solver_name(solver));
                WorldDef settings{.gravity = {}, .workers = 1};
                settings.solver = default_solver(solver);
                settings.solver.iterations = 10;
                World world{settings};
                ClothDef def;
                def.columns = def.rows = 31;
                def.spacing = 0.03;
                def.mass = 0.3;
                def.shear = def.stiffness;
                Body cloth = world.add(Model::cloth(def));
                for (const std::uint32_t corner : {0, 30, 30 * 31, 31 * 31 - 1})
                    ASSERT_EQ(cloth.pin(corner), TWANG_OK);
                const std::vector<Vec3> rest = positions_of(cloth);
                double z = 0.3;
                ColliderDef moving = is_ball ? ball : plate;
                moving.centre = {0.45, -0.45, z};
                Collider collider = world.add(moving);
                for (int frame = 0; frame < 25; ++frame) {
                    z = std::max(z - speed / 60.0, -0.15);
                    ASSERT_EQ(collider.move_to({0.45, -0.45, z}), TWANG_OK);
                    ASSERT_EQ(world.step(), TWANG_OK);
                    const std::vector<Vec3> x = positions_of(cloth);
                    for (std::size_t i = 0; i < x.size(); ++i)
                        if (std::hypot(rest[i].x - 0.45, rest[i].y + 0.45) < 0.07) {
                            ASSERT_LT(x[i].z, z) << speed << " m/s, frame " << frame;
                        }
                }
                EXPECT_GT(cloth.report().contacts, 5); // it lies on it
            }
}

// What starts inside is put outside, and not shot away.
TEST(Contacts, LeavingTheInsideGivesNoSpeed) {
    World world{WorldDef{.gravity = {}, .workers = 1}};
    const Body cloth = world.add(Model::cloth(level_cloth(9, -0.05)));
    ASSERT_TRUE(world.add({.shape = TWANG_SHAPE_PLANE, .friction = 0.0}));
    ASSERT_EQ(world.step(), TWANG_OK);
    EXPECT_NEAR(cloth.measure().centre.y, 0.005, 1e-9);
    EXPECT_LT(cloth.measure().mean_speed, 1e-6); // 3.3 m/s without
}

// ---- Layers and bodies -----------------------------------------------------------------------

// The nearest two of all pairs that are farther apart at rest than `reach`.
double closest(const std::vector<Vec3>& x, const std::vector<Vec3>& rest, double reach) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (length(rest[i] - rest[j]) > reach) least = std::min(least, length(x[i] - x[j]));
    return least;
}

// A cloth folded in two, the upper half falling onto the lower.
TEST(Contacts, AFoldedClothKeepsItsLayersApart) {
    constexpr std::uint32_t side = 21;
    constexpr double spacing = 1.0 / (side - 1), radius = 0.5 * spacing, bow = 1.2 * spacing;
    ClothDef def = level_cloth(side, 0.005);
    def.bend = 1.0;
    const std::vector<Vec3> rest = cloth_net(def).positions;
    std::vector<Vec3> start = rest;
    for (Vec3& x : start) { // straight, half a circle, straight back
        const double half = std::numbers::pi / 2.0 * bow, s = x.z;
        const double angle = std::clamp(s / bow, -std::numbers::pi / 2.0, std::numbers::pi / 2.0);
        x.y += bow * (1.0 + std::sin(angle));
        x.z = bow * std::cos(angle) - (s < -half ? -(s + half) : s > half ? s - half : 0.0);
    }
    for (const bool balls : {false, true}) {
        World world{WorldDef{.workers = 1, .damping = 1.0}};
        BodyDef body;
        body.positions = &start.data()->x;
        body.vertex_radius = balls ? radius : 0.0;
        const Body cloth = world.add(Model::cloth(def), body);
        ASSERT_TRUE(world.add({.shape = TWANG_SHAPE_PLANE, .friction = 0.5}));
        double least = std::numeric_limits<double>::infinity();
        for (int frame = 0; frame < 180; ++frame) {
            ASSERT_EQ(world.step(), TWANG_OK);
            least = std::min(least, closest(positions_of(cloth), rest, 4.0 * spacing));
        }
        if (balls)
            EXPECT_GT(least, 0.8 * 2.0 * radius);
        else
            EXPECT_LT(least, 0.5 * 2.0 * radius); // that is what would happen: 0.1 to 0.3
        EXPECT_LT(cloth.measure().max_stretch, 0.1);
        RecordProperty("closest", std::to_string(least));
        RecordProperty("mean_speed", std::to_string(cloth.measure().mean_speed));
    }
}

// A small cloth falls onto a larger one that is held at its edges.
TEST(Contacts, BodiesLieOnBodies) {
    const auto lowest = [](double radius) {
        World world{WorldDef{.workers = 1, .damping = 1.0}};
        const ClothDef below = level_cloth(21, 0.0);
        std::vector<std::uint32_t> rim;
        for (std::uint32_t i = 0; i < 21 * 21; ++i)
            if (i % 21 == 0 || i % 21 == 20 || i / 21 == 0 || i / 21 == 20) rim.push_back(i);
        BodyDef held;
        held.pins = rim.data();
        held.pin_count = static_cast<std::uint32_t>(rim.size());
        held.vertex_radius = radius;
        const Body net = world.add(Model::cloth(below), held);
        ClothDef above = level_cloth(9, 0.1);
        above.spacing = 0.05;
        above.origin = {-0.2, 0.1, -0.2};
        BodyDef free;
        free.vertex_radius = radius;
        const Body patch = world.add(Model::cloth(above), free);
        for (int frame = 0; frame < 180; ++frame) EXPECT_EQ(world.step(), TWANG_OK);
        double low = 1.0;
        for (const Vec3& x : positions_of(patch)) low = std::min(low, x.y);
        EXPECT_LT(net.measure().max_stretch, 0.2);
        return low;
    };
    EXPECT_LT(lowest(0.0), -5.0);
    EXPECT_GT(lowest(0.03), -0.2);
}

TEST(Contacts, ParticlesAreChecked) {
    World world{WorldDef{.workers = 1}};
    const Model model = Model::cloth(level_cloth(5, 0.0));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(world.add(model, {.vertex_radius = nan}).status(), TWANG_NOT_FINITE);
    EXPECT_EQ(world.add(model, {.vertex_radius = -0.1}).status(), TWANG_OUT_OF_RANGE);
    EXPECT_EQ(world.add(model, {.vertex_friction = -0.1}).status(), TWANG_OUT_OF_RANGE);
    Body body = world.add(model);
    EXPECT_EQ(body.set_vertex_spheres(0.01), TWANG_OK);
    EXPECT_EQ(body.set_vertex_spheres(nan), TWANG_NOT_FINITE);
    EXPECT_EQ(body.set_vertex_spheres(0.01, -1.0), TWANG_OUT_OF_RANGE);
}

// ---- Bits ------------------------------------------------------------------------------------

TEST(Contacts, TheSameBitsForAnyNumberOfWorkers) {
    const auto run = [](int workers) {
        World world{WorldDef{.workers = workers}};
        ClothDef def = level_cloth(49, 0.01);
        BodyDef body;
        body.vertex_radius = 0.5 * def.spacing;
        const Body cloth = world.add(Model::cloth(def), body);
        def.origin.y = 0.03;
        const Body other = world.add(Model::cloth(def), body);
        Collider ball = world.add({.centre = {0.0, -0.4, 0.0}, .radius = 0.4});
        EXPECT_TRUE(world.add({.shape = TWANG_SHAPE_PLANE, .centre = {0.0, -0.01, 0.0}}));
        int contacts = 0; // how many push comes and goes
        for (int frame = 1; frame <= 20; ++frame) {
            EXPECT_EQ(ball.move_to({0.01 * frame, -0.4, 0.0}), TWANG_OK);
            EXPECT_EQ(world.step(), TWANG_OK);
            contacts = std::max(contacts, cloth.report().contacts);
        }
        EXPECT_GT(contacts, 300);
        return std::pair{cloth.measure().state_hash, other.measure().state_hash};
    };
    const auto alone = run(1);
    for (const int workers : {2, 3, 8}) EXPECT_EQ(run(workers), alone) << workers;
}

} // namespace
} // namespace twang::test
