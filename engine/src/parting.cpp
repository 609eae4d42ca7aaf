#include "parting.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

constexpr int pushes = 8;
constexpr int tidy_rounds = 4;
constexpr double enough = 1e-3;     // radii: as deep as nobody sees
constexpr double lying = 0.2;       // radii: a ball this near to an obstacle may be pushed on it
constexpr double turned = 0.3;      // cosine: beyond, a ball went round or through the other
constexpr double let_go_part = 0.2; // of an old overlap, undone in a step
constexpr double let_go_most = 0.1; // radii
constexpr std::size_t most_contacts = 7; // per ball, in the mean

} // namespace

void Parting::reserve(std::size_t n) {
    if (n <= move_.capacity()) return;
    list_.reserve(most_contacts * n);
    precond_.reserve(most_contacts * n);
    for (auto* v : {&release_, &forces_, &reply_}) v->reserve(n);
    for (auto* v : {&give_, &stiffness_}) v->reserve(n);
    count_.reserve(n);
    touches_.reserve(n);
    involved_.reserve(n);
    move_.reserve(n); // last: then there is room for all
}

void Parting::collect(std::span<const NearPair> pairs) {
    list_.clear();
    const std::size_t room = (most_contacts - 1) * balls_.size();
    for (const NearPair& pair : pairs.first(std::min(pairs.size(), room))) {
        const Ball &a = balls_[pair.a], &b = balls_[pair.b];
        if (!bodies_[a.body].system && !bodies_[b.body].system) continue;
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
    involved_.assign(bodies_.size(), 0);
    for (const Contact& c : list_)
        if (c.presses) involved_[balls_[c.a].body] = involved_[balls_[c.b].body] = 1;
    for (std::uint32_t i = 0; i < balls_.size() && !obstacles.empty(); ++i) {
        const Ball& ball = balls_[i];
        const Yielding& body = bodies_[ball.body];
        if (!involved_[ball.body] || !body.system || body.held[ball.vertex]) continue;
        Contact c{};
        double nearest = lying * ball.radius;
        c.a = none;
        for (const Obstacle& o : obstacles) {
            if (o.def.penalty > 0.0) continue;
            const Distance d = distance_to(o, ball.to);
            if (!(d.distance - o.def.thickness < nearest)) continue;
            nearest = d.distance - o.def.thickness;
            c.a = i;
            c.side = c.normal = d.normal;
            c.foot = ball.to - nearest * d.normal;
            c.friction = o.def.friction;
            c.carried = o.next - o.def.centre;
        }
        c.b = none;
        if (c.a != none) list_.push_back(c);
    }
}

// How stiff vertices are, and what of a gap each side of a contact closes.
void Parting::weigh() {
    stiffness_.assign(balls_.size(), 0.0);
    give_.assign(balls_.size(), 0.0);
    for (std::size_t i = 0; i < balls_.size(); ++i) {
        const Ball& ball = balls_[i];
        const Yielding& body = bodies_[ball.body];
        if (!body.system || body.held[ball.vertex]) continue;
        const Lists<Link>& links = body.springs->links;
        double sum = inertia_ * body.masses[ball.vertex];
        for (const Link* l = links.begin(ball.vertex); l != links.end(ball.vertex); ++l)
            sum += l->stiffness;
        stiffness_[i] = sum;
        give_[i] = 1.0 / (inertia_ * body.masses[ball.vertex]);
    }
}

double Parting::look() {
    std::fill(count_.begin(), count_.end(), std::uint16_t{0});
    double deepest = 0.0;
    for (Contact& c : list_) {
        const Vec3 off = apart(c);
        if (c.b != none) {
            const double distance = length(off);
            c.normal = dot(off, c.side) > turned * distance ? (1.0 / distance) * off : c.side;
        }
        c.gap = dot(off, c.normal) - c.target;
        const double force = dot(c.force, c.normal);
        c.presses = c.gap < (c.b == none ? 1e-9 : 0.0) || force > 0.0;
        if (!c.presses) continue;
        const Vec3 way =
            at(c.a) - balls_[c.a].from - (c.b == none ? c.carried : at(c.b) - balls_[c.b].from);
        c.slip = way - dot(way, c.normal) * c.normal;
        deepest = std::max(deepest, -c.gap);
        ++count_[c.a];
        if (c.b != none) ++count_[c.b];
    }
    for (Contact& c : list_) {
        if (!c.presses) continue;
        // The softer side closes the gap; contacts that share a vertex share what it does.
        const auto softness = [&](std::uint32_t i) {
            return i != none && stiffness_[i] > 0.0 ? 1.0 / stiffness_[i] : 0.0;
        };
        const double a = softness(c.a), b = softness(c.b);
        const double all = a * count_[c.a] + (c.b == none ? 0.0 : b * count_[c.b]);
        c.share_a = all > 0.0 ? a / all : 0.0;
        c.share_b = all > 0.0 ? b / all : 0.0;
    }
    return deepest;
}

void Parting::respond() {
    const auto one = [&](std::size_t k, Jobs& jobs) {
        const Yielding& body = bodies_[k];
        if (!body.system) return;
        const std::size_t n = body.reply->size();
        Vec3* v = body.reply->data();
        bool pushed = false;
        for (std::size_t i = 0; i < n; ++i) {
            v[i] = body.held[i] ? Vec3{} : forces_[body.first + i];
            pushed = pushed || v[i].x != 0.0 || v[i].y != 0.0 || v[i].z != 0.0;
        }
        if (pushed) solve(*body.system, *body.solve, jobs, v);
        for (std::size_t i = 0; i < n; ++i) reply_[body.first + i] = body.held[i] ? Vec3{} : v[i];
    };
    if (bodies_.size() < 2) {
        one(0, *jobs_);
    } else {
        jobs_->tasks(bodies_.size(), [&](std::size_t k) { one(k, alone_); });
    }
}

// reply_ = Q forces_, for what is near contacts.
void Parting::times_q() {
    jobs_->ranges(balls_.size(), 512, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            reply_[i] = {};
            if (count_[i] == 0 || stiffness_[i] == 0.0) continue;
            const Ball& ball = balls_[i];
            const Yielding& body = bodies_[ball.body];
            const Lists<Link>& links = body.springs->links;
            Vec3 sum = stiffness_[i] * forces_[i];
            for (const Link* l = links.begin(ball.vertex); l != links.end(ball.vertex); ++l)
                sum -= l->stiffness * forces_[body.first + l->other];
            reply_[i] = sum;
        }
    });
}

void Parting::precondition() {
    std::fill(forces_.begin(), forces_.end(), Vec3{});
    for (std::size_t k = 0; k < list_.size(); ++k) {
        const Contact& c = list_[k];
        if (!c.presses) continue;
        forces_[c.a] += (-c.share_a * c.gap) * c.normal;
        if (c.b != none) forces_[c.b] -= (-c.share_b * c.gap) * c.normal;
    }
    times_q();
    for (std::size_t k = 0; k < list_.size(); ++k) {
        const Contact& c = list_[k];
        precond_[k] = 0.0;
        if (!c.presses) continue;
        precond_[k] = c.share_a * dot(c.normal, reply_[c.a]);
        if (c.b != none) precond_[k] -= c.share_b * dot(c.normal, reply_[c.b]);
    }
}

// What each contact would like its force to change by, within what it can do: push, and rub at most
// mu times as much.
void Parting::propose(double scale) {
    precondition();
    for (std::size_t k = 0; k < list_.size(); ++k) {
        Contact& c = list_[k];
        c.change = {};
        if (!c.presses) continue;
        const double give = give_[c.a] + (c.b == none ? 0.0 : give_[c.b]);
        const int sharing = std::max(count_[c.a], c.b == none ? count_[c.a] : count_[c.b]);
        const double old = dot(c.force, c.normal), force = std::max(old + scale * precond_[k], 0.0);
        Vec3 rub = c.force - old * c.normal;
        if (give > 0.0) rub -= (1.0 / (give * sharing)) * c.slip;
        const double limit = c.friction * force, grip = length(rub);
        if (grip > limit) rub = (limit / grip) * rub;
        c.change = force * c.normal + rub - c.force;
    }
}

// One step towards the forces that are needed. False when there is none to take.
bool Parting::push(double& scale) {
    propose(scale);
    std::fill(forces_.begin(), forces_.end(), Vec3{});
    for (const Contact& c : list_) {
        if (!c.presses) continue;
        forces_[c.a] += c.change;
        if (c.b != none) forces_[c.b] -= c.change;
    }
    respond();
    double slope = 0.0, curvature = 0.0;
    for (const Contact& c : list_) {
        if (!c.presses) continue;
        slope -= dot(c.gap * c.normal + c.slip, c.change);
        curvature += dot(between(c, reply_), c.change);
    }
    if (!(slope > 0.0) || !(curvature > 0.0)) return false;
    const double best = slope / curvature, step = std::min(best, 1.0);
    scale *= std::clamp(best, 0.5, 4.0);
    for (Contact& c : list_)
        if (c.presses) c.force += step * c.change;
    for (std::size_t i = 0; i < balls_.size(); ++i) move_[i] += step * reply_[i];
    return true;
}

// What is left is shared out by mass, vertex by vertex.
void Parting::tidy() {
    for (int round = 0; round < tidy_rounds; ++round) {
        std::fill(forces_.begin(), forces_.end(), Vec3{});
        if (!(look() > 0.0)) return;
        for (const Contact& c : list_) {
            if (!(c.gap < 0.0)) continue;
            const double a = give_[c.a], b = c.b == none ? 0.0 : give_[c.b];
            const int sharing = std::max(count_[c.a], c.b == none ? count_[c.a] : count_[c.b]);
            if (!(a + b > 0.0)) continue;
            const Vec3 part = (-c.gap / ((a + b) * sharing)) * c.normal;
            forces_[c.a] += a * part;
            if (c.b != none) forces_[c.b] -= b * part;
        }
        for (std::size_t i = 0; i < balls_.size(); ++i) move_[i] += forces_[i];
    }
}

void Parting::let_go() {
    std::fill(release_.begin(), release_.end(), Vec3{});
    for (const Contact& c : list_) {
        if (c.b == none || !(c.reach > c.target)) continue;
        const double a = give_[c.a], b = give_[c.b];
        const double distance = dot(apart(c), c.normal);
        const double left = std::min(let_go_part * (c.reach - distance), let_go_most * c.reach);
        if (!(left > 0.0) || !(a + b > 0.0)) continue;
        const Vec3 part = (left / ((a + b) * std::max({1, +count_[c.a], +count_[c.b]}))) * c.normal;
        release_[c.a] += a * part;
        release_[c.b] -= b * part;
    }
}

bool Parting::part(const Particles& particles, std::span<const NearPair> pairs,
                   std::span<const Yielding> bodies, std::span<const Obstacle> obstacles, double h,
                   Jobs& jobs) {
    balls_ = particles.balls();
    bodies_ = bodies;
    jobs_ = &jobs;
    inertia_ = 1.0 / (h * h);
    collect(pairs);
    if (list_.empty()) return false;
    for (auto* v : {&move_, &release_, &forces_, &reply_}) v->assign(balls_.size(), Vec3{});
    count_.assign(balls_.size(), 0);
    touches_.assign(balls_.size(), 0);
    weigh();
    const bool overlap = std::any_of(list_.begin(), list_.end(),
                                     [](const Contact& c) { return c.target < c.reach; });
    if (look() == 0.0 && !overlap) return false;
    collect_obstacles(obstacles);
    precond_.assign(list_.size(), 0.0);
    double radius = 0.0, scale = 1.0;
    for (const Ball& ball : balls_) radius = std::max(radius, ball.radius);
    for (int k = 0; k < pushes; ++k)
        if (look() < enough * radius || !push(scale)) break;
    tidy();
    let_go();
    for (const Contact& c : list_)
        if (c.b != none && dot(c.force, c.force) > 0.0) touches_[c.a] = touches_[c.b] = 1;
    return true;
}

} // namespace twang::core
