// The textbook's gradient, system matrix and local-global iteration. See textbook.hpp.
#include "rivals/textbook.hpp"

#include <algorithm>
#include <cmath>

namespace bench {

namespace {

Vec3 minus(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
void add(Vec3& sum, double factor, Vec3 a) {
    sum.x += factor * a.x;
    sum.y += factor * a.y;
    sum.z += factor * a.z;
}

} // namespace

double scatter(const Problem& problem, std::vector<Vec3>& gradient) {
    double energy = 0.0;
    for (std::size_t i = 0; i < problem.x.size(); ++i) {
        const Vec3 from_y = minus(problem.x[i], problem.y[i]);
        gradient[i] = {};
        add(gradient[i], problem.inertia[i], from_y);
        energy += 0.5 * problem.inertia[i] * dot(from_y, from_y);
        if (problem.pin_weights[i] == 0.0) continue;
        const Vec3 from_target = minus(problem.x[i], problem.targets[i]);
        add(gradient[i], problem.pin_weights[i], from_target);
        energy += 0.5 * problem.pin_weights[i] * dot(from_target, from_target);
    }
    for (const twang::SpringDef& spring : problem.springs) {
        const Vec3 d = minus(problem.x[spring.a], problem.x[spring.b]);
        const double length = std::sqrt(dot(d, d)), elongation = length - spring.rest_length;
        const double scale = spring.stiffness * elongation / length;
        add(gradient[spring.a], scale, d);
        add(gradient[spring.b], -scale, d);
        energy += 0.5 * spring.stiffness * elongation * elongation;
    }
    return energy;
}

Matrix system_matrix(const Problem& problem) {
    const std::size_t n = problem.x.size();
    std::vector<double> diagonal(n);
    std::vector<std::vector<std::pair<int, double>>> columns(n);
    for (std::size_t i = 0; i < n; ++i) diagonal[i] = problem.inertia[i] + problem.pin_weights[i];
    for (const twang::SpringDef& spring : problem.springs) {
        const auto [low, high] = std::minmax(spring.a, spring.b);
        diagonal[low] += spring.stiffness;
        diagonal[high] += spring.stiffness;
        columns[low].emplace_back(static_cast<int>(high), -spring.stiffness);
    }
    Matrix matrix;
    matrix.n = static_cast<int>(n);
    for (std::size_t i = 0; i < n; ++i) {
        matrix.column_start.push_back(static_cast<int>(matrix.rows.size()));
        std::sort(columns[i].begin(), columns[i].end());
        columns[i].insert(columns[i].begin(), {static_cast<int>(i), diagonal[i]});
        for (const auto& [row, value] : columns[i]) {
            matrix.rows.push_back(row);
            matrix.values.push_back(value);
        }
    }
    matrix.column_start.push_back(static_cast<int>(matrix.rows.size()));
    return matrix;
}

Textbook::Textbook(Problem problem, const DirectSolver& solver)
    : problem_(std::move(problem)),
      solver_(solver),
      sums_(problem_.x.size()),
      right_(3 * problem_.x.size()),
      solution_(3 * problem_.x.size()) {}

void Textbook::iterate() {
    const std::size_t n = problem_.x.size();
    for (std::size_t i = 0; i < n; ++i) {
        sums_[i] = {};
        add(sums_[i], problem_.inertia[i], problem_.y[i]);
        add(sums_[i], problem_.pin_weights[i], problem_.targets[i]);
    }
    for (const twang::SpringDef& spring : problem_.springs) {
        const Vec3 d = minus(problem_.x[spring.a], problem_.x[spring.b]);
        const double scale = spring.stiffness * spring.rest_length / std::sqrt(dot(d, d));
        add(sums_[spring.a], scale, d);
        add(sums_[spring.b], -scale, d);
    }
    for (std::size_t i = 0; i < n; ++i) {
        right_[i] = sums_[i].x;
        right_[n + i] = sums_[i].y;
        right_[2 * n + i] = sums_[i].z;
    }
    solver_.solve(right_.data(), solution_.data());
    for (std::size_t i = 0; i < n; ++i)
        problem_.x[i] = {solution_[i], solution_[n + i], solution_[2 * n + i]};
}

} // namespace bench
