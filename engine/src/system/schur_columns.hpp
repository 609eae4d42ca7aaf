// Columns of a body's changes since its factor was made, between the two halves of a solve. With
// Q^-1 = F^T D F (see panel_solve) the first half turns a sparse column B of the changes into F B,
// which is 0 except on the paths from its vertices up the elimination tree: some hundred numbers
// instead of one per vertex. Then
//   B^T Q^-1 b = (D F B) . (F b)   and   F (b - B u) = F b - (F B) u.
#pragma once

#include <span>

#include "system/system.hpp"

namespace twang::core {

// A run of consecutive vertices.
struct PathRun {
    std::uint32_t first, count;
};

// Returns the vertices on the paths from `from` up the elimination tree, ascending.
std::vector<PathRun> path_runs(const System& system, std::span<const std::uint32_t> from);

// One column B. V is the vector type of the solve, Float4 or Vec3.
template <class V>
class SchurColumn {
public:
    using Real = decltype(V::x);

    SchurColumn() = default;
    // v: up to three columns after the first half of a solve, one per axis; this column is in x, y
    // or z (axis 0, 1, 2).
    SchurColumn(const System& system, std::vector<PathRun> runs, const V* v, int axis);

    // Returns (D F B) . v.
    Vec3 dot_with(const V* v) const;
    // v := v - (F B) u
    void apply_transpose(Vec3 u, V* v) const;
    // Returns B^T Q^-1 B' with B' of the other column.
    double coupling(const SchurColumn& other) const;

private:
    std::vector<PathRun> runs_;
    // F B and D F B, run after run.
    HostVector<Real> forward_, scaled_;
};

} // namespace twang::core
