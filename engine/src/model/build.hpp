// From the caller's definitions to a Network: checks every number, derives springs from faces,
// tetrahedra and polylines, spreads the mass. Knows nothing of solving.
#pragma once

#include "model/model.hpp"

namespace twang::core {

Status build_cloth(const twang_cloth_def& def, Network& network);
Status build_mesh(const twang_mesh_def& def, Network& network);

} // namespace twang::core
