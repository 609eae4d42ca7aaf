// Two arrays that std::vector does not offer: one on cache lines, one with room beyond its end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace twang::core {

// Memory on cache lines, uninitialised.
template <class T>
class AlignedArray {
public:
    AlignedArray() = default;
    explicit AlignedArray(std::size_t count)
        : memory_(new std::byte[count * sizeof(T) + 2 * line]), size_(count) {
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
        data_ = reinterpret_cast<T*>(memory_.get() + (line - address % line));
    }
    AlignedArray(AlignedArray&& other) noexcept { *this = std::move(other); }
    AlignedArray& operator=(AlignedArray&& other) noexcept {
        memory_ = std::move(other.memory_);
        data_ = std::exchange(other.data_, nullptr);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    static constexpr std::size_t line = 64;
    std::unique_ptr<std::byte[]> memory_;
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

// One element per vertex, and zeros up to the next multiple of 8 and one more: kernels work on
// eight vertices at a time and read four numbers where three are meant.
template <class T>
class VertexArray {
public:
    VertexArray() = default;
    explicit VertexArray(std::size_t count) : items_((count + 7) / 8 * 8 + 1), size_(count) {}
    explicit VertexArray(const std::vector<T>& items) : VertexArray(items.size()) {
        std::copy(items.begin(), items.end(), begin());
    }
    std::size_t size() const { return size_; }
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
    std::vector<T> items_;
    std::size_t size_ = 0;
};

} // namespace twang::core
