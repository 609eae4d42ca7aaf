// The contacts of a body with colliders. They are found once a step: a vertex that meets a
// collider, or may, gets a plane and an anchor, where it would be if it went along with the
// collider; and so do points between vertices, see surface_points.hpp.
#pragma once

#include <span>
#include <vector>

#include "contact/surface_points.hpp"

namespace twang::core {

class Contacts : public ContactList {
public:
    using Input = ContactInput;

    // Room for a body of n vertices; with its model for points between them too. Allocates the
    // first time only.
    void fit(std::size_t n, const Model* model = nullptr);
    // Finds the contacts of vertices that are on their way from x_n to x. `input` must last until
    // the step ends.
    void find(const Input& input, const VertexArray<Vec3>& x);
    // In addition those of vertices that have crossed something on their way to x, if any is in it
    // deeper than by its thickness, or through: springs may have pulled them into what they did not
    // seem to reach. True when there are any.
    bool find_missed(const VertexArray<Vec3>& x);
    void start();
    void settle(const Vec3* x, double size);
    // After settle(), what the next step needs of them: the history's contacts.
    void store(History& history) const;
    // Vertices that are pushed, by themselves or by a point between them.
    std::size_t touching() const;
    template <class F>
    void for_each_touched(F&& f) const { // f(vertex)
        for (std::size_t i = 0; i < is_touched_.size(); ++i)
            if (is_touched_[i]) f(i);
    }

private:
    // How far vertices have gone into a collider that are to have a contact with it.
    enum class Crossed { maybe, at_all, deeply };
    void search(const VertexArray<Vec3>& x, Crossed crossed);
    void collect(); // what was found, as a list
    void search_among(std::span<const std::uint32_t> vertices, const VertexArray<Vec3>& x,
                      Crossed crossed);
    double support_at(std::size_t vertex) const;

    const Input* input_ = nullptr;
    std::vector<Contact> found_; // per vertex
    std::vector<char> has_;
    std::size_t at_vertices_ = 0; // so many of the list; points between vertices follow
    SurfacePoints points_;
    std::vector<char> is_touched_;     // per vertex, after settle
    std::vector<std::uint16_t> count_; // per vertex: contacts
    VertexArray<Vec3> moves_;
    std::vector<Vec3> changes_; // N, per contact: of its force against the last step
};

} // namespace twang::core
