// Gusts: a smooth random velocity of the air, by place and time. A lattice in space and time has a
// random vector at every node, made by a hash of the node and the seed; between nodes they are
// blended. A pure function in plain arithmetic: the same bits on every machine, in any order.
#pragma once

#include <cstdint>

#include "base/vec3.hpp"

namespace twang::core {

struct Gusts {
    double speed = 0.0;   // m/s: the largest along each axis; 0: no gusts
    double seconds = 1.0; // from node to node
    double metres = 1.0;
    std::uint64_t seed = 0;

    bool operator==(const Gusts&) const = default;
};

// The gusts of one moment. Remembers the cells it looked at, one of each parity, so that eight that
// meet in a corner all have room: neighbours are asked for in turn.
class GustField {
public:
    GustField(const Gusts& gusts, double time);
    Vec3 at(Vec3 place); // m/s

private:
    struct Cell {
        Vec3 lowest{};
        Vec3 corners[8];
        bool known = false;
    };
    const Vec3* corners_of(Vec3 lowest);

    Gusts gusts_;
    double before_, blend_; // the node in time before this moment; how far to the next
    Cell cells_[8];
};

} // namespace twang::core
