// Connected components of a torn body: vertices that unbroken springs still join, directly or
// through other vertices.
#pragma once

#include <cstdint>
#include <vector>

#include "model/model.hpp"

namespace twang::core {

struct Components {
    std::vector<std::uint32_t> of; // index of the component, per vertex
    bool known = false;            // `of` is current: nothing has torn since find()

    void make_room(std::size_t vertices);
    // Finds the components if a spring is broken and `of` is not current.
    void find(const Model& model, const BodySprings& springs);
    std::size_t count() const { return weight.size(); }

    // Scratch for sums over components: one entry of each per component.
    std::vector<Vec3> sum;
    std::vector<double> weight;
    std::vector<char> mark;
};

} // namespace twang::core
