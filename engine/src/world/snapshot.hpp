// Snapshots: the state of a world as bytes (positions, velocities, pins, grabs, user forces,
// springs, contacts, colliders, pending requests for factors, time left over). Restoring a snapshot
// and stepping gives the same bits. Models and settings are not included: a snapshot fits the world
// that it was saved from, or one built by the same calls.
#pragma once

#include <cstddef>

#include "world/world.hpp"

namespace twang::core {

std::size_t snapshot_size(const World& world);
// Writes snapshot_size(world) bytes.
void save(const World& world, void* buffer);
// Checks the whole snapshot before it changes the world.
Status restore(World& world, const void* buffer, std::size_t bytes);

} // namespace twang::core
