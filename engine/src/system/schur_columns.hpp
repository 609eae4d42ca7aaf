// What a body changed since its factor was made, between the two halves of a solve. With
// Q^-1 = F^T D F (see panel_solve) a sparse column B of the changes becomes F B there, which is 0
// but on the paths from its vertices up the elimination tree: some hundred numbers instead of one
// per vertex. Then
//   B^T Q^-1 b = (D F B) . (F b)   and   F (b - B u) = F b - (F B) u.
#pragma once

#include <span>

#include "system/system.hpp"

namespace twang::core {

// Vertices that follow each other.
struct PathRun {
    std::uint32_t first, count;
};

// Those on the paths from these up the elimination tree, ascending.
std::vector<PathRun> path_runs(const System& system, std::span<const std::uint32_t> from);

// V: what the system is solved in, Float4 or Vec3.
template <class V>
class LiveColumn {
public:
    using Real = decltype(V::x);

    LiveColumn() = default;
    // v: columns after the first half of a solve; this is the one in x, y or z (axis 0, 1, 2).
    LiveColumn(const System& system, std::vector<PathRun> runs, const V* v, int axis);

    // (D F B) . v
    Vec3 seen_in(const V* v) const;
    // v := v - (F B) u
    void take_off(Vec3 u, V* v) const;
    // B^T Q^-1 B of two.
    double coupling(const LiveColumn& other) const;

private:
    std::vector<PathRun> runs_;
    // F B and D F B, run after run.
    HostVector<Real> forward_, weighed_;
};

} // namespace twang::core
