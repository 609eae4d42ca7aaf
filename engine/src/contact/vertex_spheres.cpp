// Uniform grid wrapped onto a torus, tests of pairs on straight paths, and the pairs in a fixed
// order.
#include "contact/vertex_spheres.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

constexpr double margin = 0.1;           // of the sum of two radii: covers motion by contact forces
constexpr double max_travel = 4.0;       // radii: longest travel in a step that the search covers
constexpr std::size_t max_near = 12;     // pairs stored per sphere
constexpr double cells_per_sphere = 8.0; // size of the grid

std::int32_t cell_of(double coordinate, double cell) {
    // Distant points share the outermost cells.
    return static_cast<std::int32_t>(std::floor(std::clamp(coordinate / cell, -1e9, 1e9)));
}

} // namespace

Status check_vertex_spheres(double radius, double friction) {
    for (const double value : {radius, friction})
        if (!std::isfinite(value))
            return fail(TWANG_NOT_FINITE, "a number of the vertex spheres is %g", value);
    if (radius < 0.0 || friction < 0.0)
        return fail(TWANG_OUT_OF_RANGE,
                    "radius %g and friction %g of vertex spheres must be at least 0", radius,
                    friction);
    return TWANG_OK;
}

void VertexSpheres::reserve(std::size_t n) {
    if (n <= spheres_.capacity()) return;
    bodies_.reserve(n); // a body has at least one vertex
    first_.reserve(n);
    entries_.reserve(n);
    unsorted_.reserve(n);
    cell_start_.reserve(static_cast<std::size_t>(std::max(27.0, cells_per_sphere * n)) + 2);
    pair_counts_.reserve(n);
    pair_slots_.reserve(max_near * n);
    pairs_.reserve(max_near * n);
    spheres_.reserve(n); // last: its capacity shows that all have room
}

void VertexSpheres::clear() {
    spheres_.clear();
    bodies_.clear();
    first_.clear();
    pairs_.clear();
    largest_radius_ = smallest_radius_ = 0.0;
}

void VertexSpheres::add(const BodySpheres& b) {
    first_.push_back(static_cast<std::uint32_t>(spheres_.size()));
    const auto body = static_cast<std::uint32_t>(bodies_.size());
    bodies_.push_back(b);
    largest_radius_ = std::max(largest_radius_, b.radius);
    smallest_radius_ = bodies_.size() == 1 ? b.radius : std::min(smallest_radius_, b.radius);
    for (std::uint32_t i = 0; i < b.model->vertex_count(); ++i)
        spheres_.push_back({b.from[i], b.to[i], b.radius, b.friction, body, i});
}

// Chooses the cell counts of the grid, which is wrapped onto a torus with at least three cells per
// axis and not many more cells than spheres. Spheres that share a cell only because of the wrapping
// are told apart by their distance.
void VertexSpheres::choose_cell_counts() {
    Vec3 low = unsorted_[0].midpoint, high = low;
    for (const GridEntry& entry : unsorted_) {
        low = least(low, entry.midpoint);
        high = greatest(high, entry.midpoint);
    }
    const double extent[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    const double max_cells =
        std::max(27.0, cells_per_sphere * static_cast<double>(spheres_.size()));
    double counts[3];
    for (int axis = 0; axis < 3; ++axis)
        counts[axis] = std::clamp(std::floor(extent[axis] / cell_size_) + 1.0, 3.0, max_cells);
    while (counts[0] * counts[1] * counts[2] > max_cells) {
        double& largest_count = *std::max_element(counts, counts + 3);
        largest_count = std::max(3.0, std::floor(0.75 * largest_count));
    }
    for (int axis = 0; axis < 3; ++axis)
        cell_counts_[axis] = static_cast<std::int32_t>(counts[axis]);
}

void VertexSpheres::sort_into_cells() {
    Vec3 mean{};
    for (const VertexSphere& sphere : spheres_) mean += sphere.to - sphere.from;
    mean = (1.0 / static_cast<double>(spheres_.size())) * mean;
    unsorted_.clear();
    double longest = 0.0;
    for (const VertexSphere& sphere : spheres_) {
        const double half_path = 0.5 * length(sphere.to - sphere.from - mean);
        longest = std::max(longest, half_path);
        unsorted_.push_back({0.5 * (sphere.from + sphere.to),
                             half_path,
                             static_cast<std::uint32_t>(unsorted_.size()),
                             {}});
    }
    // Two spheres that touch anywhere on their paths are in neighbouring cells.
    cell_size_ = (2.0 + 2.0 * margin) * largest_radius_ +
                 2.0 * std::min(longest, 0.5 * max_travel * largest_radius_);
    choose_cell_counts();
    cell_start_.assign(std::size_t(cell_counts_[0]) * cell_counts_[1] * cell_counts_[2] + 1, 0);
    for (GridEntry& entry : unsorted_) {
        const double at[3] = {entry.midpoint.x, entry.midpoint.y, entry.midpoint.z};
        for (int axis = 0; axis < 3; ++axis) {
            const std::int32_t wrapped = cell_of(at[axis], cell_size_) % cell_counts_[axis];
            entry.cell[axis] = wrapped < 0 ? wrapped + cell_counts_[axis] : wrapped;
        }
        ++cell_start_[index_of(entry.cell[0], entry.cell[1], entry.cell[2]) + 1];
    }
    for (std::size_t i = 1; i < cell_start_.size(); ++i) cell_start_[i] += cell_start_[i - 1];
    entries_.resize(unsorted_.size());
    // Backwards, which keeps the order; cell_start_[c + 1] ends as the first entry of cell c.
    for (std::size_t i = unsorted_.size(); i-- > 0;) {
        const std::int32_t* cell = unsorted_[i].cell;
        entries_[--cell_start_[index_of(cell[0], cell[1], cell[2]) + 1]] = unsorted_[i];
    }
    for (std::size_t i = 0; i + 1 < cell_start_.size(); ++i) cell_start_[i] = cell_start_[i + 1];
    cell_start_.back() = static_cast<std::uint32_t>(spheres_.size());
}

// Returns whether a pair is left out: two vertices of one body that a spring joins, or that are as
// close at rest, unless they are torn apart.
bool VertexSpheres::excluded(const VertexSphere& a, const VertexSphere& b) const {
    if (a.body != b.body) return false;
    const BodySpheres& body = bodies_[a.body];
    const Model& model = *body.model;
    const Vec3 rest = model.rest_positions[a.vertex] - model.rest_positions[b.vertex];
    const double close = 1.01 * (a.radius + b.radius);
    const bool rests_close = dot(rest, rest) < close * close;
    if (rests_close && !body.own_springs) return true;
    const Link* const end = model.links.end(a.vertex);
    const Link* const link = std::find_if(model.links.begin(a.vertex), end,
                                          [&](const Link& l) { return l.other == b.vertex; });
    if (link != end) return !body.own_springs || !body.own_springs->is_broken(link->spring);
    return rests_close;
}

bool VertexSpheres::is_near(const VertexSphere& a, const VertexSphere& b, Vec3& side) const {
    const double reach = a.radius + b.radius, max_distance = (1.0 + margin) * reach;
    const Vec3 initial = a.from - b.from, motion = (a.to - b.to) - initial;
    // |initial + t motion| is least at this t.
    const double square = dot(motion, motion), along = dot(initial, motion),
                 start = dot(initial, initial);
    double t = square > 0.0 ? std::clamp(-along / square, 0.0, 1.0) : 0.0;
    const Vec3 nearest = initial + t * motion;
    if (!(dot(nearest, nearest) < max_distance * max_distance) || excluded(a, b)) return false;
    if (start <= reach * reach) {
        // Overlapping at the start: that side counts, so that a sphere comes back the way it went.
        t = 0.0;
    } else if (const double discriminant = along * along - square * (start - reach * reach);
               dot(nearest, nearest) < reach * reach && discriminant > 0.0) {
        t = std::min(t, (-along - std::sqrt(discriminant)) / square);
    }
    const Vec3 off = initial + t * motion;
    const double distance = length(off);
    // For coincident centres any direction will do, if it is always the same.
    side = distance > 0.0 ? (1.0 / distance) * off : Vec3{0.0, 1.0, 0.0};
    return true;
}

void VertexSpheres::test_range(const GridEntry& entry, std::size_t begin, std::size_t end,
                               NearPair* found, std::uint8_t& count) const {
    const double own_reach = (2.0 + 2.0 * margin) * largest_radius_ + entry.half_path;
    for (std::size_t other = begin; other < end; ++other) {
        const GridEntry& o = entries_[other];
        const Vec3 off = entry.midpoint - o.midpoint;
        const double max_distance = own_reach + o.half_path;
        if (dot(off, off) > max_distance * max_distance) continue;
        NearPair pair{std::min(entry.sphere, o.sphere), std::max(entry.sphere, o.sphere), {}};
        if (count < max_near && is_near(spheres_[pair.a], spheres_[pair.b], pair.side))
            found[count++] = pair;
    }
}

// Tests half of the neighbouring cells: the entries there test the other half. Three cells in a row
// are contiguous in entries_.
void VertexSpheres::test_neighbour_cells(std::size_t at) {
    const GridEntry& entry = entries_[at];
    NearPair* found = pair_slots_.data() + max_near * at;
    std::uint8_t& count = pair_counts_[at] = 0;
    const std::int32_t x = entry.cell[0], last = cell_counts_[0] - 1;
    const auto wrapped = [&](std::int32_t cell, int axis) {
        return cell < 0                     ? cell + cell_counts_[axis]
               : cell >= cell_counts_[axis] ? cell - cell_counts_[axis]
                                            : cell;
    };
    const auto test_cells = [&](std::size_t first_cell, std::size_t last_cell) {
        test_range(entry, cell_start_[first_cell], cell_start_[last_cell + 1], found, count);
    };
    const std::size_t own = index_of(x, entry.cell[1], entry.cell[2]);
    test_range(entry, at + 1, cell_start_[own + (x < last) + 1], found, count);
    if (x == last) test_cells(own - last, own - last);
    constexpr std::int32_t rows[4][2] = {{1, 0}, {-1, 1}, {0, 1}, {1, 1}}; // y, z
    for (const auto& [y, z] : rows) {
        const std::size_t centre_cell =
            index_of(x, wrapped(entry.cell[1] + y, 1), wrapped(entry.cell[2] + z, 2));
        test_cells(centre_cell - (x > 0), centre_cell + (x < last));
        if (x == 0) test_cells(centre_cell + last, centre_cell + last);
        if (x == last) test_cells(centre_cell - last, centre_cell - last);
    }
}

bool VertexSpheres::move_ends(std::span<const Vec3* const> to, double share) {
    Vec3 mean{};
    for (const VertexSphere& sphere : spheres_) mean += to[sphere.body][sphere.vertex] - sphere.to;
    mean = (1.0 / static_cast<double>(spheres_.size())) * mean;
    // Two spheres may each deviate this much from the mean motion.
    const double max_offset = (1.0 + margin - share) * smallest_radius_;
    for (const VertexSphere& sphere : spheres_) {
        const Vec3 off = to[sphere.body][sphere.vertex] - sphere.to - mean;
        if (!(dot(off, off) < max_offset * max_offset)) return false;
    }
    for (VertexSphere& sphere : spheres_) sphere.to = to[sphere.body][sphere.vertex];
    return true;
}

std::span<const NearPair> VertexSpheres::find(Jobs& jobs) {
    pairs_.clear();
    if (spheres_.empty()) return pairs_;
    sort_into_cells();
    pair_slots_.resize(max_near * spheres_.size());
    pair_counts_.resize(spheres_.size());
    jobs.ranges(entries_.size(), 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; ++at) test_neighbour_cells(at);
    });
    for (std::size_t at = 0; at < entries_.size(); ++at)
        pairs_.insert(pairs_.end(), pair_slots_.data() + max_near * at,
                      pair_slots_.data() + max_near * at + pair_counts_[at]);
    return pairs_;
}

} // namespace twang::core
