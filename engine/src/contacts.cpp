#include "contacts.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

using State = Contact::State;

// What a correction leaves over is cut off, which costs energy: of the residual's square no more
// than this, or cloth at rest keeps stirring.
constexpr int hold_iterations = 30;
constexpr double hold_enough = 1e-5;
constexpr double no_slip = 1e-6;  // m: below, a slip has no direction of its own
constexpr double on_plane = 1e-9; // m
constexpr double nearly = 0.01;   // on the plane, of the way that forces would press a vertex in
constexpr int most_walks = 64;    // along the way of a vertex

template <class V>
void put(V& to, Vec3 from) {
    using Real = decltype(V::x);
    to.x = static_cast<Real>(from.x);
    to.y = static_cast<Real>(from.y);
    to.z = static_cast<Real>(from.z);
}

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
        for (int i = 0; i < most_walks && t < 1.0 && here.distance - thickness > 1e-6 * way; ++i) {
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
    contact.depth = std::max(0.0, -contact.gap(start));
    contact.anchor = start - contact.gap(start) * normal;
    return true;
}

} // namespace

void Contacts::fit(std::size_t n) {
    if (reply_.size() == n) return;
    found_.resize(n);
    has_.resize(n);
    list_.reserve(n);
    place_.assign(n, none);
    for (auto* v : {&residual_, &search_, &precond_, &force_}) v->reserve(n);
    bars_.reserve(n);
    sum_ = BlockSum(n);
    reply_ = VertexArray<Vec3>(n); // last: then there is room for all
}

void Contacts::clear() {
    for (const Contact& c : list_) place_[c.vertex] = none;
    list_.clear();
}

void Contacts::find(const Touch& t, VertexArray<Vec3>& x) {
    touch_ = &t;
    t.jobs.ranges(x.size(), 8 * asked_together, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; i += asked_together)
            find_among(i, std::min(i + asked_together, last), x);
    });
    clear();
    for (std::size_t i = 0; i < x.size(); ++i)
        if (has_[i]) {
            place_[i] = static_cast<std::uint32_t>(list_.size());
            list_.push_back(found_[i]);
        }
    for (auto* v : {&residual_, &search_, &precond_, &force_}) v->resize(list_.size());
}

void Contacts::find_among(std::size_t begin, std::size_t end, VertexArray<Vec3>& x) {
    const Touch& t = *touch_;
    const BoundingSphere bounds = sphere_around({t.arrival.x_n + begin, end - begin});
    double near[asked_together]; // m: how near something has to be to matter
    double farthest = 0.0;       // that one of them may get from where it was
    for (std::size_t i = begin; i < end; ++i) {
        has_[i] = 0;
        // Forces and neighbours may carry it farther than it goes by itself.
        const double way = length(x[i] - t.arrival.x_n[i]);
        near[i - begin] = length(t.y[i] - x[i]) + way;
        const double far = near[i - begin] + way;
        if (!(far <= farthest)) farthest = far; // keeps a NaN
    }
    for (const Obstacle& obstacle : t.obstacles) {
        const double carried =
            length(obstacle.ride(bounds.centre)) + obstacle.ride.more_within(bounds.radius);
        if (!may_reach(bounds, obstacle, obstacle.def.thickness + farthest + 2.0 * carried))
            continue;
        for (std::size_t i = begin; i < end; ++i) {
            Contact contact{};
            if (t.held[i] || !meet(obstacle, t.arrival.x_n[i], x[i], near[i - begin], contact))
                continue;
            near[i - begin] = contact.gap(x[i]);
            contact.vertex = static_cast<std::uint32_t>(i);
            contact.grip = grip(obstacle, t.arrival, i, contact.normal);
            contact.friction = obstacle.def.kinetic_friction;
            contact.inertia = t.weights[i];
            found_[i] = contact;
            has_[i] = 1;
        }
    }
    for (std::size_t i = begin; i < end; ++i) {
        if (!has_[i]) continue;
        Contact& c = found_[i];
        const double gap = near[i - begin];
        c.drop = -std::min(gap, c.gap(t.y[i]));
        if (gap < 0.0) x[i] -= gap * c.normal;
        // What only static friction holds must begin where it is held: once it slides, kinetic
        // friction does not bring it back.
        if (gap < no_slip && c.grip > c.friction) x[i] = c.anchor;
    }
}

std::size_t Contacts::touching() const {
    return static_cast<std::size_t>(std::count_if(
        list_.begin(), list_.end(), [](const Contact& c) { return c.state != State::free; }));
}

void Contacts::guess(const VertexArray<Vec3>& x) {
    for (Contact& c : list_) {
        const Vec3 at = x[c.vertex];
        c.state = State::free;
        c.limit = 0.0;
        if (c.drop <= 0.0 || c.gap(at) > nearly * c.drop) continue;
        const double press = c.inertia * c.drop;
        const bool sticks = c.inertia * length(c.slip(at)) <= c.grip * press;
        c.state = sticks ? State::sticks : State::slides;
        c.limit = (sticks ? c.grip : c.friction) * press;
    }
}

template <class V>
std::size_t Contacts::judge(const VertexArray<Vec3>& x, const VertexArray<V>& gradient,
                            bool early) {
    std::size_t changes = 0;
    for (std::size_t k = 0; k < list_.size(); ++k) {
        Contact& c = list_[k];
        const Vec3 at = x[c.vertex], force = c.borne - force_[k];
        const double push = dot(widen(gradient[c.vertex]), c.normal), press = dot(force, c.normal);
        const double bearing = std::max(0.0, early ? std::min(press, push) : press);
        State state = c.state;
        switch (c.state) {
        case State::free:
            if (c.gap(at) <= on_plane && push > 0.0)
                state =
                    c.grip > 0.0 && length(c.slip(at)) < no_slip ? State::sticks : State::slides;
            c.limit = c.friction * push;
            break;
        case State::sticks:
            if (length(force - press * c.normal) > c.grip * bearing) state = State::slides;
            break;
        case State::slides: // back past its anchor, friction would bring it to rest there
            if (c.grip > 0.0 && dot(c.slip(at), c.way) <= 0.0) state = State::sticks;
        }
        if (c.state != State::free) {
            if (press < 0.0 && push < 0.0) state = State::free;
            c.limit = (state == State::sticks ? c.grip : c.friction) * bearing;
        }
        if (state == State::free) c.limit = 0.0;
        changes += state != c.state;
        c.state = state;
    }
    return changes;
}

template <class V>
void Contacts::decide(const VertexArray<Vec3>& x, const VertexArray<V>& gradient) {
    for (Contact& c : list_) {
        const Vec3 pull = widen(gradient[c.vertex]), at = x[c.vertex];
        const double push = dot(pull, c.normal), press = push - c.inertia * c.gap(at);
        c.state = State::free;
        c.limit = 0.0;
        if (press <= 0.0) continue;
        // Against the anchor, by itself, within the step.
        const Vec3 back = c.inertia * c.slip(at) - (pull - push * c.normal);
        const bool sticks = length(back) <= c.grip * press;
        c.state = sticks ? State::sticks : State::slides;
        c.limit = (sticks ? c.grip : c.friction) * press;
    }
}

template <class V>
void Contacts::bear(const VertexArray<Vec3>& x, VertexArray<V>& gradient) {
    for (Contact& c : list_) {
        const Vec3 pull = widen(gradient[c.vertex]);
        c.borne = c.barred(pull);
        if (c.state == State::free) continue;
        Vec3 left{};
        if (c.state == State::slides) {
            left = pull - c.borne;
            const Vec3 slip = c.slip(x[c.vertex]);
            c.way = direction(length(slip) > no_slip ? slip : -1.0 * left);
            left += c.limit * c.way;
        }
        put(gradient[c.vertex], left);
    }
}

// E^T Q E v.
void Contacts::times_q(const std::vector<Vec3>& v, std::vector<Vec3>& result) const {
    const Lists<Link>& links = touch_->springs.links;
    touch_->jobs.ranges(list_.size(), 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const Contact& c = list_[k];
            result[k] = {};
            if (c.state == State::free) continue;
            Vec3 sum = c.inertia * v[k];
            for (const Link* l = links.begin(c.vertex); l != links.end(c.vertex); ++l) {
                const std::uint32_t other = place_[l->other];
                sum += l->stiffness * (other == none ? v[k] : v[k] - v[other]);
            }
            result[k] = c.barred(sum);
        }
    });
}

double Contacts::product(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    return sum_(touch_->jobs, a.size(), [&](std::size_t k) { return dot(a[k], b[k]); });
}

template <class V>
void Contacts::hold(const VertexArray<Vec3>& x, VertexArray<V>& q) {
    const Touch& t = *touch_;
    for (std::size_t k = 0; k < list_.size(); ++k) {
        const Contact& c = list_[k];
        const Vec3 at = x[c.vertex];
        const Vec3 way = c.state == State::sticks ? at - c.anchor : c.gap(at) * c.normal;
        residual_[k] = c.barred(way - widen(q[c.vertex]));
        force_[k] = {};
    }
    times_q(residual_, precond_);
    search_ = precond_;
    double square = product(residual_, precond_);
    const double enough = hold_enough * square;
    for (int iteration = 0; iteration < hold_iterations && square > enough; ++iteration) {
        std::fill(reply_.begin(), reply_.end(), Vec3{});
        for (std::size_t k = 0; k < list_.size(); ++k) reply_[list_[k].vertex] = search_[k];
        solve(t.system, t.solve, t.jobs, reply_.data());
        const double curvature = sum_(t.jobs, list_.size(), [&](std::size_t k) {
            return dot(search_[k], reply_[list_[k].vertex]);
        });
        if (!(curvature > 0.0)) break;
        const double alpha = square / curvature;
        t.jobs.ranges(q.size(), 512, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) put(q[i], widen(q[i]) + alpha * reply_[i]);
        });
        for (std::size_t k = 0; k < list_.size(); ++k) {
            residual_[k] -= alpha * list_[k].barred(reply_[list_[k].vertex]);
            force_[k] += alpha * search_[k];
        }
        times_q(residual_, precond_);
        const double next = product(residual_, precond_), beta = next / square;
        square = next;
        for (std::size_t k = 0; k < list_.size(); ++k) search_[k] = precond_[k] + beta * search_[k];
    }
    for (std::size_t k = 0; k < list_.size(); ++k) {
        V& own = q[list_[k].vertex];
        put(own, widen(own) + residual_[k]);
    }
}

template <class V>
void Contacts::cut(VertexArray<V>& q) const {
    for (const Contact& c : list_) {
        const Vec3 move = widen(q[c.vertex]);
        put(q[c.vertex], move - c.barred(move));
    }
}

template <class V>
void Contacts::snap(const VertexArray<Vec3>& x, VertexArray<V>& move) const {
    for (const Contact& c : list_) {
        const Vec3 at = x[c.vertex];
        if (c.state == State::sticks) put(move[c.vertex], c.anchor - at);
        if (c.state == State::slides)
            put(move[c.vertex], widen(move[c.vertex]) - c.gap(at) * c.normal);
    }
}

void Contacts::clamp(VertexArray<Vec3>& trial) const {
    for (const Contact& c : list_) {
        Vec3& at = trial[c.vertex];
        if (const double gap = c.gap(at); gap < 0.0) at -= gap * c.normal;
    }
}

double Contacts::work(const VertexArray<Vec3>& x, const VertexArray<Vec3>& trial) const {
    double sum = 0.0;
    for (const Contact& c : list_)
        if (c.limit > 0.0)
            sum += c.limit * (length(c.slip(trial[c.vertex])) - length(c.slip(x[c.vertex])));
    return sum;
}

void Contacts::stiffen(const Pattern& pattern, double* values) const {
    constexpr double times = 1e6; // as stiff as the vertex is otherwise
    for (const Contact& c : list_) {
        if (c.state == State::free) continue;
        const int* column = pattern.column_start.data() + 3 * std::size_t{c.vertex};
        double* x = values + column[0];
        double* y = values + column[1];
        double* z = values + column[2];
        const double weight = times * (x[0] + y[0] + z[0]);
        const bool sticks = c.state == State::sticks;
        const Vec3 n = c.normal;
        x[0] += weight * (sticks ? 1.0 : n.x * n.x);
        y[0] += weight * (sticks ? 1.0 : n.y * n.y);
        z[0] += weight * (sticks ? 1.0 : n.z * n.z);
        if (sticks) continue;
        x[1] += weight * n.x * n.y;
        x[2] += weight * n.x * n.z;
        y[1] += weight * n.y * n.z;
    }
}

std::span<const CoarseBar> Contacts::bars() {
    bars_.clear();
    for (const Contact& c : list_)
        if (c.state != State::free)
            bars_.push_back({c.vertex, c.normal,
                             c.inertia + stiffness_at(touch_->springs, c.vertex),
                             c.state == State::sticks});
    return bars_;
}

void Contacts::calm(double h, VertexArray<Vec3>& velocity) const {
    for (const Contact& c : list_) {
        if (c.depth == 0.0 || c.state == State::free) continue;
        // The anchor has gone with the obstacle, and out of it.
        const double carried =
            (dot(c.anchor - touch_->arrival.x_n[c.vertex], c.normal) - c.depth) / h;
        const double leaving = dot(velocity[c.vertex], c.normal) - carried;
        if (leaving > 0.0) velocity[c.vertex] -= std::min(leaving, c.depth / h) * c.normal;
    }
}

template std::size_t Contacts::judge(const VertexArray<Vec3>&, const VertexArray<Float4>&, bool);
template std::size_t Contacts::judge(const VertexArray<Vec3>&, const VertexArray<Vec3>&, bool);
template void Contacts::decide(const VertexArray<Vec3>&, const VertexArray<Float4>&);
template void Contacts::decide(const VertexArray<Vec3>&, const VertexArray<Vec3>&);
template void Contacts::bear(const VertexArray<Vec3>&, VertexArray<Float4>&);
template void Contacts::bear(const VertexArray<Vec3>&, VertexArray<Vec3>&);
template void Contacts::hold(const VertexArray<Vec3>&, VertexArray<Float4>&);
template void Contacts::hold(const VertexArray<Vec3>&, VertexArray<Vec3>&);
template void Contacts::cut(VertexArray<Float4>&) const;
template void Contacts::cut(VertexArray<Vec3>&) const;
template void Contacts::snap(const VertexArray<Vec3>&, VertexArray<Float4>&) const;
template void Contacts::snap(const VertexArray<Vec3>&, VertexArray<Vec3>&) const;

} // namespace twang::core
