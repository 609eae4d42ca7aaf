// Where the large arrays come from: the host's allocator while one is in charge on this thread,
// else operator new. A block remembers who gave it, so that it can be given back at any time and on
// any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "base/error.hpp"

namespace twang::core {

inline constexpr std::size_t memory_alignment = 64; // a cache line

void* take_memory(std::size_t bytes); // aligned; throws std::bad_alloc
void give_memory(void* memory) noexcept;

Status check_allocator(const twang_allocator& allocator);

// Puts an allocator in charge of this thread's arrays until the end of the scope.
class MemoryScope {
public:
    explicit MemoryScope(const twang_allocator& allocator);
    ~MemoryScope();
    MemoryScope(const MemoryScope&) = delete;
    MemoryScope& operator=(const MemoryScope&) = delete;

private:
    twang_allocator before_;
};

template <class T>
struct HostAllocator {
    using value_type = T;
    HostAllocator() = default;
    template <class U>
    HostAllocator(const HostAllocator<U>&) {}
    T* allocate(std::size_t count) { return static_cast<T*>(take_memory(count * sizeof(T))); }
    void deallocate(T* items, std::size_t) { give_memory(items); }
    bool operator==(const HostAllocator&) const { return true; }
};
template <class T>
using HostVector = std::vector<T, HostAllocator<T>>;

} // namespace twang::core
