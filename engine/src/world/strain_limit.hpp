// Strain limit: after the solver, structural springs longer than (1 + max strain) times their rest
// length pull their ends together, in a fixed number of Jacobi passes: every vertex gathers the
// corrections of its springs. Real cloth has such a limit, springs alone have none. Momentum is
// kept where nothing is pinned.
// The passes move errors that a solver with few iterations left over; they do not replace
// iterations.
#pragma once

#include <vector>

#include "base/arrays.hpp"
#include "base/jobs.hpp"
#include "model/model.hpp"

namespace twang::core {

class StrainLimit {
public:
    StrainLimit() = default; // no limit
    StrainLimit(const Model& model, double max_strain, int passes);

    bool is_on() const { return passes_ > 0; }
    double most() const { return max_strain_; }
    int passes() const { return passes_; }
    // Moves the vertices x; held ones stay. `own`: the body's own springs, or null for those of the
    // model.
    void apply(const Model& model, const BodySprings* own, const char* held, VertexArray<Vec3>& x,
               Jobs& jobs);

private:
    struct LengthLimit {
        std::uint32_t other, spring;
        double max_length; // m
        double share;      // of the excess length, taken away in one pass
    };
    Lists<LengthLimit> limits_; // per vertex
    VertexArray<Vec3> next_;
    double max_strain_ = 0.0;
    int passes_ = 0;
};

} // namespace twang::core
