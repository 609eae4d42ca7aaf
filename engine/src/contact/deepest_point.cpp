#include "contact/deepest_point.hpp"

#include <algorithm>
#include <cmath>

namespace twang::core {

namespace {

constexpr int starts = 7, most_cuts = 8;
constexpr double precision = 1e-3;    // of an edge's length, between bound and distance
constexpr double bent = 0.98;         // cosine between normals
constexpr double least_corner = 0.02; // of the volume that three normals span
constexpr double level = 0.1;         // sine between a normal and what it is at right angles to
constexpr double least_normal = 0.05; // of a mean of normals: a shorter one crosses a sheet

// The distance near a point, over the corners.
template <int n>
struct Tangent {
    double at[n];
    Vec3 normal;

    Tangent() = default;
    Tangent(const Vec3 (&x)[n], Vec3 p, const Distance& distance) : normal(distance.normal) {
        for (int j = 0; j < n; ++j) at[j] = distance.distance + dot(normal, x[j] - p);
    }
};

// The point where the largest of n tangents is least: all are equal there, and their mean with
// `shares` is level.
template <int n>
struct Bound {
    double weights[n], shares[n];
    double value;
    Vec3 normal; // the mean of the tangents'

    // False where the point is not between the corners, or is none.
    bool finish(const Tangent<n>* const (&tangents)[n], double sum, double determinant) {
        normal = {};
        for (int k = 0; k < n; ++k) {
            weights[k] /= sum;
            shares[k] /= sum;
            if (!(weights[k] > 0.0 && shares[k] > 0.0)) return false;
            normal += shares[k] * tangents[k]->normal;
        }
        value = determinant / sum;
        return is_level(tangents);
    }
    // Not where the tangents are all but the same.
    bool is_level(const Tangent<n>* const (&tangents)[n]) const {
        double off = 0.0, range = 0.0;
        for (int j = 0; j < n; ++j) {
            double height = 0.0;
            for (int k = 0; k < n; ++k) {
                height += shares[k] * tangents[k]->at[j];
                range = std::max(range, std::abs(tangents[k]->at[j] - value));
            }
            off = std::max(off, std::abs(height - value));
        }
        return off <= 1e-6 * range;
    }
};

// Weights and shares are those of a matrix game that is mixed in all rows and columns: the sums of
// the cofactors over rows and over columns.
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

// The highest bound by the last of so many tangents with others.
bool raise(const Tangent<2>* tangents, int count, Bound<2>& bound) {
    bool found = false;
    Bound<2> next;
    for (int i = 0; i + 1 < count; ++i)
        for (const bool swapped : {false, true}) { // the first is the one that falls
            const Tangent<2>*a = &tangents[i], *b = &tangents[count - 1];
            if (swapped) std::swap(a, b);
            if (!(a->at[0] > a->at[1] && solve({a, b}, next))) continue;
            if (!found || next.value > bound.value) bound = next;
            found = true;
        }
    return found;
}

bool raise(const Tangent<3>* tangents, int count, Bound<3>& bound) {
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

// What a point's distance may be at most.
template <int n>
double most_of(const Distance (&at)[n], double reach, double gain) {
    double least = at[0].distance;
    for (int k = 1; k < n; ++k) least = std::min(least, at[k].distance);
    return std::min(reach, least - gain);
}

template <int n>
void set_corners(const Vec3 (&x)[n], const Distance (&at)[n], Tangent<n>* tangents) {
    for (int k = 0; k < n; ++k) tangents[k] = {x, x[k], at[k]};
}

// Of a triangle whose corners are near different faces the tangents there may not tell that it has
// a point between them: then others do.
template <int n>
bool is_bent(const Distance (&at)[n]) {
    double least = 1.0;
    for (int k = 0; k < n; ++k) least = std::min(least, dot(at[k].normal, at[(k + 1) % n].normal));
    return n == 3 && least < bent;
}

// Across a ridge all normals are at right angles to it, and the deepest point is on a side.
template <int n>
bool is_at_corner(const Distance (&at)[n], Vec3 normal) {
    double most = 0.0;
    for (int k = 0; k < n; ++k) {
        const Vec3 next = at[(k + 1) % n].normal;
        most = std::max(most, std::abs(dot(cross(at[k].normal, next), normal)));
    }
    most = std::max(most, std::abs(dot(cross(at[0].normal, at[1].normal), at[n - 1].normal)));
    return most > least_corner;
}

template <int n>
bool is_level(Vec3 normal, const Vec3 (&x)[n]) {
    for (int k = 1; k < n; ++k)
        if (std::abs(dot(normal, x[k] - x[0])) > level * length(x[k] - x[0])) return false;
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
    Tangent<n> tangents[n + starts + most_cuts];
    int count = n;
    set_corners(x, at, tangents);
    Bound<n> bound;
    const double most = most_of(at, reach, gain);
    if (!raise(tangents, count, bound)) {
        if (!is_bent(at)) return false;
        bool raised = false;
        for (int k = 0; k < starts && !raised; ++k) {
            // In the middle, then towards the middles of the sides and the corners in turn.
            double weights[n];
            std::fill_n(weights, n, k == 0 ? 1.0 / n : k <= n ? 0.45 : 0.2);
            if (k > 0) weights[(k - 1) % n] = k <= n ? 0.1 : 0.6;
            const Vec3 p = mean(weights, x);
            const Distance here = distance_to(obstacle, p);
            if (k == 0 && (here.distance > most + length(x[0] - p) + length(x[1] - p) ||
                           !is_at_corner(at, here.normal)))
                return false;
            tangents[count++] = {x, p, here};
            raised = raise(tangents, count, bound);
        }
        if (!raised) return false;
    }
    const double enough = precision * length(x[1] - x[0]);
    for (int k = 0; k < most_cuts; ++k) {
        if (bound.value > most) return false;
        const Vec3 p = mean(bound.weights, x);
        const Distance here = distance_to(obstacle, p);
        if (here.distance - bound.value <= enough) break;
        std::copy_n(bound.weights, n, found.weights);
        found.distance = here;
        tangents[count++] = {x, p, here};
        if (!raise(tangents, count, bound))
            return here.distance <= most && is_level(here.normal, x);
    }
    const double size = length(bound.normal);
    if (!(size > least_normal)) return false;
    std::copy_n(bound.weights, n, found.weights);
    found.distance = {bound.value / size, (1.0 / size) * bound.normal};
    return true;
}

template <int n>
bool may_be_deepest(const Vec3 (&x)[n], const Distance (&at)[n], double reach, double gain) {
    Tangent<n> tangents[n];
    set_corners(x, at, tangents);
    Bound<n> bound;
    return raise(tangents, n, bound) ? bound.value <= most_of(at, reach, gain) : is_bent(at);
}

template bool find_deepest(const Obstacle&, const Vec3 (&)[2], const Distance (&)[2], double,
                           double, DeepestPoint&);
template bool find_deepest(const Obstacle&, const Vec3 (&)[3], const Distance (&)[3], double,
                           double, DeepestPoint&);
template bool may_be_deepest(const Vec3 (&)[2], const Distance (&)[2], double, double);
template bool may_be_deepest(const Vec3 (&)[3], const Distance (&)[3], double, double);

} // namespace twang::core
