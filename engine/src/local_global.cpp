// The paper's loop (Liu et al. 2013, section 4) in correction form: x := x - Q^-1 grad g(x). With
// the gradient gathered from the projected directions this is the textbook iteration at the same
// cost, but a resting body stays bitwise still and the precision of L does not limit the answer.
#include "solving.hpp"

namespace twang::core {

Status local_global(SolveContext& context) {
    Workspace& work = context.work;
    for (int iteration = 0; iteration < context.settings.iterations; ++iteration) {
        const double g = evaluate(context.objective, work.x.data(), work.direction.data(),
                                  context.jobs, work.sum);
        context.clock.lap(&twang_stage_ms::project);
        solve(context.objective.system, work.direction.data());
        context.clock.lap(&twang_stage_ms::solve);
        for (std::size_t i = 0; i < work.x.size(); ++i) work.x[i] -= work.direction[i];
        const bool done = record(context, g, largest(work.direction));
        context.clock.lap(&twang_stage_ms::accelerate);
        if (done) break;
    }
    return TWANG_OK;
}

} // namespace twang::core
