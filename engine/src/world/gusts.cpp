#include "world/gusts.hpp"

#include <bit>
#include <initializer_list>

namespace twang::core {

namespace {

std::uint64_t scramble(std::uint64_t hash, double node) {
    hash ^= std::bit_cast<std::uint64_t>(node + 0.0); // turns -0 into 0
    hash = (hash ^ (hash >> 32)) * 0x9FB21C651E98DF25u;
    return hash ^ (hash >> 29);
}

// Each coordinate is from -1 to 1, made of 21 bits.
Vec3 random_vector(std::uint64_t seed, double time, Vec3 node) {
    std::uint64_t hash = scramble(seed + 0x9E3779B97F4A7C15u, time);
    for (const double coordinate : {node.x, node.y, node.z}) hash = scramble(hash, coordinate);
    hash = (hash ^ (hash >> 31)) * 0xD6E8FEB86659FD93u;
    hash ^= hash >> 32;
    const auto part = [&](int shift) {
        return static_cast<double>((hash >> shift) & 0x1FFFFF) * 0x1p-20 - 1.0;
    };
    return {part(0), part(21), part(42)};
}

double smooth(double t) { return t * t * (3.0 - 2.0 * t); } // slope 0 at 0 and at 1

Vec3 lerp(Vec3 a, Vec3 b, double t) { return a + t * (b - a); }

Vec3 floor_of(Vec3 p) { return {std::floor(p.x), std::floor(p.y), std::floor(p.z)}; }

} // namespace

GustField::GustField(const Gusts& gusts, double time) : gusts_(gusts) {
    const double t = time / gusts.seconds;
    before_ = std::floor(t);
    blend_ = smooth(t - before_);
}

const Vec3* GustField::corners_of(Vec3 lowest) {
    const auto odd = [](double node) { return 0.5 * node != std::floor(0.5 * node); };
    Cell& cell = cells_[odd(lowest.x) + 2 * odd(lowest.y) + 4 * odd(lowest.z)];
    const Vec3 l = cell.lowest;
    if (cell.known && l.x == lowest.x && l.y == lowest.y && l.z == lowest.z) return cell.corners;
    cell.lowest = lowest;
    cell.known = true;
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 node =
            lowest + Vec3{static_cast<double>(corner & 1), static_cast<double>(corner >> 1 & 1),
                          static_cast<double>(corner >> 2)};
        cell.corners[corner] = lerp(random_vector(gusts_.seed, before_, node),
                                    random_vector(gusts_.seed, before_ + 1.0, node), blend_);
    }
    return cell.corners;
}

Vec3 GustField::at(Vec3 place) {
    const Vec3 p{place.x / gusts_.metres, place.y / gusts_.metres, place.z / gusts_.metres};
    const Vec3 lowest = floor_of(p);
    const Vec3* corners = corners_of(lowest);
    const double x = smooth(p.x - lowest.x), y = smooth(p.y - lowest.y), z = smooth(p.z - lowest.z);
    const auto face = [&](const Vec3* c) {
        return lerp(lerp(c[0], c[1], x), lerp(c[2], c[3], x), y);
    };
    return gusts_.speed * lerp(face(corners), face(corners + 4), z);
}

} // namespace twang::core
