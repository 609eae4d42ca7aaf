// What tests of snapshots share.
#pragma once

#include "api_support.hpp"

namespace api {

inline twang_status restore(const World& world, const std::vector<std::byte>& bytes) {
    return twang_world_restore(world.get(), bytes.data(), bytes.size());
}

// Refuses `bytes` with one of the snapshot statuses and leaves the world as it is.
inline testing::AssertionResult refuses(const World& world, const std::vector<std::byte>& bytes) {
    const auto before = snapshot(world);
    const twang_status status = restore(world, bytes);
    if (status != TWANG_BAD_SNAPSHOT && status != TWANG_VERSION_MISMATCH &&
        status != TWANG_MESH_MISMATCH)
        return is(TWANG_BAD_SNAPSHOT, status);
    if (snapshot(world) != before) return testing::AssertionFailure() << "world changed";
    return testing::AssertionSuccess();
}

} // namespace api
