// Contacts of what lies between vertices: where an edge or a triangle of a body's surface comes
// nearest to a collider that asks for it, a point of two or three vertices keeps off the collider
// as a vertex does. Found once a step, anew: a point may move along its edge from step to step, and
// goes on from the force that its edge or triangle bore in the last one.
#pragma once

#include <span>
#include <vector>

#include "base/jobs.hpp"
#include "contact/contact.hpp"
#include "contact/deepest_point.hpp"
#include "model/model.hpp"

namespace twang::core {

// N/m: of all springs at a vertex.
double stiffness_at(const SpringSet& springs, std::size_t vertex);

// What a search for contacts goes by.
struct ContactInput {
    const SpringSet& springs;
    const double* weights; // N/m, of inertia
    Jobs& jobs;
    std::span<const Obstacle> obstacles;
    Arrival arrival;            // at the start of the step
    const Vec3* y;              // the inertial target
    const ContactForce* forces; // at the end of the last step
    const char* held;
    double size; // m, of the body
    const VertexGroups& groups;
    // For points between vertices; the model null: there are none.
    const Model* model = nullptr;
    std::span<const PointForce> point_forces = {}; // at the end of the last step
    const LiveSprings* own_springs = nullptr;      // null: the model's
    const char* torn = nullptr;                    // triangles, where there are own springs
};

// Where a point going from `from` to `to` meets an obstacle, seen from the obstacle where it is at
// the end of the step. False when it stays farther than `reach` in front. `after`: how far it is
// from the obstacle at `to`.
bool meet(const Obstacle& obstacle, Vec3 from, Vec3 to, double reach, Contact& contact,
          const Distance* after = nullptr);

class SurfacePoints {
public:
    // Room for a model's points, at most as many as it has vertices; allocates the first time only.
    void fit(const Model& model);
    void clear();
    // Of a body on its way from x_n to x. `support` is left open.
    void find(const ContactInput& input, const VertexArray<Vec3>& x);

    std::span<const Contact> contacts() const { return contacts_; }
    // Of a contact: edges come before triangles.
    std::uint32_t element(std::size_t contact) const { return elements_[contact]; }

private:
    void measure(const Obstacle& obstacle);
    void mark(const Obstacle& obstacle);
    template <int corners>
    bool may_be_near(const Obstacle& obstacle, const std::uint32_t (&vertices)[corners],
                     bool lasts) const;
    bool is_torn(const Edge& edge) const;
    bool make(const Obstacle& obstacle, std::uint32_t element, Contact& contact) const;
    template <int corners>
    bool make(const Obstacle& obstacle, std::uint32_t element,
              const std::uint32_t (&vertices)[corners], Contact& contact) const;
    const PointForce* last_force(std::uint32_t element) const;
    double gain(const Obstacle& obstacle, bool lasts) const;

    const ContactInput* input_ = nullptr;
    const Vec3* x_ = nullptr;
    double longest_ = 0.0;     // m: edge
    std::vector<Distance> at_; // per vertex, where it is near the obstacle
    std::vector<double> near_; // m, per vertex: within what reach it matters; < 0: it does not
    std::vector<char> marks_;  // per element
    std::vector<std::uint32_t> place_; // per element: of its contact, or none
    std::vector<std::uint32_t> candidates_;
    std::vector<Contact> made_; // of candidates
    std::vector<char> is_made_;
    std::vector<Contact> contacts_;
    std::vector<std::uint32_t> elements_;
};

} // namespace twang::core
