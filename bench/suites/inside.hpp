// The engine's own local and global steps, called one by one. The only file of the benchmarks that
// includes headers of engine/src.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <twang/io.hpp>

#include "rivals/textbook.hpp"

namespace twang::core {
struct System;
}

namespace bench {

// Returns the factored Q of a stage's body in the given precision; null on failure (see
// last_error).
std::shared_ptr<const twang::core::System> stored_system(const twang::io::Stage& stage,
                                                         twang_precision precision);

// Returns g at the present iterate, summed in double; the fast kernels sum in float. Called from
// inside a step, between iterations.
double exact_objective(const twang::io::Stage& stage);

// The engine's last step on a body, split into parts that can be repeated. The stage must have
// stepped, must outlive this object and must not step meanwhile. All results are in the caller's
// numbering.
class Inside {
public:
    Inside(const twang::io::Stage& stage, std::shared_ptr<const twang::core::System> system,
           int workers);
    ~Inside();

    std::size_t l_nonzeros() const;
    std::size_t bytes() const; // of the factor

    // Returns the same step, from the same start, as a problem for other solvers.
    Problem problem() const;

    void set_right_side(const std::vector<Vec3>& b);
    void solve(); // one global step
    std::vector<Vec3> solution() const;
    double project(); // one local step: returns g and stores its gradient
    std::vector<Vec3> gradient() const;
    void iterate(); // one iteration of unaccelerated local-global
    std::vector<Vec3> x() const;

    // Read exactly the bytes that solve() and project() touch.
    void stream_solve();
    void stream_project();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace bench
