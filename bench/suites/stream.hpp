// Reads memory as fast as one core can, and does nothing else with it: the limit of any kernel that
// must touch so many bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

// A sum of the words; data on a 32-byte border, bytes down to a multiple of 128.
std::uint32_t read_all(const void* data, std::size_t bytes);

} // namespace bench
