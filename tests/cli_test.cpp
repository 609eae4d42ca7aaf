// twang_demo as its users meet it: its options, every exit code for bad command lines and files,
// and the shape of what it prints and writes.
#include "cli_support.hpp"

namespace {

using namespace twang::test;

// ---- Usage -----------------------------------------------------------------------------------

TEST(CliUsage, BadCommandLinesExit2AndNameTheOption) {
    const std::vector<std::pair<Words, std::string>> cases = {
        {{"--bogus"}, "--bogus"},
        {{"--frame", "3"}, "'--frames'"}, // did you mean
        {{"-x"}, "-x"},
        {{"cloth", "flag"}, "flag"},
        {{"--headless=yes"}, "--headless"},
        {{"--list=all"}, "--list"},
        {{"--frames"}, "--frames"},
        {{"--frames", "--headless"}, "--frames"},
        {{"--frames="}, "--frames"},
        {{"--frames", "-1"}, "--frames"},
        {{"--frames", "ten"}, "--frames"},
        {{"--frames", "10x"}, "--frames"},
        {{"--frames", "1.5"}, "--frames"},
        {{"--frames", "99999999999999999999"}, "--frames"},
        {{"--frames", "4294967297"}, "--frames"},
        {{"--solver", "magic"}, "--solver"},
        {{"--energy", "neo-hooke"}, "--energy"},
        {{"--pins", "glue"}, "--pins"},
        {{"--iterations", "0"}, "--iterations"},
        {{"--iterations", "-3"}, "--iterations"},
        {{"--tolerance", "-1"}, "--tolerance"},
        {{"--tolerance", "nan"}, "--tolerance"},
        {{"--tolerance", "tight"}, "--tolerance"},
        {{"--acceleration", "more"}, "--acceleration"},
        {{"--acceleration", "lbfgs", "--solver", "newton"}, "--acceleration"},
        {{"--acceleration", "none", "square"}, "newton"}, // the scene's solver
        {{"--integrator", "leapfrog"}, "--integrator"},
        {{"--integrator", "bdf2", "--solver", "linear"}, "--integrator"},
        {{"--numerical-damping", "1.5"}, "from 0 to 1"},
        {{"--numerical-damping", "-0.1"}, "--numerical-damping"},
        {{"--numerical-damping", "0", "truss"}, "static"}, // the scene's solver
        {{"--budget", "-1"}, "--budget"},
        {{"--budget", "inf"}, "--budget"},
        {{"--budget", "soon"}, "--budget"},
        {{"--precision", "single"}, "--precision"},
        {{"--arithmetic", "exact"}, "--arithmetic"},
        {{"--time-step", "0"}, "--time-step"},
        {{"--time-step", "-0.01"}, "--time-step"},
        {{"--time-step", "nan"}, "--time-step"},
        {{"--time-step", "inf"}, "--time-step"},
        {{"--time-step", "1e999"}, "--time-step"},
        {{"--gravity", "nan"}, "--gravity"},
        {{"--gravity", "-inf"}, "--gravity"},
        {{"--gravity", ""}, "--gravity"},
        {{"--workers", "-1"}, "--workers"},
        {{"--workers", "257"}, "--workers"},
        {{"--trajectory"}, "--trajectory"},
        {{"--trajectory="}, "--trajectory"},
        {{"--report", "--list"}, "--report"},
        {{"--report", "-", "--trajectory", "-"}, "--report"},
        {{"--size", "640"}, "--size"},
        {{"--size", "640x"}, "--size"},
        {{"--size", "0x480"}, "--size"},
        {{"--size", "640x99999"}, "--size"},
        {{"--camera", "1,2,3"}, "--camera"},
        {{"--camera", "1,2,3,4,5,six"}, "--camera"},
        {{"--camera", "1,2,3,4,5,6,7"}, "--camera"},
        {{"--record", "film.avi"}, ".mp4"},
        {{"--record", "film.mp4"}, "window"}, // but --headless
        {{"--screenshot", "picture.jpg"}, ".png"},
        {{"--screenshot", "picture.png"}, "window"},
        {{"--tour", "folder"}, "window"},
        {{"--export="}, "--export"},
    };
    for (const auto& [arguments, named] : cases) {
        const Outcome outcome = run_demo(arguments + Words{"--headless"});
        const std::string shown = testing::PrintToString(arguments);
        EXPECT_EQ(outcome.exit, 2) << shown;
        EXPECT_EQ(outcome.err_lines(), 1u) << shown << outcome.err;
        EXPECT_TRUE(contains(outcome.err, named)) << shown << outcome.err;
        EXPECT_EQ(outcome.out, "") << shown;
    }
}

TEST_F(Net, ValuesMayBeAttachedAndOptionsStandAnywhere) {
    const std::string expected = hash({net(), "--frames", "7", "--gravity", "-3"});
    EXPECT_EQ(hash({net(), "--frames=7", "--gravity=-3"}), expected);
    EXPECT_EQ(hash({"--frames=7", "--gravity", "-3.0", net()}), expected);
    EXPECT_EQ(hash({"--frames", "99", "--gravity=-3", "--frames", "+7", "--", net()}), expected);
    EXPECT_NE(hash({net(), "--frames=8", "--gravity=-3"}), expected);
    EXPECT_NE(hash({net(), "--frames=7", "--gravity=-4"}), expected);
}

TEST(CliUsage, HelpExplainsEveryOption) {
    for (const char* option : {"--help", "-h"}) {
        const Outcome outcome = run_demo({"cloth", option, "--whatever"});
        EXPECT_EQ(outcome.exit, 0);
        EXPECT_EQ(outcome.err, "");
        for (const char* name : {"--headless",
                                 "--frames N",
                                 "--solver S",
                                 "--energy E",
                                 "--iterations N",
                                 "--tolerance T",
                                 "--acceleration NAME",
                                 "--integrator NAME",
                                 "--numerical-damping D",
                                 "--budget MS",
                                 "depend on the machine",
                                 "--precision NAME",
                                 "--arithmetic NAME",
                                 "--time-step H",
                                 "--gravity G",
                                 "--workers N",
                                 "--pins P",
                                 "--trajectory FILE.csv",
                                 "--report FILE.json",
                                 "--size WxH",
                                 "--camera X,Y,Z,X,Y,Z",
                                 "--screenshot FILE.png",
                                 "--record FILE.mp4",
                                 "--export DIR",
                                 "--tour DIR",
                                 "--list",
                                 "--help",
                                 "--version"}) {
            EXPECT_TRUE(contains(outcome.out, name)) << name;
        }
        for (const std::string& solver : solver_names()) {
            EXPECT_TRUE(contains(outcome.out, solver)) << solver;
        }
        std::istringstream lines(outcome.out);
        for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
    }
}

TEST(CliUsage, VersionIsTheLibrarys) {
    const Outcome outcome = run_demo({"--version"});
    EXPECT_EQ(outcome.exit, 0);
    EXPECT_EQ(outcome.out, "twang_demo " + std::to_string(TWANG_VERSION_MAJOR) + "." +
                               std::to_string(TWANG_VERSION_MINOR) + "." +
                               std::to_string(TWANG_VERSION_PATCH) + "\n");
}

TEST(CliUsage, ListShowsEveryShippedSceneWithItsTitle) {
    const Outcome outcome = run_demo({"--list"});
    EXPECT_EQ(outcome.exit, 0);
    EXPECT_EQ(outcome.err, "");
    Words names;
    std::set<std::size_t> columns;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t name_end = line.find("  ");
        const std::size_t title = line.find_first_not_of(' ', name_end);
        ASSERT_NE(title, std::string::npos) << "no title: " << line;
        names.push_back(line.substr(0, line.find(' ')));
        columns.insert(title);
    }
    EXPECT_EQ(names, shipped_scenes());
    EXPECT_EQ(columns.size(), 1u) << outcome.out;
    for (const char* name : {"balloon", "block", "bunny", "cape", "cloth", "crowd", "curtain",
                             "drape", "flag", "jelly", "net", "rope", "square", "tear", "truss"}) {
        EXPECT_TRUE(std::count(names.begin(), names.end(), name)) << name;
    }
}

TEST_F(Scratch, StrictTakesWarningsForErrors) {
    const std::string path = folder_ / "strict.json";
    write_text(path, R"({"shape": {"cloth": {"columns": 3, "rows": 3}},
        "colliders": [{"sphere": {"radius": 1}, "penalty": 100}]})");
    const Outcome lax = run_demo({path, "--headless", "--frames", "1"});
    EXPECT_EQ(lax.exit, 0);
    const Outcome strict = run_demo({path, "--headless", "--frames", "1", "--strict"});
    EXPECT_EQ(strict.exit, 4);
    EXPECT_EQ(strict.out, "");
    EXPECT_EQ(strict.err, lax.err);
    EXPECT_TRUE(contains(strict.err,
                         "strict.json:2: unknown key 'penalty' in 'colliders'; it "
                         "belongs in 'sphere'"))
        << strict.err;
    EXPECT_EQ(run_demo({net(), "--headless", "--frames", "1", "--strict"}).exit, 0);
}

// ---- Scenes and files ------------------------------------------------------------------------

TEST_F(Scratch, WithoutASceneItRunsTheCloth) {
    EXPECT_EQ(simulate({"--frames", "0"}).report.at("scene"), "cloth");
}

TEST_F(Net, WithoutADisplayAWindowExits1InOneLine) {
    for (const Words& more : {Words{}, Words{"--record", folder_ / "a.mp4"},
                              Words{"--screenshot", folder_ / "a.png"}}) {
        const Outcome outcome = run_demo(Words{net(), "--frames", "2"} + more);
        EXPECT_EQ(outcome.exit, 1);
        EXPECT_EQ(outcome.err_lines(), 1u);
        EXPECT_TRUE(contains(outcome.err, "no display")) << outcome.err;
        EXPECT_TRUE(contains(outcome.err, "--headless")) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    }
    EXPECT_EQ(run_demo({net(), "--frames", "2", "--headless"}).err, "");
    EXPECT_EQ(run_demo({net(), "--frames", "2", "--report", folder_ / "a.json"}).exit, 0);
}

TEST_F(Net, ExportWritesEveryFrameAsAnObj) {
    const Run run = simulate({net(), "--frames", "3", "--export", folder_ / "objs"});
    for (std::size_t frame = 0; frame < run.frames.size(); ++frame) {
        const twang::io::Result<twang::io::Mesh> mesh =
            twang::io::read_obj(folder_ / ("objs/net-0000" + std::to_string(frame) + ".obj"));
        ASSERT_TRUE(mesh) << mesh.error().text();
        EXPECT_EQ(mesh->triangles.size(), 3u * 12); // six quads
        ASSERT_EQ(mesh->positions.size(), 3 * run.frames[frame].size());
        for (std::size_t i = 0; i < mesh->positions.size(); ++i) {
            EXPECT_NEAR(mesh->positions[i], run.frames[frame][i / 3][i % 3], 1e-8);
        }
    }
    const Outcome outcome =
        run_demo({net(), "--headless", "--frames", "1", "--export", net() + "/objs"});
    EXPECT_EQ(outcome.exit, 3);
    EXPECT_EQ(outcome.err_lines(), 1u);
}

TEST(CliScene, UnknownNameExits3AndSuggestsTheNearest) {
    const Outcome typo = run_demo({"clotj", "--headless"});
    EXPECT_EQ(typo.exit, 3);
    EXPECT_EQ(typo.err, "clotj: no such scene or file; did you mean 'cloth'?\n");
    EXPECT_EQ(typo.out, "");
    EXPECT_TRUE(contains(run_demo({"cutrain.json", "--headless"}).err, "'curtain'"));
    EXPECT_TRUE(contains(run_demo({"cloht", "--headless"}).err, "'cloth'"));
    const Outcome alien = run_demo({"zzzzzzzzzz", "--headless"});
    EXPECT_EQ(alien.exit, 3);
    EXPECT_TRUE(contains(alien.err, "--list")) << alien.err;
    EXPECT_EQ(run_demo({"", "--headless"}).exit, 3);
    const Outcome broken_line = run_demo({"a\nb.obj", "--headless"});
    EXPECT_EQ(broken_line.exit, 3);
    EXPECT_EQ(broken_line.err_lines(), 1u);
}

TEST_F(Scratch, UnreadableFilesExit3) {
    std::filesystem::create_directory(folder_ / "folder.obj");
    write_text(folder_ / "lost.json", R"({"obj": "nowhere.obj", "k": 1})");
    for (const std::string& path : {folder_ / "no.json", folder_ / "no.obj", folder_ / "no.mesh",
                                    folder_ / "folder.obj", folder_ / "lost.json"}) {
        const Outcome outcome = run_demo({path, "--headless"});
        EXPECT_EQ(outcome.exit, 3) << path;
        EXPECT_EQ(outcome.err_lines(), 1u) << outcome.err;
        EXPECT_EQ(outcome.out, "") << path;
    }
}

TEST_F(Scratch, InvalidFilesExit4AndNameFileAndLine) {
    const std::vector<std::pair<std::string, std::string>> files = {
        {"index.obj", "v 0 0 0\nv 1 0 0\nf 1 2 99999999\n"},
        {"nan.obj", "v 0 0 0\nv 1 0 0\nv nan 0 0\nf 1 2 3\n"},
        {"broken.json", "{\"obj\": \"net.obj\",\n \"k\": 300,\n \"m\": }\n"},
        {"type.json", "{\"obj\": \"net.obj\",\n\n \"k\": \"stiff\"}\n"},
        {"index.mesh", "MeshVersionFormatted 1\nDimension 3\nVertices 1 0 0 0 0 Edges 1 1 7 0\n"},
    };
    for (const auto& [name, content] : files) {
        const std::string path = folder_ / name;
        write_text(path, content);
        const Outcome outcome = run_demo({path, "--headless"});
        EXPECT_EQ(outcome.exit, 4) << name;
        EXPECT_EQ(outcome.err_lines(), 1u) << outcome.err;
        EXPECT_EQ(outcome.err.rfind(path + ":3: ", 0), 0u) << outcome.err;
        EXPECT_EQ(outcome.out, "") << name;
    }
}

TEST_F(Net, UnknownKeysWarnInOneLineEach) {
    const std::string path = folder_ / "odd.json";
    write_text(path, R"({"shape": {"cloth":
        {"columns": 3, "rows": 3, "spacing": 0.1}},
        "gravitty": 3})");
    const Outcome outcome = run_demo({path, "--headless", "--frames", "1"});
    EXPECT_EQ(outcome.exit, 0);
    EXPECT_EQ(outcome.err_lines(), 1u);
    EXPECT_EQ(outcome.err.rfind(path + ":3: ", 0), 0u) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "'gravity'")) << outcome.err;
}

TEST_F(Net, BareMeshesRun) {
    const Run obj = simulate({folder_ / "net.obj", "--frames", "5"});
    EXPECT_EQ(obj.report.at("vertices"), 12);
    EXPECT_EQ(obj.report.at("springs"), springs_.size());
    EXPECT_NEAR(obj.report.at("mass"), 1.0, 1e-12);
    EXPECT_GT(obj.report.at("pinned_vertices"), 0);
    write_text(folder_ / "tetra.mesh",
               "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n"
               "0 0 1 0\nTetrahedra\n1\n1 2 3 4 0\nEnd\n");
    const Run tetra = simulate({folder_ / "tetra.mesh", "--frames", "5"});
    EXPECT_EQ(tetra.report.at("vertices"), 4);
    EXPECT_EQ(tetra.report.at("springs"), 6);
}

TEST_F(Net, AssetsComeFromTheEnvironmentWhenItSaysSo) {
    std::filesystem::create_directory(folder_ / "scenes");
    std::filesystem::copy(net(), folder_ / "scenes/mine.json");
    std::filesystem::copy(folder_ / "net.obj", folder_ / "scenes/net.obj");
    Launch launch{.arguments = {"--list"}, .assets = folder_ / ""};
    const Outcome list = run_demo(launch);
    EXPECT_EQ(list.exit, 0);
    EXPECT_EQ(list.out.rfind("mine ", 0), 0u) << list.out;
    launch.arguments = {"mine", "--headless", "--frames", "1"};
    EXPECT_EQ(run_demo(launch).exit, 0);
    launch.arguments = {"cloth", "--headless"};
    EXPECT_EQ(run_demo(launch).exit, 3);
    launch = {.arguments = {"--list"}, .assets = folder_ / "empty"};
    EXPECT_EQ(run_demo(launch).exit, 3);
}

// ---- Outputs ---------------------------------------------------------------------------------

TEST_F(Net, OutputsThatCannotBeWrittenExit3BeforeSimulating) {
    for (const std::string option : {"--trajectory", "--report"}) {
        const std::string path = folder_ / "no/such/folder/file";
        // So many frames would take days.
        const Outcome outcome =
            run_demo({net(), "--headless", "--frames", "2000000000", option, path});
        EXPECT_EQ(outcome.exit, 3) << option;
        EXPECT_EQ(outcome.err_lines(), 1u) << outcome.err;
        EXPECT_EQ(outcome.err.rfind(path + ": ", 0), 0u) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    }
}

TEST_F(Net, AFullDiskExits3) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    for (const std::string option : {"--trajectory", "--report"}) {
        const Outcome outcome =
            run_demo({net(), "--headless", "--frames", "20", option, "/dev/full"});
        EXPECT_EQ(outcome.exit, 3) << option;
        EXPECT_EQ(outcome.err_lines(), 1u) << outcome.err;
        EXPECT_EQ(outcome.err.rfind("/dev/full: ", 0), 0u) << outcome.err;
    }
    // A trajectory ends its run at the first frame it cannot take.
    EXPECT_EQ(
        run_demo({net(), "--headless", "--frames", "2000000000", "--trajectory", "/dev/full"}).exit,
        3);
    const Launch full{.arguments = {net(), "--headless", "--frames", "1"}, .out = "/dev/full"};
    EXPECT_EQ(run_demo(full).exit, 3);
}

TEST_F(Net, OutputsDoNotOverwriteTheSceneOrEachOther) {
    const std::string before = read_text(net());
    EXPECT_EQ(run_demo({net(), "--headless", "--report", net()}).exit, 2);
    EXPECT_EQ(read_text(net()), before);
    const std::string both = folder_ / "both";
    EXPECT_EQ(run_demo({net(), "--headless", "--report", both, "--trajectory", both}).exit, 2);
    EXPECT_FALSE(std::filesystem::exists(both));
}

TEST_F(Net, StandardOutputIsLeftToTheFileThatWantsIt) {
    const Outcome report = run_demo({net(), "--headless", "--frames", "3", "--report", "-"});
    EXPECT_EQ(report.exit, 0);
    EXPECT_EQ(json::parse(report.out).at("frames"), 3);
    EXPECT_TRUE(contains(report.err, "state hash")) << report.err;
    const Outcome csv = run_demo({net(), "--headless", "--frames", "3", "--trajectory=-"});
    EXPECT_EQ(csv.exit, 0);
    EXPECT_EQ(parse_trajectory(csv.out).size(), 4u);
}

TEST_F(Net, SummaryTellsWhatTheReportTells) {
    const std::string path = folder_ / "summary.json";
    const Outcome outcome =
        run_demo({net(), "--headless", "--frames", "4", "--budget", "1000", "--report", path});
    ASSERT_EQ(outcome.exit, 0);
    const json report = json::parse(read_text(path));
    const std::string hash = report.at("state_hash");
    const std::string springs = std::to_string(springs_.size()) + " springs";
    for (const std::string& part : Words{"net",
                                         "12 vertices",
                                         springs,
                                         "local-global, acceleration two-level",
                                         "budget 1000 ms",
                                         "fast arithmetic",
                                         "n = ",
                                         "kB (float)",
                                         "pack ",
                                         "rejected steps: ",
                                         "error estimate ",
                                         "median",
                                         "apply_changes",
                                         "external_forces",
                                         "predict",
                                         "local_step",
                                         "global_step",
                                         "accelerate",
                                         "contact",
                                         "commit",
                                         "frame",
                                         "stretch",
                                         "energy",
                                         hash}) {
        EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
    }
    EXPECT_FALSE(contains(outcome.out, "nan"));
}

} // namespace
