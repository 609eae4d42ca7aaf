// Two-level local-global in float for a batch of up to eight bodies that share model and factor:
// one pass over the model's springs, the factor and the coarse weights serves the whole batch. Each
// body gets the same bits as if solved alone. A body that meets a rare case (a collapsed spring, a
// step without positive curvature, an indefinite coarse Hessian, numbers that are no longer finite)
// is left unchanged, and the caller solves that body alone. The formulas are those of
// local_global.cpp.
#pragma once

#include <span>

#include "linear/batch_supernodal.hpp"
#include "solver/batch_lbfgs.hpp"
#include "solver/context.hpp"
#include "springs/batch_spring_kernels.hpp"
#include "system/batch_coarse.hpp"

namespace twang::core {

class Batch {
public:
    // Returns whether a body can be solved in a batch.
    static bool suits(const SolveContext& context);
    // Tests only those conditions of suits(context) that depend on system and settings.
    static bool suits(const System& system, const twang_solver_def& settings);
    // Returns whether two bodies that suit can be in the same batch.
    static bool together(const SolveContext& a, const SolveContext& b);
    // Makes room; allocates only for a larger body than any before.
    void fit(const System& system);
    // Solves 2 to 8 bodies of one batch. Bit k of the result: body k is solved. Work and report of
    // a body that is not solved are unchanged.
    unsigned solve(std::span<SolveContext* const> contexts);

private:
    friend class BatchRun;
    AlignedArray<double> x_, trial_, y_;
    AlignedArray<float> g_, g_old_, q_, q_old_;       // with eight more vertices for padding
    AlignedArray<float> s_[Mix::most], z_[Mix::most]; // the last steps, and their changes of q
    AlignedArray<float> supernode_scratch_;           // for the columns of one supernode
    BatchCoarse coarse_;
};

} // namespace twang::core
