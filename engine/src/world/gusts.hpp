// Gusts: a smooth random velocity of the air over place and time, by value noise. Every node of a
// lattice in space and time has a random vector, made by a hash of the node and the seed; between
// nodes the vectors are blended with 3t^2 - 2t^3. A pure function in portable arithmetic: the same
// bits on every machine, in any order of calls.
#pragma once

#include <cstdint>

#include "base/vec3.hpp"

namespace twang::core {

struct Gusts {
    double speed = 0.0;   // m/s: the largest along each axis; 0: no gusts
    double seconds = 1.0; // s, from node to node
    double metres = 1.0;  // m, from node to node
    std::uint64_t seed = 0;

    bool operator==(const Gusts&) const = default;
};

// The gusts at one time. Caches eight cells of the lattice, one for each parity of the coordinates,
// so that the eight cells around a corner fit at once: neighbouring places are looked up in turn.
class GustField {
public:
    GustField(const Gusts& gusts, double time);
    Vec3 at(Vec3 place); // m/s

private:
    struct Cell {
        Vec3 lowest{}; // lattice coordinates of its lowest corner
        Vec3 corners[8];
        bool known = false;
    };
    const Vec3* corners_of(Vec3 lowest);

    Gusts gusts_;
    double before_, blend_; // node in time before this moment; blend factor to the next
    Cell cells_[8];
};

} // namespace twang::core
