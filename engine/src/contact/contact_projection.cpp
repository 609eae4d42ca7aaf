// Search for the contacts of vertices, their first multipliers, and the forces kept for the next
// step.
#include "contact/contact_projection.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

// Fraction of a body's size: collide() projects shallower vertices.
constexpr double missed_depth_tolerance = 1e-3;
// Fraction of the number of contacts at a vertex that share its stiffness: contacts point to
// several sides.
constexpr double shared_fraction = 0.5;
constexpr int gauss_seidel_sweeps = 4; // in start()

} // namespace

void Contacts::fit(std::size_t n, const Model* model) {
    if (model && displacements_.size() != n) {
        points_.fit(*model);
        contact_count_.resize(n);
        reserve(2 * n);
        force_changes_.reserve(2 * n);
        displacements_ = VertexArray<Vec3>(n); // last: its size shows that all have room
    }
    if (found_.size() == n) return;
    reserve(n);
    has_contact_.resize(n);
    is_touched_.resize(n);
    found_.resize(n); // last: its size shows that all have room
}

void Contacts::find(const Input& input, const VertexArray<Vec3>& x) {
    input_ = &input;
    std::fill(has_contact_.begin(), has_contact_.end(), char{0});
    search(x, Penetration::possible);
    if (input.model) points_.find(input, x);
    collect();
    start();
}

bool Contacts::find_missed(const VertexArray<Vec3>& x) {
    search(x, Penetration::deep);
    const auto found =
        static_cast<std::size_t>(std::count(has_contact_.begin(), has_contact_.end(), char{1}));
    if (found == vertex_contacts_) return false;
    search(x, Penetration::any);
    for (const Contact& c : std::span(list_).first(vertex_contacts_))
        found_[c.point.vertices[0]] = c;
    collect();
    return true;
}

// Contacts may share vertices, so each contact accounts for the force changes of all other contacts
// since the last step, by projected Gauss-Seidel. Changes of friction count for new contacts only.
void Contacts::start() {
    ContactList::start();
    if (list_.size() == vertex_contacts_) return;
    // Displacements in m that the force changes cause.
    std::fill(displacements_.begin(), displacements_.end(), Vec3{});
    force_changes_.assign(list_.size(), Vec3{});
    for (int sweep = 0; sweep < gauss_seidel_sweeps; ++sweep)
        for (std::size_t k = 0; k < list_.size(); ++k) {
            Contact& c = list_[k];
            const Vec3 off = c.y + c.point.at(displacements_.data()) - c.anchor;
            c.take_force(c.last.against + c.inertia * off - force_changes_[k]);
            Vec3 change = (c.lambda - c.last.normal) * c.normal;
            if (c.last.normal == 0.0) change -= c.tau;
            for (int i = 0; i < c.point.count; ++i)
                displacements_[c.point.vertices[i]] +=
                    (c.mobility[i] / c.inertia) * (change - force_changes_[k]);
            force_changes_[k] = change;
        }
}

// Searches the vertices that have no contact yet.
void Contacts::search(const VertexArray<Vec3>& x, Penetration penetration) {
    input_->jobs.ranges(input_->groups.count(), groups_per_job,
                        [&](std::size_t first, std::size_t last) {
                            for (std::size_t group = first; group < last; ++group)
                                search_among(input_->groups[group], x, penetration);
                        });
}

void Contacts::collect() {
    list_.clear();
    for (std::size_t i = 0; i < has_contact_.size(); ++i) {
        if (!has_contact_[i]) continue;
        found_[i].support = support_at(i);
        list_.push_back(found_[i]);
    }
    vertex_contacts_ = list_.size();
    if (!input_->model || points_.contacts().empty()) return;
    std::copy(has_contact_.begin(), has_contact_.end(), contact_count_.begin());
    const auto each_vertex = [](const Contact& c, auto&& f) { // f(vertex, weight)
        for (int k = 0; k < c.point.count; ++k) f(c.point.vertices[k], c.point.weights[k]);
    };
    for (const Contact& c : points_.contacts())
        each_vertex(c, [&](std::uint32_t i, double) { ++contact_count_[i]; });
    for (const Contact& c : points_.contacts()) {
        double compliance = 0.0; // m/N
        each_vertex(c, [&](std::uint32_t i, double weight) {
            compliance += weight * weight * std::max(1.0, shared_fraction * contact_count_[i]) /
                          support_at(i);
        });
        list_.push_back(c);
        list_.back().support = 1.0 / compliance;
    }
}

// N/m: stiffness of inertia and springs at a vertex.
double Contacts::support_at(std::size_t vertex) const {
    return input_->weights[vertex] + stiffness_at(input_->springs, vertex);
}

void Contacts::search_among(std::span<const std::uint32_t> vertices, const VertexArray<Vec3>& x,
                            Penetration penetration) {
    const Input& input = *input_;
    const GroupPoints start(vertices, input.previous_motion.x_n);
    double path_length[VertexGroups::size] = {}, max_gap[VertexGroups::size] = {}; // m
    char done[VertexGroups::size];
    double farthest = 0.0; // m: bound on the distance of a vertex from its start
    bool all_done = true;
    for (std::size_t k = 0; k < vertices.size(); ++k) {
        const std::uint32_t i = vertices[k];
        path_length[k] = length(x[i] - input.previous_motion.x_n[i]);
        // The largest gap that matters: forces and neighbours may carry a vertex farther than its
        // own path.
        max_gap[k] =
            penetration == Penetration::possible ? length(input.y[i] - x[i]) + path_length[k] : 0.0;
        done[k] = has_contact_[i] || input.held[i];
        const double far = max_gap[k] + path_length[k];
        if (!(far <= farthest)) farthest = far; // keeps a NaN
        all_done = all_done && done[k];
    }
    if (all_done) return;
    const BoundingSphere bounds = start.bounds();
    Rejection rejection;
    for (const Obstacle& obstacle : input.obstacles) {
        const double carried = length(obstacle.ride(bounds.centre)) +
                               obstacle.ride.extra_displacement_bound(bounds.radius);
        const double thickness = obstacle.def.thickness;
        if (!may_reach(bounds, obstacle, thickness + farthest + 2.0 * carried)) continue;
        const double min_depth = std::max(thickness, missed_depth_tolerance * input.size);
        double reach[VertexGroups::size];
        for (std::size_t k = 0; k < start.count; ++k) {
            reach[k] =
                penetration == Penetration::deep ? std::min(max_gap[k], -min_depth) : max_gap[k];
            // The bound of meet(), and the motion of the obstacle.
            rejection.reach[k] = thickness + reach[k] + path_length[k] + 2.0 * carried;
        }
        reject(start, obstacle, rejection);
        for (std::size_t k = 0; k < vertices.size(); ++k) {
            if (rejection.rejects(k) || done[k]) continue;
            const std::uint32_t i = vertices[k];
            Contact contact{};
            if (!meet(obstacle, input.previous_motion.x_n[i], x[i], reach[k], contact)) continue;
            max_gap[k] = contact.gap(x[i]);
            contact.point = at_vertex(i);
            contact.mobility[0] = 1.0;
            contact.inertia = input.weights[i];
            contact.y = input.y[i];
            contact.last = input.forces[i];
            contact.kinetic_friction = obstacle.def.kinetic_friction;
            contact.static_friction =
                input.forces[i].normal == 0.0
                    ? friction_coefficient(obstacle, input.previous_motion, i, contact.normal)
                : input.forces[i].slides ? obstacle.def.kinetic_friction
                                         : obstacle.def.friction;
            found_[i] = contact;
            has_contact_[i] = 1;
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
        if (k < vertex_contacts_)
            history.contact[c.point.vertices[0]] = force;
        else
            history.points.push_back({points_.element(k - vertex_contacts_), force});
    }
    std::sort(history.points.begin(), history.points.end(),
              [](const PointForce& a, const PointForce& b) { return a.element < b.element; });
}

std::size_t Contacts::touching() const {
    return static_cast<std::size_t>(std::count(is_touched_.begin(), is_touched_.end(), char{1}));
}

} // namespace twang::core
