// A body's system updated by a Schur complement: the shared factor of Q, and the body's changes
// since the factor was made. Vertices pinned or released and points grabbed after that are handled
// exactly, without another factor. With Q as it was factored (vertices pinned then have no part in
// it), B a sparse column for each change, D small and u the unknowns that come with the changes,
//   Q x + B u = b,  B^T x + D u = c:   u = (D - B^T Z)^-1 (c - B^T x0),  x = x0 - Z u,
// where x0 = Q^-1 b costs one solve as before and Z = Q^-1 B.
//   pinned since     column e_p, D = 0, u is the force that keeps x_p at 0
//   released since   its column of Q, D = its diagonal, u is x_p itself, c is b_p
//   grabbed          the weights of the point, D = -1/stiffness, u is the force
// D - B^T Z is quasi-definite, so it can be factored in any order without pivoting. Neither x0 nor
// Z is ever computed: between the two halves of the solve a column of B has a few hundred numbers,
// and all products are formed there (see schur_columns.hpp). For many changes, whose paths are
// mostly the same, a second solve on these paths is cheaper than the columns.
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

// Largest number of changes with columns of their own; more changes take a second solve instead.
inline constexpr std::size_t max_schur_columns = 64;

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

class UpdatedSystem {
public:
    // With more changes another factor is made sooner. The bound allows releasing one side of a
    // cloth while another side is held.
    static std::size_t max_changes(std::size_t vertices) {
        return max_schur_columns +
               static_cast<std::size_t>(3.0 * std::sqrt(static_cast<double>(vertices)));
    }
    // Largest stiffness of a grab, relative to the stiffness of the body at the grabbed point. At
    // 1e7, the rounding error of the pull in float exceeds the remaining distance to the target.
    static constexpr double max_stiffness = 1e5;

    UpdatedSystem() = default;
    // Starts with a system without changes.
    explicit UpdatedSystem(std::shared_ptr<const System> made) { rebase(std::move(made)); }

    // Switches to another factor; drops all changes.
    void rebase(std::shared_ptr<const System> made);
    // Copies the columns of another update on the same factor, which the next apply_changes() then
    // need not compute.
    void reuse_columns_of(const UpdatedSystem& other) { columns_ = other.columns_; }
    void forget() { columns_.clear(); } // drops columns copied or computed in part
    // Sets the held vertices and the grabs. Needs half a solve on their paths for every three new
    // changes; beyond max_schur_columns changes in all, a solve on the paths for every three of all
    // changes.
    void apply_changes(const std::vector<char>& held, std::span<const Grab> grabs,
                       SolveScratch& scratch, Jobs& jobs);

    const System& base() const { return *base_; }
    const std::shared_ptr<const System>& shared() const { return base_; }
    std::size_t changes() const { return columns_.size(); }
    const std::vector<char>& cut() const { return cut_; }
    std::span<const Grab> grabs() const { return grabs_; } // as applied, with clamped stiffness
    void move_grab(std::size_t index, Vec3 target) { grabs_[index].target = target; }

    bool is_float() const { return base_->is_float(); }
    bool eliminates(std::size_t vertex) const { return cut_[vertex]; }
    // N/m per vertex; 0 where not pinned, or pinned exactly.
    std::vector<double> pin_weights;
    // Sets v to 0 at vertices pinned since the factor was made.
    template <class V>
    void zero_pinned(V* v) const {
        for (const Column& column : columns_)
            if (column.kind == Kind::pinned) v[column.id] = {};
    }
    // Returns the holds that the coarse correction has to include.
    std::vector<CoarseHold> coarse_holds() const;

private:
    enum class Kind { pinned, released, grabbed };
    // The values of a column in the precision of the panels; the other member is empty.
    struct ColumnValues {
        SchurColumn<Float4> in_float;
        SchurColumn<Vec3> in_double;

        void set(SchurColumn<Float4> column) { in_float = std::move(column); }
        void set(SchurColumn<Vec3> column) { in_double = std::move(column); }
        const SchurColumn<Float4>& of(const Float4*) const { return in_float; }
        const SchurColumn<Vec3>& of(const Vec3*) const { return in_double; }
    };
    struct Column {
        Kind kind;
        std::uint32_t id; // vertex, or index of the grab
        std::uint32_t vertices[3];
        double weights[3];
        double diagonal;
        std::shared_ptr<const ColumnValues> values; // null: not computed, or too many columns

        bool same_as(const Column& other) const;
    };
    template <class V>
    friend void solve_updated(const UpdatedSystem&, SolveScratch&, Jobs&, V*, const PanelPaths*);

    // Returns the columns of these changes, without values.
    std::vector<Column> changed_columns(const std::vector<char>& held,
                                        std::span<const Grab> grabs) const;
    // Calls f(vertex, value) for the entries of a column of B.
    template <class F>
    void for_each_entry(const Column& column, F&& f) const;
    // Computes the values of columns that have none. v: scratch for a solve.
    template <class V>
    void find_columns(SolveScratch& scratch, Jobs& jobs, VertexArray<V>& v);
    // Finds the paths of these columns.
    void find_paths(std::span<const Column* const> columns);
    // Compute B^T Z: from the columns, or by solves where there are too many.
    void couple_columns();
    template <class V>
    void couple_by_solves(SolveScratch& scratch, Jobs& jobs, VertexArray<V>& v);
    // v := B, for up to three columns.
    template <class V>
    void set_columns(std::span<const Column* const> columns, VertexArray<V>& v) const;
    // Clamps the stiffness of grabs to max_stiffness.
    void clamp_grab_stiffness();
    // Factor D - B^T Z, and solve with the factor.
    void factor_schur();
    void solve_schur(Vec3* u) const;
    // v := x, with u = c or b_p on entry: by the columns, or by a second solve on the paths.
    template <class V>
    void solve_by_columns(SolveScratch& scratch, Jobs& jobs, Vec3* u, V* v,
                          const PanelPaths* paths) const;
    template <class V>
    void solve_by_paths(SolveScratch& scratch, Jobs& jobs, Vec3* u, V* v) const;
    const PanelPaths* paths() const { return base_->panels.n > 0 ? &paths_ : nullptr; }
    // u := u - B^T v, and v := -B u.
    template <class V>
    void apply_transpose(const V* v, Vec3* u) const;
    template <class V>
    void scatter(const Vec3* u, VertexArray<V>& v) const;
    bool keeps_columns() const { return columns_.size() <= max_schur_columns; }
    double coupling(const Column& a, const Column& b) const; // an entry of D

    std::shared_ptr<const System> base_;
    std::vector<char> cut_;
    std::vector<Grab> grabs_;
    std::vector<Column> columns_; // in one fixed order: pinned, released, grabbed, by id
    PanelPaths paths_;            // of the changes, where there are panels
    std::vector<double> schur_;   // B^T Z, then D - B^T Z as L D L^T; the lower triangle, by rows
};

// v := Q^-1 v for the updated system. Float4 only where is_float(); v is the data of a VertexArray.
// Paths are those of the base, as in panel_solve; elsewhere v is then undefined.
void solve(const UpdatedSystem& system, SolveScratch& scratch, Jobs& jobs, Float4* v,
           const PanelPaths* paths = nullptr);
void solve(const UpdatedSystem& system, SolveScratch& scratch, Jobs& jobs, Vec3* v,
           const PanelPaths* paths = nullptr);

} // namespace twang::core
