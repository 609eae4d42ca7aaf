// Search for the points: distances of vertices, elements that may have a point, and their contacts.
#include "contact/surface_points.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

constexpr int max_tracing_steps = 64; // sphere tracing along the path of a point
constexpr std::size_t elements_per_job = 1024, candidates_per_job = 16;
// Minimum by which a point is nearer than its corners: of the thickness, and of the body's size.
constexpr double min_gain_of_thickness = 0.05, min_gain_of_size = 1e-5;
constexpr double max_edge_stretch = 1.25; // largest stretch of an edge that the search allows for
constexpr std::uint32_t no_contact = 0xFFFFFFFFu;

// Calls f(vertices) with the two or three vertices of an element.
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
        // The nearest side has changed: find the first side on the path by sphere tracing, in steps
        // no longer than the distance left.
        double t = 0.0;
        Distance here = before;
        for (int i = 0; i < max_tracing_steps && t < 1.0 && here.distance - thickness > 1e-6 * way;
             ++i) {
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
    if (distances_.size() == n) return;
    longest_edge_ = 0.0;
    for (const Edge& edge : model.edges)
        longest_edge_ = std::max(
            longest_edge_, length(model.rest_positions[edge.a] - model.rest_positions[edge.b]));
    max_gap_.resize(n);
    is_candidate_.resize(elements);
    contact_of_element_.assign(elements, no_contact);
    candidates_.reserve(n);
    candidate_contacts_.resize(n);
    has_contact_.resize(n);
    contacts_.reserve(n);
    elements_.reserve(n);
    distances_.resize(n); // last: its size shows that all have room
}

void SurfacePoints::clear() {
    for (const std::uint32_t element : elements_) contact_of_element_[element] = no_contact;
    contacts_.clear();
    elements_.clear();
}

void SurfacePoints::find(const ContactInput& input, const VertexArray<Vec3>& x) {
    input_ = &input;
    x_ = x.data();
    clear();
    for (const Obstacle& obstacle : input.obstacles) {
        if (!obstacle.def.between_vertices || obstacle.def.penalty > 0.0) continue;
        measure_distances(obstacle);
        mark_candidates(obstacle);
        candidates_.clear();
        for (std::uint32_t e = 0; e < is_candidate_.size(); ++e)
            if (is_candidate_[e] && candidates_.size() < candidate_contacts_.size())
                candidates_.push_back(e);
        input.jobs.ranges(
            candidates_.size(), candidates_per_job, [&](std::size_t k, std::size_t end) {
                for (; k < end; ++k)
                    has_contact_[k] =
                        make_contact(obstacle, candidates_[k], candidate_contacts_[k]);
            });
        for (std::size_t k = 0; k < candidates_.size(); ++k) {
            if (!has_contact_[k]) continue;
            std::uint32_t& place = contact_of_element_[candidates_[k]];
            const auto gap = [&](const Contact& c) { return c.gap(c.point.at(x_)); };
            if (place != no_contact) {
                if (gap(candidate_contacts_[k]) < gap(contacts_[place]))
                    contacts_[place] = candidate_contacts_[k];
            } else if (contacts_.size() < distances_.size()) {
                place = static_cast<std::uint32_t>(contacts_.size());
                contacts_.push_back(candidate_contacts_[k]);
                elements_.push_back(candidates_[k]);
            }
        }
    }
}

// Measures the distances of all vertices that may belong to an edge or a triangle within reach.
void SurfacePoints::measure_distances(const Obstacle& obstacle) {
    const ContactInput& input = *input_;
    const double thickness = obstacle.def.thickness, edge = max_edge_stretch * longest_edge_;
    const auto measure_group = [&](std::span<const std::uint32_t> vertices) {
        const GroupPoints points(vertices, x_);
        Rejection rejection{};
        double farthest = 0.0;
        for (std::size_t k = 0; k < vertices.size(); ++k) {
            const std::uint32_t i = vertices[k];
            max_gap_[i] = length(input.y[i] - x_[i]) + length(x_[i] - input.previous_motion.x_n[i]);
            rejection.reach[k] = thickness + max_gap_[i] + edge;
            if (!(rejection.reach[k] <= farthest)) farthest = rejection.reach[k]; // keeps a NaN
        }
        const bool in_reach = may_reach(points.bounds(), obstacle, farthest);
        if (in_reach) reject(points, obstacle, rejection);
        for (std::size_t k = 0; k < vertices.size(); ++k) {
            const std::uint32_t i = vertices[k];
            if (in_reach && !rejection.rejects(k))
                distances_[i] = distance_to(obstacle, x_[i]);
            else
                max_gap_[i] = -1.0;
        }
    };
    input.jobs.ranges(input.groups.count(), groups_per_job,
                      [&](std::size_t group, std::size_t last) {
                          for (; group < last; ++group) measure_group(input.groups[group]);
                      });
}

// Marks the elements that may have a point, by the distances of their corners.
void SurfacePoints::mark_candidates(const Obstacle& obstacle) {
    const Model& model = *input_->model;
    std::fill(is_candidate_.begin(), is_candidate_.end(), char{0});
    for (const PointForce& f : input_->point_forces)
        is_candidate_[f.element] = 1; // in contact in the last step
    input_->jobs.ranges(
        is_candidate_.size(), elements_per_job, [&](std::size_t e, std::size_t end) {
            for (; e < end; ++e)
                is_candidate_[e] =
                    with_vertices(model, static_cast<std::uint32_t>(e), [&](const auto& vertices) {
                        return may_have_contact(obstacle, vertices, is_candidate_[e]);
                    });
        });
}

template <int corners>
bool SurfacePoints::may_have_contact(const Obstacle& obstacle,
                                     const std::uint32_t (&vertices)[corners], bool lasts) const {
    Vec3 x[corners];
    Distance at[corners];
    double max_gap = 0.0;
    bool free = false;
    for (int k = 0; k < corners; ++k) {
        const std::uint32_t i = vertices[k];
        if (max_gap_[i] < 0.0) return false;
        max_gap = std::max(max_gap, max_gap_[i]);
        free = free || !input_->held[i];
        x[k] = x_[i];
        at[k] = distances_[i];
    }
    return free && may_be_deepest(x, at, obstacle.def.thickness + max_gap, gain(obstacle, lasts));
}

double SurfacePoints::gain(const Obstacle& obstacle, bool lasts) const {
    return lasts ? 0.0
                 : std::max(min_gain_of_thickness * obstacle.def.thickness,
                            min_gain_of_size * input_->size);
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

bool SurfacePoints::make_contact(const Obstacle& obstacle, std::uint32_t element,
                                 Contact& contact) const {
    const Model& model = *input_->model;
    const std::size_t edges = model.edges.size();
    if (element < edges ? is_torn(model.edges[element])
                        : input_->own_springs && input_->torn[element - edges])
        return false;
    return with_vertices(model, element, [&](const auto& vertices) {
        return make_contact(obstacle, element, vertices, contact);
    });
}

// Makes the contact of an edge or a triangle. Held vertices are part of the plane.
template <int corners>
bool SurfacePoints::make_contact(const Obstacle& obstacle, std::uint32_t element,
                                 const std::uint32_t (&vertices)[corners], Contact& c) const {
    const ContactInput& input = *input_;
    const PointForce* last = last_force(element);
    Vec3 x[corners];
    Distance at[corners];
    double max_gap = 0.0;
    for (int k = 0; k < corners; ++k) {
        x[k] = x_[vertices[k]];
        at[k] = distances_[vertices[k]];
        max_gap = std::max(max_gap, max_gap_[vertices[k]]);
    }
    DeepestPoint deepest;
    if (!find_deepest(obstacle, x, at, obstacle.def.thickness + max_gap, gain(obstacle, last),
                      deepest))
        return false;
    const auto mean = [&](const Vec3* values) {
        Vec3 sum{};
        for (int k = 0; k < corners; ++k) sum += deepest.weights[k] * values[vertices[k]];
        return sum;
    };
    const Vec3 x_n = mean(input.previous_motion.x_n);
    c = {};
    if (!meet(obstacle, x_n, mean(x_), max_gap, c, &deepest.distance)) return false;
    c.kinetic_friction = obstacle.def.kinetic_friction;
    if (last) c.last = last->force;
    c.static_friction = !last ? friction_coefficient(obstacle, input.previous_motion.time_step, x_n,
                                                     input.previous_motion.displacement
                                                         ? mean(input.previous_motion.displacement)
                                                         : Vec3{},
                                                     c.normal)
                        : last->force.slides ? obstacle.def.kinetic_friction
                                             : obstacle.def.friction;
    double compliance = 0.0; // m/N
    Vec3 held_part{}, held_displacement{};
    for (int k = 0; k < corners; ++k) {
        const std::uint32_t i = vertices[k];
        const double weight = deepest.weights[k];
        if (input.held[i]) {
            held_part += weight * x_[i];
            held_displacement += weight * (x_[i] - input.previous_motion.x_n[i]);
            continue;
        }
        const int place = c.point.count++;
        c.point.vertices[place] = i;
        c.point.weights[place] = weight;
        c.y += weight * input.y[i];
        c.mobility[place] = weight / input.weights[i];
        compliance += weight * weight / input.weights[i];
    }
    for (int k = 0; k < c.point.count; ++k) c.mobility[k] /= compliance;
    c.inertia = 1.0 / compliance;
    c.offset -= dot(c.normal, held_part);
    c.anchor -= held_part;
    c.rise -= dot(c.normal, held_displacement);
    return true;
}

} // namespace twang::core
