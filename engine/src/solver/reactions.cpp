// The terms of the gradient at a vertex, and their sum over pinned and free vertices.
#include "solver/reactions.hpp"

namespace twang::core {

namespace {

Vec3 inertia_at(const Objective& o, const Vec3* x, std::size_t i) {
    Vec3 sum{};
    if (o.weights) sum += o.weights[i] * (x[i] - o.y[i]);
    if (o.forces) sum -= o.forces[i];
    return sum;
}

Vec3 springs_at(const Objective& o, const Vec3* x, std::size_t i) {
    Vec3 sum{};
    for (const Link* link = o.springs.links.begin(i); link != o.springs.links.end(i); ++link)
        sum += spring_gradient(o.energy, link->stiffness, link->rest_length, x[i] - x[link->other],
                               i < link->other)
                   .gradient;
    return sum;
}

Vec3 grabs_at(const Objective& o, const Vec3* x, std::size_t i) {
    Vec3 sum{};
    for (const Grab& grab : o.system.grabs())
        for (int c = 0; c < 3; ++c)
            if (grab.vertices[c] == i)
                sum += grab.weights[c] * grab.stiffness * (grab.point(x) - grab.target);
    return sum;
}

} // namespace

void add_reactions(const Objective& o, const Contacts& contacts, const char* touched, const Vec3* x,
                   const Vec3* stretched, double share, Vec3* pin_reactions) {
    const std::vector<std::uint32_t>& held = o.pins.list();
    if (held.empty()) return;
    Vec3 residual{}; // the gradient at free vertices: springs cancel in the sum over all vertices
    for (std::size_t i = 0; i < o.model.vertex_count(); ++i) residual += inertia_at(o, x, i);
    for (const Grab& grab : o.system.grabs())
        residual += grab.stiffness * (grab.point(x) - grab.target);
    for (const std::uint32_t i : held) {
        const Vec3 force = inertia_at(o, x, i) + springs_at(o, stretched, i);
        pin_reactions[i] += share * force;
        residual -= force;
    }
    const auto exclude = [&](std::size_t i) {
        residual -= inertia_at(o, x, i) + springs_at(o, stretched, i) + grabs_at(o, x, i);
    };
    contacts.for_each_touched([&](std::size_t i) {
        if (!touched || !touched[i]) exclude(i);
    });
    for (std::size_t i = 0; touched && i < o.model.vertex_count(); ++i)
        if (touched[i] && !o.pins.holds(i)) exclude(i);
    const Vec3 each = (share / static_cast<double>(held.size())) * residual;
    for (const std::uint32_t i : held) pin_reactions[i] += each;
}

} // namespace twang::core
