// Checks of a snapshot whose checksum fits: numbers are finite and in the range that calls and
// steps keep, flags are 0 or 1 and agree with each other, indices exist. Fails with BAD_SNAPSHOT
// and the name of the element.
#pragma once

#include "world/snapshot_format.hpp"

namespace twang::core {

Status check_times(const World& world, const snapshot_format::Header& header);
// `reader` stands behind the header of the body, which fits the body's model. Torn triangles are
// left to the caller.
Status check_body(World& world, const Body& body, const snapshot_format::BodyHeader& saved,
                  snapshot_format::Reader reader);
Status check_pose(std::size_t collider, const snapshot_format::ObstacleState& saved);
Status check_pair(const World& world, std::size_t index, const snapshot_format::PairState& saved);

} // namespace twang::core
