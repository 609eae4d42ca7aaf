// A body's system as things stand: the shared factor of Q, and what the body changed since it was
// made. Vertices pinned and released and points grabbed after that are taken care of by a Schur
// complement on the factor, exactly and without another one. With Q as it was factored (vertices
// pinned then have no part in it), B a sparse column for each change, D small and u the unknowns
// that come with the changes,
//   Q x + B u = b,  B^T x + D u = c:   u = (D - B^T Z)^-1 (c - B^T x0),  x = x0 - Z u,
// where x0 = Q^-1 b costs one solve as before and Z = Q^-1 B.
//   pinned since     column e_p, D = 0, u is the force that keeps x_p at 0
//   released since   its column of Q, D = its diagonal, u is x_p itself, c is b_p
//   grabbed          the weights of the point, D = -1/stiffness, u is the force
// D - B^T Z is quasi-definite: it can be factored in any order without pivoting. Neither x0 nor Z
// is ever found: between the two halves of the solve B is a few hundred numbers a column, and there
// all of this is done (see live_columns). Where there are many changes, whose paths are mostly the
// same, a second solve on these paths is cheaper than the columns.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "system/pins.hpp"
#include "system/schur_columns.hpp"
#include "system/system.hpp"

namespace twang::core {

// More changes than this take a second solve instead.
inline constexpr std::size_t most_live_columns = 64;

// A spring of rest length 0 between a point of the body and a target in space.
struct Grab {
    std::uint32_t vertices[3];
    double weights[3]; // sum 1
    Vec3 target;
    double stiffness; // N/m

    Vec3 point(const Vec3* x) const {
        Vec3 sum{};
        for (int k = 0; k < 3; ++k) sum += weights[k] * x[vertices[k]];
        return sum;
    }
};

class LiveSystem {
public:
    // Beyond, another factor is made sooner. A side of a cloth can be let go while another is held.
    static std::size_t most_changes(std::size_t vertices) {
        return most_live_columns +
               static_cast<std::size_t>(3.0 * std::sqrt(static_cast<double>(vertices)));
    }
    // Of a grab, in units of the stiffness that its point of the body has against it. What a float
    // rounds off the pull of one with 1e7 is more than the way it has to go.
    static constexpr double most_stiffness = 1e5;

    LiveSystem() = default;
    // As it was made, without changes.
    explicit LiveSystem(std::shared_ptr<const System> made) { rebase(std::move(made)); }

    // Another factor; drops all changes.
    void rebase(std::shared_ptr<const System> made);
    // What another one on the same factor has found is not looked for again by the next admit.
    void learn_from(const LiveSystem& other) { columns_ = other.columns_; }
    void forget() { columns_.clear(); } // what was learnt, or found in part
    // From now on these vertices are held and these points grabbed. Needs half a solve on their
    // paths for every three changes that are new; beyond most_live_columns in all, a solve on the
    // paths for three of all.
    void admit(const std::vector<char>& held, std::span<const Grab> grabs, SolveScratch& scratch,
               Jobs& jobs);

    const System& base() const { return *base_; }
    const std::shared_ptr<const System>& shared() const { return base_; }
    std::size_t changes() const { return columns_.size(); }
    const std::vector<char>& cut() const { return cut_; }
    std::span<const Grab> grabs() const { return grabs_; } // as admitted, or softer
    void move_grab(std::size_t index, Vec3 target) { grabs_[index].target = target; }

    bool is_float() const { return base_->is_float(); }
    bool eliminates(std::size_t vertex) const { return cut_[vertex]; }
    // N/m per vertex; 0 where not pinned, or pinned exactly.
    std::vector<double> pin_weights;
    // Sets v to 0 at vertices pinned since.
    template <class V>
    void keep_held(V* v) const {
        for (const Column& column : columns_)
            if (column.kind == Kind::pinned) v[column.id] = {};
    }
    // What the coarse correction should know of.
    std::vector<CoarseHold> coarse_holds() const;

private:
    enum class Kind { pinned, released, grabbed };
    // One is empty: the precision is that of the panels.
    struct Parts {
        LiveColumn<Float4> in_float;
        LiveColumn<Vec3> in_double;

        void set(LiveColumn<Float4> column) { in_float = std::move(column); }
        void set(LiveColumn<Vec3> column) { in_double = std::move(column); }
        const LiveColumn<Float4>& of(const Float4*) const { return in_float; }
        const LiveColumn<Vec3>& of(const Vec3*) const { return in_double; }
    };
    struct Column {
        Kind kind;
        std::uint32_t id; // vertex, or place among the grabs
        std::uint32_t vertices[3];
        double weights[3];
        double diagonal;
        std::shared_ptr<const Parts> parts; // null: not found, or there are too many

        bool same_as(const Column& other) const;
    };
    template <class V>
    friend void solve_live(const LiveSystem&, SolveScratch&, Jobs&, V*, const PanelPaths*);

    std::vector<Column> wanted(const std::vector<char>& held, std::span<const Grab> grabs) const;
    // Calls f(vertex, value) for the entries of a column of B.
    template <class F>
    void entries(const Column& column, F&& f) const;
    // v: room for a solve.
    template <class V>
    void find_columns(SolveScratch& scratch, Jobs& jobs, VertexArray<V>& v);
    // Of these columns.
    void find_paths(std::span<const Column* const> columns);
    // B^T Z by the columns, or where they are too many.
    void couple_columns();
    template <class V>
    void couple_many(SolveScratch& scratch, Jobs& jobs, VertexArray<V>& v);
    // v := B, as far as three columns at a time go.
    template <class V>
    void set_columns(std::span<const Column* const> columns, VertexArray<V>& v) const;
    // Grabs above most_stiffness are taken for as stiff as that.
    void soften_grabs();
    void factor_small();
    void solve_small(Vec3* u) const;
    // v := x, with u = c or b_p on entry: by the columns, or by a second solve on the paths.
    template <class V>
    void solve_by_columns(SolveScratch& scratch, Jobs& jobs, Vec3* u, V* v,
                          const PanelPaths* paths) const;
    template <class V>
    void solve_many(SolveScratch& scratch, Jobs& jobs, Vec3* u, V* v) const;
    const PanelPaths* paths() const { return base_->panels.n > 0 ? &paths_ : nullptr; }
    // u := u - B^T v, and v := -B u.
    template <class V>
    void take_off(const V* v, Vec3* u) const;
    template <class V>
    void spread(const Vec3* u, VertexArray<V>& v) const;
    bool keeps_columns() const { return columns_.size() <= most_live_columns; }
    double coupling(const Column& a, const Column& b) const; // an entry of D

    std::shared_ptr<const System> base_;
    std::vector<char> cut_;
    std::vector<Grab> grabs_;
    std::vector<Column> columns_; // in one fixed order: pinned, released, grabbed, by id
    PanelPaths paths_;            // of what changed, where there are panels
    std::vector<double> small_;   // B^T Z, then D - B^T Z as L D L^T; the lower triangle, by rows
};

// v := Q^-1 v with everything that changed. Float4 only where is_float(); a VertexArray's data.
// Paths are those of the base, as in panel_solve; elsewhere v is then anything.
void solve(const LiveSystem& system, SolveScratch& scratch, Jobs& jobs, Float4* v,
           const PanelPaths* paths = nullptr);
void solve(const LiveSystem& system, SolveScratch& scratch, Jobs& jobs, Vec3* v,
           const PanelPaths* paths = nullptr);

} // namespace twang::core
