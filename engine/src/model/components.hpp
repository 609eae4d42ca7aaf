// What a torn body has come apart into: vertices that springs still join, directly or not.
#pragma once

#include <cstdint>
#include <vector>

#include "model/model.hpp"

namespace twang::core {

struct Pieces {
    std::vector<std::uint32_t> of; // per vertex
    bool known = false;            // and not torn since

    void make_room(std::size_t vertices);
    // Where any spring is broken and the pieces are not known.
    void find(const Model& model, const LiveSprings& springs);
    std::size_t count() const { return weight.size(); }

    // Room for those who sum over pieces: one of each per piece.
    std::vector<Vec3> sum;
    std::vector<double> weight;
    std::vector<char> mark;
};

} // namespace twang::core
