// Forces, potentials and Hessians of contacts, and their multipliers and stiffness from step to
// step.
#include "contact/contact.hpp"

#include <cmath>

namespace twang::core {

namespace {

// beta of new contacts, and its bounds. Stiffer contacts exceed the stiffness in Q by so much that
// corrections overshoot; softer contacts let a body in deeper at impacts. So beta doubles from step
// to step while a point is deeper than penetration_tolerance times the body's size, and decays
// after.
constexpr double initial_share = 0.05, min_share = 0.02, max_share = 0.1;
constexpr double penetration_tolerance = 5e-4, share_decay = 0.9;

} // namespace

void ContactList::reserve(std::size_t contacts) {
    list_.reserve(contacts);
    constraints_.reserve(contacts);
}

void Contact::begin() {
    const bool lasts = last.normal > 0.0;
    // A contact that only static friction can hold must begin at its anchor: once the point slides,
    // kinetic friction does not bring the point back.
    stuck = static_friction > kinetic_friction || (lasts && !last.slides);
    share = last.share > 0.0 ? last.share : initial_share;
    stiffness = share * support;
}

void Contact::take_force(Vec3 wanted) {
    const double along = dot(wanted, normal);
    lambda = std::max(0.0, -along);
    tau = wanted - along * normal;
    slides = length(tau) > static_friction * lambda;
    friction_limit = friction() * lambda;
    if (slides) tau = (friction_limit / length(tau)) * tau;
}

// Sets the forces that would keep each point at its anchor, with springs that pull as in the last
// step.
void ContactList::start() {
    for (Contact& c : list_) {
        c.begin();
        c.take_force(c.last.against + c.inertia * (c.y - c.anchor));
    }
}

void ContactList::push(const Contact& c, double distance, Vec3* x) {
    for (int k = 0; k < c.point.count; ++k)
        x[c.point.vertices[k]] += (distance * c.mobility[k]) * c.normal;
}

void ContactList::place(Vec3* x) const {
    for (const Contact& c : list_) {
        const Vec3 p = c.point.at(x);
        if (c.stuck && !c.slides && c.normal_force(p) > 0.0) {
            if (c.point.count == 1 && c.point.weights[0] == 1.0) {
                x[c.point.vertices[0]] = c.anchor;
                continue;
            }
            for (int k = 0; k < c.point.count; ++k)
                x[c.point.vertices[k]] += c.mobility[k] * (c.anchor - p);
        } else if (const double depth = c.gap(p); depth < 0.0) {
            push(c, -depth, x);
        }
    }
}

template <class V>
double ContactList::update_friction_limits(const Vec3* x, V* gradient) {
    double change = 0.0;
    for (Contact& c : list_) {
        const Vec3 p = c.point.at(x);
        if (c.friction_limit == 0.0 && c.normal_force(p) == 0.0) continue; // not touching
        const Vec3 force = c.friction_force(p);
        const double energy = c.friction_energy(p);
        c.apply_coulomb(p);
        change += c.friction_energy(p) - energy;
        c.point.add(c.friction_force(p), gradient, force);
    }
    return change;
}

template <class V>
double ContactList::add_gradient(const Vec3* x, V* gradient) const {
    double sum = 0.0;
    for (const Contact& c : list_) {
        const Vec3 p = c.point.at(x);
        if (c.friction_limit == 0.0 && c.normal_force(p) == 0.0) continue; // not touching
        sum += c.energy(p);
        c.point.add(c.gradient(p), gradient);
    }
    return sum;
}

double ContactList::energy(const Vec3* x) const {
    double sum = 0.0;
    for (const Contact& c : list_) sum += c.energy(c.point.at(x));
    return sum;
}

// The Hessian of the normal potential is kappa n n^T where the contact pushes. The Hessian of
// friction is kappa (I - n n^T) where the contact sticks. Where the contact slides, the Hessian of
// friction loses the direction of t and is scaled by mu f / |t|, as t itself.
void ContactList::linearise(const Vec3* x) {
    for (Contact& c : list_) {
        const Vec3 p = c.point.at(x), t = c.sticking_force(p), n = c.normal;
        const double size = length(t), pushes = c.normal_force(p) > 0.0 ? c.stiffness : 0.0;
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
double ContactList::add_hessian_product(const V* p, V* result) const {
    double product = 0.0;
    for (const Contact& c : list_) {
        const Vec3 move = c.point.at(p), pull = c.curvature * move;
        product += dot(move, pull);
        c.point.add(pull, result);
    }
    return product;
}

std::span<const CoarseConstraint> ContactList::constraints() {
    constraints_.clear();
    for (const Contact& c : list_)
        if (c.curvature.xx + c.curvature.yy + c.curvature.zz > 0.0)
            constraints_.push_back({c.point, c.curvature});
    return constraints_;
}

void ContactList::settle(const Vec3* x, double size) {
    for (Contact& c : list_) {
        const Vec3 p = c.point.at(x);
        c.apply_coulomb(p);
        c.tau = c.friction_force(p);
        c.lambda = c.normal_force(p);
        c.against = c.tau - c.lambda * c.normal + c.inertia * (p - c.y);
        const double change = c.gap(p) < -penetration_tolerance * size ? 2.0 : share_decay;
        c.share = std::clamp(change * c.share, min_share, max_share);
    }
}

void ContactList::clamp(Vec3* x) const {
    for (const Contact& c : list_)
        if (const double depth = c.gap(c.point.at(x)); depth < 0.0) push(c, -depth, x);
}

void ContactList::limit_separation_velocity(double h, Vec3* velocity) const {
    for (const Contact& c : list_) {
        if (c.lambda == 0.0) continue;
        const double leaving = dot(c.point.at(velocity), c.normal) - c.rise / h;
        if (leaving > 0.0) push(c, -leaving, velocity);
    }
}

template double ContactList::update_friction_limits(const Vec3*, Float4*);
template double ContactList::update_friction_limits(const Vec3*, Vec3*);
template double ContactList::add_gradient(const Vec3*, Float4*) const;
template double ContactList::add_gradient(const Vec3*, Vec3*) const;
template double ContactList::add_hessian_product(const Float4*, Float4*) const;
template double ContactList::add_hessian_product(const Vec3*, Vec3*) const;

} // namespace twang::core
