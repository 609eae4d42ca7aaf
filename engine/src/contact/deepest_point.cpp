// Kelley's cutting planes on one edge or triangle.
#include "contact/deepest_point.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

// Points tried for a first bound, and cutting planes after that.
constexpr int max_start_points = 7, max_cuts = 8;
constexpr double bound_tolerance = 1e-3;   // of an edge: gap between bound and distance
constexpr double bent_cosine = 0.98;       // cosine between corner normals; less: different faces
constexpr double min_corner_volume = 0.02; // volume spanned by three normals; 0 along a ridge
constexpr double perpendicular_tolerance = 0.1; // sine of the deviation from perpendicular
constexpr double min_mean_normal = 0.05;        // length; a shorter mean normal crosses a sheet

// The distance linearised at a point, at the corners of the element.
template <int n>
struct Tangent {
    double at[n];
    Vec3 normal;

    Tangent() = default;
    Tangent(const Vec3 (&x)[n], Vec3 p, const Distance& distance) : normal(distance.normal) {
        for (int j = 0; j < n; ++j) at[j] = distance.distance + dot(normal, x[j] - p);
    }
};

// The minimum of the maximum of n tangents: all tangents are equal there, and their mean with
// `tangent_weights` is constant over the element.
template <int n>
struct Bound {
    double weights[n], tangent_weights[n];
    double value;
    Vec3 normal; // mean of the tangents' normals

    // Normalises the weights. Returns false where the minimum is not between the corners, or does
    // not exist.
    bool finish(const Tangent<n>* const (&tangents)[n], double sum, double determinant) {
        normal = {};
        for (int k = 0; k < n; ++k) {
            weights[k] /= sum;
            tangent_weights[k] /= sum;
            if (!(weights[k] > 0.0 && tangent_weights[k] > 0.0)) return false;
            normal += tangent_weights[k] * tangents[k]->normal;
        }
        value = determinant / sum;
        return is_level(tangents);
    }
    // Returns whether the mean tangent is constant; it is not where the tangents nearly coincide.
    bool is_level(const Tangent<n>* const (&tangents)[n]) const {
        double off = 0.0, range = 0.0;
        for (int j = 0; j < n; ++j) {
            double height = 0.0;
            for (int k = 0; k < n; ++k) {
                height += tangent_weights[k] * tangents[k]->at[j];
                range = std::max(range, std::abs(tangents[k]->at[j] - value));
            }
            off = std::max(off, std::abs(height - value));
        }
        return off <= 1e-6 * range;
    }
};

// Weights and tangent weights are the mixed strategies of a matrix game that uses all rows and
// columns: the sums of the cofactors over rows and over columns.
bool solve(const Tangent<2>* const (&tangents)[2], Bound<2>& bound) {
    const double *f = tangents[0]->at, *g = tangents[1]->at;
    const double falls = f[0] - f[1], rises = g[1] - g[0];
    bound = {{g[1] - f[1], f[0] - g[0]}, {rises, falls}, 0.0, {}};
    return bound.finish(tangents, falls + rises, f[0] * g[1] - f[1] * g[0]);
}

bool solve(const Tangent<3>* const (&tangents)[3], Bound<3>& bound) {
    const auto row = [&](int k) {
        const double* f = tangents[k]->at;
        return Vec3{f[0], f[1], f[2]};
    };
    const auto sum_of = [](Vec3 v) { return v.x + v.y + v.z; };
    const Vec3 a = cross(row(1), row(2)), b = cross(row(2), row(0)), c = cross(row(0), row(1));
    const Vec3 columns = a + b + c;
    bound = {{columns.x, columns.y, columns.z}, {sum_of(a), sum_of(b), sum_of(c)}, 0.0, {}};
    return bound.finish(tangents, sum_of(columns), dot(row(0), a));
}

// Finds the highest bound given by the last of `count` tangents together with earlier tangents.
// Returns false if there is none.
bool raise_bound(const Tangent<2>* tangents, int count, Bound<2>& bound) {
    bool found = false;
    Bound<2> next;
    // Tangent a has to decrease from corner 0 to corner 1.
    for (int i = 0; i + 1 < count; ++i)
        for (const bool swapped : {false, true}) {
            const Tangent<2>*a = &tangents[i], *b = &tangents[count - 1];
            if (swapped) std::swap(a, b);
            if (!(a->at[0] > a->at[1] && solve({a, b}, next))) continue;
            if (!found || next.value > bound.value) bound = next;
            found = true;
        }
    return found;
}

bool raise_bound(const Tangent<3>* tangents, int count, Bound<3>& bound) {
    bool found = false;
    Bound<3> next;
    for (int i = 0; i + 1 < count; ++i)
        for (int j = 0; j < i; ++j) {
            if (!solve({&tangents[j], &tangents[i], &tangents[count - 1]}, next)) continue;
            if (!found || next.value > bound.value) bound = next;
            found = true;
        }
    return found;
}

// Returns the largest distance that the point may have.
template <int n>
double max_distance_of(const Distance (&at)[n], double reach, double gain) {
    double min_distance = at[0].distance;
    for (int k = 1; k < n; ++k) min_distance = std::min(min_distance, at[k].distance);
    return std::min(reach, min_distance - gain);
}

template <int n>
void set_corners(const Vec3 (&x)[n], const Distance (&at)[n], Tangent<n>* tangents) {
    for (int k = 0; k < n; ++k) tangents[k] = {x, x[k], at[k]};
}

// Returns whether the corners of a triangle are near different faces. The tangents at the corners
// may then not show a minimum between them, while tangents at inner points do.
template <int n>
bool is_bent(const Distance (&at)[n]) {
    double min_cosine = 1.0;
    for (int k = 0; k < n; ++k)
        min_cosine = std::min(min_cosine, dot(at[k].normal, at[(k + 1) % n].normal));
    return n == 3 && min_cosine < bent_cosine;
}

// Returns whether the normals meet at a corner of the collider. Across a ridge all normals are
// perpendicular to the ridge, and the deepest point is on a side.
template <int n>
bool is_at_corner(const Distance (&at)[n], Vec3 normal) {
    double max_volume = 0.0;
    for (int k = 0; k < n; ++k) {
        const Vec3 next = at[(k + 1) % n].normal;
        max_volume = std::max(max_volume, std::abs(dot(cross(at[k].normal, next), normal)));
    }
    max_volume =
        std::max(max_volume, std::abs(dot(cross(at[0].normal, at[1].normal), at[n - 1].normal)));
    return max_volume > min_corner_volume;
}

template <int n>
bool is_level(Vec3 normal, const Vec3 (&x)[n]) {
    for (int k = 1; k < n; ++k)
        if (std::abs(dot(normal, x[k] - x[0])) > perpendicular_tolerance * length(x[k] - x[0]))
            return false;
    return true;
}

template <int n>
Vec3 mean(const double (&weights)[n], const Vec3 (&x)[n]) {
    Vec3 sum{};
    for (int k = 0; k < n; ++k) sum += weights[k] * x[k];
    return sum;
}

} // namespace

template <int n>
bool find_deepest(const Obstacle& obstacle, const Vec3 (&x)[n], const Distance (&at)[n],
                  double reach, double gain, DeepestPoint& found) {
    Tangent<n> tangents[n + max_start_points + max_cuts];
    int count = n;
    set_corners(x, at, tangents);
    Bound<n> bound;
    const double max_distance = max_distance_of(at, reach, gain);
    if (!raise_bound(tangents, count, bound)) {
        if (!is_bent(at)) return false;
        bool raised = false;
        for (int k = 0; k < max_start_points && !raised; ++k) {
            // At the centroid, then towards the midpoints of the sides and the corners in turn.
            double weights[n];
            std::fill_n(weights, n, k == 0 ? 1.0 / n : k <= n ? 0.45 : 0.2);
            if (k > 0) weights[(k - 1) % n] = k <= n ? 0.1 : 0.6;
            const Vec3 p = mean(weights, x);
            const Distance here = distance_to(obstacle, p);
            if (k == 0 && (here.distance > max_distance + length(x[0] - p) + length(x[1] - p) ||
                           !is_at_corner(at, here.normal)))
                return false;
            tangents[count++] = {x, p, here};
            raised = raise_bound(tangents, count, bound);
        }
        if (!raised) return false;
    }
    const double tolerance = bound_tolerance * length(x[1] - x[0]);
    for (int k = 0; k < max_cuts; ++k) {
        if (bound.value > max_distance) return false;
        const Vec3 p = mean(bound.weights, x);
        const Distance here = distance_to(obstacle, p);
        if (here.distance - bound.value <= tolerance) break;
        std::copy_n(bound.weights, n, found.weights);
        found.distance = here;
        tangents[count++] = {x, p, here};
        if (!raise_bound(tangents, count, bound))
            return here.distance <= max_distance && is_level(here.normal, x);
    }
    const double size = length(bound.normal);
    if (!(size > min_mean_normal)) return false;
    std::copy_n(bound.weights, n, found.weights);
    found.distance = {bound.value / size, (1.0 / size) * bound.normal};
    return true;
}

template <int n>
bool may_be_deepest(const Vec3 (&x)[n], const Distance (&at)[n], double reach, double gain) {
    Tangent<n> tangents[n];
    set_corners(x, at, tangents);
    Bound<n> bound;
    return raise_bound(tangents, n, bound) ? bound.value <= max_distance_of(at, reach, gain)
                                           : is_bent(at);
}

template bool find_deepest(const Obstacle&, const Vec3 (&)[2], const Distance (&)[2], double,
                           double, DeepestPoint&);
template bool find_deepest(const Obstacle&, const Vec3 (&)[3], const Distance (&)[3], double,
                           double, DeepestPoint&);
template bool may_be_deepest(const Vec3 (&)[2], const Distance (&)[2], double, double);
template bool may_be_deepest(const Vec3 (&)[3], const Distance (&)[3], double, double);

} // namespace twang::core
