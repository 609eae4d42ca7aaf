// Reads memory in 32-byte vectors. See stream.hpp.
#include "suites/stream.hpp"

#if defined(__x86_64__) && defined(__gnu_linux__)
#define TWANG_BENCH_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define TWANG_BENCH_CLONES
#endif

namespace bench {

namespace {

using Words = std::uint32_t __attribute__((vector_size(32)));

} // namespace

TWANG_BENCH_CLONES std::uint32_t read_all(const void* data, std::size_t bytes) {
    const Words* words = static_cast<const Words*>(data);
    Words a{}, b{}, c{}, d{};
    for (std::size_t i = 0; i + 4 <= bytes / sizeof(Words); i += 4) {
        a += words[i];
        b += words[i + 1];
        c += words[i + 2];
        d += words[i + 3];
    }
    const Words sum = a + b + c + d;
    std::uint32_t total = 0;
    for (int lane = 0; lane < 8; ++lane) total += sum[lane];
    return total;
}

} // namespace bench
