#include "parting.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

constexpr int pushes = 12;
constexpr int spreading = 4; // passes; each reaches as far as a spring
constexpr int tidy_rounds = 2;
constexpr double enough = 2e-3;     // radii: as deep as nobody sees
constexpr double lying = 1.0;       // radii: a ball this near to an obstacle may be pushed on it
constexpr double resting = 1e-9;    // m: as near an obstacle counts as touched
constexpr double turned = 0.3;      // cosine: beyond, a ball went round or through the other
constexpr double let_go_part = 0.2; // of an old overlap, undone in a step
constexpr double let_go_most = 0.1; // radii
constexpr double remembered = 0.9;  // of the forces: with all of them errors would never fade
constexpr std::size_t most_contacts = 7; // per ball, in the mean

// The nearest force that pushes, and rubs at most mu times as much.
Vec3 confined(Vec3 force, Vec3 normal, double friction) {
    const double push = std::max(dot(force, normal), 0.0);
    Vec3 rub = force - dot(force, normal) * normal;
    const double limit = friction * push, grip = length(rub);
    if (grip > limit) rub = (limit / grip) * rub;
    return push * normal + rub;
}

} // namespace

void Parting::reserve(std::size_t n, std::size_t links) {
    weights_.reserve(links);
    if (n <= move_.capacity()) return;
    list_.reserve(most_contacts * n);
    ground_.reserve(n);
    for (auto* v : {&release_, &pushed_, &forces_, &reply_, &room_, &at_, &way_}) v->reserve(n);
    give_.reserve(n);
    count_.reserve(n);
    touches_.reserve(n);
    involved_.reserve(n); // a body has a vertex at least
    weights_of_.reserve(n);
    move_.reserve(n); // last: then there is room for all
}

void Parting::collect(std::span<const NearPair> pairs) {
    list_.clear();
    const std::size_t room = (most_contacts - 1) * balls_.size(); // the rest is for obstacles
    for (const NearPair& pair : pairs.first(std::min(pairs.size(), room))) {
        const Ball &a = balls_[pair.a], &b = balls_[pair.b];
        if (!bodies_[a.body].yields && !bodies_[b.body].yields) continue;
        Contact c{};
        c.a = pair.a;
        c.b = pair.b;
        c.side = pair.side;
        c.reach = a.radius + b.radius;
        c.target = std::min(c.reach, length(a.from - b.from));
        c.friction = std::min(a.friction, b.friction);
        list_.push_back(c);
    }
}

// Where bodies that are pushed lie on something, or may be pushed on it.
void Parting::collect_obstacles(std::span<const Obstacle> obstacles) {
    for (std::uint32_t i = 0; i < balls_.size() && !obstacles.empty(); ++i) {
        const Ball& ball = balls_[i];
        if (!involved_[ball.body] || give_[i] == 0.0) continue;
        Contact c{};
        c.a = c.b = none;
        double nearest = lying * ball.radius;
        for (const Obstacle& o : obstacles) {
            if (o.def.penalty > 0.0) continue;
            const Distance d = distance_to(o, ball.to);
            const double gap = d.distance - o.def.thickness;
            if (!(gap < nearest)) continue;
            nearest = gap;
            c.a = i;
            c.side = c.normal = d.normal;
            c.friction = o.def.friction;
            // What contact forces have let in deeper may stay there.
            ground_[i] = {ball.to - std::max(nearest, 0.0) * d.normal, o.ride(ball.from)};
        }
        if (c.a != none) list_.push_back(c);
    }
}

// Weights are such that masses times moves keep their sum, and so that no one is moved farther than
// the one that was pushed.
void Parting::weigh() {
    weights_.clear();
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
        const Yielding& body = bodies_[k];
        const Lists<Link>& links = body.springs->links;
        const std::size_t n = links.start.size() - 1;
        weights_of_[k] = weights_.size();
        for (std::size_t i = 0; i < n; ++i)
            give_[body.first + i] = body.yields && !body.held[i] ? square_ / body.masses[i] : 0.0;
        for (std::size_t i = 0; i < n && involved_[k]; ++i)
            for (const Link* l = links.begin(i); l != links.end(i); ++l) {
                const double busier = std::max(links.count(i), links.count(l->other));
                weights_.push_back(l->stiffness > 0.0
                                       ? std::min(1.0, body.masses[l->other] / body.masses[i]) /
                                             (1.0 + busier)
                                       : 0.0);
            }
    }
}

bool Parting::leans() const {
    for (const Yielding& body : bodies_)
        for (std::size_t i = 0; body.yields && i + 1 < body.springs->links.start.size(); ++i)
            if (dot(body.leaning[i], body.leaning[i]) > 0.0) return true;
    return false;
}

// Takes the last stride, and finds normals, gaps and who presses, as things stand: by how much the
// worst is too deep, or is pushed from afar (m).
double Parting::look() {
    std::fill(count_.begin(), count_.end(), std::uint16_t{0});
    double worst = 0.0;
    old_worth_ = worth_;
    worth_ = crossed_ = 0.0;
    for (std::size_t i = 0; i < balls_.size(); ++i) {
        at_[i] = balls_[i].to + move_[i];
        way_[i] = at_[i] - balls_[i].from;
    }
    for (Contact& c : list_) {
        const Vec3 off = at_[c.a] - (c.b == none ? ground_[c.a].foot : at_[c.b]);
        if (c.b != none) {
            const double distance = length(off);
            c.normal = dot(off, c.side) > turned * distance ? (1.0 / distance) * off : c.side;
        }
        c.gap = dot(off, c.normal) - c.target;
        c.force += stride_ * c.search;
        c.presses = c.gap < (c.b == none ? resting : 0.0) || dot(c.force, c.normal) > 0.0;
        if (!c.presses) {
            c.search = c.miss = {};
            continue;
        }
        const Vec3 way = way_[c.a] - (c.b == none ? ground_[c.a].moved : way_[c.b]);
        const Vec3 miss = (dot(way, c.normal) - c.gap) * c.normal - way;
        const double softness = give(c);
        if (softness > 0.0) {
            worth_ += dot(miss, miss) / softness;
            crossed_ += dot(miss, c.miss) / softness;
        }
        c.miss = miss;
        worst = std::max(worst, std::abs(c.gap));
        ++count_[c.a];
        if (c.b != none) ++count_[c.b];
    }
    stride_ = 0.0;
    return worst;
}

// The moves that forces_ lead to, in reply_.
void Parting::respond() {
    std::fill(involved_.begin(), involved_.end(), char{0});
    for (std::size_t i = 0; i < balls_.size(); ++i) {
        reply_[i] = give_[i] * forces_[i];
        if (dot(reply_[i], reply_[i]) > 0.0) involved_[balls_[i].body] = 1;
    }
    for (int pass = 0; pass < spreading; ++pass) {
        spread();
        std::swap(reply_, room_);
    }
}

void Parting::spread() {
    jobs_->ranges(balls_.size(), 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Ball& ball = balls_[i];
            room_[i] = reply_[i];
            if (!involved_[ball.body] || give_[i] == 0.0) continue;
            const Yielding& body = bodies_[ball.body];
            const Lists<Link>& links = body.springs->links;
            const double* weight =
                weights_.data() + weights_of_[ball.body] + links.start[ball.vertex];
            Vec3 sum{};
            for (const Link* l = links.begin(ball.vertex); l != links.end(ball.vertex); ++l)
                sum += *weight++ * (reply_[body.first + l->other] - reply_[i]);
            room_[i] += sum;
        }
    });
}

// The way to go on: what each contact would like, and some of the way before. J: what that is
// worth.
double Parting::propose(double scale) {
    const double beta =
        old_worth_ > 0.0 ? std::clamp((worth_ - crossed_) / old_worth_, 0.0, 1.0) : 0.0;
    std::fill(forces_.begin(), forces_.end(), Vec3{});
    double worth = 0.0;
    for (Contact& c : list_) {
        if (!c.presses) continue;
        const double softness = give(c) * sharing(c);
        const Vec3 wish = softness > 0.0 ? (1.0 / softness) * c.miss : Vec3{};
        const Vec3 to = c.force + scale * (wish + beta * c.search);
        const Vec3 change = confined(to, c.normal, c.friction) - c.force;
        c.search = (1.0 / scale) * change;
        worth += dot(c.miss, change);
        add(c, change, -change, forces_);
    }
    return worth;
}

// One step towards the forces that are needed. False when there is none to take.
bool Parting::push(double& scale) {
    const double worth = propose(scale);
    respond();
    double curvature = 0.0;
    for (const Contact& c : list_)
        if (c.presses)
            curvature +=
                scale * dot(c.b == none ? reply_[c.a] : reply_[c.a] - reply_[c.b], c.search);
    if (!(worth > 0.0) || !(curvature > 0.0)) return false;
    const double best = worth / curvature, step = std::min(best, 1.0); // farther, some would pull
    for (std::size_t i = 0; i < balls_.size(); ++i) move_[i] += step * reply_[i];
    stride_ = step * scale; // taken with the next look
    scale *= std::clamp(best, 0.5, 4.0);
    return true;
}

// What is left is shared out by mass, vertex by vertex.
void Parting::tidy() {
    for (int round = 0; round < tidy_rounds && look() > 0.0; ++round) {
        std::fill(forces_.begin(), forces_.end(), Vec3{});
        for (const Contact& c : list_) {
            if (!(c.gap < 0.0) || !(give(c) > 0.0)) continue;
            const Vec3 part = (-c.gap / (give(c) * sharing(c))) * c.normal;
            add(c, part, -part, forces_);
        }
        for (std::size_t i = 0; i < balls_.size(); ++i) move_[i] += give_[i] * forces_[i];
    }
    for (const Contact& c : list_) // obstacles have the last word
        if (c.b == none) {
            const Vec3 off = balls_[c.a].to + move_[c.a] - ground_[c.a].foot;
            move_[c.a] -= std::min(dot(off, c.normal), 0.0) * c.normal;
        }
}

void Parting::let_go() {
    look();
    std::fill(forces_.begin(), forces_.end(), Vec3{});
    for (const Contact& c : list_) {
        const double left =
            std::min(let_go_part * (c.reach - c.target - c.gap), let_go_most * c.reach);
        if (c.b == none || !(c.reach > c.target) || !(left > 0.0) || !(give(c) > 0.0)) continue;
        const Vec3 part = (left / (give(c) * std::max(1.0, sharing(c)))) * c.normal;
        add(c, part, -part, forces_);
    }
    respond();
    std::swap(release_, reply_);
}

// Who touched whom, and what each vertex was pushed with, its neighbours' share included.
void Parting::note() {
    std::fill(forces_.begin(), forces_.end(), Vec3{});
    for (const Contact& c : list_) {
        if (c.b == none || !(dot(c.force, c.force) > 0.0)) continue;
        touches_[c.a] = touches_[c.b] = 1;
        add(c, c.force, -c.force, forces_);
    }
    respond();
    for (std::size_t i = 0; i < balls_.size(); ++i)
        if (give_[i] > 0.0) pushed_[i] = (remembered / give_[i]) * reply_[i];
}

bool Parting::part(const Particles& particles, std::span<const NearPair> pairs,
                   std::span<const Yielding> bodies, std::span<const Obstacle> obstacles, double h,
                   Jobs& jobs) {
    balls_ = particles.balls();
    bodies_ = bodies;
    jobs_ = &jobs;
    square_ = h * h;
    collect(pairs);
    const bool expected = leans();
    if (list_.empty() && !expected) return false;
    for (auto* v : {&move_, &release_, &pushed_, &forces_, &reply_, &room_, &at_, &way_})
        v->assign(balls_.size(), Vec3{});
    give_.assign(balls_.size(), 0.0);
    count_.assign(balls_.size(), 0);
    ground_.resize(balls_.size());
    touches_.assign(balls_.size(), 0);
    involved_.assign(bodies.size(), 0);
    weights_of_.assign(bodies.size(), 0);
    const double deepest = look();
    const bool overlap = std::any_of(list_.begin(), list_.end(),
                                     [](const Contact& c) { return c.target < c.reach; });
    if (deepest == 0.0 && !overlap && !expected) return false;
    for (const Contact& c : list_) involved_[balls_[c.a].body] = involved_[balls_[c.b].body] = 1;
    if (expected) std::fill(involved_.begin(), involved_.end(), char{1});
    weigh();
    collect_obstacles(obstacles);
    // What they have felt already is in the way of a fresh start: only what it did to the springs
    // stays.
    for (std::size_t i = 0; i < balls_.size(); ++i) {
        const Ball& ball = balls_[i];
        move_[i] = -give_[i] * bodies[ball.body].leaning[ball.vertex];
    }
    double radius = 0.0, scale = 1.0;
    for (const Ball& ball : balls_) radius = std::max(radius, ball.radius);
    worth_ = stride_ = 0.0;
    for (int k = 0; k < pushes && look() > enough * radius; ++k)
        if (!push(scale)) break;
    tidy();
    let_go();
    note();
    return true;
}

} // namespace twang::core
