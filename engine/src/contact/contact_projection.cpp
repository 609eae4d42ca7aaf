#include "contact/contact_projection.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

constexpr double shallow = 1e-3; // of a body's size: what is put outside at the end of a step
// Contacts of a vertex point to several sides: so much of their number share its stiffness.
constexpr double shared_part = 0.5;
constexpr int sweeps = 4; // of Gauss-Seidel

} // namespace

void Contacts::fit(std::size_t n, const Model* model) {
    if (model && moves_.size() != n) {
        points_.fit(*model);
        count_.resize(n);
        reserve(2 * n);
        changes_.reserve(2 * n);
        moves_ = VertexArray<Vec3>(n); // last: then there is room for all
    }
    if (found_.size() == n) return;
    reserve(n);
    has_.resize(n);
    is_touched_.resize(n);
    found_.resize(n); // last: then there is room for all
}

void Contacts::find(const Input& input, const VertexArray<Vec3>& x) {
    input_ = &input;
    std::fill(has_.begin(), has_.end(), char{0});
    search(x, Crossed::maybe);
    if (input.model) points_.find(input, x);
    collect();
    start();
}

bool Contacts::find_missed(const VertexArray<Vec3>& x) {
    search(x, Crossed::deeply);
    const auto found = static_cast<std::size_t>(std::count(has_.begin(), has_.end(), char{1}));
    if (found == at_vertices_) return false;
    search(x, Crossed::at_all);
    for (const Contact& c : std::span(list_).first(at_vertices_)) found_[c.point.vertices[0]] = c;
    collect();
    return true;
}

// Where points share vertices with others, each sees what the others change against the last step:
// by projected Gauss-Seidel. Of a change of friction only what is new is seen.
void Contacts::start() {
    ContactList::start();
    if (list_.size() == at_vertices_) return;
    std::fill(moves_.begin(), moves_.end(), Vec3{}); // by changes
    changes_.assign(list_.size(), Vec3{});
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (std::size_t k = 0; k < list_.size(); ++k) {
            Contact& c = list_[k];
            const Vec3 off = c.y + c.point.at(moves_.data()) - c.anchor;
            c.take_force(c.last.against + c.inertia * off - changes_[k]);
            Vec3 change = (c.lambda - c.last.normal) * c.normal;
            if (c.last.normal == 0.0) change -= c.tau;
            for (int i = 0; i < c.point.count; ++i)
                moves_[c.point.vertices[i]] += (c.mobility[i] / c.inertia) * (change - changes_[k]);
            changes_[k] = change;
        }
}

// Among the vertices that have no contact.
void Contacts::search(const VertexArray<Vec3>& x, Crossed crossed) {
    input_->jobs.ranges(input_->groups.count(), groups_per_job,
                        [&](std::size_t first, std::size_t last) {
                            for (std::size_t group = first; group < last; ++group)
                                search_among(input_->groups[group], x, crossed);
                        });
}

void Contacts::collect() {
    list_.clear();
    for (std::size_t i = 0; i < has_.size(); ++i) {
        if (!has_[i]) continue;
        found_[i].support = support_at(i);
        list_.push_back(found_[i]);
    }
    at_vertices_ = list_.size();
    if (!input_->model || points_.contacts().empty()) return;
    std::copy(has_.begin(), has_.end(), count_.begin());
    const auto each_vertex = [](const Contact& c, auto&& f) { // f(vertex, weight)
        for (int k = 0; k < c.point.count; ++k) f(c.point.vertices[k], c.point.weights[k]);
    };
    for (const Contact& c : points_.contacts())
        each_vertex(c, [&](std::uint32_t i, double) { ++count_[i]; });
    for (const Contact& c : points_.contacts()) {
        double give = 0.0; // m/N
        each_vertex(c, [&](std::uint32_t i, double weight) {
            give += weight * weight * std::max(1.0, shared_part * count_[i]) / support_at(i);
        });
        list_.push_back(c);
        list_.back().support = 1.0 / give;
    }
}

// N/m: of inertia and springs.
double Contacts::support_at(std::size_t vertex) const {
    return input_->weights[vertex] + stiffness_at(input_->springs, vertex);
}

void Contacts::search_among(std::span<const std::uint32_t> vertices, const VertexArray<Vec3>& x,
                            Crossed crossed) {
    const Input& t = *input_;
    const GroupPoints start(vertices, t.arrival.x_n);
    double way[VertexGroups::size] = {}, near[VertexGroups::size] = {}; // m
    char done[VertexGroups::size];
    double farthest = 0.0; // that one of them may get from where it was
    bool all_done = true;
    for (std::size_t k = 0; k < vertices.size(); ++k) {
        const std::uint32_t i = vertices[k];
        way[k] = length(x[i] - t.arrival.x_n[i]);
        // How near something has to be to matter: forces and neighbours may carry it farther than
        // it goes by itself.
        near[k] = crossed == Crossed::maybe ? length(t.y[i] - x[i]) + way[k] : 0.0;
        done[k] = has_[i] || t.held[i];
        const double far = near[k] + way[k];
        if (!(far <= farthest)) farthest = far; // keeps a NaN
        all_done = all_done && done[k];
    }
    if (all_done) return;
    const BoundingSphere bounds = start.bounds();
    Rejection rejection;
    for (const Obstacle& obstacle : t.obstacles) {
        const double carried =
            length(obstacle.ride(bounds.centre)) + obstacle.ride.more_within(bounds.radius);
        const double thickness = obstacle.def.thickness;
        if (!may_reach(bounds, obstacle, thickness + farthest + 2.0 * carried)) continue;
        const double deeply = std::max(thickness, shallow * t.size);
        double reach[VertexGroups::size];
        for (std::size_t k = 0; k < start.count; ++k) {
            reach[k] = crossed == Crossed::deeply ? std::min(near[k], -deeply) : near[k];
            rejection.reach[k] = thickness + reach[k] + way[k] + 2.0 * carried; // see meet
        }
        reject(start, obstacle, rejection);
        for (std::size_t k = 0; k < vertices.size(); ++k) {
            if (rejection.rejects(k) || done[k]) continue;
            const std::uint32_t i = vertices[k];
            Contact contact{};
            if (!meet(obstacle, t.arrival.x_n[i], x[i], reach[k], contact)) continue;
            near[k] = contact.gap(x[i]);
            contact.point = at_vertex(i);
            contact.mobility[0] = 1.0;
            contact.inertia = t.weights[i];
            contact.y = t.y[i];
            contact.last = t.forces[i];
            contact.kinetic_friction = obstacle.def.kinetic_friction;
            contact.static_friction = t.forces[i].normal == 0.0
                                          ? grip(obstacle, t.arrival, i, contact.normal)
                                      : t.forces[i].slides ? obstacle.def.kinetic_friction
                                                           : obstacle.def.friction;
            found_[i] = contact;
            has_[i] = 1;
        }
    }
}

void Contacts::settle(const Vec3* x, double size) {
    ContactList::settle(x, size);
    std::fill(is_touched_.begin(), is_touched_.end(), char{0});
    for_each_touching([&](const Contact& c) {
        for (int k = 0; k < c.point.count; ++k) is_touched_[c.point.vertices[k]] = 1;
    });
}

void Contacts::store(History& history) const {
    std::fill(history.contact.begin(), history.contact.end(), ContactForce{});
    history.points.clear();
    for (std::size_t k = 0; k < list_.size(); ++k) {
        const Contact& c = list_[k];
        const ContactForce force{c.lambda, c.against, c.share, c.slides};
        if (c.lambda == 0.0) continue;
        if (k < at_vertices_)
            history.contact[c.point.vertices[0]] = force;
        else
            history.points.push_back({points_.element(k - at_vertices_), force});
    }
    std::sort(history.points.begin(), history.points.end(),
              [](const PointForce& a, const PointForce& b) { return a.element < b.element; });
}

std::size_t Contacts::touching() const {
    return static_cast<std::size_t>(std::count(is_touched_.begin(), is_touched_.end(), char{1}));
}

} // namespace twang::core
