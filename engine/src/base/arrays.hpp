// Two arrays that std::vector does not offer: AlignedArray starts on a cache line, and VertexArray
// has zeros beyond its end for kernels that read eight vertices at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/memory.hpp"

namespace twang::core {

// Uninitialised memory that starts on a cache line.
template <class T>
class AlignedArray {
public:
    AlignedArray() = default;
    explicit AlignedArray(std::size_t count)
        : memory_(static_cast<T*>(allocate_memory(count * sizeof(T) + read_padding))),
          size_(count) {}
    AlignedArray(AlignedArray&& other) noexcept { *this = std::move(other); }
    AlignedArray& operator=(AlignedArray&& other) noexcept {
        memory_ = std::move(other.memory_);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }
    T* data() { return memory_.get(); }
    const T* data() const { return memory_.get(); }
    std::size_t size() const { return size_; }

private:
    static constexpr std::size_t read_padding = 64; // bytes; kernels read whole registers
    struct Free {
        void operator()(T* memory) const { free_memory(memory); }
    };
    std::unique_ptr<T, Free> memory_;
    std::size_t size_ = 0;
};

// One element per vertex, then zeros up to the next multiple of 8 and eight more. Kernels read
// eight vertices at a time, and the first of them is not always a multiple of 8.
template <class T>
class VertexArray {
public:
    VertexArray() = default;
    explicit VertexArray(std::size_t count) : items_((count + 7) / 8 * 8 + 8), size_(count) {}
    explicit VertexArray(const std::vector<T>& items) : VertexArray(items.size()) {
        std::copy(items.begin(), items.end(), begin());
    }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return items_.empty() ? 0 : items_.size() - 8; }
    // Sets the size to `count`, at most the capacity, and every element to 0.
    void use(std::size_t count) {
        size_ = count;
        std::fill(items_.begin(), items_.end(), T{});
    }
    T* data() { return items_.data(); }
    const T* data() const { return items_.data(); }
    T* begin() { return data(); }
    const T* begin() const { return data(); }
    T* end() { return data() + size_; }
    const T* end() const { return data() + size_; }
    T& operator[](std::size_t i) { return items_[i]; }
    const T& operator[](std::size_t i) const { return items_[i]; }
    void swap(VertexArray& other) {
        items_.swap(other.items_);
        std::swap(size_, other.size_);
    }

private:
    HostVector<T> items_;
    std::size_t size_ = 0;
};

} // namespace twang::core
