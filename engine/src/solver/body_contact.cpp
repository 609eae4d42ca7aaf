#include "solver/body_contact.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

// Contacts per ball in the mean, at most.
constexpr std::size_t most_contacts = 6;
// Contacts of a vertex point to several sides: so much of their number share its stiffness.
constexpr double shared_part = 0.5;
constexpr int sweeps = 8;         // of Gauss-Seidel
constexpr double released = 0.02; // of the sum of two radii: how much of an overlap a step undoes

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

// Mobility over inertia is what a vertex gives way, weight included, in m/N.
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
    for (int sweep = 0; sweep < sweeps; ++sweep)
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
        forces_[k] = {forces_[k].pair,    c.lambda,          c.tau, (1.0 / square) * pull, c.slides,
                      c.point.count == 2, forces_[k].emerges};
    }
}

void BodyContacts::reserve(std::size_t balls, std::size_t bodies) {
    particles_.reserve(balls);
    bodies_.reserve(bodies);
    roots_.reserve(bodies);
    members_.reserve(bodies);
    groups_.reserve(bodies);
    pair_start_.reserve(bodies + 1);
    force_start_.reserve(balls + 1);
    if (most_contacts * balls <= forces_.capacity() && count_.capacity() >= balls) return;
    count_.reserve(balls);
    touched_.reserve(balls);
    for (auto* order : {&pair_order_, &force_order_}) order->reserve(most_contacts * balls);
    next_forces_.reserve(most_contacts * balls);
    forces_.reserve(most_contacts * balls);
}

void BodyContacts::clear() {
    bodies_.clear();
    particles_.clear();
    groups_.clear();
    members_.clear();
    pairs_ = {};
    next_forces_.clear();
}

void BodyContacts::add(const InPlay& body) {
    particles_.add(body.balls);
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
    const std::span<const NearPair> all = particles_.find(jobs);
    pairs_ = all.first(std::min(all.size(), most_contacts * particles_.balls().size()));
    index_forces();
    make_groups();
    sort_pairs();
    const std::span<const Ball> balls = particles_.balls();
    count_.assign(balls.size(), 0);
    touched_.assign(balls.size(), 0);
    for (const std::uint32_t k : pair_order_) {
        touched_[pairs_[k].a] = touched_[pairs_[k].b] = 1;
        const Ball &a = balls[pairs_[k].a], &b = balls[pairs_[k].b];
        if (dot(a.to - b.to, pairs_[k].side) > a.radius + b.radius) continue;
        ++count_[pairs_[k].a];
        ++count_[pairs_[k].b];
    }
}

void BodyContacts::make_groups() {
    roots_.clear();
    for (std::uint32_t k = 0; k < bodies_.size(); ++k) roots_.push_back(k);
    const std::span<const Ball> balls = particles_.balls();
    for (const NearPair& pair : pairs_) {
        const std::uint32_t own = minimiser(pair);
        if (own == none) continue;
        bodies_[own].group = 0; // for now: it touches something
        const std::uint32_t a = balls[pair.a].body, b = balls[pair.b].body;
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
            places += joint_places(bodies_[k].context->work.x.size());
            members_.push_back(k);
        }
        groups_.push_back({begin, members_.size()});
    }
}

void BodyContacts::sort_pairs() {
    pair_start_.assign(groups_.size() + 1, 0);
    const auto group_of = [&](const NearPair& pair) {
        const std::uint32_t own = minimiser(pair);
        return own == none ? none : bodies_[own].group;
    };
    for (const NearPair& pair : pairs_)
        if (const std::uint32_t group = group_of(pair); group != none) ++pair_start_[group + 1];
    for (std::size_t g = 0; g < groups_.size(); ++g) pair_start_[g + 1] += pair_start_[g];
    pair_order_.resize(pair_start_.back());
    for (std::size_t k = pairs_.size(); k-- > 0;) // from the back: each range ends up in order
        if (const std::uint32_t group = group_of(pairs_[k]); group != none)
            pair_order_[--pair_start_[group + 1]] = static_cast<std::uint32_t>(k);
    for (std::size_t g = 0; g < groups_.size(); ++g) pair_start_[g] = pair_start_[g + 1];
    pair_start_.back() = static_cast<std::uint32_t>(pair_order_.size());
}

// Where each ball's forces are: those of pairs that it is the first of.
void BodyContacts::index_forces() {
    std::uint32_t slots = 0;
    for (const InPlay& body : bodies_) slots = std::max(slots, body.slot + 1);
    body_in_slot_.assign(slots, none);
    for (std::uint32_t k = 0; k < bodies_.size(); ++k) body_in_slot_[bodies_[k].slot] = k;
    const auto ball_of = [&](const PairForce& f) -> std::uint32_t {
        const std::uint32_t k = f.pair.body_a < slots ? body_in_slot_[f.pair.body_a] : none;
        return k == none ? none : particles_.first_ball(k) + f.pair.a;
    };
    force_start_.assign(particles_.balls().size() + 1, 0);
    for (const PairForce& f : forces_)
        if (const std::uint32_t ball = ball_of(f); ball != none) ++force_start_[ball + 1];
    for (std::size_t i = 1; i < force_start_.size(); ++i) force_start_[i] += force_start_[i - 1];
    force_order_.resize(force_start_.back());
    for (std::size_t k = 0; k < forces_.size(); ++k)
        if (const std::uint32_t ball = ball_of(forces_[k]); ball != none)
            force_order_[--force_start_[ball + 1]] = static_cast<std::uint32_t>(k);
    for (std::size_t i = 0; i + 1 < force_start_.size(); ++i) force_start_[i] = force_start_[i + 1];
    force_start_.back() = static_cast<std::uint32_t>(force_order_.size());
}

PairForce BodyContacts::last_force(std::uint32_t ball_a, const VertexPair& pair) const {
    for (std::uint32_t k = force_start_[ball_a]; k < force_start_[ball_a + 1]; ++k)
        if (const PairForce& f = forces_[force_order_[k]]; f.pair == pair) return f;
    return {pair, 0.0, {}, {}, false, false, false};
}

// A wall, or a vertex that is held, is part of the plane, at the end of its way. The contacts of a
// vertex share its inertia and its springs.
Contact BodyContacts::make_contact(NearPair pair, PairForce& last) const {
    const std::span<const Ball> balls = particles_.balls();
    const auto slot = [&](std::uint32_t ball) { return bodies_[balls[ball].body].slot; };
    if (std::pair(slot(pair.b), balls[pair.b].vertex) <
        std::pair(slot(pair.a), balls[pair.a].vertex)) {
        std::swap(pair.a, pair.b);
        pair.side = -pair.side;
    }
    last = last_force(pair.a,
                      {slot(pair.a), balls[pair.a].vertex, slot(pair.b), balls[pair.b].vertex});
    const double reach = balls[pair.a].radius + balls[pair.b].radius;
    const Vec3 start = balls[pair.a].from - balls[pair.b].from;
    const double overlap = reach - dot(start, pair.side);
    Contact c{};
    c.normal = pair.side;
    c.offset = reach - std::max(0.0, overlap - released * reach);
    c.anchor = start - c.gap(start) * c.normal;
    double give = 0.0, shared_stiffness = 0.0; // m/N
    Vec3 wall{};
    for (const auto& [ball, sign] : {std::pair{pair.a, 1.0}, {pair.b, -1.0}}) {
        const InPlay& body = bodies_[balls[ball].body];
        const std::uint32_t i = balls[ball].vertex;
        if (!body.context || body.held[i]) {
            wall += sign * balls[ball].to;
            continue;
        }
        const Objective& o = body.context->objective;
        const double contacts = std::max(1.0, shared_part * count_[ball]);
        const int place = c.point.count++;
        c.point.vertices[place] = static_cast<std::uint32_t>(body.first + i);
        c.point.weights[place] = sign;
        c.y += sign * o.y[i];
        c.mobility[place] = sign / o.weights[i];
        give += 1.0 / o.weights[i];
        // How a single vertex moves is known to the coarse correction.
        if (body.balls.model->vertex_count() > 1)
            shared_stiffness += contacts / (o.weights[i] + stiffness_at(o.springs, i));
    }
    c.offset -= dot(c.normal, wall);
    c.anchor -= wall;
    if (c.point.count == 0) return c;
    for (int k = 0; k < c.point.count; ++k) c.mobility[k] /= give;
    c.inertia = 1.0 / give;
    c.support = shared_stiffness > 0.0 ? 1.0 / shared_stiffness : c.inertia;
    c.static_friction = c.kinetic_friction =
        std::min(balls[pair.a].friction, balls[pair.b].friction);
    // A force that would push bodies that were put into each other apart in a step or two would
    // throw them apart: there only inertia stands against it.
    const bool emerges = overlap > released * reach &&
                         (last.emerges || overlap > 1.001 * (1.0 - kept_reach) * reach);
    if (emerges) {
        c.support = c.inertia;
        last = {last.pair, 0.0, {}, {}, false, false, true};
    }
    if (last.both_moved != (c.point.count == 2)) last.pull = {}; // it was that of others too
    c.last = {last.normal, {}, 0.0, last.slides}; // beta stays: a change would stir what rests
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
        std::fill_n(touched_.begin() + particles_.first_ball(k),
                    bodies_[k].balls.model->vertex_count(), char{0});
    list.for_each_touching_pair([&](const PairForce& f) {
        touched_[particles_.first_ball(body_in_slot_[f.pair.body_a]) + f.pair.a] = 1;
        touched_[particles_.first_ball(body_in_slot_[f.pair.body_b]) + f.pair.b] = 1;
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

void BodyContacts::turn(std::uint32_t slot, const Turn& turn) {
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
