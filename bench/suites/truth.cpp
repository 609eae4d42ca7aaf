// The methods of the suite `truth` and their names. See truth.hpp.
#include "suites/truth.hpp"

namespace bench {

namespace {

twang::SolverDef local_global(twang_integrator integrator, twang_acceleration acceleration) {
    twang::SolverDef solver = twang::default_solver(TWANG_SOLVER_LOCAL_GLOBAL);
    solver.tolerance = 0.0;
    solver.integrator = integrator;
    solver.acceleration = acceleration;
    return solver;
}

// A method that runs until no vertex's velocity changes by more than 1 mm/s per iteration.
TruthMethod converged(const char* name, twang_solver kind, twang_integrator integrator,
                      int max_side) {
    twang::SolverDef solver = twang::default_solver(kind);
    solver.tolerance = 1e-3;
    solver.integrator = integrator;
    return {name, {100}, solver, 1, max_side, true, false};
}

std::vector<TruthMethod> make_methods() {
    const twang::SolverDef own = twang::WorldDef{}.solver;
    const twang::SolverDef euler = local_global(TWANG_IMPLICIT_EULER, own.acceleration);
    return {
        {"default", {1, 2, 3, 5, 10}, own},
        {"default-2x", {1, 2, 3, 5}, own, 2},
        {"implicit-euler", {1, 2, 3, 5, 10}, euler},
        {"implicit-euler-2x", {2}, euler, 2},
        {"implicit-euler-4x", {2}, euler, 4},
        {"implicit-euler-8x", {2}, euler, 8},
        {"textbook", {5, 10, 20, 50}, local_global(TWANG_IMPLICIT_EULER, TWANG_ACCELERATION_NONE)},
        converged("newton", TWANG_SOLVER_NEWTON, TWANG_BDF2, 24),
        converged("newton-euler", TWANG_SOLVER_NEWTON, TWANG_IMPLICIT_EULER, 24),
        converged("newton-cg", TWANG_SOLVER_NEWTON_CG, TWANG_BDF2, 48),
        converged("newton-cg-euler", TWANG_SOLVER_NEWTON_CG, TWANG_IMPLICIT_EULER, 48),
        {"bullet", {1, 10, 50}, {}, 1, 1000, true, true},
        {"bullet", {200}, {}, 1, 64, true, true}};
}

} // namespace

Setting TruthMethod::setting(int iterations) const {
    Setting setting{solver, substeps};
    setting.solver.iterations = iterations;
    return setting;
}

const std::vector<TruthMethod>& truth_methods() {
    static const std::vector<TruthMethod> methods = make_methods();
    return methods;
}

std::vector<int> truth_sides(bool quick) {
    return quick ? std::vector{16, 32} : std::vector{16, 24, 32, 48, 64, 100};
}

std::string truth_name(int side, const std::string& method, int iterations) {
    return "truth/" + std::to_string(side) + '/' + method + '/' + std::to_string(iterations);
}

double default_to_euler(const Results& results, int side, int iterations) {
    return results.ms(truth_name(side, "default", iterations)) /
           results.ms(truth_name(side, "implicit-euler", iterations));
}

} // namespace bench
