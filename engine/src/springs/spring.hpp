// ONE spring: energy, gradient, and the curvature with its positive projection. Nobody else knows
// spring energy. A spring joins vertices i and j; d = x_i - x_j, l = |d|, r its rest length.
//   hooke  E = k/2 (l - r)^2
//   stvk   E = k/2 r^2 (l^2/r^2 - 1)^2
// The 3x3 block of the Hessian at (i, i), and with the other sign at (i, j), is
//   across (I - n n^T) + along n n^T,  n = d / l:
// its eigenvalues are the two numbers, so projecting it to positive semi-definite is clamping them.
#pragma once

#include <algorithm>

#include "base/vec3.hpp"

namespace twang::core {

struct SpringPull {
    Vec3 gradient; // dE/dx_i; x_j gets the opposite
    double energy;
};

struct SpringCurve {
    Vec3 n;
    double across, along;

    SpringCurve projected() const { return {n, std::max(across, 0.0), std::max(along, 0.0)}; }
    Vec3 times(Vec3 p) const { return across * p + ((along - across) * dot(n, p)) * n; }
    Sym3 block() const {
        const double b = along - across;
        return {across + b * n.x * n.x, b * n.x * n.y, b * n.x * n.z,
                across + b * n.y * n.y, b * n.y * n.z, across + b * n.z * n.z};
    }
};

// Below this length (m) a spring has no direction of its own and takes the fixed one.
inline constexpr double collapsed_length = 1e-150;

// The fixed direction from the vertex of higher to that of lower number, so that both ends of the
// spring agree. It lies in the xy plane: planar scenes stay planar.
inline Vec3 fixed_direction(bool first) { return {first ? 1.0 : -1.0, 0.0, 0.0}; }

inline Vec3 spring_direction(Vec3 d, double l, bool first) {
    return l > collapsed_length ? (1.0 / l) * d : fixed_direction(first);
}

// `first` tells whether i < j; it matters only to collapsed springs.
inline SpringPull spring_pull(twang_energy energy, double k, double r, Vec3 d, bool first) {
    const double l = length(d);
    if (energy == TWANG_STVK) {
        const double strain = (l / r) * (l / r) - 1.0;
        return {(2.0 * k * strain) * d, 0.5 * k * r * r * strain * strain};
    }
    const double extension = l - r;
    return {(k * extension) * spring_direction(d, l, first), 0.5 * k * extension * extension};
}

inline double spring_energy(twang_energy energy, double k, double r, Vec3 d) {
    return spring_pull(energy, k, r, d, true).energy;
}

inline SpringCurve spring_curve(twang_energy energy, double k, double r, Vec3 d, bool first) {
    const double l = length(d);
    const Vec3 n = spring_direction(d, l, first);
    if (energy == TWANG_STVK) {
        const double square = (l / r) * (l / r);
        return {n, 2.0 * k * (square - 1.0), 2.0 * k * (3.0 * square - 1.0)};
    }
    // r / l is bounded so that a collapsed spring stays a number; its projection does not see it.
    const double ratio = r > 0.0 ? std::min(r / std::max(l, collapsed_length), 1e100) : 0.0;
    return {n, k * (1.0 - ratio), k};
}

// The curvature along a spring at rest in units of k: what Q uses for it.
inline double rest_curvature(twang_energy energy) { return energy == TWANG_STVK ? 4.0 : 1.0; }

} // namespace twang::core
