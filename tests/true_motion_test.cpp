// Motion against the exact one: that of the springs themselves, by symplectic Euler in steps so
// small that halving them changes next to nothing. Everything else here agrees with ourselves.
#include "contact_scenes.hpp"
#include "scenes.hpp"

namespace twang::test {
namespace {

constexpr std::uint32_t side = 24;
constexpr int halves[] = {30, 60}; // frames: half a second, a second

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
    for (int frame = 1; frame <= halves[1]; ++frame) {
        EXPECT_EQ(world.step(), TWANG_OK) << last_error();
        if (frame == halves[0] || frame == halves[1]) found.push_back(positions_of(cloth));
    }
    return found;
}

TEST(TrueMotion, TheDefaultFallsAsTheSpringsDo) {
    const SolverDef small_steps = default_solver(TWANG_SOLVER_SYMPLECTIC);
    const auto exact = fall(small_steps, 180), finer = fall(small_steps, 360);
    EXPECT_LT(rms_distance(exact[0], finer[0]), 0.001);
    EXPECT_LT(rms_distance(exact[1], finer[1]), 0.01);

    const auto own = fall(SolverDef{}, 1);
    EXPECT_LT(rms_distance(own[0], exact[0]), 0.05);
    EXPECT_LT(rms_distance(own[1], exact[1]), 0.05);
    SolverDef euler;
    euler.integrator = TWANG_IMPLICIT_EULER;
    EXPECT_GT(rms_distance(fall(euler, 1)[1], exact[1]), 0.15); // so it can tell
}

} // namespace
} // namespace twang::test
