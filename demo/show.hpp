// The simulation on show: a scene, once or twice side by side, run on its fixed time step and
// interpolated for drawing. Owns time (pause, single steps, catching up) and the settings that can
// be changed while it runs. Draws nothing.
#ifndef TWANG_DEMO_SHOW_HPP
#define TWANG_DEMO_SHOW_HPP

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <twang/io.hpp>

#include "linear.hpp"
#include "plot.hpp"
#include "surface.hpp"

namespace twang::demo {

// Where one body is seen.
struct Pose {
    std::vector<float> before, now; // positions a step ago and after the last one
    std::vector<float> seen;        // between the two, as drawn, without the offset
    std::vector<float> normals;
};

// One performance of the scene, by one solver.
struct Act : Pose { // of the first body
    io::Stage stage;
    SolverDef solver;
    Surface surface;                      // less what is torn
    std::vector<std::uint32_t> triangles; // as they were before anything tore
    std::size_t broken = 0;               // springs, so far
    std::uint64_t shape = 0;              // a number for these triangles
    Grab grab;                            // where the visitor holds it
    std::vector<SpringDef> springs;
    std::vector<SpringDef> strings; // those that no skin hides: all of a rope, a balloon's string
    Point offset;                   // where it stands, beside the other

    std::vector<Pose> copies;        // the other bodies; seen, but not to be touched
    std::uint64_t whole = 0;         // a number for their triangles, torn or not
    std::vector<std::uint32_t> pins; // pinned vertices, as drawn

    Report report{};              // of the last step
    std::vector<float> residuals; // of its iterations, m/s
    Plot ms, energy;
    double owed = 0; // s that have passed but are not simulated yet

    // Does this to the body: now or, while it takes a step of its own, right after.
    void post(std::function<void(Act&)> task);
    // Drops the triangles that have torn since the last look.
    void look_for_tears();
    bool busy() const { return running.valid(); }
    std::vector<std::function<void(Act&)>> tasks;
    std::future<Status> running; // a step in the background; must go first
};

enum class Pace {
    live, // a machine that is too slow falls behind the clock, but the picture goes on
    exact // every step is taken, however long it takes
};

class Show {
public:
    // Replaces what is on. On an error all stays as it was.
    std::optional<io::Error> open(io::Scene scene);
    // The scene's start again, with the settings as they are now.
    std::optional<io::Error> reset();

    // Takes the steps that are due after so many seconds and prepares what is drawn. A failed step
    // pauses the show; status() tells.
    void advance(double seconds, Pace pace);
    void step(); // a single one

    // Changes of the settings in scene(), handed to the engine.
    void apply_solver();
    void apply_time_step();
    void apply_gravity();
    void apply_wind();
    // For what the engine takes at creation only (stiffness, damping, workers): new bodies, whole
    // again, that go on where the old one was, or from the start where obstacles or pins move
    // or there are many bodies.
    std::optional<io::Error> rebuild();
    // A second act, with Newton's method, beside the first; or the first alone. In a live show each
    // runs as fast as it can, up to the clock: the slow one falls behind.
    std::optional<io::Error> compare(bool both);

    io::Scene& scene() { return scene_; }
    const io::Scene& scene() const { return scene_; }
    std::vector<std::unique_ptr<Act>>& acts() { return acts_; }
    const std::vector<std::unique_ptr<Act>>& acts() const { return acts_; }
    bool comparing() const { return acts_.size() > 1; }
    Status status() const { return status_; }
    const std::string& failure() const { return failure_; } // in words
    double time() const { return time_; } // simulated seconds, of the first act as all below
    int steps() const { return steps_; }
    int last_steps() const { return last_steps_; }           // taken by the last advance
    Vec3 collider_centre(std::size_t i) const;               // as drawn, between the last two steps
    Turn collider_turn(std::size_t i) const;                 // likewise
    std::uint64_t generation() const { return generation_; } // grows whenever bodies are new

    bool paused = false;
    bool windy = false;

private:
    io::Result<std::unique_ptr<Act>> make_act(const io::Scene& scene,
                                              const SolverDef& solver) const;
    std::optional<io::Error> make_acts(const io::Scene& scene, bool both);
    void take_step(Act& act);
    void collect(Act& act, Status status);
    void run_behind(Act& act, double seconds);
    void settle(); // waits for steps in the background
    void prepare(double blend);

    io::Scene scene_;
    std::vector<std::unique_ptr<Act>> acts_;
    double time_ = 0, seen_time_ = 0;
    int steps_ = 0, last_steps_ = 0;
    std::uint64_t generation_ = 0;
    Status status_ = TWANG_OK;
    std::string failure_;
};

} // namespace twang::demo

#endif // TWANG_DEMO_SHOW_HPP
