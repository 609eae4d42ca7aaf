// A limit to the stretch of structural springs, as cloth has one that springs alone have not: after
// the solver, springs that are too long pull their ends together, in a fixed number of passes in
// which every vertex gathers what its springs ask for. Momentum is kept where nothing is pinned.
// The passes shift what a solver with few iterations left over; they do not replace it.
#pragma once

#include <vector>

#include "base/arrays.hpp"
#include "base/jobs.hpp"
#include "model/model.hpp"

namespace twang::core {

class StrainLimit {
public:
    StrainLimit() = default; // no limit
    StrainLimit(const Model& model, double most, int passes);

    bool is_on() const { return passes_ > 0; }
    double most() const { return most_; }
    int passes() const { return passes_; }
    // Moves the vertices x; those held stay where they are. `own`: the body's springs, if it has
    // any of its own.
    void apply(const Model& model, const LiveSprings* own, const char* held, VertexArray<Vec3>& x,
               Jobs& jobs);

private:
    struct Leash {
        std::uint32_t other, spring;
        double most;  // m
        double share; // of what is too much, taken away in one pass
    };
    Lists<Leash> leashes_; // per vertex
    VertexArray<Vec3> next_;
    double most_ = 0.0;
    int passes_ = 0;
};

} // namespace twang::core
