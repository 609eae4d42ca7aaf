#include "contacts.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

using State = Contact::State;

constexpr double no_slip = 1e-6;  // m: below, a slip has no direction of its own
constexpr double on_plane = 1e-9; // m
constexpr double nearly = 0.01;   // on the plane, of the way that forces would press a vertex in
constexpr double shallow = 1e-3;  // of a body's size: what is put outside at the end of a step
constexpr int most_walks = 64;    // along the way of a vertex

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
    contact.carried = obstacle.ride.rise(foot, normal);
    contact.anchor = start - contact.gap(start) * normal;
    return true;
}

} // namespace

void Contacts::fit(std::size_t n, std::size_t links, bool is_float) {
    if (found_.size() != n) {
        list_.reserve(n);
        barred_.reserve(n);
        bars_.reserve(n);
        has_.resize(n);
        found_.resize(n); // last: then there is room for all
    }
    holding_.fit(n, links, is_float);
}

void Contacts::find(const Touch& t, VertexArray<Vec3>& x) {
    touch_ = &t;
    std::fill(has_.begin(), has_.end(), char{0});
    search(x, Crossed::maybe);
    collect();
    put_in_front(x);
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
    const VertexGroups& groups = touch_->groups;
    touch_->body.jobs.ranges(groups.count(), groups_per_job,
                             [&](std::size_t first, std::size_t last) {
                                 for (std::size_t group = first; group < last; ++group)
                                     search_among(groups[group], x, crossed);
                             });
}

void Contacts::collect() {
    list_.clear();
    for (std::size_t i = 0; i < has_.size(); ++i)
        if (has_[i]) list_.push_back(found_[i]);
}

void Contacts::search_among(std::span<const std::uint32_t> vertices, const VertexArray<Vec3>& x,
                            Crossed crossed) {
    const Touch& t = *touch_;
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
        const double deep = std::max(thickness, shallow * t.size);
        double reach[VertexGroups::size];
        for (std::size_t k = 0; k < start.count; ++k) {
            reach[k] = crossed == Crossed::deeply ? std::min(near[k], -deep) : near[k];
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
            contact.grip = grip(obstacle, t.arrival, i, contact.normal);
            contact.friction = obstacle.def.kinetic_friction;
            contact.inertia = t.body.weights[i];
            found_[i] = contact;
            has_[i] = 1;
        }
    }
}

void Contacts::put_in_front(VertexArray<Vec3>& x) {
    holding_.start();
    for (Contact& c : list_) {
        Vec3& at = x[c.vertex];
        const double gap = c.gap(at);
        c.state = State::free;
        c.drop = -std::min(gap, c.gap(touch_->y[c.vertex]));
        if (gap < 0.0) at -= gap * c.normal;
        // What only static friction holds must begin where it is held: once it slides, kinetic
        // friction does not bring it back.
        if (gap < no_slip && c.grip > c.friction) at = c.anchor;
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
std::size_t Contacts::judge(const VertexArray<Vec3>& x, const VertexArray<V>& gradient) {
    std::size_t changes = 0;
    for (Contact& c : list_) {
        const Vec3 at = x[c.vertex], force = c.borne - c.kept;
        const double push = dot(widen(gradient[c.vertex]), c.normal), press = dot(force, c.normal);
        const double bearing = std::max(0.0, std::min(press, push));
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
        const double stiff = c.inertia + stiffness_at(touch_->body.springs, c.vertex);
        const double push = dot(pull, c.normal), press = push - stiff * c.gap(at);
        const State last = c.state;
        c.state = State::free;
        c.limit = 0.0;
        if (press <= 0.0) continue;
        // What slides comes to rest when it is led back past its anchor. The others are judged by
        // where they would go by themselves.
        const Vec3 back = stiff * c.slip(at) - (pull - push * c.normal);
        const bool sticks = last == State::slides ? c.grip > 0.0 && dot(c.slip(at), c.way) <= 0.0
                                                  : length(back) <= c.grip * press;
        c.state = sticks ? State::sticks : State::slides;
        c.limit = (sticks ? c.grip : c.friction) * press;
    }
}

template <class V>
void Contacts::bear(const VertexArray<Vec3>& x, VertexArray<V>& gradient) {
    for (Contact& c : list_) {
        const Vec3 pull = widen(gradient[c.vertex]);
        c.borne = c.barred(pull);
        c.turning = 0.0;
        if (c.state == State::free) continue;
        Vec3 left{};
        if (c.state == State::slides) {
            left = pull - c.borne;
            const Vec3 slip = c.slip(x[c.vertex]);
            const double path = length(slip);
            c.way = direction(path > no_slip ? slip : -1.0 * left);
            c.turning = c.limit / std::max(path, no_slip);
            left += c.limit * c.way;
        }
        put(gradient[c.vertex], left);
    }
}

template <class V>
void Contacts::hold(const VertexArray<Vec3>& x, VertexArray<V>& q) {
    barred_.clear();
    for (const Contact& c : list_)
        if (c.state != State::free)
            barred_.push_back(
                {c.vertex, c.state == State::sticks, c.normal, -1.0 * c.way_back(x[c.vertex])});
    holding_.hold(touch_->body, barred_, q);
    auto barred = barred_.begin();
    for (Contact& c : list_) c.kept = c.state == State::free ? Vec3{} : (barred++)->force;
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

template <class V>
double Contacts::slope(const VertexArray<Vec3>& x, const VertexArray<V>& move) const {
    double sum = 0.0;
    for (const Contact& c : list_) {
        sum += dot(c.borne, widen(move[c.vertex]));
        if (c.state == State::sticks) sum -= c.limit * length(c.slip(x[c.vertex]));
    }
    return sum;
}

template <class V>
void Contacts::rub(const VertexArray<V>& p, VertexArray<V>& product) const {
    for (const Contact& c : list_) {
        const Vec3 sum = widen(product[c.vertex]) + c.turning * c.aside(widen(p[c.vertex]));
        put(product[c.vertex], sum - c.barred(sum));
    }
}

void Contacts::stiffen(const Pattern& pattern, const VertexArray<Vec3>& x, double* values,
                       VertexArray<Vec3>& rhs) const {
    constexpr double times = 1e6; // as stiff as the vertex is otherwise
    for (const Contact& c : list_) {
        if (c.state == State::free) continue;
        const int* column = pattern.column_start.data() + 3 * std::size_t{c.vertex};
        double* block[3] = {values + column[0], values + column[1], values + column[2]};
        const double weight = times * (block[0][0] + block[1][0] + block[2][0]);
        rhs[c.vertex] += weight * c.way_back(x[c.vertex]);
        for (int a = 0; a < 3; ++a) {
            const Vec3 axis{a == 0 ? 1.0 : 0.0, a == 1 ? 1.0 : 0.0, a == 2 ? 1.0 : 0.0};
            const Vec3 added = weight * c.barred(axis) + c.turning * c.aside(axis);
            for (int b = a; b < 3; ++b) block[a][b - a] += (&added.x)[b];
        }
    }
}

std::span<const CoarseBar> Contacts::bars() {
    bars_.clear();
    for (const Contact& c : list_)
        if (c.state != State::free)
            bars_.push_back({c.vertex, c.normal,
                             c.inertia + stiffness_at(touch_->body.springs, c.vertex),
                             c.state == State::sticks});
    return bars_;
}

void Contacts::calm(double h, VertexArray<Vec3>& velocity) const {
    for (const Contact& c : list_) {
        if (c.state == State::free) continue;
        const double leaving = dot(velocity[c.vertex], c.normal) - c.carried / h;
        if (leaving > 0.0) velocity[c.vertex] -= leaving * c.normal;
    }
}

template std::size_t Contacts::judge(const VertexArray<Vec3>&, const VertexArray<Float4>&);
template std::size_t Contacts::judge(const VertexArray<Vec3>&, const VertexArray<Vec3>&);
template void Contacts::decide(const VertexArray<Vec3>&, const VertexArray<Float4>&);
template void Contacts::decide(const VertexArray<Vec3>&, const VertexArray<Vec3>&);
template void Contacts::bear(const VertexArray<Vec3>&, VertexArray<Float4>&);
template void Contacts::bear(const VertexArray<Vec3>&, VertexArray<Vec3>&);
template void Contacts::hold(const VertexArray<Vec3>&, VertexArray<Float4>&);
template void Contacts::hold(const VertexArray<Vec3>&, VertexArray<Vec3>&);
template void Contacts::cut(VertexArray<Float4>&) const;
template void Contacts::cut(VertexArray<Vec3>&) const;
template double Contacts::slope(const VertexArray<Vec3>&, const VertexArray<Float4>&) const;
template double Contacts::slope(const VertexArray<Vec3>&, const VertexArray<Vec3>&) const;
template void Contacts::rub(const VertexArray<Float4>&, VertexArray<Float4>&) const;
template void Contacts::rub(const VertexArray<Vec3>&, VertexArray<Vec3>&) const;
template void Contacts::snap(const VertexArray<Vec3>&, VertexArray<Float4>&) const;
template void Contacts::snap(const VertexArray<Vec3>&, VertexArray<Vec3>&) const;

} // namespace twang::core
