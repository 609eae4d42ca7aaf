#include "base/memory.hpp"

#include <cstdint>
#include <limits>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace twang::core {

namespace {

thread_local twang_allocator in_charge{};

struct alignas(memory_alignment) Label {
    twang_allocator giver;
    std::size_t bytes;
};

// Panels are read from end to end in every iteration: with pages of 2 MiB the machine looks up a
// five hundredth of the addresses. A wish; whether it is granted makes no difference to the bits.
void wish_for_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::uintptr_t huge = std::uintptr_t{2} << 20;
    const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + huge - 1) / huge * huge;
    const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / huge * huge;
    if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

void* take_new(std::size_t bytes) {
    void* memory = ::operator new (bytes, std::align_val_t{memory_alignment});
    wish_for_huge_pages(memory, bytes);
    return memory;
}

} // namespace

void* take_memory(std::size_t bytes) {
    if (bytes > std::numeric_limits<std::size_t>::max() - sizeof(Label)) throw std::bad_alloc();
    const std::size_t all = bytes + sizeof(Label);
    void* memory = in_charge.allocate ? in_charge.allocate(in_charge.user, all, memory_alignment)
                                      : take_new(all);
    if (!memory) throw std::bad_alloc();
    return new (memory) Label{in_charge, all} + 1;
}

void give_memory(void* memory) noexcept {
    if (!memory) return;
    Label* label = static_cast<Label*>(memory) - 1;
    const Label kept = *label;
    if (kept.giver.allocate)
        kept.giver.release(kept.giver.user, label, kept.bytes);
    else
        ::operator delete (label, std::align_val_t{memory_alignment});
}

Status check_allocator(const twang_allocator& allocator) {
    if (!allocator.allocate == !allocator.release) return TWANG_OK;
    return fail(TWANG_INVALID_ARGUMENT, "an allocator needs both allocate and release");
}

MemoryScope::MemoryScope(const twang_allocator& allocator) : before_(in_charge) {
    in_charge = allocator;
}

MemoryScope::~MemoryScope() { in_charge = before_; }

} // namespace twang::core
