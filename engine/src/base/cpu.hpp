// Features of the CPU that choose between kernels at run time.
#pragma once

#include <cstddef>

namespace twang::core {

bool cpu_has_avx2();            // and FMA and F16C
std::size_t last_level_cache(); // bytes; 8 MiB where the system does not report a size

} // namespace twang::core
