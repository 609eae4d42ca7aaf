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
    {"balloon", 20, 0x2D7200627A69AA9B, 0x622B6FBE2FABD1F0},
    {"block", 60, 0xACC08F5D6AAFD8C0, 0xD6A9ADFC6646428C},
    {"bunny", 2, 0x47EB83E3420137D2, 0x529071BB8BC22BDE},
    {"cape", 15, 0x42D0E26B9DAA2B35, 0xF9007E39A1278B05},
    {"cloth", 20, 0x22809BA867E2E977, 0xD9E8822DC9CDBC56},
    {"crowd", 2, 0x1401FDA3297690B7, 0xA97059DC0E2FDE73},
    {"curtain", 5, 0xE6E1FD5E6B9DA7D7, 0x58FB1D9339731C1D},
    {"drape", 18, 0x5EF2A125CD5F3BA4, 0x1DE31D8165335023},
    {"flag", 20, 0xFB23EDAD03CA1649, 0xC2FD100181A20748},
    {"jelly", 4, 0x6F51E7FC1C63FA1A, 0x9A0A2FD6EB2D4137},
    {"net", 60, 0x80D6CDBDD70E23D4, 0x7C712A6AD4FA9BC7},
    {"rope", 60, 0xAB08F0D83BB0EB98, 0x8B9D0077D811147C},
    {"square", 60, 0x114CBF6BBDD5BA0E, 0x052321350EA42DC4},
    {"tear", 10, 0xE4DF03797B1546BE, 0x19B7C84CB2BC4C32},
    {"truss", 60, 0xCF87BFAAFF9D1E02, 0x1A2D2EE8F77001B6},
};
#else
const std::vector<Golden> golden = {
    {"balloon", 20, 0x619A027C0603D6AC, 0xA507289C7636B4F3},
    {"block", 60, 0x4A19CC2614C6C1C0, 0x4D2AD1406936BA3D},
    {"bunny", 2, 0x5DCAD2F2714BEE42, 0xFA89E4382FD9695F},
    {"cape", 15, 0x04EF9CD7E13C93E1, 0x11F00585201C591D},
    {"cloth", 20, 0xEF13F7A3F9DFA43F, 0xC193646FDBCA527B},
    {"crowd", 2, 0xF17B6F6A91B19D47, 0x9AEDEE5323DD9DF6},
    {"curtain", 5, 0x4A100766B7310E13, 0xC6F1D57E919BD5B2},
    {"drape", 18, 0xEE912E11526CEBC3, 0x22A9270879468C61},
    {"flag", 20, 0x77613288770BE5E1, 0xD2E20F38338BD906},
    {"jelly", 4, 0xBC3EB670B9FE8EA5, 0x929CE21EE56DFE78},
    {"net", 60, 0x42A08C551BCB3BCE, 0x239340F2EDEE665E},
    {"rope", 60, 0xAB08F0D83BB0EB98, 0x8B9D0077D811147C},
    {"square", 60, 0xAEB7D721CF29D53C, 0x9E2D68893AAFB627},
    {"tear", 10, 0x09B82B095F01FD65, 0xD832EBD5DB935403},
    {"truss", 60, 0xCF87BFAAFF9D1E02, 0x1A2D2EE8F77001B6},
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
    scene.world.solver = default_solver(TWANG_LOCAL_GLOBAL);
    scene.world.solver.acceleration = acceleration;
    scene.world.arithmetic = TWANG_PORTABLE;
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
                              hash(TWANG_PLAIN)};
        EXPECT_EQ(row_text(found), row_text(expected));
        table += row_text(found);
    }
    if (HasFailure()) ADD_FAILURE() << "the table as it came out here:\n" << table;
}

} // namespace
} // namespace twang::io::test
