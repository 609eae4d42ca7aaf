// Groups of bodies by union-find, contacts from pairs of spheres, and the forces of pairs from step
// to step; see body_contact.hpp.
#include "solver/body_contact.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

// Contacts per sphere on average, at most; further pairs are ignored.
constexpr std::size_t max_mean_contacts = 6;
// The contacts of a vertex point in several directions, so each gets the stiffness of the vertex
// divided by this fraction of their number.
constexpr double shared_fraction = 0.5;
constexpr int gauss_seidel_sweeps = 8;
// The overlap that a step removes; a fraction of the sum of two radii.
constexpr double released_fraction = 0.02;

} // namespace

void PairList::reserve(std::size_t contacts) {
    ContactList::reserve(contacts);
    forces_.reserve(contacts);
}

void PairList::clear() {
    ContactList::clear();
    forces_.clear();
}

void PairList::add(const Contact& contact, const PairForce& last) {
    list_.push_back(contact);
    forces_.push_back(last);
}

// mobility / inertia is the compliance of a vertex, times its weight in the point, in m/N.
void PairList::move(const Contact& c, Vec3 force, Vec3* moves) {
    for (int k = 0; k < c.point.count; ++k)
        moves[c.point.vertices[k]] += (c.mobility[k] / c.inertia) * force;
}

void PairList::clear_moves(Vec3* moves) const {
    for (const Contact& c : list_)
        for (int k = 0; k < c.point.count; ++k) moves[c.point.vertices[k]] = {};
}

void PairList::start(double square, Vec3* moves) {
    clear_moves(moves);
    for (std::size_t k = 0; k < list_.size(); ++k) {
        Contact& c = list_[k];
        c.begin();
        c.lambda = forces_[k].normal;
        c.tau = forces_[k].friction - dot(forces_[k].friction, c.normal) * c.normal;
        move(c, c.lambda * c.normal - c.tau, moves);
    }
    for (int sweep = 0; sweep < gauss_seidel_sweeps; ++sweep)
        for (std::size_t k = 0; k < list_.size(); ++k) {
            Contact& c = list_[k];
            const Vec3 off = c.y + square * forces_[k].pull + c.point.at(moves) - c.anchor;
            const Vec3 old = c.lambda * c.normal - c.tau;
            c.take_force(c.inertia * off - old);
            move(c, c.lambda * c.normal - c.tau - old, moves);
        }
}

void PairList::settle(const Vec3* x, double size, double square, Vec3* moves) {
    ContactList::settle(x, size);
    clear_moves(moves);
    for (const Contact& c : list_) move(c, c.lambda * c.normal - c.tau, moves);
    for (std::size_t k = 0; k < list_.size(); ++k) {
        const Contact& c = list_[k];
        const Vec3 pull = c.point.at(x) - c.y - c.point.at(moves);
        forces_[k] = {forces_[k].pair,
                      c.lambda,
                      c.tau,
                      (1.0 / square) * pull,
                      c.slides,
                      c.point.count == 2,
                      forces_[k].separates_slowly};
    }
}

void BodyContacts::reserve(std::size_t spheres, std::size_t bodies) {
    vertex_spheres_.reserve(spheres);
    bodies_.reserve(bodies);
    roots_.reserve(bodies);
    members_.reserve(bodies);
    groups_.reserve(bodies);
    pair_start_.reserve(bodies + 1);
    force_start_.reserve(spheres + 1);
    if (max_mean_contacts * spheres <= forces_.capacity() && contact_count_.capacity() >= spheres)
        return;
    contact_count_.reserve(spheres);
    touched_.reserve(spheres);
    for (auto* order : {&pair_order_, &force_order_}) order->reserve(max_mean_contacts * spheres);
    next_forces_.reserve(max_mean_contacts * spheres);
    forces_.reserve(max_mean_contacts * spheres);
}

void BodyContacts::clear() {
    bodies_.clear();
    vertex_spheres_.clear();
    groups_.clear();
    members_.clear();
    pairs_ = {};
    next_forces_.clear();
}

void BodyContacts::add(const InPlay& body) {
    vertex_spheres_.add(body.spheres);
    bodies_.push_back(body);
}

std::span<const std::uint32_t> BodyContacts::members(std::size_t group) const {
    return {members_.data() + groups_[group].begin, groups_[group].end - groups_[group].begin};
}

std::uint32_t BodyContacts::minimiser(std::uint32_t a, std::uint32_t b) const {
    const bool can_a = bodies_[a].context, can_b = bodies_[b].context;
    if (can_a && (can_b || !bodies_[b].moves)) return a;
    return can_b && !bodies_[a].moves ? b : none;
}

std::uint32_t BodyContacts::root(std::uint32_t body) {
    while (roots_[body] != body) body = roots_[body] = roots_[roots_[body]];
    return body;
}

void BodyContacts::find(Jobs& jobs) {
    const std::span<const NearPair> all = vertex_spheres_.find(jobs);
    pairs_ = all.first(std::min(all.size(), max_mean_contacts * vertex_spheres_.spheres().size()));
    index_forces();
    make_groups();
    sort_pairs();
    const std::span<const VertexSphere> spheres = vertex_spheres_.spheres();
    contact_count_.assign(spheres.size(), 0);
    touched_.assign(spheres.size(), 0);
    for (const std::uint32_t k : pair_order_) {
        touched_[pairs_[k].a] = touched_[pairs_[k].b] = 1;
        const VertexSphere &a = spheres[pairs_[k].a], &b = spheres[pairs_[k].b];
        if (dot(a.to - b.to, pairs_[k].side) > a.radius + b.radius) continue;
        ++contact_count_[pairs_[k].a];
        ++contact_count_[pairs_[k].b];
    }
}

void BodyContacts::make_groups() {
    roots_.clear();
    for (std::uint32_t k = 0; k < bodies_.size(); ++k) roots_.push_back(k);
    const std::span<const VertexSphere> spheres = vertex_spheres_.spheres();
    for (const NearPair& pair : pairs_) {
        const std::uint32_t owner = minimiser(pair);
        if (owner == none) continue;
        bodies_[owner].group = 0; // provisional: the body has a contact
        const std::uint32_t a = spheres[pair.a].body, b = spheres[pair.b].body;
        if (!bodies_[a].context || !bodies_[b].context) continue;
        bodies_[a].group = bodies_[b].group = 0;
        const std::uint32_t root_a = root(a), root_b = root(b);
        roots_[std::max(root_a, root_b)] = std::min(root_a, root_b);
    }
    for (std::uint32_t first = 0; first < bodies_.size(); ++first) {
        if (bodies_[first].group == none || root(first) != first) continue;
        const std::size_t begin = members_.size();
        std::size_t places = 0;
        for (std::uint32_t k = first; k < bodies_.size(); ++k) {
            if (bodies_[k].group == none || root(k) != first) continue;
            bodies_[k].group = static_cast<std::uint32_t>(groups_.size());
            bodies_[k].first = places;
            places += joint_size(bodies_[k].context->work.x.size());
            members_.push_back(k);
        }
        groups_.push_back({begin, members_.size()});
    }
}

void BodyContacts::sort_pairs() {
    pair_start_.assign(groups_.size() + 1, 0);
    const auto group_of = [&](const NearPair& pair) {
        const std::uint32_t owner = minimiser(pair);
        return owner == none ? none : bodies_[owner].group;
    };
    for (const NearPair& pair : pairs_)
        if (const std::uint32_t group = group_of(pair); group != none) ++pair_start_[group + 1];
    for (std::size_t g = 0; g < groups_.size(); ++g) pair_start_[g + 1] += pair_start_[g];
    pair_order_.resize(pair_start_.back());
    for (std::size_t k = pairs_.size(); k-- > 0;) // backwards, so that each range stays in order
        if (const std::uint32_t group = group_of(pairs_[k]); group != none)
            pair_order_[--pair_start_[group + 1]] = static_cast<std::uint32_t>(k);
    for (std::size_t g = 0; g < groups_.size(); ++g) pair_start_[g] = pair_start_[g + 1];
    pair_start_.back() = static_cast<std::uint32_t>(pair_order_.size());
}

// Sorts forces_ by the first sphere of the pair.
void BodyContacts::index_forces() {
    std::uint32_t slots = 0;
    for (const InPlay& body : bodies_) slots = std::max(slots, body.slot + 1);
    body_in_slot_.assign(slots, none);
    for (std::uint32_t k = 0; k < bodies_.size(); ++k) body_in_slot_[bodies_[k].slot] = k;
    const auto sphere_of = [&](const PairForce& f) -> std::uint32_t {
        const std::uint32_t k = f.pair.body_a < slots ? body_in_slot_[f.pair.body_a] : none;
        return k == none ? none : vertex_spheres_.first_sphere(k) + f.pair.a;
    };
    force_start_.assign(vertex_spheres_.spheres().size() + 1, 0);
    for (const PairForce& f : forces_)
        if (const std::uint32_t sphere = sphere_of(f); sphere != none) ++force_start_[sphere + 1];
    for (std::size_t i = 1; i < force_start_.size(); ++i) force_start_[i] += force_start_[i - 1];
    force_order_.resize(force_start_.back());
    for (std::size_t k = 0; k < forces_.size(); ++k)
        if (const std::uint32_t sphere = sphere_of(forces_[k]); sphere != none)
            force_order_[--force_start_[sphere + 1]] = static_cast<std::uint32_t>(k);
    for (std::size_t i = 0; i + 1 < force_start_.size(); ++i) force_start_[i] = force_start_[i + 1];
    force_start_.back() = static_cast<std::uint32_t>(force_order_.size());
}

PairForce BodyContacts::last_force(std::uint32_t sphere_a, const VertexPair& pair) const {
    for (std::uint32_t k = force_start_[sphere_a]; k < force_start_[sphere_a + 1]; ++k)
        if (const PairForce& f = forces_[force_order_[k]]; f.pair == pair) return f;
    return {pair, 0.0, {}, {}, false, false, false};
}

// A vertex of a wall, or a pinned vertex, becomes part of the plane, at its position at the end of
// the step. The contacts of a vertex share its inertia and the stiffness of its springs.
Contact BodyContacts::make_contact(NearPair pair, PairForce& last) const {
    const std::span<const VertexSphere> spheres = vertex_spheres_.spheres();
    const auto slot = [&](std::uint32_t sphere) { return bodies_[spheres[sphere].body].slot; };
    if (std::pair(slot(pair.b), spheres[pair.b].vertex) <
        std::pair(slot(pair.a), spheres[pair.a].vertex)) {
        std::swap(pair.a, pair.b);
        pair.side = -pair.side;
    }
    last = last_force(pair.a,
                      {slot(pair.a), spheres[pair.a].vertex, slot(pair.b), spheres[pair.b].vertex});
    const double reach = spheres[pair.a].radius + spheres[pair.b].radius;
    const Vec3 start = spheres[pair.a].from - spheres[pair.b].from;
    const double overlap = reach - dot(start, pair.side);
    Contact c{};
    c.normal = pair.side;
    c.offset = reach - std::max(0.0, overlap - released_fraction * reach);
    c.anchor = start - c.gap(start) * c.normal;
    double compliance = 0.0, shared_stiffness = 0.0; // m/N
    Vec3 wall{};
    for (const auto& [sphere, sign] : {std::pair{pair.a, 1.0}, {pair.b, -1.0}}) {
        const InPlay& body = bodies_[spheres[sphere].body];
        const std::uint32_t i = spheres[sphere].vertex;
        if (!body.context || body.held[i]) {
            wall += sign * spheres[sphere].to;
            continue;
        }
        const Objective& o = body.context->objective;
        const double contacts = std::max(1.0, shared_fraction * contact_count_[sphere]);
        const int place = c.point.count++;
        c.point.vertices[place] = static_cast<std::uint32_t>(body.first + i);
        c.point.weights[place] = sign;
        c.y += sign * o.y[i];
        c.mobility[place] = sign / o.weights[i];
        compliance += 1.0 / o.weights[i];
        // The coarse correction already solves for the motion of a body of a single vertex.
        if (body.spheres.model->vertex_count() > 1)
            shared_stiffness += contacts / (o.weights[i] + stiffness_at(o.springs, i));
    }
    c.offset -= dot(c.normal, wall);
    c.anchor -= wall;
    if (c.point.count == 0) return c;
    for (int k = 0; k < c.point.count; ++k) c.mobility[k] /= compliance;
    c.inertia = 1.0 / compliance;
    c.support = shared_stiffness > 0.0 ? 1.0 / shared_stiffness : c.inertia;
    c.static_friction = c.kinetic_friction =
        std::min(spheres[pair.a].friction, spheres[pair.b].friction);
    // Bodies that were placed into each other must separate slowly: a force that removed the
    // overlap in a step or two would throw the bodies apart. Here the support is inertia alone.
    const bool separates_slowly =
        overlap > released_fraction * reach &&
        (last.separates_slowly || overlap > 1.001 * (1.0 - min_distance_fraction) * reach);
    if (separates_slowly) {
        c.support = c.inertia;
        last = {last.pair, 0.0, {}, {}, false, false, true};
    }
    if (last.both_moved != (c.point.count == 2)) last.pull = {}; // of another point
    // beta keeps its initial value (share 0): a change would stir bodies at rest.
    c.last = {last.normal, {}, 0.0, last.slides};
    return c;
}

void BodyContacts::collect(std::size_t group, PairList& list) const {
    const std::span<const std::uint32_t> order{pair_order_.data() + pair_start_[group],
                                               pair_start_[group + 1] - pair_start_[group]};
    list.clear();
    for (const std::uint32_t k : order) {
        PairForce last;
        const Contact contact = make_contact(pairs_[k], last);
        if (contact.point.count > 0) list.add(contact, last);
    }
}

void BodyContacts::mark_touched(std::size_t group, const PairList& list) {
    for (const std::uint32_t k : members(group))
        std::fill_n(touched_.begin() + vertex_spheres_.first_sphere(k),
                    bodies_[k].spheres.model->vertex_count(), char{0});
    list.for_each_touching_pair([&](const PairForce& f) {
        touched_[vertex_spheres_.first_sphere(body_in_slot_[f.pair.body_a]) + f.pair.a] = 1;
        touched_[vertex_spheres_.first_sphere(body_in_slot_[f.pair.body_b]) + f.pair.b] = 1;
    });
}

void BodyContacts::store(const PairList& list) {
    list.for_each_touching_pair([&](const PairForce& f) { next_forces_.push_back(f); });
}

void BodyContacts::forget(std::uint32_t slot) {
    std::erase_if(forces_, [&](const PairForce& f) {
        return f.pair.body_a == slot || f.pair.body_b == slot;
    });
}

void BodyContacts::turn(std::uint32_t slot, const Rotation& turn) {
    std::erase_if(forces_, [&](const PairForce& f) {
        return (f.pair.body_a == slot) != (f.pair.body_b == slot);
    });
    for (PairForce& f : forces_)
        if (f.pair.body_a == slot) {
            f.friction = turn(f.friction);
            f.pull = turn(f.pull);
        }
}

} // namespace twang::core
