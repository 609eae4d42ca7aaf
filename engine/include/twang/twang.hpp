// C++ over twang.h: owners that free what they own, and spans instead of pointers. Units, ranges
// and defaults are documented in twang.h.
// Header-only, no exceptions, no Eigen. Functions that can fail return a Status; an object whose
// creation failed is empty, status() tells the reason, and its member functions return
// INVALID_ARGUMENT. last_error() gives the message.
#ifndef TWANG_HPP
#define TWANG_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include <twang/twang.h>

namespace twang {

using Status = twang_status;
using Vec3 = twang_vec3;
using Quaternion = twang_quaternion;
using ClothDef = twang_cloth_def;
using MeshDef = twang_mesh_def;
using SpringDef = twang_spring_def;
using SolverDef = twang_solver_def;
using WorldDef = twang_world_def;
using BodyDef = twang_body_def;
using ColliderDef = twang_collider_def;
using GrabDef = twang_grab_def;
using BladeDef = twang_blade_def;
using AirDef = twang_air_def;
using FineMeshDef = twang_fine_mesh_def;
using FloatStream = twang_float_stream;
using EmbeddingInfo = twang_embedding_info;
using ModelInfo = twang_model_info;
using Report = twang_report;
using Precomputation = twang_precomputation;
using Measures = twang_measures;

inline const char* name(Status status) { return twang_status_name(status); }
inline const char* text(Status status) { return twang_status_text(status); }
inline const char* last_error() { return twang_last_error(); }
inline SolverDef default_solver(twang_solver solver) {
    SolverDef def;
    twang_default_solver(solver, &def);
    return def;
}

// Rotation by an angle about an axis of any length above 0.
inline Quaternion rotation_about(Vec3 axis, double radians) {
    const double s = std::sin(0.5 * radians) / std::hypot(axis.x, axis.y, axis.z);
    return {s * axis.x, s * axis.y, s * axis.z, std::cos(0.5 * radians)};
}
// The rotation b followed by the rotation a.
inline Quaternion compose(Quaternion a, Quaternion b) {
    return {a.w * b.x + b.w * a.x + a.y * b.z - a.z * b.y,
            a.w * b.y + b.w * a.y + a.z * b.x - a.x * b.z,
            a.w * b.z + b.w * a.z + a.x * b.y - a.y * b.x,
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

// An immutable spring network, shared by any number of bodies.
class Model {
public:
    Model() = default;
    static Model cloth(const ClothDef& def) {
        Model model;
        model.status_ = twang_model_create_cloth(&def, &model.model_);
        return model;
    }
    static Model mesh(const MeshDef& def) {
        Model model;
        model.status_ = twang_model_create_mesh(&def, &model.model_);
        return model;
    }
    Model(Model&& other) noexcept
        : model_(std::exchange(other.model_, nullptr)), status_(other.status_) {}
    Model& operator=(Model&& other) noexcept {
        std::swap(model_, other.model_);
        std::swap(status_, other.status_);
        return *this;
    }
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;
    ~Model() {
        if (model_) twang_model_destroy(&model_);
    }

    explicit operator bool() const { return model_ != nullptr; }
    Status status() const { return status_; }
    ModelInfo info() const {
        ModelInfo info{};
        twang_model_get_info(model_, &info);
        return info;
    }
    // Copy arrays of the model; the spans must have the sizes given by info(): all springs, 3
    // indices per triangle, a mass per vertex, xyz per vertex.
    Status copy_springs(std::span<SpringDef> springs) const {
        return twang_model_copy_springs(model_, springs.data(), springs.size());
    }
    Status copy_triangles(std::span<std::uint32_t> indices) const {
        return twang_model_copy_triangles(model_, indices.data(), indices.size());
    }
    Status copy_masses(std::span<double> masses) const {
        return twang_model_copy_masses(model_, masses.data(), masses.size());
    }
    Status copy_rest_positions(std::span<double> xyz) const {
        return twang_model_copy_rest_positions(model_, xyz.data(), xyz.size() / 3);
    }
    const twang_model* get() const { return model_; }

private:
    twang_model* model_ = nullptr;
    Status status_ = TWANG_INVALID_ARGUMENT;
};

// A handle to a grab of a point of a body. Its destructor does not release the grab.
class Grab {
public:
    Grab() = default;
    Grab(twang_world* world, twang_body body, twang_grab id, Status status)
        : world_(world), body_(body), id_(id), status_(status) {}

    explicit operator bool() const { return status_ == TWANG_OK; }
    Status status() const { return status_; } // of the creation
    twang_grab id() const { return id_; }
    Status move_to(Vec3 target) { return twang_body_move_grab(world_, body_, id_, target); }
    Status release() { return twang_body_release(world_, body_, id_); }

private:
    twang_world* world_ = nullptr;
    twang_body body_{};
    twang_grab id_{};
    Status status_ = TWANG_INVALID_ARGUMENT;
};

// A handle to a body, owned by the world; may be copied.
class Body {
public:
    Body() = default;
    Body(twang_world* world, twang_body id, Status status)
        : world_(world), id_(id), status_(status) {}

    explicit operator bool() const { return status_ == TWANG_OK; }
    Status status() const { return status_; } // of the creation
    twang_body id() const { return id_; }

    Status pin(std::uint32_t vertex) { return twang_body_pin(world_, id_, vertex); }
    Status pin(std::uint32_t vertex, Vec3 target) {
        return twang_body_pin_at(world_, id_, vertex, target);
    }
    Status unpin(std::uint32_t vertex) { return twang_body_unpin(world_, id_, vertex); }
    bool is_pinned(std::uint32_t vertex) const {
        std::int32_t pinned = 0;
        return twang_body_is_pinned(world_, id_, vertex, &pinned) == TWANG_OK && pinned;
    }
    Status set_pin_targets(std::span<const std::uint32_t> vertices, std::span<const double> xyz) {
        if (xyz.size() != 3 * vertices.size())
            return twang_refuse("there must be three coordinates for each vertex");
        return twang_body_set_pin_targets(world_, id_, vertices.data(), xyz.data(),
                                          vertices.size());
    }
    Grab grab(const GrabDef& def) {
        twang_grab grab{};
        const Status status = twang_body_grab(world_, id_, &def, &grab);
        return {world_, id_, grab, status};
    }
    // Scale rest lengths or stiffness of all springs, or of the springs named.
    Status scale_rest_lengths(std::span<const double> scales) {
        return twang_body_scale_rest_lengths(world_, id_, nullptr, scales.data(), scales.size());
    }
    Status scale_rest_lengths(std::span<const std::uint32_t> springs,
                              std::span<const double> scales) {
        if (springs.size() != scales.size())
            return twang_refuse("there must be one scale for each spring");
        return twang_body_scale_rest_lengths(world_, id_, springs.data(), scales.data(),
                                             scales.size());
    }
    Status scale_stiffness(std::span<const double> scales) {
        return twang_body_scale_stiffness(world_, id_, nullptr, scales.data(), scales.size());
    }
    Status scale_stiffness(std::span<const std::uint32_t> springs, std::span<const double> scales) {
        if (springs.size() != scales.size())
            return twang_refuse("there must be one scale for each spring");
        return twang_body_scale_stiffness(world_, id_, springs.data(), scales.data(),
                                          scales.size());
    }
    Status set_tear_strain(double strain) {
        return twang_body_set_tear_strain(world_, id_, strain);
    }
    Status cut(const BladeDef& blade, std::uint32_t* broken = nullptr) {
        return twang_body_cut(world_, id_, &blade, broken);
    }
    std::size_t broken_springs() const {
        std::uint32_t count = 0;
        twang_body_broken_springs(world_, id_, &count);
        return count;
    }
    Status copy_broken_springs(std::span<std::uint8_t> broken) const {
        return twang_body_copy_broken_springs(world_, id_, broken.data(), broken.size());
    }
    Status copy_torn_triangles(std::span<std::uint8_t> torn) const {
        return twang_body_copy_torn_triangles(world_, id_, torn.data(), torn.size());
    }
    // Returns the part of `triangles` that was filled.
    std::span<std::uint32_t> take_torn_triangles(std::span<std::uint32_t> triangles) {
        std::size_t count = 0;
        twang_body_take_torn_triangles(world_, id_, triangles.data(), triangles.size(), &count);
        return triangles.first(count);
    }
    Status add_force(std::uint32_t vertex, Vec3 force) {
        return twang_body_add_force(world_, id_, vertex, force);
    }
    Status add_forces(std::span<const double> xyz) {
        if (xyz.size() % 3 != 0) return twang_refuse("coordinates come in threes");
        return twang_body_add_forces(world_, id_, xyz.data(), xyz.size() / 3);
    }
    Status add_impulse(std::uint32_t vertex, Vec3 impulse) {
        return twang_body_add_impulse(world_, id_, vertex, impulse);
    }
    Status set_gravity_scale(double scale) {
        return twang_body_set_gravity_scale(world_, id_, scale);
    }
    Status set_pressure(double pascals) { return twang_body_set_pressure(world_, id_, pascals); }
    Status set_max_strain(double max_strain, std::int32_t passes = 10) {
        return twang_body_set_max_strain(world_, id_, max_strain, passes);
    }
    Status set_solver(const SolverDef& def) { return twang_body_set_solver(world_, id_, &def); }
    Status set_vertex_spheres(double radius, double friction = 0.3) {
        return twang_body_set_vertex_spheres(world_, id_, radius, friction);
    }
    Status set_positions(std::span<const double> xyz) {
        if (xyz.size() % 3 != 0) return twang_refuse("coordinates come in threes");
        return twang_body_set_positions(world_, id_, xyz.data(), xyz.size() / 3);
    }
    Status set_velocities(std::span<const double> xyz) {
        if (xyz.size() % 3 != 0) return twang_refuse("coordinates come in threes");
        return twang_body_set_velocities(world_, id_, xyz.data(), xyz.size() / 3);
    }
    Status teleport(Quaternion rotation, Vec3 pivot, Vec3 translation) {
        return twang_body_teleport(world_, id_, rotation, pivot, translation);
    }
    Status wake() { return twang_body_wake(world_, id_); }
    Status sleep() { return twang_body_sleep(world_, id_); }
    Status reset() { return twang_body_reset(world_, id_); }
    Status destroy() { return twang_body_destroy(world_, id_); }

    std::size_t vertex_count() const {
        std::uint32_t count = 0;
        twang_body_vertex_count(world_, id_, &count);
        return count;
    }
    std::span<const float> positions() const { // xyz per vertex
        const float* data = twang_body_positions(world_, id_);
        return {data, data ? 3 * vertex_count() : 0};
    }
    std::span<const float> velocities() const {
        const float* data = twang_body_velocities(world_, id_);
        return {data, data ? 3 * vertex_count() : 0};
    }
    Status copy_positions(std::span<double> xyz) const {
        if (xyz.size() % 3 != 0) return twang_refuse("coordinates come in threes");
        return twang_body_copy_positions(world_, id_, xyz.data(), xyz.size() / 3);
    }
    Status copy_velocities(std::span<double> xyz) const {
        if (xyz.size() % 3 != 0) return twang_refuse("coordinates come in threes");
        return twang_body_copy_velocities(world_, id_, xyz.data(), xyz.size() / 3);
    }
    // Write three floats per vertex into `xyz`, `stride` floats from one vertex to the next.
    Status copy_interpolated(std::span<float> xyz, std::size_t stride = 3) const {
        if (xyz.size() + stride < vertex_count() * stride + 3)
            return twang_refuse("there is no room for all vertices");
        return twang_body_copy_interpolated(world_, id_, xyz.data(), stride * sizeof(float));
    }
    Status copy_normals(std::span<float> xyz, std::size_t stride = 3) const {
        if (xyz.size() + stride < vertex_count() * stride + 3)
            return twang_refuse("there is no room for all vertices");
        return twang_body_copy_normals(world_, id_, xyz.data(), stride * sizeof(float));
    }
    struct PinForce {
        Vec3 force, torque;
    };
    // Force on the pins of these vertices, or of all pins if none is named; torque about `point`.
    PinForce pin_force(std::span<const std::uint32_t> vertices = {}, Vec3 point = {}) const {
        PinForce sum{};
        twang_body_pin_force(world_, id_, vertices.empty() ? nullptr : vertices.data(),
                             vertices.size(), point, &sum.force, &sum.torque);
        return sum;
    }
    Report report() const {
        Report report{};
        twang_body_get_report(world_, id_, &report);
        return report;
    }
    Precomputation precomputation() const {
        Precomputation precomputation{};
        twang_body_get_precomputation(world_, id_, &precomputation);
        return precomputation;
    }
    Measures measure() const {
        Measures measures{};
        twang_body_measure(world_, id_, &measures);
        return measures;
    }

private:
    twang_world* world_ = nullptr;
    twang_body id_{};
    Status status_ = TWANG_INVALID_ARGUMENT;
};

// A stroke of a blade through one body: cuts along the way of the blade's edge from call to call,
// past a body that moves in between, see BladeDef. Keeps the last edge and the body's positions at
// that time.
class Stroke {
public:
    // Moves the edge to (at, at + along). The first call only places it, and allocates. A refused
    // call leaves the edge where it is.
    Status move_to(Body body, Vec3 at, Vec3 along, std::uint32_t* broken = nullptr) {
        if (along.x == 0.0 && along.y == 0.0 && along.z == 0.0)
            return twang_refuse("the blade goes along 0 0 0");
        const std::size_t vertices = body.vertex_count();
        std::unique_ptr<double[]> first;
        if (!positions_) {
            first.reset(new (std::nothrow) double[3 * vertices]);
            if (!first) return TWANG_OUT_OF_MEMORY;
        }
        BladeDef blade;
        blade.from = positions_ ? at_ : at;
        blade.along = positions_ ? along_ : along;
        blade.to = at;
        blade.to_along = along;
        blade.from_positions = positions_.get();
        blade.vertex_count = vertex_count_;
        if (const Status status = body.cut(blade, broken); status != TWANG_OK) return status;
        if (first) {
            positions_ = std::move(first);
            vertex_count_ = static_cast<std::uint32_t>(vertices);
        }
        at_ = at;
        along_ = along;
        return body.copy_positions({positions_.get(), 3 * vertices});
    }
    bool active() const { return positions_ != nullptr; }
    // The next call of move_to begins another stroke.
    void end() { positions_.reset(); }

private:
    Vec3 at_{}, along_{};
    std::unique_ptr<double[]> positions_; // xyz per vertex
    std::uint32_t vertex_count_ = 0;
};

// A handle to a collider, owned by the world; may be copied.
class Collider {
public:
    Collider() = default;
    Collider(twang_world* world, twang_collider id, Status status)
        : world_(world), id_(id), status_(status) {}

    explicit operator bool() const { return status_ == TWANG_OK; }
    Status status() const { return status_; } // of the creation
    twang_collider id() const { return id_; }
    Status move_to(Vec3 centre) { return twang_collider_move_to(world_, id_, centre); }
    Status move(Vec3 centre, Quaternion rotation) {
        return twang_collider_move(world_, id_, centre, rotation);
    }
    Status teleport(Vec3 centre, Quaternion rotation) {
        return twang_collider_teleport(world_, id_, centre, rotation);
    }
    Status move_ends(Vec3 from, Vec3 to) { return twang_collider_move_ends(world_, id_, from, to); }
    Status destroy() { return twang_collider_destroy(world_, id_); }

private:
    twang_world* world_ = nullptr;
    twang_collider id_{};
    Status status_ = TWANG_INVALID_ARGUMENT;
};

// Owns the bodies and colliders of a simulation, and steps them.
class World {
public:
    explicit World(const WorldDef& def = {}) { status_ = twang_world_create(&def, &world_); }
    World(World&& other) noexcept
        : world_(std::exchange(other.world_, nullptr)), status_(other.status_) {}
    World& operator=(World&& other) noexcept {
        std::swap(world_, other.world_);
        std::swap(status_, other.status_);
        return *this;
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World() {
        if (world_) twang_world_destroy(&world_);
    }

    explicit operator bool() const { return world_ != nullptr; }
    Status status() const { return status_; }
    twang_world* get() const { return world_; }

    Body add(const Model& model, const BodyDef& def = {}) {
        twang_body id{};
        const Status status = twang_body_create(world_, model.get(), &def, &id);
        return {world_, id, status};
    }
    Collider add(const ColliderDef& def) {
        twang_collider id{};
        const Status status = twang_collider_create(world_, &def, &id);
        return {world_, id, status};
    }
    Collider add_sphere(Vec3 centre, double radius) {
        return add(ColliderDef{.shape = TWANG_SHAPE_SPHERE, .centre = centre, .radius = radius});
    }
    // Tapered if `end_radius`, the radius at `to`, is given.
    Collider add_capsule(Vec3 from, Vec3 to, double radius, double end_radius = TWANG_SAME) {
        return add(ColliderDef{.shape = TWANG_SHAPE_CAPSULE,
                               .centre = from,
                               .end = to,
                               .radius = radius,
                               .end_radius = end_radius});
    }
    Collider add_box(Vec3 centre, Vec3 half_extents) {
        return add(
            ColliderDef{.shape = TWANG_SHAPE_BOX, .centre = centre, .half_extents = half_extents});
    }
    // xyz per vertex, relative to `centre`; 3 indices per triangle.
    Collider add_mesh(std::span<const double> xyz, std::span<const std::uint32_t> triangles,
                      Vec3 centre = {}) {
        return add(ColliderDef{.shape = TWANG_SHAPE_MESH,
                               .centre = centre,
                               .positions = xyz.data(),
                               .vertex_count = static_cast<std::uint32_t>(xyz.size() / 3),
                               .triangles = triangles.data(),
                               .triangle_count = static_cast<std::uint32_t>(triangles.size() / 3)});
    }
    Collider add_plane(Vec3 point, Vec3 normal) {
        return add(ColliderDef{.shape = TWANG_SHAPE_PLANE, .centre = point, .normal = normal});
    }

    Status step() { return twang_world_step(world_); }
    Status advance(double seconds, std::int32_t* steps = nullptr, double* dropped = nullptr) {
        return twang_world_advance(world_, seconds, steps, dropped);
    }
    Status set_time_step(double seconds) { return twang_world_set_time_step(world_, seconds); }
    double time_step() const { // s, of the next step
        double seconds = 0.0;
        twang_world_get_time_step(world_, &seconds);
        return seconds;
    }
    double time() const { // s, the sum of all time steps
        double seconds = 0.0;
        twang_world_get_time(world_, &seconds);
        return seconds;
    }
    Status set_gravity(Vec3 gravity) { return twang_world_set_gravity(world_, gravity); }
    Status set_damping(double damping) { return twang_world_set_damping(world_, damping); }
    Status set_wind(Vec3 velocity, double drag) {
        return twang_world_set_wind(world_, velocity, drag);
    }
    Status set_air(const AirDef& air) { return twang_world_set_air(world_, &air); }
    Status set_solver(const SolverDef& def) { return twang_world_set_solver(world_, &def); }
    Status set_iteration_callback(twang_iteration_callback callback, void* user) {
        return twang_world_set_iteration_callback(world_, callback, user);
    }
    Report report() const {
        Report report{};
        twang_world_get_report(world_, &report);
        return report;
    }
    std::uint64_t hash() const {
        std::uint64_t hash = 0;
        twang_world_get_hash(world_, &hash);
        return hash;
    }
    std::size_t snapshot_size() const {
        std::size_t bytes = 0;
        twang_world_snapshot_size(world_, &bytes);
        return bytes;
    }
    Status save(std::span<std::byte> buffer) const {
        return twang_world_save(world_, buffer.data(), buffer.size());
    }
    Status restore(std::span<const std::byte> buffer) {
        return twang_world_restore(world_, buffer.data(), buffer.size());
    }

private:
    twang_world* world_ = nullptr;
    Status status_ = TWANG_INVALID_ARGUMENT;
};

// A fine mesh for drawing that follows a coarse model.
class Embedding {
public:
    Embedding() = default;
    Embedding(const Model& model, const FineMeshDef& def) {
        status_ = twang_embedding_create(model.get(), &def, &embedding_);
    }
    Embedding(Embedding&& other) noexcept
        : embedding_(std::exchange(other.embedding_, nullptr)), status_(other.status_) {}
    Embedding& operator=(Embedding&& other) noexcept {
        std::swap(embedding_, other.embedding_);
        std::swap(status_, other.status_);
        return *this;
    }
    Embedding(const Embedding&) = delete;
    Embedding& operator=(const Embedding&) = delete;
    ~Embedding() {
        if (embedding_) twang_embedding_destroy(&embedding_);
    }

    explicit operator bool() const { return embedding_ != nullptr; }
    Status status() const { return status_; }
    EmbeddingInfo info() const {
        EmbeddingInfo info{};
        twang_embedding_get_info(embedding_, &info);
        return info;
    }
    Status write(World& world, Body body, FloatStream positions, FloatStream normals = {},
                 bool interpolated = false) const {
        return twang_embedding_write(embedding_, world.get(), body.id(), interpolated, positions,
                                     normals);
    }

private:
    twang_embedding* embedding_ = nullptr;
    Status status_ = TWANG_INVALID_ARGUMENT;
};

} // namespace twang

#endif // TWANG_HPP
