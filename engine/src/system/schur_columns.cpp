// Paths in the elimination tree, and products with columns on these paths.
#include "system/schur_columns.hpp"

#include <algorithm>

namespace twang::core {

namespace {

void append(std::vector<PathRun>& runs, int first, int count) {
    const auto begin = static_cast<std::uint32_t>(first), more = static_cast<std::uint32_t>(count);
    if (!runs.empty() && runs.back().first + runs.back().count == begin)
        runs.back().count += more;
    else
        runs.push_back({begin, more});
}

// Returns the parent in the elimination tree of a factor stored by columns; -1 for a root.
int parent_of(const LowerFactor& lower, int column) {
    const int* begin = lower.rows.data() + lower.column_start[column] + 1; // below the diagonal
    const int* end = lower.rows.data() + lower.column_start[column + 1];
    return begin == end ? -1 : *std::min_element(begin, end);
}

// Multiplies by D on a run of whole supernodes. In a factor stored by columns, D is 1.
void multiply_diagonal(const System& system, PathRun run, const double* v, double* out) {
    const Panels& panels = system.panels;
    if (panels.n == 0) {
        std::copy_n(v, run.count, out);
        return;
    }
    for (std::uint32_t done = 0; done < run.count;) {
        const Supernode& node = panels.supernodes[panels.supernode_of[run.first + done]];
        multiply_diagonal(panels, node, v + done, out + done);
        done += static_cast<std::uint32_t>(node.width);
    }
}

// a := a + s b. For Float4 with w as well, so that one vector operation does all four.
void add_scaled(Float4& a, float s, const Float4& b) {
    a.x += s * b.x, a.y += s * b.y, a.z += s * b.z, a.w += s * b.w;
}
void add_scaled(Vec3& a, double s, const Vec3& b) { a += s * b; }

} // namespace

std::vector<PathRun> path_runs(const System& system, std::span<const std::uint32_t> from) {
    std::vector<PathRun> runs;
    if (const Panels& panels = system.panels; panels.n > 0) {
        PanelPaths paths;
        paths.start(panels);
        for (const std::uint32_t vertex : from) paths.add(panels, vertex);
        for (std::size_t s = 0; s < panels.supernodes.size(); ++s)
            if (paths.visit(static_cast<int>(s)))
                append(runs, panels.supernodes[s].first, panels.supernodes[s].width);
        return runs;
    }
    std::vector<char> on(system.lower.n, 0);
    for (const std::uint32_t vertex : from)
        for (int i = static_cast<int>(vertex); i >= 0 && !on[i]; i = parent_of(system.lower, i))
            on[i] = 1;
    for (int i = 0; i < system.lower.n; ++i)
        if (on[i]) append(runs, i, 1);
    return runs;
}

template <class V>
SchurColumn<V>::SchurColumn(const System& system, std::vector<PathRun> runs, const V* v, int axis)
    : runs_(std::move(runs)) {
    std::vector<double> forward, scaled;
    for (const PathRun& run : runs_) {
        forward.clear();
        scaled.resize(run.count);
        for (std::uint32_t i = 0; i < run.count; ++i)
            forward.push_back((&v[run.first + i].x)[axis]);
        multiply_diagonal(system, run, forward.data(), scaled.data());
        for (const double value : forward) forward_.push_back(static_cast<Real>(value));
        for (const double value : scaled) scaled_.push_back(static_cast<Real>(value));
    }
}

template <class V>
Vec3 SchurColumn<V>::dot_with(const V* v) const {
    V sum[4] = {}; // independent sums, so that additions need not wait for each other
    const Real* weight = scaled_.data();
    for (const PathRun& run : runs_) {
        const V* at = v + run.first;
        const std::uint32_t fours = run.count / 4 * 4;
        for (std::uint32_t i = 0; i < fours; i += 4)
            for (int k = 0; k < 4; ++k) add_scaled(sum[k], weight[i + k], at[i + k]);
        for (std::uint32_t i = fours; i < run.count; ++i) add_scaled(sum[0], weight[i], at[i]);
        weight += run.count;
    }
    return (widen(sum[0]) + widen(sum[1])) + (widen(sum[2]) + widen(sum[3]));
}

template <class V>
void SchurColumn<V>::apply_transpose(Vec3 u, V* v) const {
    V minus{};
    put(minus, -u);
    const Real* value = forward_.data();
    for (const PathRun& run : runs_) {
        V* at = v + run.first;
        for (std::uint32_t i = 0; i < run.count; ++i) add_scaled(at[i], value[i], minus);
        value += run.count;
    }
}

template <class V>
double SchurColumn<V>::coupling(const SchurColumn& other) const {
    double sum[4] = {};
    std::size_t own_index = 0, other_index = 0; // index of the current run's first value
    for (auto a = runs_.begin(), b = other.runs_.begin();
         a != runs_.end() && b != other.runs_.end();) {
        const std::uint32_t begin = std::max(a->first, b->first);
        const std::uint32_t end = std::min(a->first + a->count, b->first + b->count);
        if (begin < end) {
            const Real* f = forward_.data() + own_index + (begin - a->first);
            const Real* w = other.scaled_.data() + other_index + (begin - b->first);
            const std::uint32_t count = end - begin, fours = count / 4 * 4;
            for (std::uint32_t i = 0; i < fours; i += 4)
                for (int k = 0; k < 4; ++k) sum[k] += double{f[i + k]} * w[i + k];
            for (std::uint32_t i = fours; i < count; ++i) sum[0] += double{f[i]} * w[i];
        }
        if (a->first + a->count == end)
            own_index += (a++)->count;
        else
            other_index += (b++)->count;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

template class SchurColumn<Float4>;
template class SchurColumn<Vec3>;

} // namespace twang::core
