// Q = M/h^2 + springs + pins, n x n, factored: everything that is computed once and then reused by
// every iteration of every step. Immutable; bodies whose key is the same share one.
#pragma once

#include <memory>
#include <vector>

#include "linear/supernodal_solve.hpp"
#include "model/model.hpp"
#include "system/coarse.hpp"

namespace twang::core {

// What Q depends on.
struct SystemKey {
    std::shared_ptr<const Model> model;
    twang_energy energy;
    twang_pin_method method;
    twang_precision precision;
    twang_arithmetic arithmetic;
    double time_step;
    std::vector<char> held; // per vertex
    // Per spring; null: the model's own.
    std::shared_ptr<const std::vector<double>> stiffness = nullptr;
    twang_integrator integrator = TWANG_IMPLICIT_EULER;

    bool operator==(const SystemKey& other) const;
    double stiffness_of(const Link& link) const {
        return stiffness ? (*stiffness)[link.spring] : link.stiffness;
    }
    double stiffness_of(std::size_t spring) const {
        return stiffness ? (*stiffness)[spring] : model->springs[spring].stiffness;
    }
};

// s^2: masses stand in Q divided by this, for the largest a of the integrator.
double inertia_square(const SystemKey& key);
// Of a vertex: inertia and springs, without pins.
double own_diagonal(const SystemKey& key, std::size_t vertex);

struct System {
    SystemKey key;
    std::vector<double> pin_weights; // N/m per vertex; 0 where not pinned, or pinned by elimination
    // The factor: panels, or with portable arithmetic the plain columns.
    Panels panels;
    LowerFactor lower;
    twang_precision precision = TWANG_DOUBLE; // of what is stored
    CoarseSystem coarse, coarse_in_air;
    std::size_t l_nonzeros = 0;
    double assemble_ms = 0.0, factor_ms = 0.0, pack_ms = 0.0;

    bool is_float() const { return precision != TWANG_DOUBLE; }
    // The fast kernels know no other springs.
    bool suits_kernels() const { return is_float() && key.energy == TWANG_HOOKE; }
    std::size_t bytes() const { return panels.n > 0 ? panels.bytes() : lower.bytes(); }
    bool eliminates(std::size_t vertex) const {
        return key.method == TWANG_PIN_ELIMINATION && key.held[vertex];
    }
};

Status make_system(SystemKey key, std::shared_ptr<const System>& system);

// Memory for solving with a system; each body has its own.
struct SolveScratch {
    PanelScratch<float> floats;
    PanelScratch<double> doubles;
    VertexArray<Float4> as_float;
    AlignedArray<double> as_double; // xyz0
    // Of a live system, taken when it is first needed: the unknowns that come with its changes, and
    // what the body replies to them where they are many.
    std::vector<Vec3> unknowns;
    VertexArray<Float4> float_reply;
    VertexArray<Vec3> double_reply;
    VertexArray<Float4>& reply(const Float4*) { return float_reply; }
    VertexArray<Vec3>& reply(const Vec3*) { return double_reply; }

    SolveScratch() = default;
    explicit SolveScratch(const System& system);
};

// v := Q^-1 v. Float4 only where system.is_float(); a VertexArray's data. Paths: see panel_solve.
void solve(const System& system, SolveScratch& scratch, Jobs& jobs, Float4* v,
           const PanelPaths* paths = nullptr);
void solve(const System& system, SolveScratch& scratch, Jobs& jobs, Vec3* v,
           const PanelPaths* paths = nullptr);
// The two halves of that, see panel_solve. Vec3 only where not system.is_float().
void solve_forward(const System& system, SolveScratch& scratch, Jobs& jobs, Float4* v,
                   const PanelPaths* paths);
void solve_forward(const System& system, SolveScratch& scratch, Jobs& jobs, Vec3* v,
                   const PanelPaths* paths);
void solve_backward(const System& system, SolveScratch& scratch, Jobs& jobs, Float4* v,
                    const PanelPaths* paths);
void solve_backward(const System& system, SolveScratch& scratch, Jobs& jobs, Vec3* v,
                    const PanelPaths* paths);

// The systems in use in a world, found by key; forgets those that no body uses any more.
class SystemCache {
public:
    Status fetch(SystemKey key, std::shared_ptr<const System>& system);
    std::shared_ptr<const System> find(const SystemKey& key);
    void add(const std::shared_ptr<const System>& system);

private:
    std::vector<std::weak_ptr<const System>> systems_;
};

} // namespace twang::core
