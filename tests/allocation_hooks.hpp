// Counts the allocations of a test program, and makes them fail on demand. Replaces the program's
// allocator, so a program includes it in exactly one file. With glibc malloc and its kin are
// replaced, which operator new and CHOLMOD go through; a sanitizer needs malloc for itself, there
// only operator new is.
#pragma once

#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "api_support.hpp"

#if defined(__GLIBC__) && !TWANG_SANITIZED
#define TWANG_REPLACES_MALLOC 1
#else
#define TWANG_REPLACES_MALLOC 0
#endif

namespace hooks {

inline constexpr bool sees_malloc = TWANG_REPLACES_MALLOC;

inline std::atomic<long> allocations{0}; // so far, by all threads
inline std::atomic<long> live_blocks{0}; // allocated and not freed
inline std::atomic<long> live_bytes{0};
inline constexpr long never = -1;
inline thread_local long left_to_failure = never; // allocations of this thread that still succeed
inline thread_local bool has_failed = false;

inline bool must_fail() {
    if (left_to_failure == never) return false;
    if (left_to_failure-- > 0) return false;
    left_to_failure = never; // one failure, then memory is back
    has_failed = true;
    return true;
}
inline void* born(void* block) {
    if (!block) return block;
    ++allocations;
    ++live_blocks;
    live_bytes += static_cast<long>(malloc_usable_size(block));
    return block;
}
inline void dies(void* block) {
    if (!block) return;
    --live_blocks;
    live_bytes -= static_cast<long>(malloc_usable_size(block));
}

// While it lives, this thread's allocation number `index` (from 0) fails.
class Failing {
public:
    explicit Failing(long index) {
        has_failed = false;
        left_to_failure = index;
    }
    ~Failing() { stop(); }
    Failing(const Failing&) = delete;
    Failing& operator=(const Failing&) = delete;
    bool stop() { // true when an allocation has failed
        left_to_failure = never;
        return has_failed;
    }
};

} // namespace hooks

#if TWANG_REPLACES_MALLOC

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* block);

void* malloc(std::size_t size) noexcept {
    if (!hooks::must_fail()) return hooks::born(__libc_malloc(size));
    errno = ENOMEM;
    return nullptr;
}
void* calloc(std::size_t count, std::size_t size) noexcept {
    if (!hooks::must_fail()) return hooks::born(__libc_calloc(count, size));
    errno = ENOMEM;
    return nullptr;
}
void* realloc(void* block, std::size_t size) noexcept {
    if (hooks::must_fail()) {
        errno = ENOMEM;
        return nullptr;
    }
    const std::size_t before = block ? malloc_usable_size(block) : 0;
    void* moved = __libc_realloc(block, size);
    if (block && (moved || size == 0)) {
        --hooks::live_blocks;
        hooks::live_bytes -= static_cast<long>(before);
    }
    return hooks::born(moved);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
    if (!hooks::must_fail()) return hooks::born(__libc_memalign(alignment, size));
    errno = ENOMEM;
    return nullptr;
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    return memalign(alignment, size);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
    void* made = memalign(alignment, size);
    if (!made) return ENOMEM;
    *block = made;
    return 0;
}
void free(void* block) noexcept {
    hooks::dies(block);
    __libc_free(block);
}
} // extern "C"

#else

inline void* hooked_new(std::size_t size) noexcept {
    return hooks::must_fail() ? nullptr : hooks::born(std::malloc(size ? size : 1));
}
inline void hooked_delete(void* block) noexcept {
    hooks::dies(block);
    std::free(block);
}
void* operator new(std::size_t size) {
    if (void* block = hooked_new(size)) return block;
    throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return hooked_new(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return hooked_new(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
    const std::size_t unit = static_cast<std::size_t>(alignment);
    void* block = hooks::must_fail() ? nullptr : std::aligned_alloc(unit, (size / unit + 1) * unit);
    if (!block) throw std::bad_alloc();
    return hooks::born(block);
}
void operator delete(void* block, std::align_val_t) noexcept { hooked_delete(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { hooked_delete(block); }
void operator delete(void* block) noexcept { hooked_delete(block); }
void operator delete[](void* block) noexcept { hooked_delete(block); }
void operator delete(void* block, std::size_t) noexcept { hooked_delete(block); }
void operator delete[](void* block, std::size_t) noexcept { hooked_delete(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { hooked_delete(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { hooked_delete(block); }

#endif
