// Eight bodies side by side: where a body has a number, an array here has eight, one per body. Of a
// vertex the x of all eight come first, then y, then z. A body in a lane does what it does alone,
// in the same order, and never sees the other lanes.
#pragma once

#include <cstddef>

#include "base/arrays.hpp"

namespace twang::core {

inline constexpr int abreast = 8;
inline constexpr std::size_t vertex_stride = 3 * abreast;

// Allocates only for more than there was room for before.
template <class T>
void make_room(AlignedArray<T>& array, std::size_t count) {
    if (array.size() < count) array = AlignedArray<T>(count);
}

} // namespace twang::core
