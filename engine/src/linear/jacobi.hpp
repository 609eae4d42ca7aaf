// Eigenvectors of a small symmetric matrix by cyclic Jacobi rotations (Golub and Van Loan, "Matrix
// Computations"). Uses only + - * / and sqrt in a fixed order, so that every machine has the same
// bits.
#pragma once

#include <cmath>
#include <vector>

namespace twang::core {

// Diagonalises a, n x n by rows. On return the diagonal of a holds the eigenvalues, and column k of
// the result is the eigenvector of value k. Off-diagonal elements of at most `negligible` times the
// trace count as 0, so that shapes with equal eigenvalues keep their axes. At most 30 sweeps.
inline std::vector<double> jacobi_eigenvectors(std::vector<double>& a, int n, double negligible) {
    std::vector<double> v(a.size(), 0.0);
    double trace = 0.0;
    for (int i = 0; i < n; ++i) v[i * n + i] = 1.0, trace += a[i * n + i];
    for (int sweep = 0; sweep < 30; ++sweep)
        for (int p = 0; p < n; ++p)
            for (int q = p + 1; q < n; ++q) {
                if (std::abs(a[p * n + q]) <= negligible * trace) continue;
                const double theta = (a[q * n + q] - a[p * n + p]) / (2.0 * a[p * n + q]);
                const double t = (theta >= 0.0 ? 1.0 : -1.0) /
                                 (std::abs(theta) + std::sqrt(theta * theta + 1.0));
                const double c = 1.0 / std::sqrt(t * t + 1.0), s = t * c;
                const auto rotate = [&](double& x, double& y) {
                    const double old = x;
                    x = c * old - s * y;
                    y = s * old + c * y;
                };
                for (int k = 0; k < n; ++k) rotate(a[k * n + p], a[k * n + q]);
                for (int k = 0; k < n; ++k) rotate(a[p * n + k], a[q * n + k]);
                for (int k = 0; k < n; ++k) rotate(v[k * n + p], v[k * n + q]);
            }
    return v;
}

} // namespace twang::core
