// The coarse correction. What local-global damps away is smooth, so a few unknowns spread over the
// body take it out. With U the weights of a CoarseSpace and H the projected Hessian at x,
//   r |-> Q^-1 r + U ((U^T H U)^-1 - (U^T Q U)^-1) U^T r
// acts as H^-1 on smooth fields and as Q^-1 on the rest, and is positive definite because Q exceeds
// H. With d_s the difference of the weights at the ends of spring s and h_s its 3x3 block,
//   U^T H U = U^T M/h^2 U + sum_s d_s d_s^T (x) h_s.
// On a fine grid a spring from one cell to the next takes the weights of one of them at both ends:
// to smooth fields this is as good, to others the spring appears stiffer rather than softer, and
// only the corners of a cell are coupled. Springs of a cell, or between two, share a small basis D
// with d_s = D c_s: for them the moments sum_s c_s c_s^T (x) h_s are gathered, eight springs at a
// time, and D is applied once. Of springs that are alike a few stand for all.
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

// Vertices whose U^T r is summed in one go.
inline constexpr std::size_t coarse_block = 1024;

// Of a system: what does not change from step to step. Pinned vertices follow no node.
struct CoarseSystem {
    const CoarseSpace* space = nullptr; // of the model
    std::vector<float> weight;          // those of the space, 0 at pinned vertices
    CoarseLists lists;
    SkylineShape shape;
    std::vector<double> inertia;             // U^T M/h^2 U, per block of the shape
    std::vector<SkylineBlock<1>> unfactored; // U^T Q U; the same for x, y and z
    std::vector<SkylineBlock<1>> constant;   // factored
    bool usable = false;
};

// space: one of the model's. inertia: mass / h^2 per vertex; stiffness: per spring, null for the
// model's own.
CoarseSystem make_coarse_system(const Model& model, const CoarseSpace& space,
                                const std::vector<double>& inertia, const std::vector<char>& held,
                                const std::vector<double>* stiffness = nullptr);

// A vertex that something holds which the system does not know of.
struct CoarseHold {
    std::uint32_t vertex;
    double stiffness; // N/m; infinity for firmly
};

// What contact adds to H at a point.
struct CoarseConstraint {
    ContactPoint point;
    Sym3 stiffness; // N/m
};

// Adds weight times a curvature to block (a, b), where b <= a. Where the shape has no such block,
// as for two nodes that a fold brings together, its share is bounded by blocks that are there.
void add_curvature(const SkylineShape& shape, int a, int b, double weight, const Sym3& curvature,
                   SkylineBlock<3>* blocks);

// Of a body, for one iteration at a time.
class CoarseStep {
public:
    CoarseStep() = default;
    CoarseStep(const CoarseSystem& system, bool in_float);

    // From now on, with these besides.
    void hold(const CoarseSystem& system, std::span<const CoarseHold> holds);
    // What prepare needs in float or in double.
    void make_room(const CoarseSystem& system, bool in_float);
    // Adds constraints to H, those of `contacts` and of `pairs`, which must last until H is
    // assembled; from the next call on others. Q does not know of them: in both terms of the
    // correction they would let smooth fields overshoot.
    void constrain(std::span<const CoarseConstraint> contacts,
                   std::span<const CoarseConstraint> pairs = {}) {
        contacts_ = contacts;
        pairs_ = pairs;
    }
    // Assembles and factors U^T H U at x, of hooke springs; in float where V is Float4. `inertia`:
    // that of the step as a share of the system's. x null: of Q in the place of H.
    template <class V>
    void prepare(const CoarseSystem& system, const Vec3* x, double inertia, Jobs& jobs);
    // q += U ((U^T H U)^-1 - (U^T Q U)^-1) U^T r.
    template <class V>
    void add(const CoarseSystem& system, const V* r, V* q, Jobs& jobs);
    // q := U (U^T H U)^-1 U^T r: the Newton step in the coarse unknowns alone.
    template <class V>
    void solve(const CoarseSystem& system, const V* r, V* q, Jobs& jobs);
    // q -= what was added last.
    template <class V>
    void take_back(const CoarseSystem& system, V* q, Jobs& jobs) const;

    // The same in parts, for bodies whose coarse unknowns are coupled (see joint_coarse.hpp):
    // prepare without the factor,
    template <class V>
    void assemble(const CoarseSystem& system, const Vec3* x, double inertia, Jobs& jobs);
    bool usable() const { return usable_; }
    const SkylineBlock<3>* hessian() const { return hessian_.data(); }
    // coefficients := U^T r,
    template <class V>
    void restrict(const CoarseSystem& system, const V* r, Jobs& jobs);
    std::span<SkylineRow> coefficients() { return coefficients_; } // per node
    // with these replaced by (U^T H U)^-1 U^T r: the rest of solve,
    template <class V>
    void finish_solve(const CoarseSystem& system, V* q, Jobs& jobs);
    // and of add.
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
    struct Room {
        std::vector<Moments<Real>> moments; // per group
        std::vector<Six<Real>> sums;        // per block of the shape
    };
    template <class Real>
    Room<Real>& room();

    Room<float> floats_;
    Room<double> doubles_;
    HostVector<SkylineBlock<3>> hessian_;
    std::span<const CoarseConstraint> contacts_, pairs_;
    std::vector<double> parts_;            // of U^T r, by block of vertices
    std::vector<SkylineRow> coefficients_; // per node
    std::vector<SkylineRow> constant_;
    std::vector<std::pair<std::size_t, double>> held_; // what holds add to blocks of the shape
    std::vector<SkylineBlock<1>> own_constant_;        // U^T Q U with them, factored
};

} // namespace twang::core
