// The folder system/ owns the matrix of the global step and its factor,
//   Q = M/(gamma h)^2 + springs + pins,   n x n, the same for x, y and z
// (Liu, Bargteil, O'Brien and Kavan 2013), computed once and reused by every iteration of every
// step. It also owns the time integrator (integrator.hpp), pins (pins.hpp), changes of Q by a Schur
// complement (schur_update.hpp), factors made in the background (factor_service.hpp) and the coarse
// correction (coarse.hpp). A System is immutable; bodies with equal keys share one. The folder does
// not know solvers, colliders, bodies or worlds.
#pragma once

#include <memory>
#include <vector>

#include "linear/supernodal_solve.hpp"
#include "model/model.hpp"
#include "system/coarse.hpp"

namespace twang::core {

// Everything that Q depends on.
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

// s^2: (gamma h)^2 for the largest a of the integrator. Q has the masses divided by this.
double inertia_square(const SystemKey& key);
// N/m: the diagonal of Q at a vertex from inertia and springs, without pins.
double own_diagonal(const SystemKey& key, std::size_t vertex);

struct System {
    SystemKey key;
    std::vector<double> pin_weights; // N/m per vertex; 0 where not pinned, or pinned by elimination
    // The factor: panels, or columns with portable arithmetic.
    Panels panels;
    LowerFactor lower;
    twang_precision precision = TWANG_PRECISION_DOUBLE; // of the stored factor
    CoarseSystem coarse, fine_grid;
    std::size_t l_nonzeros = 0;
    double assemble_ms = 0.0, factor_ms = 0.0, pack_ms = 0.0;

    bool is_float() const { return precision != TWANG_PRECISION_DOUBLE; }
    // The fast kernels support hooke springs in float only.
    bool suits_kernels() const { return is_float() && key.energy == TWANG_HOOKE; }
    std::size_t bytes() const { return panels.n > 0 ? panels.bytes() : lower.bytes(); }
    bool eliminates(std::size_t vertex) const {
        return key.method == TWANG_PIN_ELIMINATION && key.held[vertex];
    }
};

Status make_system(SystemKey key, std::shared_ptr<const System>& system);

// Scratch for solves with a system; each body has its own.
struct SolveScratch {
    PanelScratch<float> floats;
    PanelScratch<double> doubles;
    VertexArray<Float4> as_float;
    AlignedArray<double> as_double; // xyz0
    // For a system updated by a Schur complement, allocated at first use: the unknowns of the
    // changes, and a vector on the paths of the changes where they are many.
    std::vector<Vec3> unknowns;
    VertexArray<Float4> float_path_vector;
    VertexArray<Vec3> double_path_vector;
    VertexArray<Float4>& path_vector(const Float4*) { return float_path_vector; }
    VertexArray<Vec3>& path_vector(const Vec3*) { return double_path_vector; }

    SolveScratch() = default;
    explicit SolveScratch(const System& system);
};

// v := Q^-1 v. Float4 only where system.is_float(); v is the data of a VertexArray. Paths: see
// panel_solve.
void solve(const System& system, SolveScratch& scratch, Jobs& jobs, Float4* v,
           const PanelPaths* paths = nullptr);
void solve(const System& system, SolveScratch& scratch, Jobs& jobs, Vec3* v,
           const PanelPaths* paths = nullptr);
// The two halves of a solve, see panel_solve. Vec3 only where not system.is_float().
void solve_forward(const System& system, SolveScratch& scratch, Jobs& jobs, Float4* v,
                   const PanelPaths* paths);
void solve_forward(const System& system, SolveScratch& scratch, Jobs& jobs, Vec3* v,
                   const PanelPaths* paths);
void solve_backward(const System& system, SolveScratch& scratch, Jobs& jobs, Float4* v,
                    const PanelPaths* paths);
void solve_backward(const System& system, SolveScratch& scratch, Jobs& jobs, Vec3* v,
                    const PanelPaths* paths);

// The systems in use in a world, found by key. Drops systems that no body uses any more.
class SystemCache {
public:
    Status fetch(SystemKey key, std::shared_ptr<const System>& system);
    std::shared_ptr<const System> find(const SystemKey& key);
    void add(const std::shared_ptr<const System>& system);

private:
    std::vector<std::weak_ptr<const System>> systems_;
};

} // namespace twang::core
