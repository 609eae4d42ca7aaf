#include "snapshot.hpp"

#include <cstring>

namespace twang::core {

namespace {

constexpr std::uint64_t magic = 0x30504e53474e5754; // "TWNGSNP0", little-endian
constexpr std::uint32_t version = 1;

struct Header {
    std::uint64_t magic;
    std::uint32_t version, body_count, obstacle_count, reserved;
    std::uint64_t bytes;    // of the whole snapshot
    std::uint64_t checksum; // of everything but itself
    double time_step, left_over;
};

struct BodyHeader {
    std::uint32_t index, generation;
    std::uint64_t identity, vertex_count, steps;
    std::int32_t status, enabled;
};

// One vertex, in the caller's order.
struct VertexState {
    Vec3 x, v, target, force;
    std::uint64_t held;
};

struct ObstacleState {
    std::uint32_t index, generation;
    Vec3 centre, end, next;
};

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

Status check_fit(const World& world, const Header& header, Reader reader) {
    const auto nothing = [](auto&&...) {};
    const std::uint32_t bodies = for_each(world.bodies, nothing);
    const std::uint32_t obstacles = for_each(world.obstacles, nothing);
    if (bodies != header.body_count || obstacles != header.obstacle_count ||
        header.bytes != snapshot_size(world))
        return fail(TWANG_MESH_MISMATCH,
                    "the snapshot has %u bodies and %u colliders of its own, the world %u and %u",
                    header.body_count, header.obstacle_count, bodies, obstacles);
    bool fits = true;
    for_each(world.bodies, [&](std::uint32_t index, std::uint32_t, const Body& body) {
        const auto saved = reader.get<BodyHeader>();
        fits = fits && saved.index == index && saved.identity == body.model->identity &&
               saved.vertex_count == body.model->vertex_count();
        if (fits) reader.skip(saved.vertex_count * sizeof(VertexState));
    });
    return fits ? TWANG_OK
                : fail(TWANG_MESH_MISMATCH, "the snapshot belongs to bodies of other models");
}

void read_body(Reader& reader, Body& body) {
    const auto saved = reader.get<BodyHeader>();
    body.report = {};
    body.report.status = static_cast<Status>(saved.status);
    body.report.enabled = saved.enabled;
    body.report.steps = saved.steps;
    body.has_user_forces = false;
    for (const std::uint32_t i : body.model->to_inner) {
        const auto vertex = reader.get<VertexState>();
        body.x[i] = vertex.x;
        body.v[i] = vertex.v;
        body.user_forces[i] = vertex.force;
        body.has_user_forces |= length(vertex.force) > 0.0;
        if (vertex.held)
            body.pins.pin(i, vertex.target);
        else
            body.pins.unpin(i);
    }
    publish(body);
}

} // namespace

std::size_t snapshot_size(const World& world) {
    std::size_t bytes = sizeof(Header);
    for_each(world.bodies, [&](std::uint32_t, std::uint32_t, const Body& body) {
        bytes += sizeof(BodyHeader) + body.model->vertex_count() * sizeof(VertexState);
    });
    for_each(world.obstacles, [&](std::uint32_t, std::uint32_t, const Obstacle&) {
        bytes += sizeof(ObstacleState);
    });
    return bytes;
}

void save(const World& world, void* buffer) {
    Header header{};
    Writer writer(static_cast<std::byte*>(buffer) + sizeof header);
    header.body_count = for_each(world.bodies, [&](std::uint32_t index, std::uint32_t generation,
                                                   const Body& body) {
        writer.put(BodyHeader{index, generation, body.model->identity, body.model->vertex_count(),
                              body.report.steps, body.report.status, body.report.enabled});
        for (const std::uint32_t i : body.model->to_inner)
            writer.put(VertexState{body.x[i], body.v[i], body.pins.next_target(i),
                                   body.user_forces[i], std::uint64_t{body.pins.will_hold(i)}});
    });
    header.obstacle_count =
        for_each(world.obstacles,
                 [&](std::uint32_t index, std::uint32_t generation, const Obstacle& obstacle) {
                     writer.put(ObstacleState{index, generation, obstacle.def.centre,
                                              obstacle.def.end, obstacle.next});
                 });
    header.magic = magic;
    header.version = version;
    header.bytes = snapshot_size(world);
    header.time_step = world.next_time_step;
    header.left_over = world.left_over;
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

    for_each(world.bodies,
             [&](std::uint32_t, std::uint32_t, Body& body) { read_body(reader, body); });
    for_each(world.obstacles, [&](std::uint32_t, std::uint32_t, Obstacle& obstacle) {
        const auto saved = reader.get<ObstacleState>();
        obstacle.def.centre = saved.centre;
        obstacle.def.end = saved.end;
        obstacle.next = saved.next;
    });
    world.next_time_step = header.time_step;
    world.left_over = header.left_over;
    return TWANG_OK;
}

} // namespace twang::core
