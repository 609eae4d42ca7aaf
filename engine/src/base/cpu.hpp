// What this machine can do.
#pragma once

#include <cstddef>

namespace twang::core {

bool machine_has_avx2();        // with FMA and F16C
std::size_t last_level_cache(); // bytes; a guess where the machine does not tell

} // namespace twang::core
