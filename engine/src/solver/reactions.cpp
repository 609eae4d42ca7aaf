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
        sum += spring_pull(o.energy, link->stiffness, link->rest_length, x[i] - x[link->other],
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
                   const Vec3* stretched, double share, Vec3* holding) {
    const std::vector<std::uint32_t>& held = o.pins.list();
    if (held.empty()) return;
    Vec3 left{}; // of the gradient at free vertices: springs cancel out in the sum over all
    for (std::size_t i = 0; i < o.model.vertex_count(); ++i) left += inertia_at(o, x, i);
    for (const Grab& grab : o.system.grabs())
        left += grab.stiffness * (grab.point(x) - grab.target);
    for (const std::uint32_t i : held) {
        const Vec3 pull = inertia_at(o, x, i) + springs_at(o, stretched, i);
        holding[i] += share * pull;
        left -= pull;
    }
    const auto bear = [&](std::size_t i) {
        left -= inertia_at(o, x, i) + springs_at(o, stretched, i) + grabs_at(o, x, i);
    };
    contacts.for_each_touched([&](std::size_t i) {
        if (!touched || !touched[i]) bear(i);
    });
    for (std::size_t i = 0; touched && i < o.model.vertex_count(); ++i)
        if (touched[i] && !o.pins.holds(i)) bear(i);
    const Vec3 each = (share / static_cast<double>(held.size())) * left;
    for (const std::uint32_t i : held) holding[i] += each;
}

} // namespace twang::core
