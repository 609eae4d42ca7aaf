#include "particles.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

constexpr double lying = 0.1; // radii: a ball this near to an obstacle lies on it

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

void Particles::clear() {
    balls_.clear();
    models_.clear();
    largest_ = farthest_ = 0.0;
}

std::uint32_t Particles::add(const Balls& b, std::span<const Obstacle> obstacles) {
    const auto first = static_cast<std::uint32_t>(balls_.size());
    const auto body = static_cast<std::uint32_t>(models_.size());
    models_.push_back(b.model);
    largest_ = std::max(largest_, b.radius);
    farthest_ = std::max(farthest_, b.farthest);
    for (std::size_t i = 0; i < b.model->vertex_count(); ++i) {
        Ball ball{};
        ball.x = ball.now = b.x[i];
        ball.radius = b.radius;
        ball.friction = b.friction;
        ball.give = b.held[i] ? 0.0 : 1.0 / b.model->masses[i];
        ball.body = body;
        ball.vertex = static_cast<std::uint32_t>(i);
        for (const Obstacle& o : obstacles)
            if (distance_to(o, b.x[i] + o.ride(b.x[i])).distance <
                o.def.thickness + lying * b.radius)
                ball.give = 0.0;
        balls_.push_back(ball);
    }
    return first;
}

void Particles::follow(std::uint32_t first, std::span<const Vec3> x) {
    for (std::size_t i = 0; i < x.size(); ++i) balls_[first + i].now = x[i];
}

std::uint32_t Particles::bucket(const std::int32_t cell[3]) const {
    const std::uint32_t hash = static_cast<std::uint32_t>(cell[0]) * 73856093u ^
                               static_cast<std::uint32_t>(cell[1]) * 19349663u ^
                               static_cast<std::uint32_t>(cell[2]) * 83492791u;
    return hash & static_cast<std::uint32_t>(start_.size() - 2);
}

void Particles::sort() {
    // Wide enough for two balls that come as close as they can, up to a few radii a step.
    cell_ = 2.0 * largest_ + 2.0 * std::min(farthest_, 2.0 * largest_);
    std::size_t buckets = 1;
    while (buckets < balls_.size()) buckets *= 2;
    start_.assign(buckets + 1, 0);
    order_.resize(balls_.size());
    moves_.resize(balls_.size());
    for (Ball& ball : balls_) {
        ball.cell[0] = cell_of(ball.x.x, cell_);
        ball.cell[1] = cell_of(ball.x.y, cell_);
        ball.cell[2] = cell_of(ball.x.z, cell_);
        ++start_[bucket(ball.cell) + 1];
    }
    for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
    for (std::size_t i = balls_.size(); i-- > 0;) // from the back: start_ ends as it was
        order_[--start_[bucket(balls_[i].cell) + 1]] = static_cast<std::uint32_t>(i);
    for (std::size_t i = 0; i + 1 < start_.size(); ++i) start_[i] = start_[i + 1];
    start_.back() = static_cast<std::uint32_t>(balls_.size());
}

// Balls of one body that a spring joins, or that are as close at rest.
bool Particles::excluded(const Ball& a, const Ball& b) const {
    if (a.body != b.body) return false;
    if (a.vertex == b.vertex) return true;
    const Model& model = *models_[a.body];
    const Vec3 rest = model.rest_positions[a.vertex] - model.rest_positions[b.vertex];
    if (length(rest) < 1.01 * (a.radius + b.radius)) return true;
    const Link* const end = model.links.end(a.vertex);
    return std::any_of(model.links.begin(a.vertex), end,
                       [&](const Link& link) { return link.other == b.vertex; });
}

// What moves a ball away from those it is too close to: the mean of what each of them asks for.
Vec3 Particles::way_out(const Ball& a) const {
    Vec3 sum{};
    int count = 0;
    for (std::int32_t at = 0; at < 27 && a.give > 0.0; ++at) {
        const std::int32_t cell[3] = {a.cell[0] + at % 3 - 1, a.cell[1] + at / 3 % 3 - 1,
                                      a.cell[2] + at / 9 - 1};
        const std::uint32_t b = bucket(cell);
        for (std::uint32_t k = start_[b]; k < start_[b + 1]; ++k) {
            const Ball& other = balls_[order_[k]];
            if (!std::equal(cell, cell + 3, other.cell)) continue;
            const Vec3 was = a.x - other.x, off = a.now - other.now;
            const double reach = a.radius + other.radius, apart = length(was);
            if (!(apart > 0.0)) continue;
            // The side it was on counts, so that it comes back where it went through.
            const Vec3 side = (1.0 / apart) * was;
            const double height = dot(off, side), distance = length(off);
            const bool through = height <= 0.0 && length(off - height * side) < reach;
            if ((distance >= reach && !through) || excluded(a, other)) continue;
            const Vec3 normal = through ? side : (1.0 / distance) * off;
            const double push = reach - (through ? height : distance);
            const Vec3 rub = off - was, slip = rub - dot(rub, normal) * normal;
            const double limit = std::min(a.friction, other.friction) * push, path = length(slip);
            const double share = a.give / (a.give + other.give);
            sum += share * (push * normal - (path > limit ? limit / path : 1.0) * slip);
            ++count;
        }
    }
    return count > 0 ? (1.0 / count) * sum : sum;
}

bool Particles::part(Jobs& jobs) {
    jobs.ranges(balls_.size(), 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) moves_[i] = way_out(balls_[i]);
    });
    bool moved = false;
    for (std::size_t i = 0; i < balls_.size(); ++i) {
        if (moves_[i].x == 0.0 && moves_[i].y == 0.0 && moves_[i].z == 0.0) continue;
        balls_[i].now += moves_[i];
        moved = true;
    }
    return moved;
}

} // namespace twang::core
