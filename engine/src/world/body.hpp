// The state of one body: what the caller set, positions x and velocities v, the system Q with its
// factor and the requests for the next one, and the scratch memory of its solver.
// Everything is in elimination order, the order in which Q is factored; only float_positions and
// float_velocities are in the caller's order.
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

// The grabs of a body, by handle. A change takes effect at the start of the next step.
struct GrabSlots {
    static constexpr std::size_t max_grabs = 16;
    static constexpr double max_stiffness = 1e9; // N/m, like the stiffest springs in tests
    struct Slot {
        std::uint32_t generation = 0;     // restored by snapshots; 0: never used
        std::uint32_t max_generation = 0; // highest generation ever given out, snapshots or not
        bool in_use = false;
        Grab grab{};
        Vec3 from{}; // target at the end of the last step; moves evenly
    };
    std::vector<Slot> slots;

    std::uint32_t add(const Grab& grab); // returns the index of the slot
    std::size_t used() const;            // slots that were ever used, in use or not
    std::vector<Grab> list() const;      // grabs in use, in the order of the slots
};

struct Body {
    std::shared_ptr<const Model> model;
    twang_energy energy;
    twang_solver_def settings;
    Pins pins;
    GrabSlots grabs;
    std::unique_ptr<BodySprings> own_springs; // null: the springs of the model
    Torn torn;
    UpdatedSystem system; // Q and its factor, with the pins and grabs of the last apply_changes
    bool changed = false; // pins or grabs differ from those of `system`
    bool wants_system = false;       // another factor has to be requested
    bool wants_start_system = false; // the next step goes back to start_system
    bool stale = false;              // the next step has to make a factor before it can begin
    bool refit = true;               // the workspace may be too small for system and settings
    std::shared_ptr<FactorRequest> pending; // the requested system; null: none
    std::uint64_t due = 0;                  // number of the step that adopts `pending`
    // Schur updates of pins and grabs on `pending`: under way, and completed.
    std::shared_ptr<const PendingUpdate> pending_update, finished_update;
    bool update_outdated = false; // pins or grabs changed since the last update was started
    std::shared_ptr<const System> start_system, previous; // for reset, and for restored snapshots
    int factorings = 0;                                   // systems adopted so far
    VertexArray<Vec3> x, v;                               // m, m/s
    History history;                                      // what the next step needs of the last
    VertexArray<Vec3> before;        // m: x one time step ago, to draw positions in between
    VertexArray<Vec3> pin_reactions; // N: force of each pin on its vertex, mean over the last step
    std::vector<Vec3> user_forces;   // N, for the next step
    bool has_user_forces = false;
    OwnForces own;
    StrainLimit strain_limit;
    Sleep sleep;
    VertexArray<Vec3> start_x, start_v; // state that reset goes back to
    std::vector<char> start_held;       // per vertex: pinned at creation
    double vertex_radius = 0.0;         // m; 0: no vertex spheres
    double vertex_friction = 0.0;       // Coulomb's mu of the vertex spheres
    PairList self_contacts;             // contacts of a step in which the body touches only itself
    Workspace work;                     // scratch of the solver
    VertexArray<AirOnTriangle> air;     // per triangle: scratch of push()
    std::vector<float> float_positions, float_velocities; // m, m/s, in the caller's order
    twang_report report{};
    char reason[256] = ""; // message of the last failure

    Body(std::shared_ptr<const Model> shared, twang_energy spring_energy);
    const SpringSet& springs() const { return own_springs ? own_springs->set() : *model; }
};

// Returns the body's own springs; the first call copies those of the model.
BodySprings& body_springs(Body& body);

Status check_solver(const twang_solver_def& settings, twang_energy energy);
bool same(const twang_solver_def& a, const twang_solver_def& b);
// Checks the settings and allocates for them; the body is unchanged on failure.
Status set_solver(Body& body, const twang_solver_def& settings);

void show(Body& body); // copies x and v to the float arrays
// The same after positions were set: drops the motion from the last positions, so that none of it
// is drawn or continued, and wakes the body.
void publish(Body& body);
void wake(Body& body);
void stop_motion(
    Body& body); // sets v = 0 and drops the motion of the last step, for a body that falls asleep
void reset(Body& body);

// Turns the body about `pivot`, then moves it: positions, positions one step ago, and the targets
// of pins and grabs move along; velocities, pin reactions and contact forces are turned. The body
// is unchanged where a result would not be finite.
Status teleport(Body& body, const Rotation& turn, Vec3 pivot, Vec3 move);

// Copies between the caller's xyz arrays and the body's elimination order.
void copy_out(const Model& model, const VertexArray<Vec3>& from, double* xyz);
Status copy_in(const Model& model, const char* what, const double* xyz, VertexArray<Vec3>& to);

twang_measures measure(const Body& body);
std::uint64_t state_hash(const Body& body); // hash of positions, velocities and contact forces
double kinetic_energy(const Body& body);    // J
double elastic_energy(const Body& body);    // J

} // namespace twang::core
