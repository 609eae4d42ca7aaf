#include <cstddef>

#include "base/cpu.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif
#if defined(__unix__)
#include <unistd.h>
#endif

namespace twang::core {

bool cpu_has_avx2() {
#if defined(__x86_64__) && defined(__GNUC__)
    // Cached: under a hypervisor the CPUID instruction takes microseconds.
    static const bool has = [] {
        constexpr unsigned f16c = 1u << 29; // bit of ECX; some compilers lack its name
        unsigned a = 0, b = 0, c = 0, d = 0;
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __get_cpuid(1, &a, &b, &c, &d) && (c & f16c);
    }();
    return has;
#else
    return false;
#endif
}

std::size_t last_level_cache() {
#if defined(_SC_LEVEL3_CACHE_SIZE)
    const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (bytes > 0) return static_cast<std::size_t>(bytes);
#endif
    return std::size_t{8} << 20;
}

} // namespace twang::core
