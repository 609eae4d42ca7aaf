// The contacts of a body with colliders. They are found once a step: a vertex that meets a
// collider, or may, gets a plane and an anchor, where it would be if it went along with the
// collider.
#pragma once

#include <span>
#include <vector>

#include "colliders.hpp"
#include "contact.hpp"
#include "spring_set.hpp"

namespace twang::core {

// N/m: of all springs at a vertex.
double stiffness_at(const SpringSet& springs, std::size_t vertex);

class Contacts : public ContactList {
public:
    struct Input {
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
    };

    // Room for a body of n vertices; allocates the first time only.
    void fit(std::size_t n);
    // Finds the contacts of vertices that are on their way from x_n to x. `input` must last until
    // the step ends.
    void find(const Input& input, const VertexArray<Vec3>& x);
    // In addition those of vertices that have crossed something on their way to x, if any is in it
    // deeper than by its thickness, or through: springs may have pulled them into what they did not
    // seem to reach. True when there are any.
    bool find_missed(const VertexArray<Vec3>& x);
    // What the next step needs of them, per vertex.
    void store(ContactForce* forces) const;
    std::size_t touching() const; // vertices, after settle

private:
    // How far vertices have gone into a collider that are to have a contact with it.
    enum class Crossed { maybe, at_all, deeply };
    void search(const VertexArray<Vec3>& x, Crossed crossed);
    void collect(); // what was found, as a list
    void search_among(std::span<const std::uint32_t> vertices, const VertexArray<Vec3>& x,
                      Crossed crossed);

    const Input* input_ = nullptr;
    std::vector<Contact> found_; // per vertex
    std::vector<char> has_;
};

} // namespace twang::core
