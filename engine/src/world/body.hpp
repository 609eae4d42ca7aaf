// The mutable state of one simulated model: positions, velocities, pins, solver, its last report.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "solver/body_contact.hpp"
#include "solver/context.hpp"
#include "system/factor_service.hpp"
#include "world/forces.hpp"
#include "world/sleep.hpp"
#include "world/strain_limit.hpp"
#include "world/tearing.hpp"

namespace twang::core {

// Points grabbed, by handle. Changes are admitted at the start of a step.
struct GrabSlots {
    static constexpr std::size_t most = 16;
    struct Slot {
        std::uint32_t generation = 0; // goes back with a snapshot; 0: not used yet
        std::uint32_t newest = 0;     // the highest it ever was: handles up to that were given out
        bool in_use = false;
        Grab grab{};
        Vec3 from{}; // the target at the end of the last step: it moves evenly over the substeps
    };
    std::vector<Slot> slots;

    std::uint32_t add(const Grab& grab); // index of the slot
    std::size_t used() const;            // how many slots have been used, in use or not
    std::vector<Grab> list() const;      // in the order of the slots
};

struct Body {
    std::shared_ptr<const Model> model;
    twang_energy energy;
    twang_solver_def settings;
    Pins pins;
    GrabSlots grabs;
    std::unique_ptr<LiveSprings> own_springs; // null while they are the model's
    Torn torn;
    LiveSystem system;              // for pins and grabs as last admitted
    bool changed = false;           // pins or grabs are not as `system` has them
    bool wants_system = false;      // another system is to be ordered
    bool to_start = false;          // start_system is the one to go on with
    bool stale = false;             // a new system is needed before the next step
    bool refit = true;              // the workspace may lack room for system and settings
    std::shared_ptr<Order> pending; // the next system, being made
    std::uint64_t due = 0;          // the step it is taken in
    std::shared_ptr<const Fitting> fitting, fitted;       // of changes to it: under way, and done
    bool unfitted = false;                                // there were changes since
    std::shared_ptr<const System> start_system, previous; // what reset and rollback go back to
    int factorings = 0;
    VertexArray<Vec3> x, v; // in elimination order, like everything inside
    History history;
    VertexArray<Vec3> before;      // x one time step ago, to draw what is in between
    VertexArray<Vec3> holding;     // N: what pins pushed with in the last step, where there are any
    std::vector<Vec3> user_forces; // for the next step
    bool has_user_forces = false;
    OwnForces own;
    StrainLimit strain_limit;
    Sleep sleep;
    VertexArray<Vec3> start_x, start_v; // what reset goes back to
    std::vector<char> start_held;
    double particle_radius = 0.0; // m; 0: off
    double particle_friction = 0.0;
    PairList self_contacts; // for the step, where the body touches nothing but itself
    Workspace work;
    VertexArray<AirOnTriangle> air;                       // of the last step, for push
    std::vector<float> float_positions, float_velocities; // in the caller's order
    twang_report report{};
    char reason[256] = ""; // of the last failure

    Body(std::shared_ptr<const Model> shared, twang_energy spring_energy);
    const SpringSet& springs() const { return own_springs ? own_springs->set() : *model; }
};

// The body's own springs, made on first use.
LiveSprings& live_springs(Body& body);

Status check_solver(const twang_solver_def& settings, twang_energy energy);
bool same(const twang_solver_def& a, const twang_solver_def& b);
// Checks settings and makes room for them; the body is unchanged on failure.
Status set_solver(Body& body, const twang_solver_def& settings);

void show(Body& body); // fills the float arrays
// The same for positions that were set, not stepped to: there is no motion from the last ones to
// draw, and the body wakes.
void publish(Body& body);
void wake(Body& body);
void lie_down(Body& body); // what falls asleep is still
void reset(Body& body);

// Turned about `pivot`, then moved: positions, those before them, pins and grabs go along,
// velocities and forces on pins are turned.
// Unchanged where that would leave the range of numbers.
Status teleport(Body& body, const Turn& turn, Vec3 pivot, Vec3 move);

// Between the caller's xyz arrays and the body's order.
void copy_out(const Model& model, const VertexArray<Vec3>& from, double* xyz);
Status copy_in(const Model& model, const char* what, const double* xyz, VertexArray<Vec3>& to);

twang_measures measure(const Body& body);
std::uint64_t state_hash(const Body& body); // of positions, velocities, contact forces
double kinetic_energy(const Body& body);
double elastic_energy(const Body& body);

} // namespace twang::core
