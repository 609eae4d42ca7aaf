#include "contact/vertex_spheres.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

constexpr double margin = 0.1;   // of the sum of two radii: what forces may bring together
constexpr double farthest = 4.0; // radii that a ball goes in a step, as far as it is looked for
constexpr std::size_t most_near = 12;  // partners that one ball asks for
constexpr double cells_per_ball = 8.0; // of the grid

std::int32_t cell_of(double coordinate, double cell) {
    // Far away all share the outermost cells.
    return static_cast<std::int32_t>(std::floor(std::clamp(coordinate / cell, -1e9, 1e9)));
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
    start_.reserve(static_cast<std::size_t>(std::max(27.0, cells_per_ball * n)) + 2);
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
    largest_ = smallest_ = 0.0;
}

void Particles::add(const Balls& b) {
    first_.push_back(static_cast<std::uint32_t>(balls_.size()));
    const auto body = static_cast<std::uint32_t>(bodies_.size());
    bodies_.push_back(b);
    largest_ = std::max(largest_, b.radius);
    smallest_ = bodies_.size() == 1 ? b.radius : std::min(smallest_, b.radius);
    for (std::uint32_t i = 0; i < b.model->vertex_count(); ++i)
        balls_.push_back({b.from[i], b.to[i], b.radius, b.friction, body, i});
}

// The cells of the grid are folded onto a torus that has at least three each way and not many more
// than there are balls: what shares a cell only because of that is told apart by its distance.
void Particles::fold_grid() {
    Vec3 low = unsorted_[0].middle, high = low;
    for (const Seat& seat : unsorted_) {
        low = least(low, seat.middle);
        high = greatest(high, seat.middle);
    }
    const double extent[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    const double most = std::max(27.0, cells_per_ball * static_cast<double>(balls_.size()));
    double counts[3];
    for (int axis = 0; axis < 3; ++axis)
        counts[axis] = std::clamp(std::floor(extent[axis] / cell_) + 1.0, 3.0, most);
    while (counts[0] * counts[1] * counts[2] > most) {
        double& largest_count = *std::max_element(counts, counts + 3);
        largest_count = std::max(3.0, std::floor(0.75 * largest_count));
    }
    for (int axis = 0; axis < 3; ++axis) cells_[axis] = static_cast<std::int32_t>(counts[axis]);
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
    fold_grid();
    start_.assign(std::size_t(cells_[0]) * cells_[1] * cells_[2] + 1, 0);
    for (Seat& seat : unsorted_) {
        const double at[3] = {seat.middle.x, seat.middle.y, seat.middle.z};
        for (int axis = 0; axis < 3; ++axis) {
            const std::int32_t folded = cell_of(at[axis], cell_) % cells_[axis];
            seat.cell[axis] = folded < 0 ? folded + cells_[axis] : folded;
        }
        ++start_[index_of(seat.cell[0], seat.cell[1], seat.cell[2]) + 1];
    }
    for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
    seats_.resize(unsorted_.size());
    for (std::size_t i = unsorted_.size(); i-- > 0;) { // from the back: start_ ends as it was
        const std::int32_t* cell = unsorted_[i].cell;
        seats_[--start_[index_of(cell[0], cell[1], cell[2]) + 1]] = unsorted_[i];
    }
    for (std::size_t i = 0; i + 1 < start_.size(); ++i) start_[i] = start_[i + 1];
    start_.back() = static_cast<std::uint32_t>(balls_.size());
}

// Balls of one body that a spring joins, or that are as close at rest; unless it is torn.
bool Particles::excluded(const Ball& a, const Ball& b) const {
    if (a.body != b.body) return false;
    const Balls& body = bodies_[a.body];
    const Model& model = *body.model;
    const Vec3 rest = model.rest_positions[a.vertex] - model.rest_positions[b.vertex];
    const double close = 1.01 * (a.radius + b.radius);
    const bool rests_close = dot(rest, rest) < close * close;
    if (rests_close && !body.own_springs) return true;
    const Link* const end = model.links.end(a.vertex);
    const Link* const link = std::find_if(model.links.begin(a.vertex), end,
                                          [&](const Link& l) { return l.other == b.vertex; });
    if (link != end) return !body.own_springs || !body.own_springs->is_broken(link->spring);
    return rests_close;
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

void Particles::look_among(const Seat& seat, std::size_t begin, std::size_t end, NearPair* found,
                           std::uint8_t& count) const {
    const double own_reach = (2.0 + 2.0 * margin) * largest_ + seat.spread;
    for (std::size_t other = begin; other < end; ++other) {
        const Seat& o = seats_[other];
        const Vec3 off = seat.middle - o.middle;
        const double far = own_reach + o.spread;
        if (dot(off, off) > far * far) continue;
        NearPair pair{std::min(seat.ball, o.ball), std::max(seat.ball, o.ball), {}};
        if (count < most_near && is_near(balls_[pair.a], balls_[pair.b], pair.side))
            found[count++] = pair;
    }
}

// Half of the cells around: the other half looks this way. Three in a row lie side by side.
void Particles::look_around(std::size_t at) {
    const Seat& seat = seats_[at];
    NearPair* found = room_.data() + most_near * at;
    std::uint8_t& count = found_[at] = 0;
    const std::int32_t x = seat.cell[0], last = cells_[0] - 1;
    const auto folded = [&](std::int32_t cell, int axis) {
        return cell < 0 ? cell + cells_[axis] : cell >= cells_[axis] ? cell - cells_[axis] : cell;
    };
    const auto look = [&](std::size_t first_cell, std::size_t last_cell) {
        look_among(seat, start_[first_cell], start_[last_cell + 1], found, count);
    };
    const std::size_t own = index_of(x, seat.cell[1], seat.cell[2]);
    look_among(seat, at + 1, start_[own + (x < last) + 1], found, count);
    if (x == last) look(own - last, own - last);
    constexpr std::int32_t rows[4][2] = {{1, 0}, {-1, 1}, {0, 1}, {1, 1}}; // y, z
    for (const auto& [y, z] : rows) {
        const std::size_t middle =
            index_of(x, folded(seat.cell[1] + y, 1), folded(seat.cell[2] + z, 2));
        look(middle - (x > 0), middle + (x < last));
        if (x == 0) look(middle + last, middle + last);
        if (x == last) look(middle - last, middle - last);
    }
}

bool Particles::move_ends(std::span<const Vec3* const> to, double share) {
    Vec3 mean{};
    for (const Ball& ball : balls_) mean += to[ball.body][ball.vertex] - ball.to;
    mean = (1.0 / static_cast<double>(balls_.size())) * mean;
    // Two of them, each this much off what all are in the mean.
    const double most = (1.0 + margin - share) * smallest_;
    for (const Ball& ball : balls_) {
        const Vec3 off = to[ball.body][ball.vertex] - ball.to - mean;
        if (!(dot(off, off) < most * most)) return false;
    }
    for (Ball& ball : balls_) ball.to = to[ball.body][ball.vertex];
    return true;
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
