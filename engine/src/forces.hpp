// External forces on the vertices of one body: gravity, wind on its triangles, what the caller
// added. Nothing about springs.
#pragma once

#include <vector>

#include "jobs.hpp"
#include "model.hpp"

namespace twang::core {

struct Surroundings {
    Vec3 gravity{};
    Vec3 wind{};       // m/s
    double drag = 0.0; // kg/(m^2 s)
};

void push(const Model& model, const Surroundings& surroundings, const Vec3* x, const Vec3* v,
          const Vec3* user_forces, Vec3* forces, Jobs& jobs);

} // namespace twang::core
