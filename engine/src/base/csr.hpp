// Compressed sparse rows (CSR), and the entry of the list of springs per vertex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/memory.hpp"

namespace twang::core {

// A spring seen from one of its two vertices; `other` is the vertex at the other end.
struct Link {
    std::uint32_t other, spring;
    double stiffness, rest_length;
};

// A compressed list of lists: list i is items[start[i] .. start[i + 1]).
template <class T>
struct Lists {
    std::vector<std::uint32_t> start;
    HostVector<T> items;
    const T* begin(std::size_t i) const { return items.data() + start[i]; }
    const T* end(std::size_t i) const { return items.data() + start[i + 1]; }
    std::uint32_t count(std::size_t i) const { return start[i + 1] - start[i]; }
};

} // namespace twang::core
