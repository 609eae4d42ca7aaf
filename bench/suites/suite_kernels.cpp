// solve, project, iteration: the parts of a frame, compared with a textbook or a library, and with
// the time to merely read the same bytes. All work on the same step of the same scene. A method
// whose answer is wrong is not timed.
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "suites/inside.hpp"
#include "suites/suites.hpp"

namespace bench {

namespace {

constexpr double relative_tolerance = 1e-3; // relative to the largest number
constexpr double half_tolerance = 1e-2;     // half precision: 11 bits, in long sums

// Returns max k r over springs (N), the force at which a spring's length doubles. Float computes
// forces to a relative error of this, also where they cancel.
double force_scale(const Problem& problem) {
    double largest = 0.0;
    for (const twang::SpringDef& s : problem.springs)
        largest = std::max(largest, s.stiffness * s.rest_length);
    return largest;
}

// Throws if an answer differs from the expected one by more than `tolerance` times the largest
// number, or times `largest` if that is greater.
void compare(const std::vector<Vec3>& answer, const std::vector<Vec3>& expected, double tolerance,
             double largest = 0.0) {
    double worst = 0.0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const Vec3 a = answer[i], b = expected[i];
        largest = std::max({largest, std::abs(b.x), std::abs(b.y), std::abs(b.z)});
        const double difference = std::abs(a.x - b.x) + std::abs(a.y - b.y) + std::abs(a.z - b.z);
        if (!(difference <= worst)) worst = difference; // true for NaN as well
    }
    if (!(worst <= tolerance * largest))
        throw std::runtime_error("wrong answer: off by " + std::to_string(worst / largest));
}

// Returns numbers between -1 and 1, the same in every run.
std::vector<Vec3> right_side(std::size_t n) {
    std::vector<Vec3> b(n);
    for (std::size_t i = 0; i < n; ++i)
        b[i] = {std::sin(1.0 * i), std::sin(2.0 * i), std::sin(3.0 * i)};
    return b;
}

std::vector<double> to_columns(const std::vector<Vec3>& v) {
    std::vector<double> columns(3 * v.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
        columns[i] = v[i].x;
        columns[v.size() + i] = v[i].y;
        columns[2 * v.size() + i] = v[i].z;
    }
    return columns;
}

std::vector<Vec3> from_columns(const std::vector<double>& c) {
    std::vector<Vec3> v(c.size() / 3);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = {c[i], c[v.size() + i], c[2 * v.size() + i]};
    return v;
}

// The data that the benchmarks of a scene share; each part is made at its first use.
class KernelScene {
public:
    explicit KernelScene(const twang::io::Scene& scene) : stage_(start(scene, 1, 10)) {
        b = right_side(stage_.body.vertex_count());
    }
    KernelScene(const KernelScene&) = delete;
    const Problem& problem() { return problem_.get(); }
    const DirectSolver& eigen() { return *eigen_.get(); }
    const DirectSolver& cholmod() { return *cholmod_.get(); }
    const std::vector<Vec3>& expected() { return expected_.get(); }

    // Returns a new object each time, because iterations change it. The factored systems are kept.
    Inside inside(twang_precision precision, int workers) {
        const bool is_new = !systems_.contains(precision);
        Stored& stored = systems_[precision];
        if (is_new) stored.system = stored_system(stage_, precision);
        if (is_new && !stored.system) stored.error = twang::last_error();
        if (!stored.system) throw std::runtime_error(stored.error);
        return Inside(stage_, stored.system, workers);
    }
    void count(benchmark::State& state, const Inside& inside) {
        state.counters["n"] = static_cast<double>(b.size());
        state.counters["springs"] = stage_.model.info().springs;
        state.counters["l_nonzeros"] = static_cast<double>(inside.l_nonzeros());
        state.counters["bytes"] = static_cast<double>(inside.bytes());
    }
    std::vector<Vec3> b; // right side of the global step

private:
    twang::io::Stage stage_;
    struct Stored {
        std::shared_ptr<const twang::core::System> system;
        std::string error; // if there is no system; kept, because each attempt takes seconds
    };
    std::map<twang_precision, Stored> systems_;
    Lazy<Problem> problem_{[this] { return inside(TWANG_PRECISION_BEST, 1).problem(); }};
    Lazy<Matrix> matrix_{[this] { return system_matrix(problem()); }};
    Lazy<std::unique_ptr<DirectSolver>> eigen_{[this] { return eigen_solver(matrix_.get()); }};
    Lazy<std::unique_ptr<DirectSolver>> cholmod_{[this] { return cholmod_solver(matrix_.get()); }};
    Lazy<std::vector<Vec3>> expected_{[this] {
        const std::vector<double> right = to_columns(b);
        std::vector<double> solution(right.size());
        eigen().solve(right.data(), solution.data());
        return from_columns(solution);
    }};
};

using KernelScenePointer = std::shared_ptr<Lazy<KernelScene>>;

void add_solve(Suite& suite, const std::string& path, const KernelScenePointer& scene,
               const std::string& name, twang_precision precision, int workers) {
    const double tolerance =
        precision == TWANG_PRECISION_HALF ? half_tolerance : relative_tolerance;
    suite.add(path + name + '/' + std::to_string(workers), guarded([=](benchmark::State& state) {
                  KernelScene& s = scene->get();
                  Inside inside = s.inside(precision, workers);
                  inside.set_right_side(s.b);
                  inside.solve();
                  compare(inside.solution(), s.expected(), tolerance);
                  for (auto _ : state) inside.solve();
                  s.count(state, inside);
              }));
}

void add_rival_solve(Suite& suite, const std::string& path, const KernelScenePointer& scene,
                     const std::string& name, const DirectSolver& (KernelScene::*rival)()) {
    suite.add(path + name + "/1", guarded([=](benchmark::State& state) {
                  KernelScene& s = scene->get();
                  const DirectSolver& solver = (s.*rival)();
                  const std::vector<double> right = to_columns(s.b);
                  std::vector<double> solution(right.size());
                  solver.solve(right.data(), solution.data());
                  compare(from_columns(solution), s.expected(), relative_tolerance);
                  for (auto _ : state) solver.solve(right.data(), solution.data());
                  s.count(state, s.inside(TWANG_PRECISION_FLOAT, 1));
              }));
}

void add_stream(Suite& suite, const std::string& path, const KernelScenePointer& scene, int workers,
                void (Inside::*stream)()) {
    suite.add(path + "stream/" + std::to_string(workers), guarded([=](benchmark::State& state) {
                  Inside inside = scene->get().inside(TWANG_PRECISION_FLOAT, workers);
                  for (auto _ : state) (inside.*stream)();
                  scene->get().count(state, inside);
              }));
}

void add_project(Suite& suite, const std::string& path, const KernelScenePointer& scene,
                 int workers) {
    suite.add(path + "twang/" + std::to_string(workers), guarded([=](benchmark::State& state) {
                  KernelScene& s = scene->get();
                  Inside inside = s.inside(TWANG_PRECISION_FLOAT, workers),
                         alone = s.inside(TWANG_PRECISION_FLOAT, 1);
                  std::vector<Vec3> expected(s.b.size());
                  const double g = scatter(s.problem(), expected);
                  if (std::abs(inside.project() - g) > relative_tolerance * std::abs(g))
                      throw std::runtime_error("wrong energy");
                  const std::vector<Vec3> gradient = inside.gradient();
                  compare(gradient, expected, relative_tolerance, 1e-2 * force_scale(s.problem()));
                  alone.project();
                  if (std::memcmp(gradient.data(), alone.gradient().data(),
                                  gradient.size() * sizeof(Vec3)) != 0)
                      throw std::runtime_error("other bits than with one worker");
                  for (auto _ : state) benchmark::DoNotOptimize(inside.project());
                  s.count(state, inside);
              }));
}

void add_scatter(Suite& suite, const std::string& path, const KernelScenePointer& scene) {
    suite.add(path + "scatter/1", guarded([=](benchmark::State& state) {
                  KernelScene& s = scene->get();
                  std::vector<Vec3> gradient(s.b.size());
                  for (auto _ : state) benchmark::DoNotOptimize(scatter(s.problem(), gradient));
                  s.count(state, s.inside(TWANG_PRECISION_FLOAT, 1));
              }));
}

void add_iteration(Suite& suite, const std::string& path, const KernelScenePointer& scene,
                   int workers) {
    suite.add(path + "twang/" + std::to_string(workers), guarded([=](benchmark::State& state) {
                  KernelScene& s = scene->get();
                  Inside inside = s.inside(TWANG_PRECISION_BEST, workers);
                  Textbook textbook(s.problem(), s.eigen());
                  inside.iterate();
                  textbook.iterate();
                  compare(inside.x(), textbook.x(), relative_tolerance);
                  for (auto _ : state) inside.iterate();
                  s.count(state, inside);
              }));
}

void add_textbook(Suite& suite, const std::string& path, const KernelScenePointer& scene) {
    suite.add(path + "textbook/1", guarded([=](benchmark::State& state) {
                  KernelScene& s = scene->get();
                  Textbook textbook(s.problem(), s.eigen());
                  for (auto _ : state) textbook.iterate();
                  s.count(state, s.inside(TWANG_PRECISION_BEST, 1));
              }));
}

} // namespace

Group kernel_group(const Workload& workload, const Options&) {
    const auto add = [=](Suite& suite) {
        const auto scene =
            std::make_shared<Lazy<KernelScene>>([=] { return KernelScene(workload.make()); });
        const std::string solve = "solve/" + workload.name + '/';
        const std::string project = "project/" + workload.name + '/';
        const std::string iteration = "iteration/" + workload.name + '/';
        for (const int workers : {1, 2}) {
            add_solve(suite, solve, scene, "twang", TWANG_PRECISION_FLOAT, workers);
            add_solve(suite, solve, scene, "twang-half", TWANG_PRECISION_HALF, workers);
            add_solve(suite, solve, scene, "twang-double", TWANG_PRECISION_DOUBLE, workers);
            add_stream(suite, solve, scene, workers, &Inside::stream_solve);
            add_project(suite, project, scene, workers);
            add_stream(suite, project, scene, workers, &Inside::stream_project);
            add_iteration(suite, iteration, scene, workers);
        }
        add_rival_solve(suite, solve, scene, "eigen", &KernelScene::eigen);
        if (has_cholmod()) add_rival_solve(suite, solve, scene, "cholmod", &KernelScene::cholmod);
        add_scatter(suite, project, scene);
        add_textbook(suite, iteration, scene);
    };
    return {"solve, project, iteration: " + workload.name, add};
}

} // namespace bench
