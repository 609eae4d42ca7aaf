#include "world/tearing.hpp"

#include <algorithm>

namespace twang::core {

namespace {

// Calls f(triangle) for the triangles that have the spring as a side.
template <class F>
void for_each_triangle_at(const Model& model, const Spring& spring, F&& f) {
    for (const auto* c = model.corners.begin(spring.a); c != model.corners.end(spring.a); ++c) {
        const std::uint32_t triangle = *c / 3;
        const std::uint32_t* corner = &model.triangles[3 * triangle];
        if (corner[0] == spring.b || corner[1] == spring.b || corner[2] == spring.b) f(triangle);
    }
}

void break_and_record(const Model& model, std::size_t s, BodySprings& springs, Torn& torn) {
    springs.break_spring(s);
    torn.components.known = false;
    for_each_triangle_at(model, model.springs[s], [&](std::uint32_t triangle) {
        if (torn.triangles[triangle]) return;
        torn.triangles[triangle] = 1;
        torn.has_hole = true;
        torn.fresh.push_back(triangle);
    });
}

} // namespace

void prepare_tears(const Model& model, Torn& torn) {
    torn.marks.resize(model.springs.size());
    torn.triangles.resize(model.triangles.size() / 3);
    torn.fresh.reserve(torn.triangles.size());
    torn.components.make_room(model.vertex_count());
}

std::size_t tear_stretched(const Model& model, const Vec3* x, Jobs& jobs, BodySprings& springs,
                           Torn& torn) {
    const auto& all = springs.set().springs;
    jobs.ranges(all.size(), 1024, [&](std::size_t begin, std::size_t end) {
        for (std::size_t s = begin; s < end; ++s) {
            const Vec3 d = x[all[s].a] - x[all[s].b];
            const double max_length = (1.0 + torn.limit) * all[s].rest_length;
            torn.marks[s] = all[s].stiffness > 0.0 && all[s].rest_length > 0.0 &&
                            dot(d, d) > max_length * max_length;
        }
    });
    std::size_t count = 0;
    for (std::size_t s = 0; s < all.size(); ++s)
        if (torn.marks[s]) {
            break_and_record(model, s, springs, torn);
            ++count;
        }
    return count;
}

std::size_t cut(const Model& model, const Vec3* from, const Vec3* x, const Blade& blade,
                BodySprings& springs, Torn& torn) {
    const auto moving = [&](std::uint32_t vertex) { return MovingPoint{from[vertex], x[vertex]}; };
    std::vector<unsigned char> outside(model.vertex_count()); // rules most springs out
    for (std::uint32_t i = 0; i < outside.size(); ++i) outside[i] = blade.outside(moving(i));
    std::size_t count = 0;
    for (std::size_t s = 0; s < model.springs.size(); ++s) {
        const Spring& spring = model.springs[s];
        if ((outside[spring.a] & outside[spring.b]) != 0 || springs.is_broken(s) ||
            !blade.meets(moving(spring.a), moving(spring.b)))
            continue;
        break_and_record(model, s, springs, torn);
        ++count;
    }
    return count;
}

void recount_triangles(const Model& model, const BodySprings& springs, Torn& torn) {
    std::fill(torn.triangles.begin(), torn.triangles.end(), 0);
    torn.fresh.clear();
    torn.components.known = false;
    torn.has_hole = false;
    for (std::size_t s = 0; s < model.springs.size(); ++s)
        if (springs.is_broken(s))
            for_each_triangle_at(model, model.springs[s], [&](std::uint32_t triangle) {
                torn.triangles[triangle] = 1;
                torn.has_hole = true;
            });
}

} // namespace twang::core
