// Local-global, two-level and in float, for eight bodies side by side that share model and factor:
// every pass over the model's springs, the factor and the coarse weights serves all of them. A body
// has the same bits as alone. One that meets what is rare (a collapsed spring, a step without
// curvature, a coarse Hessian that is not definite, numbers that are no longer finite) is left as
// it was, for the caller to solve alone.
#pragma once

#include <span>

#include "linear/batch_supernodal.hpp"
#include "solver/batch_lbfgs.hpp"
#include "solver/context.hpp"
#include "springs/batch_spring_kernels.hpp"
#include "system/batch_coarse.hpp"

namespace twang::core {

class SideBySide {
public:
    // Whether a body is of the kind that is done here, and two of them can be done together.
    static bool suits(const SolveContext& context);
    static bool suits(const System& system, const twang_solver_def& settings); // mostly
    static bool together(const SolveContext& a, const SolveContext& b);
    // Makes room; allocates only for a larger body than any before.
    void fit(const System& system);
    // For 2 to 8 that go together. Bit k of the result: body k is solved. The others' work and
    // reports are as before.
    unsigned solve(std::span<SolveContext* const> contexts);

private:
    friend class SideRun;
    AlignedArray<double> x_, trial_, y_;
    AlignedArray<float> g_, g_old_, q_, q_old_;       // eight more vertices for padding
    AlignedArray<float> s_[Mix::most], z_[Mix::most]; // the last steps, and what they did to q
    AlignedArray<float> fresh_;                       // of the columns of a supernode
    SideCoarse coarse_;
};

} // namespace twang::core
