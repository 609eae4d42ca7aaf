// Scenes and meshes from files, for programs around the engine (target twang::io).
// Every fault of a file is returned as an Error that names file and line. The library prints
// nothing and throws nothing but std::bad_alloc.
#ifndef TWANG_IO_HPP
#define TWANG_IO_HPP

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <twang/twang.hpp>

namespace twang::io {

// Exit codes of programs that read scenes.
enum class Exit {
    ok = 0,
    no_display = 1,
    usage = 2,
    unreadable = 3,
    invalid = 4,
    memory = 5,
    numerical = 6
};

struct Error {
    std::string file;
    int line = 0; // from 1; 0: the file as a whole
    std::string reason;
    Exit exit = Exit::invalid;
    std::string text() const; // "file:line: reason"
};

// A value or an Error.
template <class T>
class Result {
public:
    Result(T value) : content_(std::move(value)) {}
    Result(Error error) : content_(std::move(error)) {}
    explicit operator bool() const { return content_.index() == 0; }
    T& operator*() { return std::get<0>(content_); }
    const T& operator*() const { return std::get<0>(content_); }
    T* operator->() { return &std::get<0>(content_); }
    const T* operator->() const { return &std::get<0>(content_); }
    const Error& error() const { return std::get<1>(content_); }

private:
    std::variant<T, Error> content_;
};

// ---- Meshes ----------------------------------------------------------------------------------

// Content of a mesh file in the layout of twang_mesh_def: indices from 0, faces in the order of the
// file.
struct Mesh {
    std::vector<double> positions;         // xyz per vertex
    std::vector<std::uint32_t> triangles;  // 3 indices each
    std::vector<std::uint32_t> quads;      // 4 indices each
    std::vector<std::uint32_t> polygons;   // 5 or more indices each, TWANG_END between
    std::vector<std::uint32_t> tetrahedra; // 4 indices each
    std::vector<std::uint32_t> polylines;  // TWANG_END between
    std::vector<double> texture;           // uv per vertex; empty if the file has none
    std::vector<std::string> warnings;     // "file:line: unknown keyword 'vx' passed over"
    std::uint32_t vertex_count() const { return static_cast<std::uint32_t>(positions.size() / 3); }
    MeshDef def() const; // points into this mesh; material values at their defaults
};

Result<Mesh> read_obj(const std::string& path);
Result<Mesh> read_medit(const std::string& path);
Result<Mesh> read_mesh(const std::string& path); // chosen by extension: .obj, .mesh

// ---- Scenes ----------------------------------------------------------------------------------

// Motion of a collider or of pins: an oscillation about the start, plus a steady velocity.
// Colliders also rotate about their centres, by an oscillation of `swing` and by steady `turns`.
struct Motion {
    Vec3 velocity{};        // m/s
    Vec3 amplitude{};       // m
    double frequency = 0.0; // 1/s, of the oscillations
    Vec3 axis{0, 1, 0};     // any length > 0
    double turns = 0.0;     // 1/s, steady
    double swing = 0.0;     // degrees, amplitude of the rotation
    Vec3 at(Vec3 start, double seconds) const;
    Quaternion rotation_at(Quaternion start, double seconds) const;
    bool is_rest() const;
};

struct SceneCollider {
    ColliderDef def;
    Motion motion;
    std::shared_ptr<const Mesh> mesh; // the arrays that def points into; may be null
};

// Pins of a body that share one motion.
struct MovingPins {
    std::vector<std::uint32_t> vertices; // some of Scene::pins
    Motion motion;
};

// Number of bodies of the same model, on a grid along x, y and z.
struct Copies {
    std::array<std::uint32_t, 3> count{1, 1, 1}; // >= 1
    Vec3 spacing{};                              // m
    double total() const;
    // Returns the offset of a copy from the first one (m). The index counts along x first, then y,
    // then z.
    Vec3 offset(std::size_t index) const;
};

struct Camera {
    Vec3 eye{0.0, 0.0, 3.0};
    Vec3 target{};
    double field_of_view = 40.0; // degrees, vertical
};

// A scene, read and resolved: meshes are generated, pins are vertex indices. A program changes the
// values that its command line overrides and then calls instantiate().
struct Scene {
    std::string name;  // the file's stem: "cloth"
    std::string title; // one line for people
    std::string file;
    Mesh mesh;
    MeshDef material;                // stiffness, shear, bend, density, mass; the pointers are null
    std::vector<double> masses;      // kg per vertex; empty: by material.density or material.mass
    std::vector<SpringDef> springs;  // explicit springs, added to those of the mesh
    std::vector<std::uint32_t> pins; // vertices
    std::vector<MovingPins> moving_pins;
    Copies copies;                  // number of bodies; each has all of the above
    std::vector<double> positions;  // at the start, xyz in m; empty: the rest shape
    std::vector<double> velocities; // at the start, xyz in m/s; empty: at rest
    twang_energy energy = TWANG_HOOKE;
    WorldDef world; // time step, gravity, damping, pin method, solver, arithmetic
    AirDef air{.drag = 0.0};
    double gravity_scale = 1.0;
    double pressure = 0.0;   // Pa
    double max_strain = 0.0; // 0: no limit
    std::int32_t strain_passes = 10;
    double tear_strain = 0.0;     // 0: nothing tears
    double vertex_radius = 0.0;   // m; 0: bodies pass through themselves and each other
    double vertex_friction = 0.3; // Coulomb's mu
    std::vector<SceneCollider> colliders;
    std::optional<Camera> camera;
    std::string texture; // file name of a picture; may be empty
    int frames = 300;    // default length of a headless run
    // "file:line: unknown key 'stifness' in 'material'; did you mean 'stiffness'?"
    std::vector<std::string> warnings;
};

// Reads a scene file, or a bare .obj or .mesh file, which gets default values.
Result<Scene> read_scene(const std::string& path);

// A scene, instantiated in a world.
class Stage {
public:
    World world;
    Body body;                // the first
    std::vector<Body> bodies; // all copies
    std::vector<Collider> colliders;
    Model model;

    Stage() = default;
    explicit Stage(const WorldDef& def) : world(def) {} // an empty world
    // Moves the colliders and pins that have a motion to their places at the end of the coming
    // step, then steps. Pins that the program has released stay free.
    Status step();
    // Returns measures over all bodies: sums of energies and momenta, the largest max_stretch,
    // means of the mean values. The hash is the body's if there is one body, else the world's.
    Measures measure() const;

private:
    friend Result<Stage> instantiate(const Scene& scene);
    // Pins of one body that share one motion, with their positions at the start.
    struct PinTrack {
        Body body;
        std::vector<std::uint32_t> vertices;
        std::vector<double> start;
        Motion motion;
    };
    Status move_colliders(double end_time);
    Status move_pins(double end_time);

    std::vector<SceneCollider> motions_;
    std::vector<PinTrack> tracks_;
    std::vector<std::uint32_t> pinned_; // of one track: scratch of move_pins
    std::vector<double> targets_;       // xyz per entry of pinned_
    double time_ = 0.0;                 // s, since the start
};

Result<Stage> instantiate(const Scene& scene);

// Names of solvers and of other choices, as they stand in scene files and on command lines:
// "local-global", "newton", "newton-cg", "linear", "symplectic", "static"; "hooke", "stvk";
// "penalty", "elimination"; "none", "chebyshev", "anderson", "lbfgs", "two-level";
// "implicit-euler", "bdf2"; "float", "double", "half", "best"; "fast", "portable".
const char* name(twang_solver solver);
const char* name(twang_energy energy);
const char* name(twang_pin_method method);
const char* name(twang_acceleration acceleration);
const char* name(twang_integrator integrator);
const char* name(twang_precision precision);
const char* name(twang_arithmetic arithmetic);
std::optional<twang_solver> solver_named(std::string_view name);
std::optional<twang_energy> energy_named(std::string_view name);
std::optional<twang_pin_method> pin_method_named(std::string_view name);
std::optional<twang_acceleration> acceleration_named(std::string_view name);
std::optional<twang_integrator> integrator_named(std::string_view name);
std::optional<twang_precision> precision_named(std::string_view name);
std::optional<twang_arithmetic> arithmetic_named(std::string_view name);
// Returns whether a solver uses the integrator of its definition. The linear and symplectic solvers
// are integrators of their own; a static solve has none.
bool has_integrator(twang_solver solver);

} // namespace twang::io

#endif // TWANG_IO_HPP
