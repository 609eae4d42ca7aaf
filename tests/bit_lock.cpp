// bit_lock holds a change that must not change results to its word: it runs the shipped scenes with
// the machine's best instructions and prints a hash of each run's motion. (golden_test does so for
// portable arithmetic alone, whose bits are the same on every machine.)
//
//   cmake --build build/release --target bit_lock
//   build/release/tests/bit_lock --record before.txt     about three minutes, on one core
//   ... the change, and another build ...
//   build/release/tests/bit_lock --compare before.txt    prints what differs; exit code 1
//
//   --filter REGEX   with either: only the cases whose names match
//   --check          the short form that the tests run: compares cases of this build with each
//   other
//
// A file holds one line per case, in the same order always, so that `diff` of two files works too:
//   SCENE/PRECISION/{alone,crowd,touching}/WORKERS/SOLVER  hash of all bodies  of the first  OK
// The last word is another status than OK where a step has failed, as in a scene that the solver
// cannot do; what became of its bodies is in the hashes.
//
// The hashes are those of one machine, one compiler and one set of build options. Nothing in a case
// depends on how fast the machine is: no budget, no TWANG_WHEN_READY, a factor is taken a fixed
// number of steps after it was asked for, and precisions are given, for TWANG_PRECISION_BEST may
// look at the machine's caches.
#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <twang/io.hpp>

namespace {

using twang::io::Scene;
using twang::io::Stage;

enum class Company {
    alone,
    crowd,   // of 8, as many as are solved side by side, or of as many as the scene has
    touching // two whose vertices are balls
};
constexpr const char* company_names[] = {"alone", "crowd", "touching"};

struct Case {
    std::string scene;
    twang_precision precision = TWANG_PRECISION_FLOAT;
    Company company = Company::alone;
    int workers = 1;
    twang::SolverDef solver = twang::default_solver(TWANG_SOLVER_LOCAL_GLOBAL);
    int frames = 0;

    std::string name() const {
        std::string text = scene + '/' + twang::io::name(precision) + '/' +
                           company_names[static_cast<int>(company)] + '/' +
                           std::to_string(workers) + '/' + twang::io::name(solver.solver);
        if (solver.solver == TWANG_SOLVER_LOCAL_GLOBAL &&
            solver.acceleration != twang::SolverDef().acceleration)
            text += std::string("-") + twang::io::name(solver.acceleration);
        return text;
    }
};

struct Outcome {
    std::uint64_t all = 0;   // of every frame: the world's hash
    std::uint64_t first = 0; // of every frame: positions and velocities of the first body
    twang_status status = TWANG_OK;

    bool operator==(const Outcome&) const = default;
    std::string text() const {
        char text[80];
        std::snprintf(text, sizeof text, "%016" PRIX64 " %016" PRIX64 " %s", all, first,
                      twang_status_name(status));
        return text;
    }
};

void check(twang_status status) {
    if (status != TWANG_OK) throw std::runtime_error(twang::last_error());
}

// ---- The cases --------------------------------------------------------------------------------

std::vector<std::string> shipped_scenes() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(TWANG_ASSETS_DIR "/scenes"))
        if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

Scene read(const std::string& name) {
    auto scene = twang::io::read_scene(TWANG_ASSETS_DIR "/scenes/" + name + ".json");
    if (!scene) throw std::runtime_error(scene.error().text());
    return std::move(*scene);
}

// Enough to come to contacts; fewer where a frame is dear.
int frames_of(const std::string& scene) {
    static const std::map<std::string, int> dear{{"bunny", 8},   {"cape", 24},  {"crowd", 8},
                                                 {"curtain", 8}, {"drape", 16}, {"flag", 24},
                                                 {"jelly", 16},  {"tear", 24}};
    const auto found = dear.find(scene);
    return found == dear.end() ? 40 : found->second;
}

void add_workers(std::vector<Case>& cases, Case each) {
    for (const int workers : {1, 3}) {
        each.workers = workers;
        cases.push_back(each);
    }
}

// Local-global as it is by default.
void add_default(std::vector<Case>& cases, const std::string& scene, int frames) {
    for (const twang_precision precision :
         {TWANG_PRECISION_FLOAT, TWANG_PRECISION_HALF, TWANG_PRECISION_DOUBLE})
        for (const Company company : {Company::alone, Company::crowd})
            add_workers(
                cases,
                {.scene = scene, .precision = precision, .company = company, .frames = frames});
    if (!read(scene).mesh.quads.empty())
        add_workers(cases, {.scene = scene, .company = Company::touching, .frames = frames});
}

void add_accelerations(std::vector<Case>& cases, const std::string& scene, int frames) {
    for (const twang_acceleration acceleration :
         {TWANG_ACCELERATION_NONE, TWANG_ACCELERATION_CHEBYSHEV, TWANG_ACCELERATION_ANDERSON,
          TWANG_ACCELERATION_LBFGS}) {
        Case each{.scene = scene, .frames = frames};
        each.solver.acceleration = acceleration;
        add_workers(cases, each);
    }
}

// Few iterations in few steps, for most of these factor in each.
void add_other_solvers(std::vector<Case>& cases, const std::string& scene) {
    const auto add = [&](twang_solver solver, int iterations, int steps) {
        Case each{.scene = scene, .solver = twang::default_solver(solver), .frames = steps};
        each.solver.iterations = iterations;
        each.solver.tolerance = 0.0; // so many
        add_workers(cases, each);
    };
    for (const twang_solver solver : {TWANG_SOLVER_NEWTON, TWANG_SOLVER_NEWTON_CG,
                                      TWANG_SOLVER_LINEAR, TWANG_SOLVER_SYMPLECTIC})
        add(solver, 2, 3);
    add(TWANG_SOLVER_STATIC, 10, 1); // which tries the exact Hessian in its ninth iteration
}

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    for (const std::string& scene : shipped_scenes()) {
        const int frames = frames_of(scene);
        add_default(cases, scene, frames);
        add_accelerations(cases, scene, frames);
        add_other_solvers(cases, scene);
    }
    return cases;
}

// ---- A run ------------------------------------------------------------------------------------

// Two layers, one above the other where the cloth lies, else one behind the other.
void set_touching(Scene& scene) {
    const auto corner = [&](int k) { return &scene.mesh.positions[3 * scene.mesh.quads[k]]; };
    const double *const a = corner(0), *const b = corner(1), *const c = corner(2);
    const double edge = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    const bool lies = a[1] == c[1];
    scene.vertex_radius = 0.5 * edge;
    scene.copies = {{1, lies ? 2u : 1u, lies ? 1u : 2u}, {0.0, 1.1 * edge, 1.1 * edge}};
}

void set_company(Company company, Scene& scene) {
    if (company == Company::alone) {
        scene.copies = {};
    } else if (company == Company::touching) {
        set_touching(scene);
    } else if (scene.copies.total() < 8) {
        // Apart a little, so that each meets the colliders in its own way.
        scene.copies = {{2, 2, 2}, {0.013, 0.007, 0.011}};
    }
}

Scene scene_of(const Case& each) {
    Scene scene = read(each.scene);
    const bool is_local_global = each.solver.solver == TWANG_SOLVER_LOCAL_GLOBAL;
    if (is_local_global) scene.energy = TWANG_HOOKE; // all that it knows
    scene.world.solver = each.solver;
    scene.world.precision = each.precision;
    scene.world.arithmetic = TWANG_ARITHMETIC_FAST;
    scene.world.workers = each.workers;
    scene.world.refactor_delay = std::max(1, each.frames / 8);
    if (each.solver.solver == TWANG_SOLVER_SYMPLECTIC) scene.world.substeps = 200;
    set_company(each.company, scene);
    return scene;
}

// What is done to the bodies while they move: the same to each, at eighths of the run.
class LiveChanges {
public:
    LiveChanges(Stage& stage, const Case& each) : stage_(stage), frames_(each.frames) {
        grabs_.resize(stage.bodies.size());
        for (std::uint32_t v = 0; v < stage.body.vertex_count() && pins_.size() < 2; ++v)
            if (stage.body.is_pinned(v)) pins_.push_back(v);
    }

    void before(int frame) {
        if (frame == at(2)) move_pin();
        if (frame == at(3)) grab();
        if (frame == at(4)) stage_.world.set_time_step(1.2 * stage_.world.time_step());
        if (frame == at(5)) unpin();
        if (frame == at(7)) release();
    }

private:
    int at(int eighths) const { return std::max(1, eighths * frames_ / 8); }
    static twang::Vec3 place(const twang::Body& body, std::uint32_t vertex) {
        const std::span<const float> p = body.positions().subspan(3 * vertex, 3);
        return {p[0], p[1], p[2]};
    }
    // To 2 cm from where it is; a body without pins gets its first.
    void move_pin() {
        const std::uint32_t vertex = pins_.empty() ? 0 : pins_.front();
        for (twang::Body& body : stage_.bodies) {
            const twang::Vec3 p = place(body, vertex);
            check(body.pin(vertex, {p.x + 0.02, p.y + 0.01, p.z - 0.01}));
        }
    }
    void grab() {
        const auto vertex = static_cast<std::uint32_t>(stage_.body.vertex_count() / 2);
        for (std::size_t i = 0; i < grabs_.size(); ++i) {
            const twang::Vec3 p = place(stage_.bodies[i], vertex);
            grabs_[i] = stage_.bodies[i].grab({.vertices = {vertex, vertex, vertex},
                                               .weights = {1.0, 0.0, 0.0},
                                               .target = {p.x, p.y + 0.05, p.z + 0.05}});
            check(grabs_[i].status());
        }
    }
    // A body keeps its only pin, for without any it has no equilibrium.
    void unpin() {
        if (pins_.size() < 2) return;
        for (twang::Body& body : stage_.bodies) check(body.unpin(pins_.back()));
    }
    void release() {
        for (twang::Grab& grab : grabs_) check(grab.release());
    }

    Stage& stage_;
    const int frames_;
    std::vector<std::uint32_t> pins_; // the first two of the scene's
    std::vector<twang::Grab> grabs_;  // one of each body
};

// FNV-1a, by words.
void add_to(std::uint64_t& hash, std::uint64_t word) { hash = (hash ^ word) * 0x100000001B3u; }

void add_state(std::uint64_t& hash, const twang::Body& body, std::vector<double>& room) {
    room.resize(3 * body.vertex_count());
    const auto add_room = [&] {
        for (const double value : room) add_to(hash, std::bit_cast<std::uint64_t>(value));
    };
    check(body.copy_positions(room));
    add_room();
    check(body.copy_velocities(room));
    add_room();
    for (const float value : body.positions()) add_to(hash, std::bit_cast<std::uint32_t>(value));
}

Outcome run(const Case& each) {
    auto stage = twang::io::instantiate(scene_of(each));
    if (!stage) throw std::runtime_error(each.name() + ": " + stage.error().text());
    LiveChanges changes(*stage, each);
    Outcome outcome{.all = 0xCBF29CE484222325u, .first = 0xCBF29CE484222325u};
    std::vector<double> room;
    for (int frame = 0; frame < each.frames; ++frame) {
        changes.before(frame);
        const twang_status status = stage->step();
        if (status != TWANG_OK) outcome.status = status;
        add_to(outcome.all, stage->world.hash());
        add_state(outcome.first, stage->body, room);
    }
    for (const twang::Body& body : stage->bodies) add_state(outcome.all, body, room);
    return outcome;
}

// ---- What the program does --------------------------------------------------------------------

std::string line(const Case& each, const Outcome& outcome) {
    return each.name() + ' ' + outcome.text();
}

int record(const std::vector<Case>& cases, const std::string& path) {
    std::ofstream file(path);
    for (const Case& each : cases) file << line(each, run(each)) << std::endl;
    if (file.good()) return 0;
    std::fprintf(stderr, "cannot write %s\n", path.c_str());
    return 2;
}

// By the names of their cases.
std::map<std::string, std::string> read_lines(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    std::map<std::string, std::string> lines;
    for (std::string text; std::getline(file, text);) lines[text.substr(0, text.find(' '))] = text;
    return lines;
}

int compare(const std::vector<Case>& cases, const std::string& path) {
    const std::map<std::string, std::string> recorded = read_lines(path);
    int different = 0;
    for (const Case& each : cases) {
        const auto found = recorded.find(each.name());
        const std::string now = line(each, run(each));
        if (found != recorded.end() && found->second == now) continue;
        ++different;
        std::printf("- %s\n+ %s\n",
                    found == recorded.end() ? "not recorded" : found->second.c_str(), now.c_str());
        std::fflush(stdout);
    }
    std::printf("%d of %zu cases differ\n", different, cases.size());
    return different > 0;
}

// One worker and three move alike, and so do a body alone and the first of a crowd.
int check_against_each_other() {
    int different = 0;
    const auto expect = [&](bool holds, const Case& each, const Case& other) {
        if (holds) return;
        ++different;
        std::printf("%s is not %s\n", each.name().c_str(), other.name().c_str());
    };
    std::vector<Case> cases;
    for (const std::string& scene : shipped_scenes())
        add_default(cases, scene, std::max(2, frames_of(scene) / 5));
    std::map<std::string, Outcome> outcomes;
    for (const Case& each : cases) outcomes[each.name()] = run(each);
    for (const Case& each : cases) {
        const Outcome& outcome = outcomes.at(each.name());
        Case other = each;
        other.workers = 1;
        expect(outcome == outcomes.at(other.name()), each, other);
        if (each.company != Company::crowd) continue;
        other.company = Company::alone;
        const Outcome& alone = outcomes.at(other.name());
        expect(outcome.first == alone.first && outcome.status == alone.status, each, other);
    }
    std::printf("%zu cases, %d differences\n", cases.size(), different);
    return different > 0;
}

struct Options {
    std::string record, compare, filter;
    bool check = false, is_wrong = false;
};

Options parse(std::span<char*> arguments) {
    Options options;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        const bool has_value = i + 1 < arguments.size();
        if (argument == "--check")
            options.check = true;
        else if (argument == "--record" && has_value)
            options.record = arguments[++i];
        else if (argument == "--compare" && has_value)
            options.compare = arguments[++i];
        else if (argument == "--filter" && has_value)
            options.filter = arguments[++i];
        else
            options.is_wrong = true;
    }
    const int tasks = options.check + !options.record.empty() + !options.compare.empty();
    options.is_wrong = options.is_wrong || tasks != 1;
    return options;
}

int run_program(const Options& options) {
    if (options.check) return check_against_each_other();
    std::vector<Case> cases = all_cases();
    const std::regex wanted(options.filter);
    std::erase_if(cases, [&](const Case& each) { return !std::regex_search(each.name(), wanted); });
    return options.record.empty() ? compare(cases, options.compare) : record(cases, options.record);
}

} // namespace

int main(int argc, char** argv) {
    const Options options = parse({argv, static_cast<std::size_t>(argc)});
    if (options.is_wrong) {
        std::fprintf(stderr,
                     "usage: bit_lock {--record FILE | --compare FILE} [--filter REGEX]\n"
                     "       bit_lock --check\n");
        return 2;
    }
    try {
        return run_program(options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bit_lock: %s\n", error.what());
        return 2;
    }
}
