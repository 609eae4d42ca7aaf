#include "contacts.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

// beta of new contacts, and between which it stays. Stiffer ones exceed what Q knows by so much
// that corrections overshoot, softer ones let a body in deeper at impacts. So beta doubles from
// step to step while a vertex is deeper than a share of the body's size, and decays after.
constexpr double new_share = 0.05, least_share = 0.02, greatest_share = 0.1;
constexpr double deep = 5e-4, decay_of_share = 0.9;
constexpr double shallow = 1e-3; // of a body's size: what is put outside at the end of a step
constexpr int max_walks = 64;    // along the way of a vertex

double stiffness_at(const SpringSet& springs, std::size_t vertex) {
    double sum = 0.0;
    for (const Link* l = springs.links.begin(vertex); l != springs.links.end(vertex); ++l)
        sum += l->stiffness;
    return sum;
}

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

void Contacts::fit(std::size_t n) {
    if (found_.size() == n) return;
    list_.reserve(n);
    constraints_.reserve(n);
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
    for (const Contact& c : list_) found_[c.vertex] = c;
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
    for (std::size_t i = 0; i < has_.size(); ++i)
        if (has_[i]) list_.push_back(found_[i]);
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
            contact.vertex = i;
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

// The forces that would keep the vertex where it sticks, springs pulling as in the last step.
void Contacts::start() {
    for (Contact& c : list_) {
        const ContactForce& last = input_->forces[c.vertex];
        const double w = input_->weights[c.vertex];
        const bool lasts = last.normal > 0.0;
        // What only static friction holds must begin where it is held: once it slides, kinetic
        // friction does not bring it back.
        c.stuck = c.static_friction > c.kinetic_friction || (lasts && !last.slides);
        c.share = lasts ? last.share : new_share;
        c.stiffness = c.share * (w + stiffness_at(input_->springs, c.vertex));
        const Vec3 wanted = last.against + w * (input_->y[c.vertex] - c.anchor);
        const double along = dot(wanted, c.normal);
        c.lambda = std::max(0.0, -along);
        c.tau = wanted - along * c.normal;
        c.slides = length(c.tau) > c.static_friction * c.lambda;
        c.friction_limit = c.friction() * c.lambda;
        if (c.slides) c.tau = (c.friction_limit / length(c.tau)) * c.tau;
    }
}

template <class V>
double Contacts::update_friction_limits(const Vec3* x, V* gradient) {
    double change = 0.0;
    for (Contact& c : list_) {
        const Vec3 at = x[c.vertex], force = c.friction_force(at);
        const double energy = c.friction_energy(at);
        c.apply_coulomb(at);
        change += c.friction_energy(at) - energy;
        put(gradient[c.vertex], widen(gradient[c.vertex]) + c.friction_force(at) - force);
    }
    return change;
}

template <class V>
double Contacts::add_gradient(const Vec3* x, V* gradient) const {
    double sum = 0.0;
    for (const Contact& c : list_) {
        const Vec3 at = x[c.vertex];
        sum += c.energy(at);
        put(gradient[c.vertex], widen(gradient[c.vertex]) + c.gradient(at));
    }
    return sum;
}

double Contacts::energy(const Vec3* x) const {
    double sum = 0.0;
    for (const Contact& c : list_) sum += c.energy(x[c.vertex]);
    return sum;
}

// Of the normal potential kappa n n^T where it pushes. Of friction kappa (I - n n^T) where it
// sticks; where it slides the same without the direction of t, by as much less as t was cut.
void Contacts::linearise(const Vec3* x) {
    for (Contact& c : list_) {
        const Vec3 at = x[c.vertex], t = c.sticking_force(at), n = c.normal;
        const double size = length(t), pushes = c.normal_force(at) > 0.0 ? c.stiffness : 0.0;
        const bool sticks = size < c.friction_limit;
        const double across = sticks       ? c.stiffness
                              : size > 0.0 ? c.stiffness * c.friction_limit / size
                                           : 0.0;
        const double along = sticks || size == 0.0 ? 0.0 : across / (size * size);
        const double normal = pushes - across;
        c.curvature = {across + normal * n.x * n.x - along * t.x * t.x,
                       normal * n.x * n.y - along * t.x * t.y,
                       normal * n.x * n.z - along * t.x * t.z,
                       across + normal * n.y * n.y - along * t.y * t.y,
                       normal * n.y * n.z - along * t.y * t.z,
                       across + normal * n.z * n.z - along * t.z * t.z};
    }
}

template <class V>
double Contacts::add_hessian_product(const V* p, V* result) const {
    double product = 0.0;
    for (const Contact& c : list_) {
        const Vec3 move = widen(p[c.vertex]), pull = c.curvature * move;
        product += dot(move, pull);
        put(result[c.vertex], widen(result[c.vertex]) + pull);
    }
    return product;
}

std::span<const CoarseConstraint> Contacts::constraints() {
    constraints_.clear();
    for (const Contact& c : list_)
        if (c.curvature.xx + c.curvature.yy + c.curvature.zz > 0.0)
            constraints_.push_back({c.vertex, c.curvature});
    return constraints_;
}

void Contacts::settle(const Vec3* x) {
    for (Contact& c : list_) {
        const Vec3 at = x[c.vertex];
        c.apply_coulomb(at);
        c.tau = c.friction_force(at);
        c.lambda = c.normal_force(at);
        c.against =
            c.tau - c.lambda * c.normal + input_->weights[c.vertex] * (at - input_->y[c.vertex]);
        const double change = c.gap(at) < -deep * input_->size ? 2.0 : decay_of_share;
        c.share = std::clamp(change * c.share, least_share, greatest_share);
    }
}

void Contacts::store(ContactForce* forces) const {
    for (const Contact& c : list_)
        if (c.lambda > 0.0) forces[c.vertex] = {c.lambda, c.against, c.share, c.slides};
}

std::size_t Contacts::touching() const {
    return static_cast<std::size_t>(
        std::count_if(list_.begin(), list_.end(), [](const Contact& c) { return c.lambda > 0.0; }));
}

void Contacts::place(VertexArray<Vec3>& x) const {
    for (const Contact& c : list_) {
        Vec3& at = x[c.vertex];
        const bool sticks = c.stuck && !c.slides && c.normal_force(at) > 0.0;
        at = sticks ? c.anchor : c.in_front(at);
    }
}

void Contacts::clamp(VertexArray<Vec3>& x) const {
    for (const Contact& c : list_) x[c.vertex] = c.in_front(x[c.vertex]);
}

void Contacts::limit_separation_velocity(double h, VertexArray<Vec3>& velocity) const {
    for (const Contact& c : list_) {
        if (c.lambda == 0.0) continue;
        const double leaving = dot(velocity[c.vertex], c.normal) - c.rise / h;
        if (leaving > 0.0) velocity[c.vertex] -= leaving * c.normal;
    }
}

template double Contacts::update_friction_limits(const Vec3*, Float4*);
template double Contacts::update_friction_limits(const Vec3*, Vec3*);
template double Contacts::add_gradient(const Vec3*, Float4*) const;
template double Contacts::add_gradient(const Vec3*, Vec3*) const;
template double Contacts::add_hessian_product(const Float4*, Float4*) const;
template double Contacts::add_hessian_product(const Vec3*, Vec3*) const;

} // namespace twang::core
