// Reads memory at the full bandwidth of one core and does nothing else: the lower bound of the time
// of any kernel that touches the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

// Returns the sum of the words. `data` is aligned to 32 bytes; `bytes` is rounded down to a
// multiple of 128.
std::uint32_t read_all(const void* data, std::size_t bytes);

} // namespace bench
