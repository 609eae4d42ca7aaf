// What a snapshot consists of: a header, the bodies (each a BodyHeader, then its vertices, springs,
// grabs, torn triangles and contacts of points), the colliders, and the contacts between bodies.
// Numbers are stored as the machine has them. snapshot.cpp writes and reads them;
// snapshot_check.cpp checks them.
#pragma once

#include <cstring>

#include "world/world.hpp"

namespace twang::core::snapshot_format {

inline constexpr std::uint64_t magic = 0x30504e53474e5754; // "TWNGSNP0", little-endian
inline constexpr std::uint32_t version = 10;

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
inline std::uint64_t checksum(Header header, const std::byte* data, std::size_t bytes) {
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

// A count comes from a file: 64 bits, also where a size has 32.
inline std::uint64_t body_bytes(const BodyHeader& body) {
    return body.vertex_count * sizeof(VertexState) + body.spring_count * sizeof(SpringState) +
           body.grab_count * sizeof(GrabState) + body.fresh_count * sizeof(std::uint64_t) +
           body.point_count * sizeof(PointState);
}

} // namespace twang::core::snapshot_format
