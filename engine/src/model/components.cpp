// Union-find over the unbroken springs.
#include "model/components.hpp"

#include <numeric>

namespace twang::core {

void Components::make_room(std::size_t vertices) {
    of.resize(vertices);
    sum.reserve(vertices);
    weight.reserve(vertices);
    mark.reserve(vertices);
}

void Components::find(const Model& model, const BodySprings& springs) {
    if (known || springs.broken_count() == 0) return;
    std::iota(of.begin(), of.end(), 0u);
    // Disjoint-set trees whose roots are their lowest vertices, kept flat by path halving.
    const auto root = [&](std::uint32_t i) {
        while (of[i] != i) i = of[i] = of[of[i]];
        return i;
    };
    for (std::size_t s = 0; s < model.springs.size(); ++s) {
        if (springs.is_broken(s)) continue;
        const std::uint32_t a = root(model.springs[s].a), b = root(model.springs[s].b);
        if (a < b) of[b] = a;
        if (b < a) of[a] = b;
    }
    weight.clear();
    for (std::uint32_t i = 0; i < of.size(); ++i) {
        const bool first = of[i] == i;
        // The parent of a vertex is lower, so it has its component already.
        of[i] = first ? static_cast<std::uint32_t>(weight.size()) : of[of[i]];
        if (first) weight.push_back(0.0);
    }
    sum.resize(weight.size());
    mark.resize(weight.size());
    known = true;
}

} // namespace twang::core
