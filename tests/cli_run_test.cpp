// What twang_demo computes: trajectories and reports held against each other and against the
// equations they claim to solve, options that reach the engine, failures on the way, long runs.
#include <chrono>
#include <thread>

#include "cli_support.hpp"

namespace {

using namespace twang::test;

// ---- Trajectory and report -------------------------------------------------------------------

TEST_F(Net, TrajectoryHoldsEveryVertexOfEveryFrameFromTheInitialState) {
    const Run run = simulate({net(), "--frames", "30"});
    ASSERT_EQ(run.frames.size(), 31u);
    for (const auto& frame : run.frames) ASSERT_EQ(frame.size(), start_.size());
    EXPECT_EQ(run.frames[0], start_);
    EXPECT_LT(run.frames[30][9][1], start_[9][1] - 0.1); // it has fallen
    EXPECT_EQ(std::count(run.csv.begin(), run.csv.end(), '\n'), 1 + 31 * 12);
    EXPECT_EQ(simulate({net(), "--frames", "0"}).frames, Frames{start_});
}

TEST_F(Scratch, ReportsOfManyBodiesAreOfAll) {
    const auto scene = [&](const std::string& more) {
        const std::string path = folder_ / "many.json";
        std::ofstream(path) << R"({"shape": {"cloth": {"columns": 5, "rows": 4}}, "pins": [0],
            "solver": {"iterations": 8})"
                            << more << "}";
        return path;
    };
    const Run one = simulate({scene(""), "--frames", "20"});
    const Run many = simulate(
        {scene(R"(, "copies": {"count": [3, 1, 1], "spacing": [4, 0, 0]})"), "--frames", "20"});
    EXPECT_EQ(one.report.at("bodies"), 1);
    EXPECT_EQ(many.report.at("bodies"), 3);
    for (const char* key : {"kinetic_energy", "iterations"}) {
        const double alone = one.report.at(key);
        EXPECT_GT(alone, 0.0) << key;
        EXPECT_NEAR(many.report.at(key), 3.0 * alone, 1e-3 * alone) << key;
    }
    EXPECT_EQ(many.report.at("vertices"), 20);
    ASSERT_EQ(many.frames.size(), 21u);
    EXPECT_EQ(many.frames[20].size(), 20u); // the first
    EXPECT_LT(distance(many.frames[20][19], one.frames[20][19]), 1e-3);
}

TEST_F(Net, ReportHasEveryFigure) {
    const json report = simulate({net(), "--frames", "25", "--workers", "2"}).report;
    EXPECT_EQ(report.at("scene"), "net");
    EXPECT_TRUE(report.at("title").is_string());
    EXPECT_EQ(report.at("solver"), "local-global");
    EXPECT_EQ(report.at("energy"), "hooke");
    EXPECT_EQ(report.at("pins"), "penalty");
    EXPECT_EQ(report.at("acceleration"), twang::io::name(twang::SolverDef().acceleration));
    EXPECT_EQ(report.at("budget_ms"), 0.0);
    EXPECT_EQ(report.at("arithmetic"), "fast");
    EXPECT_EQ(report.at("status"), "OK");
    EXPECT_EQ(report.at("time_step"), h);
    EXPECT_EQ(report.at("gravity"), json::array({0.0, -9.8, 0.0}));
    EXPECT_EQ(report.at("workers"), 2);
    EXPECT_EQ(report.at("vertices"), 12);
    EXPECT_EQ(report.at("springs"), springs_.size());
    EXPECT_EQ(report.at("frames"), 25);
    EXPECT_NEAR(report.at("mass"), 12 * mass, 1e-12);
    EXPECT_NEAR(report.at("size"), std::hypot(1.5, 1.0), 1e-12);

    const json& found = report.at("precomputation");
    EXPECT_EQ(found.at("n"), 12);
    EXPECT_EQ(found.at("nnz_q"), 12 + springs_.size()); // lower triangle with the diagonal
    EXPECT_GE(found.at("nnz_l"), found.at("nnz_q"));
    EXPECT_EQ(found.at("precision"), "float");
    EXPECT_GE(found.at("bytes"), 4 * found.at("nnz_l").get<std::uint64_t>());
    double total = 0.0;
    for (const char* part : {"order_ms", "assemble_ms", "factor_ms", "pack_ms"}) {
        EXPECT_GE(found.at(part), 0.0) << part;
        total += found.at(part).get<double>();
    }
    EXPECT_NEAR(found.at("total_ms"), total, 1e-9);
    EXPECT_GT(total, 0.0);

    const json& ms = report.at("ms");
    double stages = 0.0;
    for (const char* stage : {"apply_changes", "external_forces", "predict", "local_step",
                              "global_step", "accelerate", "contact", "commit"}) {
        const double median = ms.at(stage).at("median");
        EXPECT_GE(median, 0.0) << stage;
        EXPECT_GE(ms.at(stage).at("p99"), median) << stage;
        stages += median;
    }
    EXPECT_GT(ms.at("frame").at("median"), 0.0);
    EXPECT_GT(ms.at("frame").at("p99"), 0.5 * stages);

    EXPECT_GE(report.at("iterations"), 1.0);
    const json& counts = report.at("iteration_counts");
    EXPECT_NEAR(counts.at("total").get<double>(), 25 * report.at("iterations").get<double>(), 1e-6);
    EXPECT_GE(counts.at("max"), counts.at("median"));
    for (const char* count :
         {"inner_iterations", "rejected_steps", "projected_systems", "converged_frames"}) {
        EXPECT_TRUE(report.at(count).is_number_unsigned()) << count;
    }
    EXPECT_GT(report.at("residual"), 0.0);
    const std::string hash = report.at("state_hash");
    EXPECT_EQ(hash.size(), 16u);
    EXPECT_EQ(hash.find_first_not_of("0123456789abcdef"), std::string::npos) << hash;
    EXPECT_TRUE(report.at("version").is_string());
}

TEST_F(Net, ReportAgreesWithTheTrajectorysEnd) {
    const Run run = simulate({net(), "--frames", "40", "--pins", "elimination"});
    const auto& last = run.frames.at(40);
    const auto &before = run.frames.at(39), &first = run.frames.at(38);
    double largest = 0.0, sum = 0.0, elastic = 0.0, kinetic = 0.0, speeds = 0.0;
    for (const auto& [a, b] : springs_) {
        const double length =
            distance(last[static_cast<std::size_t>(a)], last[static_cast<std::size_t>(b)]);
        const double stretch = std::abs(length / rest - 1.0);
        largest = std::max(largest, stretch);
        sum += stretch;
        elastic += 0.5 * stiffness * (length - rest) * (length - rest);
    }
    for (std::size_t i = 0; i < last.size(); ++i) {
        double square = 0.0; // of BDF2's velocity
        for (std::size_t k = 0; k < 3; ++k) {
            const double way = last[i][k] - before[i][k], old = before[i][k] - first[i][k];
            square += std::pow((1.5 * way - 0.5 * old) / h, 2);
        }
        const double speed = std::sqrt(square);
        speeds += speed;
        kinetic += 0.5 * mass * speed * speed;
    }
    EXPECT_GT(largest, 0.01); // or there is nothing to compare
    EXPECT_NEAR(run.report.at("max_stretch"), largest, 1e-12);
    EXPECT_NEAR(run.report.at("mean_stretch"), sum / static_cast<double>(springs_.size()), 1e-12);
    EXPECT_NEAR(run.report.at("elastic_energy"), elastic, 1e-9 * elastic);
    EXPECT_NEAR(run.report.at("kinetic_energy"), kinetic, 1e-9 * kinetic);
    EXPECT_NEAR(run.report.at("mean_speed"), speeds / 12.0, 1e-9 * speeds);
}

TEST_F(Net, ReportCountsRejectedStepsAndEstimatesTheErrorAsTheEngineDoes) {
    auto scene = twang::io::read_scene(net());
    ASSERT_TRUE(scene);
    scene->world.solver.acceleration = TWANG_ACCELERATION_CHEBYSHEV;
    auto stage = twang::io::instantiate(*scene);
    ASSERT_TRUE(stage);
    std::uint64_t rejected = 0;
    twang::Report last{};
    for (int frame = 0; frame < 25; ++frame) {
        ASSERT_EQ(stage->step(), TWANG_OK);
        last = stage->body.report();
        rejected += static_cast<std::uint64_t>(last.rejected_steps);
    }
    const json report = simulate({net(), "--frames", "25", "--acceleration", "chebyshev"}).report;
    EXPECT_GT(rejected, 0u); // or there is nothing to compare
    EXPECT_EQ(report.at("rejected_steps"), rejected);
    const json& error = report.at("error_estimate");
    EXPECT_EQ(error.is_null() ? HUGE_VAL : error.get<double>(), last.error_estimate);
}

// Ending at the cap is no failure, but the user is told.
TEST_F(Net, NewtonThatEndsAtItsCapIsSaidNotToHaveConverged) {
    for (const char* solver : {"newton", "newton-cg"}) {
        SCOPED_TRACE(solver);
        const auto headless = [&](const char* iterations, const char* tolerance) {
            return run_demo({net(), "--headless", "--frames", "20", "--solver", solver,
                             "--iterations", iterations, "--tolerance", tolerance})
                .out;
        };
        EXPECT_NE(headless("1", "1e-9").find("; 20 not converged"), std::string::npos);
        EXPECT_EQ(headless("200", "1e-3").find("not converged"), std::string::npos);
        EXPECT_EQ(headless("1", "0").find("not converged"), std::string::npos);
        const auto report = [&](const char* iterations) {
            return simulate({net(), "--frames", "20", "--solver", solver, "--iterations",
                             iterations, "--tolerance", "1e-9"})
                .report;
        };
        EXPECT_EQ(report("1").at("unconverged_frames"), 20);
    }
    const auto& local = simulate({net(), "--frames", "20", "--iterations", "1"}).report;
    EXPECT_EQ(local.at("unconverged_frames"), 0);
}

// A single iteration has no rate of convergence: its error is not estimated, rather than infinite.
TEST_F(Net, SummaryEstimatesNoErrorWithoutARate) {
    const auto summary = [&](const char* iterations) {
        return run_demo({net(), "--headless", "--frames", "5", "--iterations", iterations}).out;
    };
    const std::string one = summary("1");
    EXPECT_NE(one.find("residual"), std::string::npos);
    EXPECT_EQ(one.find("inf"), std::string::npos) << one;
    EXPECT_EQ(one.find("error estimate"), std::string::npos) << one;
}

TEST_F(Scratch, ReportCountsWhatIsTornInAllBodies) {
    const std::string pulled = folder_ / "pulled.json"; // a heavy cloth that hangs by a corner
    write_text(pulled, R"({"shape": {"cloth": {"columns": 7, "rows": 6}}, "pins": [0],
        "material": {"mass": 2, "stiffness": 100, "tear_strain": 0.3},
        "copies": {"count": [3, 1, 1], "spacing": [4, 0, 0]}})");
    const std::string tear = TWANG_ASSETS_DIR "/scenes/tear.json";
    for (const auto& [path, frames] : {std::pair(pulled, 30), std::pair(tear, 150)}) {
        const auto scene = twang::io::read_scene(path);
        ASSERT_TRUE(scene) << path;
        auto stage = twang::io::instantiate(*scene);
        ASSERT_TRUE(stage) << path;
        for (int frame = 0; frame < frames; ++frame) ASSERT_EQ(stage->step(), TWANG_OK);
        std::size_t springs = 0, triangles = 0;
        for (twang::Body body : stage->bodies) {
            std::vector<std::uint32_t> torn(stage->model.info().triangles);
            EXPECT_GT(body.broken_springs(), 0u) << path; // or there is nothing to compare
            springs += body.broken_springs();
            triangles += body.take_torn_triangles(torn).size();
        }
        EXPECT_GT(triangles, 0u) << path;
        const json report = simulate({path, "--frames", std::to_string(frames)}).report;
        EXPECT_EQ(report.at("broken_springs"), springs) << path;
        EXPECT_EQ(report.at("torn_triangles"), triangles) << path;
    }
    const json whole = simulate({"curtain", "--frames", "20"}).report;
    EXPECT_EQ(whole.at("broken_springs"), 0);
    EXPECT_EQ(whole.at("torn_triangles"), 0);
}

// The acceleration at the end of frame n by backward differences, from rest: v of x and a of v,
// both (d_n - share d_(n-1)) / ((1 - share) h) with d the last difference. Implicit Euler has a
// share of 0, BDF2 of 1/3 from the second frame on.
double acceleration_at(const Frames& frames, std::size_t n, std::size_t i, std::size_t k,
                       double share) {
    const auto x = [&](std::size_t back) { return frames[n >= back ? n - back : 0][i][k]; };
    const auto velocity = [&](std::size_t back) { // at frame n - back
        const double own = n >= back + 2 ? share : 0.0;
        return (x(back) - x(back + 1) - own * (x(back + 1) - x(back + 2))) / ((1.0 - own) * h);
    };
    const double own = n >= 2 ? share : 0.0;
    return (velocity(0) - velocity(1) - own * (velocity(1) - velocity(2))) / ((1.0 - own) * h);
}

// The largest |m a - f - m g| over free vertices and frames, in newtons: the integrator wants 0.
double worst_imbalance(const Frames& frames, const std::set<std::pair<int, int>>& springs,
                       const std::set<std::size_t>& pinned, double stiffness, double rest,
                       double share) {
    double worst = 0.0;
    for (std::size_t n = 1; n < frames.size(); ++n) {
        const auto& next = frames[n];
        std::vector<Point> forces(next.size(), Point{0.0, -9.8, 0.0});
        for (const auto& [i, j] : springs) {
            const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
            const double length = distance(next[a], next[b]);
            for (std::size_t k = 0; k < 3; ++k) {
                const double pull =
                    stiffness * (length - rest) * (next[b][k] - next[a][k]) / length;
                forces[a][k] += pull;
                forces[b][k] -= pull;
            }
        }
        for (std::size_t i = 0; i < next.size(); ++i) {
            if (pinned.count(i)) continue;
            for (std::size_t k = 0; k < 3; ++k) {
                const double acceleration = acceleration_at(frames, n, i, k, share);
                worst = std::max(worst, std::abs(acceleration - forces[i][k]));
            }
        }
    }
    return worst;
}

TEST_F(Net, TrajectoriesSolveTheirIntegrator) {
    const std::set<std::size_t> pinned(std::begin(pins), std::end(pins));
    for (const auto& [integrator, share] :
         {std::pair{"implicit-euler", 0.0}, std::pair{"bdf2", 1.0 / 3.0}}) {
        const Words common = {net(),         "--frames",     "60",      "--pins",
                              "elimination", "--integrator", integrator};
        const auto imbalance = [&](const Run& run) {
            return worst_imbalance(run.frames, springs_, pinned, stiffness, rest, share);
        };
        for (const char* solver : {"newton", "newton-cg", "local-global"}) {
            const Words exact = {"--solver", solver,        "--iterations",
                                 "2000",     "--tolerance", "1e-10"};
            const Run run = simulate(common + exact);
            EXPECT_LT(imbalance(run), 1e-6) << solver << ' ' << integrator;
            for (const std::size_t pin : pins)
                EXPECT_EQ(run.frames[60][pin], start_[pin]) << solver;
        }
        // The check can tell: one iteration is not enough.
        const Run rough = simulate(common + Words{"--solver", "local-global", "--iterations", "1"});
        EXPECT_GT(imbalance(rough), 1e-3) << integrator;
    }
}

TEST_F(Net, SameStateForAnyNumberOfWorkersAndEveryTime) {
    for (const std::string& scene : {net(), std::string("curtain")}) {
        const std::string frames = scene == net() ? "60" : "10";
        const std::string expected = hash({scene, "--frames", frames, "--workers", "1"});
        for (const char* workers : {"0", "1", "2", "4"}) {
            EXPECT_EQ(hash({scene, "--frames", frames, "--workers", workers}), expected)
                << scene << " " << workers;
        }
        EXPECT_EQ(hash({scene, "--frames", frames}), expected) << scene;
    }
}

TEST_F(Net, AtRestWithoutGravityNothingMoves) {
    const std::string still = hash({net(), "--frames", "0"});
    for (const std::string& solver : solver_names()) {
        for (const char* pin_method : {"penalty", "elimination"}) {
            const Run run = simulate({net(), "--gravity", "0", "--frames", "20", "--solver", solver,
                                      "--pins", pin_method});
            for (const auto& frame : run.frames) ASSERT_EQ(frame, start_) << solver;
            EXPECT_EQ(run.report.at("state_hash"), still) << solver << " " << pin_method;
            EXPECT_EQ(run.report.at("kinetic_energy"), 0.0) << solver;
            EXPECT_EQ(run.report.at("max_stretch"), 0.0) << solver;
        }
    }
}

// ---- Options reach the engine ----------------------------------------------------------------

TEST_F(Net, IterationsAndToleranceAreObeyed) {
    const json capped =
        simulate({net(), "--frames", "10", "--iterations", "7", "--tolerance", "0"}).report;
    EXPECT_EQ(capped.at("iterations"), 7.0);
    EXPECT_EQ(capped.at("iteration_counts"), json({{"median", 7.0}, {"max", 7}, {"total", 70}}));
    EXPECT_EQ(capped.at("converged_frames"), 0);

    double last_count = 0.0;
    for (const double tolerance : {1e-2, 1e-5, 1e-8}) {
        std::ostringstream text;
        text << tolerance;
        const json report =
            simulate({net(), "--frames", "10", "--iterations", "5000", "--tolerance", text.str()})
                .report;
        EXPECT_LT(report.at("residual"), tolerance);
        EXPECT_EQ(report.at("converged_frames"), 10);
        EXPECT_GT(report.at("iterations"), last_count) << tolerance;
        last_count = report.at("iterations");
    }
}

TEST_F(Net, SolverSettingsReachTheEngine) {
    const Words common = {"rope", "--frames", "5"};
    std::set<std::string> hashes;
    for (const char* name : {"none", "chebyshev", "anderson", "lbfgs", "two-level"}) {
        const json report = simulate(common + Words{"--acceleration", name}).report;
        EXPECT_EQ(report.at("acceleration"), name);
        hashes.insert(report.at("state_hash"));
    }
    EXPECT_EQ(hashes.size(), 5u);
    for (const char* name : {"implicit-euler", "bdf2"}) {
        const json report =
            simulate(common + Words{"--integrator", name, "--numerical-damping", "0.5"}).report;
        EXPECT_EQ(report.at("integrator"), name);
        EXPECT_EQ(report.at("numerical_damping"), 0.5);
        hashes.insert(report.at("state_hash"));
    }
    EXPECT_EQ(hashes.size(), 7u);
    for (const char* name : {"float", "double"}) {
        const json report = simulate(common + Words{"--precision", name}).report;
        EXPECT_EQ(report.at("precomputation").at("precision"), name);
    }
    const json portable = simulate(common + Words{"--arithmetic", "portable"}).report;
    EXPECT_EQ(portable.at("arithmetic"), "portable");
    EXPECT_EQ(portable.at("precomputation").at("precision"), "double");

    const json hasty =
        simulate({net(), "--frames", "3", "--iterations", "1000", "--budget", "1e-6"}).report;
    EXPECT_EQ(hasty.at("budget_ms"), 1e-6);
    EXPECT_EQ(hasty.at("iterations"), 1.0); // one is always done
}

TEST_F(Net, SettingsOverrideTheScene) {
    const std::string path = folder_ / "own.json";
    write_text(path, R"({"shape": {"cloth": {"columns": 3, "rows": 3, "spacing": 0.1}},
        "solver": {"acceleration": "lbfgs", "budget_ms": 1000},
        "precision": "double", "arithmetic": "portable"})");
    const json own = simulate({path, "--frames", "1"}).report;
    EXPECT_EQ(own.at("acceleration"), "lbfgs");
    EXPECT_EQ(own.at("budget_ms"), 1000.0);
    EXPECT_EQ(own.at("precomputation").at("precision"), "double");
    EXPECT_EQ(own.at("arithmetic"), "portable");
    const json changed = simulate({path, "--frames", "1", "--acceleration", "anderson", "--budget",
                                   "0", "--precision", "float", "--arithmetic", "fast"})
                             .report;
    EXPECT_EQ(changed.at("acceleration"), "anderson");
    EXPECT_EQ(changed.at("budget_ms"), 0.0);
    EXPECT_EQ(changed.at("precomputation").at("precision"), "float");
    EXPECT_EQ(changed.at("arithmetic"), "fast");
    EXPECT_EQ(simulate({path, "--frames", "1", "--solver", "newton"}).report.at("acceleration"),
              "none");
}

TEST_F(Net, AnotherSolverBringsItsOwnDefaults) {
    for (const std::string& solver : solver_names()) {
        const auto wanted = twang::default_solver(*twang::io::solver_named(solver));
        const json report = simulate({net(), "--frames", "1", "--solver", solver}).report;
        EXPECT_EQ(report.at("solver"), solver);
        EXPECT_EQ(report.at("max_iterations"), wanted.iterations) << solver;
        EXPECT_EQ(report.at("tolerance"), wanted.tolerance) << solver;
        const json mine = simulate({net(), "--frames", "1", "--solver", solver, "--iterations",
                                    "60", "--tolerance", "0.5"})
                              .report;
        EXPECT_EQ(mine.at("max_iterations"), 60) << solver;
        EXPECT_EQ(mine.at("tolerance"), 0.5) << solver;
    }
}

TEST_F(Net, TimeStepGravityEnergyAndPinsReachTheEngine) {
    // One frame of free fall from rest moves g h^2 where nothing holds yet: springs of a far corner
    // pull at most by what the first frame stretches them, a few parts in a hundred.
    const Run fall = simulate({net(), "--frames", "1", "--time-step", "0.001", "--gravity", "5"});
    EXPECT_NEAR(fall.frames[1][9][1] - start_[9][1], 5e-6, 1e-8);
    EXPECT_EQ(fall.report.at("gravity"), json::array({0.0, 5.0, 0.0}));
    EXPECT_EQ(fall.report.at("time_step"), 0.001);

    const Words newton = {net(), "--frames", "30", "--solver", "newton"};
    const json hooke = simulate(newton + Words{"--energy", "hooke"}).report;
    const json stvk = simulate(newton + Words{"--energy", "stvk"}).report;
    EXPECT_EQ(stvk.at("energy"), "stvk");
    EXPECT_NE(hooke.at("state_hash"), stvk.at("state_hash"));

    const Run penalty = simulate(newton + Words{"--pins", "penalty"});
    const Run exact = simulate(newton + Words{"--pins", "elimination"});
    EXPECT_EQ(exact.report.at("pins"), "elimination");
    EXPECT_EQ(exact.frames[30][3], start_[3]);
    EXPECT_NE(penalty.frames[30][3], start_[3]);
    EXPECT_LT(distance(penalty.frames[30][3], start_[3]), 2e-6);
}

TEST(CliScene, EveryShippedSceneRunsWithEverySolver) {
    for (const std::string& name : shipped_scenes()) {
        const auto scene =
            twang::io::read_scene(std::string(TWANG_ASSETS_DIR "/scenes/") + name + ".json");
        ASSERT_TRUE(scene) << scene.error().text();
        EXPECT_TRUE(scene->warnings.empty()) << name;
        for (const std::string& solver : solver_names()) {
            // Few iterations, or equilibrium of the curtain takes its minutes.
            const Outcome outcome =
                run_demo({name, "--headless", "--strict", "--frames", "2", "--solver", solver,
                          "--iterations", "2", "--tolerance", "0", "--report", "-"});
            const std::string shown = name + " with " + solver + "\n" + outcome.err;
            if (solver == "local-global" && scene->energy == TWANG_STVK) {
                EXPECT_EQ(outcome.exit, 2) << shown;
            } else if (solver == "static" && scene->pins.empty() && scene->world.gravity.y != 0.0) {
                EXPECT_EQ(outcome.exit, 6) << shown; // nothing but contact holds it
                EXPECT_TRUE(contains(outcome.err, "has no pin")) << shown;
            } else if (solver == "symplectic" && outcome.exit == 6) {
                EXPECT_TRUE(contains(outcome.err, name + ": frame ")) << shown; // and says so
            } else {
                ASSERT_EQ(outcome.exit, 0) << shown;
                EXPECT_EQ(json::parse(outcome.out).at("frames"), 2) << shown;
            }
        }
    }
}

// ---- Failures --------------------------------------------------------------------------------

TEST_F(Net, LocalGlobalWithStvkIsAUsageError) {
    const std::string csv = folder_ / "none.csv";
    const Outcome outcome = run_demo(
        {net(), "--headless", "--solver", "local-global", "--energy", "stvk", "--trajectory", csv});
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_EQ(outcome.err_lines(), 1u) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "local-global")) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "stvk")) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_FALSE(std::filesystem::exists(csv));
}

TEST_F(Net, AnExplosionExits6AndKeepsWhatWasSimulated) {
    const std::string csv = folder_ / "boom.csv", path = folder_ / "boom.json";
    const Outcome outcome =
        run_demo({net(), "--headless", "--solver", "symplectic", "--time-step", "0.5", "--frames",
                  "100000", "--trajectory", csv, "--report", path});
    EXPECT_EQ(outcome.exit, 6);
    EXPECT_EQ(outcome.err_lines(), 1u) << outcome.err;
    const json report = json::parse(read_text(path));
    EXPECT_EQ(report.at("status"), "DIVERGED");
    const std::size_t frames = report.at("frames");
    EXPECT_LT(frames, 100000u);
    EXPECT_EQ(outcome.err.rfind("net: frame " + std::to_string(frames + 1) + ": ", 0), 0u)
        << outcome.err;
    EXPECT_EQ(parse_trajectory(read_text(csv)).size(), frames + 1);
    EXPECT_TRUE(contains(outcome.out, "DIVERGED")) << outcome.out;
}

TEST_F(Net, FallingForeverHasNoEquilibrium) {
    const std::string path = folder_ / "loose.json", report = folder_ / "loose.report";
    write_text(path, R"({"obj": "net.obj", "k": 300, "m": 1, "b": []})");
    const Outcome outcome =
        run_demo({path, "--headless", "--solver", "static", "--frames", "1", "--report", report});
    EXPECT_EQ(outcome.exit, 6);
    EXPECT_EQ(outcome.err.rfind("loose: frame 1: ", 0), 0u) << outcome.err;
    EXPECT_EQ(outcome.err_lines(), 1u) << outcome.err;
    EXPECT_EQ(json::parse(read_text(report)).at("status"), "NO_EQUILIBRIUM");
}

TEST_F(Net, StaticSolverFindsTheBalanceOfForces) {
    const Run run =
        simulate({net(), "--solver", "static", "--frames", "1", "--pins", "elimination"});
    const Frames settled(3, run.frames[1]); // no acceleration
    const std::set<std::size_t> pinned(std::begin(pins), std::end(pins));
    EXPECT_LT(worst_imbalance(settled, springs_, pinned, stiffness, rest, 0.0), 1e-5);
    EXPECT_EQ(run.report.at("mean_speed"), 0.0);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true; // sanitizers reserve terabytes of addresses
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
#else
constexpr bool sanitized = false;
#endif

TEST_F(Net, OutOfMemoryExits5) {
    if (sanitized) GTEST_SKIP() << "no memory limit under a sanitizer";
    const std::string path = folder_ / "large.obj";
    std::string obj;
    for (int i = 0; i < 1000000; ++i) obj += "v " + std::to_string(i) + " 0 0\n";
    for (int i = 1; i < 1000000; ++i) {
        obj += "l " + std::to_string(i) + " " + std::to_string(i + 1) + "\n";
    }
    write_text(path, obj);
    for (const std::uint64_t megabytes : {64, 128, 256}) {
        const Outcome outcome =
            run_demo({.arguments = {path, "--headless", "--frames", "0", "--workers", "1"},
                      .memory_limit = megabytes << 20});
        EXPECT_EQ(outcome.exit, 5) << megabytes << " MB: " << outcome.err;
        EXPECT_EQ(outcome.err_lines(), 1u) << outcome.err;
    }
}

// ---- Long runs -------------------------------------------------------------------------------

// Standard error as a terminal, whose output the test reads.
class Terminal {
public:
    Terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY)) {
        if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) return;
        slave_ = open(ptsname(master_), O_RDWR | O_NOCTTY);
        fcntl(master_, F_SETFL, O_NONBLOCK);
    }
    ~Terminal() {
        if (slave_ >= 0) close(slave_);
        if (master_ >= 0) close(master_);
    }
    int slave() const { return slave_; } // -1: no terminals here
    const std::string& read() {
        char buffer[4096];
        for (ssize_t n; (n = ::read(master_, buffer, sizeof buffer)) > 0;) {
            text_.append(buffer, static_cast<std::size_t>(n));
        }
        return text_;
    }

private:
    int master_;
    int slave_ = -1;
    std::string text_;
};

// Waits until the terminal shows so many lines of progress; false after a minute.
bool wait_for_progress(Terminal& terminal, std::ptrdiff_t lines) {
    using namespace std::chrono_literals;
    for (int tries = 0; tries < 3000; ++tries) {
        const std::string& text = terminal.read();
        if (std::count(text.begin(), text.end(), '%') >= lines) return true;
        std::this_thread::sleep_for(20ms);
    }
    return false;
}

TEST_F(Net, ProgressIsShownAtMostTenTimesASecondAndErased) {
    Terminal terminal;
    if (terminal.slave() < 0) GTEST_SKIP() << "no pseudo terminals here";
    const auto start = std::chrono::steady_clock::now();
    Process process(
        {.arguments = {net(), "--headless", "--frames", "2000000000"}, .err = terminal.slave()});
    EXPECT_TRUE(wait_for_progress(terminal, 15)) << terminal.read();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_GT(seconds, 1.4);
    process.send(SIGINT);
    EXPECT_EQ(process.wait().exit, 130);
    EXPECT_TRUE(contains(terminal.read(), "\rframe ")) << terminal.read();
    EXPECT_TRUE(terminal.read().ends_with("\r\033[K")) << terminal.read();
}

TEST_F(Net, InterruptedItWritesWhatItHasAndExits130) {
    Terminal terminal;
    if (terminal.slave() < 0) GTEST_SKIP() << "no pseudo terminals here";
    const std::string csv = folder_ / "long.csv", path = folder_ / "long.json";
    Process process({.arguments = {"curtain", "--headless", "--frames", "2000000000", "--report",
                                   path, "--trajectory", csv},
                     .err = terminal.slave()});
    EXPECT_TRUE(wait_for_progress(terminal, 1)) << terminal.read();
    process.send(SIGINT);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.exit, 130);
    const json report = json::parse(read_text(path));
    EXPECT_EQ(report.at("status"), "INTERRUPTED");
    const Frames frames = parse_trajectory(read_text(csv));
    ASSERT_EQ(frames.size(), report.at("frames").get<std::size_t>() + 1);
    EXPECT_EQ(frames.back().size(), 6561u);
    EXPECT_TRUE(contains(outcome.out, "INTERRUPTED")) << outcome.out;
}

} // namespace
