// Sampling and grouping of springs, assembly of U^T H U, and the correction of a body.
#include "system/coarse.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include "linear/jacobi.hpp"
#include "linear/skyline_factor.hpp"

namespace twang::core {

namespace {

constexpr std::size_t vertex_block = coarse_block;
constexpr std::size_t min_packs_to_share = 2000; // spring packs; fewer stay on one worker
// Size of the sample of similar springs. On a fine grid a cell has few springs anyway.
constexpr std::size_t max_samples = 128, max_samples_on_fine_grid = 32;
constexpr double max_relative_hold = 1e3; // bound on a hold's stiffness, relative to the body
// Fraction of the largest eigenvalue: vectors of smaller ones are left out of a basis.
constexpr double min_relative_eigenvalue = 1e-4;

// x, y, z and one unused number, to fill a vector register.
template <class Real>
struct Quad {
    Real v[4];
};
template <class V>
Quad<decltype(V::x)> quad(const V& a) {
    return {a.x, a.y, a.z, 0};
}
template <class Real>
void add_scaled(Real factor, const Quad<Real>& a, Quad<Real>& sum) {
    for (int i = 0; i < 4; ++i) sum.v[i] += factor * a.v[i];
}

void add_to_diagonal(double number, SkylineBlock<3>& block) {
    for (int axis = 0; axis < 3; ++axis) block.v[axis][axis] += number;
}
// A sampled spring, with its stiffness times the number of springs that the sample stands for.
struct Sampled {
    const Spring* spring;
    double stiffness;
};

// Input of a group of springs.
struct SpringsOfCells {
    const Model& model;
    const CoarseSpace& space;
    const std::vector<char>& held;
    const std::uint32_t* cells; // of the two ends
    std::vector<Sampled> springs;

    // Calls f(node, weight) for the weights at end a minus those at end b.
    template <class F>
    void for_each_weight(const Spring& spring, F&& f) const {
        for (const auto& [vertex, sign] : {std::pair{spring.a, 1.0}, {spring.b, -1.0}}) {
            if (held[vertex]) continue;
            std::uint16_t nodes[8];
            double weights[8];
            space.grid.find_corners(cells[0] == cells[1] ? cells[0] : space.cell[vertex],
                                    model.rest_positions[vertex], nodes, weights);
            for (int c = 0; c < space.corners; ++c)
                if (weights[c] != 0.0) f(nodes[c], sign * weights[c]);
        }
    }
    std::vector<int> nodes() const {
        std::vector<int> found;
        for (const Sampled& sampled : springs)
            for_each_weight(*sampled.spring, [&](int node, double) { found.push_back(node); });
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }
};

// Sets the basis of the group to the strongest eigenvectors of sum k d d^T.
void choose_basis(std::vector<double>& gram, CoarseGroup& group) {
    const int size = static_cast<int>(group.nodes.size());
    const std::vector<double> vectors = jacobi_eigenvectors(gram, size, 1e-12);
    const auto value = [&](int k) { return gram[k * size + k]; };
    std::vector<int> strongest(size);
    std::iota(strongest.begin(), strongest.end(), 0);
    std::sort(strongest.begin(), strongest.end(),
              [&](int k, int l) { return value(k) != value(l) ? value(k) > value(l) : k < l; });
    for (const int k : strongest) {
        if (group.basis == max_basis || !(value(k) > min_relative_eigenvalue * value(strongest[0])))
            break;
        for (int i = 0; i < size; ++i)
            group.direction.push_back(static_cast<float>(vectors[i * size + k]));
        ++group.basis;
    }
}

// Adds a group: its basis, its packs of springs and their coefficients.
void add_group(const SpringsOfCells& cell_springs, CoarseSystem& system) {
    const std::vector<Sampled>& springs = cell_springs.springs;
    CoarseGroup group;
    group.nodes = cell_springs.nodes();
    const std::size_t size = group.nodes.size();
    std::vector<double> differences(springs.size() * size), gram(size * size, 0.0);
    for (std::size_t s = 0; s < springs.size(); ++s) {
        double* d = &differences[s * size];
        cell_springs.for_each_weight(*springs[s].spring, [&](int node, double weight) {
            d[std::lower_bound(group.nodes.begin(), group.nodes.end(), node) -
              group.nodes.begin()] += weight;
        });
        for (std::size_t i = 0; i < size; ++i)
            for (std::size_t j = 0; j < size; ++j)
                gram[i * size + j] += springs[s].stiffness * d[i] * d[j];
    }
    if (size > 0) choose_basis(gram, group);
    if (group.basis == 0) return;
    CoarseLists& lists = system.lists;
    group.first_pack = static_cast<std::uint32_t>(lists.packs.size());
    for (std::size_t s = 0; s < springs.size(); ++s) {
        const std::size_t lane = s % 8;
        if (lane == 0) {
            lists.packs.push_back({});
            lists.coefficient_of.push_back(static_cast<std::uint32_t>(lists.coefficients.size()));
            lists.coefficients.resize(lists.coefficients.size() + 8 * group.basis, 0.0f);
        }
        SpringPack& pack = lists.packs.back();
        const Spring& spring = *springs[s].spring;
        pack.a[lane] = spring.a;
        pack.b[lane] = spring.b;
        pack.stiffness[lane] = static_cast<float>(springs[s].stiffness);
        pack.rest_length[lane] = static_cast<float>(spring.rest_length);
        for (int k = 0; k < group.basis; ++k) {
            const float* direction = &group.direction[k * size];
            lists.coefficients[lists.coefficient_of.back() + 8 * k + lane] = static_cast<float>(
                std::inner_product(direction, direction + size, &differences[s * size], 0.0));
        }
    }
    group.packs = static_cast<std::uint32_t>(lists.packs.size()) - group.first_pack;
    lists.groups.push_back(std::move(group));
}

// Returns the cells whose weights are taken at the ends of a spring, the lower cell first. On a
// fine grid one cell serves both ends: the cell of the spring's midpoint, provided that vertices
// follow all corners of the cell.
std::pair<std::uint32_t, std::uint32_t> cells_of(const Model& model, const CoarseSpace& space,
                                                 const Spring& spring,
                                                 const std::vector<char>& is_followed) {
    const Vec3 a = model.rest_positions[spring.a], b = model.rest_positions[spring.b];
    const auto [low, high] = std::minmax(space.cell[spring.a], space.cell[spring.b]);
    if (!space.one_cell_per_spring || low == high) return {low, high};
    const std::uint32_t middle = space.grid.cell_at(0.5 * (a + b));
    const std::uint32_t chosen = middle == high ? high : low;
    std::uint16_t nodes[8];
    double weights[8];
    space.grid.find_corners(chosen, a, nodes, weights);
    const bool all_followed =
        std::all_of(nodes, nodes + space.corners, [&](int node) { return is_followed[node]; });
    return all_followed ? std::pair{chosen, chosen} : std::pair{low, high};
}

// Class of similar springs: between the same two cells, with about the same direction and length
// and the same number of pinned ends.
struct SpringClass {
    std::uint32_t cells[2];
    int direction, size, pinned;
    auto operator<=>(const SpringClass&) const = default;
};

SpringClass class_of(const Model& model, const CoarseSpace& space, const Spring& spring,
                     const std::vector<char>& held, const std::vector<char>& is_followed) {
    const auto [low, high] = cells_of(model, space, spring, is_followed);
    const Vec3 d = model.rest_positions[spring.a] - model.rest_positions[spring.b];
    const double square = dot(d, d);
    int direction = 0, sign = 0, exponent = 0;
    for (const Vec3& axis : space.grid.axes) {
        const double along = dot(axis, d);
        const int part = along * along < 0.15 * square ? 0 : along < 0.0 ? -1 : 1;
        if (sign == 0) sign = part;
        direction = 3 * direction + sign * part;
    }
    std::frexp(1.4 * square, &exponent); // 1.4 keeps regular meshes off the class borders
    return {{low, high}, direction, exponent, held[spring.a] + held[spring.b]};
}

// Samples members of a class at even intervals, at most max_count of them.
void take_sample(const Model& model, std::size_t max_count, const std::vector<double>* stiffness,
                 std::span<const std::pair<SpringClass, std::uint32_t>> alike,
                 std::vector<Sampled>& sample) {
    const std::size_t count = std::min(alike.size(), max_count), begin = sample.size();
    double all = 0.0, taken = 0.0;
    const auto stiffness_of = [&](std::uint32_t s) {
        return stiffness ? (*stiffness)[s] : model.springs[s].stiffness;
    };
    const auto weight = [&](std::uint32_t s) { // weight differences grow with the length
        const Spring& spring = model.springs[s];
        const Vec3 d = model.rest_positions[spring.a] - model.rest_positions[spring.b];
        return stiffness_of(s) * dot(d, d);
    };
    for (const auto& [spring_class, s] : alike) all += weight(s);
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint32_t s = alike[(2 * k + 1) * alike.size() / (2 * count)].second;
        sample.push_back({&model.springs[s], stiffness_of(s)});
        taken += weight(s);
    }
    if (count < alike.size() && taken > 0.0)
        for (std::size_t k = begin; k < sample.size(); ++k) sample[k].stiffness *= all / taken;
}

// Sorts the springs into classes, and makes one group for each pair of cells.
void make_groups(const Model& model, const std::vector<char>& held,
                 const std::vector<double>* stiffness, CoarseSystem& system) {
    const std::size_t max_count =
        system.space->one_cell_per_spring ? max_samples_on_fine_grid : max_samples;
    std::vector<char> is_followed(system.space->nodes, 0);
    for (std::size_t c = 0; c < system.weight.size(); ++c)
        if (system.weight[c] != 0.0f) is_followed[system.space->node[c]] = 1;
    std::vector<std::pair<SpringClass, std::uint32_t>> springs;
    for (std::uint32_t s = 0; s < model.springs.size(); ++s)
        if (!held[model.springs[s].a] || !held[model.springs[s].b])
            springs.push_back(
                {class_of(model, *system.space, model.springs[s], held, is_followed), s});
    std::sort(springs.begin(), springs.end());
    const auto end_of = [&](std::size_t begin, auto&& same) {
        std::size_t end = begin;
        while (end < springs.size() && same(springs[begin].first, springs[end].first)) ++end;
        return end;
    };
    for (std::size_t begin = 0, end; begin < springs.size(); begin = end) {
        end = end_of(begin, [](const SpringClass& a, const SpringClass& b) {
            return a.cells[0] == b.cells[0] && a.cells[1] == b.cells[1];
        });
        SpringsOfCells sample{model, *system.space, held, springs[begin].first.cells, {}};
        for (std::size_t first = begin, last; first < end; first = last) {
            last = end_of(first, std::equal_to<SpringClass>());
            take_sample(model, max_count, stiffness, {&springs[first], last - first},
                        sample.springs);
        }
        add_group(sample, system);
    }
    system.lists.packs.shrink_to_fit();
    system.lists.coefficients.shrink_to_fit();
}

SkylineShape make_shape(const CoarseSystem& system) {
    const CoarseSpace& space = *system.space;
    std::vector<int> first(space.nodes);
    std::iota(first.begin(), first.end(), 0);
    const auto couple = [&](int a, int b) { first[a] = std::min(first[a], b); };
    for (const CoarseGroup& group : system.lists.groups)
        for (const int node : group.nodes) couple(node, group.nodes[0]);
    const std::size_t corners = space.corners;
    for (std::size_t i = 0; i < space.node.size(); i += corners)
        for (std::size_t a = 0; a < corners; ++a)
            for (std::size_t b = 0; b < corners; ++b) couple(space.node[i + a], space.node[i + b]);
    return SkylineShape(first);
}

// Adds the springs of one group to U^T Q U: as for H, with k in place of h.
void add_constant(const CoarseGroup& group, CoarseSystem& system) {
    const std::size_t size = group.nodes.size();
    std::vector<double> moments(std::size_t(group.basis) * group.basis, 0.0);
    for (std::uint32_t p = group.first_pack; p < group.first_pack + group.packs; ++p) {
        const float* c = &system.lists.coefficients[system.lists.coefficient_of[p]];
        for (int k = 0; k < group.basis; ++k)
            for (int l = 0; l < group.basis; ++l)
                for (int lane = 0; lane < 8; ++lane)
                    moments[k * group.basis + l] += double(c[8 * k + lane]) * c[8 * l + lane] *
                                                    system.lists.packs[p].stiffness[lane];
    }
    const std::uint32_t* block = group.block.data();
    for (std::size_t a = 0; a < size; ++a)
        for (std::size_t b = 0; b <= a; ++b, ++block)
            for (int k = 0; k < group.basis; ++k)
                for (int l = 0; l < group.basis; ++l)
                    system.constant[*block].v[0][0] += double(group.direction[k * size + a]) *
                                                       group.direction[l * size + b] *
                                                       moments[k * group.basis + l];
}

} // namespace

CoarseSystem make_coarse_system(const Model& model, const CoarseSpace& space,
                                const std::vector<double>& inertia, const std::vector<char>& held,
                                const std::vector<double>* stiffness) {
    CoarseSystem system;
    system.space = &space;
    if (space.nodes == 0) return system;
    const std::size_t corners = space.corners;
    system.weight = space.weight;
    for (std::size_t i = 0; i < held.size(); ++i)
        if (held[i]) std::fill_n(system.weight.begin() + i * corners, corners, 0.0f);
    make_groups(model, held, stiffness, system);
    const SkylineShape& shape = system.shape = make_shape(system);
    for (CoarseGroup& group : system.lists.groups)
        for (std::size_t a = 0; a < group.nodes.size(); ++a)
            for (std::size_t b = 0; b <= a; ++b)
                group.block.push_back(
                    static_cast<std::uint32_t>(shape.at(group.nodes[a], group.nodes[b])));

    system.inertia.assign(shape.blocks(), 0.0);
    for (std::size_t i = 0; i < held.size(); ++i)
        for (std::size_t a = i * corners; a < (i + 1) * corners; ++a)
            for (std::size_t b = i * corners; b < (i + 1) * corners; ++b)
                if (space.node[b] <= space.node[a])
                    system.inertia[shape.at(space.node[a], space.node[b])] +=
                        inertia[i] * system.weight[a] * system.weight[b];
    system.constant.resize(shape.blocks());
    for (std::size_t k = 0; k < shape.blocks(); ++k) system.constant[k].v[0][0] = system.inertia[k];
    for (const CoarseGroup& group : system.lists.groups) add_constant(group, system);
    system.unfactored = system.constant;
    system.usable = factor_skyline(shape, system.constant.data());
    return system;
}

CoarseStep::CoarseStep(const CoarseSystem& system, bool in_float)
    : hessian_(system.shape.blocks()),
      partial_sums_((system.space->vertices() / vertex_block + 1) * 3 * system.space->nodes),
      coefficients_(system.space->nodes),
      constant_(system.space->nodes) {
    make_room(system, in_float);
}

void CoarseStep::make_room(const CoarseSystem& system, bool in_float) {
    const auto make = [&](auto& buffers) {
        buffers.moments.resize(system.lists.groups.size());
        buffers.sums.resize(system.shape.blocks());
    };
    in_float ? make(float_buffers_) : make(double_buffers_);
}

void CoarseStep::hold(const CoarseSystem& system, std::span<const CoarseHold> holds) {
    hold_terms_.clear();
    held_constant_.clear();
    if (holds.empty() || !system.usable) return;
    double largest = 0.0;
    for (int node = 0; node < system.shape.rows(); ++node)
        largest = std::max(largest, system.unfactored[system.shape.at(node, node)].v[0][0]);
    const std::size_t corners = system.space->corners;
    held_constant_ = system.unfactored;
    for (const CoarseHold& hold : holds) {
        const double weight = std::min(hold.stiffness, max_relative_hold * largest);
        for (std::size_t a = hold.vertex * corners; a < (hold.vertex + 1) * corners; ++a)
            for (std::size_t b = hold.vertex * corners; b < (hold.vertex + 1) * corners; ++b) {
                if (system.space->node[b] > system.space->node[a]) continue;
                hold_terms_.push_back(
                    {system.shape.at(system.space->node[a], system.space->node[b]),
                     weight * system.weight[a] * system.weight[b]});
                held_constant_[hold_terms_.back().first].v[0][0] += hold_terms_.back().second;
            }
    }
    if (!factor_skyline(system.shape, held_constant_.data()))
        hold_terms_.clear(), held_constant_.clear();
}

template <>
CoarseStep::Buffers<float>& CoarseStep::buffers() {
    return float_buffers_;
}
template <>
CoarseStep::Buffers<double>& CoarseStep::buffers() {
    return double_buffers_;
}

void add_curvature(const SkylineShape& shape, int a, int b, double weight, const Sym3& s,
                   SkylineBlock<3>* blocks) {
    const double curvature[3][3] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
    const auto add = [&](int row, int column, double share) {
        SkylineBlock<3>& block = blocks[shape.at(row, column)];
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) block.v[j][i] += share * curvature[j][i];
    };
    if (b > a || weight == 0.0) return;
    if (b >= shape.first[a]) {
        add(a, b, weight);
    } else {
        add(a, a, std::abs(weight));
        add(b, b, std::abs(weight));
    }
}

// Adds u u^T (x) stiffness for each constraint, with u the weights of the point's nodes.
void CoarseStep::add_constraints(const CoarseSystem& system,
                                 std::span<const CoarseConstraint> constraints) {
    const CoarseSpace& space = *system.space;
    for (const CoarseConstraint& c : constraints) {
        const auto for_each_node = [&](auto&& f) { // f(node, weight)
            for (int k = 0; k < c.point.count; ++k) {
                const std::size_t begin = c.point.vertices[k] * space.corners;
                for (std::size_t i = begin; i < begin + space.corners; ++i)
                    f(space.node[i], c.point.weights[k] * system.weight[i]);
            }
        };
        for_each_node([&](int a, double weight_a) {
            for_each_node([&](int b, double weight_b) {
                add_curvature(system.shape, a, b, weight_a * weight_b, c.stiffness,
                              hessian_.data());
            });
        });
    }
}

template <class V>
void CoarseStep::assemble_springs(const CoarseSystem& system, const Vec3* x, double inertia,
                                  Jobs& jobs) {
    using Real = decltype(V::x);
    const CoarseKernels<Real>& kernels = coarse_kernels<Real>();
    const std::vector<CoarseGroup>& groups = system.lists.groups;
    auto& [moments, sums] = buffers<Real>();
    const std::size_t grain = system.lists.packs.size() < min_packs_to_share
                                  ? std::max<std::size_t>(groups.size(), 1)
                                  : 4;
    jobs.ranges(groups.size(), grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t g = begin; g < end; ++g)
            kernels.gather(system.lists, groups[g], x, buffers<Real>().moments[g]);
    });
    std::fill(sums.begin(), sums.end(), Six<Real>{});
    for (std::size_t g = 0; g < groups.size(); ++g)
        kernels.spread(groups[g], moments[g], sums.data());
    kernels.fill(sums.data(), system.inertia.data(), inertia, hessian_.size(), hessian_.data());
}

template <class V>
void CoarseStep::assemble(const CoarseSystem& system, const Vec3* x, double inertia, Jobs& jobs) {
    usable_ = system.usable;
    if (!usable_) return;
    if (x) {
        assemble_springs<V>(system, x, inertia, jobs);
    } else {
        std::fill(hessian_.begin(), hessian_.end(), SkylineBlock<3>{});
        for (std::size_t k = 0; k < hessian_.size(); ++k)
            add_to_diagonal(system.unfactored[k].v[0][0], hessian_[k]);
    }
    for (const auto& [block, weight] : hold_terms_) add_to_diagonal(weight, hessian_[block]);
    add_constraints(system, contacts_);
    add_constraints(system, pairs_);
}

template <class V>
void CoarseStep::prepare(const CoarseSystem& system, const Vec3* x, double inertia, Jobs& jobs) {
    assemble<V>(system, x, inertia, jobs);
    if (usable_) usable_ = coarse_kernels<decltype(V::x)>().factor(system.shape, hessian_.data());
}

template <class V>
void CoarseStep::restrict(const CoarseSystem& system, const V* r, Jobs& jobs) {
    std::fill(coefficients_.begin(), coefficients_.end(), SkylineRow{});
    if (!usable_) return;
    const CoarseSpace& space = *system.space;
    using Real = decltype(V::x);
    const std::size_t n = system.space->vertices(), corners = space.corners,
                      numbers = 3 * space.nodes;
    jobs.ranges(n, vertex_block, [&](std::size_t begin, std::size_t end) {
        for (std::size_t first = begin; first < end; first += vertex_block) {
            Quad<Real> sum[CoarseSpace::max_nodes] = {};
            for (std::size_t i = first; i < std::min(first + vertex_block, end); ++i) {
                const Quad<Real> own = quad(r[i]);
                for (std::size_t c = i * corners; c < (i + 1) * corners; ++c)
                    add_scaled(Real(system.weight[c]), own, sum[space.node[c]]);
            }
            double* part = &partial_sums_[first / vertex_block * numbers];
            for (std::size_t k = 0; k < numbers; ++k) part[k] = sum[k / 3].v[k % 3];
        }
    });
    for (std::size_t part = 0; part < (n + vertex_block - 1) / vertex_block; ++part)
        for (std::size_t k = 0; k < numbers; ++k)
            coefficients_[k / 3].v[k % 3] += partial_sums_[part * numbers + k];
    constant_ = coefficients_;
}

template <class V>
void CoarseStep::solve(const CoarseSystem& system, const V* r, V* q, Jobs& jobs) {
    if (usable_) {
        restrict(system, r, jobs);
        coarse_kernels<decltype(V::x)>().solve(system.shape, hessian_.data(), coefficients_.data());
    }
    finish_solve(system, q, jobs);
}

template <class V>
void CoarseStep::finish_solve(const CoarseSystem& system, V* q, Jobs& jobs) {
    std::fill_n(q, system.space->vertices(), V{});
    if (usable_) prolong(system, 1.0, q, jobs);
}

template <class V>
void CoarseStep::add(const CoarseSystem& system, const V* r, V* q, Jobs& jobs) {
    if (!usable_) return;
    restrict(system, r, jobs);
    coarse_kernels<decltype(V::x)>().solve(system.shape, hessian_.data(), coefficients_.data());
    finish_add(system, q, jobs);
}

template <class V>
void CoarseStep::finish_add(const CoarseSystem& system, V* q, Jobs& jobs) {
    if (!usable_) return;
    coarse_kernels<decltype(V::x)>().solve_constant(
        system.shape, (hold_terms_.empty() ? system.constant : held_constant_).data(),
        constant_.data());
    for (std::size_t k = 0; k < constant_.size(); ++k)
        for (int axis = 0; axis < 3; ++axis) coefficients_[k].v[axis] -= constant_[k].v[axis];
    prolong(system, 1.0, q, jobs);
}

template <class V>
void CoarseStep::subtract_last(const CoarseSystem& system, V* q, Jobs& jobs) const {
    if (usable_) prolong(system, -1.0, q, jobs);
}

template <class V>
void CoarseStep::prolong(const CoarseSystem& system, double sign, V* q, Jobs& jobs) const {
    using Real = decltype(V::x);
    const std::size_t corners = system.space->corners;
    Quad<Real> coarse[CoarseSpace::max_nodes] = {};
    for (std::size_t k = 0; k < coefficients_.size(); ++k)
        for (int axis = 0; axis < 3; ++axis)
            coarse[k].v[axis] = static_cast<Real>(sign * coefficients_[k].v[axis]);
    jobs.ranges(system.space->vertices(), vertex_block, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            Quad<Real> sum = quad(q[i]);
            for (std::size_t c = i * corners; c < (i + 1) * corners; ++c)
                add_scaled(Real(system.weight[c]), coarse[system.space->node[c]], sum);
            q[i].x = sum.v[0], q[i].y = sum.v[1], q[i].z = sum.v[2];
        }
    });
}

template void CoarseStep::prepare<Float4>(const CoarseSystem&, const Vec3*, double, Jobs&);
template void CoarseStep::prepare<Vec3>(const CoarseSystem&, const Vec3*, double, Jobs&);
template void CoarseStep::assemble<Float4>(const CoarseSystem&, const Vec3*, double, Jobs&);
template void CoarseStep::assemble<Vec3>(const CoarseSystem&, const Vec3*, double, Jobs&);
template void CoarseStep::restrict(const CoarseSystem&, const Float4*, Jobs&);
template void CoarseStep::restrict(const CoarseSystem&, const Vec3*, Jobs&);
template void CoarseStep::add(const CoarseSystem&, const Float4*, Float4*, Jobs&);
template void CoarseStep::add(const CoarseSystem&, const Vec3*, Vec3*, Jobs&);
template void CoarseStep::finish_add(const CoarseSystem&, Float4*, Jobs&);
template void CoarseStep::finish_add(const CoarseSystem&, Vec3*, Jobs&);
template void CoarseStep::solve(const CoarseSystem&, const Float4*, Float4*, Jobs&);
template void CoarseStep::solve(const CoarseSystem&, const Vec3*, Vec3*, Jobs&);
template void CoarseStep::finish_solve(const CoarseSystem&, Float4*, Jobs&);
template void CoarseStep::finish_solve(const CoarseSystem&, Vec3*, Jobs&);
template void CoarseStep::subtract_last(const CoarseSystem&, Float4*, Jobs&) const;
template void CoarseStep::subtract_last(const CoarseSystem&, Vec3*, Jobs&) const;

} // namespace twang::core
