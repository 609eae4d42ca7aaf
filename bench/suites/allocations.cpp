// Replaces operator new and delete by versions that count.
#include "suites/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> count{0};

} // namespace

namespace bench {

long allocations() { return count.load(); }

} // namespace bench

// The other forms of operator new and delete call these by default.
void* operator new(std::size_t size) {
    ++count;
    if (void* block = std::malloc(size ? size : 1)) return block;
    throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
