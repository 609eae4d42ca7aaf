// Source of the large arrays: the allocator that the host set for the current thread, else operator
// new. Each block stores its allocator, so a block can be freed at any time and on any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "base/error.hpp"

namespace twang::core {

inline constexpr std::size_t memory_alignment = 64; // bytes, one cache line

void* allocate_memory(std::size_t bytes); // aligned to memory_alignment; throws std::bad_alloc
void free_memory(void* memory) noexcept;

// Fails where only one of allocate and release is set.
Status check_allocator(const twang_allocator& allocator);

// Makes `allocator` the current one of this thread until the end of the scope.
class MemoryScope {
public:
    explicit MemoryScope(const twang_allocator& allocator);
    ~MemoryScope();
    MemoryScope(const MemoryScope&) = delete;
    MemoryScope& operator=(const MemoryScope&) = delete;

private:
    twang_allocator previous_;
};

// allocate_memory as an allocator of the standard library.
template <class T>
struct HostAllocator {
    using value_type = T;
    HostAllocator() = default;
    template <class U>
    HostAllocator(const HostAllocator<U>&) {}
    T* allocate(std::size_t count) { return static_cast<T*>(allocate_memory(count * sizeof(T))); }
    void deallocate(T* items, std::size_t) { free_memory(items); }
    bool operator==(const HostAllocator&) const { return true; }
};
template <class T>
using HostVector = std::vector<T, HostAllocator<T>>;

} // namespace twang::core
