// Names of solvers, energies and other choices as scene files and command lines write them.
#include <array>
#include <utility>

#include <twang/io.hpp>

namespace twang::io {

namespace {

template <class Enum, std::size_t size>
using Table = std::array<std::pair<Enum, const char*>, size>;

constexpr Table<twang_solver, 6> solvers = {{{TWANG_SOLVER_LOCAL_GLOBAL, "local-global"},
                                             {TWANG_SOLVER_NEWTON, "newton"},
                                             {TWANG_SOLVER_NEWTON_CG, "newton-cg"},
                                             {TWANG_SOLVER_LINEAR, "linear"},
                                             {TWANG_SOLVER_SYMPLECTIC, "symplectic"},
                                             {TWANG_SOLVER_STATIC, "static"}}};
constexpr Table<twang_energy, 2> energies = {{{TWANG_HOOKE, "hooke"}, {TWANG_STVK, "stvk"}}};
constexpr Table<twang_pin_method, 2> pin_methods = {
    {{TWANG_PIN_PENALTY, "penalty"}, {TWANG_PIN_ELIMINATION, "elimination"}}};
constexpr Table<twang_acceleration, 5> accelerations = {
    {{TWANG_ACCELERATION_NONE, "none"},
     {TWANG_ACCELERATION_CHEBYSHEV, "chebyshev"},
     {TWANG_ACCELERATION_ANDERSON, "anderson"},
     {TWANG_ACCELERATION_LBFGS, "lbfgs"},
     {TWANG_ACCELERATION_TWO_LEVEL, "two-level"}}};
constexpr Table<twang_integrator, 2> integrators = {
    {{TWANG_IMPLICIT_EULER, "implicit-euler"}, {TWANG_BDF2, "bdf2"}}};
constexpr Table<twang_precision, 4> precisions = {{{TWANG_PRECISION_FLOAT, "float"},
                                                   {TWANG_PRECISION_DOUBLE, "double"},
                                                   {TWANG_PRECISION_HALF, "half"},
                                                   {TWANG_PRECISION_BEST, "best"}}};
constexpr Table<twang_arithmetic, 2> arithmetics = {
    {{TWANG_ARITHMETIC_FAST, "fast"}, {TWANG_ARITHMETIC_PORTABLE, "portable"}}};

template <class Enum, std::size_t size>
const char* name_in(const Table<Enum, size>& table, Enum value) {
    for (const auto& [each, name] : table) {
        if (each == value) return name;
    }
    return "?";
}

template <class Enum, std::size_t size>
std::optional<Enum> value_in(const Table<Enum, size>& table, std::string_view name) {
    for (const auto& [value, each] : table) {
        if (each == name) return value;
    }
    return std::nullopt;
}

} // namespace

const char* name(twang_solver solver) { return name_in(solvers, solver); }
const char* name(twang_energy energy) { return name_in(energies, energy); }
const char* name(twang_pin_method method) { return name_in(pin_methods, method); }
const char* name(twang_acceleration acceleration) { return name_in(accelerations, acceleration); }
const char* name(twang_integrator integrator) { return name_in(integrators, integrator); }
const char* name(twang_precision precision) { return name_in(precisions, precision); }
const char* name(twang_arithmetic arithmetic) { return name_in(arithmetics, arithmetic); }

std::optional<twang_solver> solver_named(std::string_view name) { return value_in(solvers, name); }
std::optional<twang_energy> energy_named(std::string_view name) { return value_in(energies, name); }
std::optional<twang_pin_method> pin_method_named(std::string_view name) {
    return value_in(pin_methods, name);
}
std::optional<twang_acceleration> acceleration_named(std::string_view name) {
    return value_in(accelerations, name);
}
std::optional<twang_integrator> integrator_named(std::string_view name) {
    return value_in(integrators, name);
}
std::optional<twang_precision> precision_named(std::string_view name) {
    return value_in(precisions, name);
}
std::optional<twang_arithmetic> arithmetic_named(std::string_view name) {
    return value_in(arithmetics, name);
}

bool has_integrator(twang_solver solver) {
    return solver == TWANG_SOLVER_LOCAL_GLOBAL || solver == TWANG_SOLVER_NEWTON ||
           solver == TWANG_SOLVER_NEWTON_CG;
}

} // namespace twang::io
