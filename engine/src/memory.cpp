#include "memory.hpp"

#include <limits>
#include <new>

namespace twang::core {

namespace {

thread_local twang_allocator in_charge{};

struct alignas(memory_alignment) Label {
    twang_allocator giver;
    std::size_t bytes;
};

} // namespace

void* take_memory(std::size_t bytes) {
    if (bytes > std::numeric_limits<std::size_t>::max() - sizeof(Label)) throw std::bad_alloc();
    const std::size_t all = bytes + sizeof(Label);
    void* memory = in_charge.allocate ? in_charge.allocate(in_charge.user, all, memory_alignment)
                                      : ::operator new (all, std::align_val_t{memory_alignment});
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

MemoryScope::MemoryScope(const twang_allocator& allocator) : before_(in_charge) {
    in_charge = allocator;
}

MemoryScope::~MemoryScope() { in_charge = before_; }

} // namespace twang::core
