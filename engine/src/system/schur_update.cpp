#include "system/schur_update.hpp"

#include <algorithm>
#include <limits>

#include "springs/spring.hpp"

namespace twang::core {

void LiveSystem::rebase(std::shared_ptr<const System> made) {
    std::vector<double> weights = made->pin_weights;
    std::vector<char> cut(weights.size());
    for (std::size_t i = 0; i < cut.size(); ++i) cut[i] = made->eliminates(i);
    pin_weights.swap(weights); // nothing below can fail
    cut_.swap(cut);
    base_ = std::move(made);
    grabs_.clear();
    columns_.clear();
    small_.clear();
}

bool LiveSystem::Column::same_as(const Column& other) const {
    return kind == other.kind && (kind == Kind::grabbed || id == other.id) &&
           std::equal(vertices, vertices + 3, other.vertices) &&
           std::equal(weights, weights + 3, other.weights);
}

std::vector<LiveSystem::Column> LiveSystem::wanted(const std::vector<char>& held,
                                                   std::span<const Grab> grabs) const {
    std::vector<Column> columns;
    const std::vector<char>& before = base_->key.held;
    for (std::uint32_t i = 0; i < held.size(); ++i)
        if (held[i] && !before[i])
            columns.push_back({Kind::pinned, i, {i, i, i}, {1, 0, 0}, 0.0, {}});
    for (std::uint32_t i = 0; i < held.size(); ++i)
        if (before[i] && !held[i])
            columns.push_back({Kind::released, i, {i, i, i}, {}, own_diagonal(base_->key, i), {}});
    for (std::uint32_t k = 0; k < grabs.size(); ++k) {
        Column column{Kind::grabbed, k, {}, {}, 0.0, {}}; // soften_grabs knows the diagonal
        std::copy_n(grabs[k].vertices, 3, column.vertices);
        std::copy_n(grabs[k].weights, 3, column.weights);
        columns.push_back(column);
    }
    return columns;
}

template <class F>
void LiveSystem::entries(const Column& column, F&& f) const {
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

double LiveSystem::coupling(const Column& a, const Column& b) const {
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
void LiveSystem::set_columns(std::span<const Column* const> columns, VertexArray<V>& v) const {
    using Real = decltype(V::x);
    std::fill(v.begin(), v.end(), V{});
    for (std::size_t c = 0; c < columns.size(); ++c)
        entries(*columns[c], [&](std::uint32_t vertex, double value) {
            (&v[vertex].x)[c] += static_cast<Real>(value);
        });
}

void LiveSystem::find_paths(std::span<const Column* const> columns) {
    paths_.start(base_->panels);
    if (base_->panels.n == 0) return;
    for (const Column* column : columns)
        entries(*column, [&](std::uint32_t vertex, double) { paths_.add(base_->panels, vertex); });
}

template <class V>
void LiveSystem::find_columns(SolveScratch& scratch, Jobs& jobs, VertexArray<V>& v) {
    std::vector<const Column*> fresh;
    for (const Column& column : columns_)
        if (!column.parts) fresh.push_back(&column);
    std::vector<std::uint32_t> vertices;
    for (std::size_t first = 0; first < fresh.size(); first += 3) {
        const std::span three(fresh.data() + first, std::min<std::size_t>(3, fresh.size() - first));
        find_paths(three);
        set_columns<V>(three, v);
        solve_forward(*base_, scratch, jobs, v.data(), paths());
        for (std::size_t c = 0; c < three.size(); ++c) {
            vertices.clear();
            entries(*three[c], [&](std::uint32_t vertex, double) { vertices.push_back(vertex); });
            auto parts = std::make_shared<Parts>();
            parts->set(
                LiveColumn<V>(*base_, path_runs(*base_, vertices), v.data(), static_cast<int>(c)));
            columns_[three[c] - columns_.data()].parts = std::move(parts);
        }
    }
}

void LiveSystem::couple_columns() {
    const std::size_t m = columns_.size();
    for (std::size_t r = 0; r < m; ++r)
        for (std::size_t c = 0; c <= r; ++c) {
            const Parts &a = *columns_[r].parts, &b = *columns_[c].parts;
            small_[r * m + c] =
                is_float() ? a.in_float.coupling(b.in_float) : a.in_double.coupling(b.in_double);
        }
}

template <class V>
void LiveSystem::couple_many(SolveScratch& scratch, Jobs& jobs, VertexArray<V>& v) {
    const std::size_t m = columns_.size();
    std::vector<const Column*> all;
    for (const Column& column : columns_) all.push_back(&column);
    find_paths(all);
    for (std::size_t first = 0; first < m; first += 3) {
        const std::size_t count = std::min<std::size_t>(3, m - first);
        set_columns<V>({all.data() + first, count}, v);
        solve(*base_, scratch, jobs, v.data(), paths());
        for (std::size_t r = first; r < m; ++r)
            entries(columns_[r], [&](std::uint32_t vertex, double weight) {
                for (std::size_t c = 0; c < std::min(count, r - first + 1); ++c)
                    small_[r * m + first + c] += weight * (&v[vertex].x)[c];
            });
    }
}

void LiveSystem::soften_grabs() {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        Column& column = columns_[c];
        if (column.kind != Kind::grabbed) continue;
        // m/N; vertices released since are solved for in double.
        const double give = small_[c * columns_.size() + c];
        double& stiffness = grabs_[column.id].stiffness;
        if (stiffness * give > most_stiffness) stiffness = most_stiffness / give;
        column.diagonal = -1.0 / stiffness;
    }
}

void LiveSystem::factor_small() {
    const std::size_t m = columns_.size();
    for (std::size_t r = 0; r < m; ++r) {
        double* row = &small_[r * m];
        for (std::size_t c = 0; c <= r; ++c) row[c] = coupling(columns_[r], columns_[c]) - row[c];
        for (std::size_t c = 0; c < r; ++c) {
            const double* above = &small_[c * m];
            for (std::size_t k = 0; k < c; ++k) row[c] -= row[k] * above[k];
        }
        for (std::size_t c = 0; c < r; ++c) {
            const double by_diagonal = row[c] / small_[c * m + c];
            row[r] -= row[c] * by_diagonal;
            row[c] = by_diagonal;
        }
    }
}

void LiveSystem::solve_small(Vec3* u) const {
    const std::size_t m = columns_.size();
    for (std::size_t r = 0; r < m; ++r)
        for (std::size_t c = 0; c < r; ++c) u[r] -= small_[r * m + c] * u[c];
    for (std::size_t r = 0; r < m; ++r) u[r] = (1.0 / small_[r * m + r]) * u[r];
    for (std::size_t r = m; r-- > 0;)
        for (std::size_t c = 0; c < r; ++c) u[c] -= small_[r * m + c] * u[r];
}

void LiveSystem::admit(const std::vector<char>& held, std::span<const Grab> grabs,
                       SolveScratch& scratch, Jobs& jobs) {
    std::vector<Column> columns = wanted(held, grabs);
    for (Column& column : columns)
        for (const Column& known : columns_)
            if (known.parts && column.same_as(known)) {
                column.parts = known.parts;
                break;
            }
    columns_.swap(columns);
    grabs_.assign(grabs.begin(), grabs.end());
    for (std::size_t i = 0; i < held.size(); ++i) {
        const bool before = base_->key.held[i];
        cut_[i] = held[i] && (!before || base_->eliminates(i));
        pin_weights[i] = held[i] ? base_->pin_weights[i] : 0.0;
    }
    small_.assign(columns_.size() * columns_.size(), 0.0);
    const auto couple = [&](auto& v) {
        if (columns_.empty()) return;
        if (v.size() < cut_.size()) v = std::remove_reference_t<decltype(v)>(cut_.size());
        if (keeps_columns()) {
            find_columns(scratch, jobs, v);
            couple_columns();
        } else {
            for (Column& column : columns_) column.parts.reset();
            couple_many(scratch, jobs, v);
        }
    };
    VertexArray<Vec3> doubles;
    if (is_float())
        couple(scratch.as_float);
    else
        couple(doubles);
    soften_grabs();
    factor_small();
}

std::vector<CoarseHold> LiveSystem::coarse_holds() const {
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
void LiveSystem::take_off(const V* v, Vec3* u) const {
    for (std::size_t c = 0; c < columns_.size(); ++c)
        entries(columns_[c],
                [&](std::uint32_t vertex, double weight) { u[c] -= weight * widen(v[vertex]); });
}

template <class V>
void LiveSystem::spread(const Vec3* u, VertexArray<V>& v) const {
    std::fill(v.begin(), v.end(), V{});
    for (std::size_t c = 0; c < columns_.size(); ++c)
        entries(columns_[c], [&](std::uint32_t vertex, double weight) {
            put(v[vertex], widen(v[vertex]) - weight * u[c]);
        });
}

template <class V>
void LiveSystem::solve_by_columns(SolveScratch& scratch, Jobs& jobs, Vec3* u, V* v,
                                  const PanelPaths* paths) const {
    solve_forward(*base_, scratch, jobs, v, paths);
    for (std::size_t c = 0; c < columns_.size(); ++c) u[c] -= columns_[c].parts->of(v).seen_in(v);
    solve_small(u);
    for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].parts->of(v).take_off(u[c], v);
    solve_backward(*base_, scratch, jobs, v, paths);
}

template <class V>
void LiveSystem::solve_many(SolveScratch& scratch, Jobs& jobs, Vec3* u, V* v) const {
    const std::size_t n = cut_.size();
    VertexArray<V>& reply = scratch.reply(v);
    if (reply.size() < n) reply = VertexArray<V>(n);
    solve_forward(*base_, scratch, jobs, v, nullptr);
    std::copy(v, v + n, reply.begin());
    solve_backward(*base_, scratch, jobs, reply.data(), paths());
    take_off(reply.data(), u);
    solve_small(u);
    spread(u, reply);
    solve_forward(*base_, scratch, jobs, reply.data(), paths());
    for (std::size_t i = 0; i < n; ++i) put(v[i], widen(v[i]) + widen(reply[i]));
    solve_backward(*base_, scratch, jobs, v, nullptr);
}

template <class V>
void solve_live(const LiveSystem& system, SolveScratch& scratch, Jobs& jobs, V* v,
                const PanelPaths* paths) {
    using Kind = LiveSystem::Kind;
    const std::size_t m = system.columns_.size();
    if (m == 0) return solve(system.base(), scratch, jobs, v, paths);
    if (scratch.unknowns.size() < m) scratch.unknowns.resize(m);
    Vec3* u = scratch.unknowns.data();
    for (std::size_t c = 0; c < m; ++c) {
        const LiveSystem::Column& column = system.columns_[c];
        u[c] = {};
        if (column.kind != Kind::released) continue;
        u[c] = widen(v[column.id]);
        v[column.id] = {};
    }
    if (system.keeps_columns())
        system.solve_by_columns(scratch, jobs, u, v, paths);
    else
        system.solve_many(scratch, jobs, u, v);
    for (std::size_t c = 0; c < m; ++c) {
        const LiveSystem::Column& column = system.columns_[c];
        if (column.kind == Kind::pinned) v[column.id] = {};
        if (column.kind == Kind::released) put(v[column.id], u[c]);
    }
}

void solve(const LiveSystem& system, SolveScratch& scratch, Jobs& jobs, Float4* v,
           const PanelPaths* paths) {
    solve_live(system, scratch, jobs, v, paths);
}

void solve(const LiveSystem& system, SolveScratch& scratch, Jobs& jobs, Vec3* v,
           const PanelPaths* paths) {
    // Portable arithmetic and double panels keep doubles; float panels round on the way.
    if (!system.is_float()) return solve_live(system, scratch, jobs, v, paths);
    Float4* f = scratch.as_float.data();
    const std::size_t n = system.cut().size();
    for (std::size_t i = 0; i < n; ++i)
        f[i] = {static_cast<float>(v[i].x), static_cast<float>(v[i].y), static_cast<float>(v[i].z),
                0.0f};
    solve_live(system, scratch, jobs, f, paths);
    for (std::size_t i = 0; i < n; ++i) v[i] = {f[i].x, f[i].y, f[i].z};
}

} // namespace twang::core
