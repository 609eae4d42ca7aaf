// springs: the mechanics of springs, in the letters of Liu, Bargteil, O'Brien and Kavan 2013, "Fast
// Simulation of Mass-Spring Systems", and the kernels that sum springs per vertex. springs knows
// vertices by index; springs may not know bodies, pins, contacts or solvers.
//
// This file owns one spring: energy, gradient, and Hessian with its projection to positive
// semi-definite. A spring joins vertices i and j; d = x_i - x_j, l = |d|, k is the stiffness in
// N/m, r the rest length in m.
//   hooke  E = k/2 (l - r)^2
//   stvk   E = k/2 r^2 (l^2/r^2 - 1)^2
// The 3x3 block of the Hessian at (i, i), which stands with the opposite sign at (i, j), is
//   across (I - n n^T) + along n n^T,  n = d / l.
// Its eigenvalues are `across` (twice) and `along`, so the projection clamps both numbers at 0.
#pragma once

#include <algorithm>

#include "base/vec3.hpp"

namespace twang::core {

struct SpringGradient {
    Vec3 gradient; // dE/dx_i; dE/dx_j is the opposite
    double energy;
};

struct SpringHessian {
    Vec3 n;               // unit length
    double across, along; // N/m

    // Returns the nearest positive semi-definite block.
    SpringHessian projected() const { return {n, std::max(across, 0.0), std::max(along, 0.0)}; }
    Vec3 times(Vec3 p) const { return across * p + ((along - across) * dot(n, p)) * n; }
    Sym3 block() const {
        const double b = along - across;
        return {across + b * n.x * n.x, b * n.x * n.y, b * n.x * n.z,
                across + b * n.y * n.y, b * n.y * n.z, across + b * n.z * n.z};
    }
};

// m; a shorter spring has no direction of its own and takes fixed_direction.
inline constexpr double collapsed_length = 1e-150;

// Returns the direction of a collapsed spring, from the vertex of higher index to the vertex of
// lower index, so that both ends of the spring agree. The direction lies in the xy plane: planar
// scenes stay planar.
inline Vec3 fixed_direction(bool first) { return {first ? 1.0 : -1.0, 0.0, 0.0}; }

// Returns n = d / l, or the fixed direction of a collapsed spring.
inline Vec3 spring_direction(Vec3 d, double l, bool first) {
    return l > collapsed_length ? (1.0 / l) * d : fixed_direction(first);
}

// `first` tells whether i < j; only collapsed springs depend on `first`.
inline SpringGradient spring_gradient(twang_energy energy, double k, double r, Vec3 d, bool first) {
    const double l = length(d);
    if (energy == TWANG_STVK) {
        const double strain = (l / r) * (l / r) - 1.0;
        return {(2.0 * k * strain) * d, 0.5 * k * r * r * strain * strain};
    }
    const double extension = l - r;
    return {(k * extension) * spring_direction(d, l, first), 0.5 * k * extension * extension};
}

inline double spring_energy(twang_energy energy, double k, double r, Vec3 d) {
    return spring_gradient(energy, k, r, d, true).energy;
}

// Returns the Hessian block of the spring, not projected.
inline SpringHessian spring_hessian(twang_energy energy, double k, double r, Vec3 d, bool first) {
    const double l = length(d);
    const Vec3 n = spring_direction(d, l, first);
    if (energy == TWANG_STVK) {
        const double square = (l / r) * (l / r);
        return {n, 2.0 * k * (square - 1.0), 2.0 * k * (3.0 * square - 1.0)};
    }
    // r / l is bounded so that the Hessian of a collapsed spring stays finite; the projection
    // removes the bounded value.
    const double ratio = r > 0.0 ? std::min(r / std::max(l, collapsed_length), 1e100) : 0.0;
    return {n, k * (1.0 - ratio), k};
}

// Returns the eigenvalue along a spring at rest, in units of k: the stiffness of that spring in Q.
inline double rest_curvature(twang_energy energy) { return energy == TWANG_STVK ? 4.0 : 1.0; }

} // namespace twang::core
