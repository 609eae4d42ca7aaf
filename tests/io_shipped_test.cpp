// The shipped scenes read without warnings, run, and are what they claim to be.
#include <iterator>
#include <set>

#include "io_support.hpp"

namespace twang::io::test {
namespace {

const std::set<std::string> shipped = {"cloth", "flag",  "net",     "rope",    "square",
                                       "truss", "block", "curtain", "balloon", "bunny",
                                       "cape",  "crowd", "drape",   "jelly",   "tear"};

TEST(ShippedScenes, AreThese) {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(TWANG_ASSETS_DIR "/scenes")) {
        if (entry.path().extension() == ".json") found.insert(entry.path().stem().string());
    }
    for (const std::string& name : shipped) EXPECT_TRUE(found.count(name)) << name;
}

TEST(ShippedScenes, ReadWithoutWarningsAndRun) {
    for (const auto& entry : std::filesystem::directory_iterator(TWANG_ASSETS_DIR "/scenes")) {
        if (entry.path().extension() != ".json") continue;
        SCOPED_TRACE(entry.path().string());
        const Result<Scene> scene = read_scene(entry.path().string());
        ASSERT_TRUE(scene) << scene.error().text();
        EXPECT_TRUE(scene->warnings.empty()) << scene->warnings[0];
        EXPECT_EQ(scene->name, entry.path().stem().string());
        EXPECT_FALSE(scene->title.empty());
        EXPECT_TRUE(scene->camera.has_value());
        Result<Stage> stage = instantiate(*scene);
        ASSERT_TRUE(stage) << stage.error().text();
        const ModelInfo info = stage->model.info();
        EXPECT_EQ(info.notes.self_edges + info.notes.duplicate_edges, 0u);
        EXPECT_EQ(info.notes.degenerate_faces + info.notes.isolated_vertices, 0u);
        for (int step = 0; step < 3; ++step) ASSERT_EQ(stage->step(), TWANG_OK) << last_error();
        const Measures measures = stage->body.measure();
        EXPECT_TRUE(std::isfinite(measures.elastic_energy));
        EXPECT_GT(measures.elastic_energy, 0.0);
        EXPECT_LT(measures.max_stretch, 0.5);
        for (const float p : stage->body.positions()) ASSERT_TRUE(std::isfinite(p));
    }
}

TEST(ShippedScenes, SquareIsTheOneOfTheBooks) {
    const Result<Scene> scene = read_scene(TWANG_ASSETS_DIR "/scenes/square.json");
    ASSERT_TRUE(scene);
    EXPECT_EQ(scene->mesh.vertex_count(), 25u);
    EXPECT_EQ(scene->energy, TWANG_STVK);
    EXPECT_EQ(scene->world.time_step, 0.004);
    EXPECT_TRUE(same(scene->world.gravity, {}));
    EXPECT_EQ(scene->world.solver.solver, TWANG_SOLVER_NEWTON);
    EXPECT_TRUE(scene->pins.empty());
    for (std::size_t i = 0; i < scene->positions.size(); ++i) {
        EXPECT_EQ(scene->positions[i], scene->mesh.positions[i] * (i % 3 == 0 ? 1.4 : 1.0));
    }
    const Stage stage = run(*scene);
    const std::vector<SpringDef> springs = springs_of(stage.model);
    EXPECT_EQ(springs.size(), 72u); // 2 * 5 * 4 sides, 2 * 16 diagonals
    for (const SpringDef& spring : springs) {
        EXPECT_EQ(spring.stiffness, 1e5);
        EXPECT_NEAR(spring.rest_length, spring.kind == TWANG_SHEAR ? 0.25 * std::sqrt(2.0) : 0.25,
                    1e-15);
    }
    EXPECT_NEAR(stage.model.info().mass, 1000.0, 1e-9);
}

TEST(ShippedScenes, CurtainHas6561Vertices) {
    const Result<Scene> scene = read_scene(TWANG_ASSETS_DIR "/scenes/curtain.json");
    ASSERT_TRUE(scene);
    EXPECT_EQ(scene->mesh.vertex_count(), 6561u);
    for (const std::uint32_t pin : scene->pins) EXPECT_LT(pin, 81u);
}

TEST(ShippedScenes, BunnyIsWholeAndStands) {
    const Result<Scene> scene = read_scene(TWANG_ASSETS_DIR "/scenes/bunny.json");
    ASSERT_TRUE(scene);
    EXPECT_EQ(scene->mesh.vertex_count(), 3360u);
    EXPECT_EQ(scene->mesh.tetrahedra.size(), 4u * 13851);
    Stage stage = run(*scene);
    EXPECT_EQ(stage.model.info().springs, 19047u);
    for (int step = 0; step < 120; ++step) ASSERT_EQ(stage.step(), TWANG_OK) << last_error();
    float top = 0.0f;
    for (std::size_t i = 1; i < stage.body.positions().size(); i += 3) {
        top = std::max(top, stage.body.positions()[i]);
    }
    EXPECT_GT(top, 0.85f); // of 1; it does not fold under its own weight
    EXPECT_LT(top, 1.1f);
}

TEST(ShippedScenes, TrussRestsInItsPlane) {
    const Result<Scene> scene = read_scene(TWANG_ASSETS_DIR "/scenes/truss.json");
    ASSERT_TRUE(scene);
    EXPECT_EQ(scene->world.solver.solver, TWANG_SOLVER_STATIC);
    Stage stage = run(*scene);
    ASSERT_EQ(stage.step(), TWANG_OK);
    const auto before = stage.body.positions();
    const std::vector<float> first(before.begin(), before.end());
    for (std::size_t i = 2; i < first.size(); i += 3) EXPECT_EQ(first[i], 0.0f);
    ASSERT_EQ(stage.step(), TWANG_OK); // where it is in equilibrium it stays
    for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_NEAR(stage.body.positions()[i], first[i], 1e-6);
    }
}

TEST(ShippedScenes, CrowdIsTwentyFiveFlagsThatShareAFactor) {
    const Result<Scene> scene = read_scene(TWANG_ASSETS_DIR "/scenes/crowd.json");
    ASSERT_TRUE(scene);
    EXPECT_EQ(scene->mesh.vertex_count(), 1025u);
    Stage stage = run(*scene);
    ASSERT_EQ(stage.bodies.size(), 25u);
    EXPECT_EQ(stage.body.precomputation().shared_by, 25);
    for (int step = 0; step < 20; ++step) ASSERT_EQ(stage.step(), TWANG_OK) << last_error();
    std::set<std::uint64_t> states; // gusts blow differently on each
    for (const Body& body : stage.bodies) states.insert(body.measure().state_hash);
    EXPECT_EQ(states.size(), 25u);
    EXPECT_LT(stage.measure().max_stretch, 0.5);
}

TEST(ShippedScenes, TearTears) {
    const Result<Scene> scene = read_scene(TWANG_ASSETS_DIR "/scenes/tear.json");
    ASSERT_TRUE(scene);
    Stage stage = run(*scene);
    std::size_t after_a_second = 0, after_three_seconds = 0;
    for (int step = 0; step < scene->frames; ++step) {
        ASSERT_EQ(stage.step(), TWANG_OK) << last_error();
        if (step == 59) after_a_second = stage.body.broken_springs();
        if (step == 179) after_three_seconds = stage.body.broken_springs();
    }
    EXPECT_GT(after_a_second, 100u);
    EXPECT_GT(after_three_seconds, after_a_second + 50);
    for (const float p : stage.body.positions()) {
        ASSERT_TRUE(std::isfinite(p));
        ASSERT_LT(std::abs(p), 3.0f);
    }
}

TEST(ShippedScenes, TheExampleInTheirReadmeRuns) {
    std::ifstream file(TWANG_ASSETS_DIR "/scenes/README.md");
    const std::string page((std::istreambuf_iterator<char>(file)), {});
    const std::size_t open = page.find("```json\n"), close = page.find("```\n", open + 1);
    ASSERT_NE(close, std::string::npos);
    const Scene scene = read_good_scene(page.substr(open + 8, close - open - 8));
    EXPECT_TRUE(scene.warnings.empty()) << scene.warnings[0];
    EXPECT_EQ(scene.colliders.size(), 1u);
    EXPECT_EQ(run(scene).step(), TWANG_OK);
}

} // namespace
} // namespace twang::io::test
