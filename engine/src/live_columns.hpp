// What a solve on the factor as it was made lacks of one with everything that changed since: a few
// dense columns, v := v - Z u. Eight vertices at a time.
#pragma once

#include <cstddef>

#include "gather.hpp"

namespace twang::core {

inline constexpr std::size_t most_live_columns = 64;

template <class V>
struct LiveColumns {
    std::size_t count;
    const decltype(V::x)* z[most_live_columns]; // each a VertexArray
    V u[most_live_columns];
};

// For vertices 8 group ... 8 group + 7 of v, a VertexArray.
template <class V>
using SubtractKernel = void (*)(const LiveColumns<V>& columns, std::size_t group, V* v);

template <class V>
void plain_subtract(const LiveColumns<V>& columns, std::size_t group, V* v) {
    for (std::size_t i = 8 * group; i < 8 * group + 8; ++i)
        for (std::size_t c = 0; c < columns.count; ++c) {
            v[i].x -= columns.z[c][i] * columns.u[c].x;
            v[i].y -= columns.z[c][i] * columns.u[c].y;
            v[i].z -= columns.z[c][i] * columns.u[c].z;
        }
}

SubtractKernel<Float4> avx2_subtract(); // plain_subtract where it is not compiled in

} // namespace twang::core
