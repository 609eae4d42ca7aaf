// The coarse correction, the second level of a two-level preconditioner. The error that
// local-global leaves is smooth, so a few unknowns over the whole body remove it. With U the
// weights of a CoarseSpace and H the projected Hessian at x, the preconditioner
//   r |-> Q^-1 r + U ((U^T H U)^-1 - (U^T Q U)^-1) U^T r
// acts as H^-1 on smooth fields and as Q^-1 on all other fields, and is positive definite because Q
// exceeds H. With d_s the difference of the weights at the ends of spring s and h_s its 3x3 block,
//   U^T H U = U^T M/(gamma h)^2 U + sum_s d_s d_s^T (x) h_s.
// On a fine grid a spring from one cell to the next takes the weights of one of these cells at both
// ends. For smooth fields this is as accurate. For other fields the spring appears stiffer rather
// than softer. Only the corners of a cell are then coupled. Springs of a cell, or between two
// cells, share a small basis D with d_s = D c_s: their moments sum_s c_s c_s^T (x) h_s are
// gathered, eight springs at a time, and D is applied once. Of similar springs a sample stands for
// all.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/jobs.hpp"
#include "model/model.hpp"
#include "system/coarse_kernels.hpp"
#include "system/contact_point.hpp"

namespace twang::core {

// Number of vertices per partial sum of U^T r.
inline constexpr std::size_t coarse_block = 1024;

// The part of the correction that belongs to a system and stays the same from step to step. Pinned
// vertices have weight 0.
struct CoarseSystem {
    const CoarseSpace* space = nullptr; // of the model
    std::vector<float> weight;          // of the space, 0 at pinned vertices
    CoarseLists lists;
    SkylineShape shape;
    std::vector<double> inertia;             // U^T M/(gamma h)^2 U, per block of the shape
    std::vector<SkylineBlock<1>> unfactored; // U^T Q U; the same for x, y and z
    std::vector<SkylineBlock<1>> constant;   // factored
    bool usable = false;
};

// space: one of the model's. inertia: mass / (gamma h)^2 per vertex; stiffness: per spring, null
// for the model's own.
CoarseSystem make_coarse_system(const Model& model, const CoarseSpace& space,
                                const std::vector<double>& inertia, const std::vector<char>& held,
                                const std::vector<double>* stiffness = nullptr);

// A held vertex, or a grabbed one, that is not part of the CoarseSystem.
struct CoarseHold {
    std::uint32_t vertex;
    double stiffness; // N/m; infinity for max_relative_hold
};

// What a contact adds to H at a point.
struct CoarseConstraint {
    ContactPoint point;
    Sym3 stiffness; // N/m
};

// Adds weight times a curvature to block (a, b), where b <= a. Where the shape has no such block,
// as for two nodes that a fold brings together, diagonal blocks that bound the term are added
// instead.
void add_curvature(const SkylineShape& shape, int a, int b, double weight, const Sym3& curvature,
                   SkylineBlock<3>* blocks);

// The correction of one body, for one iteration at a time.
class CoarseStep {
public:
    CoarseStep() = default;
    CoarseStep(const CoarseSystem& system, bool in_float);

    // Adds holds to the coarse system until the next call.
    void hold(const CoarseSystem& system, std::span<const CoarseHold> holds);
    // Allocates what prepare() needs, in float or in double.
    void make_room(const CoarseSystem& system, bool in_float);
    // Adds constraints to H, those of `contacts` and of `pairs`, until the next call. Both must
    // last until H is assembled. Q does not have them: in both terms of the correction they would
    // let smooth fields overshoot.
    void constrain(std::span<const CoarseConstraint> contacts,
                   std::span<const CoarseConstraint> pairs = {}) {
        contacts_ = contacts;
        pairs_ = pairs;
    }
    // Assembles and factors U^T H U at x, for hooke springs; in float where V is Float4. `inertia`:
    // that of the step as a fraction of the system's. x null: uses Q in place of H.
    template <class V>
    void prepare(const CoarseSystem& system, const Vec3* x, double inertia, Jobs& jobs);
    // q += U ((U^T H U)^-1 - (U^T Q U)^-1) U^T r.
    template <class V>
    void add(const CoarseSystem& system, const V* r, V* q, Jobs& jobs);
    // q := U (U^T H U)^-1 U^T r: the Newton step in the coarse unknowns alone.
    template <class V>
    void solve(const CoarseSystem& system, const V* r, V* q, Jobs& jobs);
    // q -= the correction of the last add().
    template <class V>
    void subtract_last(const CoarseSystem& system, V* q, Jobs& jobs) const;

    // The same in stages, for bodies whose coarse unknowns are coupled (see
    // solver/joint_coarse.hpp). assemble(): prepare() without the factor.
    template <class V>
    void assemble(const CoarseSystem& system, const Vec3* x, double inertia, Jobs& jobs);
    bool usable() const { return usable_; }
    const SkylineBlock<3>* hessian() const { return hessian_.data(); }
    // coefficients := U^T r.
    template <class V>
    void restrict(const CoarseSystem& system, const V* r, Jobs& jobs);
    std::span<SkylineRow> coefficients() { return coefficients_; } // per node
    // The rest of solve(), after the coefficients were replaced by (U^T H U)^-1 U^T r.
    template <class V>
    void finish_solve(const CoarseSystem& system, V* q, Jobs& jobs);
    // The rest of add(), likewise.
    template <class V>
    void finish_add(const CoarseSystem& system, V* q, Jobs& jobs);

private:
    void add_constraints(const CoarseSystem& system, std::span<const CoarseConstraint> constraints);
    template <class V>
    void prolong(const CoarseSystem& system, double sign, V* q, Jobs& jobs) const;
    template <class V>
    void assemble_springs(const CoarseSystem& system, const Vec3* x, double inertia, Jobs& jobs);

    bool usable_ = false;
    template <class Real>
    struct Buffers {
        std::vector<Moments<Real>> moments; // per group
        std::vector<Six<Real>> sums;        // per block of the shape
    };
    template <class Real>
    Buffers<Real>& buffers();

    Buffers<float> float_buffers_;
    Buffers<double> double_buffers_;
    HostVector<SkylineBlock<3>> hessian_;
    std::span<const CoarseConstraint> contacts_, pairs_;
    std::vector<double> partial_sums_;     // partial sums of U^T r, per block of vertices
    std::vector<SkylineRow> coefficients_; // per node
    std::vector<SkylineRow> constant_;
    // What holds add to U^T H U: (block of the shape, value).
    std::vector<std::pair<std::size_t, double>> hold_terms_;
    std::vector<SkylineBlock<1>> held_constant_; // U^T Q U with the holds, factored
};

} // namespace twang::core
