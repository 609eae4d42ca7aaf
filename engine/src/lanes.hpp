// Eight bodies side by side: where a body has a number, an array here has eight, one per body. Of a
// vertex the x of all eight come first, then y, then z. A body in a lane does what it does alone,
// in the same order, and never sees the other lanes.
#pragma once

#include <cstddef>

namespace twang::core {

inline constexpr int abreast = 8;
inline constexpr std::size_t vertex_stride = 3 * abreast;

} // namespace twang::core
