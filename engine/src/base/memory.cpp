// Each block begins with a header of one cache line, which holds the allocator that releases the
// block and the size in bytes; the caller gets the memory after the header.
#include "base/memory.hpp"

#include <cstdint>
#include <limits>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace twang::core {

namespace {

// Null functions: operator new.
thread_local twang_allocator current_allocator{};

struct alignas(memory_alignment) BlockHeader {
    twang_allocator allocator;
    std::size_t bytes;
};

// Asks Linux for pages of 2 MiB instead of 4 KiB. The panels of the factor are read from end to end
// in every iteration, and large pages need 1/512 of the address translations. The system may
// refuse; the bits of the results do not depend on it.
void advise_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::uintptr_t huge = std::uintptr_t{2} << 20;
    const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + huge - 1) / huge * huge;
    const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / huge * huge;
    if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

void* allocate_default(std::size_t bytes) {
    void* memory = ::operator new (bytes, std::align_val_t{memory_alignment});
    advise_huge_pages(memory, bytes);
    return memory;
}

} // namespace

void* allocate_memory(std::size_t bytes) {
    if (bytes > std::numeric_limits<std::size_t>::max() - sizeof(BlockHeader))
        throw std::bad_alloc();
    const std::size_t total = bytes + sizeof(BlockHeader);
    void* memory = current_allocator.allocate
                       ? current_allocator.allocate(current_allocator.user, total, memory_alignment)
                       : allocate_default(total);
    if (!memory) throw std::bad_alloc();
    return new (memory) BlockHeader{current_allocator, total} + 1;
}

void free_memory(void* memory) noexcept {
    if (!memory) return;
    BlockHeader* header = static_cast<BlockHeader*>(memory) - 1;
    const BlockHeader copy = *header;
    if (copy.allocator.allocate)
        copy.allocator.release(copy.allocator.user, header, copy.bytes);
    else
        ::operator delete (header, std::align_val_t{memory_alignment});
}

Status check_allocator(const twang_allocator& allocator) {
    if (!allocator.allocate == !allocator.release) return TWANG_OK;
    return fail(TWANG_INVALID_ARGUMENT, "an allocator needs both allocate and release");
}

MemoryScope::MemoryScope(const twang_allocator& allocator) : previous_(current_allocator) {
    current_allocator = allocator;
}

MemoryScope::~MemoryScope() { current_allocator = previous_; }

} // namespace twang::core
