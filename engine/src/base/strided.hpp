// Writes xyz as floats into a vertex buffer of the caller, whose vertices lie `stride` bytes apart.
#pragma once

#include <cstddef>
#include <cstring>

#include "base/error.hpp"
#include "base/vec3.hpp"

namespace twang::core {

struct StridedFloats {
    void* first;
    std::size_t stride; // bytes

    void put(std::size_t vertex, Vec3 value) const {
        const float xyz[3] = {static_cast<float>(value.x), static_cast<float>(value.y),
                              static_cast<float>(value.z)};
        std::memcpy(static_cast<std::byte*>(first) + vertex * stride, xyz, sizeof xyz);
    }
};

inline Status check_stride(std::size_t stride) {
    if (stride >= 3 * sizeof(float)) return TWANG_OK;
    return fail(TWANG_OUT_OF_RANGE, "a stride of %zu bytes; three floats need 12", stride);
}

} // namespace twang::core
