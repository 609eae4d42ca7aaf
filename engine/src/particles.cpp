#include "particles.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

constexpr double margin = 0.1;   // of the sum of two radii: what forces may bring together
constexpr double farthest = 4.0; // radii that a ball goes in a step, as far as it is looked for
constexpr std::size_t most_near = 12; // partners that one ball asks for

std::int32_t cell_of(double coordinate, double cell) {
    // Far away all share the outermost cells.
    return static_cast<std::int32_t>(std::floor(std::clamp(coordinate / cell, -1e9, 1e9)));
}

std::size_t power_of_two(std::size_t least) {
    std::size_t power = 1;
    while (power < least) power *= 2;
    return power;
}

} // namespace

Status check_particles(double radius, double friction) {
    for (const double value : {radius, friction})
        if (!std::isfinite(value))
            return fail(TWANG_NOT_FINITE, "a number of the particles is %g", value);
    if (radius < 0.0 || friction < 0.0)
        return fail(TWANG_OUT_OF_RANGE, "radius %g and friction %g of particles must be at least 0",
                    radius, friction);
    return TWANG_OK;
}

void Particles::reserve(std::size_t n) {
    if (n <= balls_.capacity()) return;
    bodies_.reserve(n); // a body has a vertex at least
    first_.reserve(n);
    seats_.reserve(n);
    unsorted_.reserve(n);
    start_.reserve(power_of_two(n) + 2);
    found_.reserve(n);
    room_.reserve(most_near * n);
    pairs_.reserve(most_near * n);
    balls_.reserve(n); // last: then there is room for all
}

void Particles::clear() {
    balls_.clear();
    bodies_.clear();
    first_.clear();
    pairs_.clear();
    largest_ = 0.0;
}

void Particles::add(const Balls& b) {
    first_.push_back(static_cast<std::uint32_t>(balls_.size()));
    const auto body = static_cast<std::uint32_t>(bodies_.size());
    bodies_.push_back(b);
    largest_ = std::max(largest_, b.radius);
    for (std::uint32_t i = 0; i < b.model->vertex_count(); ++i)
        balls_.push_back({b.from[i], b.to[i], b.radius, b.friction, body, i});
}

std::uint32_t Particles::bucket(const std::int32_t cell[3]) const {
    const std::uint32_t hash = static_cast<std::uint32_t>(cell[0]) * 73856093u ^
                               static_cast<std::uint32_t>(cell[1]) * 19349663u ^
                               static_cast<std::uint32_t>(cell[2]) * 83492791u;
    return hash & static_cast<std::uint32_t>(start_.size() - 2);
}

void Particles::seat_all() {
    Vec3 mean{};
    for (const Ball& ball : balls_) mean += ball.to - ball.from;
    mean = (1.0 / static_cast<double>(balls_.size())) * mean;
    unsorted_.clear();
    double longest = 0.0;
    for (const Ball& ball : balls_) {
        const double spread = 0.5 * length(ball.to - ball.from - mean);
        longest = std::max(longest, spread);
        unsorted_.push_back({0.5 * (ball.from + ball.to),
                             spread,
                             static_cast<std::uint32_t>(unsorted_.size()),
                             {}});
    }
    // Two that touch anywhere on their ways are in neighbouring cells.
    cell_ = (2.0 + 2.0 * margin) * largest_ + 2.0 * std::min(longest, 0.5 * farthest * largest_);
    start_.assign(power_of_two(balls_.size()) + 1, 0);
    for (Seat& seat : unsorted_) {
        seat.cell[0] = cell_of(seat.middle.x, cell_);
        seat.cell[1] = cell_of(seat.middle.y, cell_);
        seat.cell[2] = cell_of(seat.middle.z, cell_);
        ++start_[bucket(seat.cell) + 1];
    }
    for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
    seats_.resize(unsorted_.size());
    for (std::size_t i = unsorted_.size(); i-- > 0;) // from the back: start_ ends as it was
        seats_[--start_[bucket(unsorted_[i].cell) + 1]] = unsorted_[i];
    for (std::size_t i = 0; i + 1 < start_.size(); ++i) start_[i] = start_[i + 1];
    start_.back() = static_cast<std::uint32_t>(balls_.size());
}

// Balls of one body that a spring joins, or that are as close at rest; unless it is torn.
bool Particles::excluded(const Ball& a, const Ball& b) const {
    if (a.body != b.body) return false;
    const Balls& body = bodies_[a.body];
    const Model& model = *body.model;
    const Link* const end = model.links.end(a.vertex);
    const Link* const link = std::find_if(model.links.begin(a.vertex), end,
                                          [&](const Link& l) { return l.other == b.vertex; });
    if (link != end) return !body.own_springs || !body.own_springs->is_broken(link->spring);
    const Vec3 rest = model.rest_positions[a.vertex] - model.rest_positions[b.vertex];
    return length(rest) < 1.01 * (a.radius + b.radius);
}

bool Particles::is_near(const Ball& a, const Ball& b, Vec3& side) const {
    const double reach = a.radius + b.radius, far = (1.0 + margin) * reach;
    const Vec3 was = a.from - b.from, way = (a.to - b.to) - was;
    // |was + t way| is least at t = closest.
    const double square = dot(way, way), along = dot(was, way), start = dot(was, was);
    double t = square > 0.0 ? std::clamp(-along / square, 0.0, 1.0) : 0.0;
    const Vec3 nearest = was + t * way;
    if (!(dot(nearest, nearest) < far * far) || excluded(a, b)) return false;
    if (start <= reach * reach) {
        t = 0.0; // the side it was on counts, so that it comes back where it went through
    } else if (const double discriminant = along * along - square * (start - reach * reach);
               dot(nearest, nearest) < reach * reach && discriminant > 0.0) {
        t = std::min(t, (-along - std::sqrt(discriminant)) / square);
    }
    const Vec3 off = was + t * way;
    const double apart = length(off);
    // At the very same place any direction will do, if it is always the same.
    side = apart > 0.0 ? (1.0 / apart) * off : Vec3{0.0, 1.0, 0.0};
    return true;
}

void Particles::look_around(std::size_t at) {
    const Seat& seat = seats_[at];
    NearPair* found = room_.data() + most_near * at;
    std::uint8_t count = 0;
    // Half of the cells around: the other half looks this way.
    for (std::int32_t k = 13; k < 27; ++k) {
        const std::int32_t cell[3] = {seat.cell[0] + k % 3 - 1, seat.cell[1] + k / 3 % 3 - 1,
                                      seat.cell[2] + k / 9 - 1};
        const std::uint32_t b = bucket(cell);
        for (std::size_t other = k == 13 ? at + 1 : start_[b]; other < start_[b + 1]; ++other) {
            const Seat& o = seats_[other];
            const Vec3 off = seat.middle - o.middle;
            const double far = (2.0 + 2.0 * margin) * largest_ + seat.spread + o.spread;
            if (dot(off, off) > far * far || !std::equal(cell, cell + 3, o.cell)) continue;
            NearPair pair{std::min(seat.ball, o.ball), std::max(seat.ball, o.ball), {}};
            if (count < most_near && is_near(balls_[pair.a], balls_[pair.b], pair.side))
                found[count++] = pair;
        }
    }
    found_[at] = count;
}

std::span<const NearPair> Particles::find(Jobs& jobs) {
    pairs_.clear();
    if (balls_.empty()) return pairs_;
    seat_all();
    room_.resize(most_near * balls_.size());
    found_.resize(balls_.size());
    jobs.ranges(seats_.size(), 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; ++at) look_around(at);
    });
    for (std::size_t at = 0; at < seats_.size(); ++at)
        pairs_.insert(pairs_.end(), room_.data() + most_near * at,
                      room_.data() + most_near * at + found_[at]);
    return pairs_;
}

} // namespace twang::core
