// The engine's own steps, called one by one: the only part of the benchmarks that looks inside it.
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

// The factored Q of a stage's body, stored as asked; null where that fails (see last_error).
std::shared_ptr<const twang::core::System> stored_system(const twang::io::Stage& stage,
                                                         twang_precision precision);

// Called from inside a step, between iterations: g at the present iterate, in double, where the
// fast kernels sum in float.
double exact_objective(const twang::io::Stage& stage);

// The engine's last step on a body, to be taken apart and repeated. The stage must have stepped,
// must outlive this and must not step meanwhile. All results are in the caller's numbering.
class Inside {
public:
    Inside(const twang::io::Stage& stage, std::shared_ptr<const twang::core::System> system,
           int workers);
    ~Inside();

    std::size_t l_nonzeros() const;
    std::size_t bytes() const; // of the factor

    // The same step for others to solve, from the same start.
    Problem problem() const;

    void set_right_side(const std::vector<Vec3>& b);
    void solve(); // one global step
    std::vector<Vec3> solution() const;
    double project(); // one local step: g, and its gradient
    std::vector<Vec3> gradient() const;
    void iterate(); // one whole iteration of plain local-global
    std::vector<Vec3> x() const;

    // Reads exactly the bytes that these touch.
    void stream_solve();
    void stream_project();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace bench
