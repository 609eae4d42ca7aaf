// Layout of a batch of eight bodies. Where one body has a number, a batch has eight in a row, one
// lane per body. A vertex has the x of all eight bodies first, then y, then z. Every lane has the
// operations and their order of a body alone and never reads other lanes, so a body has the same
// bits in a batch and alone.
#pragma once

#include <cstddef>

#include "base/arrays.hpp"

namespace twang::core {

// Bodies per batch, and floats per vertex of a batch.
inline constexpr int batch_width = 8;
inline constexpr std::size_t vertex_stride = 3 * batch_width;

// Makes room for `count` elements. Allocates only if `array` was smaller; its old elements are then
// lost.
template <class T>
void make_room(AlignedArray<T>& array, std::size_t count) {
    if (array.size() < count) array = AlignedArray<T>(count);
}

} // namespace twang::core
