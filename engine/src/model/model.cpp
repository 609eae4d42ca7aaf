// Construction of a Model: elimination ordering, renumbering, and the lists derived from the
// springs.
#include "model/model.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <span>

namespace twang::core {

namespace {

// Counting sort of (list, item) pairs into lists; items keep their order within a list.
template <class T, class Visit>
Lists<T> make_lists(std::size_t list_count, Visit&& visit) {
    Lists<T> lists;
    lists.start.assign(list_count + 1, 0);
    visit([&](std::uint32_t list, const T&) { ++lists.start[list + 1]; });
    for (std::size_t i = 0; i < list_count; ++i) lists.start[i + 1] += lists.start[i];
    lists.items.resize(lists.start.back());
    std::vector<std::uint32_t> next(lists.start.begin(), lists.start.end() - 1);
    visit([&](std::uint32_t list, const T& item) { lists.items[next[list]++] = item; });
    return lists;
}

Lists<Link> make_links(std::span<const Spring> springs, std::size_t vertex_count) {
    Lists<Link> links = make_lists<Link>(vertex_count, [&](auto&& add) {
        for (std::uint32_t s = 0; s < springs.size(); ++s) {
            const Spring& spring = springs[s];
            add(spring.a, Link{spring.b, s, spring.stiffness, spring.rest_length});
            add(spring.b, Link{spring.a, s, spring.stiffness, spring.rest_length});
        }
    });
    for (std::size_t i = 0; i < vertex_count; ++i)
        std::sort(links.items.begin() + links.start[i], links.items.begin() + links.start[i + 1],
                  [](const Link& a, const Link& b) { return a.other < b.other; });
    return links;
}

Pattern make_pattern(const Lists<Link>& links, std::size_t vertex_count) {
    Pattern pattern;
    pattern.n = static_cast<int>(vertex_count);
    pattern.column_start.assign(1, 0);
    for (std::uint32_t i = 0; i < vertex_count; ++i) {
        pattern.rows.push_back(static_cast<int>(i));
        for (const Link* link = links.begin(i); link != links.end(i); ++link)
            if (link->other > i) pattern.rows.push_back(static_cast<int>(link->other));
        pattern.column_start.push_back(static_cast<int>(pattern.rows.size()));
    }
    return pattern;
}

double bounding_diagonal(const std::vector<Vec3>& positions) {
    Vec3 low = positions.front(), high = low;
    for (const Vec3& p : positions) {
        low = least(low, p);
        high = greatest(high, p);
    }
    return length(high - low);
}

std::uint64_t identify(const Network& network) {
    std::uint64_t hash = hash_mix(0, network.masses.size());
    hash = hash_doubles(hash, network.masses.data(), network.masses.size());
    for (const Vec3& p : network.positions) hash = hash_doubles(hash, &p.x, 3);
    for (const Spring& s : network.springs) {
        hash = hash_mix(hash, (std::uint64_t{s.a} << 32) | s.b);
        hash = hash_doubles(hash, &s.stiffness, 1);
        hash = hash_doubles(hash, &s.rest_length, 1);
    }
    return hash;
}

// Returns the edges in the caller's numbering.
std::vector<Edge> find_edges(const Network& network) {
    std::vector<Edge> edges;
    for (const Side& side : sides_of(network.triangles))
        edges.push_back({side.a, side.b, Edge::none, side.triangle});
    std::vector<std::pair<std::uint64_t, std::uint32_t>> springs;
    const auto key = [](std::uint32_t a, std::uint32_t b) {
        return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
    };
    for (std::uint32_t s = 0; s < network.springs.size(); ++s) {
        const Spring& spring = network.springs[s];
        if (!network.triangles.empty())
            springs.push_back({key(spring.a, spring.b), s});
        else if (spring.kind == TWANG_STRUCTURAL)
            edges.push_back({spring.a, spring.b, s, Edge::none});
    }
    std::sort(springs.begin(), springs.end());
    for (Edge& edge : edges) {
        const auto at =
            std::lower_bound(springs.begin(), springs.end(), std::pair(key(edge.a, edge.b), 0u));
        if (at != springs.end() && at->first == key(edge.a, edge.b)) edge.spring = at->second;
    }
    return edges;
}

} // namespace

std::uint64_t hash_doubles(std::uint64_t hash, const double* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        hash = hash_mix(hash, std::bit_cast<std::uint64_t>(values[i]));
    return hash;
}

Status make_model(Network&& network, std::shared_ptr<const Model>& result) {
    const std::size_t n = network.positions.size();
    auto model = std::make_shared<Model>();
    model->identity = identify(network);
    model->size = bounding_diagonal(network.positions);
    model->notes = network.notes;

    const auto begin = std::chrono::steady_clock::now();
    std::vector<int> order;
    const Pattern unordered = make_pattern(make_links(network.springs, n), n);
    const Status status = find_order(unordered, choose_ordering(n, network.dimension), order);
    if (status != TWANG_OK) return status;
    model->order_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();

    model->to_user.assign(order.begin(), order.end());
    model->to_inner.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) model->to_inner[model->to_user[i]] = i;
    model->rest_positions.reserve(n);
    model->masses.reserve(n);
    for (const std::uint32_t user : model->to_user) {
        model->rest_positions.push_back(network.positions[user]);
        model->masses.push_back(network.masses[user]);
    }
    for (const double mass : network.masses) model->total_mass += mass;

    model->springs.assign(network.springs.begin(), network.springs.end());
    for (Spring& spring : model->springs) {
        spring.a = model->to_inner[spring.a];
        spring.b = model->to_inner[spring.b];
        model->stiffest =
            std::max(model->stiffest, spring.stiffness * spring.rest_length * spring.rest_length);
    }
    model->edges = find_edges(network);
    for (Edge& edge : model->edges)
        edge.a = model->to_inner[edge.a], edge.b = model->to_inner[edge.b];
    model->triangles = std::move(network.triangles);
    for (std::uint32_t& corner : model->triangles) corner = model->to_inner[corner];
    model->tetrahedra = std::move(network.tetrahedra);
    for (std::uint32_t& corner : model->tetrahedra) corner = model->to_inner[corner];
    if (is_closed(model->triangles))
        model->rest_volume = enclosed_volume(model->triangles, model->rest_positions.data());
    model->links = make_links(model->springs, n);
    model->corners = make_lists<std::uint32_t>(n, [&](auto&& add) {
        for (std::uint32_t c = 0; c < model->triangles.size(); ++c) add(model->triangles[c], c);
    });
    model->pattern = make_pattern(model->links, n);
    model->gather = make_gather_lists(model->links, model->rest_positions, gather_kernels().length);
    model->coarse = make_coarse_space(model->rest_positions, false);
    model->fine_grid = make_coarse_space(model->rest_positions, true);
    model->groups = make_vertex_groups(model->rest_positions);
    result = std::move(model);
    return TWANG_OK;
}

} // namespace twang::core
