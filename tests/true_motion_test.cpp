// Motion against the exact one: that of the springs themselves, by symplectic Euler in steps so
// small that halving them changes next to nothing. Everything else here agrees with ourselves.
#include "contact_scenes.hpp"
#include "io_support.hpp"
#include "scenes.hpp"

namespace twang::test {
namespace {

constexpr std::uint32_t side = 32;
constexpr int compared_frames[] = {30, 60, 90};

// Positions of a cloth hung by two corners, flat at the start, at those frames.
std::vector<std::vector<Vec3>> fall(const SolverDef& solver, int substeps) {
    const double stiffness = 100.0 * (side - 1);
    const Model model = Model::cloth({.columns = side,
                                      .rows = side,
                                      .spacing = 1.0 / (side - 1),
                                      .mass = 1.0,
                                      .stiffness = stiffness,
                                      .shear = stiffness,
                                      .bend = stiffness,
                                      .down = {0.0, 0.0, 1.0}});
    WorldDef def{.workers = 1, .substeps = substeps};
    def.solver = solver;
    World world(def);
    const std::uint32_t pins[] = {0, side - 1};
    BodyDef held;
    held.pins = pins;
    held.pin_count = 2;
    const Body cloth = world.add(model, held);
    std::vector<std::vector<Vec3>> found;
    int frame = 0;
    for (const int compared : compared_frames) {
        for (; frame < compared; ++frame) EXPECT_EQ(world.step(), TWANG_OK) << last_error();
        found.push_back(positions_of(cloth));
    }
    return found;
}

TEST(TrueMotion, TheDefaultFallsAsTheSpringsDo) {
    const SolverDef small_steps = default_solver(TWANG_SOLVER_SYMPLECTIC);
    const auto exact = fall(small_steps, 240), finer = fall(small_steps, 480);
    EXPECT_LT(rms_distance(exact[0], finer[0]), 0.001);
    EXPECT_LT(rms_distance(exact[1], finer[1]), 0.01);
    EXPECT_LT(rms_distance(exact[2], finer[2]), 0.04);

    const auto own = fall(SolverDef{}, 1);
    EXPECT_LT(rms_distance(own[0], exact[0]), 0.05);
    EXPECT_LT(rms_distance(own[1], exact[1]), 0.05);
    EXPECT_LT(rms_distance(own[2], exact[2]), 0.08);
    SolverDef euler;
    euler.integrator = TWANG_IMPLICIT_EULER;
    EXPECT_GT(rms_distance(fall(euler, 1)[1], exact[1]), 0.15); // so it can tell
}

// The largest stretch of a shipped scene in a second, with one iteration a step.
double stretch_of_one_iteration(const std::string& name, twang_integrator integrator) {
    auto scene = io::read_scene(TWANG_ASSETS_DIR "/scenes/" + name + ".json");
    EXPECT_TRUE(scene);
    scene->world.solver = default_solver(TWANG_SOLVER_LOCAL_GLOBAL);
    scene->world.solver.integrator = integrator;
    scene->world.solver.iterations = 1;
    io::Stage stage = io::test::run(*scene);
    double stretch = 0.0;
    for (int frame = 0; frame < 60; ++frame) {
        EXPECT_EQ(stage.step(), TWANG_OK) << last_error();
        stretch = std::max(stretch, stage.body.measure().max_stretch);
    }
    return stretch;
}

TEST(TrueMotion, OneIterationInContactStretchesLittleMoreThanImplicitEuler) {
    for (const char* name : {"cape", "drape"})
        EXPECT_LT(stretch_of_one_iteration(name, TWANG_BDF2),
                  1.2 * stretch_of_one_iteration(name, TWANG_IMPLICIT_EULER))
            << name;
}

} // namespace
} // namespace twang::test
