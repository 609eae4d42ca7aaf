// Builds a Network from the caller's definitions: checks every number, derives springs from faces,
// tetrahedra and polylines, and distributes the mass over the vertices. Knows nothing of solving.
#pragma once

#include "model/model.hpp"

namespace twang::core {

Status build_cloth(const twang_cloth_def& def, Network& network);
Status build_mesh(const twang_mesh_def& def, Network& network);

} // namespace twang::core
