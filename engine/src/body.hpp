// The mutable state of one simulated model: positions, velocities, pins, solver, its last report.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "particles.hpp"
#include "solving.hpp"

namespace twang::core {

struct Body {
    std::shared_ptr<const Model> model;
    twang_energy energy;
    twang_solver_def settings;
    Pins pins;
    std::shared_ptr<const System> system; // for `pins` as last admitted
    bool stale = false;                   // a new system is needed whatever the pins say
    bool refit = true;                    // the workspace may lack room for system and settings
    int factorings = 0;
    VertexArray<Vec3> x, v;        // in elimination order, like everything inside
    std::vector<Vec3> user_forces; // for the next step
    bool has_user_forces = false;
    VertexArray<Vec3> start_x, start_v; // what reset goes back to
    std::vector<char> start_held;
    double particle_radius = 0.0; // m; 0: off
    double particle_friction = 0.0;
    std::uint32_t first_particle = 0; // of this step
    Workspace work;
    std::vector<float> float_positions, float_velocities; // in the caller's order
    twang_report report{};

    Body(std::shared_ptr<const Model> shared, twang_energy spring_energy);
};

Status check_solver(const twang_solver_def& settings, twang_energy energy);
// Checks settings and makes room for them; the body is unchanged on failure.
Status set_solver(Body& body, const twang_solver_def& settings);

void publish(Body& body); // fills the float arrays
void reset(Body& body);

// Between the caller's xyz arrays and the body's order.
void copy_out(const Model& model, const VertexArray<Vec3>& from, double* xyz);
Status copy_in(const Model& model, const char* what, const double* xyz, VertexArray<Vec3>& to);

twang_measures measure(const Body& body);
double kinetic_energy(const Body& body);
double elastic_energy(const Body& body);

} // namespace twang::core
