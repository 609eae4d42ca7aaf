#include "world/snapshot.hpp"

#include <bit>

#include "world/snapshot_check.hpp"

namespace twang::core {

using namespace snapshot_format;

namespace {

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
bool for_each_saved_body(World& world, Reader reader, std::uint64_t bytes, std::uint64_t rest,
                         F&& f) {
    bool fits = true;
    for_each(world.bodies, [&](std::uint32_t index, std::uint32_t generation, Body& body) {
        fits = fits && bytes >= sizeof(BodyHeader);
        if (!fits) return;
        const auto saved = reader.get<BodyHeader>();
        bytes -= sizeof(BodyHeader);
        fits = saved.index == index && saved.generation == generation &&
               saved.identity == body.model->identity &&
               saved.vertex_count == body.model->vertex_count() &&
               saved.spring_count == (saved.own_springs ? body.model->springs.size() : 0) &&
               saved.grab_count <= TWANG_MAX_GRABS &&
               saved.fresh_count <= body.model->triangles.size() / 3 &&
               saved.point_count <= body.model->vertex_count() && bytes >= body_bytes(saved);
        if (!fits) return;
        f(body, saved, reader);
        reader.skip(static_cast<std::size_t>(body_bytes(saved)));
        bytes -= body_bytes(saved);
    });
    return fits && bytes == rest;
}

// Bytes after the bodies.
std::uint64_t bytes_after_bodies(const Header& header) {
    return header.obstacle_count * std::uint64_t{sizeof(ObstacleState)} +
           header.pair_count * std::uint64_t{sizeof(PairState)};
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
        return fail(TWANG_MESH_MISMATCH,
                    "the snapshot belongs to other bodies, or to bodies of other models");
    if (header.setup != setup_of(world))
        return fail(TWANG_MESH_MISMATCH,
                    "the snapshot belongs to a world, bodies or colliders of other definitions");
    return TWANG_OK;
}

// Checks all numbers and flags but those of torn triangles and of contacts between bodies, which
// are checked as they are read.
Status check_contents(World& world, const Header& header, Reader reader) {
    if (const Status s = check_times(world, header); s != TWANG_OK) return s;
    Status status = TWANG_OK;
    for_each_saved_body(
        world, reader, header.bytes - sizeof header, bytes_after_bodies(header),
        [&](Body& body, const BodyHeader& saved, Reader at) {
            if (status == TWANG_OK) status = check_body(world, body, saved, at);
            reader.skip(sizeof(BodyHeader) + static_cast<std::size_t>(body_bytes(saved)));
        });
    for_each(world.obstacles, [&](std::uint32_t index, std::uint32_t generation, Obstacle&) {
        const auto saved = reader.get<ObstacleState>();
        if (status != TWANG_OK) return;
        status = saved.index == index && saved.generation == generation
                     ? check_pose(index, saved)
                     : fail(TWANG_MESH_MISMATCH, "the snapshot belongs to other colliders");
    });
    return status;
}

// The key of the saved system, or of the requested one, from the fields given.
SystemKey saved_key(const World& world, const Body& body, Reader reader, const SystemState& state,
                    std::uint32_t VertexState::*held, double SpringState::*stiffness) {
    SystemKey key{body.model,
                  body.energy,
                  world.def.pin_method,
                  world.def.precision,
                  world.def.arithmetic,
                  state.time_step,
                  std::vector<char>(body.x.size())};
    for (const std::uint32_t i : body.model->to_inner)
        key.held[i] = static_cast<char>(reader.get<VertexState>().*held);
    key.integrator = static_cast<twang_integrator>(state.integrator);
    if (!state.has_stiffness) return key;
    std::vector<double> values(body.model->springs.size());
    for (double& value : values) value = reader.get<SpringState>().*stiffness;
    key.stiffness = std::make_shared<const std::vector<double>>(std::move(values));
    return key;
}

// Finds the system that the body had: usually still in memory, otherwise in the cache or made
// again.
Status find_system(World& world, Body& body, const BodyHeader& saved, Reader reader,
                   std::shared_ptr<const System>& system) {
    SystemKey key = saved_key(world, body, reader, saved.system, &VertexState::made_held,
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

void plan_grabs(Reader& reader, const Body& body, const BodyHeader& saved, Plan& plan) {
    plan.grabs = body.grabs.slots; // slots used since the snapshot stay, to reject their handles
    for (GrabSlots::Slot& slot : plan.grabs) {
        slot.generation = 0;
        slot.in_use = false;
    }
    plan.grabs.resize(std::max(plan.grabs.size(), static_cast<std::size_t>(saved.grab_count)));
    for (std::size_t k = 0; k < saved.grab_count; ++k) {
        const auto state = reader.get<GrabState>();
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
}

// Torn triangles have lost a side, and are listed once each.
Status plan_fresh(Reader& reader, const Body& body, const BodyHeader& saved, Plan& plan) {
    const std::size_t triangles = body.model->triangles.size() / 3;
    std::vector<char> is_listed(triangles, 0);
    for (std::size_t k = 0; k < saved.fresh_count; ++k) {
        const auto triangle = reader.get<std::uint64_t>();
        if (triangle >= triangles || !plan.torn.triangles[static_cast<std::size_t>(triangle)] ||
            is_listed[static_cast<std::size_t>(triangle)])
            return fail(TWANG_BAD_SNAPSHOT, "triangle %llu of %zu cannot be torn triangle %zu",
                        static_cast<unsigned long long>(triangle), triangles, k);
        is_listed[static_cast<std::size_t>(triangle)] = 1;
        plan.torn.fresh.push_back(static_cast<std::uint32_t>(triangle));
    }
    return TWANG_OK;
}

void plan_points(Reader& reader, const Body& body, const BodyHeader& saved, Plan& plan) {
    plan.points.reserve(
        std::max(body.history.points.capacity(), static_cast<std::size_t>(saved.point_count)));
    for (std::size_t k = 0; k < saved.point_count; ++k) {
        const auto point = reader.get<PointState>();
        plan.points.push_back(
            {point.element, {point.normal, point.against, point.share, point.slides != 0}});
    }
}

Status make_plan(World& world, Body& body, const BodyHeader& saved, Reader reader, Plan& plan) {
    std::shared_ptr<const System> system;
    if (const Status s = find_system(world, body, saved, reader, system); s != TWANG_OK) return s;
    if (system != body.system.shared()) plan.system = std::make_unique<UpdatedSystem>(system);
    if (saved.pending.exists) {
        SystemKey key = saved_key(world, body, reader, saved.pending, &VertexState::pending_held,
                                  &SpringState::pending_stiffness);
        plan.pending = body.pending && body.pending->key == key
                           ? body.pending
                           : submit(world.systems, world.factor_service, std::move(key));
    }
    plan_strain_limit(body, saved, plan);
    reader.skip(body.x.size() * sizeof(VertexState));
    plan_springs(reader, body, saved, plan);
    plan_grabs(reader, body, saved, plan);
    if (const Status s = plan_fresh(reader, body, saved, plan); s != TWANG_OK) return s;
    plan_points(reader, body, saved, plan);
    return TWANG_OK;
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
    const auto inner = [&](std::uint32_t body, std::uint32_t vertex) {
        return world.bodies.all()[body].item->model->to_inner[vertex];
    };
    Reader reader(data + (header.bytes - header.pair_count * std::uint64_t{sizeof(PairState)}));
    for (std::uint32_t k = 0; k < header.pair_count; ++k) {
        const auto saved = reader.get<PairState>();
        if (const Status s = check_pair(world, k, saved); s != TWANG_OK) return s;
        pairs.push_back({{saved.body_a, inner(saved.body_a, saved.a), saved.body_b,
                          inner(saved.body_b, saved.b)},
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
        body.has_user_forces |= !(vertex.force == Vec3{}); // NaN too: the step has to fail
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
    std::uint64_t bytes = sizeof(Header);
    for_each(world.bodies, [&](std::uint32_t index, std::uint32_t generation, const Body& body) {
        bytes += sizeof(BodyHeader) + body_bytes(header_of(index, generation, body));
    });
    for_each(world.obstacles, [&](std::uint32_t, std::uint32_t, const Obstacle&) {
        bytes += sizeof(ObstacleState);
    });
    bytes += world.touching.contacts().forces().size() * sizeof(PairState);
    return static_cast<std::size_t>(bytes); // of what is in memory
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
    header.checksum = checksum(header, static_cast<std::byte*>(buffer), snapshot_size(world));
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

    if (const Status s = check_contents(world, header, reader); s != TWANG_OK) return s;

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
    for_each_saved_body(
        world, reader, left, bytes_after_bodies(header),
        [&](Body& body, const BodyHeader& saved, Reader at) {
            read_body(at, saved, plans[next++], body);
            reader.skip(sizeof(BodyHeader) + static_cast<std::size_t>(body_bytes(saved)));
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
