// What others use instead: Eigen's and CHOLMOD's solve, and Bullet's soft body. Each lives in a
// file of its own, which alone knows that library.
#pragma once

#include <memory>
#include <vector>

#include "suites/motion.hpp"

namespace bench {

// Lower triangle of a symmetric matrix by columns, rows ascending.
struct Matrix {
    int n = 0;
    std::vector<int> column_start, rows;
    std::vector<double> values;
};

class DirectSolver {
public:
    virtual ~DirectSolver() = default;
    // x = A^-1 b: three columns of n numbers, one after the other.
    virtual void solve(const double* b, double* x) const = 0;
    double analyse_ms = 0.0, factor_ms = 0.0;
};

// Both throw std::runtime_error where the matrix is not positive definite.
std::unique_ptr<DirectSolver> eigen_solver(const Matrix& matrix); // SimplicialLLT as it comes
// The faster of CHOLMOD's simplicial and supernodal factor; null in a build without CHOLMOD.
std::unique_ptr<DirectSolver> cholmod_solver(const Matrix& matrix);
bool has_cholmod();

bool has_bullet();
// So many frames of a scene's springs and pins as a soft body, its vertices in the scene's order,
// and of its colliders, which must be spheres at rest: the milliseconds of each. Throws
// std::runtime_error where it explodes, and in a build without Bullet.
std::vector<double> play_bullet(const twang::io::Scene& scene, int iterations, int frames,
                                const Watch& watch = {});

} // namespace bench
