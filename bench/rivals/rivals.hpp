// The methods that the engine is compared with: the solves of Eigen and CHOLMOD, Bullet's soft
// body, and a textbook implementation (textbook.hpp). Each library is known to a single file of
// this folder. Of the suites this folder uses only the frame observer of suites/motion.hpp.
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
    // Solves A x = b for three columns of n numbers each, stored one after the other.
    virtual void solve(const double* b, double* x) const = 0;
    double analyse_ms = 0.0, factor_ms = 0.0;
};

// Both throw std::runtime_error if the matrix is not positive definite.
std::unique_ptr<DirectSolver> eigen_solver(const Matrix& matrix); // default SimplicialLLT
// The faster of CHOLMOD's simplicial and supernodal factor; null in a build without CHOLMOD.
std::unique_ptr<DirectSolver> cholmod_solver(const Matrix& matrix);
bool has_cholmod();

bool has_bullet();
// Runs `frames` frames of a scene as a Bullet soft body and returns the milliseconds of each. Links
// are the scene's springs, vertices keep their order; colliders must be spheres at rest. Throws
// std::runtime_error if the motion explodes, or in a build without Bullet.
std::vector<double> play_bullet(const twang::io::Scene& scene, int iterations, int frames,
                                const FrameObserver& observe = {});

} // namespace bench
