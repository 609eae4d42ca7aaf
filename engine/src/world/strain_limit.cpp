#include "world/strain_limit.hpp"

#include <algorithm>

namespace twang::core {

namespace {

bool is_limited(const Model& model, const Link& link) {
    return link.rest_length > 0.0 && model.springs[link.spring].kind == TWANG_STRUCTURAL;
}

} // namespace

StrainLimit::StrainLimit(const Model& model, double most, int passes)
    : next_(model.vertex_count()), most_(most), passes_(passes) {
    const std::size_t n = model.vertex_count();
    leashes_.start.assign(1, 0);
    for (std::size_t i = 0; i < n; ++i) {
        for (const Link* link = model.links.begin(i); link != model.links.end(i); ++link)
            if (is_limited(model, *link))
                leashes_.items.push_back(
                    {link->other, link->spring, (1.0 + most) * link->rest_length, 0.0});
        leashes_.start.push_back(static_cast<std::uint32_t>(leashes_.items.size()));
    }
    // Springs that pull the same vertex share it: by the busier of a spring's two ends, so that
    // both ends hear the same.
    for (std::size_t i = 0; i < n; ++i)
        for (std::uint32_t k = leashes_.start[i]; k < leashes_.start[i + 1]; ++k)
            leashes_.items[k].share =
                2.0 / std::max({2u, leashes_.count(i), leashes_.count(leashes_.items[k].other)});
}

void StrainLimit::apply(const Model& model, const LiveSprings* springs, const char* held,
                        VertexArray<Vec3>& x, Jobs& jobs) {
    for (int pass = 0; pass < passes_; ++pass) {
        jobs.ranges(x.size(), 512, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                next_[i] = x[i];
                if (held[i]) continue;
                Vec3 move{};
                for (const Leash* leash = leashes_.begin(i); leash != leashes_.end(i); ++leash) {
                    const Vec3 off = x[leash->other] - x[i];
                    const double l = length(off);
                    double most = leash->most;
                    if (springs && springs->is_broken(leash->spring)) continue;
                    if (springs) most *= springs->rest_scale(leash->spring);
                    if (!(l > most)) continue;
                    // The lighter end moves farther; a held one not at all.
                    const double own = model.masses[i], other = model.masses[leash->other];
                    const double part = held[leash->other] ? 1.0 : other / (own + other);
                    move += (leash->share * part * (1.0 - most / l)) * off;
                }
                next_[i] += move;
            }
        });
        x.swap(next_);
    }
}

} // namespace twang::core
