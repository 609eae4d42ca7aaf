// A world's state as bytes: positions, velocities, pins, user forces, obstacles, time left over.
// Restoring it and stepping gives the same bits. Models and settings are not in it: it fits the
// world it came from, or one built by the same calls.
#pragma once

#include <cstddef>

#include "world/world.hpp"

namespace twang::core {

std::size_t snapshot_size(const World& world);
// `buffer` holds snapshot_size bytes.
void save(const World& world, void* buffer);
// Checks everything, then changes the world.
Status restore(World& world, const void* buffer, std::size_t bytes);

} // namespace twang::core
