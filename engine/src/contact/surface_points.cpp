#include "contact/surface_points.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

constexpr int max_walks = 64; // along the way of a point
constexpr std::size_t elements_per_job = 1024, candidates_per_job = 16;
// How much nearer than its corners a point has to be: of the thickness, and of the body's size.
constexpr double worthwhile = 0.05, worthwhile_of_size = 1e-5;
constexpr double stretched = 1.25; // by how much edges are at most, where they are sought
constexpr std::uint32_t none = 0xFFFFFFFFu;

// Calls f(vertices) with the two or three of an element.
template <class F>
auto with_vertices(const Model& model, std::uint32_t element, F&& f) {
    if (element < model.edges.size()) {
        const Edge& edge = model.edges[element];
        const std::uint32_t vertices[2] = {edge.a, edge.b};
        return f(vertices);
    }
    const std::uint32_t* corner = &model.triangles[3 * (element - model.edges.size())];
    const std::uint32_t vertices[3] = {corner[0], corner[1], corner[2]};
    return f(vertices);
}

std::size_t element_count(const Model& model) {
    return model.edges.size() + model.triangles.size() / 3;
}

} // namespace

double stiffness_at(const SpringSet& springs, std::size_t vertex) {
    double sum = 0.0;
    for (const Link* l = springs.links.begin(vertex); l != springs.links.end(vertex); ++l)
        sum += l->stiffness;
    return sum;
}

bool meet(const Obstacle& obstacle, Vec3 from, Vec3 to, double reach, Contact& contact,
          const Distance* known) {
    if (obstacle.def.penalty > 0.0) return false;
    const double thickness = obstacle.def.thickness;
    const Vec3 start = from + obstacle.ride(from), path = to - start;
    const double way = length(path);
    const Distance before = distance_to(obstacle, start);
    if (before.distance - thickness > way + reach) return false;
    const Distance after = known ? *known : distance_to(obstacle, to);
    Vec3 normal = after.normal, foot = to - (after.distance - thickness) * normal;
    if (before.distance > 0.0 && dot(before.normal, normal) < 0.5) {
        // On another side than before: walk the way in steps no longer than the distance left.
        double t = 0.0;
        Distance here = before;
        for (int i = 0; i < max_walks && t < 1.0 && here.distance - thickness > 1e-6 * way; ++i) {
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
    contact.rise = obstacle.ride.rise(foot, normal);
    contact.anchor = start - contact.gap(start) * normal;
    return true;
}

void SurfacePoints::fit(const Model& model) {
    const std::size_t n = model.vertex_count(), elements = element_count(model);
    if (at_.size() == n) return;
    longest_ = 0.0;
    for (const Edge& edge : model.edges)
        longest_ =
            std::max(longest_, length(model.rest_positions[edge.a] - model.rest_positions[edge.b]));
    near_.resize(n);
    marks_.resize(elements);
    place_.assign(elements, none);
    candidates_.reserve(n);
    made_.resize(n);
    is_made_.resize(n);
    contacts_.reserve(n);
    elements_.reserve(n);
    at_.resize(n); // last: then there is room for all
}

void SurfacePoints::clear() {
    for (const std::uint32_t element : elements_) place_[element] = none;
    contacts_.clear();
    elements_.clear();
}

void SurfacePoints::find(const ContactInput& input, const VertexArray<Vec3>& x) {
    input_ = &input;
    x_ = x.data();
    clear();
    for (const Obstacle& obstacle : input.obstacles) {
        if (!obstacle.def.between_vertices || obstacle.def.penalty > 0.0) continue;
        measure(obstacle);
        mark(obstacle);
        candidates_.clear();
        for (std::uint32_t e = 0; e < marks_.size(); ++e)
            if (marks_[e] && candidates_.size() < made_.size()) candidates_.push_back(e);
        input.jobs.ranges(candidates_.size(), candidates_per_job,
                          [&](std::size_t k, std::size_t end) {
                              for (; k < end; ++k)
                                  is_made_[k] = make(obstacle, candidates_[k], made_[k]);
                          });
        for (std::size_t k = 0; k < candidates_.size(); ++k) {
            if (!is_made_[k]) continue;
            std::uint32_t& place = place_[candidates_[k]];
            const auto gap = [&](const Contact& c) { return c.gap(c.point.at(x_)); };
            if (place != none) {
                if (gap(made_[k]) < gap(contacts_[place])) contacts_[place] = made_[k];
            } else if (contacts_.size() < at_.size()) {
                place = static_cast<std::uint32_t>(contacts_.size());
                contacts_.push_back(made_[k]);
                elements_.push_back(candidates_[k]);
            }
        }
    }
}

// Distances of all vertices that may belong to an edge or a triangle within reach.
void SurfacePoints::measure(const Obstacle& obstacle) {
    const ContactInput& t = *input_;
    const double thickness = obstacle.def.thickness, edge = stretched * longest_;
    const auto measure_group = [&](std::span<const std::uint32_t> vertices) {
        const GroupPoints points(vertices, x_);
        Rejection rejection{};
        double farthest = 0.0;
        for (std::size_t k = 0; k < vertices.size(); ++k) {
            const std::uint32_t i = vertices[k];
            near_[i] = length(t.y[i] - x_[i]) + length(x_[i] - t.arrival.x_n[i]);
            rejection.reach[k] = thickness + near_[i] + edge;
            if (!(rejection.reach[k] <= farthest)) farthest = rejection.reach[k]; // keeps a NaN
        }
        const bool may = may_reach(points.bounds(), obstacle, farthest);
        if (may) reject(points, obstacle, rejection);
        for (std::size_t k = 0; k < vertices.size(); ++k) {
            const std::uint32_t i = vertices[k];
            if (may && !rejection.rejects(k))
                at_[i] = distance_to(obstacle, x_[i]);
            else
                near_[i] = -1.0;
        }
    };
    t.jobs.ranges(t.groups.count(), groups_per_job, [&](std::size_t group, std::size_t last) {
        for (; group < last; ++group) measure_group(t.groups[group]);
    });
}

// The elements that may have a point, by the distances of their corners.
void SurfacePoints::mark(const Obstacle& obstacle) {
    const Model& model = *input_->model;
    std::fill(marks_.begin(), marks_.end(), char{0});
    for (const PointForce& f : input_->point_forces) marks_[f.element] = 1; // it lasts
    input_->jobs.ranges(marks_.size(), elements_per_job, [&](std::size_t e, std::size_t end) {
        for (; e < end; ++e)
            marks_[e] = with_vertices(
                model, static_cast<std::uint32_t>(e),
                [&](const auto& vertices) { return may_be_near(obstacle, vertices, marks_[e]); });
    });
}

template <int corners>
bool SurfacePoints::may_be_near(const Obstacle& obstacle, const std::uint32_t (&vertices)[corners],
                                bool lasts) const {
    Vec3 x[corners];
    Distance at[corners];
    double near = 0.0;
    bool free = false;
    for (int k = 0; k < corners; ++k) {
        const std::uint32_t i = vertices[k];
        if (near_[i] < 0.0) return false;
        near = std::max(near, near_[i]);
        free = free || !input_->held[i];
        x[k] = x_[i];
        at[k] = at_[i];
    }
    return free && may_be_deepest(x, at, obstacle.def.thickness + near, gain(obstacle, lasts));
}

double SurfacePoints::gain(const Obstacle& obstacle, bool lasts) const {
    return lasts ? 0.0
                 : std::max(worthwhile * obstacle.def.thickness, worthwhile_of_size * input_->size);
}

bool SurfacePoints::is_torn(const Edge& edge) const {
    if (!input_->own_springs) return false;
    return edge.spring != Edge::none ? input_->own_springs->is_broken(edge.spring)
                                     : input_->torn[edge.triangle] != 0;
}

const PointForce* SurfacePoints::last_force(std::uint32_t element) const {
    const auto at =
        std::lower_bound(input_->point_forces.begin(), input_->point_forces.end(), element,
                         [](const PointForce& f, std::uint32_t e) { return f.element < e; });
    return at != input_->point_forces.end() && at->element == element ? &*at : nullptr;
}

bool SurfacePoints::make(const Obstacle& obstacle, std::uint32_t element, Contact& contact) const {
    const Model& model = *input_->model;
    const std::size_t edges = model.edges.size();
    if (element < edges ? is_torn(model.edges[element])
                        : input_->own_springs && input_->torn[element - edges])
        return false;
    return with_vertices(model, element, [&](const auto& vertices) {
        return make(obstacle, element, vertices, contact);
    });
}

// Vertices that are held are part of the plane.
template <int corners>
bool SurfacePoints::make(const Obstacle& obstacle, std::uint32_t element,
                         const std::uint32_t (&vertices)[corners], Contact& c) const {
    const ContactInput& t = *input_;
    const PointForce* last = last_force(element);
    Vec3 x[corners];
    Distance at[corners];
    double near = 0.0;
    for (int k = 0; k < corners; ++k) {
        x[k] = x_[vertices[k]];
        at[k] = at_[vertices[k]];
        near = std::max(near, near_[vertices[k]]);
    }
    DeepestPoint deepest;
    if (!find_deepest(obstacle, x, at, obstacle.def.thickness + near, gain(obstacle, last),
                      deepest))
        return false;
    const auto mean = [&](const Vec3* values) {
        Vec3 sum{};
        for (int k = 0; k < corners; ++k) sum += deepest.weights[k] * values[vertices[k]];
        return sum;
    };
    const Vec3 x_n = mean(t.arrival.x_n);
    c = {};
    if (!meet(obstacle, x_n, mean(x_), near, c, &deepest.distance)) return false;
    c.kinetic_friction = obstacle.def.kinetic_friction;
    if (last) c.last = last->force;
    c.static_friction =
        !last                ? grip(obstacle, t.arrival.time_step, x_n,
                     t.arrival.displacement ? mean(t.arrival.displacement) : Vec3{}, c.normal)
        : last->force.slides ? obstacle.def.kinetic_friction
                             : obstacle.def.friction;
    double give = 0.0; // m/N
    Vec3 wall{}, wall_moves{};
    for (int k = 0; k < corners; ++k) {
        const std::uint32_t i = vertices[k];
        const double weight = deepest.weights[k];
        if (t.held[i]) {
            wall += weight * x_[i];
            wall_moves += weight * (x_[i] - t.arrival.x_n[i]);
            continue;
        }
        const int place = c.point.count++;
        c.point.vertices[place] = i;
        c.point.weights[place] = weight;
        c.y += weight * t.y[i];
        c.mobility[place] = weight / t.weights[i];
        give += weight * weight / t.weights[i];
    }
    for (int k = 0; k < c.point.count; ++k) c.mobility[k] /= give;
    c.inertia = 1.0 / give;
    c.offset -= dot(c.normal, wall);
    c.anchor -= wall;
    c.rise -= dot(c.normal, wall_moves);
    return true;
}

} // namespace twang::core
