// With portable arithmetic the shipped scenes come out as they are written down here, bit by bit.
// A run of this test proves it for its build, machine and numbers of workers; as the table is the
// same for all of them, runs with g++ and with clang, at any optimisation level, with and without
// AVX2 prove that none of these matters.
// The libraries that order and factor Q each have their own values. After a change that is meant to
// change results, paste the table that the failing test prints.
#include <cinttypes>
#include <cstring>

#include "io_support.hpp"

namespace twang::io::test {
namespace {

struct Golden {
    std::string scene;
    int steps; // fewer where a step is dear
    std::uint64_t accelerated;
    std::uint64_t plain;
};

#ifdef TWANG_WITH_CHOLMOD
const std::vector<Golden> golden = {
    {"balloon", 20, 0x3F59D931C1488E09, 0x2004600FFA8324BA},
    {"block", 60, 0xC9A80A9DF6174105, 0x9BCAE1016905E1F7},
    {"bunny", 2, 0xAD9681E17149C788, 0x6D6E4778FB5C01B5},
    {"cape", 15, 0x6C928EB2D7B1BA4C, 0xE9F98409ABD87D4B},
    {"cloth", 20, 0xC997C881726F83AB, 0xBBBFF99AF186B769},
    {"crowd", 2, 0xB67FD017961C4CC1, 0x108B687C63FE553C},
    {"curtain", 5, 0x9DA938C5A689F83D, 0x2E26CD2CEC87242D},
    {"drape", 18, 0xA8E6F37BD7F5171D, 0x293B150927977397},
    {"flag", 20, 0x6E37BD7B38083515, 0x6A9933A7B0C534EF},
    {"jelly", 4, 0x266A6F2A53086A67, 0x0FD26E28C17C4EBE},
    {"net", 60, 0x7BDF9947B7CFA286, 0x276E4436AAFEBA9C},
    {"rope", 60, 0x3126A73279F376F4, 0xBFA220730ECE6836},
    {"square", 60, 0x1DF4297F8F35121C, 0x9018A12095885ECE},
    {"tear", 10, 0x1731AB44D8308747, 0x844CB06C93FC8E1B},
    {"truss", 60, 0xAE41B9B29712F74C, 0x2C40FC8531DA0875},
};
#else
const std::vector<Golden> golden = {
    {"balloon", 20, 0x17F496259D319044, 0x6115F697403BBA2F},
    {"block", 60, 0xAB0E138B3FA29AC1, 0x2E5C47BE0F3C69AC},
    {"bunny", 2, 0xD3BCB244B9E8A7D9, 0x1BD391A1E1A96B30},
    {"cape", 15, 0x2597DB17DF806BD1, 0x67046C2AEBC55866},
    {"cloth", 20, 0xABD8FB27FA9FD233, 0xC123257F7ED17C0B},
    {"crowd", 2, 0xDC902C7E2E56EC8C, 0xC7AF9DE5B04AE143},
    {"curtain", 5, 0x618353F41A6A639C, 0xBFF4C879554F8F9C},
    {"drape", 18, 0x192313370F95BA95, 0xAC2180E5981820CC},
    {"flag", 20, 0xC3EAC2587355B487, 0x262F1650381410AB},
    {"jelly", 4, 0x15E79EA63828FE14, 0xE06AB5355DC98CA0},
    {"net", 60, 0x9209EF342FE6E279, 0xB76239656DA756EF},
    {"rope", 60, 0x3126A73279F376F4, 0xBFA220730ECE6836},
    {"square", 60, 0x12205833DB2B219B, 0x8B539C6B384FB22A},
    {"tear", 10, 0x04ED5A911A6FFB1B, 0xCA6B6D6DE498A599},
    {"truss", 60, 0xAE41B9B29712F74C, 0x2C40FC8531DA0875},
};
#endif

std::vector<std::string> shipped_scenes() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(TWANG_ASSETS_DIR "/scenes")) {
        if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

// The row to hold the scene against; a new scene gets one that does not fit.
Golden expected_of(const std::string& scene) {
    const auto row = std::find_if(golden.begin(), golden.end(),
                                  [&](const Golden& each) { return each.scene == scene; });
    return row == golden.end() ? Golden{scene, 60, 0, 0} : *row;
}

// FNV-1a.
std::uint64_t hash_of(const std::vector<double>& values) {
    std::uint64_t hash = 0xCBF29CE484222325u;
    std::vector<unsigned char> bytes(values.size() * sizeof(double));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001B3u;
    return hash;
}

// Of positions and velocities after the steps.
std::uint64_t simulate(Scene scene, twang_acceleration acceleration, int workers, int steps) {
    scene.energy = TWANG_HOOKE; // all that local-global knows
    scene.world.solver = default_solver(TWANG_SOLVER_LOCAL_GLOBAL);
    scene.world.solver.acceleration = acceleration;
    scene.world.arithmetic = TWANG_ARITHMETIC_PORTABLE;
    scene.world.workers = workers;
    Stage stage = run(scene);
    for (int step = 0; step < steps; ++step) EXPECT_EQ(stage.step(), TWANG_OK) << last_error();
    const std::size_t size = 3 * stage.body.vertex_count();
    std::vector<double> state(2 * size);
    EXPECT_EQ(stage.body.copy_positions({state.data(), size}), TWANG_OK);
    EXPECT_EQ(stage.body.copy_velocities({state.data() + size, size}), TWANG_OK);
    return hash_of(state);
}

std::string row_text(const Golden& row) {
    char text[128];
    std::snprintf(text, sizeof text, "    {\"%s\", %d, 0x%016" PRIX64 ", 0x%016" PRIX64 "},\n",
                  row.scene.c_str(), row.steps, row.accelerated, row.plain);
    return text;
}

TEST(Golden, ShippedScenesGiveTheseBits) {
    std::string table;
    EXPECT_EQ(golden.size(), shipped_scenes().size());
    for (const std::string& name : shipped_scenes()) {
        const Result<Scene> scene = read_scene(TWANG_ASSETS_DIR "/scenes/" + name + ".json");
        ASSERT_TRUE(scene) << scene.error().text();
        const Golden expected = expected_of(name);
        const auto hash = [&](twang_acceleration acceleration) {
            const std::uint64_t alone = simulate(*scene, acceleration, 1, expected.steps);
            EXPECT_EQ(simulate(*scene, acceleration, 3, expected.steps), alone)
                << name << " with 3 workers, acceleration " << twang::io::name(acceleration);
            return alone;
        };
        const Golden found = {name, expected.steps, hash(SolverDef().acceleration),
                              hash(TWANG_ACCELERATION_NONE)};
        EXPECT_EQ(row_text(found), row_text(expected));
        table += row_text(found);
    }
    if (HasFailure()) ADD_FAILURE() << "the table as it came out here:\n" << table;
}

} // namespace
} // namespace twang::io::test
