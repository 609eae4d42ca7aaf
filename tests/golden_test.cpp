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
    {"block", 60, 0x2C176C9A084ACBAB, 0x9BCAE1016905E1F7},
    {"bunny", 2, 0x76DB2DADE4D25611, 0x6D6E4778FB5C01B5},
    {"cape", 15, 0x54B503B3B94A9CB9, 0xF60A1DA121B106E8},
    {"cloth", 20, 0x10E3D8347AE45E5C, 0xBBBFF99AF186B769},
    {"crowd", 2, 0x8622A41283ADAE10, 0x108B687C63FE553C},
    {"curtain", 5, 0x8BAF62E18CF0C5F6, 0x2E26CD2CEC87242D},
    {"drape", 18, 0xA83B39A06CDC640E, 0x67AF552E7736818A},
    {"flag", 20, 0x71875FC0AE7DFAD8, 0x6A9933A7B0C534EF},
    {"jelly", 4, 0xCFF8A28FE24D95CF, 0x0FD26E28C17C4EBE},
    {"net", 60, 0x76C85D3CBF9AF3A4, 0x276E4436AAFEBA9C},
    {"rope", 60, 0x3126A73279F376F4, 0xBFA220730ECE6836},
    {"square", 60, 0x1DF4297F8F35121C, 0x9018A12095885ECE},
    {"tear", 10, 0x649CDEAF1F5BA93C, 0x844CB06C93FC8E1B},
    {"truss", 60, 0xAE41B9B29712F74C, 0x2C40FC8531DA0875},
};
#else
const std::vector<Golden> golden = {
    {"balloon", 20, 0x17F496259D319044, 0x6115F697403BBA2F},
    {"block", 60, 0xFAC4270059293685, 0x2E5C47BE0F3C69AC},
    {"bunny", 2, 0xA3F10EBE76A2FCEC, 0x1BD391A1E1A96B30},
    {"cape", 15, 0x23D69D127977D241, 0xAE27DA32E1F3E2C8},
    {"cloth", 20, 0xF85E1461C887C6DA, 0xC123257F7ED17C0B},
    {"crowd", 2, 0xB2C10C7883A7C9CB, 0xC7AF9DE5B04AE143},
    {"curtain", 5, 0x4C0EC4E632218C80, 0xBFF4C879554F8F9C},
    {"drape", 18, 0x31E5D2AA7CEA542B, 0x7045FA6B18300EE8},
    {"flag", 20, 0xC463C010412FC64E, 0x262F1650381410AB},
    {"jelly", 4, 0xD950B832162565E3, 0xE06AB5355DC98CA0},
    {"net", 60, 0x140325F9AC6C25FF, 0xB76239656DA756EF},
    {"rope", 60, 0x3126A73279F376F4, 0xBFA220730ECE6836},
    {"square", 60, 0x70573A322CECE2FE, 0x8B539C6B384FB22A},
    {"tear", 10, 0x14F1B2624C8C16C5, 0xCA6B6D6DE498A599},
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
