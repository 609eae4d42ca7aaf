// Contacts of a body with colliders, found once per step. A vertex that touches a collider, or may
// touch one, gets a plane and an anchor, the position of the vertex if it moved with the collider.
// Points between vertices get contacts too, see surface_points.hpp.
#pragma once

#include <span>
#include <vector>

#include "contact/surface_points.hpp"

namespace twang::core {

class Contacts : public ContactList {
public:
    using Input = ContactInput;

    // Makes room for a body of n vertices; with its model, for points between them too. Allocates
    // the first time only.
    void fit(std::size_t n, const Model* model = nullptr);
    // Finds the contacts of vertices that move from x_n to x. `input` must last until the step
    // ends.
    void find(const Input& input, const VertexArray<Vec3>& x);
    // Adds contacts of vertices that crossed a collider on the way to x, if any vertex is deeper
    // inside than the thickness, or passed through: springs may have pulled vertices into a
    // collider that seemed out of reach. Returns whether there are any.
    bool find_missed(const VertexArray<Vec3>& x);
    void start();
    void settle(const Vec3* x, double size);
    // Stores the contacts for the next step in the history; call after settle().
    void store(History& history) const;
    // Number of vertices that are pushed, by their own contact or at a point between vertices.
    std::size_t touching() const;
    template <class F>
    void for_each_touched(F&& f) const { // calls f(vertex)
        for (std::size_t i = 0; i < is_touched_.size(); ++i)
            if (is_touched_[i]) f(i);
    }

private:
    // How deep a vertex must have entered a collider to get a contact.
    enum class Penetration { possible, any, deep };
    void search(const VertexArray<Vec3>& x, Penetration penetration);
    void collect(); // fills list_ with the contacts found
    void search_among(std::span<const std::uint32_t> vertices, const VertexArray<Vec3>& x,
                      Penetration penetration);
    double support_at(std::size_t vertex) const;

    const Input* input_ = nullptr;
    std::vector<Contact> found_; // per vertex
    std::vector<char> has_contact_;
    std::size_t vertex_contacts_ = 0; // vertex contacts at the front of list_
    SurfacePoints points_;
    std::vector<char> is_touched_;             // per vertex, after settle
    std::vector<std::uint16_t> contact_count_; // per vertex: number of contacts
    VertexArray<Vec3> displacements_;
    std::vector<Vec3> force_changes_; // N, per contact: change since the last step
};

} // namespace twang::core
