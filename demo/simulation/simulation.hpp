// The simulation behind the window: one scene, stepped on its fixed time step h and interpolated
// for drawing,
//   x_drawn = (1 - t) x_before + t x_now,   t = unsimulated seconds / h.
// The scene runs once, or twice for the comparison of its own solver with Newton's method.
//
// The folder simulation/ owns time (pause, single steps, catching up with the clock), the settings
// that change while the scene runs, and the surface of its bodies. simulation/ draws nothing and
// knows no window, no camera and no input.
#ifndef TWANG_DEMO_SIMULATION_HPP
#define TWANG_DEMO_SIMULATION_HPP

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <twang/io.hpp>

#include "simulation/linear.hpp"
#include "simulation/plot.hpp"
#include "simulation/surface.hpp"

namespace twang::demo {

// The positions of one body for drawing.
struct Pose {
    std::vector<float> before, now; // positions before and after the last step, xyz per vertex
    std::vector<float> seen;        // interpolated between the two, as drawn, without Run::offset
    std::vector<float> normals;     // of `seen`
    std::vector<std::uint8_t> broken_springs; // per spring: 1 if broken
    std::size_t broken = 0;                   // number of springs broken so far
};

// One run of the scene by one solver.
struct Run : Pose { // the Pose of the first body
    io::Stage stage;
    SolverDef solver;
    Surface surface;                      // without torn triangles
    std::vector<std::uint32_t> triangles; // all triangles, torn ones included
    std::uint64_t shape = 0; // identifies surface.triangles; changes when triangles tear
    Grab grab;               // the user's grab, by which the mouse drags this run's body
    Stroke stroke;           // of the user's blade through this run's body
    std::vector<SpringDef> springs;
    std::vector<std::uint32_t> bare_springs; // not hidden by triangles: a rope, a balloon's string
    Point offset; // displacement in the picture, which separates two compared runs

    std::vector<Pose> copies;        // the other bodies: drawn, but not picked
    std::uint64_t whole_shape = 0;   // identifies `triangles`, with which copies are drawn
    std::vector<std::uint32_t> pins; // pinned vertices, ascending

    Report report{};              // of the last step
    std::vector<float> residuals; // of the last step's iterations, m/s
    Plot ms, energy;
    double owed = 0; // s of elapsed time that are not simulated yet

    // Calls task(*this): now or, during a step in the background, right after that step.
    void post(std::function<void(Run&)> task);
    // Notes springs that have broken since the last call, of all bodies, and removes torn triangles
    // from surface.triangles.
    void update_tears();
    bool busy() const { return running.valid(); }
    std::vector<std::function<void(Run&)>> tasks;
    std::future<Status> running; // a step in the background. Destroyed first, as the last member:
                                 // its destructor waits for the step, which uses the others
};

enum class Pace {
    live, // a few steps per picture at most: a slow machine falls behind the clock
    exact // all due steps, however long they take
};

class Simulation {
public:
    // Replaces the scene. On an error nothing changes.
    std::optional<io::Error> open(io::Scene scene);
    // Restarts the scene with the current settings.
    std::optional<io::Error> reset();

    // Takes the steps that are due after this many seconds and interpolates the poses for drawing.
    // A failed step pauses the simulation and sets status().
    void advance(double seconds, Pace pace);
    void step(); // takes a single step, of every run

    // Pass changed settings of scene() to the engine.
    void apply_solver();
    void apply_time_step();
    void apply_gravity();
    void apply_wind();
    // Applies settings that the engine reads at creation only (stiffness, damping, workers):
    // creates new bodies, untorn. They continue from the current state, or from the start in a
    // scene with moving obstacles, moving pins or several bodies.
    std::optional<io::Error> rebuild();
    // Restarts with a second run, by Newton's method, drawn next to the first; or with the first
    // run alone. With Pace::live the second run steps in the background and may fall behind the
    // first.
    std::optional<io::Error> compare(bool both);

    io::Scene& scene() { return scene_; }
    const io::Scene& scene() const { return scene_; }
    std::vector<std::unique_ptr<Run>>& runs() { return runs_; }
    const std::vector<std::unique_ptr<Run>>& runs() const { return runs_; }
    bool comparing() const { return runs_.size() > 1; }
    Status status() const { return status_; }
    const std::string& failure() const { return failure_; } // as text
    double time() const { return time_; } // simulated seconds, of the first run like all below
    int steps() const { return steps_; }
    int last_steps() const { return last_steps_; } // taken by the last advance()
    Vec3 collider_centre(std::size_t i) const;     // as drawn, between the last two steps
    Rotation collider_turn(std::size_t i) const;   // likewise
    // Increases with each creation of bodies.
    std::uint64_t generation() const { return generation_; }

    bool paused = false;
    bool windy = false;

private:
    io::Result<std::unique_ptr<Run>> make_run(const io::Scene& scene,
                                              const SolverDef& solver) const;
    std::optional<io::Error> make_runs(const io::Scene& scene, bool both);
    void take_step(Run& run);
    void finish_step(Run& run, Status status);
    void step_in_background(Run& run, double seconds);
    void finish_background_steps(); // waits for them
    void interpolate(double blend);

    io::Scene scene_;
    std::vector<std::unique_ptr<Run>> runs_;
    double time_ = 0, drawn_time_ = 0;
    int steps_ = 0, last_steps_ = 0;
    std::uint64_t generation_ = 0;
    Status status_ = TWANG_OK;
    std::string failure_;
};

} // namespace twang::demo

#endif // TWANG_DEMO_SIMULATION_HPP
