// Contacts of points between vertices. Where an edge or a triangle of a body's surface comes
// nearest to a collider with def.between_vertices, the point p(x) = sum_k w_k x_k of its two or
// three vertices gets a contact, as a vertex does. Points are found anew in each step: a point may
// move along its edge from step to step, and starts from the force of its edge or triangle in the
// last step.
#pragma once

#include <span>
#include <vector>

#include "base/jobs.hpp"
#include "contact/contact.hpp"
#include "contact/deepest_point.hpp"
#include "model/model.hpp"

namespace twang::core {

// Returns the summed stiffness of the springs at a vertex, N/m.
double stiffness_at(const SpringSet& springs, std::size_t vertex);

// Input of a search for contacts.
struct ContactInput {
    const SpringSet& springs;
    const double* weights; // N/m, of inertia, per vertex
    Jobs& jobs;
    std::span<const Obstacle> obstacles;
    PreviousMotion previous_motion; // at the start of the step
    const Vec3* y;                  // the inertial target
    const ContactForce* forces;     // at the end of the last step
    const char* held;
    double size; // m, of the body
    const VertexGroups& groups;
    // For points between vertices; without a model there are none.
    const Model* model = nullptr;
    std::span<const PointForce> point_forces = {}; // at the end of the last step
    const BodySprings* own_springs = nullptr;      // null: the model's
    const char* torn = nullptr;                    // per triangle, with own springs
};

// Finds where a point that moves from `from` to `to` meets an obstacle, in the frame of the
// obstacle at the end of the step. Returns false when the point stays farther than `reach` in
// front. `after`: the distance from the obstacle at `to`, if known.
bool meet(const Obstacle& obstacle, Vec3 from, Vec3 to, double reach, Contact& contact,
          const Distance* after = nullptr);

class SurfacePoints {
public:
    // Makes room for a model's points, at most as many as it has vertices. Allocates the first time
    // only.
    void fit(const Model& model);
    void clear();
    // Finds the points of a body that moves from x_n to x. Does not set Contact::support.
    void find(const ContactInput& input, const VertexArray<Vec3>& x);

    std::span<const Contact> contacts() const { return contacts_; }
    // Returns the element of a contact. Elements are the edges, then the triangles.
    std::uint32_t element(std::size_t contact) const { return elements_[contact]; }

private:
    void measure_distances(const Obstacle& obstacle);
    void mark_candidates(const Obstacle& obstacle);
    template <int corners>
    bool may_have_contact(const Obstacle& obstacle, const std::uint32_t (&vertices)[corners],
                          bool lasts) const;
    bool is_torn(const Edge& edge) const;
    bool make_contact(const Obstacle& obstacle, std::uint32_t element, Contact& contact) const;
    template <int corners>
    bool make_contact(const Obstacle& obstacle, std::uint32_t element,
                      const std::uint32_t (&vertices)[corners], Contact& contact) const;
    const PointForce* last_force(std::uint32_t element) const;
    double gain(const Obstacle& obstacle, bool lasts) const;

    const ContactInput* input_ = nullptr;
    const Vec3* x_ = nullptr;
    double longest_edge_ = 0.0;       // m
    std::vector<Distance> distances_; // per vertex, where max_gap_ >= 0
    std::vector<double> max_gap_; // m, per vertex: the largest gap that matters; < 0: out of reach
    std::vector<char> is_candidate_; // per element
    // Per element: index of its contact, or no_contact.
    std::vector<std::uint32_t> contact_of_element_;
    std::vector<std::uint32_t> candidates_;
    std::vector<Contact> candidate_contacts_; // per candidate
    std::vector<char> has_contact_;
    std::vector<Contact> contacts_;
    std::vector<std::uint32_t> elements_;
};

} // namespace twang::core
