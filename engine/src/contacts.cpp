#include "contacts.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

constexpr double shallow = 1e-3; // of a body's size: what is put outside at the end of a step
constexpr int max_walks = 64;    // along the way of a vertex

// Where a vertex going from `from` to `to` meets an obstacle, seen from the obstacle where it is at
// the end of the step. False when it stays farther than `reach` in front.
bool meet(const Obstacle& obstacle, Vec3 from, Vec3 to, double reach, Contact& contact) {
    if (obstacle.def.penalty > 0.0) return false;
    const double thickness = obstacle.def.thickness;
    const Vec3 start = from + obstacle.ride(from), path = to - start;
    const double way = length(path);
    const Distance before = distance_to(obstacle, start);
    if (before.distance - thickness > way + reach) return false;
    const Distance after = distance_to(obstacle, to);
    Vec3 normal = after.normal, foot = to - (after.distance - thickness) * normal;
    if (before.distance > 0.0 && dot(before.normal, normal) < 0.5) {
        // On another side than before: walk the way in steps no longer than the distance left.
        double t = 0.0;
        Distance here = before;
        for (int i = 0; i < max_walks && t < 1.0 && here.distance - thickness > 1e-6 * way; ++i) {
            t += (here.distance - thickness) / way;
            here = distance_to(obstacle, start + std::min(t, 1.0) * path);
        }
        if (t < 1.0) {
            normal = here.normal;
            foot = start + t * path - (here.distance - thickness) * normal;
        }
    }
    contact.normal = normal;
    contact.offset = dot(normal, foot);
    if (contact.gap(to) > reach) return false;
    contact.rise = obstacle.ride.rise(foot, normal);
    contact.anchor = start - contact.gap(start) * normal;
    return true;
}

} // namespace

double stiffness_at(const SpringSet& springs, std::size_t vertex) {
    double sum = 0.0;
    for (const Link* l = springs.links.begin(vertex); l != springs.links.end(vertex); ++l)
        sum += l->stiffness;
    return sum;
}

void Contacts::fit(std::size_t n) {
    if (found_.size() == n) return;
    reserve(n);
    has_.resize(n);
    found_.resize(n); // last: then there is room for all
}

void Contacts::find(const Input& input, const VertexArray<Vec3>& x) {
    input_ = &input;
    std::fill(has_.begin(), has_.end(), char{0});
    search(x, Crossed::maybe);
    collect();
    start();
}

bool Contacts::find_missed(const VertexArray<Vec3>& x) {
    search(x, Crossed::deeply);
    const auto found = static_cast<std::size_t>(std::count(has_.begin(), has_.end(), char{1}));
    if (found == list_.size()) return false;
    search(x, Crossed::at_all);
    for (const Contact& c : list_) found_[c.point.vertices[0]] = c;
    collect();
    return true;
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
        found_[i].support = input_->weights[i] + stiffness_at(input_->springs, i);
        list_.push_back(found_[i]);
    }
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

void Contacts::store(ContactForce* forces) const {
    for_each_touching([&](const Contact& c) {
        forces[c.point.vertices[0]] = {c.lambda, c.against, c.share, c.slides};
    });
}

std::size_t Contacts::touching() const {
    std::size_t count = 0;
    for_each_touching([&](const Contact&) { ++count; });
    return count;
}

} // namespace twang::core
