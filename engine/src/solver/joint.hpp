// The problem that a solver minimises: one body, or several bodies whose vertices touch,
//   g(x) = sum_k g_k(x_k)  +  potentials of the contacts between vertices.
// Each body k has its own objective g_k, factor and coarse space. The contacts between bodies also
// couple their coarse unknowns, see joint_coarse.hpp. The vertices of all bodies lie one after the
// other in joint arrays; each body starts at a multiple of 8, and the padding between bodies is 0.
// A single body uses its own arrays.
#pragma once

#include "solver/context.hpp"
#include "solver/joint_coarse.hpp"

namespace twang::core {

// The joint arrays of several bodies.
struct JointArrays {
    VertexArray<Vec3> x, trial;
    BlockSum sum{0};
    AcceleratedArrays<Float4> fast;
    AcceleratedArrays<Vec3> exact;
    ConjugateArrays<Float4> conjugate_fast;
    ConjugateArrays<Vec3> conjugate_exact;
    JointCoarse coarse;
    std::vector<JointCoarse::Part> coarse_parts;

    // Makes room for a number of bodies that take `places` elements together; allocates only for
    // more than before. Joint::conjugate() makes the arrays of Newton-CG.
    void reserve(std::size_t places, std::size_t bodies);
    void use(std::size_t places); // sets the size, at most the reserved one
};
// Returns the elements that a body takes in joint arrays, with those that kernels may touch beyond
// its end.
inline std::size_t joint_size(std::size_t vertices) { return (vertices + 7) / 8 * 8 + 8; }

class Joint {
public:
    struct Part {
        SolveContext* context;
        std::size_t first; // index of the body's vertex 0 in the joint arrays
    };

    // One body. contacts: of the body with itself; null: none.
    explicit Joint(SolveContext& context, ContactList* contacts = nullptr);
    // Several bodies. `contacts` has indices into the joint arrays. `parts` must outlive the Joint.
    Joint(std::span<const Part> parts, ContactList& contacts, JointArrays& arrays, Jobs& jobs,
          StageClock& clock);
    Joint(const Joint&) = delete;
    Joint& operator=(const Joint&) = delete;

    bool is_float() const;      // whether all systems are in float
    bool suits_kernels() const; // whether the fast kernels suit all systems
    template <class V>
    AcceleratedArrays<V>& accelerated();
    template <class V>
    ConjugateArrays<V>& conjugate();

    std::span<const Part> parts() const { return parts_; }
    std::size_t size() const { return x.size(); }
    bool has_contacts() const { return has_contacts_; }

    // Returns g, see objective.hpp, summed over the bodies, and fills its gradient.
    template <class V>
    double evaluate(const VertexArray<Vec3>& at, VertexArray<V>& gradient, Springs springs);
    // Bounds of the rounding error of g, computed in float and in double.
    double float_rounding(double g) const;
    double double_rounding(double g) const;
    // q := Q^-1 q
    template <class V>
    void solve(VertexArray<V>& q);
    // Sets q to 0 at vertices pinned since Q was factored.
    template <class V>
    void zero_pinned(VertexArray<V>& q) const;

    // Sets mu f of all contacts at x and updates the gradient; returns the change of g.
    template <class V>
    double update_friction_limits(VertexArray<V>& gradient);
    // Moves x to where the contact forces at the start of the solve would have the points.
    void place();

    // Computes the Hessian H at x.
    template <class V>
    void compute_hessians();
    // result := H p; returns p . H p.
    template <class V>
    double hessian_times(const VertexArray<V>& p, VertexArray<V>& result);

    // The coarse correction, see system/coarse.hpp. hessian: of H; false: of Q.
    template <class V>
    void prepare_coarse(bool hessian);
    // q += U ((U^T H U)^-1 - (U^T Q U)^-1) U^T g.
    template <class V>
    void add_coarse(const VertexArray<V>& g, VertexArray<V>& q);
    // q := U (U^T H U)^-1 U^T g.
    template <class V>
    void solve_coarse(const VertexArray<V>& g, VertexArray<V>& q);
    // Subtracts the last correction of add_coarse() from q.
    template <class V>
    void subtract_last_coarse(VertexArray<V>& q) const;

    template <class V>
    double product(const VertexArray<V>& v, const VertexArray<V>& w) {
        return sum(jobs, size(), [&](std::size_t i) { return dot(widen(v[i]), widen(w[i])); });
    }
    // Records an iteration that moved vertices by at most `move`. Returns true after the last one.
    bool record(double g, double move);
    void count_rejected();        // counts a rejected step in the report of each body
    void count_inner_iteration(); // counts an inner iteration in the report of each body
    // After the last iteration: copies x back to the bodies and corrects centres of mass, see
    // keep_centre().
    void finish();

    VertexArray<Vec3>&x, &trial;
    BlockSum& sum;
    Jobs& jobs;
    StageClock& clock;
    // Of several bodies: the maximum of iterations, acceleration and tolerance.
    twang_solver_def settings;

private:
    template <class F>
    void each_body(F&& f) const { // f(context, first)
        for (const Part& part : parts_) f(*part.context, part.first);
    }
    template <class V>
    void clear_padding(VertexArray<V>& v) const;
    const CoarseSystem& coarse_system(const SolveContext& context) const;
    CoarseStep& coarse_step(SolveContext& context) const;
    template <class V>
    void restrict_coarse(const VertexArray<V>& g);

    Part single_{};
    std::span<const Part> parts_;
    ContactList* contacts_ = nullptr; // between vertices; null: none
    JointArrays* arrays_ = nullptr;   // null: a single body
    bool has_contacts_ = false;       // between vertices or with colliders
    bool in_air_ = false;             // uses the fine coarse grid
};

// The precision of the gradient. To reach a tolerance, float is sufficient only until the moves get
// small. From then on springs are computed in double, and the corrections, which may stay in float,
// act as iterative refinement.
template <class V>
class Precision {
public:
    double evaluate(Joint& joint, const VertexArray<Vec3>& x, VertexArray<V>& gradient) {
        return joint.evaluate(x, gradient, springs_);
    }
    // After an iteration that moved vertices by at most `move`: where a tolerance is set, switches
    // to double once that is at most 1e-6 of the size of every body. Returns true on the switch.
    bool sharpen(const Joint& joint, double move) {
        if (is_exact() || joint.settings.tolerance == 0.0) return false;
        for (const Joint::Part& part : joint.parts())
            if (move > 1e-6 * part.context->objective.model.size) return false;
        springs_ = Springs::exact;
        return true;
    }
    // Returns a bound of the rounding error of g.
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
