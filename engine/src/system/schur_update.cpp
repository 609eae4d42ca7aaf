// Assembly and factor of the Schur complement, and solves with the updated system.
#include "system/schur_update.hpp"

#include <algorithm>
#include <limits>

#include "springs/spring.hpp"

namespace twang::core {

void UpdatedSystem::rebase(std::shared_ptr<const System> made) {
    std::vector<double> weights = made->pin_weights;
    std::vector<char> cut(weights.size());
    for (std::size_t i = 0; i < cut.size(); ++i) cut[i] = made->eliminates(i);
    pin_weights.swap(weights); // nothing below can fail
    cut_.swap(cut);
    base_ = std::move(made);
    grabs_.clear();
    columns_.clear();
    schur_.clear();
}

bool UpdatedSystem::Column::same_as(const Column& other) const {
    return kind == other.kind && (kind == Kind::grabbed || id == other.id) &&
           std::equal(vertices, vertices + 3, other.vertices) &&
           std::equal(weights, weights + 3, other.weights);
}

std::vector<UpdatedSystem::Column> UpdatedSystem::changed_columns(
    const std::vector<char>& held, std::span<const Grab> grabs) const {
    std::vector<Column> columns;
    const std::vector<char>& before = base_->key.held;
    for (std::uint32_t i = 0; i < held.size(); ++i)
        if (held[i] && !before[i])
            columns.push_back({Kind::pinned, i, {i, i, i}, {1, 0, 0}, 0.0, {}});
    for (std::uint32_t i = 0; i < held.size(); ++i)
        if (before[i] && !held[i])
            columns.push_back({Kind::released, i, {i, i, i}, {}, own_diagonal(base_->key, i), {}});
    for (std::uint32_t k = 0; k < grabs.size(); ++k) {
        Column column{Kind::grabbed, k, {}, {}, 0.0, {}}; // clamp_grab_stiffness sets the diagonal
        std::copy_n(grabs[k].vertices, 3, column.vertices);
        std::copy_n(grabs[k].weights, 3, column.weights);
        columns.push_back(column);
    }
    return columns;
}

template <class F>
void UpdatedSystem::for_each_entry(const Column& column, F&& f) const {
    const SystemKey& key = base_->key;
    if (column.kind == Kind::released) {
        const Lists<Link>& links = key.model->links;
        for (const Link* link = links.begin(column.id); link != links.end(column.id); ++link)
            if (!key.held[link->other])
                f(link->other, -rest_curvature(key.energy) * key.stiffness_of(*link));
        return;
    }
    for (int k = 0; k < 3; ++k)
        if (column.weights[k] != 0.0 && !key.held[column.vertices[k]])
            f(column.vertices[k], column.weights[k]);
}

double UpdatedSystem::coupling(const Column& a, const Column& b) const {
    if (&a == &b) return a.diagonal;
    if (a.kind == Kind::released && b.kind == Kind::released) {
        const Lists<Link>& links = base_->key.model->links;
        for (const Link* link = links.begin(a.id); link != links.end(a.id); ++link)
            if (link->other == b.id)
                return -rest_curvature(base_->key.energy) * base_->key.stiffness_of(*link);
    }
    if (a.kind == Kind::grabbed && b.kind == Kind::released) return coupling(b, a);
    double sum = 0.0;
    if (a.kind == Kind::released && b.kind == Kind::grabbed)
        for (int k = 0; k < 3; ++k)
            if (b.vertices[k] == a.id) sum += b.weights[k];
    return sum;
}

template <class V>
void UpdatedSystem::set_columns(std::span<const Column* const> columns, VertexArray<V>& v) const {
    using Real = decltype(V::x);
    std::fill(v.begin(), v.end(), V{});
    for (std::size_t c = 0; c < columns.size(); ++c)
        for_each_entry(*columns[c], [&](std::uint32_t vertex, double value) {
            (&v[vertex].x)[c] += static_cast<Real>(value);
        });
}

void UpdatedSystem::find_paths(std::span<const Column* const> columns) {
    paths_.start(base_->panels);
    if (base_->panels.n == 0) return;
    for (const Column* column : columns)
        for_each_entry(*column,
                       [&](std::uint32_t vertex, double) { paths_.add(base_->panels, vertex); });
}

template <class V>
void UpdatedSystem::find_columns(SolveScratch& scratch, Jobs& jobs, VertexArray<V>& v) {
    std::vector<const Column*> new_columns;
    for (const Column& column : columns_)
        if (!column.values) new_columns.push_back(&column);
    std::vector<std::uint32_t> vertices;
    for (std::size_t first = 0; first < new_columns.size(); first += 3) {
        const std::span three(new_columns.data() + first,
                              std::min<std::size_t>(3, new_columns.size() - first));
        find_paths(three);
        set_columns<V>(three, v);
        solve_forward(*base_, scratch, jobs, v.data(), paths());
        for (std::size_t c = 0; c < three.size(); ++c) {
            vertices.clear();
            for_each_entry(*three[c],
                           [&](std::uint32_t vertex, double) { vertices.push_back(vertex); });
            auto values = std::make_shared<ColumnValues>();
            values->set(
                SchurColumn<V>(*base_, path_runs(*base_, vertices), v.data(), static_cast<int>(c)));
            columns_[three[c] - columns_.data()].values = std::move(values);
        }
    }
}

void UpdatedSystem::couple_columns() {
    const std::size_t m = columns_.size();
    for (std::size_t r = 0; r < m; ++r)
        for (std::size_t c = 0; c <= r; ++c) {
            const ColumnValues &a = *columns_[r].values, &b = *columns_[c].values;
            schur_[r * m + c] =
                is_float() ? a.in_float.coupling(b.in_float) : a.in_double.coupling(b.in_double);
        }
}

template <class V>
void UpdatedSystem::couple_by_solves(SolveScratch& scratch, Jobs& jobs, VertexArray<V>& v) {
    const std::size_t m = columns_.size();
    std::vector<const Column*> all;
    for (const Column& column : columns_) all.push_back(&column);
    find_paths(all);
    for (std::size_t first = 0; first < m; first += 3) {
        const std::size_t count = std::min<std::size_t>(3, m - first);
        set_columns<V>({all.data() + first, count}, v);
        solve(*base_, scratch, jobs, v.data(), paths());
        for (std::size_t r = first; r < m; ++r)
            for_each_entry(columns_[r], [&](std::uint32_t vertex, double weight) {
                for (std::size_t c = 0; c < std::min(count, r - first + 1); ++c)
                    schur_[r * m + first + c] += weight * (&v[vertex].x)[c];
            });
    }
}

void UpdatedSystem::clamp_grab_stiffness() {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        Column& column = columns_[c];
        if (column.kind != Kind::grabbed) continue;
        // m/N; released vertices are solved for in double.
        const double compliance = schur_[c * columns_.size() + c];
        double& stiffness = grabs_[column.id].stiffness;
        if (stiffness * compliance > max_stiffness) stiffness = max_stiffness / compliance;
        column.diagonal = -1.0 / stiffness;
    }
}

void UpdatedSystem::factor_schur() {
    const std::size_t m = columns_.size();
    for (std::size_t r = 0; r < m; ++r) {
        double* row = &schur_[r * m];
        for (std::size_t c = 0; c <= r; ++c) row[c] = coupling(columns_[r], columns_[c]) - row[c];
        for (std::size_t c = 0; c < r; ++c) {
            const double* above = &schur_[c * m];
            for (std::size_t k = 0; k < c; ++k) row[c] -= row[k] * above[k];
        }
        for (std::size_t c = 0; c < r; ++c) {
            const double by_diagonal = row[c] / schur_[c * m + c];
            row[r] -= row[c] * by_diagonal;
            row[c] = by_diagonal;
        }
    }
}

void UpdatedSystem::solve_schur(Vec3* u) const {
    const std::size_t m = columns_.size();
    for (std::size_t r = 0; r < m; ++r)
        for (std::size_t c = 0; c < r; ++c) u[r] -= schur_[r * m + c] * u[c];
    for (std::size_t r = 0; r < m; ++r) u[r] = (1.0 / schur_[r * m + r]) * u[r];
    for (std::size_t r = m; r-- > 0;)
        for (std::size_t c = 0; c < r; ++c) u[c] -= schur_[r * m + c] * u[r];
}

void UpdatedSystem::apply_changes(const std::vector<char>& held, std::span<const Grab> grabs,
                                  SolveScratch& scratch, Jobs& jobs) {
    std::vector<Column> columns = changed_columns(held, grabs);
    for (Column& column : columns)
        for (const Column& known : columns_)
            if (known.values && column.same_as(known)) {
                column.values = known.values;
                break;
            }
    columns_.swap(columns);
    grabs_.assign(grabs.begin(), grabs.end());
    for (std::size_t i = 0; i < held.size(); ++i) {
        const bool before = base_->key.held[i];
        cut_[i] = held[i] && (!before || base_->eliminates(i));
        pin_weights[i] = held[i] ? base_->pin_weights[i] : 0.0;
    }
    schur_.assign(columns_.size() * columns_.size(), 0.0);
    const auto couple = [&](auto& v) {
        if (columns_.empty()) return;
        if (v.size() < cut_.size()) v = std::remove_reference_t<decltype(v)>(cut_.size());
        if (keeps_columns()) {
            find_columns(scratch, jobs, v);
            couple_columns();
        } else {
            for (Column& column : columns_) column.values.reset();
            couple_by_solves(scratch, jobs, v);
        }
    };
    VertexArray<Vec3> doubles;
    if (is_float())
        couple(scratch.as_float);
    else
        couple(doubles);
    clamp_grab_stiffness();
    factor_schur();
}

std::vector<CoarseHold> UpdatedSystem::coarse_holds() const {
    std::vector<CoarseHold> holds;
    for (const Column& column : columns_) {
        if (column.kind == Kind::pinned)
            holds.push_back({column.id, std::numeric_limits<double>::infinity()});
        if (column.kind == Kind::grabbed)
            for (int k = 0; k < 3; ++k)
                if (column.weights[k] > 0.0)
                    holds.push_back(
                        {column.vertices[k], column.weights[k] * grabs_[column.id].stiffness});
    }
    return holds;
}

template <class V>
void UpdatedSystem::apply_transpose(const V* v, Vec3* u) const {
    for (std::size_t c = 0; c < columns_.size(); ++c)
        for_each_entry(columns_[c], [&](std::uint32_t vertex, double weight) {
            u[c] -= weight * widen(v[vertex]);
        });
}

template <class V>
void UpdatedSystem::scatter(const Vec3* u, VertexArray<V>& v) const {
    std::fill(v.begin(), v.end(), V{});
    for (std::size_t c = 0; c < columns_.size(); ++c)
        for_each_entry(columns_[c], [&](std::uint32_t vertex, double weight) {
            put(v[vertex], widen(v[vertex]) - weight * u[c]);
        });
}

template <class V>
void UpdatedSystem::solve_by_columns(SolveScratch& scratch, Jobs& jobs, Vec3* u, V* v,
                                     const PanelPaths* paths) const {
    solve_forward(*base_, scratch, jobs, v, paths);
    for (std::size_t c = 0; c < columns_.size(); ++c) u[c] -= columns_[c].values->of(v).dot_with(v);
    solve_schur(u);
    for (std::size_t c = 0; c < columns_.size(); ++c)
        columns_[c].values->of(v).apply_transpose(u[c], v);
    solve_backward(*base_, scratch, jobs, v, paths);
}

template <class V>
void UpdatedSystem::solve_by_paths(SolveScratch& scratch, Jobs& jobs, Vec3* u, V* v) const {
    const std::size_t n = cut_.size();
    VertexArray<V>& path_vector = scratch.path_vector(v);
    if (path_vector.size() < n) path_vector = VertexArray<V>(n);
    solve_forward(*base_, scratch, jobs, v, nullptr);
    std::copy(v, v + n, path_vector.begin());
    solve_backward(*base_, scratch, jobs, path_vector.data(), paths());
    apply_transpose(path_vector.data(), u);
    solve_schur(u);
    scatter(u, path_vector);
    solve_forward(*base_, scratch, jobs, path_vector.data(), paths());
    for (std::size_t i = 0; i < n; ++i) put(v[i], widen(v[i]) + widen(path_vector[i]));
    solve_backward(*base_, scratch, jobs, v, nullptr);
}

template <class V>
void solve_updated(const UpdatedSystem& system, SolveScratch& scratch, Jobs& jobs, V* v,
                   const PanelPaths* paths) {
    using Kind = UpdatedSystem::Kind;
    const std::size_t m = system.columns_.size();
    if (m == 0) return solve(system.base(), scratch, jobs, v, paths);
    if (scratch.unknowns.size() < m) scratch.unknowns.resize(m);
    Vec3* u = scratch.unknowns.data();
    for (std::size_t c = 0; c < m; ++c) {
        const UpdatedSystem::Column& column = system.columns_[c];
        u[c] = {};
        if (column.kind != Kind::released) continue;
        u[c] = widen(v[column.id]);
        v[column.id] = {};
    }
    if (system.keeps_columns())
        system.solve_by_columns(scratch, jobs, u, v, paths);
    else
        system.solve_by_paths(scratch, jobs, u, v);
    for (std::size_t c = 0; c < m; ++c) {
        const UpdatedSystem::Column& column = system.columns_[c];
        if (column.kind == Kind::pinned) v[column.id] = {};
        if (column.kind == Kind::released) put(v[column.id], u[c]);
    }
}

void solve(const UpdatedSystem& system, SolveScratch& scratch, Jobs& jobs, Float4* v,
           const PanelPaths* paths) {
    solve_updated(system, scratch, jobs, v, paths);
}

void solve(const UpdatedSystem& system, SolveScratch& scratch, Jobs& jobs, Vec3* v,
           const PanelPaths* paths) {
    // Portable arithmetic and double panels keep doubles; float panels round on the way.
    if (!system.is_float()) return solve_updated(system, scratch, jobs, v, paths);
    Float4* f = scratch.as_float.data();
    const std::size_t n = system.cut().size();
    for (std::size_t i = 0; i < n; ++i)
        f[i] = {static_cast<float>(v[i].x), static_cast<float>(v[i].y), static_cast<float>(v[i].z),
                0.0f};
    solve_updated(system, scratch, jobs, f, paths);
    for (std::size_t i = 0; i < n; ++i) v[i] = {f[i].x, f[i].y, f[i].z};
}

} // namespace twang::core
