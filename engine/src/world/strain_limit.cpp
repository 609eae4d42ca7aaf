#include "world/strain_limit.hpp"

#include <algorithm>

namespace twang::core {

namespace {

bool is_limited(const Model& model, const Link& link) {
    return link.rest_length > 0.0 && model.springs[link.spring].kind == TWANG_STRUCTURAL;
}

} // namespace

StrainLimit::StrainLimit(const Model& model, double max_strain, int passes)
    : next_(model.vertex_count()), max_strain_(max_strain), passes_(passes) {
    const std::size_t n = model.vertex_count();
    limits_.start.assign(1, 0);
    for (std::size_t i = 0; i < n; ++i) {
        for (const Link* link = model.links.begin(i); link != model.links.end(i); ++link)
            if (is_limited(model, *link))
                limits_.items.push_back(
                    {link->other, link->spring, (1.0 + max_strain) * link->rest_length, 0.0});
        limits_.start.push_back(static_cast<std::uint32_t>(limits_.items.size()));
    }
    // A vertex with several limited springs takes a share of each correction. The share is that of
    // the end with more springs, so that both ends use the same.
    for (std::size_t i = 0; i < n; ++i)
        for (std::uint32_t k = limits_.start[i]; k < limits_.start[i + 1]; ++k)
            limits_.items[k].share =
                2.0 / std::max({2u, limits_.count(i), limits_.count(limits_.items[k].other)});
}

void StrainLimit::apply(const Model& model, const BodySprings* springs, const char* held,
                        VertexArray<Vec3>& x, Jobs& jobs) {
    for (int pass = 0; pass < passes_; ++pass) {
        jobs.ranges(x.size(), 512, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                next_[i] = x[i];
                if (held[i]) continue;
                Vec3 move{};
                for (const LengthLimit* limit = limits_.begin(i); limit != limits_.end(i);
                     ++limit) {
                    const Vec3 to_other = x[limit->other] - x[i];
                    const double l = length(to_other);
                    double max_length = limit->max_length;
                    if (springs && springs->is_broken(limit->spring)) continue;
                    if (springs) max_length *= springs->rest_scale(limit->spring);
                    if (!(l > max_length)) continue;
                    // The lighter end moves farther; a held end does not move.
                    const double own = model.masses[i], other = model.masses[limit->other];
                    const double own_part = held[limit->other] ? 1.0 : other / (own + other);
                    move += (limit->share * own_part * (1.0 - max_length / l)) * to_other;
                }
                next_[i] += move;
            }
        });
        x.swap(next_);
    }
}

} // namespace twang::core
