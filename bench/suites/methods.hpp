// The solvers of a step that are compared with each other, with their names in results.
#pragma once

#include <array>
#include <string>

#include <twang/twang.hpp>

namespace bench {

struct Method {
    const char* name;
    twang_solver solver;
    twang_acceleration acceleration;
    int first_iterations; // tried first; more if they do not suffice
    int max_iterations;   // an error that takes more counts as not reached
};

inline constexpr std::array methods{
    Method{"local-global", TWANG_SOLVER_LOCAL_GLOBAL, TWANG_ACCELERATION_NONE, 30, 2000},
    Method{"chebyshev", TWANG_SOLVER_LOCAL_GLOBAL, TWANG_ACCELERATION_CHEBYSHEV, 30, 1000},
    Method{"anderson", TWANG_SOLVER_LOCAL_GLOBAL, TWANG_ACCELERATION_ANDERSON, 30, 1000},
    Method{"lbfgs", TWANG_SOLVER_LOCAL_GLOBAL, TWANG_ACCELERATION_LBFGS, 30, 1000},
    Method{"two-level", TWANG_SOLVER_LOCAL_GLOBAL, TWANG_ACCELERATION_TWO_LEVEL, 30, 1000},
    Method{"newton-cg", TWANG_SOLVER_NEWTON_CG, TWANG_ACCELERATION_NONE, 15, 15},
    Method{"newton", TWANG_SOLVER_NEWTON, TWANG_ACCELERATION_NONE, 4, 12}};

// Returns the name of the engine's default method.
inline std::string default_method() {
    const twang::SolverDef own = twang::WorldDef{}.solver;
    for (const Method& method : methods)
        if (method.solver == own.solver &&
            (method.solver != TWANG_SOLVER_LOCAL_GLOBAL || method.acceleration == own.acceleration))
            return method.name;
    return "";
}

// Returns the settings for a fixed number of iterations. Newton and Newton-CG end earlier when no
// vertex moves by more than 2 micrometres.
inline twang::SolverDef settings(const Method& method, int iterations) {
    const double tolerance = method.solver == TWANG_SOLVER_LOCAL_GLOBAL ? 0.0 : 1e-4;
    return {method.solver, iterations, tolerance, method.acceleration};
}

inline constexpr std::array error_levels{"1e-1", "1e-2", "1e-3", "1e-4"};

} // namespace bench
