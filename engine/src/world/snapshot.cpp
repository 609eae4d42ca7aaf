#include "world/snapshot.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace twang::core {

namespace {

constexpr std::uint64_t magic = 0x30504e53474e5754; // "TWNGSNP0", little-endian
constexpr std::uint32_t version = 10;

struct Header {
    std::uint64_t magic;
    std::uint32_t version, body_count, obstacle_count, pair_count;
    std::uint64_t bytes;    // of the whole snapshot
    std::uint64_t checksum; // of all bytes but these 8
    std::uint64_t setup;    // see setup_of
    std::uint64_t steps, time_step_due;
    double time_step, next_time_step, requested_time_step, left_over, damping;
    Surroundings surroundings;
};

// The key of a body's system or requested system, besides what is stored per vertex and per spring.
struct SystemState {
    double time_step;
    std::uint32_t exists, has_stiffness;
    std::uint32_t integrator, reserved;
};

struct BodyHeader {
    std::uint32_t index, generation;
    std::uint64_t identity, vertex_count, steps, due;
    std::uint64_t spring_count; // 0: the springs are those of the model
    std::uint64_t grab_count;   // slots that were ever used
    std::uint64_t fresh_count;  // torn triangles that the caller has not fetched
    std::uint64_t point_count;  // contacts of points between vertices
    std::int32_t status, enabled, wants_system, stale, wants_start_system, own_springs, asleep,
        still_steps;
    SystemState system, pending;
    double tear_limit;
    OwnForces own;
    double max_strain, vertex_radius, vertex_friction, history_time_step;
    std::int32_t strain_passes, touched;
};

// A vertex; vertices are stored in the caller's order.
struct VertexState {
    Vec3 x, v, before, displacement, last_v, target, next_target, force, pin_reaction,
        contact_against;
    double contact_normal, contact_share;
    std::uint32_t held, next_held, made_held, pending_held; // made: by the system in use
    std::uint32_t contact_slides, reserved;
};

struct SpringState {
    double rest_scale, stiffness, next_stiffness, made_stiffness, pending_stiffness;
    std::uint64_t broken;
};

struct GrabState {
    std::uint32_t generation, in_use, vertices[3], reserved;
    double weights[3];
    Vec3 target, from;
    double stiffness;
};

// A contact of a point on an edge or triangle.
struct PointState {
    std::uint32_t element, slides;
    double normal, share;
    Vec3 against;
};

// A contact between two vertex spheres, by the caller's vertex indices.
struct PairState {
    std::uint32_t body_a, a, body_b, b;
    double normal;
    Vec3 friction, pull;
    std::uint32_t slides, both_moved, separates_slowly, reserved;
};

struct ObstacleState {
    std::uint32_t index, generation;
    Pose last, now, next;
};

// Over the header without its checksum, and the bytes after it.
std::uint64_t checksum(Header header, const std::byte* data, std::size_t bytes) {
    std::uint64_t hash = bytes;
    header.checksum = 0;
    std::uint64_t words[sizeof header / 8];
    std::memcpy(words, &header, sizeof header);
    for (const std::uint64_t word : words) hash = hash_mix(hash, word);
    for (std::size_t at = sizeof header; at + 8 <= bytes; at += 8) {
        std::uint64_t word;
        std::memcpy(&word, data + at, 8);
        hash = hash_mix(hash, word);
    }
    return hash;
}

// Calls f(index, generation, item) for the slots in use. Returns how many.
template <class Slots, class F>
std::uint32_t for_each(Slots& slots, F&& f) {
    std::uint32_t count = 0;
    for (std::uint32_t index = 0; index < slots.all().size(); ++index)
        if (auto& slot = slots.all()[index]; slot.item) {
            f(index, slot.generation, *slot.item);
            ++count;
        }
    return count;
}

class SetupHash {
public:
    template <class T>
    void add(T value) {
        hash_ = hash_mix(hash_, std::bit_cast<std::uint64_t>(static_cast<double>(value)));
    }
    void add(Vec3 v) { add(v.x), add(v.y), add(v.z); }
    std::uint64_t value() const { return hash_; }

private:
    std::uint64_t hash_ = 0;
};

// Hash of the settings that steps depend on and no call can change between steps.
std::uint64_t setup_of(const World& world) {
    SetupHash hash;
    const twang_world_def& def = world.def;
    hash.add(def.pin_method), hash.add(def.precision), hash.add(def.arithmetic);
    hash.add(def.damping), hash.add(def.refactor_delay), hash.add(def.substeps);
    hash.add(def.sleep_speed), hash.add(def.sleep_steps), hash.add(def.max_catch_up);
    for_each(world.bodies,
             [&](std::uint32_t, std::uint32_t, const Body& b) { hash.add(b.energy); });
    for_each(world.obstacles, [&](std::uint32_t, std::uint32_t, const Obstacle& obstacle) {
        const twang_collider_def& o = obstacle.def;
        hash.add(o.shape), hash.add(o.normal), hash.add(o.half_extents), hash.add(o.radius);
        hash.add(o.thickness), hash.add(o.friction), hash.add(o.penalty), hash.add(o.penalty_scale);
        hash.add(o.kinetic_friction), hash.add(o.vertex_count), hash.add(o.triangle_count);
        hash.add(o.between_vertices);
        if (o.shape == TWANG_SHAPE_CAPSULE) hash.add(o.end - o.centre);
        if (o.end_radius != o.radius) hash.add(o.end_radius);
    });
    return hash.value();
}

class Writer {
public:
    explicit Writer(void* buffer) : at_(static_cast<std::byte*>(buffer)) {}
    template <class T>
    void put(const T& value) {
        std::memcpy(at_, &value, sizeof value);
        at_ += sizeof value;
    }

private:
    std::byte* at_;
};

class Reader {
public:
    explicit Reader(const std::byte* at) : at_(at) {}
    template <class T>
    T get() {
        T value;
        std::memcpy(&value, at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    void skip(std::size_t bytes) { at_ += bytes; }

private:
    const std::byte* at_;
};

Status check_header(const Header& header, const std::byte* data, std::size_t bytes) {
    if (header.magic != magic) return fail(TWANG_BAD_SNAPSHOT, "this is no snapshot");
    if (header.version != version)
        return fail(TWANG_VERSION_MISMATCH, "the snapshot has version %u, this library %u",
                    header.version, version);
    if (header.bytes != bytes)
        return fail(TWANG_BAD_SNAPSHOT, "the snapshot has %zu bytes and should have %llu", bytes,
                    static_cast<unsigned long long>(header.bytes));
    if (header.checksum != checksum(header, data, bytes))
        return fail(TWANG_BAD_SNAPSHOT, "the snapshot is corrupt: its checksum differs");
    return TWANG_OK;
}

std::size_t body_bytes(const BodyHeader& body) {
    return body.vertex_count * sizeof(VertexState) + body.spring_count * sizeof(SpringState) +
           body.grab_count * sizeof(GrabState) + body.fresh_count * sizeof(std::uint64_t) +
           body.point_count * sizeof(PointState);
}

SystemState state_of(const SystemKey& key) {
    return {key.time_step, 1, key.stiffness != nullptr, static_cast<std::uint32_t>(key.integrator),
            0};
}

BodyHeader header_of(std::uint32_t index, std::uint32_t generation, const Body& body) {
    BodyHeader header{};
    header.index = index;
    header.generation = generation;
    header.identity = body.model->identity;
    header.vertex_count = body.model->vertex_count();
    header.steps = body.report.steps;
    header.due = body.due;
    header.spring_count = body.own_springs ? body.model->springs.size() : 0;
    header.grab_count = body.grabs.used();
    header.fresh_count = body.torn.fresh.size();
    header.point_count = body.history.points.size();
    header.status = body.report.status;
    header.enabled = body.report.enabled;
    header.wants_system = body.wants_system;
    header.stale = body.stale;
    header.wants_start_system = body.wants_start_system;
    header.own_springs = body.own_springs != nullptr; // a model may have no springs to copy
    header.asleep = body.sleep.is_asleep();
    header.still_steps = body.sleep.still_steps();
    header.system = state_of(body.system.base().key);
    if (body.pending) header.pending = state_of(body.pending->key);
    header.tear_limit = body.torn.limit;
    header.own = body.own;
    header.max_strain = body.strain_limit.most();
    header.strain_passes = body.strain_limit.passes();
    header.vertex_radius = body.vertex_radius;
    header.vertex_friction = body.vertex_friction;
    header.history_time_step = body.history.time_step;
    header.touched = body.history.touched;
    return header;
}

// Calls f(body, saved header, reader) for the bodies of the world. Returns false where the snapshot
// is of other bodies, or where `bytes` is not the size of the bodies and `rest`.
template <class F>
bool for_each_saved_body(World& world, Reader reader, std::size_t bytes, std::size_t rest, F&& f) {
    bool fits = true;
    for_each(world.bodies, [&](std::uint32_t index, std::uint32_t, Body& body) {
        fits = fits && bytes >= sizeof(BodyHeader);
        if (!fits) return;
        const auto saved = reader.get<BodyHeader>();
        bytes -= sizeof(BodyHeader);
        fits = saved.index == index && saved.identity == body.model->identity &&
               saved.vertex_count == body.model->vertex_count() &&
               saved.spring_count == (saved.own_springs ? body.model->springs.size() : 0) &&
               saved.grab_count <= TWANG_MAX_GRABS &&
               saved.fresh_count <= body.model->triangles.size() / 3 &&
               saved.point_count <= body.model->vertex_count() && bytes >= body_bytes(saved);
        if (!fits) return;
        f(body, saved, reader);
        reader.skip(body_bytes(saved));
        bytes -= body_bytes(saved);
    });
    return fits && bytes == rest;
}

// Bytes after the bodies.
std::size_t bytes_after_bodies(const Header& header) {
    return header.obstacle_count * sizeof(ObstacleState) + header.pair_count * sizeof(PairState);
}

Status check_fit(World& world, const Header& header, Reader reader) {
    const auto do_nothing = [](auto&&...) {};
    const std::uint32_t bodies = for_each(world.bodies, do_nothing);
    const std::uint32_t obstacles = for_each(world.obstacles, do_nothing);
    if (bodies != header.body_count || obstacles != header.obstacle_count)
        return fail(TWANG_MESH_MISMATCH,
                    "the snapshot has %u bodies and %u colliders of its own, the world %u and %u",
                    header.body_count, header.obstacle_count, bodies, obstacles);
    if (!for_each_saved_body(world, reader, header.bytes - sizeof header,
                             bytes_after_bodies(header), do_nothing))
        return fail(TWANG_MESH_MISMATCH, "the snapshot belongs to bodies of other models");
    if (header.setup != setup_of(world))
        return fail(TWANG_MESH_MISMATCH,
                    "the snapshot belongs to a world, bodies or colliders of other definitions");
    return TWANG_OK;
}

// The key of the saved system, or of the requested one, from the fields given.
SystemKey saved_key(const World& world, const Body& body, const BodyHeader& saved, Reader reader,
                    const SystemState& state, std::uint32_t VertexState::*held,
                    double SpringState::*stiffness) {
    SystemKey key{body.model,
                  body.energy,
                  world.def.pin_method,
                  world.def.precision,
                  world.def.arithmetic,
                  state.time_step,
                  std::vector<char>(saved.vertex_count)};
    for (const std::uint32_t i : body.model->to_inner)
        key.held[i] = static_cast<char>(reader.get<VertexState>().*held);
    key.integrator = static_cast<twang_integrator>(state.integrator);
    if (!state.has_stiffness) return key;
    std::vector<double> values(saved.spring_count);
    for (double& value : values) value = reader.get<SpringState>().*stiffness;
    key.stiffness = std::make_shared<const std::vector<double>>(std::move(values));
    return key;
}

// Finds the system that the body had: usually still in memory, otherwise in the cache or made
// again.
Status find_system(World& world, Body& body, const BodyHeader& saved, Reader reader,
                   std::shared_ptr<const System>& system) {
    SystemKey key = saved_key(world, body, saved, reader, saved.system, &VertexState::made_held,
                              &SpringState::made_stiffness);
    for (const auto& known : {body.system.shared(), body.previous, body.start_system})
        if (known && known->key == key) {
            system = known;
            return TWANG_OK;
        }
    return world.systems.fetch(std::move(key), system);
}

// The parts of a restored body that allocate: made for all bodies before any body is changed.
struct Plan {
    std::unique_ptr<UpdatedSystem> system; // null: unchanged
    std::unique_ptr<BodySprings> springs;
    Torn torn;
    std::vector<GrabSlots::Slot> grabs;
    std::vector<PointForce> points;
    std::shared_ptr<FactorRequest> pending;
    std::unique_ptr<StrainLimit> strain_limit; // null: unchanged
};

void plan_strain_limit(const Body& body, const BodyHeader& saved, Plan& plan) {
    const auto passes = static_cast<int>(saved.strain_passes);
    if (saved.max_strain == body.strain_limit.most() && passes == body.strain_limit.passes())
        return;
    plan.strain_limit = std::make_unique<StrainLimit>(
        passes > 0 ? StrainLimit(*body.model, saved.max_strain, passes) : StrainLimit());
}

void plan_springs(Reader& reader, const Body& body, const BodyHeader& saved, Plan& plan) {
    plan.torn.limit = saved.tear_limit;
    if (!saved.own_springs) return;
    prepare_tears(*body.model, plan.torn);
    plan.springs = std::make_unique<BodySprings>(*body.model);
    for (std::size_t s = 0; s < saved.spring_count; ++s) {
        const auto state = reader.get<SpringState>();
        plan.springs->assign(s, state.rest_scale, state.stiffness, state.next_stiffness,
                             state.broken != 0);
    }
    recount_triangles(*body.model, *plan.springs, plan.torn);
}

Status plan_grabs(Reader& reader, const Body& body, const BodyHeader& saved, Plan& plan) {
    plan.grabs = body.grabs.slots; // slots used since the snapshot stay, to reject their handles
    for (GrabSlots::Slot& slot : plan.grabs) {
        slot.generation = 0;
        slot.in_use = false;
    }
    plan.grabs.resize(std::max<std::size_t>(plan.grabs.size(), saved.grab_count));
    for (std::size_t k = 0; k < saved.grab_count; ++k) {
        const auto state = reader.get<GrabState>();
        for (const std::uint32_t vertex : state.vertices)
            if (vertex >= saved.vertex_count)
                return fail(TWANG_BAD_SNAPSHOT, "grab %zu names vertex %u of %zu", k, vertex,
                            std::size_t{saved.vertex_count});
        GrabSlots::Slot& slot = plan.grabs[k];
        slot.generation = state.generation;
        slot.max_generation = std::max(slot.max_generation, slot.generation);
        slot.in_use = state.in_use != 0;
        slot.grab.target = state.target;
        slot.from = state.from;
        slot.grab.stiffness = state.stiffness;
        for (int c = 0; c < 3; ++c) {
            slot.grab.vertices[c] = body.model->to_inner[state.vertices[c]];
            slot.grab.weights[c] = state.weights[c];
        }
    }
    return TWANG_OK;
}

Status plan_fresh(Reader& reader, const Body& body, const BodyHeader& saved, Plan& plan) {
    const std::size_t triangles = body.model->triangles.size() / 3;
    for (std::size_t k = 0; k < saved.fresh_count; ++k) {
        const auto triangle = reader.get<std::uint64_t>();
        if (triangle >= triangles)
            return fail(TWANG_BAD_SNAPSHOT, "torn triangle %zu is %llu of %zu", k,
                        static_cast<unsigned long long>(triangle), triangles);
        plan.torn.fresh.push_back(static_cast<std::uint32_t>(triangle));
    }
    return TWANG_OK;
}

Status plan_points(Reader& reader, const Body& body, const BodyHeader& saved, Plan& plan) {
    const std::size_t elements = body.model->edges.size() + body.model->triangles.size() / 3;
    plan.points.reserve(std::max<std::size_t>(body.history.points.capacity(), saved.point_count));
    for (std::size_t k = 0; k < saved.point_count; ++k) {
        const auto point = reader.get<PointState>();
        if (point.element >= elements || (k > 0 && point.element <= plan.points.back().element))
            return fail(TWANG_BAD_SNAPSHOT,
                        "contact %zu between vertices is of edge or triangle %u", k, point.element);
        if (!(point.normal > 0.0) || !std::isfinite(point.normal) || !(point.share > 0.0) ||
            !std::isfinite(point.share) || !finite(point.against))
            return fail(TWANG_BAD_SNAPSHOT,
                        "contact %zu between vertices has forces that are not finite", k);
        plan.points.push_back(
            {point.element, {point.normal, point.against, point.share, point.slides != 0}});
    }
    return TWANG_OK;
}

Status make_plan(World& world, Body& body, const BodyHeader& saved, Reader reader, Plan& plan) {
    std::shared_ptr<const System> system;
    if (const Status s = find_system(world, body, saved, reader, system); s != TWANG_OK) return s;
    if (system != body.system.shared()) plan.system = std::make_unique<UpdatedSystem>(system);
    if (saved.pending.exists) {
        SystemKey key = saved_key(world, body, saved, reader, saved.pending,
                                  &VertexState::pending_held, &SpringState::pending_stiffness);
        plan.pending = body.pending && body.pending->key == key
                           ? body.pending
                           : submit(world.systems, world.factor_service, std::move(key));
    }
    plan_strain_limit(body, saved, plan);
    reader.skip(saved.vertex_count * sizeof(VertexState));
    plan_springs(reader, body, saved, plan);
    if (const Status s = plan_grabs(reader, body, saved, plan); s != TWANG_OK) return s;
    if (const Status s = plan_fresh(reader, body, saved, plan); s != TWANG_OK) return s;
    return plan_points(reader, body, saved, plan);
}

std::uint32_t write_pairs(Writer& writer, const World& world) {
    const auto user = [&](std::uint32_t body, std::uint32_t vertex) {
        return world.bodies.all()[body].item->model->to_user[vertex];
    };
    const std::vector<PairForce>& forces = world.touching.contacts().forces();
    for (const PairForce& f : forces)
        writer.put(PairState{f.pair.body_a, user(f.pair.body_a, f.pair.a), f.pair.body_b,
                             user(f.pair.body_b, f.pair.b), f.normal, f.friction, f.pull, f.slides,
                             f.both_moved, f.separates_slowly, 0});
    return static_cast<std::uint32_t>(forces.size());
}

// Reads the contacts between bodies, which are the last part of the snapshot.
Status plan_pairs(const World& world, const Header& header, const std::byte* data,
                  std::vector<PairForce>& pairs) {
    Reader reader(data + header.bytes - header.pair_count * sizeof(PairState));
    const auto model_of = [&](std::uint32_t body) -> const Model* {
        const auto& slots = world.bodies.all();
        return body < slots.size() && slots[body].item ? slots[body].item->model.get() : nullptr;
    };
    for (std::uint32_t k = 0; k < header.pair_count; ++k) {
        const auto saved = reader.get<PairState>();
        const Model *a = model_of(saved.body_a), *b = model_of(saved.body_b);
        if (!a || !b || saved.a >= a->vertex_count() || saved.b >= b->vertex_count())
            return fail(TWANG_BAD_SNAPSHOT, "contact %u is between vertices that do not exist", k);
        if (!(saved.normal >= 0.0) || !std::isfinite(saved.normal) || !finite(saved.friction) ||
            !finite(saved.pull))
            return fail(TWANG_BAD_SNAPSHOT, "contact %u has forces that are not finite", k);
        pairs.push_back({{saved.body_a, a->to_inner[saved.a], saved.body_b, b->to_inner[saved.b]},
                         saved.normal,
                         saved.friction,
                         saved.pull,
                         saved.slides != 0,
                         saved.both_moved != 0,
                         saved.separates_slowly != 0});
    }
    return TWANG_OK;
}

void read_body(Reader reader, const BodyHeader& saved, Plan& plan, Body& body) {
    body.report = {};
    body.report.status = static_cast<Status>(saved.status);
    body.report.enabled = saved.enabled;
    body.report.steps = saved.steps;
    body.due = saved.due;
    body.wants_system = saved.wants_system;
    body.stale = saved.stale;
    body.wants_start_system = saved.wants_start_system;
    body.has_user_forces = false;
    body.own = saved.own;
    body.vertex_radius = saved.vertex_radius;
    body.vertex_friction = saved.vertex_friction;
    body.history.time_step = saved.history_time_step;
    body.history.touched = saved.touched != 0;
    if (plan.strain_limit) body.strain_limit = std::move(*plan.strain_limit);
    for (const std::uint32_t i : body.model->to_inner) {
        const auto vertex = reader.get<VertexState>();
        body.x[i] = vertex.x;
        body.v[i] = vertex.v;
        body.before[i] = vertex.before;
        body.history.displacement[i] = vertex.displacement;
        body.history.velocity[i] = vertex.last_v;
        body.history.contact[i] = {vertex.contact_normal, vertex.contact_against,
                                   vertex.contact_share, vertex.contact_slides != 0};
        body.pin_reactions[i] = vertex.pin_reaction;
        body.user_forces[i] = vertex.force;
        body.has_user_forces |= length(vertex.force) > 0.0;
        body.pins.assign(i, vertex.held, vertex.target, vertex.next_held, vertex.next_target);
    }
    body.history.points = std::move(plan.points);
    body.pins.rebuild_list();
    body.own_springs = std::move(plan.springs);
    body.torn = std::move(plan.torn);
    body.grabs.slots = std::move(plan.grabs);
    body.pending = std::move(plan.pending);
    if (plan.system) {
        body.previous = body.system.shared();
        body.system = std::move(*plan.system);
        body.refit = true;
    }
    body.changed = true;
    show(body);
    body.sleep.restore(saved.asleep != 0, saved.still_steps, body.x);
    body.report.asleep = saved.asleep;
}

void write_springs(Writer& writer, const Body& body) {
    const BodySprings& springs = *body.own_springs;
    const auto& made = body.system.base().key.stiffness;
    const bool has_pending = body.pending && body.pending->key.stiffness;
    for (std::size_t s = 0; s < body.model->springs.size(); ++s)
        writer.put(SpringState{springs.rest_scale(s), springs.stiffness(s),
                               springs.next_stiffness(s), made ? (*made)[s] : 0.0,
                               has_pending ? (*body.pending->key.stiffness)[s] : 0.0,
                               std::uint64_t{springs.is_broken(s)}});
}

void write_body(Writer& writer, const Body& body) {
    const std::vector<char>& made = body.system.base().key.held;
    for (const std::uint32_t i : body.model->to_inner) {
        const bool pending_held = body.pending && body.pending->key.held[i];
        const Pins& pins = body.pins;
        const History& history = body.history;
        const ContactForce& contact = history.contact[i];
        writer.put(VertexState{
            body.x[i], body.v[i], body.before[i], history.displacement[i], history.velocity[i],
            pins.target(i), pins.next_target(i), body.user_forces[i], body.pin_reactions[i],
            contact.against, contact.normal, contact.share, pins.holds(i), pins.will_hold(i),
            static_cast<std::uint32_t>(made[i]), pending_held, contact.slides, 0});
    }
    if (body.own_springs) write_springs(writer, body);
    for (std::size_t k = 0; k < body.grabs.used(); ++k) {
        const GrabSlots::Slot& slot = body.grabs.slots[k];
        GrabState state{slot.generation, slot.in_use,        {}, 0, {}, slot.grab.target,
                        slot.from,       slot.grab.stiffness};
        for (int c = 0; c < 3; ++c) {
            state.vertices[c] = body.model->to_user[slot.grab.vertices[c]];
            state.weights[c] = slot.grab.weights[c];
        }
        writer.put(state);
    }
    for (const std::uint32_t triangle : body.torn.fresh) writer.put(std::uint64_t{triangle});
    for (const PointForce& point : body.history.points)
        writer.put(PointState{point.element, point.force.slides, point.force.normal,
                              point.force.share, point.force.against});
}

} // namespace

std::size_t snapshot_size(const World& world) {
    std::size_t bytes = sizeof(Header);
    for_each(world.bodies, [&](std::uint32_t index, std::uint32_t generation, const Body& body) {
        bytes += sizeof(BodyHeader) + body_bytes(header_of(index, generation, body));
    });
    for_each(world.obstacles, [&](std::uint32_t, std::uint32_t, const Obstacle&) {
        bytes += sizeof(ObstacleState);
    });
    return bytes + world.touching.contacts().forces().size() * sizeof(PairState);
}

void save(const World& world, void* buffer) {
    Header header{};
    Writer writer(static_cast<std::byte*>(buffer) + sizeof header);
    header.body_count = for_each(
        world.bodies, [&](std::uint32_t index, std::uint32_t generation, const Body& body) {
            writer.put(header_of(index, generation, body));
            write_body(writer, body);
        });
    header.obstacle_count = for_each(world.obstacles, [&](std::uint32_t index,
                                                          std::uint32_t generation,
                                                          const Obstacle& obstacle) {
        writer.put(ObstacleState{index, generation, obstacle.last, obstacle.now, obstacle.next});
    });
    header.pair_count = write_pairs(writer, world);
    header.magic = magic;
    header.version = version;
    header.bytes = snapshot_size(world);
    header.steps = world.steps;
    header.time_step_due = world.time_step_due;
    header.time_step = world.def.time_step;
    header.next_time_step = world.next_time_step;
    header.requested_time_step = world.requested_time_step;
    header.left_over = world.left_over;
    header.damping = world.damping;
    header.surroundings = world.surroundings;
    header.setup = setup_of(world);
    header.checksum = checksum(header, static_cast<std::byte*>(buffer), header.bytes);
    Writer(buffer).put(header);
}

Status restore(World& world, const void* buffer, std::size_t bytes) {
    const auto* data = static_cast<const std::byte*>(buffer);
    if (bytes < sizeof(Header))
        return fail(TWANG_BAD_SNAPSHOT, "%zu bytes are too few for a snapshot", bytes);
    Reader reader(data);
    const auto header = reader.get<Header>();
    if (const Status s = check_header(header, data, bytes); s != TWANG_OK) return s;
    if (const Status s = check_fit(world, header, reader); s != TWANG_OK) return s;

    const std::size_t left = bytes - sizeof header;
    std::vector<Plan> plans;
    Status status = TWANG_OK;
    for_each_saved_body(world, reader, left, bytes_after_bodies(header),
                        [&](Body& body, const BodyHeader& saved, Reader at) {
                            plans.emplace_back();
                            if (status == TWANG_OK)
                                status = make_plan(world, body, saved, at, plans.back());
                        });
    if (status != TWANG_OK) return status;
    std::vector<PairForce> pairs;
    if (const Status s = plan_pairs(world, header, data, pairs); s != TWANG_OK) return s;

    std::size_t next = 0;
    for_each_saved_body(world, reader, left, bytes_after_bodies(header),
                        [&](Body& body, const BodyHeader& saved, Reader at) {
                            read_body(at, saved, plans[next++], body);
                            reader.skip(sizeof(BodyHeader) + body_bytes(saved));
                        });
    for_each(world.obstacles, [&](std::uint32_t, std::uint32_t, Obstacle& obstacle) {
        const auto saved = reader.get<ObstacleState>();
        obstacle.last = saved.last;
        obstacle.now = saved.now;
        obstacle.next = saved.next;
    });
    world.touching.contacts().forces() = std::move(pairs);
    world.steps = header.steps;
    world.time_step_due = header.time_step_due;
    world.def.time_step = header.time_step;
    world.next_time_step = header.next_time_step;
    world.requested_time_step = header.requested_time_step;
    world.left_over = header.left_over;
    world.damping = header.damping;
    world.surroundings = header.surroundings;
    return TWANG_OK;
}

} // namespace twang::core
