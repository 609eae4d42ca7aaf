// Local-global run to convergence and Newton by conjugate gradients against Newton, on every
// shipped scene: the same trajectory to 1e-5 and 1e-7 of the scene's size.
#include <filesystem>
#include <set>

#include <twang/io.hpp>

#include "scenes.hpp"

namespace twang::test {
namespace {

struct Plan {
    const char* scene;
    int frames;
    // Cloth that is pressed has many minima within 1/60 s, one for each way to buckle, and methods
    // may find different ones. A fraction of the step leaves one. Local-global needs thousands of
    // iterations all the same.
    int substeps;
};

class Convergence : public testing::TestWithParam<Plan> {};

io::Stage stage_of(const io::Scene& scene, const SolverDef& solver) {
    io::Scene copy = scene;
    copy.world.workers = 1;
    copy.world.solver = solver;
    auto stage = io::instantiate(copy);
    EXPECT_TRUE(stage);
    return std::move(*stage);
}

std::vector<Vec3> positions_of(const io::Stage& stage) {
    std::vector<Vec3> x(stage.body.vertex_count());
    EXPECT_EQ(stage.body.copy_positions({&x.data()->x, 3 * x.size()}), TWANG_OK);
    return x;
}

TEST_P(Convergence, SolversAgree) {
    const Plan plan = GetParam();
    auto scene = io::read_scene(std::string(TWANG_ASSETS_DIR "/scenes/") + plan.scene + ".json");
    ASSERT_TRUE(scene) << scene.error().text();
    scene->world.time_step /= plan.substeps;
    io::Stage newton = stage_of(*scene, {TWANG_SOLVER_NEWTON, 100, 1e-7});
    io::Stage newton_cg = stage_of(*scene, {TWANG_SOLVER_NEWTON_CG, 100, 1e-7});
    const bool supported = scene->energy == TWANG_HOOKE;
    io::Stage local_global =
        supported ? stage_of(*scene, {TWANG_SOLVER_LOCAL_GLOBAL, 20'000, 4e-7}) : io::Stage();
    const double size = newton.model.info().size;
    const std::vector<Vec3> start = positions_of(newton);
    double worst_cg = 0.0, worst_local = 0.0;
    for (int frame = 0; frame < plan.frames; ++frame) {
        for (io::Stage* stage : {&newton, &newton_cg, &local_global}) {
            if (!supported && stage == &local_global) continue;
            ASSERT_EQ(stage->step(), TWANG_OK) << last_error();
            ASSERT_EQ(stage->body.report().converged, 1);
        }
        const std::vector<Vec3> x = positions_of(newton);
        worst_cg = std::max(worst_cg, distance(positions_of(newton_cg), x) / size);
        if (supported)
            worst_local = std::max(worst_local, distance(positions_of(local_global), x) / size);
    }
    RecordProperty("newton_cg", std::to_string(worst_cg * 1e7) + "e-7");
    RecordProperty("local_global", std::to_string(worst_local * 1e5) + "e-5");
    EXPECT_LE(worst_cg, 1e-7);
    EXPECT_LE(worst_local, 1e-5);
    EXPECT_GT(distance(positions_of(newton), start), 1e-5 * size); // it moved
}

const std::vector<Plan> plans{{"net", 10, 1},    {"rope", 10, 1},   {"truss", 10, 1},
                              {"block", 10, 1},  {"cloth", 2, 4},   {"flag", 2, 8},
                              {"curtain", 1, 8}, {"square", 20, 1}, {"balloon", 5, 1}};

INSTANTIATE_TEST_SUITE_P(Scenes, Convergence, testing::ValuesIn(plans),
                         [](const auto& info) { return std::string(info.param.scene); });

TEST(ConvergencePlans, NameEveryShippedScene) {
    std::set<std::string> shipped, planned;
    for (const auto& entry : std::filesystem::directory_iterator(TWANG_ASSETS_DIR "/scenes")) {
        if (entry.path().extension() != ".json") continue;
        shipped.insert(entry.path().stem());
        // Friction leaves more than one answer: contact_projection_test compares where things come
        // to rest.
        const auto scene = io::read_scene(entry.path().string());
        ASSERT_TRUE(scene) << scene.error().text();
        // What tears does so where a solver stopped, and copies are what their first body is alone.
        if (!scene->colliders.empty() || scene->tear_strain > 0.0 || scene->copies.total() > 1.0) {
            planned.insert(entry.path().stem());
        }
    }
    for (const Plan& plan : plans) planned.insert(plan.scene);
    EXPECT_EQ(planned, shipped);
}

} // namespace
} // namespace twang::test
