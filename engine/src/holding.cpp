#include "holding.hpp"

#include <algorithm>

namespace twang::core {

namespace {

// What a correction leaves over is cut off, which costs energy: of the residual's square no more
// than this, or cloth at rest keeps stirring.
constexpr int most_iterations = 30;
constexpr double enough = 1e-5;
constexpr double first_share = 0.1; // of the first correction's residual, if that is more

} // namespace

void Holding::fit(std::size_t n, std::size_t links, bool is_float) {
    if ((is_float ? float_reply_.size() : double_reply_.size()) == n) return;
    place_.assign(n, none);
    vertices_.reserve(n);
    diagonal_.reserve(n);
    first_.reserve(n + 1);
    couplings_.reserve(links);
    for (auto* v : {&residual_, &search_, &precond_}) v->reserve(n);
    paths_.reserve(n);
    sum_ = BlockSum(n);
    if (is_float) float_reply_ = VertexArray<Float4>(n); // last: then there is room for all
    if (!is_float) double_reply_ = VertexArray<Vec3>(n);
}

void Holding::start() {
    for (const std::uint32_t vertex : vertices_) place_[vertex] = none;
    vertices_.clear();
    first_square_ = 0.0;
}

// E^T Q E, and the paths of E's vertices.
void Holding::couple(const Elastic& body, std::span<const Barred> barred) {
    const bool same =
        std::equal(barred.begin(), barred.end(), vertices_.begin(), vertices_.end(),
                   [](const Barred& b, std::uint32_t vertex) { return b.vertex == vertex; });
    if (same) return;
    for (const std::uint32_t vertex : vertices_) place_[vertex] = none;
    vertices_.clear();
    diagonal_.clear();
    first_.clear();
    couplings_.clear();
    const Panels& panels = body.system.base().panels;
    paths_.start(panels);
    for (const Barred& b : barred) {
        place_[b.vertex] = static_cast<std::uint32_t>(vertices_.size());
        vertices_.push_back(b.vertex);
        if (panels.n > 0) paths_.add(panels, b.vertex);
    }
    const Lists<Link>& links = body.springs.links;
    for (const Barred& b : barred) {
        first_.push_back(static_cast<std::uint32_t>(couplings_.size()));
        double diagonal = body.weights[b.vertex];
        for (const Link* l = links.begin(b.vertex); l != links.end(b.vertex); ++l) {
            diagonal += l->stiffness;
            if (const std::uint32_t other = place_[l->other]; other != none)
                couplings_.push_back({other, static_cast<float>(l->stiffness)});
        }
        diagonal_.push_back(diagonal);
    }
    first_.push_back(static_cast<std::uint32_t>(couplings_.size()));
}

// precond := E^T Q E residual.
void Holding::times_q(const Elastic& body, std::span<const Barred> barred) {
    body.jobs.ranges(barred.size(), 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            Vec3 sum = diagonal_[k] * residual_[k];
            for (std::uint32_t c = first_[k]; c < first_[k + 1]; ++c)
                sum -= couplings_[c].stiffness * residual_[couplings_[c].other];
            precond_[k] = barred[k].part(sum);
        }
    });
}

double Holding::residual_square(const Elastic& body) {
    return sum_(body.jobs, residual_.size(),
                [&](std::size_t k) { return dot(residual_[k], precond_[k]); });
}

template <>
VertexArray<Float4>& Holding::reply() {
    return float_reply_;
}
template <>
VertexArray<Vec3>& Holding::reply() {
    return double_reply_;
}

template <class V, class F>
const VertexArray<V>& Holding::respond(const Elastic& body, std::span<const Barred> barred, F&& f,
                                       const PanelPaths* paths) {
    VertexArray<V>& v = reply<V>();
    std::fill(v.begin(), v.end(), V{});
    for (std::size_t k = 0; k < barred.size(); ++k) put(v[barred[k].vertex], f(k));
    solve(body.system, body.solve, body.jobs, v.data(), paths);
    return v;
}

template <class V>
void Holding::hold(const Elastic& body, std::span<Barred> barred, VertexArray<V>& q) {
    couple(body, barred);
    for (auto* v : {&residual_, &search_, &precond_}) v->resize(barred.size());
    for (std::size_t k = 0; k < barred.size(); ++k) {
        Barred& b = barred[k];
        residual_[k] = b.part(b.way - widen(q[b.vertex]));
        b.force = {};
    }
    times_q(body, barred);
    search_ = precond_;
    double square = residual_square(body);
    if (first_square_ == 0.0) first_square_ = square;
    const double last = enough * std::max(square, first_share * first_square_);
    const PanelPaths* paths = body.system.base().panels.n > 0 ? &paths_ : nullptr;
    int iteration = 0;
    for (; iteration < most_iterations && square > last; ++iteration) {
        const VertexArray<V>& reply = respond<V>(
            body, barred, [&](std::size_t k) { return search_[k]; }, paths);
        const double curvature = sum_(body.jobs, barred.size(), [&](std::size_t k) {
            return dot(search_[k], widen(reply[barred[k].vertex]));
        });
        if (!(curvature > 0.0)) break;
        const double alpha = square / curvature;
        for (std::size_t k = 0; k < barred.size(); ++k) {
            residual_[k] -= alpha * barred[k].part(widen(reply[barred[k].vertex]));
            barred[k].force += alpha * search_[k];
        }
        times_q(body, barred);
        const double next = residual_square(body), beta = next / square;
        square = next;
        for (std::size_t k = 0; k < barred.size(); ++k)
            search_[k] = precond_[k] + beta * search_[k];
    }
    if (iteration > 0) {
        const VertexArray<V>& reply = respond<V>(
            body, barred, [&](std::size_t k) { return barred[k].force; }, nullptr);
        body.jobs.ranges(q.size(), 512, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) put(q[i], widen(q[i]) + widen(reply[i]));
        });
    }
    for (const Barred& b : barred) {
        const Vec3 move = widen(q[b.vertex]);
        put(q[b.vertex], move + b.part(b.way - move));
    }
}

template void Holding::hold(const Elastic&, std::span<Barred>, VertexArray<Float4>&);
template void Holding::hold(const Elastic&, std::span<Barred>, VertexArray<Vec3>&);

} // namespace twang::core
