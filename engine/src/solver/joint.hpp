// What a solver minimises at once: one body, or bodies whose vertices touch. Each body has its own
// objective, factor and coarse space; what joins several is the list of contacts between their
// vertices, which couples their coarse unknowns too. The vertices of all lie one after the other in
// joint arrays, each body's from a multiple of 8 on; what lies between is 0. Of a single body they
// are the body's own.
#pragma once

#include "solver/context.hpp"
#include "solver/joint_coarse.hpp"

namespace twang::core {

// The arrays of several bodies.
struct JointArrays {
    VertexArray<Vec3> x, trial;
    BlockSum sum{0};
    AcceleratedArrays<Float4> fast;
    AcceleratedArrays<Vec3> exact;
    ConjugateArrays<Float4> conjugate_fast;
    ConjugateArrays<Vec3> conjugate_exact;
    JointCoarse coarse;
    std::vector<JointCoarse::Part> coarse_parts;

    // Room for so many bodies that take so many places together; allocates only for more than
    // before. Newton's arrays are made where a solver asks for them.
    void reserve(std::size_t places, std::size_t bodies);
    void use(std::size_t places);
};
// The places of a body of so many vertices, with those that kernels may touch beyond its end.
inline std::size_t joint_places(std::size_t vertices) { return (vertices + 7) / 8 * 8 + 8; }

class Joint {
public:
    struct Part {
        SolveContext* context;
        std::size_t first; // place
    };

    // One body; `contacts` with itself, if it has any.
    explicit Joint(SolveContext& context, ContactList* contacts = nullptr);
    // Several; `contacts` names places. `parts` must last.
    Joint(std::span<const Part> parts, ContactList& contacts, JointArrays& arrays, Jobs& jobs,
          StageClock& clock);
    Joint(const Joint&) = delete;
    Joint& operator=(const Joint&) = delete;

    bool is_float() const;      // all systems
    bool suits_kernels() const; // all systems
    template <class V>
    AcceleratedArrays<V>& accelerated();
    template <class V>
    ConjugateArrays<V>& conjugate();

    std::span<const Part> parts() const { return parts_; }
    std::size_t size() const { return x.size(); }
    bool has_contacts() const { return has_contacts_; }

    // g and its gradient, see objective.hpp, summed over the bodies.
    template <class V>
    double evaluate(const VertexArray<Vec3>& at, VertexArray<V>& gradient, Springs springs);
    // By how much g may be wrong where it was computed in float, or in double.
    double float_rounding(double g) const;
    double double_rounding(double g) const;
    // q := Q^-1 q
    template <class V>
    void solve(VertexArray<V>& q);
    // Sets q to 0 at vertices pinned since Q was factored.
    template <class V>
    void keep_held(VertexArray<V>& q) const;

    // mu f of all contacts at x; returns what that adds to g.
    template <class V>
    double update_friction_limits(VertexArray<V>& gradient);
    // Puts x where the forces of the contacts would have it.
    void place();

    // The Hessian at x, and result := H p; returns p . result, if V is Float4.
    template <class V>
    void take_curves();
    template <class V>
    double hessian_times(const VertexArray<V>& p, VertexArray<V>& result);

    // The coarse correction, see coarse.hpp. hessian: of H, else of Q.
    template <class V>
    void prepare_coarse(bool hessian);
    template <class V>
    void add_coarse(const VertexArray<V>& g, VertexArray<V>& q);
    template <class V>
    void solve_coarse(const VertexArray<V>& g, VertexArray<V>& q);
    template <class V>
    void take_back_coarse(VertexArray<V>& q) const;

    template <class V>
    double product(const VertexArray<V>& v, const VertexArray<V>& w) {
        return sum(jobs, size(), [&](std::size_t i) { return dot(widen(v[i]), widen(w[i])); });
    }
    // Records an iteration that moved vertices by at most `move`. True when it was the last.
    bool record(double g, double move);
    void count_rejected();
    void count_inner();
    // After the last iteration: x is the bodies' again, and centres that nothing moves are kept.
    void finish();

    VertexArray<Vec3>&x, &trial;
    BlockSum& sum;
    Jobs& jobs;
    StageClock& clock;
    twang_solver_def settings; // of several bodies: as many iterations as any asks for

private:
    template <class F>
    void each(F&& f) const { // f(context, first)
        for (const Part& part : parts_) f(*part.context, part.first);
    }
    template <class V>
    void clear_gaps(VertexArray<V>& v) const;
    const CoarseSystem& coarse_system(const SolveContext& context) const;
    CoarseStep& coarse_step(SolveContext& context) const;
    template <class V>
    void restrict_coarse(const VertexArray<V>& g);

    Part single_{};
    std::span<const Part> parts_;
    ContactList* contacts_ = nullptr; // between vertices; null: none
    JointArrays* arrays_ = nullptr;
    bool has_contacts_ = false;
    bool in_air_ = false; // on the fine grid
};

// How exactly the gradient is computed. Where a tolerance is asked for, a float's digits suffice
// only until the moves get small; then the springs are computed in double, and the corrections,
// float or not, are refinements of the same answer.
template <class V>
class Precision {
public:
    double evaluate(Joint& joint, const VertexArray<Vec3>& x, VertexArray<V>& gradient) {
        return joint.evaluate(x, gradient, springs_);
    }
    // After an iteration that moved vertices by at most `move`: true when it gets more exact.
    bool sharpen(const Joint& joint, double move) {
        if (is_exact() || joint.settings.tolerance == 0.0) return false;
        for (const Joint::Part& part : joint.parts())
            if (move > 1e-6 * part.context->objective.model.size) return false;
        springs_ = Springs::exact;
        return true;
    }
    // By how much g may be wrong.
    double rounding(const Joint& joint, double g) const {
        return is_exact() ? joint.double_rounding(g) : joint.float_rounding(g);
    }

private:
    bool is_exact() const { return !std::is_same_v<V, Float4> || springs_ == Springs::exact; }

    Springs springs_ = Springs::fast;
};

Status local_global(Joint& joint);
Status newton_cg(Joint& joint);

} // namespace twang::core
